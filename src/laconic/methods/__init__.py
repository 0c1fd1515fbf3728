"""Methods by their names in the literature: `DF`, `IG:combine=max`, `SS:rank=10+svm`."""

from laconic.methods.method import Method
from laconic.methods.naming import (
    base_name,
    is_blend,
    keeps_all,
    parse_method,
    parse_methods,
    projects,
)
from laconic.methods.recipes import METHODS

__all__ = [
    "METHODS",
    "Method",
    "base_name",
    "is_blend",
    "keeps_all",
    "parse_method",
    "parse_methods",
    "projects",
]
