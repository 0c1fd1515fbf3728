"""Means over folds with confidence limits, and checks of their input.

Folds share most of their training documents: `test_share` accounts for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from laconic.errors import LaconicError
from laconic.types import Floats
from laconic.validation import is_share


class Interval(NamedTuple):
    """A mean with its confidence limits, which are NaN for a single value."""

    mean: float
    low: float
    high: float


def interval(
    values: ArrayLike, level: float = 0.95, *, test_share: float | None = None
) -> Interval:
    """The mean of folds (or draws) with its t-interval.

    `test_share` = n_test / n_train widens it for folds that share training documents, as in
    `paired_t`. A single value has a mean without limits (NaN); no value has no mean either.
    """
    check_share(test_share)
    check_level(level)
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
    """The interval over folds that each have several draws.

    folds : the values of each fold's draws: an array (n_folds, n_draws), or lists of any length

    Draws of one fold share all their documents, so they are averaged first: only folds count as
    samples, and more draws do not make the interval narrower.
    """
    runs = [finite("band", "a fold", numbers("band", "a fold", fold)) for fold in folds]
    if not all(len(run) for run in runs):
        raise LaconicError("band: a fold has no values. Give at least one draw per fold")
    return interval([run.mean() for run in runs], level, test_share=test_share)


def mean_scale(n: int, test_share: float | None) -> float:
    """Standard error of a mean divided by the standard deviation; see `paired_t`."""
    return float(np.sqrt(1 / n + (test_share or 0)))


def check_level(level: float) -> None:
    if not is_share(level):
        raise LaconicError(f"level={level}: must be between 0 and 1, such as 0.95")


def check_share(test_share: float | None) -> None:
    if test_share is not None and not 0 < test_share < np.inf:
        raise LaconicError(
            f"test_share={test_share}: must be n_test / n_train of a fold, a positive number. "
            "Give 1/9 for 10 folds, or None for independent samples"
        )


def numbers(function: str, parameter: str, values: ArrayLike) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise LaconicError(f"{function}: {parameter} must be numbers: {error}") from error
    if array.ndim != 1:
        raise LaconicError(
            f"{function}: {parameter} must have one dimension, but its shape is {array.shape}. "
            "Give one number per measurement"
        )
    return array


def finite(function: str, parameter: str, array: Floats) -> Floats:
    if not np.isfinite(array).all():
        where = np.flatnonzero(~np.isfinite(array))
        raise LaconicError(
            f"{function}: {parameter} must be finite, but {len(where)} of {len(array)} are not, "
            f"the first at {where[0]}. Leave out pairs that were not measured, or measure them"
        )
    return array
