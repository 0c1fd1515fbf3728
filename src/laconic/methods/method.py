"""`Method`: a name from the literature, its recipe, and what comes after the words."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.thresholds import TunedThreshold
from laconic.errors import LaconicError
from laconic.methods.classifiers import CLASSIFIERS, RLS, SVM, takes_lambda
from laconic.model import Norm
from laconic.reducer import Reducer

# Where a model says yes: above 0, or above what gives the best F1 on such outputs.
ZERO, LOO = "zero", "loo"


@dataclass(frozen=True)
class Method:
    """A name from the literature and its recipe.

    `nested` methods keep the words of a small model in every larger one; those that `projects` is
    said of mix all words in every column; `sizes` are those of a method that has its own;
    `settings` are what the brackets set for the recipe. `then` is the classifier behind it, `after`
    and `alpha` are its settings and its λ; `then` is None where the recipe gives a path classifier.
    Models say yes above the `threshold`: "zero", or one tuned by outputs of "training", "cv" or
    "loo".
    """

    name: str
    about: str
    paper: str
    supervised: bool
    recipe: Callable[..., Reducer | PathClassifier]
    cost: str = "one pass over the words"
    nested: bool = True
    projects: bool = False
    sizes: tuple[float, ...] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    then: str | None = RLS
    after: dict[str, Any] = field(default_factory=dict)
    alpha: float | str | None = None
    threshold: str = ZERO

    def build(
        self,
        alpha: float | str = 1.0,
        seed: int = 0,
        intercept: bool = False,
        norm: Norm = "document",
    ) -> PathClassifier:
        """The reducer, then the classifier that `then` names, with λ = `alpha` if it has one.

        "loo" chooses λ, for least squares only. A λ in the method's own brackets comes first.
        `norm="kept"` gives closed models. A path classifier has its own bias, whatever `intercept`
        says, and λ is its l2, or its alpha.
        """
        given = dict(self.settings)
        if "seed" in signature(self.recipe).parameters:
            given.setdefault("seed", seed)
        own = alpha if self.alpha is None else self.alpha
        made = self.recipe(**given)
        if isinstance(made, PathClassifier):
            return self._tuned(_told(made, own, norm))
        return self._tuned(ReduceThenFit(made, self.classifier(own, intercept), norm=norm))

    def _tuned(self, path: PathClassifier) -> PathClassifier:
        if self.threshold == ZERO:
            return path
        if self.threshold == LOO:
            return path.set_params(threshold=LOO)
        return TunedThreshold(path, by=self.threshold)

    def classifier(self, alpha: float | str, intercept: bool) -> BaseEstimator:
        """The one that `then` names; of a path classifier, an SVM, to know which λ it can have."""
        then = self.then or SVM
        of_plan = {"alpha": alpha, "intercept": intercept} if takes_lambda(then) else {}
        try:
            return CLASSIFIERS[then](**of_plan, **self.after)
        except LaconicError as refused:
            raise LaconicError(f"method {self.name}: {refused}") from None

    def check_intercept(self, intercept: bool) -> None:
        """That none is to be fitted is refused where it would have no effect."""
        if intercept or (self.then is not None and takes_lambda(self.then)):
            return
        own = f"then={self.then} has no such choice"
        if self.then is None:
            own = "it trains its own models, which have a bias"
        instead = ", or set bias=None" if "bias" in signature(self.recipe).parameters else ""
        raise LaconicError(
            f"method {self.name}: no intercept was asked for, which is for then=rls and then=svm "
            f"only; {own}. Leave that out{instead}"
        )

    def check(self) -> None:
        """Settings that the method refuses are known before it has worked for an hour."""
        made: list[BaseEstimator] = []
        if self.settings or (self.then is None and self.alpha is not None):
            made.append(self.recipe(**self.settings))
        if self.after:
            made.append(self.classifier(1.0, intercept=False))
        X = csr_array(np.diag([4.0, 3.0, 2.0, 1.0])[:, :3] + 0.5)
        for one in made:
            if isinstance(one, PathClassifier):
                one.set_params(size=1)
                if self.alpha is not None:
                    _told(one, self.alpha, "document")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one.fit(X, np.array([0, 1, 0, 1]))

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
    def leaves_out(self) -> bool:
        """Whether leave-one-out goes along its paths."""
        return self.then is None and "threshold" in self.recipe().get_params(deep=False)

    @property
    def random(self) -> bool:
        """Whether another seed gives another selection."""
        return "seed" in signature(self.recipe).parameters


def _told(path: PathClassifier, alpha: float | str, norm: Norm) -> PathClassifier:
    """With λ, whichever name it has there; and closed, if its models are not so by themselves."""
    ridge = "l2" if "l2" in path.get_params(deep=False) else "alpha"
    closed = {"norm": norm} if norm == "kept" else {}
    return path.set_params(**{ridge: alpha}, **closed)
