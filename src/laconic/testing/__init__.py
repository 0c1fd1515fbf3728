"""Checks for custom reducers, path classifiers, executors and engines.

Each raises AssertionError with the reason.

from laconic.testing import check_reducer
check_reducer(MyReducer(), X, y)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.testing.blocks import check_blocks as check_blocks
    from laconic.testing.estimators import check_path as check_path
    from laconic.testing.estimators import check_reducer as check_reducer
    from laconic.testing.executors import check_executor as check_executor

# Imported on first use: processes that `check_blocks` starts need not wait for scikit-learn.
_MODULE_OF = {
    "check_blocks": "laconic.testing.blocks",
    "check_executor": "laconic.testing.executors",
    "check_path": "laconic.testing.estimators",
    "check_reducer": "laconic.testing.estimators",
}

__all__ = [*_MODULE_OF]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
