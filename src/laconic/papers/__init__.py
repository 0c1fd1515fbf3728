"""One file a paper: reference, notation, recipes, the experiments of its figures, deviations."""

from laconic.papers import dasgupta2007

__all__ = ["dasgupta2007"]
