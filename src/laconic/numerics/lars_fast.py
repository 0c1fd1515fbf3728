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

It also walks the path of the logistic loss, which is curved (predictor and corrector). There every
gradient is compared with λ₁ on the cubic that has its values and slopes at both ends of a jump, as
long as no margin changes much. That is no proof, but misses are of fourth order in the length of
the jump. A jump that fails, or that has passed over a feature, is taken again at half its length.
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
from laconic.numerics.lars_position import PIECES
from laconic.numerics.lars_screen import Entry

# Share of the first λ₁: a step or an error up to this is nothing.
ACCURATE = 1e-11
# Jumps to an entry before it is given up.
JUMPS = 40
# A way that bends by less than this share of what it might is straight: no document crossed.
STRAIGHT = 1e-12
# The share of λ₁ by which it falls at most in one jump along a curve; up to which it is not asked
# whether a feature was passed over; and below which a failed jump is not tried again.
FARTHEST, SHORT, SHORTEST = 0.9, 1e-3, 1e-9
# No margin may change by more in a jump along a curve, nor be foreseen to change by more.
FAR, WILD = 2.0, 8.0
# The points of such a jump at which gradients are compared with λ₁.
BETWEEN = 15


class Lost(Exception):  # noqa: N818 - a jump that led nowhere is no error
    """Jumps did not lead to an entry."""


def fast_lars(
    X: Matrix | Documents,
    y_signed: Floats,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """As `lars`, faster. `loss` may be "logistic" too; its `examples` are all documents."""
    if loss not in (*PIECES, "logistic"):
        raise LaconicError(f"lars: loss={loss!r}. There are {', '.join(PIECES)} and logistic")
    documents = Documents.of(X)
    values = checked(documents, y_signed, alpha, bias)
    if loss == "squared" or (loss in PIECES and alpha == 0.0):
        # of squares the exact path is made of such jumps; without alpha jumps are slower than corners
        return exact.lars(documents, values, loss=loss, alpha=alpha, bias=bias)
    if loss == "logistic":
        curve = LogisticPosition(documents, values, alpha)
        return follow(Course(curve, bias), lambda course: _along_curve(course, curve))
    position = JumpingPosition(documents, values, PIECES[loss], alpha)
    return follow(Course(position, bias), lambda course: _advance(course, position))


def _advance(course: Course, position: JumpingPosition) -> Entry | None:
    """To the next entry in jumps, or, where they do not lead there, corner by corner."""
    if position.is_on_border():
        return exact.advance(course)
    before = position.snapshot()
    try:
        entry = _leap(course, position, course.floor)
        if _may_have_passed(course, position, before, entry):
            raise Lost
    except Lost:
        if not position.restore(before):
            course.stop()
        return exact.advance(course)
    if entry is None:
        course.finish(position.direction())
    return entry


def _may_have_passed(
    course: Course, position: JumpingPosition, before: Snapshot, entry: Entry | None
) -> bool:
    """Whether some feature may have come up to λ₁ on the way from `before` to here, and gone."""
    fallen = before.l1 - position.l1
    coef, residuals = before.coef - position.coef, before.residuals - position.residuals
    pulled = fallen * float(position.pulls @ coef)
    bend = pulled - float(residuals @ residuals) - position.alpha * float(coef @ coef)
    if fallen <= 0.0 or bend <= STRAIGHT * pulled:
        return False
    # of two, one is not the column that enters
    found = course.screen.may_have_passed(before.l1, before.residuals, position, bend, 2)
    return bool(np.any(found != (-1 if entry is None else entry.column)))


def _along_curve(course: Course, position: LogisticPosition) -> Entry | None:
    """To the next entry in jumps, each as long as it succeeds."""
    share, ahead = FARTHEST, position.direction()
    while share > SHORTEST:
        before = position.snapshot()
        fastest = np.abs(ahead.speeds).max()
        reach = position.l1 * min(share, WILD / max(position.l1 * fastest, WILD))
        try:
            entry = _leap(course, position, max(position.l1 - reach, course.floor))
            turned = position.direction()
            if _has_passed(course, position, before, ahead.residuals, turned.residuals):
                share = (before.l1 - position.l1) / before.l1
                raise Lost
        except Lost:
            position.restore(before)
            share /= 2.0
            continue
        if entry is not None:
            return entry
        if course.left <= ACCURATE * course.first:
            course.finish(turned)
            return None
        if position.l1 == before.l1:
            break
        share, ahead = min(2.0 * share, FARTHEST), turned
    course.stop()
    return None


def _has_passed(
    course: Course, position: LogisticPosition, before: Snapshot, start: Floats, end: Floats
) -> bool:
    """Whether some gradient has come up to λ₁ on the way from `before` to here, as far as is known.

    `start` and `end` are the changes of the residuals for each unit that λ₁ falls, at both ends.
    """
    fallen, chord = before.l1 - position.l1, position.residuals - before.residuals
    if fallen <= SHORT * before.l1:
        return False
    if np.abs(position.margins - before.margins).max() > FAR:
        return True
    bend = max(float(((fallen * turn - chord) ** 2).sum()) for turn in (start, end)) / 4.0
    every = position.documents.constant + 1
    columns = course.screen.may_have_passed(before.l1, before.residuals, position, bend, every)
    at = [before.residuals, position.residuals, fallen * start, fallen * end]
    values = np.array([course.screen.documents.products(columns, vector) for vector in at])
    rooms = [_rooms(side * values, before.l1, position.l1) for side in (-1.0, 1.0)]
    return min(float(room.min(initial=0.0)) for room in rooms) < -course.screen.tie


def _rooms(values: Floats, a: float, b: float) -> Floats:
    """λ₁ − g at some points between, on the cubics with the values and slopes of both ends."""
    p, q, first, last = a - values[0], b - values[1], b - a - values[2], b - a - values[3]
    tau = np.linspace(0.0, 1.0, BETWEEN + 2)[1:-1, None]
    bent = (1.0 - tau) * (first - q + p) - tau * (last - q + p)
    return np.asarray((1.0 - tau) * p + tau * q + tau * (1.0 - tau) * bent)


def _leap(course: Course, position: JumpingPosition, floor: float) -> Entry | None:
    """Foresee the next entry, jump there, repair, and again until the foreseen step is nothing.

    None where λ₁ has come down to the floor without an entry.
    """
    start, tolerance = position.l1, ACCURATE * course.first
    for _ in range(JUMPS):
        direction, above = position.direction(), position.l1 - floor
        entry = course.screen.first_entry(position, direction, above)
        step = above if entry is None else entry.step
        # above the start there is nothing to look for: what is that close has been a tie
        back = position.l1 - start
        step = max(step, back) if step > -np.inf else back / 2
        if abs(step) <= tolerance:
            return entry
        position.move(direction, step)
        if not (position.settle() and course.stays_true()):
            raise Lost
        course.readmit()
    raise Lost
