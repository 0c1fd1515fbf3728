"""Clusters of dask.distributed (`pip install laconic[cluster]`): `connected`, and `DaskEngine`.

The scheduler and the workers run Laconic's functions; data passes through a folder that all of them
see. Nothing here is imported unless a cluster is used.
"""

from laconic.cluster.connection import connected
from laconic.cluster.dask_engine import DaskEngine

__all__ = ["DaskEngine", "connected"]
