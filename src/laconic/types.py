"""Types of arrays, of decisions and of sizes, each named once.

Arrays are named in quotes, so that the command line need not wait for numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
Bools: TypeAlias = "NDArray[np.bool_]"
Bytes: TypeAlias = "NDArray[np.uint8]"
Int8s: TypeAlias = "NDArray[np.int8]"
Int16s: TypeAlias = "NDArray[np.int16]"
Int32s: TypeAlias = "NDArray[np.int32]"
Int64s: TypeAlias = "NDArray[np.int64]"
# Indices of a scipy sparse array, which are of either kind.
Ints: TypeAlias = "NDArray[np.int32] | NDArray[np.int64]"
Integers: TypeAlias = "NDArray[np.integer[Any]]"
# An array or a scipy sparse array; scipy has no types to say so.
Matrix: TypeAlias = Any
# Numbers of rows or columns of a matrix, and those of columns.
Indices: TypeAlias = "NDArray[np.intp]"
Columns: TypeAlias = "NDArray[np.intp]"
# How decisions become predictions, see `laconic.model`.
Rule: TypeAlias = Literal["sign", "argmax", "labels"]
# How many features a model is asked to have: a number, or a share of all.
Size: TypeAlias = int | float
# Called with how much is done and how much there is, in bytes or documents.
Progress: TypeAlias = Callable[[int, int], None]
