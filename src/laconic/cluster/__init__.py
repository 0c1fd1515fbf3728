"""Clusters of dask.distributed (`pip install laconic[cluster]`): `connected`, and `DaskEngine`.

The scheduler and the workers run Laconic's functions; data passes through a folder that all of them
see.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.cluster.connection import connected as connected
    from laconic.cluster.dask_engine import DaskEngine as DaskEngine

# Imported on first use: `connected` says what to install if distributed is missing.
_MODULE_OF = {
    "DaskEngine": "laconic.cluster.dask_engine",
    "connected": "laconic.cluster.connection",
}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
