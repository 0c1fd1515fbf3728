"""The classifier that a model was trained with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from laconic.errors import LaconicError
from laconic.validation import is_number

LONGEST_NAME = 40


@dataclass(frozen=True)
class ClassifierSettings:
    """The classifier of a model; None where it is not known.

    `name` is None too for methods that train their own models. `alpha` is None where it was chosen
    by leave-one-out, or the classifier has none.
    """

    name: str | None = None
    alpha: float | None = None
    class_weight: str | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 <= self.alpha < float("inf"):
            raise LaconicError(f"alpha={self.alpha}: not a number from 0")
        for text in (self.name, self.class_weight):
            if text is not None and not 0 < len(text) <= LONGEST_NAME:
                raise LaconicError(
                    f"classifier {text[:LONGEST_NAME]!r}: a name has 1 to {LONGEST_NAME} characters"
                )

    @classmethod
    def of(cls, estimator: Any) -> ClassifierSettings:
        """The settings of a path classifier, or of the classifier within it."""
        from laconic.classifiers.reduce_then_fit import ReduceThenFit
        from laconic.classifiers.ridge import RLSClassifier
        from laconic.classifiers.thresholds import TunedThreshold

        if isinstance(estimator, TunedThreshold):
            return cls.of(estimator.classifier or ReduceThenFit())
        if isinstance(estimator, ReduceThenFit):
            return cls.of(RLSClassifier() if estimator.classifier is None else estimator.classifier)
        settings = estimator.get_params(deep=False)
        alpha, class_weight = settings.get("alpha"), settings.get("class_weight")
        return cls(
            _name_of(estimator),
            float(alpha) if is_number(alpha) else None,
            class_weight if isinstance(class_weight, str) else None,
        )


def _name_of(estimator: Any) -> str | None:
    """The name of a classifier whose models can be saved."""
    from laconic.classifiers.centroid import CentroidClassifier
    from laconic.classifiers.kernel import GaussianSVM
    from laconic.classifiers.ridge import RLSClassifier
    from laconic.classifiers.svm import SVMClassifier

    names: dict[type, str] = {
        RLSClassifier: "ridge",
        SVMClassifier: "svm",
        GaussianSVM: "gaussian",
        CentroidClassifier: "centroid",
    }
    return names.get(type(estimator))
