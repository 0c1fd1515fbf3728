"""Labels as ±1 from the members of classes."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from laconic.types import Floats


def signed(members: csr_array) -> Floats:
    """+1 for members of a column, else -1."""
    y_signed = np.full(members.shape, -1.0)
    y_signed[np.repeat(np.arange(members.shape[0]), np.diff(members.indptr)), members.indices] = 1.0
    return y_signed
