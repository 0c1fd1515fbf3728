"""The memory that a piece of work takes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """A function that tells the most memory this process has held since, in bytes.

    Linux can forget the peak so far; elsewhere it is that of the process's whole life.
    """
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")
        status.read_text()
    except OSError:
        yield _life_peak
        return

    def peak() -> int | None:
        lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(lines[0].split()[1]) * 1024 if lines else None

    yield peak


def _life_peak() -> int | None:
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
