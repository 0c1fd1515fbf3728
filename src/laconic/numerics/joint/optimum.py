"""`Optimum`: the optimum over some selected words, with what the gains of other words need."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from laconic.numerics.joint.words import Selected, WordColumns, gains
from laconic.numerics.logistic.lanes import padded
from laconic.numerics.logistic.losses import LogisticLoss
from laconic.numerics.logistic.newton import Newton
from laconic.types import Columns, Floats, Matrix

# The gap to which every optimum is found, as a share of the objective; gains need no more.
TOLERANCE = 3e-3
STEPS = 50
# Gains are in single precision if there are more scores than this.
SMALL = 10_000


@dataclass(frozen=True, eq=False)
class Objective:
    """Σ loss + alpha ‖w‖² of all rows together, with intercepts, over some of the words."""

    words: WordColumns
    loss: LogisticLoss
    n_docs: int
    n_rows: int
    alpha: float

    @classmethod
    def of(cls, X: Matrix, loss: LogisticLoss, alpha: float) -> Self:
        n_docs = X.shape[0]
        dtype = np.float32 if loss.n_scores > SMALL else np.float64
        return cls(WordColumns.of(X, dtype), loss, n_docs, loss.n_scores // n_docs, alpha)

    @property
    def ridge(self) -> float:
        """The second derivative of the penalty."""
        return 2.0 * self.alpha


@dataclass(frozen=True, eq=False)
class Optimum:
    """Coefficients near the optimum of these words, in the order in which they were selected."""

    objective: Objective
    order: Columns
    selected: Selected
    newton: Newton

    @classmethod
    def start(cls, objective: Objective) -> Self:
        """No words: the optimum of the intercepts."""
        order = np.zeros(0, dtype=np.intp)
        return cls._solved(objective, order, np.zeros((1, objective.n_rows)))

    def without(self, places: Columns) -> Self:
        """Without the words at these places."""
        coef = np.delete(self.newton.coef, places, axis=0)
        return self._solved(self.objective, np.delete(self.order, places), coef)

    def plus(self, words: Columns) -> Self:
        """With these words, too."""
        coef = np.insert(self.newton.coef, [self.order.size] * words.size, 0.0, axis=0)
        return self._solved(self.objective, np.append(self.order, words), coef)

    @classmethod
    def at(cls, objective: Objective, order: Columns, coef: Floats) -> Self:
        """The point of these coefficients of the words and, in the last line, of the intercepts."""
        selected = Selected.of(objective.words, order, objective.n_docs)
        loss, alpha = objective.loss, objective.alpha
        newton = Newton.start(selected.documents, loss, alpha, True, coef)
        return cls(objective, order, selected, newton)

    @classmethod
    def _solved(cls, objective: Objective, order: Columns, coef: Floats) -> Self:
        point = cls.at(objective, order, coef)
        newton = point.newton
        for _ in range(STEPS):
            # the gap of all problems together
            if newton.gaps @ newton.objective <= TOLERANCE * newton.objective.sum():
                break
            newton.step(TOLERANCE)
        return point

    @cached_property
    def value(self) -> float:
        """The objective, summed over independent problems."""
        newton = self.newton
        shares = newton.loss.per_problem(np.ones(self.objective.n_rows))
        return float((newton.objective / shares).sum())

    @cached_property
    def residuals(self) -> NDArray[Any]:
        return padded(self.newton.slopes.residuals, self._dtype)

    @property
    def diagonal(self) -> NDArray[Any]:
        """The second derivatives of the loss by the scores."""
        return self.objective.loss.diagonal(self.newton.slopes.curvature)

    @cached_property
    def curvature(self) -> NDArray[Any]:
        return padded(self.diagonal, self._dtype)

    @property
    def _dtype(self) -> type[np.floating[Any]]:
        return self.objective.words.values.dtype.type

    def gains(self, which: Columns) -> Floats:
        """Of adding each of these words; twice the decrease of the objective, to second order."""
        objective = self.objective
        return gains(
            objective.words,
            which,
            self.selected.squared_lengths.astype(self._dtype),
            self.residuals,
            self.curvature,
            self._dtype(objective.ridge),
        ).astype(np.float64)

    def costs(self) -> Floats:
        """Of removing each selected word: Σ over rows of w² (h + ridge)."""
        hessian = self.newton.hessian()
        coef = self.newton.coef[:-1]
        return np.asarray((coef * coef * hessian.diagonal()[:-1]).sum(axis=1))
