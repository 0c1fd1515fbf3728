"""The literature's names of methods, as recipes: `DF`, `IG[combine=max]`, `SS[rank=10]`."""

from laconic.methods.method import Method
from laconic.methods.naming import keeps_all, method_called, methods_called, projects
from laconic.methods.recipes import METHODS

__all__ = ["METHODS", "Method", "keeps_all", "method_called", "methods_called", "projects"]
