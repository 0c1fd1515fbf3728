"""The versions that results depend on, which must be the same on all machines of a cluster."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from laconic.errors import LaconicError

PACKAGES = "laconic", "numpy", "scipy", "scikit-learn", "numba", "PyStemmer"


@cache
def versions_here() -> dict[str, str]:
    """Of this process, by name."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {name: _installed(name) for name in PACKAGES} | {"python": python}


def check_versions(expected: Mapping[str, str], worker: str, versions: Mapping[str, str]) -> None:
    """Raise if a worker has other versions than the process that starts the work."""
    different = [name for name, there in expected.items() if versions.get(name) != there]
    if different:
        differences = ", ".join(
            f"{name} {versions.get(name, 'missing')} there and {expected[name]} here"
            for name in different
        )
        raise LaconicError(
            f"the worker {worker} has other versions: {differences}. Results could differ: install "
            "the same versions on all machines, for example from one constraints file"
        )


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
