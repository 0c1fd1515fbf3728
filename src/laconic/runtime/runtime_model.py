"""`RuntimeModel`: a model over its own words, with everything it needs to read raw text.

It is *self-contained* if its own words are enough: if each class divides by the length over its own
words (`normalize="selected"`), or documents are not divided at all. Any other model divides by the
length over all words, so its file has the table of all words with their idf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, get_args

import numpy as np

from laconic.errors import LaconicError
from laconic.runtime.choices import VECTORS, Normalize
from laconic.runtime.counts import Terms, Vectors
from laconic.runtime.decisions import KernelDecision, LinearDecision
from laconic.runtime.documents import Document, Reader, counts_of
from laconic.runtime.rules import (
    LARGEST,
    above,
    model_probabilities,
    read_calibration,
    read_thresholds,
)
from laconic.runtime.settings import ClassifierSettings, TextSettings, WordWeights
from laconic.types import Floats, Rule

MOST_WORDS = 1 << 22
MOST_CLASSES = 1 << 16


@dataclass(frozen=True, eq=False)
class RuntimeModel:
    """A classifier of raw texts, as its file describes it.

    Parameters
    ----------
    model : LinearDecision or KernelDecision over `words`
    size : int
        Columns that the classifier saw, per class where classes select their own.
    rule : "sign", "argmax" or "labels"
    classes, words : tuples of str
    weights : WordWeights
    text : TextSettings, or None for a model of documents that came as vectors
    notes, classifier, solved, gap : how it was trained, see `laconic.CompactModel`
    thresholds, calibration : as in `laconic.LinearModel`
    """

    model: LinearDecision | KernelDecision
    size: int
    rule: Rule
    classes: tuple[str, ...]
    words: tuple[str, ...] = field(repr=False)
    weights: WordWeights
    text: TextSettings | None
    notes: tuple[str, ...] = ()
    classifier: ClassifierSettings = field(default_factory=ClassifierSettings)
    solved: bool | None = None
    gap: float | None = None
    thresholds: Floats | None = None
    calibration: Floats | None = None

    def __post_init__(self) -> None:
        self._check_rows()
        self._read_probabilities()
        n_words, df = len(self.words), self.weights.document_frequency
        if self.model.n_words != n_words or (df is not None and df.shape != (n_words,)):
            raise LaconicError(
                f"{n_words:,} words, but the model has {self.model.n_words:,} columns and "
                f"there are {n_words if df is None else df.size:,} document frequencies: one per "
                "word is needed"
            )
        if n_words > MOST_WORDS or len(self.classes) > MOST_CLASSES:
            raise LaconicError(
                f"{n_words:,} words and {len(self.classes):,} classes: a compact model has "
                f"at most {MOST_WORDS:,} and {MOST_CLASSES:,}. Use normalize='selected', or raise "
                "min_df."
            )
        for what, names in (("words", self.words), ("classes", self.classes)):
            if len(set(names)) != len(names):
                raise LaconicError(f"two {what} have the same name. Give distinct names.")
        # comparisons with nan are false
        if not all((np.abs(numbers) <= LARGEST).all() for numbers in self.model.numbers):
            raise LaconicError(f"a coefficient is not a number from {-LARGEST:g} to {LARGEST:g}")
        if self.gap is not None and not 0 <= self.gap <= LARGEST:
            raise LaconicError(f"gap={self.gap}: not a number from 0 to {LARGEST:g}")

    def _check_rows(self) -> None:
        normalize, n_classes = self.model.normalize, len(self.classes)
        if normalize not in get_args(Normalize) or self.rule not in get_args(Rule):
            raise LaconicError(
                f"normalize={normalize!r:.20}, rule={self.rule!r:.20}: normalize is one of "
                f"{get_args(Normalize)}, rule one of {get_args(Rule)}"
            )
        n_rows = 1 if self.rule == "sign" else n_classes
        if self.model.intercept.shape != (n_rows,) or (self.rule == "sign" and n_classes != 2):
            raise LaconicError(
                f"{n_classes} classes and {self.model.intercept.size} rows: the rule 'sign' has 2 "
                f"classes and 1 row, other rules one row per class; the rule is {self.rule!r}"
            )

    def _read_probabilities(self) -> None:
        plain = self.thresholds is None and self.calibration is None
        if isinstance(self.model, KernelDecision) and not plain:
            raise LaconicError("a kernel model has no thresholds and no calibration")
        n_rows = len(self.model.intercept)
        thresholds = read_thresholds(self.thresholds, self.rule, n_rows)
        calibration = read_calibration(self.calibration, self.rule, n_rows)
        object.__setattr__(self, "thresholds", thresholds)
        object.__setattr__(self, "calibration", calibration)

    def __getstate__(self) -> dict[str, Any]:
        """The fields only: some cached values cannot be sent to other processes."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def n_words(self) -> int:
        """How many words the model uses; if it is not self-contained, `words` has more."""
        return int(self.model.features.size)

    @property
    def features(self) -> str:
        """The kind of its features, such as "word", "char:ngrams=1-3" or "vectors"."""
        return VECTORS if self.text is None else self.text.features

    @property
    def self_contained(self) -> bool:
        """Whether the model needs only its own words."""
        return self.model.normalize == "selected" or self.weights.length is None

    def vectors(self, documents: Iterable[Document]) -> Vectors:
        """The documents as weights over `words`; a model with normalize="selected" divides later.

        Parameters
        ----------
        documents : texts, or mappings of words to counts
        """
        return self.weighted(counts_of(documents, self.terms, self.reader))

    def weighted(self, counts: Vectors) -> Vectors:
        """Counts over `words` as weights."""
        return self.weights.of_counts(counts, divide=self.model.normalize == "all")

    def decision(self, documents: Iterable[Document]) -> Floats:
        """Decision values of shape (n_docs, n_rows): one row for "sign", else one per class."""
        return self.model.values(self.vectors(documents))

    def predict(self, documents: Iterable[Document]) -> list[Any]:
        """The class of each document; for the rule "labels" the tuple of its classes."""
        return self.named(self.decision(documents))

    def named(self, decision: Floats) -> list[Any]:
        """The classes that decision values mean."""
        classes = self.classes
        if self.rule == "argmax":
            return [classes[position] for position in decision.argmax(axis=1).tolist()]
        positive = above(decision, self.thresholds)
        if self.rule == "sign":
            return [classes[position] for position in positive[:, 0].astype(int).tolist()]
        chosen = (np.flatnonzero(row).tolist() for row in positive)
        return [tuple(classes[position] for position in row) for row in chosen]

    def predict_proba(self, documents: Iterable[Document]) -> Floats:
        """Probabilities of shape (n_docs, n_classes); those of a document's labels are independent.

        Only for a model with `calibration`.
        """
        return self.probabilities(self.decision(documents))

    def probabilities(self, decision: Floats) -> Floats:
        """The probabilities that decision values mean."""
        return model_probabilities(decision, self.rule, self.calibration)

    def explain(
        self, document: Document, top: int | None = 10
    ) -> dict[str, list[tuple[str, float]]]:
        """The words that decided about one document, strongest first, for each class.

        The numbers of a class add up to its decision value without the intercept. For the rule
        "sign" the only entry is the second class: positive numbers support it.
        """
        if isinstance(self.model, KernelDecision):
            raise LaconicError(
                "explain: the decision of a kernel model is not a sum over words. Explain a linear "
                "model."
            )
        names = self.classes[1:] if self.rule == "sign" else self.classes
        rows = self.model.explained(self.vectors([document]), self.words, top)
        return dict(zip(names, rows, strict=True))

    @cached_property
    def reader(self) -> Reader | None:
        """What counts words in texts."""
        return None if self.text is None else Reader(self.text, self.terms)

    @cached_property
    def terms(self) -> Terms:
        """The columns of the words."""
        return Terms(self.words)
