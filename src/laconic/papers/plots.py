"""What a figure draws: lines over a number, or how often pairs of values fall into each cell."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

CELLS = 24
# Of a scatter whose values are all the same: so much to both sides.
ROOM = 0.05


@dataclass(frozen=True)
class Line:
    """Points of one name. `told` ones are the paper's own: drawn hollow, and not joined."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    told: bool = False


@dataclass(frozen=True)
class Plot:
    """Lines over a number, on a log axis where `log`; `level` is a line across, with its name."""

    name: str
    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    log: bool = True
    level: tuple[str, float] | None = None

    def places(self, line: Line) -> tuple[tuple[float, float], ...]:
        """The points of a line that have a place on the axis across; a log axis has no 0."""
        least = 0.0 if self.log else -math.inf
        return tuple((x, y) for x, y in zip(line.xs, line.ys, strict=True) if least < x < math.inf)

    @property
    def drawable(self) -> bool:
        return any(math.isfinite(y) for line in self.lines for _, y in self.places(line))


@dataclass(frozen=True)
class Cells:
    """A scatter as counts: each cell's left, right, lower and upper end, and how many are in it.

    The diagonal is drawn where `diagonal`, for values that are compared.
    """

    name: str
    title: str
    across: str
    up: str
    counts: tuple[tuple[float, float, float, float, int], ...]
    diagonal: bool = True

    @classmethod
    def of(cls, name: str, title: str, across: str, up: str, xs: ArrayLike, ys: ArrayLike) -> Cells:
        """Pairs of values on one scale, in squares; those without a value are left out."""
        pairs = np.column_stack([np.asarray(values, dtype=np.float64) for values in (xs, ys)])
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        if not pairs.size:
            return cls(name, title, across, up, ())
        low, high = pairs.min(), pairs.max()
        room = ROOM if low == high else 0.0
        edges = np.linspace(low - room, high + room, CELLS + 1)
        column, row = (_cell(values, edges) for values in pairs.T)
        found = Counter(zip(column.tolist(), row.tolist(), strict=True))
        ends = [(float(edges[i]), float(edges[i + 1])) for i in range(CELLS)]
        counts = tuple((*ends[i], *ends[j], n) for (i, j), n in sorted(found.items()))
        return cls(name, title, across, up, counts)

    @property
    def drawable(self) -> bool:
        return bool(self.counts)


def _cell(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, CELLS - 1)
