"""The resources of this process: its peak memory, the limit of it, and the CPUs it may use."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

CONTROL_GROUPS = Path("/sys/fs/cgroup")
# elsewhere the kernel does not enforce the limit
CAN_LIMIT_MEMORY = sys.platform == "linux"


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


def memory_now() -> int:
    """The memory of this process in bytes; where it is unknown, its peak, else 0."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return _process_peak() or 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def memory_of_machine() -> int | None:
    """The memory of this machine in bytes, if it is known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def free_memory() -> int:
    """The memory that can still be allocated, in bytes, within the limit of a container.

    Where the system does not say, half of the machine's memory, or 2 GB.
    """
    amounts = (_available_memory(), _memory_of_container())
    machine = memory_of_machine() or 4 * 10**9
    return min((amount for amount in amounts if amount is not None), default=machine // 2)


def _available_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    available = [line for line in lines if line.startswith("MemAvailable:")]
    return int(available[0].split()[1]) * 1024 if available else None


def _memory_of_container() -> int | None:
    """What is left of the limit of this process's control group, if it has one."""
    for limit, usage, unused_files in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
    ):
        with suppress(OSError, ValueError):
            left = int((CONTROL_GROUPS / limit).read_text())
            with suppress(OSError, ValueError):
                left -= int((CONTROL_GROUPS / usage).read_text())
                left += _statistic((CONTROL_GROUPS / usage).parent / "memory.stat", unused_files)
            return max(0, left)
    return None


def _statistic(file: Path, name: str) -> int:
    """A number of memory.stat. The kernel takes pages of unused files back when it needs them."""
    lines = map(str.split, file.read_text().splitlines())
    return sum(int(value) for key, value in lines if key == name)


def _process_peak() -> int | None:
    if resource is None:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)


def limit_memory(n_bytes: int) -> None:
    """Let allocations beyond this limit raise MemoryError; shared files do not count.

    A lower limit that the process has already stays.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def memory_limit() -> int | None:
    """The limit of this process in bytes; None if there is none."""
    if not CAN_LIMIT_MEMORY:
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if limit == resource.RLIM_INFINITY else limit


def usable_cpus() -> int:
    """The CPUs that this process may use: a container or scheduler may allow fewer than exist."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
