"""What a parameter may be. A bool is no number, though Python counts it as one."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeGuard

import numpy as np

from laconic.errors import LaconicError


def is_number(value: object) -> TypeGuard[float]:
    """Whether the value is a real number, of Python or numpy."""
    numbers = int | float | np.integer | np.floating
    return isinstance(value, numbers) and not isinstance(value, bool)


def is_whole(value: object, least: int) -> TypeGuard[int]:
    """Whether the value is a whole number of at least `least`."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        return False
    return int(value) >= least


def is_share(value: object) -> TypeGuard[float]:
    """Whether the value is a number strictly between 0 and 1."""
    return is_number(value) and 0 < value < 1


def is_non_negative(value: object) -> TypeGuard[float]:
    """Whether the value is a finite number of at least 0."""
    return is_number(value) and 0 <= value < np.inf


def check_choice(name: str, value: object, choices: Collection[object]) -> None:
    """Raise unless the value of the parameter is one of the choices."""
    if value not in choices:
        raise LaconicError(f"{name}={value!r}: choose from {', '.join(map(str, choices))}")
