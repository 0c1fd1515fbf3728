"""Types of arrays and of decisions, each named once; read-only arrays."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Int8s: TypeAlias = NDArray[np.int8]
Int32s: TypeAlias = NDArray[np.int32]
Int64s: TypeAlias = NDArray[np.int64]
# Indices of a scipy sparse array, which are of either kind.
Ints: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Integers: TypeAlias = NDArray[np.integer[Any]]
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any
# Numbers of rows or columns of a matrix, and those of columns.
Indices: TypeAlias = NDArray[np.intp]
Columns: TypeAlias = NDArray[np.intp]
# How decisions become predictions, see `laconic.model`.
Rule: TypeAlias = Literal["sign", "argmax", "labels"]


def frozen(values: ArrayLike, dtype: type) -> NDArray[Any]:
    """A read-only copy: values are shared between models and must not change."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


# How many features a model is asked to have: a number, or a share of all.
Size: TypeAlias = int | float
