"""LARS in jumps: from the entry of a feature to the next, without a stop at every document.

A reading of the "simple way to reduce this extra cost" that Keerthi (2005) mentions. From where a
feature has entered, foresee the next entry as if no document crossed a border; let λ₁ fall as far;
repair the model there by Newton's method on f − λ₁ s'β; and foresee again, back or on, until the
foreseen step is nothing. What may be lost is a feature whose gradient reaches λ₁ and falls back
within one jump: the path goes on without it, and fulfils its conditions but for that feature. That
was so on 12 of 1,083 small random problems, all with l2 ≤ 0.01, and on none with l2 = 1, nor on any
text that was tried. Where documents stand exactly on a border, as in binary data, the way is taken
corner by corner.

It also walks the path of the logistic loss, which is curved (predictor and corrector).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics import lars as exact
from laconic.numerics.lars_course import Bias, Course, LarsPoint, checked, follow
from laconic.numerics.lars_documents import Documents, Floats, Matrix
from laconic.numerics.lars_jumps import JumpingPosition
from laconic.numerics.lars_logistic import LogisticPosition
from laconic.numerics.lars_position import PIECES, SQUARED
from laconic.numerics.lars_screen import Entry

# Share of the first λ₁: a step or an error up to this is nothing.
ACCURATE = 1e-11
# Jumps to an entry before it is given up.
JUMPS = 40
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
        return _leap(course, position)
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
