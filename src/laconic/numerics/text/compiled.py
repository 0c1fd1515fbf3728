"""Kernels are compiled with numba if it is installed. Serving imports numba nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    from numba import njit
except ImportError:
    njit = None  # type: ignore[assignment]

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def compiled(otherwise: Callable[..., Any] | None = None) -> Callable[[Kernel], Kernel]:
    """Compile the kernel; without numba, `otherwise` takes its place, with the same results."""

    def decorate(kernel: Kernel) -> Any:
        if njit is None:
            return otherwise or kernel
        return njit(nogil=True, cache=True)(kernel)

    return decorate
