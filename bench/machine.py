"""The machine and versions of a benchmark: all that a ratio may depend on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from threadpoolctl import threadpool_info

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Those that are not installed are skipped, and the page says so.
PEERS = ("celer", "skglm", "mrmr-selection", "abess")
HERE = Path(__file__).parent


def described() -> str:
    """The machine, the versions, the day and the threads, as part of a sentence."""
    day, cpus = f"{datetime.now(UTC):%Y-%m-%d}", f"{os.cpu_count()} CPUs"
    return (
        f"{day} on {cpu()}, {cpus}, {memory()}; {versions()}; "
        f"Laconic at {commit()}; {blas_threads()}"
    )


def cpu() -> str:
    return _field("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()


def memory() -> str:
    kilobytes = re.match(r"\d+", _field("/proc/meminfo", "MemTotal"))
    return f"{int(kilobytes[0]) / 1024**2:.0f} GB" if kilobytes else "unknown memory"


def _field(where: str, name: str) -> str:
    """The first value of this name in a Linux file, or an empty string."""
    try:
        lines = Path(where).read_text().splitlines()
    except OSError:
        return ""
    values = (line.partition(":")[2].strip() for line in lines if line.startswith(name))
    return next(values, "")


def versions() -> str:
    return ", ".join([f"Python {platform.python_version()}", *map(_version, (*PACKAGES, *PEERS))])


def _version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"no {package}"


def commit() -> str:
    """The short hash, with "-dirty" if files have changed."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        process = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "an unknown commit"
    return process.stdout.strip()


def blas_threads() -> str:
    pools = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    most = max(pools, default=1)
    return "1 BLAS thread" if most == 1 else f"{most} BLAS threads"
