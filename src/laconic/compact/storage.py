"""The numbers of a model as a file stores them: float64, float32, or int8 with a scale per row."""

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
from laconic.types import Floats, Int8s, Ints

# The largest multiple of a scale.
LARGEST_MULTIPLE = 127


def multiples(values: Floats, rows: Ints, n_rows: int) -> tuple[Int8s, NDArray[np.float32]]:
    """Each value as a multiple of the scale of its row, and the scales.

    The scale of a row is its largest absolute value divided by 127, as float32. Multiples of a
    float32 are exact in float64, so values that were rounded once are not changed again.
    """
    largest = np.zeros(n_rows)
    np.maximum.at(largest, rows, np.abs(values))
    scales = (largest / LARGEST_MULTIPLE).astype(np.float32)
    divisors = np.where(scales > 0, scales, 1.0).astype(np.float64)
    quotients = np.rint(values / divisors[rows])
    return np.clip(quotients, -LARGEST_MULTIPLE, LARGEST_MULTIPLE).astype(np.int8), scales


def stored_coefficients(values: Floats, rows: Ints, n_rows: int, storage: Storage) -> Floats:
    """The coefficients as a file has them."""
    if storage == "int8":
        whole, scales = multiples(values, rows, n_rows)
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
    storage : "float64", "float32" or "int8"

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
        if storage == "int8":
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
