"""The literature's names of methods, as recipes: `DF`, `IG[combine=max]`, `SS[rank=10]`.

A recipe is a function whose keyword parameters are what the brackets may set. It gives a reducer,
behind which a classifier is trained; or a path classifier, which trains its own models. Any method
takes `lambda` and `threshold` in its brackets too, and one with a reducer `then` (the classifier):
`IG[then=svm,lambda=0.4]`, `ALL[lambda=loo]`, `SVM-LARS[lambda=0]`, `IG[threshold=cv]`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from sys import float_info
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from laconic.classifiers.lars import LarsClassifier
from laconic.classifiers.lars_walk import Loss, Mode
from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.rls import RLSClassifier
from laconic.classifiers.svm import SVMClassifier
from laconic.classifiers.thresholds import TunedThreshold
from laconic.errors import LaconicError
from laconic.model import Norm
from laconic.reducer import Reducer
from laconic.scores import (
    bi_normal_separation,
    chi_squared,
    document_frequency,
    information_gain,
    lottery,
    squared_norm,
    uniform,
)
from laconic.selectors.bss import BSS
from laconic.selectors.rrqr import RRQR
from laconic.selectors.sampled import SampledTerms, SubspaceSampling
from laconic.selectors.top import TopTerms

DASGUPTA = "Dasgupta et al. 2007"
PAUL = "Paul & Drineas 2014"
KEERTHI = "Keerthi 2005"
GRAM = "a Gram matrix of the documents (or words), factorised"
PIVOTS = "a pass over the words for each of them, up to the rank"
SPECTRAL = "the top singular vectors; without rank, a Gram matrix"
PATH = "a path a class; memory grows with the square of the size"
# Sizes beyond what the paper looks at take minutes and gigabytes; `longest` raises the limit.
LONGEST = 2000
THEN, LAMBDA, THRESHOLD = "then", "lambda", "threshold"
RLS, SVM = "rls", "svm"
# Where a model says yes: above 0, or above what gives the best F1 on such outputs.
ZERO, LOO = "zero", "loo"
THRESHOLDS = (ZERO, "training", "cv", LOO)
LARGEST = float_info.max
SYNTAX = re.compile(r"(?P<name>[^\[\]]+)(?:\[(?P<settings>[^\[\]]*)\])?")


@dataclass(frozen=True)
class Method:
    """A name from the literature and its recipe.

    `nested` methods keep the words of a small model in every larger one; `sizes` are those of a
    method that has its own; `settings` are what the brackets set for the recipe, `then` and `alpha`
    are the classifier and its λ. `then` is None where the recipe gives a path classifier. Models
    say yes above the `threshold`: "zero", or one tuned by outputs of "training", "cv" or "loo".
    """

    name: str
    about: str
    paper: str
    supervised: bool
    recipe: Callable[..., Reducer | PathClassifier]
    cost: str = "one pass over the words"
    nested: bool = True
    sizes: tuple[float, ...] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    then: str | None = RLS
    alpha: float | str | None = None
    threshold: str = ZERO

    def build(
        self,
        alpha: float | str = 1.0,
        seed: int = 0,
        intercept: bool = False,
        norm: Norm = "document",
    ) -> PathClassifier:
        """The reducer, then regularized least squares, or an SVM, with λ = `alpha`.

        "loo" chooses λ, for least squares only. A λ in the method's own brackets comes first.
        `norm="kept"` gives closed models. A path classifier has its own bias, whatever `intercept`
        says, and λ is its l2.
        """
        given = dict(self.settings)
        if "seed" in signature(self.recipe).parameters:
            given.setdefault("seed", seed)
        own = alpha if self.alpha is None else self.alpha
        made = self.recipe(**given)
        if isinstance(made, PathClassifier):
            return self._tuned(made.set_params(l2=own, norm=norm))
        return self._tuned(ReduceThenFit(made, self.classifier(own, intercept), norm=norm))

    def _tuned(self, path: PathClassifier) -> PathClassifier:
        if self.threshold == ZERO:
            return path
        if self.threshold == LOO:
            return path.set_params(threshold=LOO)
        return TunedThreshold(path, by=self.threshold)

    def classifier(self, alpha: float | str, intercept: bool) -> RLSClassifier | SVMClassifier:
        """The one that `then` names."""
        if self.then == RLS:
            return RLSClassifier(alpha=alpha, fit_intercept=intercept)
        if isinstance(alpha, str) or not alpha > 0:
            raise LaconicError(
                f"method {self.name}: lambda={alpha} is for then=rls only; an SVM needs a number "
                "above 0. Give one for all methods, or in the brackets: then=svm,lambda=1.0"
            )
        return SVMClassifier(alpha, fit_intercept=intercept)

    def check(self) -> None:
        """Settings that the method refuses are known before it has worked for an hour."""
        if self.settings:
            X = csr_array(np.diag([4.0, 3.0, 2.0, 1.0])[:, :3] + 0.5)
            made = self.recipe(**self.settings)
            if isinstance(made, PathClassifier):
                made.set_params(size=1)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made.fit(X, np.array([0, 1, 0, 1]))

    def described(self) -> dict[str, Any]:
        """What `laconic methods` lists."""
        return {
            "name": self.name,
            "about": self.about,
            "paper": self.paper,
            "supervised": self.supervised,
            "random": self.random,
            "nested": self.nested,
            "cost": self.cost,
            "settings": [p for p in signature(self.recipe).parameters if p != "seed"],
        }

    @property
    def random(self) -> bool:
        """Whether another seed gives another selection."""
        return "seed" in signature(self.recipe).parameters


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
    )
}


def method_called(text: str) -> Method:
    """The method of a name such as `DF` or `SS[rank=10,draw=iid]`, in any case."""
    found = SYNTAX.fullmatch(text.strip()) if isinstance(text, str) else None
    known = METHODS.get(found["name"].strip().upper()) if found else None
    if found is None or known is None:
        raise LaconicError(
            f"method {text!r}: choose from {', '.join(METHODS)}, with settings in brackets where "
            "it has some, such as SS[rank=10]; all take lambda and threshold, and most take then, "
            "such as IG[then=svm,lambda=0.5], IG[lambda=loo] or IG[threshold=cv]"
        )
    settings = _settings(found["settings"] or "", known)
    inner = ",".join(f"{key}={value}" for key, value in settings.items())
    name = f"{known.name}[{inner}]" if inner else known.name
    then, alpha = settings.pop(THEN, known.then), settings.pop(LAMBDA, None)
    threshold = settings.pop(THRESHOLD, ZERO)
    method = replace(
        known, name=name, settings=settings, then=then, alpha=alpha, threshold=threshold
    )
    if alpha is not None and then is not None:
        method.classifier(alpha, intercept=False)  # refuses a λ that it cannot have
    return method


def methods_called(text: str) -> list[Method]:
    """A list of methods, divided by commas outside brackets."""
    return [method_called(name) for name in re.split(r",(?![^\[]*\])", text)]


def keeps_all(name: str) -> bool:
    """Whether the method of this name keeps every word, whatever its λ."""
    return name.partition("[")[0] == "ALL"


def _settings(text: str, method: Method) -> dict[str, Any]:
    """What the brackets set beyond the defaults, in one order: a name is one task."""
    parameters = signature(method.recipe).parameters
    usual = {name: known.default for name, known in parameters.items() if name != "seed"}
    usual |= {LAMBDA: None} if method.then is None else {THEN: RLS, LAMBDA: None}
    usual |= {THRESHOLD: ZERO}
    given = _given(text, method, [*usual])
    return {key: given[key] for key in usual if key in given and given[key] != usual[key]}


def _given(text: str, method: Method, allowed: list[str]) -> dict[str, Any]:
    reading = {THEN: _then, LAMBDA: _alpha, THRESHOLD: _threshold}
    settings = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if key == THEN and method.then is None:
            raise LaconicError(
                f"method {method.name}: {part}: it trains its own models, and no classifier comes "
                "after it. Leave it out"
            )
        if not equals or key not in allowed:
            offered = f"it takes {', '.join(allowed)}"
            raise LaconicError(f"method {method.name}: no setting {part!r}; {offered}")
        settings[key] = reading[key](value, method) if key in reading else _value(value)
    return settings


def _then(text: str, method: Method) -> str:
    if text.lower() not in (RLS, SVM):
        raise LaconicError(f"method {method.name}: then={text}: choose from {RLS}, {SVM}")
    return text.lower()


def _alpha(text: str, method: Method) -> float | str:
    value = _value(text)
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value != "loo" and not (number and 0 <= value <= LARGEST):
        raise LaconicError(
            f"method {method.name}: lambda={text}: give a number of at least 0, or loo"
        )
    return float(value) if number else value


def _threshold(text: str, method: Method) -> str:
    offered = THRESHOLDS if method.then is None else THRESHOLDS[:-1]
    if text.lower() in offered:
        return text.lower()
    if text.lower() == LOO:
        raise LaconicError(
            f"method {method.name}: threshold=loo: leave-one-out goes along paths of LARS only. "
            "Choose threshold=cv"
        )
    raise LaconicError(f"method {method.name}: threshold={text}: choose from {', '.join(offered)}")


def _value(text: str) -> Any:
    """A number, None or a word."""
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
