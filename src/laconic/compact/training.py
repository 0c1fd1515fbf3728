"""From a labelled corpus to a compact model in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from laconic.compact.compact_model import CompactModel
from laconic.compact.provenance import classifier_settings
from laconic.errors import LaconicError, SizeUnavailable, collected_warnings, warn_again
from laconic.types import Indices, Progress

if TYPE_CHECKING:
    from laconic.classifiers.path import PathClassifier
    from laconic.corpus.corpus import Corpus
    from laconic.text.options import TargetKind
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting


def train(
    method: PathClassifier,
    corpus: Corpus,
    size: int | float | None,
    *,
    vectorizer: Vectorizer | None = None,
    weighting: Weighting | None = None,
    documents: Indices | None = None,
    target: TargetKind = "auto",
    progress: Progress | None = None,
) -> CompactModel:
    """The model of one size, trained on all documents or on those at some positions.

    Parameters
    ----------
    method : PathClassifier
        With `normalize="selected"`, if it has this setting, the model is self-contained.
    corpus : Corpus
    size : int, share or None for all words
    vectorizer : Vectorizer, default=Vectorizer(); not used where the corpus comes as vectors
    weighting : Weighting, default: ltc for counts; other vectors are used as they are
    documents : positions, default: all
    target : as in `make_problems`, apart from "one-vs-rest"
    progress : called while the words of a large corpus are counted, with (done, total) bytes
    """
    from laconic.corpus.splits import Split
    from laconic.text.problem import CountedCorpus, targets_of
    from laconic.text.vectorizer import Vectorizer

    reading = vectorizer if vectorizer is not None else Vectorizer()
    targets = targets_of(corpus, target)
    if len(targets) != 1:
        raise LaconicError(
            f"target={target!r} gives {len(targets):,} problems for {corpus.name}, but a model is "
            "for one. Choose auto, multiclass or multilabel."
        )
    counted = CountedCorpus.of(corpus, reading, progress=progress)
    split = Split.training(np.arange(len(corpus)) if documents is None else documents)
    fitted = counted.weigh(split, weighting)
    (problem,) = counted.weighted_problems(split, targets, fitted)
    with collected_warnings(problem.classes) as notes:
        (model,) = method.path(problem.X_train, problem.y_train, [size])
    warn_again(notes)
    if isinstance(model, SizeUnavailable):
        raise model
    return CompactModel.of(
        model,
        None if corpus.texts is None else reading,
        fitted,
        problem.vocabulary,
        problem.classes,
        notes,
        classifier_settings(method),
    )
