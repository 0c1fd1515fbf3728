"""The methods: what is known by which name, and how it is made.

A recipe is a function whose keyword parameters are what the brackets may set. It gives a reducer,
behind which a classifier is trained; or a path classifier, which trains its own models.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias

from laconic.classifiers.lars import LarsClassifier
from laconic.classifiers.lars_walk import Loss, Mode
from laconic.classifiers.masked import MaskedSVM
from laconic.classifiers.masked_machine import Variant
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.svm import Loss as SVMLoss
from laconic.methods.method import Method
from laconic.projections.lda import LDA, Labels
from laconic.projections.lsi import LSI
from laconic.projections.random import Kind, RandomProjection
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
from laconic.selectors.bss import BSS
from laconic.selectors.rrqr import RRQR
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.selectors.top import TopTerms

DASGUPTA = "Dasgupta et al. 2007"
PAUL = "Paul & Drineas 2014"
KEERTHI = "Keerthi 2005"
KOLCZ = "Kołcz & Chowdhury 2007"
TORKKOLA = "Torkkola 2003"
GRAM = "a Gram matrix of the documents (or words), factorised"
PIVOTS = "a pass over the words for each of them, up to the rank"
SPECTRAL = "the top singular vectors; without rank, a Gram matrix"
TRAINING = "an SVM a class"
AGAIN = "an SVM a class, and a warm start at every size"
PATH = "a path a class; memory grows with the square of the size"
# Sizes beyond what the paper looks at take minutes and gigabytes; `longest` raises the limit.
LONGEST = 2000
# The paper's columns of a first reduction, and what is worth while of projections, which are dense.
FIRST = 513
WIDEST = 1000
# Each block beyond classes − 1 is a training of its own.
MOST_DIRECTIONS = 128
Reg: TypeAlias = float | Literal["auto"]


def _lars(
    loss: Loss,
    *,
    mode: Mode = "fast",
    refit: bool = False,
    bias: str | None = "always",
    longest: int | None = LONGEST,
) -> PathClassifier:
    return LarsClassifier(loss, mode=mode, refit=refit, bias=bias, longest=longest)


def _greedy(
    *, loss: Loss = "squared_hinge", bias: str | None = "always", longest: int | None = LONGEST
) -> PathClassifier:
    return LarsClassifier(loss, mode="aggressive", bias=bias, longest=longest)


def _masked(
    variant: Variant, *, loss: SVMLoss = "hinge", weights: str | None = None, tol: float = 1e-4
) -> PathClassifier:
    return MaskedSVM(variant, loss=loss, class_weight=weights, tol=tol)


def _repaired(
    *, loss: SVMLoss = "hinge", weights: str | None = None, tol: float = 1e-4, epochs: int = 1
) -> PathClassifier:
    return MaskedSVM("repaired", loss=loss, class_weight=weights, tol=tol, epochs=epochs)


def _weights(*, combine: str = "max", loss: SVMLoss = "hinge") -> Reducer:
    return TopTerms(partial(svm_weight, combine=combine, loss=loss))


def _eliminated(*, share: float = 0.5, loss: SVMLoss = "squared_hinge") -> Reducer:
    return TopTerms(partial(svm_elimination, share=share, loss=loss))


def _all() -> Reducer:
    return TopTerms(document_frequency)


def _df() -> Reducer:
    return TopTerms(document_frequency)


def _ig(*, combine: str = "mean") -> Reducer:
    return TopTerms(partial(information_gain, combine=combine))


def _chi2(*, combine: str = "mean") -> Reducer:
    return TopTerms(partial(chi_squared, combine=combine))


def _bns(*, combine: str = "mean") -> Reducer:
    return TopTerms(partial(bi_normal_separation, combine=combine))


def _us(*, draw: str = "exact", seed: int = 0) -> Reducer:
    return SampledTerms(uniform, draw=draw, random_state=seed)


def _ws(*, draw: str = "exact", seed: int = 0) -> Reducer:
    return SampledTerms(squared_norm, draw=draw, random_state=seed)


def _ss(
    *, rank: float | None = None, alpha: float = 0.0, draw: str = "exact", seed: int = 0
) -> Reducer:
    return SubspaceSampling(rank=rank, alpha=alpha, draw=draw, random_state=seed)


def _srls(*, seed: int = 0) -> Reducer:
    return SubspaceSampling(draw="bernoulli", random_state=seed)


def _bss(
    *, rank: int | Literal["auto"] | None = "auto", gamma: float = 0.0, repeat: float = 0.2
) -> Reducer:
    return BSS(rank, gamma=gamma, repeat=repeat)


def _random(*, seed: int = 0) -> Reducer:
    return TopTerms(partial(lottery, seed=seed))


def _rrqr(*, rank: int | None = None, beyond: str = "raise") -> Reducer:
    return RRQR(rank, beyond=beyond)


def _lsi(*, longest: int | None = WIDEST) -> Reducer:
    return LSI(longest=longest)


def _rp(*, kind: Kind = "gaussian", longest: int | None = WIDEST, seed: int = 0) -> Reducer:
    return RandomProjection(kind=kind, longest=longest, random_state=seed)


def _lda(
    *, reg: Reg = "auto", labels: Labels = "shared", longest: int | None = MOST_DIRECTIONS
) -> Reducer:
    return LDA(reg=reg, labels=labels, longest=longest)


def _lda_lsi(
    *,
    first: int = FIRST,
    reg: Reg = "auto",
    labels: Labels = "shared",
    longest: int | None = MOST_DIRECTIONS,
) -> Reducer:
    return LDA(LSI(first), reg=reg, labels=labels, longest=longest)


def _lda_rp(
    *,
    first: int = FIRST,
    kind: Kind = "gaussian",
    reg: Reg = "auto",
    labels: Labels = "shared",
    longest: int | None = MOST_DIRECTIONS,
    seed: int = 0,
) -> Reducer:
    before = RandomProjection(first, kind=kind, random_state=seed)
    return LDA(before, reg=reg, labels=labels, longest=longest)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("ALL", "every word, to compare with", "", False, _all, "none", sizes=(1.0,)),
        Method("DF", "words in the most documents", DASGUPTA, False, _df),
        Method("IG", "words of the highest information gain", DASGUPTA, True, _ig),
        Method(
            "CHI2", "words that depend most on the class (χ²)", "Yang & Pedersen 1997", True, _chi2
        ),
        Method("BNS", "bi-normal separation", "Forman 2003", True, _bns),
        Method("US", "words drawn uniformly", DASGUPTA, False, _us, "none"),
        Method("WS", "words drawn by squared weight", DASGUPTA, False, _ws),
        Method(
            "SS", "words drawn by leverage in the top-rank subspace", DASGUPTA, False, _ss, SPECTRAL
        ),
        Method("SRLS", "SS of full rank, a coin for each word", DASGUPTA, False, _srls, GRAM),
        Method("RANDOM", "words at random, as they are", PAUL, False, _random, "none"),
        Method("RRQR", "words that add most to those before", PAUL, False, _rrqr, PIVOTS),
        Method(
            "BSS",
            "words that keep the documents' geometry, by no chance (spectral sparsification)",
            PAUL,
            False,
            _bss,
            "a factorisation of rank × rank for each word, at every size anew",
            nested=False,
        ),
        Method(
            "SVM-LARS",
            "each word in view of those before it: LARS for an SVM",
            KEERTHI,
            True,
            partial(_lars, "squared_hinge"),
            PATH,
            then=None,
        ),
        Method(
            "RLS-LARS",
            "LARS for least squares",
            KEERTHI,
            True,
            partial(_lars, "squared"),
            PATH,
            then=None,
        ),
        Method(
            "HUBER-LARS",
            "LARS for an SVM with the modified Huber loss",
            KEERTHI,
            True,
            partial(_lars, "modified_huber"),
            PATH,
            then=None,
        ),
        Method(
            "LOGISTIC-LARS",
            "LARS for logistic regression",
            KEERTHI,
            True,
            partial(_lars, "logistic"),
            PATH,
            then=None,
        ),
        Method(
            "GREEDY",
            "the word of the largest gradient, then all weights anew",
            KEERTHI,
            True,
            _greedy,
            "a training on the words so far, for each word",
            then=None,
        ),
        Method(
            "WEIGHTS",
            "words of the largest SVM weights, the same for all classes",
            "Mladenić et al. 2004",
            True,
            _weights,
            TRAINING,
        ),
        Method(
            "RFE",
            "words that an SVM keeps longest, losing those of small weights and trained anew",
            "Guyon et al. 2002",
            True,
            _eliminated,
            TRAINING,
        ),
        Method(
            "MASK",
            "the SVM on all words, without those of small weights; nothing is trained again",
            KOLCZ,
            True,
            partial(_masked, "mask"),
            TRAINING,
            then=None,
        ),
        Method(
            "SV-SET",
            "the same words, weights anew from the shortened support vectors",
            KOLCZ,
            True,
            partial(_masked, "sv_set"),
            TRAINING,
            then=None,
        ),
        Method(
            "REPAIRED",
            "SV-SET, and a pass over the documents that mends its weights",
            KOLCZ,
            True,
            _repaired,
            AGAIN,
            then=None,
        ),
        Method(
            "EXACT",
            "the same words, the SVM trained anew",
            KOLCZ,
            True,
            partial(_masked, "exact"),
            AGAIN,
            then=None,
        ),
        Method(
            "LSI",
            "mixtures of words: the top singular vectors",
            TORKKOLA,
            False,
            _lsi,
            "the top singular vectors",
            projects=True,
        ),
        Method("RP", "mixtures of words by chance", TORKKOLA, False, _rp, "none", projects=True),
        Method(
            "LDA",
            "mixtures of words in which the classes lie apart",
            TORKKOLA,
            True,
            _lda,
            "tens of passes over the documents, for every classes − 1 columns",
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
            "LDA of mixtures by chance",
            TORKKOLA,
            True,
            _lda_rp,
            "a covariance of the first columns",
            projects=True,
        ),
    )
}
