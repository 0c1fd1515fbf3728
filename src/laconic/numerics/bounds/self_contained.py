"""The largest difference between two rows that divide a document by different lengths.

The *outer* row reads the words F and divides by the length over F; the *inner* row reads S ⊆ F
and divides by the length over S. A document x ≥ 0, of length 1 over F, has a part of length c on S:
x = (c·u, √(1 − c²)·v) with unit vectors u, v ≥ 0. The inner row sees u, the outer one x. With
coefficients w̃ and w, Proposition 15 of `docs/certificates.md` says that the supremum of
w̃'u − w'x, over these documents and the one without any word of F, is

    max(0, max over c in [0, 1] of N(c) + √(1 − c²)·r),   N(c) = ‖(w̃ − c·w_S)₊‖,

where r is the largest −w'v: ‖(−w)₊‖ over F without S, or the largest entry of −w there if none is
positive. If S = F, only c = 1 exists.

N is convex. On an interval it is below its chord, and chord + r·√(1 − c²) has its maximum in closed
form: a bound on the interval. Intervals are split until no bound exceeds the best value attained
by more than TIGHT of the scale, so the result is never too small.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from laconic.numerics.bounds.suprema import ROUNDING
from laconic.types import Floats

# How far the result may exceed the supremum, relative to the lengths of the coefficients.
TIGHT = 1e-9
# An interval is split within this share of its width from either end.
LEAST_PART = 0.1
# Intervals that wait: more than the splits from [0, 1] to a width of TIGHT, where N and its chord
# differ by less than TIGHT of ‖w_S‖. Beyond that there is only rounding, and no interval is split.
MAX_WAITING = 256


def with_negatives(row: Floats) -> Floats:
    """The row for documents of any sign: each word once more, with the opposite sign."""
    return np.concatenate([row, -row])


def unit_reach(row: Floats) -> float:
    """The largest product with a unit vector v ≥ 0; −∞ if there are no words."""
    most = float(row.max(initial=-np.inf))
    return float(np.linalg.norm(np.maximum(row, 0.0))) if most > 0 else most


def split_reach(inner: Floats, outer: Floats, rest: Floats) -> float:
    """The supremum of inner − outer over documents without negative entries, rounded upwards.

    Parameters
    ----------
    inner, outer : arrays of shape (n_selected,)
        The coefficients of both rows on the words S.
    rest : array
        Those of the outer row on its other words.
    """
    scale = math.hypot(_length(inner), _length(outer), _length(rest))
    if not math.isfinite(scale):
        return math.inf
    if rest.size:
        most = _largest(inner, outer, unit_reach(-rest), TIGHT * scale)
    else:
        most = _positive_length(inner, outer, 1.0)
    return max(most, 0.0) + ROUNDING * scale


def _length(row: Floats) -> float:
    with np.errstate(over="ignore"):
        return float(np.linalg.norm(row))


@njit(nogil=True, cache=True)
def _positive_length(inner: Floats, outer: Floats, c: float) -> float:
    """N(c)."""
    total = 0.0
    for word in range(inner.size):
        entry = max(inner[word] - c * outer[word], 0.0)
        total += entry * entry
    return math.sqrt(total)


@njit(nogil=True, cache=True)
def _rest(c: float) -> float:
    """√(1 − c²)."""
    return math.sqrt(max((1.0 - c) * (1.0 + c), 0.0))


@njit(nogil=True, cache=True)
def _peak(low: float, high: float, at_low: float, at_high: float, r: float) -> tuple[float, float]:
    """Where chord + r·√(1 − c²) is largest on an interval, and its value there."""
    slope = (at_high - at_low) / (high - low)
    c = low if at_low + r * _rest(low) > at_high + r * _rest(high) else high
    if r > 0.0:
        c = min(max(slope / math.hypot(slope, r), low), high)
    return c, at_low + slope * (c - low) + r * _rest(c)


@njit(nogil=True, cache=True)
def _largest(inner: Floats, outer: Floats, r: float, tight: float) -> float:
    """An upper bound of N(c) + r·√(1 − c²) over [0, 1], at most `tight` above its maximum."""
    waiting = np.empty((MAX_WAITING, 4))
    waiting[0] = 0.0, 1.0, _positive_length(inner, outer, 0.0), _positive_length(inner, outer, 1.0)
    n_waiting = 1
    best = max(waiting[0, 2] + r, waiting[0, 3])
    most = best
    while n_waiting:
        n_waiting -= 1
        low, high, at_low, at_high = waiting[n_waiting]
        c, bound = _peak(low, high, at_low, at_high, r)
        if bound > best + tight:
            best = max(best, _positive_length(inner, outer, c) + r * _rest(c))
        if bound <= best + tight or n_waiting + 2 > MAX_WAITING:
            most = max(most, bound)
            continue
        margin = LEAST_PART * (high - low)
        middle = min(max(c, low + margin), high - margin)
        at_middle = _positive_length(inner, outer, middle)
        best = max(best, at_middle + r * _rest(middle))
        waiting[n_waiting] = low, middle, at_low, at_middle
        waiting[n_waiting + 1] = middle, high, at_middle, at_high
        n_waiting += 2
    return float(max(most, best))
