"""One file per paper: reference, notation, recipes, the experiments of its figures, deviations."""

from laconic.papers import dasgupta2007, keerthi2005, kolcz2007, paul2014, torkkola

PAPERS = {
    "dasgupta2007": dasgupta2007,
    "keerthi2005": keerthi2005,
    "kolcz2007": kolcz2007,
    "paul2014": paul2014,
    "torkkola": torkkola,
}

__all__ = ["PAPERS", "dasgupta2007", "keerthi2005", "kolcz2007", "paul2014", "torkkola"]
