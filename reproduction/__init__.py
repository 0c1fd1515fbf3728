"""The experiments of the five papers, one folder per paper: `experiment.py` and `statements.py`.

python -m reproduction dasgupta2007 3
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

PAPERS = ("dasgupta2007", "keerthi2005", "kolcz2007", "paul2014", "torkkola")


def experiment(paper: str) -> ModuleType:
    """The reference, the figures and the deviations of a paper; imported when it is needed."""
    return import_module(f"reproduction.{paper}.experiment")
