"""What counts as a number, a whole number, a share and a choice."""

from __future__ import annotations

import numpy as np
import pytest

from laconic.errors import LaconicError
from laconic.validation import check_choice, is_non_negative, is_number, is_share, is_whole

NO_NUMBERS = (True, False, np.True_, None, "1", [1], 1j, np.complex128(1))


@pytest.mark.parametrize("value", NO_NUMBERS, ids=repr)
def test_what_is_no_number(value):
    assert not is_number(value)
    assert not is_whole(value, 0)
    assert not is_share(value)
    assert not is_non_negative(value)


@pytest.mark.parametrize("kind", [int, float, np.int32, np.uint8, np.float32, np.float64])
def test_numbers_of_python_and_numpy(kind):
    assert is_number(kind(2))
    assert is_non_negative(kind(0))
    assert is_whole(kind(2), 2) == np.issubdtype(kind, np.integer)
    assert not is_whole(kind(2), 3)


def test_limits():
    shares = {0: False, 1e-9: True, 0.5: True, 1.0: False, 2: False, np.nan: False}
    assert {value: is_share(value) for value in shares} == shares
    finite = {-1e-9: False, 0.5: True, 1e308: True, np.inf: False, np.nan: False}
    assert {value: is_non_negative(value) for value in finite} == finite
    assert is_number(np.nan)


def test_choices():
    check_choice("bias", None, ("always", None))
    with pytest.raises(LaconicError, match=r"^bias='never': choose from always, None$"):
        check_choice("bias", "never", ("always", None))
