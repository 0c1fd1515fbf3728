"""`CompactModel`: a model over its own words, with everything it needs to read raw text.

It is *self-contained* if its own words are enough: if each class divides by the length over its own
words (`normalize="selected"`), or documents are not divided at all. Any other model divides by the
length over all words, so its file has the table of all words with their idf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from laconic.compact.counts import Document, Reader, counts_of
from laconic.compact.kernel_model import KernelModel
from laconic.compact.provenance import ClassifierSettings
from laconic.compact.settings import LARGEST, TextSettings, WordWeights
from laconic.errors import LaconicError
from laconic.model import LinearModel, Model
from laconic.reduction import Projection
from laconic.text.options import VECTORS
from laconic.types import Floats, Matrix

if TYPE_CHECKING:
    from laconic.text.counts import Terms
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting

MOST_WORDS = 1 << 22
MOST_CLASSES = 1 << 16


@dataclass(frozen=True, eq=False)
class CompactModel:
    """A classifier of raw texts.

    Create one with `CompactModel.of` or `CompactModel.load`.

    Parameters
    ----------
    model : LinearModel or KernelModel over `words`; its classes are names
    words : tuple of str
        Those of the model; all words of the training documents if it is not `self_contained`.
    weights : WordWeights
    text : TextSettings, or None for a model of documents that came as vectors
    notes : tuple of str
        The warnings of the training, such as a solver that stopped before its tolerance.
    classifier : ClassifierSettings
    solved : whether the solver reached its tolerance; None where that is not known
    gap : its relative duality gap; None where there is none
    """

    model: LinearModel | KernelModel
    words: tuple[str, ...] = field(repr=False)
    weights: WordWeights
    text: TextSettings | None
    notes: tuple[str, ...] = ()
    classifier: ClassifierSettings = field(default_factory=ClassifierSettings)
    solved: bool | None = None
    gap: float | None = None

    def __post_init__(self) -> None:
        n_words, idf = len(self.words), self.weights.idf
        if self.model.n_features_in != n_words or (idf is not None and idf.shape != (n_words,)):
            raise LaconicError(
                f"{n_words:,} words, but the model has {self.model.n_features_in:,} columns and "
                f"there are {n_words if idf is None else idf.size:,} idf: one per word is needed"
            )
        if n_words > MOST_WORDS or len(self.model.classes) > MOST_CLASSES:
            raise LaconicError(
                f"{n_words:,} words and {len(self.model.classes):,} classes: a compact model has "
                f"at most {MOST_WORDS:,} and {MOST_CLASSES:,}. Use normalize='selected', or raise "
                "min_df."
            )
        for what, names in (("words", self.words), ("classes", self.model.classes.tolist())):
            if len(set(names)) != len(names):
                raise LaconicError(f"two {what} have the same name. Give distinct names.")
        if not all(_sound(numbers) for numbers in _numbers(self.model)):
            raise LaconicError(f"a coefficient is not a number from {-LARGEST:g} to {LARGEST:g}")
        if self.gap is not None and not 0 <= self.gap <= LARGEST:
            raise LaconicError(f"gap={self.gap}: not a number from 0 to {LARGEST:g}")

    @classmethod
    def of(
        cls,
        model: Model,
        vectorizer: Vectorizer | None,
        weighting: Weighting,
        vocabulary: Iterable[str] | None = None,
        classes: Iterable[str] | None = None,
        notes: Iterable[str] = (),
        classifier: ClassifierSettings | None = None,
    ) -> CompactModel:
        """The model with its own words and the settings to find them in texts.

        Parameters
        ----------
        model : LinearModel, or a ReducedModel whose classifier has a Gaussian kernel
        vectorizer : Vectorizer, or None where the documents came as vectors
        weighting : Weighting, fitted on the training documents
        vocabulary : the columns that the model was trained on, by default the words of a fitted
            vectorizer that passed the filters of the weighting
        classes : names of the classes, if those of the model are positions in this list
        notes : warnings of the training, stored with the model
        classifier : what the model was trained with; see `ClassifierSettings.of`
        """
        named = _named(_savable(model), classes)
        words = _vocabulary(vectorizer, weighting, vocabulary)
        weights = WordWeights.of(weighting)
        if not len(words) == named.n_features_in == len(weighting.features_):
            raise LaconicError(
                f"the model reads {named.n_features_in:,} columns, the weighting has "
                f"{len(weighting.features_):,}, the vocabulary {len(words):,}. Give those that the "
                "model was trained with."
            )
        text = None if vectorizer is None else TextSettings.of(vectorizer)
        if _self_contained(named, weights):
            columns = named.features
            named, words = _over(named, columns), words[columns]
            weights = weights.only(columns)
        settings = classifier if classifier is not None else ClassifierSettings()
        return cls(named, tuple(words.tolist()), weights, text, tuple(notes), settings)

    def __getstate__(self) -> dict[str, Any]:
        """The fields only: some cached values cannot be sent to other processes."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of decision values; of two, the second is positive."""
        return tuple(self.model.classes.tolist())

    @property
    def n_words(self) -> int:
        """How many words the model uses; if it is not self-contained, `words` has more."""
        return self.model.n_features

    @property
    def features(self) -> str:
        """The kind of its features, such as "word", "char:ngrams=1-3" or "vectors"."""
        return VECTORS if self.text is None else self.text.features

    @property
    def self_contained(self) -> bool:
        """Whether the model needs only its own words."""
        return _self_contained(self.model, self.weights)

    def vectors(self, documents: Iterable[Document] | Matrix, names: Any = None) -> csr_array:
        """The documents as weights over `words`; a model with normalize="selected" divides later.

        Parameters
        ----------
        documents : texts, or mappings of words to counts, or a matrix of counts
        names : the names of the matrix's columns
        """
        counts = counts_of(documents, names, self._terms, self._reader)
        return self.weights.of_counts(counts, divide=self.model.normalize == "all")

    def decision(self, documents: Iterable[Document] | Matrix, names: Any = None) -> Floats:
        """Decision values of shape (n_docs, n_rows): one row for "sign", else one per class."""
        return self._decision(self.vectors(documents, names))

    def predict(self, documents: Iterable[Document] | Matrix, names: Any = None) -> list[Any]:
        """The class of each document; for the rule "labels" the tuple of its classes."""
        return self.named(self.decision(documents, names))

    def named(self, decision: Floats) -> list[Any]:
        """The classes that decision values mean."""
        classes = self.classes
        if self.model.rule == "sign":
            return [classes[position] for position in (decision[:, 0] > 0).astype(int).tolist()]
        if self.model.rule == "argmax":
            return [classes[position] for position in decision.argmax(axis=1).tolist()]
        chosen = (np.flatnonzero(row > 0).tolist() for row in decision)
        return [tuple(classes[position] for position in row) for row in chosen]

    def explain(
        self, document: Document, top: int | None = 10
    ) -> dict[str, list[tuple[str, float]]]:
        """The words that decided about one document, strongest first, for each class.

        The numbers of a class add up to its decision value without the intercept. For the rule
        "sign" the only entry is the second class: positive numbers support it.
        """
        if isinstance(self.model, KernelModel):
            raise LaconicError(
                "explain: the decision of a kernel model is not a sum over words. Explain a linear "
                "model."
            )
        return self.model.explain(self.vectors([document]), self._names, top)

    def summary(self) -> str:
        """What is in the model, in a few lines."""
        from laconic.compact.summary import summary

        return summary(self)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the model; the file appears whole or not at all."""
        from laconic.compact.model_file import write

        write(self, file)

    def to_bytes(self) -> bytes:
        """What `save` writes, for a model that is stored elsewhere: in a page or a database."""
        from laconic.compact.model_file import bytes_of

        return bytes_of(self)

    @classmethod
    def load(cls, file: str | PathLike[str], *, trusted: bool = False) -> CompactModel:
        """Read a model, also from an untrusted source: nothing in it is executed.

        Parameters
        ----------
        file : path
        trusted : bool, default=False
            Also accept a custom `token_pattern`, which can be made to run for years.

        Raises
        ------
        LaconicError
            For every defect of the file.
        """
        from laconic.compact.model_file import read

        return read(file, trusted=trusted)

    def _decision(self, X: csr_array) -> Floats:
        if isinstance(self.model, KernelModel):
            return self.model.decision(X)
        from laconic.numerics.text.decisions import linear_decisions

        firsts, rows, coef = self._by_word
        sums = linear_decisions(
            X.indices.astype(np.int32, copy=False),
            X.data,
            X.indptr.astype(np.int64, copy=False),
            firsts,
            rows,
            coef,
            self.model.intercept.size,
            self.model.normalize == "selected",
        )
        return np.asarray(sums + self.model.intercept)

    @cached_property
    def _by_word(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats]:
        assert isinstance(self.model, LinearModel)
        by_word = csc_array(self.model.coef)
        return (
            by_word.indptr.astype(np.int64),
            by_word.indices.astype(np.int32),
            np.asarray(by_word.data),
        )

    @cached_property
    def _reader(self) -> Reader | None:
        return None if self.text is None else Reader(self.text, self._terms)

    @cached_property
    def _terms(self) -> Terms:
        from laconic.text.counts import Terms

        return Terms(self.words)

    @cached_property
    def _names(self) -> NDArray[Any]:
        return np.array([*self.words, None], dtype=object)[:-1]


def _self_contained(model: LinearModel | KernelModel, weights: WordWeights) -> bool:
    return model.normalize == "selected" or weights.length is None


def _savable(model: Model) -> LinearModel | KernelModel:
    return model if isinstance(model, LinearModel | KernelModel) else KernelModel.of(model)


def _named(
    model: LinearModel | KernelModel, classes: Iterable[str] | None
) -> LinearModel | KernelModel:
    """The model with names as classes."""
    names = model.classes.tolist()
    if classes is not None:
        offered = list(classes)
        if not all(isinstance(code, int) and 0 <= code < len(offered) for code in names):
            raise LaconicError(
                f"the classes of the model are {names[:5]}, not positions among {len(offered)} "
                "names. Leave out the names."
            )
        names = [offered[code] for code in names]
    return replace(model, classes=np.array([str(name) for name in names], dtype=object))


def _vocabulary(
    vectorizer: Vectorizer | None, weighting: Weighting, vocabulary: Iterable[str] | None
) -> NDArray[np.object_]:
    if vocabulary is not None:
        words = [str(word) for word in vocabulary]
        return np.array([*words, None], dtype=object)[:-1]
    if vectorizer is None or not hasattr(vectorizer, "vocabulary_"):
        raise LaconicError("the words are unknown: give vocabulary, or a fitted vectorizer")
    return np.asarray(vectorizer.vocabulary_[weighting.features_])


def _over(model: LinearModel | KernelModel, words: NDArray[np.intp]) -> LinearModel | KernelModel:
    """The model over these columns only, which are all that it uses."""
    if isinstance(model, KernelModel):
        return model.over(words)
    return replace(model, coef=csr_array(model.coef)[:, words])


def _numbers(model: LinearModel | KernelModel) -> tuple[Any, ...]:
    if isinstance(model, KernelModel):
        reduction = model.reduction
        map_ = reduction.components if isinstance(reduction, Projection) else reduction.weights
        return map_, model.support, model.dual, model.intercept, model.gamma
    return csr_array(model.coef).data, model.intercept


def _sound(numbers: Any) -> bool:
    # comparisons with nan are false
    return bool((np.abs(np.asarray(numbers)) <= LARGEST).all())
