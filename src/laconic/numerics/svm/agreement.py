"""Similarity of two SVMs: of their weights and of their support vectors.

Kołcz & Chowdhury 2007, figures 3 and 4. Pass only the weights of words that both SVMs have. `full`
marks the support vectors of the SVM over all words, `small` those of an SVM over fewer words. A
value that would be 0/0 is NaN.
"""

from __future__ import annotations

import numpy as np

from laconic.types import Bools, Floats

NAN = float("nan")


def cosine(w: Floats, w_small: Floats) -> float:
    """Cosine of the angle between two weight vectors; NaN if one of them is zero."""
    if not (w.any() and w_small.any()):
        return NAN
    return float(np.clip(_unit(w) @ _unit(w_small), -1.0, 1.0))


def pearson(w: Floats, w_small: Floats) -> float:
    """Correlation of two weight vectors; NaN if one of them is constant."""
    if not (_varies(w) and _varies(w_small)):
        return NAN
    return cosine(_centred(w), _centred(w_small))


def overlap(full: Bools, small: Bools) -> float:
    """Shared support vectors as a share of those of either SVM: |A ∩ B| / |A ∪ B|."""
    return _share(full & small, full | small)


def containment(full: Bools, small: Bools) -> float:
    """Shared support vectors as a share of those of the small SVM: |A ∩ B| / |B|."""
    return _share(full & small, small)


def recall(full: Bools, small: Bools) -> float:
    """Shared support vectors as a share of those of the full SVM: |A ∩ B| / |A|."""
    return _share(full & small, full)


def _share(part: Bools, whole: Bools) -> float:
    n_whole = np.count_nonzero(whole)
    return float(np.count_nonzero(part) / n_whole) if n_whole else NAN


def _unit(w: Floats) -> Floats:
    # divided by the largest first, so no square overflows or underflows
    scaled = w / np.abs(w).max()
    return np.asarray(scaled / np.sqrt(scaled @ scaled))


def _varies(w: Floats) -> bool:
    # not by the variance, which rounding makes nonzero for a constant vector
    return bool(w.size and (w != w[0]).any())


def _centred(w: Floats) -> Floats:
    scaled = w / np.abs(w).max()
    return np.asarray(scaled - scaled.mean())
