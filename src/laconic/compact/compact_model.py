"""`CompactModel`: a model over its own words, with everything it needs to read raw text.

It is made and saved here; `laconic.runtime` reads its file and predicts.
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

from laconic.compact.kernel_model import KernelModel
from laconic.compact.settings import text_settings, word_weights
from laconic.errors import LaconicError
from laconic.model import LinearModel, Model
from laconic.reduction import Projection, Selection
from laconic.runtime.choices import Storage
from laconic.runtime.counts import Vectors
from laconic.runtime.decisions import Coefficients, KernelDecision, LinearDecision
from laconic.runtime.documents import Document
from laconic.runtime.runtime_model import RuntimeModel
from laconic.runtime.settings import ClassifierSettings, TextSettings, WordWeights
from laconic.text.matrices import counts_of_matrix, matrix_of
from laconic.types import Floats, Indices, Matrix

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer
    from laconic.text.weighting import Weighting

# The fields that `RuntimeModel` has too.
SHARED = ("words", "weights", "text", "notes", "classifier", "solved", "gap")


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
        assert self.runtime is not None  # raises if the parts do not belong together

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
        classifier : what the model was trained with
        """
        named = _named(_savable(model), classes)
        words = _vocabulary(vectorizer, weighting, vocabulary)
        weights = word_weights(weighting)
        if not len(words) == named.n_features_in == len(weighting.features_):
            raise LaconicError(
                f"the model reads {named.n_features_in:,} columns, the weighting has "
                f"{len(weighting.features_):,}, the vocabulary {len(words):,}. Give those that the "
                "model was trained with."
            )
        text = None if vectorizer is None else text_settings(vectorizer)
        if named.normalize == "selected" or weights.length is None:
            columns = named.features
            named, words = _over(named, columns), words[columns]
            weights = weights.over(columns)
        settings = classifier if classifier is not None else ClassifierSettings()
        return cls(named, tuple(words.tolist()), weights, text, tuple(notes), settings)

    def __getstate__(self) -> dict[str, Any]:
        """The fields only: some cached values cannot be sent to other processes."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, in the order of decision values; of two, the second is positive."""
        return self.runtime.classes

    @property
    def n_words(self) -> int:
        """How many words the model uses; if it is not self-contained, `words` has more."""
        return self.runtime.n_words

    @property
    def features(self) -> str:
        """The kind of its features, such as "word", "char:ngrams=1-3" or "vectors"."""
        return self.runtime.features

    @property
    def self_contained(self) -> bool:
        """Whether the model needs only its own words."""
        return self.runtime.self_contained

    def vectors(self, documents: Iterable[Document] | Matrix, names: Any = None) -> csr_array:
        """The documents as weights over `words`; a model with normalize="selected" divides later.

        Parameters
        ----------
        documents : texts, or mappings of words to counts, or a matrix of counts
        names : the names of the matrix's columns
        """
        return matrix_of(self._vectors(documents, names), len(self.words))

    def decision(self, documents: Iterable[Document] | Matrix, names: Any = None) -> Floats:
        """Decision values of shape (n_docs, n_rows): one row for "sign", else one per class."""
        return self.runtime.model.values(self._vectors(documents, names))

    def predict(self, documents: Iterable[Document] | Matrix, names: Any = None) -> list[Any]:
        """The class of each document; for the rule "labels" the tuple of its classes."""
        return self.named(self.decision(documents, names))

    def named(self, decision: Floats) -> list[Any]:
        """The classes that decision values mean."""
        return self.runtime.named(decision)

    def predict_proba(self, documents: Iterable[Document] | Matrix, names: Any = None) -> Floats:
        """Probabilities of shape (n_docs, n_classes); those of a document's labels are independent.

        Only for a model with `calibration`.
        """
        return self.runtime.probabilities(self.decision(documents, names))

    def explain(
        self, document: Document, top: int | None = 10
    ) -> dict[str, list[tuple[str, float]]]:
        """The words that decided about one document, strongest first, for each class.

        The numbers of a class add up to its decision value without the intercept. For the rule
        "sign" the only entry is the second class: positive numbers support it.
        """
        return self.runtime.explain(document, top)

    def summary(self) -> str:
        """What is in the model, in a few lines."""
        from laconic.compact.summary import summary

        return summary(self)

    def save(self, file: str | PathLike[str], storage: Storage | None = None) -> None:
        """Write the model; the file appears whole or not at all.

        Parameters
        ----------
        file : path
        storage : "float64", "float32", "int16", "int8" or None, default=None
            Type of the numbers in the file. "int8" stores each coefficient as a multiple, from
            −127 to 127, of a number of its row, "int16" as one from −1023 to 1023, and both other
            numbers as float32; they are for linear models. None is the smallest type that
            changes no number: float64 for a model as it was trained, and the type of its file for
            one that was loaded. `laconic.compact.stored` gives the model as a file has it.
        """
        from laconic.compact.model_file import write

        write(self.runtime, file, storage)

    def to_bytes(self, storage: Storage | None = None) -> bytes:
        """What `save` writes, for a model that is stored elsewhere: in a page or a database."""
        from laconic.compact.model_file import bytes_of

        return bytes_of(self.runtime, storage)

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
        from laconic.runtime.model_file import load

        read = load(file, trusted=trusted)
        training = read.notes, read.classifier, read.solved, read.gap
        return cls(_trained_model(read), read.words, read.weights, read.text, *training)

    @cached_property
    def runtime(self) -> RuntimeModel:
        """The part that reads texts and predicts, in plain arrays."""
        return RuntimeModel(
            _decision(self.model),
            self.model.size,
            self.model.rule,
            tuple(self.model.classes.tolist()),
            **{name: getattr(self, name) for name in SHARED},
            thresholds=getattr(self.model, "thresholds", None),
            calibration=getattr(self.model, "calibration", None),
        )

    def _vectors(self, documents: Iterable[Document] | Matrix, names: Any) -> Vectors:
        if names is None:
            return self.runtime.vectors(documents)
        return self.runtime.weighted(counts_of_matrix(documents, names, self.runtime.terms))


def _decision(model: LinearModel | KernelModel) -> LinearDecision | KernelDecision:
    if isinstance(model, KernelModel):
        return model.runtime
    by_word = csc_array(model.coef)
    coefficients = Coefficients(
        by_word.indptr.astype(np.int64),
        by_word.indices.astype(np.int32),
        np.asarray(by_word.data),
        model.intercept.size,
    )
    return LinearDecision(coefficients, model.intercept, model.normalize)


def _trained_model(read: RuntimeModel) -> LinearModel | KernelModel:
    """The reverse of `_decision`."""
    model = read.model
    classes = np.array([*read.classes, None], dtype=object)[:-1]
    if isinstance(model, LinearDecision):
        coefficients = model.coefficients
        coef = csc_array(
            (coefficients.values, coefficients.rows, coefficients.firsts),
            shape=(coefficients.n_rows, coefficients.n_words),
        )
        decision = coef, model.intercept, classes, read.size, model.normalize, read.rule
        return LinearModel(*decision, read.thresholds, read.calibration)
    reduction = (
        Projection(model.reduction.array())
        if model.terms is None
        else Selection(model.terms, model.term_weights, model.n_words)
    )
    machine = model.support, model.dual, model.intercept, model.gamma
    return KernelModel(reduction, *machine, classes, read.rule, model.normalize)


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


def _over(model: LinearModel | KernelModel, words: Indices) -> LinearModel | KernelModel:
    """The model over these columns only, which are all that it uses."""
    if isinstance(model, KernelModel):
        return model.over(words)
    return replace(model, coef=csr_array(model.coef)[:, words])
