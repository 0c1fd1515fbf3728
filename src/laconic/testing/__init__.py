"""Checks for custom reducers, path classifiers, executors and engines.

Each raises AssertionError with the reason.

from laconic.testing import check_reducer
check_reducer(MyReducer(), X, y)
"""

from laconic.testing.blocks import check_blocks
from laconic.testing.estimators import check_path, check_reducer
from laconic.testing.executors import check_executor

__all__ = ["check_blocks", "check_executor", "check_path", "check_reducer"]
