"""Documents that reach a border between two parts of the loss as λ₁ falls (steps 2d to 2g)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from laconic.numerics.lars.active_set import LINEAR, SQUARED, ZERO, ActiveSet, Direction, Parts
from laconic.types import Bools, Floats, Int64s

# Rounding may put a document this far past its border: it is due now.
ROUNDED_PAST = 1e-9
# A document with leverage 1 that would move no further than this does not move.
STILL = 1e-6


@dataclass(frozen=True, eq=False)
class Crossings:
    """The step to the next border, and all documents that reach one with it."""

    step: float
    docs: Int64s


def next_crossings(active: ActiveSet, direction: Direction, tie: float) -> Crossings:
    """The next crossings; documents within `tie` cross together.

    The step is infinite if no document reaches a border.
    """
    lower, upper = active.pieces.lower, active.pieces.upper
    arrays = active.margins, direction.speeds, active.parts, active.held
    step = float(_first_step(*arrays, lower, upper, direction.slow))
    if step == np.inf:
        return Crossings(np.inf, np.empty(0, np.int64))
    return Crossings(step, _documents_due(*arrays, lower, upper, direction.slow, step + tie))


def cross_borders(active: ActiveSet, direction: Direction, docs: Int64s) -> None:
    """Move documents across their borders; hold those with leverage 1 where they are."""
    lower, upper = active.pieces.lower, active.pieces.upper
    for doc in docs:
        outward, part = direction.speeds[doc] > 0.0, active.parts[doc]
        active.snap_to_border(
            doc, upper if part == ZERO or (part == SQUARED and outward) else lower
        )
        to = SQUARED if part != SQUARED else (ZERO if outward else LINEAR)
        if not active.move_document(doc, to):
            active.held[doc] = True


def is_singular(active: ActiveSet, direction: Direction) -> bool:
    """Whether the system is singular: a held document would still leave its part.

    With leverage 1 its residual is λ₁ times its speed, plus a contribution of the linear part of
    the loss; so on the upper border, where the residual is 0, it does not move.
    """
    if not active.held.any():
        return False
    docs = np.flatnonzero(active.held)
    outward = np.sign(active.margins[docs]) * direction.speeds[docs]
    return bool((outward * active.l1 > STILL).any())


@njit(nogil=True, cache=True)
def _gap(margin: float, speed: float, part: int, lower: float, upper: float) -> float:
    """Distance to the border ahead; infinite if there is none."""
    if part == ZERO:
        return max(margin - upper, 0.0) if speed < 0.0 else np.inf
    if part == LINEAR:
        return max(lower - margin, 0.0) if speed > 0.0 else np.inf
    return max(upper - margin if speed > 0.0 else margin - lower, 0.0)


@njit(nogil=True, cache=True)
def _first_step(
    margins: Floats,
    speeds: Floats,
    parts: Parts,
    held: Bools,
    lower: float,
    upper: float,
    slow: float,
) -> float:
    """The smallest step to a border. Most documents are far from any, so that is tested first."""
    first = np.inf
    for doc in range(margins.size):
        margin, speed = margins[doc], abs(speeds[doc])
        reach = first * speed + ROUNDED_PAST
        if abs(margin - upper) > reach and abs(margin - lower) > reach:
            continue
        if speed > slow and not held[doc]:
            first = min(first, _gap(margin, speeds[doc], parts[doc], lower, upper) / speed)
    return first


@njit(nogil=True, cache=True)
def _documents_due(
    margins: Floats,
    speeds: Floats,
    parts: Parts,
    held: Bools,
    lower: float,
    upper: float,
    slow: float,
    until: float,
) -> Int64s:
    """Documents that reach a border in a step up to `until`, which is finite."""
    docs = []
    for doc in range(margins.size):
        margin, speed = margins[doc], abs(speeds[doc])
        reach = until * speed
        if (
            abs(margin - upper) > reach + ROUNDED_PAST
            and abs(margin - lower) > reach + ROUNDED_PAST
        ):
            continue
        if speed > slow and not held[doc]:
            gap = _gap(margin, speeds[doc], parts[doc], lower, upper)
            if gap <= reach:
                docs.append(doc)
    return np.array(docs, dtype=np.int64)
