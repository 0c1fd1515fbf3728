"""The peak memory of this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def peak_memory() -> Iterator[Callable[[], int | None]]:
    """A function that returns the peak memory of this process in the block, in bytes.

    On Linux the peak can be reset; elsewhere it is that since the start of the process.
    """
    status = Path("/proc/self/status")
    try:
        Path("/proc/self/clear_refs").write_text("5")
        status.read_text()
    except OSError:
        yield _process_peak
        return

    def peak() -> int | None:
        lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(lines[0].split()[1]) * 1024 if lines else None

    yield peak


def _process_peak() -> int | None:
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
