"""Documents that come to a border between two parts of the loss as λ₁ falls (steps 2d to 2g)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from laconic.numerics.lars_documents import Flags, Floats, Places
from laconic.numerics.lars_position import LINEAR, SQUARED, ZERO, Direction, Parts, Position

# Rounding may have put a document so far past its border: it is due now.
PAST = 1e-9
# A document with leverage 1 that would go no further than this stands still.
STILL = 1e-6


@dataclass(frozen=True, eq=False)
class Crossings:
    """The step to the next border, and all documents that stand there then."""

    step: float
    docs: Places


def next_crossings(position: Position, direction: Direction, tie: float) -> Crossings:
    """The step is infinite where no document comes to a border; `tie` joins what is that close."""
    lower, upper = position.pieces.lower, position.pieces.upper
    arrays = position.margins, direction.speeds, position.parts, position.held
    step = float(_first(*arrays, lower, upper, direction.slow))
    if step == np.inf:
        return Crossings(np.inf, np.empty(0, np.int64))
    return Crossings(step, _due(*arrays, lower, upper, direction.slow, step + tie))


def cross(position: Position, direction: Direction, docs: Places) -> None:
    """Take documents over their borders; hold those with leverage 1 where they are."""
    lower, upper = position.pieces.lower, position.pieces.upper
    for doc in docs:
        outward, part = direction.speeds[doc] > 0.0, position.parts[doc]
        position.land(doc, upper if part == ZERO or (part == SQUARED and outward) else lower)
        to = SQUARED if part != SQUARED else (ZERO if outward else LINEAR)
        if not position.cross(doc, to):
            position.held[doc] = True


def is_torn(position: Position, direction: Direction) -> bool:
    """Whether a document that must be held would leave all the same: the system is singular.

    With leverage 1 its residual is λ₁ times its speed, but for what the straight part of the loss
    adds; so on the upper border, where the residual is 0, it stands still.
    """
    if not position.held.any():
        return False
    docs = np.flatnonzero(position.held)
    outward = np.sign(position.margins[docs]) * direction.speeds[docs]
    return bool((outward * position.l1 > STILL).any())


@njit(nogil=True, cache=True)
def _gap(margin: float, speed: float, part: int, lower: float, upper: float) -> float:
    """Distance to the border ahead; infinite where there is none."""
    if part == ZERO:
        return max(margin - upper, 0.0) if speed < 0.0 else np.inf
    if part == LINEAR:
        return max(lower - margin, 0.0) if speed > 0.0 else np.inf
    return max(upper - margin if speed > 0.0 else margin - lower, 0.0)


@njit(nogil=True, cache=True)
def _first(
    margins: Floats,
    speeds: Floats,
    parts: Parts,
    held: Flags,
    lower: float,
    upper: float,
    slow: float,
) -> float:
    """The smallest step to a border. Most documents are far from any, and that is asked first."""
    first = np.inf
    for doc in range(margins.size):
        margin, speed = margins[doc], abs(speeds[doc])
        reach = first * speed + PAST
        if abs(margin - upper) > reach and abs(margin - lower) > reach:
            continue
        if speed > slow and not held[doc]:
            first = min(first, _gap(margin, speeds[doc], parts[doc], lower, upper) / speed)
    return first


@njit(nogil=True, cache=True)
def _due(
    margins: Floats,
    speeds: Floats,
    parts: Parts,
    held: Flags,
    lower: float,
    upper: float,
    slow: float,
    until: float,
) -> Places:
    """Documents that come to a border in a step up to `until`, which is finite."""
    found = []
    for doc in range(margins.size):
        margin, speed = margins[doc], abs(speeds[doc])
        reach = until * speed
        if abs(margin - upper) > reach + PAST and abs(margin - lower) > reach + PAST:
            continue
        if speed > slow and not held[doc]:
            gap = _gap(margin, speeds[doc], parts[doc], lower, upper)
            if gap <= reach:
                found.append(doc)
    return np.array(found, dtype=np.int64)
