"""LARS in jumps: from the entry of a feature to the next, without a stop at every document.

A reading of the "simple way to reduce this extra cost" that Keerthi (2005) mentions. From where a
feature has entered, foresee the next entry as if no document crossed a border; let λ₁ fall as far;
repair the model there by Newton's method on f − λ₁ s'β; and foresee again, back or on, until the
foreseen step is nothing.

A jump might pass over a feature whose gradient reaches λ₁ and falls back. That it has not is proved
each time. Let a > b be λ₁ at both ends, Δ the differences between them, s the signs of g_A. From
λ₂Δβ + X_A'Δρ = (a − b)s, and (Δρ)'XΔβ ≥ ‖Δρ‖² for a loss whose slope grows by at most 1,

    ‖Δρ‖² + λ₂‖Δβ‖² ≤ (a − b) s'Δβ

for any two points of the way. Of a third point, at the share τ between them, it holds with either:
(1 − τ) of the one and τ of the other bound its distance from the chord,

    ‖ρ(τ) − chord‖² ≤ τ(1 − τ)·bend,   bend = (a − b) s'Δβ − ‖Δρ‖² − λ₂‖Δβ‖²,

from which the screen tells whether a feature may have reached λ₁, but for the one that enters: that
it had not come up before is not proved. Where another may have, or where documents
stand exactly on a border, as in binary data, the way is taken corner by corner.

It also walks the path of the logistic loss, which is curved (predictor and corrector), without that
proof.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics import lars as exact
from laconic.numerics.lars_course import Bias, Course, LarsPoint, checked, follow
from laconic.numerics.lars_documents import Documents, Floats, Matrix
from laconic.numerics.lars_jumps import JumpingPosition, Snapshot
from laconic.numerics.lars_logistic import LogisticPosition
from laconic.numerics.lars_position import PIECES, SQUARED
from laconic.numerics.lars_screen import Entry

# Share of the first λ₁: a step or an error up to this is nothing.
ACCURATE = 1e-11
# Jumps to an entry before it is given up.
JUMPS = 40
# A way that bends by less than this share of what it might is straight: no document crossed.
STRAIGHT = 1e-12
# Without l2: more features than this share of the active documents, and the path goes by corners.
CROWDED = 0.8


class Lost(Exception):  # noqa: N818 - a jump that led nowhere is no error
    """Jumps did not lead to an entry."""


def fast_lars(
    X: Matrix | Documents,
    signs: Floats,
    *,
    loss: str = "squared_hinge",
    l2: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """As `lars`, faster. `loss` may be "logistic" too; its `examples` are all documents."""
    if loss not in (*PIECES, "logistic"):
        raise LaconicError(f"lars: loss={loss!r}. There are {', '.join(PIECES)} and logistic")
    documents = Documents.of(X)
    values = checked(documents, signs, l2, bias)
    if loss == "squared":
        # no document ever crosses a border: the exact path is made of such jumps
        return exact.lars(documents, values, loss=loss, l2=l2, bias=bias)
    if loss == "logistic":
        curve = LogisticPosition(documents, values, l2)
        return follow(Course(curve, bias), lambda course: _along_curve(course, curve))
    position = JumpingPosition(documents, values, PIECES[loss], l2)
    return follow(Course(position, bias), lambda course: _advance(course, position))


def _advance(course: Course, position: JumpingPosition) -> Entry | None:
    """To the next entry in jumps, or, where they do not lead there, corner by corner."""
    if position.is_on_border() or _is_crowded(course, position):
        return exact.advance(course)
    before = position.snapshot()
    try:
        entry = _leap(course, position)
        if _may_have_passed(course, position, before, entry):
            course.ending = None
            raise Lost
        return entry
    except Lost:
        if not position.restore(before):
            course.ending = "singular"
        return exact.advance(course)


def _along_curve(course: Course, position: LogisticPosition) -> Entry | None:
    before = position.snapshot()
    try:
        return _leap(course, position)
    except Lost:
        position.restore(before)
        course.ending = "singular"
        return None


def _is_crowded(course: Course, position: JumpingPosition) -> bool:
    if position.l2 > 0.0:
        return False
    n_active = int((position.parts == SQUARED).sum())
    return position.columns.size > CROWDED * n_active or course.is_saturated(position.direction())


def _may_have_passed(
    course: Course, position: JumpingPosition, before: Snapshot, entry: Entry | None
) -> bool:
    """Whether some feature may have come up to λ₁ on the way from `before` to here, and gone."""
    fallen = before.l1 - position.l1
    coef, residuals = before.coef - position.coef, before.residuals - position.residuals
    pulled = fallen * float(position.pulls @ coef)
    bend = pulled - float(residuals @ residuals) - position.l2 * float(coef @ coef)
    if fallen <= 0.0 or bend <= STRAIGHT * pulled:
        return False
    entering = -1 if entry is None else entry.column
    return course.screen.may_have_passed(before.l1, before.residuals, position, bend, entering)


def _leap(course: Course, position: JumpingPosition) -> Entry | None:
    """Foresee the next entry, jump there, repair, and again until the foreseen step is nothing."""
    start, tolerance = position.l1, ACCURATE * course.first
    for _ in range(JUMPS):
        direction = position.direction()
        entry = course.screen.first_entry(position, direction, course.left)
        step = course.left if entry is None else entry.step
        # above the start there is nothing to look for: what is that close has been a tie
        back = position.l1 - start
        step = max(step, back) if step > -np.inf else back / 2
        step = min(step, position.farthest * position.l1)
        if abs(step) <= tolerance:
            if entry is None:
                course.finish(direction, saturated=False)
            return entry
        position.move(direction, step)
        if not (position.settle() and course.stays_true()):
            raise Lost
        course.readmit()
    raise Lost
