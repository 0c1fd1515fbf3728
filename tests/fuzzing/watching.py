"""The peak memory of an action, not that of the process so far."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
BYTES_PER_BYTE, ALLOWANCE = 20, 300 << 20
# so a failure cannot exhaust the memory of the machine
CEILING = 3 << 30


class TooMuchMemoryError(AssertionError):
    """An input took more than 20 times its size and 300 MB."""


def supported() -> bool:
    return STATUS.exists() and CLEAR.exists()


def limit_memory(most: int = CEILING) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def status(field: str) -> int:
    for line in STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) << 10
    raise LookupError(field)


@contextmanager
def watched(n_bytes: int) -> Iterator[None]:
    """Raise if the block takes more memory than an input of this many bytes may take."""
    before = status("VmRSS")
    CLEAR.write_text("5")  # reset the peak
    try:
        yield
    finally:
        refuse_above(before, n_bytes)


def refuse_above(before: int, n_bytes: int) -> None:
    taken, allowed = status("VmHWM") - before, BYTES_PER_BYTE * n_bytes + ALLOWANCE
    if taken > allowed:
        raise TooMuchMemoryError(
            f"{taken >> 20} MB for {n_bytes:,} bytes of input; {allowed >> 20} MB are allowed"
        )
