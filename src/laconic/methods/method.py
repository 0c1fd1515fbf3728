"""`Method`: a name from the literature, its recipe, and the classifier that follows it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from inspect import signature
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.classifiers.thresholds import TunedThreshold
from laconic.errors import LaconicError
from laconic.methods.classifiers import (
    ALPHAS,
    BLEND,
    CLASSIFIERS,
    DEFAULT,
    RIDGE,
    SVM,
    settings_of,
    takes_alpha,
)
from laconic.model import Normalize
from laconic.reducer import Reducer
from laconic.text.options import Alpha

# The decision threshold: 0, or the one of the best F1 on out-of-sample decisions.
Threshold: TypeAlias = Literal["zero", "training", "cv", "loo"]
ZERO: Final = "zero"
LOO: Final = "loo"
AUTO: Final = "auto"
# The alpha of methods that train their own models, where a plan has none.
PATH_ALPHA = 1.0
# A plus sign within a number (1e+16) is followed by a digit.
CLASSIFIER_SIGN = re.compile(r"\+(?=\s*[A-Za-z])")


@dataclass(frozen=True)
class Method:
    """A name from the literature and its recipe.

    Parameters
    ----------
    name : str
        The canonical name, such as `SS:rank=10+svm`.
    about, paper, cost : str
        One line each, for `laconic methods`.
    supervised : bool
        Whether it uses the labels.
    recipe : callable
        Returns the reducer; or the path classifier, for methods that train their own models.
    nested : bool, default=True
        Whether the features of a small model are in every larger one.
    projects : bool, default=False
        Whether each component is a mixture of all words.
    sizes : tuple of float or None, default=None
        The sizes of a method that has fixed ones.
    settings : dict
        Arguments of the recipe.
    classifier : str or None, default="auto"
        The classifier that follows: a name, "auto" where studies tune it, or None if the recipe
        returns a path classifier.
    classifier_settings : dict
        Settings of that classifier, apart from alpha.
    alpha : float, "loo" or None, default=None
        Strength of regularization; None is that of the plan, which tunes "auto".
    threshold : "zero", "training", "cv" or "loo", default="zero"
        The decision threshold: 0, or tuned on training, out-of-fold or leave-one-out decisions.
    version : int, default=1
        Raised by hand when the numbers of the method change; part of the key of its tasks.
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
    classifier: str | None = AUTO
    classifier_settings: dict[str, Any] = field(default_factory=dict)
    alpha: Alpha | None = None
    threshold: Threshold = ZERO
    version: int = 1

    def build(
        self,
        alpha: Alpha = AUTO,
        random_state: int = 0,
        intercept: bool = True,
        normalize: Normalize = "selected",
    ) -> PathClassifier:
        """The path classifier: that of the recipe, or its reducer followed by the classifier.

        Parameters
        ----------
        alpha : float, "auto" or "loo", default="auto"
            Strength of regularization; "auto" is the default of the classifier, and "loo" chooses
            it by leave-one-out, for ridge and LARS only. An alpha in the method's name takes
            precedence.
        random_state : int, default=0
            Random state of the selection, if it is random.
        intercept : bool, default=True
            Whether logistic regression, SVM and ridge fit an intercept. A path classifier has its
            own setting, bias.
        normalize : "all" or "selected", default="selected"
            "selected" gives self-contained models.
        """
        settings = dict(self.settings)
        if self.random:
            settings.setdefault("random_state", random_state)
        alpha = alpha if self.alpha is None else self.alpha
        estimator = self.recipe(**settings)
        if isinstance(estimator, PathClassifier):
            return self._with_threshold(_with_alpha(estimator, alpha, normalize))
        classifier = self.make_classifier(alpha, intercept)
        return self._with_threshold(ReduceThenFit(estimator, classifier, normalize=normalize))

    def _with_threshold(self, path: PathClassifier) -> PathClassifier:
        if self.threshold == ZERO:
            return path
        if self.threshold == LOO:
            with_loo: PathClassifier = path.set_params(threshold=LOO)
            return with_loo
        return TunedThreshold(path, by=self.threshold)

    def make_classifier(self, alpha: Alpha, intercept: bool) -> BaseEstimator:
        """The classifier that follows; for a path classifier an SVM, to check alpha."""
        default = RIDGE if alpha in (LOO, 0) else DEFAULT
        name = default if self.classifier == AUTO else self.classifier or SVM
        from_plan = {"alpha": alpha, "intercept": intercept} if takes_alpha(name) else {}
        try:
            return CLASSIFIERS[name](**from_plan, **self.classifier_settings)
        except LaconicError as failure:
            raise LaconicError(f"method {self.name}: {failure}") from None

    def check_intercept(self, intercept: bool) -> None:
        """Raise LaconicError if `intercept=False` would have no effect."""
        if intercept or self.classifier == AUTO or self.takes_alpha:
            return
        reason = f"+{self.classifier} has no such setting"
        if self.classifier is None:
            reason = "it trains its own models, which have a bias"
        remedy = ", or set bias=none" if "bias" in signature(self.recipe).parameters else ""
        raise LaconicError(
            f"method {self.name}: --no-intercept is for +logistic, +svm and +ridge only; {reason}. "
            f"Leave it out{remedy}"
        )

    def check(self) -> None:
        """Fit the method on a tiny problem to find invalid settings before the study starts."""
        estimators: list[BaseEstimator] = []
        if self.settings or (self.classifier is None and self.alpha is not None):
            estimators.append(self.recipe(**self.settings))
        if self.classifier_settings:
            estimators.append(self.make_classifier(1.0, intercept=False))
        X = csr_array(np.diag([4.0, 3.0, 2.0, 1.0])[:, :3] + 0.5)
        for estimator in estimators:
            if isinstance(estimator, PathClassifier):
                estimator.set_params(size=1)
                if self.alpha is not None:
                    _with_alpha(estimator, self.alpha, "all")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    estimator.fit(X, np.array([0, 1, 0, 1]))
                except LaconicError as failure:
                    raise LaconicError(f"method {self.name}: {failure}") from None

    def described(self) -> dict[str, Any]:
        """The columns of `laconic methods`."""
        return {
            "name": self.name,
            "about": self.about,
            "paper": self.paper,
            "supervised": self.supervised,
            "random": self.random,
            "nested": self.nested,
            "cost": self.cost,
            "settings": [
                *(p for p in signature(self.recipe).parameters if p != "random_state"),
                *(("alpha", "threshold") if self.classifier is None else ()),
            ],
        }

    @property
    def selection(self) -> str:
        """The name without the classifier: methods with the same one select the same features.

        A method that trains its own models selects by alpha too, so its whole name counts.
        """
        return self.name if self.classifier is None else CLASSIFIER_SIGN.split(self.name)[0]

    @property
    def takes_alpha(self) -> bool:
        """Whether the named classifier has the setting alpha."""
        return self.classifier in CLASSIFIERS and takes_alpha(self.classifier)

    @property
    def tuned(self) -> bool:
        """Whether a study tunes the alpha that the name does not give."""
        linear = self.classifier == AUTO or self.classifier in ALPHAS
        return linear and self.alpha is None and self.threshold == ZERO

    def variants(
        self, classifiers: Iterable[str], class_weights: Iterable[str | None]
    ) -> Iterator[str]:
        """The names of what a study trains for this one: each classifier and class weight.

        What the name gives is not tuned.
        """
        for classifier in classifiers if self.classifier == AUTO else (self.classifier,):
            name = f"{self.name}+{classifier}" if self.classifier == AUTO else self.name
            tunable = "weights" in settings_of(str(classifier)) if self.tuned else False
            weighted = tunable and "weights" not in self.classifier_settings
            for weight in class_weights if weighted else (None,):
                yield f"{name}:weights={weight}" if weight else name

    def covers(self, variant: Method) -> bool:
        """Whether a study trains the other one for this one."""
        if variant.name == self.name:
            return True
        if not self.tuned or variant.selection != self.selection:
            return False
        if variant.classifier == BLEND:
            return self.classifier == AUTO
        if not variant.tuned:
            return False
        settings = {k: v for k, v in variant.classifier_settings.items() if k != "weights"}
        weights = variant.classifier_settings.get("weights")
        wanted = self.classifier_settings.get("weights", weights)
        return self.classifier in (AUTO, variant.classifier) and not settings and weights == wanted

    def alphas(self, alpha: Alpha) -> tuple[Alpha, ...]:
        """The alphas to train with, descending, where the plan's is `alpha`."""
        if self.alpha is not None or alpha != AUTO or not self.tuned:
            return (alpha if self.alpha is None else self.alpha,)
        return ALPHAS[DEFAULT if self.classifier == AUTO else str(self.classifier)]

    @property
    def has_loo_threshold(self) -> bool:
        """Whether leave-one-out decisions exist along its paths."""
        return self.classifier is None and "threshold" in self.recipe().get_params(deep=False)

    @property
    def random(self) -> bool:
        """Whether another random state gives another selection."""
        return "random_state" in signature(self.recipe).parameters


def _with_alpha(path: PathClassifier, alpha: Alpha, normalize: Normalize) -> PathClassifier:
    """The path classifier with this alpha; a MaskedSVM keeps its own normalization for "all"."""
    self_contained = {"normalize": normalize} if normalize == "selected" else {}
    number = PATH_ALPHA if alpha == AUTO else alpha
    with_alpha: PathClassifier = path.set_params(alpha=number, **self_contained)
    return with_alpha
