"""LARS for text classification: the exact path, one feature at a time (Keerthi 2005).

One algorithm covers losses made of a squared, a zero and a linear part: RLS-LARS ("squared"),
SVM-LARS ("squared_hinge") and "modified_huber". With f(x) = x'β + b,

    minimise  λ₂/2 (‖β‖² + b²) + Σ loss(t_i f(x_i))      while keeping |gradient| ≤ λ₁,

from the λ₁ at which no feature is selected down to 0; λ₂ is `alpha`, t is `y_signed`. The path is
piecewise linear in λ₁. It has a corner where a feature enters, and where a document crosses a
border between two parts of the loss. Features never leave (this is LARS, not the Lasso), so a
coefficient may pass through 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.errors import LaconicError
from laconic.numerics.lars.active_set import PIECES, ActiveSet
from laconic.numerics.lars.crossings import is_singular, next_crossings
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.screening import Entry
from laconic.numerics.lars.state import Bias, Ending, LarsPoint, PathState, check_arguments, follow
from laconic.types import Floats, Matrix

__all__ = ["Bias", "Documents", "Ending", "LarsPoint", "lars"]

# Share of the columns' tie tolerance within which a column enters before a document crosses.
ENTRY_FIRST = 0.01


def lars(
    X: Matrix | Documents,
    y_signed: Floats,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """Yield one point per number of features: 1, 2, … to the end of the path.

    X is sparse or dense, or `Documents.of(X)` if several paths share it; `y_signed` is ±1.
    bias="always" is regularized by alpha only; bias="selectable" must be selected like a feature.
    Neither counts as a feature. Tied features enter in column order. If no feature has a gradient,
    there are no points.
    """
    if loss not in PIECES:
        raise LaconicError(f"lars: loss={loss!r}. The exact path supports {', '.join(PIECES)}")
    documents = Documents.of(X)
    active = ActiveSet(
        documents, check_arguments(documents, y_signed, alpha, bias), PIECES[loss], alpha
    )
    return follow(PathState(active, bias), advance)


def advance(state: PathState) -> Entry | None:
    """Go corner by corner to the next entry of a feature, or to the end of the path."""
    active = state.active
    while state.ending is None:
        direction = active.direction()
        if is_singular(active, direction):
            state.stop()
            break
        saturated = state.is_saturated(direction)
        crossings = next_crossings(active, direction, state.document_tie)
        if state.l1_left > 0.0 and not saturated:
            # a document that crosses at the same step waits: once it has crossed, the gradient of
            # the column that reaches λ₁ with it might stay at λ₁
            horizon = min(crossings.step + ENTRY_FIRST * state.screening.tie, state.l1_left)
            entry = state.screening.first_entry(active, direction, horizon)
            if entry is not None:
                state.move(direction, min(max(entry.step, 0.0), crossings.step))
                return entry
        if crossings.step >= state.l1_left:
            state.finish(direction)
        else:
            state.move(direction, crossings.step)
            state.cross_borders(direction, crossings)
    return None
