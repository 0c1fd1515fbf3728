"""The numbers of a model as a file stores them: floats, or whole multiples of a scale per row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.runtime.choices import Storage
from laconic.runtime.decisions import Coefficients, KernelDecision
from laconic.runtime.runtime_model import RuntimeModel
from laconic.runtime.stored_arrays import LOW_STEPS
from laconic.types import Floats, Int16s, Ints

# The largest multiple of a scale, for the storages that have scales. Of the test predictions of
# 20 Newsgroups up to 0.08 % change with 1023, and up to 0.13 % with 511.
LARGEST_MULTIPLE: dict[Storage, int] = {"int8": 127, "int16": 128 * LOW_STEPS - 1}
# A smaller scale would have fewer digits than others, and values would change at the next rounding.
SMALLEST_SCALE = np.finfo(np.float32).tiny


def multiples(
    values: Floats, rows: Ints, n_rows: int, largest: int
) -> tuple[Int16s, NDArray[np.float32]]:
    """Each value as a multiple of the scale of its row, and the scales.

    The scale of a row is its largest absolute value divided by `largest`, as float32. Multiples of
    a float32 are exact in float64, so values that were rounded once are not changed again.
    """
    extents = np.zeros(n_rows)
    np.maximum.at(extents, rows, np.abs(values))
    scales = (extents / largest).astype(np.float32)
    scales[scales < SMALLEST_SCALE] = 0
    divisors = np.where(scales > 0, scales, np.inf).astype(np.float64)
    quotients = np.rint(values / divisors[rows])
    return np.clip(quotients, -largest, largest).astype(np.int16), scales


def stored_coefficients(values: Floats, rows: Ints, n_rows: int, storage: Storage) -> Floats:
    """The coefficients as a file has them."""
    if storage in LARGEST_MULTIPLE:
        whole, scales = multiples(values, rows, n_rows, LARGEST_MULTIPLE[storage])
        return whole * scales.astype(np.float64)[rows]
    return stored_numbers(values, storage)


def stored_numbers(values: Any, storage: Storage) -> Floats:
    """Numbers beside the coefficients as a file has them."""
    kind = np.float64 if storage == "float64" else np.float32
    return np.asarray(values, dtype=kind).astype(np.float64)


def stored(model: LinearModel, storage: Storage) -> LinearModel:
    """The model as it is read from a file with this storage.

    Parameters
    ----------
    model : LinearModel
    storage : "float64", "float32", "int16" or "int8"

    Returns
    -------
    LinearModel
        Its decisions are those of the file, in Python and in a page.
    """
    check_storage(storage)
    coef = csr_array(model.coef)
    n_rows = coef.shape[0]
    rows = np.repeat(np.arange(n_rows), np.diff(coef.indptr))
    values = stored_coefficients(coef.data, rows, n_rows, storage)
    thresholds, calibration = (
        None if numbers is None else stored_numbers(numbers, storage)
        for numbers in (model.thresholds, model.calibration)
    )
    return replace(
        model,
        coef=csr_array((values, coef.indices, coef.indptr), shape=coef.shape),
        intercept=stored_numbers(model.intercept, storage),
        thresholds=thresholds,
        calibration=calibration,
    )


def exact_storage(model: RuntimeModel) -> Storage:
    """The smallest storage that changes no number of the model."""
    smallest: tuple[Storage, ...] = get_args(Storage)
    return next(storage for storage in smallest if _keeps(model, storage))


def check_storage(storage: str) -> None:
    """Raise unless there is such a storage."""
    if storage not in get_args(Storage):
        choices = ", ".join(get_args(Storage))
        raise LaconicError(f"storage={storage!r}: choose from {choices}")


def _keeps(model: RuntimeModel, storage: Storage) -> bool:
    decision, others = model.model, [model.thresholds, model.calibration]
    if isinstance(decision, KernelDecision):
        if storage in LARGEST_MULTIPLE:
            return False
        others += decision.numbers
    else:
        c: Coefficients = decision.coefficients
        if not np.array_equal(stored_coefficients(c.values, c.rows, c.n_rows, storage), c.values):
            return False
        others.append(decision.intercept)
    return all(
        np.array_equal(stored_numbers(numbers, storage), numbers)
        for numbers in others
        if numbers is not None
    )
