"""LARS for text classification: the exact path, one feature after the other (Keerthi 2005).

One algorithm for the losses made of a squared part, a zero part and a straight part: RLS-LARS
("squared"), SVM-LARS ("squared_hinge") and "modified_huber". With f(x) = x'β + b,

    minimise  λ₂/2 (‖β‖² + b²) + Σ loss(t_i f(x_i))      and stay where |gradient| ≤ λ₁,

from the λ₁ at which nothing is selected down to 0. The path is piecewise linear in λ₁. Its corners
are the entries of features, and documents that cross a border between two parts of the loss.
Features never leave (it is LARS, not the Lasso), so that a coefficient may pass through 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from laconic.errors import LaconicError
from laconic.numerics.lars_course import (
    Bias,
    Course,
    Ending,
    LarsPoint,
    checked,
    follow,
)
from laconic.numerics.lars_crossings import is_torn, next_crossings
from laconic.numerics.lars_documents import Documents, Floats, Matrix
from laconic.numerics.lars_position import PIECES, Position
from laconic.numerics.lars_screen import Entry

__all__ = ["Bias", "Documents", "Ending", "LarsPoint", "lars"]

# Share of the tie between columns within which one enters before a document crosses.
AT_ONCE = 0.01


def lars(
    X: Matrix | Documents,
    y_signed: Floats,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """One point for each number of features: 1, 2, … to the end of the path.

    X is sparse or dense, or `Documents.of(X)` where several paths share it; `signs` are ±1. A bias
    that is "always" in is regularised by alpha only and does not count as a feature; a "selectable"
    one has to be selected as any feature has, and does not count either. Equal features enter by
    their number. Where no feature says anything about the signs there is no point at all.
    """
    if loss not in PIECES:
        raise LaconicError(f"lars: loss={loss!r}. The exact path has {', '.join(PIECES)}")
    documents = Documents.of(X)
    position = Position(documents, checked(documents, y_signed, alpha, bias), PIECES[loss], alpha)
    return follow(Course(position, bias), advance)


def advance(course: Course) -> Entry | None:
    """Corner after corner, to the point where the next feature enters, or to the end."""
    position = course.position
    while course.ending is None:
        direction = position.direction()
        if is_torn(position, direction):
            course.stop()
            break
        saturated = course.is_saturated(direction)
        crossings = next_crossings(position, direction, course.document_tie)
        if course.left > 0.0 and not saturated:
            # a document that crosses at the same moment waits: after it, the column that comes
            # up to λ₁ with it might stay there for ever
            horizon = min(crossings.step + AT_ONCE * course.screen.tie, course.left)
            entry = course.screen.first_entry(position, direction, horizon)
            if entry is not None:
                course.move(direction, min(max(entry.step, 0.0), crossings.step))
                return entry
        if crossings.step >= course.left:
            course.finish(direction)
        else:
            course.move(direction, crossings.step)
            course.cross(direction, crossings)
    return None
