"""Means over folds with confidence limits; and how numbers of folds are read.

A fold's training documents are mostly another fold's too: `test_share` accounts for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from laconic.errors import LaconicError

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A mean with its confidence limits, which are NaN where one value has no spread."""

    mean: float
    low: float
    high: float


def interval(
    values: ArrayLike, level: float = 0.95, *, test_share: float | None = None
) -> Interval:
    """The mean of folds (or seeds) with its t-interval.

    `test_share` = n_test / n_train widens it for folds that share training documents, as in
    `paired_t`. One value has a mean without limits (NaN), none has not even a mean.
    """
    check_share(test_share)
    if not 0 < level < 1:
        raise LaconicError(f"level={level}: must lie between 0 and 1, such as 0.95")
    x = finite("interval", "values", numbers("interval", "values", values))
    if len(x) < 2:
        return Interval(float(x[0]) if len(x) else np.nan, np.nan, np.nan)
    mean = float(x.mean())
    error = float(x.std(ddof=1)) * mean_scale(len(x), test_share)
    reach = float(stats.t.ppf((1 + level) / 2, len(x) - 1)) * error
    return Interval(mean, mean - reach, mean + reach)


def band(
    folds: Iterable[ArrayLike], level: float = 0.95, *, test_share: float | None = None
) -> Interval:
    """The interval over folds that were each run with several seeds.

    folds : for each fold its seeds' values, so an array (n_folds, n_seeds), or lists of any length

    Seeds of one fold share all their documents, so they are averaged first: only folds count as
    samples, and the interval does not shrink because a fold was run again.
    """
    runs = [finite("band", "a fold", numbers("band", "a fold", fold)) for fold in folds]
    if not all(len(run) for run in runs):
        raise LaconicError("band: a fold has no values. Give at least one seed for each fold")
    return interval([run.mean() for run in runs], level, test_share=test_share)


def mean_scale(n: int, test_share: float | None) -> float:
    """Standard error of a mean over the standard deviation; see `paired_t`."""
    return float(np.sqrt(1 / n + (test_share or 0)))


def check_share(test_share: float | None) -> None:
    if test_share is not None and not 0 < test_share < np.inf:
        raise LaconicError(
            f"test_share={test_share}: must be n_test / n_train of a fold, a positive number. "
            "Give 1/9 for 10 folds, or None for independent samples"
        )


def numbers(asked: str, what: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise LaconicError(f"{asked}: {what} must be numbers: {error}") from error
    if array.ndim != 1:
        raise LaconicError(
            f"{asked}: {what} must have one dimension, but its shape is {array.shape}. "
            "Give one number for each thing that was measured"
        )
    return array


def finite(asked: str, what: str, array: Floats) -> Floats:
    if not np.isfinite(array).all():
        where = np.flatnonzero(~np.isfinite(array))
        raise LaconicError(
            f"{asked}: {what} must be finite, but {len(where)} of {len(array)} are not, the first "
            f"at {where[0]}. Leave out the pairs that were not measured, or measure them"
        )
    return array
