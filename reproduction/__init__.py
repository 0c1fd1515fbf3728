"""One file per paper: reference, notation, recipes, the experiments of its figures, deviations."""

from reproduction.dasgupta2007 import experiment as dasgupta2007
from reproduction.keerthi2005 import experiment as keerthi2005
from reproduction.kolcz2007 import experiment as kolcz2007
from reproduction.paul2014 import experiment as paul2014
from reproduction.torkkola import experiment as torkkola

PAPERS = {
    "dasgupta2007": dasgupta2007,
    "keerthi2005": keerthi2005,
    "kolcz2007": kolcz2007,
    "paul2014": paul2014,
    "torkkola": torkkola,
}

__all__ = ["PAPERS", "dasgupta2007", "keerthi2005", "kolcz2007", "paul2014", "torkkola"]
