"""Every method turns one training set into a family of linear models, one for each size; the study
measures them.

    corpus = load_corpus("tickets.csv", label="queue")
    problem = make_problem(corpus)
    print(curve(ReduceThenFit(), problem, [10, 100, 1000]).values("accuracy"))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# The module of each public name. Names are imported on first use: `laconic --help` does not wait
# for scikit-learn.
_MODULE_OF = {
    "BSS": "laconic.selectors.bss",
    "CentroidClassifier": "laconic.classifiers.centroid",
    "Certificate": "laconic.certificate",
    "CompactModel": "laconic.compact",
    "Corpus": "laconic.corpus.corpus",
    "GaussianSVM": "laconic.classifiers.kernel",
    "LDA": "laconic.projections.lda",
    "LSI": "laconic.projections.lsi",
    "LarsClassifier": "laconic.classifiers.lars.classifier",
    "LinearModel": "laconic.model",
    "MaskedSVM": "laconic.classifiers.masked.classifier",
    "Plan": "laconic.studies.plan",
    "Problem": "laconic.text.problem",
    "Projection": "laconic.reduction",
    "RLSClassifier": "laconic.classifiers.ridge",
    "RRQR": "laconic.selectors.rrqr",
    "RandomProjection": "laconic.projections.random",
    "SVMClassifier": "laconic.classifiers.svm",
    "SampledTerms": "laconic.selectors.sampled",
    "Study": "laconic.studies.study",
    "SubspaceSampling": "laconic.selectors.sampled",
    "certify": "laconic.certificate",
    "Ranking": "laconic.reduction",
    "ReduceThenFit": "laconic.classifiers.reduce_then_fit",
    "Selection": "laconic.reduction",
    "TopTerms": "laconic.selectors.top",
    "Vectorizer": "laconic.text.vectorizer",
    "Weighting": "laconic.text.weighting",
    "curve": "laconic.curves",
    "load_corpus": "laconic.corpus.loading",
    "make_problem": "laconic.text.problem",
    "make_problems": "laconic.text.problem",
}
_MODULES = ("scores", "testing")

__all__ = [
    "BSS",
    "LDA",
    "LSI",
    "RRQR",
    "CentroidClassifier",
    "Certificate",
    "CompactModel",
    "Corpus",
    "GaussianSVM",
    "LarsClassifier",
    "LinearModel",
    "MaskedSVM",
    "Plan",
    "Problem",
    "Projection",
    "RLSClassifier",
    "RandomProjection",
    "Ranking",
    "ReduceThenFit",
    "SVMClassifier",
    "SampledTerms",
    "Selection",
    "Study",
    "SubspaceSampling",
    "TopTerms",
    "Vectorizer",
    "Weighting",
    "certify",
    "curve",
    "load_corpus",
    "make_problem",
    "make_problems",
    "scores",
    "testing",
]

if TYPE_CHECKING:
    from laconic import scores, testing
    from laconic.certificate import Certificate, certify
    from laconic.classifiers.centroid import CentroidClassifier
    from laconic.classifiers.kernel import GaussianSVM
    from laconic.classifiers.lars.classifier import LarsClassifier
    from laconic.classifiers.masked.classifier import MaskedSVM
    from laconic.classifiers.reduce_then_fit import ReduceThenFit
    from laconic.classifiers.ridge import RLSClassifier
    from laconic.classifiers.svm import SVMClassifier
    from laconic.compact import CompactModel
    from laconic.corpus.corpus import Corpus
    from laconic.corpus.loading import load_corpus
    from laconic.curves import curve
    from laconic.model import LinearModel
    from laconic.projections.lda import LDA
    from laconic.projections.lsi import LSI
    from laconic.projections.random import RandomProjection
    from laconic.reduction import Projection, Ranking, Selection
    from laconic.selectors.bss import BSS
    from laconic.selectors.rrqr import RRQR
    from laconic.selectors.sampled import SampledTerms, SubspaceSampling
    from laconic.selectors.top import TopTerms
    from laconic.studies.plan import Plan
    from laconic.studies.study import Study
    from laconic.text.problem import Problem, make_problem, make_problems
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"laconic.{name}")
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'laconic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
