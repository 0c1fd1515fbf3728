"""Division with 0 for a zero denominator: documents without words, classes without documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from laconic.types import Floats


def quotient(part: Any, whole: NDArray[Any]) -> Floats:
    """part / whole, and 0 where the whole is 0."""
    shape = np.broadcast_shapes(np.shape(part), whole.shape)
    ratio: Floats = np.divide(part, whole, out=np.zeros(shape), where=whole > 0)
    return ratio
