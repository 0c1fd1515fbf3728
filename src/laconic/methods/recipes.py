"""The methods by name, and their recipes.

A recipe is a function whose keyword-only parameters are the settings that a name may have. It
returns a reducer, which a classifier follows; or a path classifier, which trains its own models.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

from laconic.classifiers.lars.classifier import LarsClassifier
from laconic.classifiers.lars.walk import LarsLoss, Mode
from laconic.classifiers.masked.classifier import MaskedSVM
from laconic.classifiers.masked.machine import Variant
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.svm import SVMLoss
from laconic.methods.classifiers import Balanced
from laconic.methods.method import Method
from laconic.numerics.lars.path import Bias
from laconic.projections.lda import LDA, LabelHandling
from laconic.projections.lsi import LSI
from laconic.projections.random import ProjectionKind, RandomProjection
from laconic.reducer import Reducer
from laconic.scores import (
    bi_normal_separation,
    chi_squared,
    document_frequency,
    information_gain,
    lottery,
    squared_norm,
    svm_elimination,
    svm_weight,
    uniform,
)
from laconic.scores.counts import Combine
from laconic.selectors.bss import BSS
from laconic.selectors.joint import JointSelection
from laconic.selectors.rrqr import RRQR, Beyond
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.selectors.top import TopTerms

DASGUPTA = "Dasgupta et al. 2007"
PAUL = "Paul & Drineas 2014"
KEERTHI = "Keerthi 2005"
KOLCZ = "Kołcz & Chowdhury 2007"
TORKKOLA = "Torkkola 2003"
GRAM = "a factorized Gram matrix of the documents (or words)"
PIVOTS = "one pass over the words per selected word, up to the rank"
SPECTRAL = "the top singular vectors; without rank, a Gram matrix"
TRAINING = "one SVM per class"
WARM_STARTS = "one SVM per class, and a warm start at every size"
PATH = "one path per class; memory grows with the square of the size"
# Sizes beyond those of the paper take minutes and gigabytes; `longest` raises the limit.
LONGEST = 2000
# Components of the paper's first reduction.
FIRST_COMPONENTS = 513
# The largest number of components: projections are dense, and LDA trains each block of
# classes − 1 components separately.
MAX_COMPONENTS = 1000
MAX_LDA_COMPONENTS = 128
Reg: TypeAlias = float | Literal["auto"]


def _lars(
    loss: LarsLoss,
    *,
    mode: Mode = "fast",
    refit: bool = False,
    bias: Bias = "always",
    longest: int | None = LONGEST,
) -> PathClassifier:
    return LarsClassifier(loss, mode=mode, refit=refit, bias=bias, longest=longest)


def _greedy(
    *, loss: LarsLoss = "squared_hinge", bias: Bias = "always", longest: int | None = LONGEST
) -> PathClassifier:
    return LarsClassifier(loss, mode="aggressive", bias=bias, longest=longest)


def _masked(
    variant: Variant, *, loss: SVMLoss = "hinge", weights: Balanced = None, tol: float = 1e-6
) -> PathClassifier:
    return MaskedSVM(variant, loss=loss, class_weight=weights, tol=tol)


def _repaired(
    *, loss: SVMLoss = "hinge", weights: Balanced = None, tol: float = 1e-6, epochs: int = 1
) -> PathClassifier:
    return MaskedSVM("repaired", loss=loss, class_weight=weights, tol=tol, epochs=epochs)


def _weights(*, combine: Combine = "max", loss: SVMLoss = "hinge") -> Reducer:
    return TopTerms(partial(svm_weight, combine=combine, loss=loss))


def _eliminated(*, step: float = 0.25, loss: SVMLoss = "squared_hinge") -> Reducer:
    return TopTerms(partial(svm_elimination, step=step, loss=loss))


def _joint(*, ridge: float = 1.0, batch: float = 0.15, longest: int | None = 3000) -> Reducer:
    return JointSelection(ridge, batch=batch, longest=longest)


def _all() -> Reducer:
    return TopTerms(document_frequency)


def _df() -> Reducer:
    return TopTerms(document_frequency)


def _ig(*, combine: Combine = "mean") -> Reducer:
    return TopTerms(partial(information_gain, combine=combine))


def _chi2(*, combine: Combine = "mean") -> Reducer:
    return TopTerms(partial(chi_squared, combine=combine))


def _bns(*, combine: Combine = "mean") -> Reducer:
    return TopTerms(partial(bi_normal_separation, combine=combine))


def _us(*, draw: str = "exact", random_state: int = 0) -> Reducer:
    return SampledTerms(uniform, draw=draw, random_state=random_state)


def _ws(*, draw: str = "exact", random_state: int = 0) -> Reducer:
    return SampledTerms(squared_norm, draw=draw, random_state=random_state)


def _ss(
    *,
    rank: int | float | None = None,
    ridge: float = 0.0,
    draw: str = "exact",
    random_state: int = 0,
) -> Reducer:
    return SubspaceSampling(rank=rank, ridge=ridge, draw=draw, random_state=random_state)


def _srls(*, random_state: int = 0) -> Reducer:
    return SubspaceSampling(draw="bernoulli", random_state=random_state)


def _bss(
    *, rank: int | Literal["auto"] | None = "auto", gamma: float = 0.0, repeat: float = 0.2
) -> Reducer:
    return BSS(rank, gamma=gamma, repeat=repeat)


def _random(*, random_state: int = 0) -> Reducer:
    return TopTerms(partial(lottery, random_state=random_state))


def _rrqr(*, rank: int | None = None, beyond: Beyond = "raise") -> Reducer:
    return RRQR(rank, beyond=beyond)


def _lsi(*, longest: int | None = MAX_COMPONENTS) -> Reducer:
    return LSI(longest=longest)


def _rp(
    *,
    kind: ProjectionKind = "gaussian",
    longest: int | None = MAX_COMPONENTS,
    random_state: int = 0,
) -> Reducer:
    return RandomProjection(kind=kind, longest=longest, random_state=random_state)


def _lda(
    *, reg: Reg = "auto", labels: LabelHandling = "shared", longest: int | None = MAX_LDA_COMPONENTS
) -> Reducer:
    return LDA(reg=reg, labels=labels, longest=longest)


def _lda_lsi(
    *,
    first: int = FIRST_COMPONENTS,
    reg: Reg = "auto",
    labels: LabelHandling = "shared",
    longest: int | None = MAX_LDA_COMPONENTS,
) -> Reducer:
    return LDA(LSI(first), reg=reg, labels=labels, longest=longest)


def _lda_rp(
    *,
    first: int = FIRST_COMPONENTS,
    kind: ProjectionKind = "gaussian",
    reg: Reg = "auto",
    labels: LabelHandling = "shared",
    longest: int | None = MAX_LDA_COMPONENTS,
    random_state: int = 0,
) -> Reducer:
    projection = RandomProjection(first, kind=kind, random_state=random_state)
    return LDA(projection, reg=reg, labels=labels, longest=longest)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("ALL", "every word: the baseline", "", False, _all, "none", sizes=(1.0,)),
        Method("DF", "words that occur in the most documents", DASGUPTA, False, _df),
        Method("IG", "words with the highest information gain", DASGUPTA, True, _ig),
        Method("CHI2", "words with the highest χ² statistic", "Yang & Pedersen 1997", True, _chi2),
        Method("BNS", "words with the highest bi-normal separation", "Forman 2003", True, _bns),
        Method("US", "uniform random sample of words", DASGUPTA, False, _us, "none"),
        Method("WS", "random sample of words by squared weight", DASGUPTA, False, _ws),
        Method(
            "SS",
            "random sample of words by leverage in the top-rank subspace",
            DASGUPTA,
            False,
            _ss,
            SPECTRAL,
        ),
        Method(
            "SRLS", "SS of full rank, each word sampled independently", DASGUPTA, False, _srls, GRAM
        ),
        Method("RANDOM", "random words, unweighted", PAUL, False, _random, "none"),
        Method(
            "RRQR",
            "words that add most to those selected before (rank-revealing QR)",
            PAUL,
            False,
            _rrqr,
            PIVOTS,
        ),
        Method(
            "BSS",
            "words that preserve the documents' geometry (deterministic spectral sparsification)",
            PAUL,
            False,
            _bss,
            "one rank × rank factorization per word, repeated for every size",
            nested=False,
        ),
        Method(
            "SVM-LARS",
            "least-angle regression (LARS) path of an SVM",
            KEERTHI,
            True,
            partial(_lars, "squared_hinge"),
            PATH,
            classifier=None,
        ),
        Method(
            "RLS-LARS",
            "LARS path of least squares",
            KEERTHI,
            True,
            partial(_lars, "squared"),
            PATH,
            classifier=None,
        ),
        Method(
            "HUBER-LARS",
            "LARS path of an SVM with the modified Huber loss",
            KEERTHI,
            True,
            partial(_lars, "modified_huber"),
            PATH,
            classifier=None,
        ),
        Method(
            "LOGISTIC-LARS",
            "LARS path of logistic regression",
            KEERTHI,
            True,
            partial(_lars, "logistic"),
            PATH,
            classifier=None,
        ),
        Method(
            "GREEDY",
            "forward selection by the largest gradient, refitting all weights",
            KEERTHI,
            True,
            _greedy,
            "one training per selected word",
            classifier=None,
        ),
        Method(
            "WEIGHTS",
            "words with the largest SVM weights, the same for all classes",
            "Mladenić et al. 2004",
            True,
            _weights,
            TRAINING,
        ),
        Method(
            "RFE",
            "recursive feature elimination: drop the smallest SVM weights, retrain, repeat",
            "Guyon et al. 2002",
            True,
            _eliminated,
            TRAINING,
            version=3,
        ),
        Method(
            "JOINT",
            "forward selection by the gain of one model of all classes, with swaps",
            "",
            True,
            _joint,
            "a warm start of logistic regression for every few words",
            nested=False,
        ),
        Method(
            "MASK",
            "the SVM on all words without its small weights; not retrained",
            KOLCZ,
            True,
            partial(_masked, "mask"),
            TRAINING,
            classifier=None,
        ),
        Method(
            "SV-SET",
            "the words of MASK; weights from the shortened support vectors",
            KOLCZ,
            True,
            partial(_masked, "sv_set"),
            TRAINING,
            classifier=None,
        ),
        Method(
            "REPAIRED",
            "SV-SET, and one pass over the documents that corrects the weights",
            KOLCZ,
            True,
            _repaired,
            WARM_STARTS,
            classifier=None,
        ),
        Method(
            "EXACT",
            "the words of MASK; the SVM retrained on them",
            KOLCZ,
            True,
            partial(_masked, "exact"),
            WARM_STARTS,
            classifier=None,
        ),
        Method(
            "LSI",
            "latent semantic indexing: the top singular vectors",
            TORKKOLA,
            False,
            _lsi,
            "the top singular vectors",
            projects=True,
        ),
        Method("RP", "random projection", TORKKOLA, False, _rp, "none", projects=True),
        Method(
            "LDA",
            "linear discriminant analysis: mixtures of words that separate the classes",
            TORKKOLA,
            True,
            _lda,
            "tens of passes over the documents per classes − 1 components",
            projects=True,
        ),
        Method(
            "LDA-LSI",
            "LDA of the top singular vectors",
            TORKKOLA,
            True,
            _lda_lsi,
            "the top singular vectors",
            projects=True,
        ),
        Method(
            "LDA-RP",
            "LDA of a random projection",
            TORKKOLA,
            True,
            _lda_rp,
            "a covariance matrix of the first components",
            projects=True,
        ),
    )
}
