"""LARS in jumps: from one feature's entry to the next, without stopping at every document.

A reading of the "simple way to reduce this extra cost" that Keerthi (2005) mentions. From the last
entry, predict the next one as if no document crossed a border; lower λ₁ to it; correct the model
there by Newton's method on f − λ₁ s'β; then predict again, backwards or forwards, until the
predicted step is negligible. λ₂ is `alpha`.

A jump might skip a feature whose gradient reaches λ₁ and falls back. Each jump is proved not to.
Let a > b be λ₁ at both ends, Δ the differences between them, s the signs of g_A. From
λ₂Δβ + X_A'Δρ = (a − b)s, and (Δρ)'XΔβ ≥ ‖Δρ‖² for a loss whose slope grows by at most 1,

    ‖Δρ‖² + λ₂‖Δβ‖² ≤ (a − b) s'Δβ

for any two points of the path. For a third point, at the share τ between them, it holds with
either end; (1 − τ) times the one plus τ times the other bounds its distance from the chord,

    ‖ρ(τ) − chord‖² ≤ τ(1 − τ)·bend,   bend = (a − b) s'Δβ − ‖Δρ‖² − λ₂‖Δβ‖².

From this the screening finds the features that may have reached λ₁. For the entering feature
itself, an earlier entry is not excluded. If another feature may have reached λ₁, or if documents
are exactly on a border, as in binary data, the path is followed corner by corner.

The same jumps follow the path of the logistic loss, which is curved (predictor-corrector). There
each gradient is compared with λ₁ on the cubic through its values and slopes at both ends of a jump,
as long as no margin changes much. That is no proof, but misses are of fourth order in the length of
the jump. A jump that fails, or that skipped a feature, is repeated at half its length.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.lars import path as exact
from laconic.numerics.lars.active_set import PIECES
from laconic.numerics.lars.documents import Documents
from laconic.numerics.lars.jumps import JumpingActiveSet, Snapshot
from laconic.numerics.lars.logistic import LogisticActiveSet
from laconic.numerics.lars.screening import Entry
from laconic.numerics.lars.state import Bias, LarsPoint, PathState, check_arguments, follow
from laconic.types import Floats, Matrix

# Share of the first λ₁: a step or an error up to this is negligible.
TOLERANCE = 1e-11
# Jumps towards one entry before giving up.
MAX_JUMPS = 40
# A path that bends by less than this share of the possible bend is straight: no document crossed.
STRAIGHT = 1e-12
# Shares of λ₁, for jumps along a curve: the longest jump; the longest that is not checked for
# skipped features; and the shortest that is retried after a failure.
FARTHEST, SHORT, SHORTEST = 0.9, 1e-3, 1e-9
# Limits of the change of any margin in a jump along a curve: the actual and the predicted change.
FAR, WILD = 2.0, 8.0
# Points of such a jump at which gradients are compared with λ₁.
N_CHECKS = 15


class JumpFailed(Exception):  # noqa: N818 - a failed jump is not an error
    """The jumps did not lead to an entry."""


def fast_lars(
    X: Matrix | Documents,
    y_signed: Floats,
    *,
    loss: str = "squared_hinge",
    alpha: float = 1.0,
    bias: Bias = "always",
) -> Iterator[LarsPoint]:
    """Like `lars`, but faster. `loss` may also be "logistic"; its `examples` are all documents."""
    if loss not in (*PIECES, "logistic"):
        raise LaconicError(f"lars: loss={loss!r}. Choose from {', '.join(PIECES)} and logistic")
    documents = Documents.of(X)
    values = check_arguments(documents, y_signed, alpha, bias)
    if loss == "squared" or (loss in PIECES and alpha == 0.0):
        # with squares the exact path consists of such jumps; with alpha=0 corners are faster
        return exact.lars(documents, values, loss=loss, alpha=alpha, bias=bias)
    if loss == "logistic":
        curve = LogisticActiveSet(documents, values, alpha)
        return follow(PathState(curve, bias), lambda state: _advance_along_curve(state, curve))
    active = JumpingActiveSet(documents, values, PIECES[loss], alpha)
    return follow(PathState(active, bias), lambda state: _advance_by_jumps(state, active))


def _advance_by_jumps(state: PathState, active: JumpingActiveSet) -> Entry | None:
    """Jump to the next entry, or go corner by corner if the jumps fail."""
    if active.is_on_border():
        return exact.advance(state)
    before = active.snapshot()
    try:
        entry = _jump_to_entry(state, active, state.floor)
        if _may_have_reached_l1(state, active, before, entry):
            raise JumpFailed
    except JumpFailed:
        if not active.restore(before):
            state.stop()
        return exact.advance(state)
    if entry is None:
        state.finish(active.direction())
    return entry


def _may_have_reached_l1(
    state: PathState, active: JumpingActiveSet, before: Snapshot, entry: Entry | None
) -> bool:
    """Whether another feature may have reached λ₁ since `before`, and fallen back."""
    fallen = before.l1 - active.l1
    coef, residuals = before.coef - active.coef, before.residuals - active.residuals
    total = fallen * float(active.entry_signs @ coef)
    bend = total - float(residuals @ residuals) - active.alpha * float(coef @ coef)
    if fallen <= 0.0 or bend <= STRAIGHT * total:
        return False
    # with two candidates, at least one is not the entering column
    columns = state.screening.may_have_reached_l1(before.l1, before.residuals, active, bend, 2)
    return bool(np.any(columns != (-1 if entry is None else entry.column)))


def _advance_along_curve(state: PathState, active: LogisticActiveSet) -> Entry | None:
    """Jump along a curved path to the next entry; failed jumps are halved."""
    share, tangent = FARTHEST, active.direction()
    while share > SHORTEST:
        before = active.snapshot()
        fastest = np.abs(tangent.speeds).max()
        reach = active.l1 * min(share, WILD / max(active.l1 * fastest, WILD))
        try:
            entry = _jump_to_entry(state, active, max(active.l1 - reach, state.floor))
            new_tangent = active.direction()
            if _has_reached_l1(state, active, before, tangent.residuals, new_tangent.residuals):
                share = (before.l1 - active.l1) / before.l1
                raise JumpFailed
        except JumpFailed:
            active.restore(before)
            share /= 2.0
            continue
        if entry is not None:
            return entry
        if state.l1_left <= TOLERANCE * state.first_l1:
            state.finish(new_tangent)
            return None
        if active.l1 == before.l1:
            break
        share, tangent = min(2.0 * share, FARTHEST), new_tangent
    state.stop()
    return None


def _has_reached_l1(
    state: PathState, active: LogisticActiveSet, before: Snapshot, start: Floats, end: Floats
) -> bool:
    """Whether an interpolated gradient reaches λ₁ between `before` and here.

    `start` and `end` are the changes of the residuals per unit that λ₁ falls, at both ends.
    """
    fallen, chord = before.l1 - active.l1, active.residuals - before.residuals
    if fallen <= SHORT * before.l1:
        return False
    if np.abs(active.margins - before.margins).max() > FAR:
        return True
    bend = max(float(((fallen * turn - chord) ** 2).sum()) for turn in (start, end)) / 4.0
    n_columns = active.documents.constant + 1
    columns = state.screening.may_have_reached_l1(
        before.l1, before.residuals, active, bend, n_columns
    )
    vectors = [before.residuals, active.residuals, fallen * start, fallen * end]
    values = np.array([state.screening.documents.products(columns, vector) for vector in vectors])
    slacks = [_slacks(side * values, before.l1, active.l1) for side in (-1.0, 1.0)]
    return min(float(slack.min(initial=0.0)) for slack in slacks) < -state.screening.tie


def _slacks(values: Floats, a: float, b: float) -> Floats:
    """λ₁ − g at N_CHECKS inner points, on the cubics through the values and slopes of both ends."""
    p, q, first, last = a - values[0], b - values[1], b - a - values[2], b - a - values[3]
    tau = np.linspace(0.0, 1.0, N_CHECKS + 2)[1:-1, None]
    bent = (1.0 - tau) * (first - q + p) - tau * (last - q + p)
    return np.asarray((1.0 - tau) * p + tau * q + tau * (1.0 - tau) * bent)


def _jump_to_entry(state: PathState, active: JumpingActiveSet, floor: float) -> Entry | None:
    """Predict the next entry, jump there and correct, until the predicted step is negligible.

    None if λ₁ reaches the floor without an entry.
    """
    start, tolerance = active.l1, TOLERANCE * state.first_l1
    for _ in range(MAX_JUMPS):
        direction, above = active.direction(), active.l1 - floor
        entry = state.screening.first_entry(active, direction, above)
        step = above if entry is None else entry.step
        # never go back beyond the start: entries that close were ties
        back = active.l1 - start
        step = max(step, back) if step > -np.inf else back / 2
        if abs(step) <= tolerance:
            return entry
        active.move(direction, step)
        if not (active.return_to_path() and state.correct_drift()):
            raise JumpFailed
        state.readmit()
    raise JumpFailed
