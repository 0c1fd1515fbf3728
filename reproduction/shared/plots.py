"""Contents of a plot: lines over a number, or counts of pairs of values per cell."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

CELLS = 24
# Margin on both sides of a scatter whose values are all the same.
MARGIN = 0.05


@dataclass(frozen=True)
class Series:
    """A named series. Points `from_paper` are drawn hollow and not joined."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    from_paper: bool = False


@dataclass(frozen=True)
class Plot:
    """Lines over a number, on a log axis if `log`; `level` is a labelled horizontal line."""

    name: str
    title: str
    x_title: str
    y_title: str
    lines: tuple[Series, ...]
    log: bool = True
    level: tuple[str, float] | None = None

    def points(self, line: Series) -> tuple[tuple[float, float], ...]:
        """The points of a line that the x axis can show; a log axis has no 0."""
        least = 0.0 if self.log else -math.inf
        return tuple((x, y) for x, y in zip(line.xs, line.ys, strict=True) if least < x < math.inf)

    @property
    def drawable(self) -> bool:
        return any(math.isfinite(y) for line in self.lines for _, y in self.points(line))


@dataclass(frozen=True)
class Cells:
    """A scatter as counts: left, right, lower and upper end of each cell, and its count.

    The diagonal is drawn if `diagonal`, for values that are compared.
    """

    name: str
    title: str
    x_title: str
    y_title: str
    counts: tuple[tuple[float, float, float, float, int], ...]
    diagonal: bool = True

    @classmethod
    def of(
        cls, name: str, title: str, x_title: str, y_title: str, xs: ArrayLike, ys: ArrayLike
    ) -> Cells:
        """From pairs of values on one scale, in squares; pairs with a NaN are left out."""
        pairs = np.column_stack([np.asarray(values, dtype=np.float64) for values in (xs, ys)])
        pairs = pairs[np.isfinite(pairs).all(axis=1)]
        if not pairs.size:
            return cls(name, title, x_title, y_title, ())
        low, high = pairs.min(), pairs.max()
        margin = MARGIN if low == high else 0.0
        edges = np.linspace(low - margin, high + margin, CELLS + 1)
        column, row = (_cell(values, edges) for values in pairs.T)
        cells = Counter(zip(column.tolist(), row.tolist(), strict=True))
        ends = [(float(edges[i]), float(edges[i + 1])) for i in range(CELLS)]
        counts = tuple((*ends[i], *ends[j], n) for (i, j), n in sorted(cells.items()))
        return cls(name, title, x_title, y_title, counts)

    @property
    def drawable(self) -> bool:
        return bool(self.counts)


def _cell(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, CELLS - 1)
