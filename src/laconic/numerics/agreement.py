"""How alike two machines are: their weights, and the documents that support them.

Kołcz & Chowdhury 2007, figures 3 and 4. Weights are compared on the words that both keep: give
these only. Of support vectors, `full` marks those of the machine over all words, `small` those of
a machine over fewer. A number that would be 0/0 is NaN.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

NAN = float("nan")


def cosine(w: Floats, w_small: Floats) -> float:
    """Of the angle between two weight vectors; NaN where one of them is zero."""
    if not (w.any() and w_small.any()):
        return NAN
    return float(np.clip(_unit(w) @ _unit(w_small), -1.0, 1.0))


def pearson(w: Floats, w_small: Floats) -> float:
    """Correlation of two weight vectors; NaN where one of them is constant."""
    if not (_varies(w) and _varies(w_small)):
        return NAN
    return cosine(_centred(w), _centred(w_small))


def overlap(full: Flags, small: Flags) -> float:
    """Shared support vectors in those of either: |A ∩ B| / |A ∪ B|."""
    return _share(full & small, full | small)


def containment(full: Flags, small: Flags) -> float:
    """Shared support vectors in those of the small machine: |A ∩ B| / |B|."""
    return _share(full & small, small)


def recall(full: Flags, small: Flags) -> float:
    """Shared support vectors in those of the full machine: |A ∩ B| / |A|."""
    return _share(full & small, full)


def _share(part: Flags, whole: Flags) -> float:
    n_whole = np.count_nonzero(whole)
    return float(np.count_nonzero(part) / n_whole) if n_whole else NAN


def _unit(w: Floats) -> Floats:
    # by the largest first, lest a square overflow or vanish
    scaled = w / np.abs(w).max()
    return np.asarray(scaled / np.sqrt(scaled @ scaled))


def _varies(w: Floats) -> bool:
    # not by the variance: rounding gives that of a constant vector some dust
    return bool(w.size and (w != w[0]).any())


def _centred(w: Floats) -> Floats:
    scaled = w / np.abs(w).max()
    return np.asarray(scaled - scaled.mean())
