"""What a figure draws: lines over a number, or how often pairs of values fall into each cell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

CELLS = 24


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
        """Pairs of values on one scale, in squares."""
        x, y = np.asarray(xs, dtype=np.float64), np.asarray(ys, dtype=np.float64)
        both = np.concatenate([x, y])
        edges = np.linspace(both.min(), both.max(), CELLS + 1)
        column, row = (_cell(values, edges) for values in (x, y))
        found = Counter(zip(column.tolist(), row.tolist(), strict=True))
        ends = [(float(edges[i]), float(edges[i + 1])) for i in range(CELLS)]
        counts = tuple((*ends[i], *ends[j], n) for (i, j), n in sorted(found.items()))
        return cls(name, title, across, up, counts)


def _cell(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, CELLS - 1)
