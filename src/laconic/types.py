"""Types of arrays and of decisions, each named once."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]
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
