"""`TrainedModel`: a model, and what its words, certificate and file need of the training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from laconic.classifiers.path import PathClassifier
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.compact.provenance import classifier_settings
from laconic.model import Model
from laconic.reduction import Reduction
from laconic.runtime.settings import ClassifierSettings
from laconic.types import Floats


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A model of a fitted path classifier.

    `reduction` is what precedes the classifier, None if the method reads all words itself.
    `scores` has the score of every word, if the method gives scores. `notes` are the warnings of
    the training.
    """

    model: Model
    reduction: Reduction | None
    scores: Floats | None
    classifier: ClassifierSettings
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, path: PathClassifier, model: Model, notes: tuple[str, ...] = ()) -> Self:
        """The latest model of a path."""
        reduces = isinstance(path, ReduceThenFit)
        selector = path.reducer_ if reduces else path
        return cls(
            model,
            path.reduction_ if reduces else None,
            getattr(selector, "scores_", None),
            classifier_settings(path),
            notes,
        )
