"""The classifier that a model was trained with."""

from __future__ import annotations

from typing import Any

from laconic.runtime.settings import ClassifierSettings
from laconic.validation import is_number


def classifier_settings(estimator: Any) -> ClassifierSettings:
    """The settings of a path classifier, or of the classifier within it."""
    from laconic.classifiers.logistic import LogisticClassifier
    from laconic.classifiers.reduce_then_fit import ReduceThenFit
    from laconic.classifiers.thresholds import TunedThreshold

    if isinstance(estimator, TunedThreshold):
        return classifier_settings(estimator.classifier or ReduceThenFit())
    if isinstance(estimator, ReduceThenFit):
        classifier = estimator.classifier
        return classifier_settings(LogisticClassifier() if classifier is None else classifier)
    settings = estimator.get_params(deep=False)
    alpha, class_weight = settings.get("alpha"), settings.get("class_weight")
    return ClassifierSettings(
        _name_of(estimator),
        float(alpha) if is_number(alpha) else None,
        class_weight if isinstance(class_weight, str) else None,
    )


def _name_of(estimator: Any) -> str | None:
    """The name of a classifier whose models can be saved."""
    from laconic.classifiers.blend import BlendClassifier
    from laconic.classifiers.centroid import CentroidClassifier
    from laconic.classifiers.kernel import GaussianSVM
    from laconic.classifiers.logistic import LogisticClassifier
    from laconic.classifiers.ridge import RLSClassifier
    from laconic.classifiers.svm import SVMClassifier

    names: dict[type, str] = {
        BlendClassifier: "blend",
        LogisticClassifier: "logistic",
        RLSClassifier: "ridge",
        SVMClassifier: "svm",
        GaussianSVM: "gaussian",
        CentroidClassifier: "centroid",
    }
    return names.get(type(estimator))
