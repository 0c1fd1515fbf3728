"""Read-only arrays: values are shared between models and must not change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(values: ArrayLike, dtype: type) -> NDArray[Any]:
    """A read-only copy."""
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array
