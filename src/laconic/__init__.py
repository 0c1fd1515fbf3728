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
    "LDA": "laconic.projections.lda",
    "LSI": "laconic.projections.lsi",
    "RRQR": "laconic.selectors.rrqr",
    "BlendClassifier": "laconic.classifiers.blend",
    "CentroidClassifier": "laconic.classifiers.centroid",
    "Certificate": "laconic.certificate",
    "CompactModel": "laconic.compact",
    "Corpus": "laconic.corpus.corpus",
    "GaussianSVM": "laconic.classifiers.kernel",
    "JointSelection": "laconic.selectors.joint",
    "LarsClassifier": "laconic.classifiers.lars.classifier",
    "LinearModel": "laconic.model",
    "LogisticClassifier": "laconic.classifiers.logistic",
    "MaskedSVM": "laconic.classifiers.masked.classifier",
    "Plan": "laconic.studies.plan",
    "Problem": "laconic.text.problem",
    "Projection": "laconic.reduction",
    "RLSClassifier": "laconic.classifiers.ridge",
    "RandomProjection": "laconic.projections.random",
    "Ranking": "laconic.reduction",
    "ReduceThenFit": "laconic.classifiers.reduce_then_fit",
    "SVMClassifier": "laconic.classifiers.svm",
    "SampledTerms": "laconic.selectors.sampled",
    "Selection": "laconic.reduction",
    "Study": "laconic.studies.study",
    "SubspaceSampling": "laconic.selectors.sampled",
    "TopTerms": "laconic.selectors.top",
    "Vectorizer": "laconic.text.vectorizer",
    "Weighting": "laconic.text.weighting",
    "certify": "laconic.certificate",
    "curve": "laconic.curves",
    "load_corpus": "laconic.corpus.loading",
    "make_problem": "laconic.text.problem",
    "make_problems": "laconic.text.problem",
}
_MODULES = ("scores", "testing")

__all__ = [*_MODULE_OF, *_MODULES]

if TYPE_CHECKING:
    from laconic import scores as scores
    from laconic import testing as testing
    from laconic.certificate import Certificate as Certificate
    from laconic.certificate import certify as certify
    from laconic.classifiers.blend import BlendClassifier as BlendClassifier
    from laconic.classifiers.centroid import CentroidClassifier as CentroidClassifier
    from laconic.classifiers.kernel import GaussianSVM as GaussianSVM
    from laconic.classifiers.lars.classifier import LarsClassifier as LarsClassifier
    from laconic.classifiers.logistic import LogisticClassifier as LogisticClassifier
    from laconic.classifiers.masked.classifier import MaskedSVM as MaskedSVM
    from laconic.classifiers.reduce_then_fit import ReduceThenFit as ReduceThenFit
    from laconic.classifiers.ridge import RLSClassifier as RLSClassifier
    from laconic.classifiers.svm import SVMClassifier as SVMClassifier
    from laconic.compact import CompactModel as CompactModel
    from laconic.corpus.corpus import Corpus as Corpus
    from laconic.corpus.loading import load_corpus as load_corpus
    from laconic.curves import curve as curve
    from laconic.model import LinearModel as LinearModel
    from laconic.projections.lda import LDA as LDA
    from laconic.projections.lsi import LSI as LSI
    from laconic.projections.random import RandomProjection as RandomProjection
    from laconic.reduction import Projection as Projection
    from laconic.reduction import Ranking as Ranking
    from laconic.reduction import Selection as Selection
    from laconic.selectors.bss import BSS as BSS
    from laconic.selectors.joint import JointSelection as JointSelection
    from laconic.selectors.rrqr import RRQR as RRQR
    from laconic.selectors.sampled import SampledTerms as SampledTerms
    from laconic.selectors.sampled import SubspaceSampling as SubspaceSampling
    from laconic.selectors.top import TopTerms as TopTerms
    from laconic.studies.plan import Plan as Plan
    from laconic.studies.study import Study as Study
    from laconic.text.problem import Problem as Problem
    from laconic.text.problem import make_problem as make_problem
    from laconic.text.problem import make_problems as make_problems
    from laconic.text.vectorizer import Vectorizer as Vectorizer
    from laconic.text.weighting import Weighting as Weighting


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"laconic.{name}")
    if name in _MODULE_OF:
        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'laconic' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
