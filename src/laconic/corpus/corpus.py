"""`Corpus`: labelled documents, as texts or as vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.stored_texts import StoredTexts, texts_at
from laconic.errors import CorpusError
from laconic.types import Indices

T = TypeVar("T")
TRAIN, TEST, UNUSED = "train", "test", ""
# Words of a split for documents that are used like training documents: in the folds.
VALIDATION = frozenset({"dev", "development", "val", "valid", "validation"})


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents with labels: either `texts`, or `vectors` over a `vocabulary`.

    Parameters
    ----------
    name : str
    labels : tuple of tuples of str
        The labels of each document, in file order; `()` is a document without any class.
    ids : tuple of str
        Unique names of the documents.
    texts : tuple of str, or StoredTexts if they are too many for memory, optional
    vectors : csr_array of shape (n_docs, n_terms), optional
        Counts or weights. Stored with sorted indices, without duplicates or explicit zeros: a
        stored entry is an occurrence. A matrix in another form is copied.
    vocabulary : tuple of str, optional
        The names of the columns of `vectors`.
    split : tuple of str, optional
        "train", "test" or "" (unused) for each document; None if the corpus has no split.
        Readers take validation documents ("dev", "val", "valid", "validation") as "train".
    groups : tuple of str, optional
        The group (author, thread, patient) of each document: one group is on one side of every
        random split and fold. A document with "" is a group of its own.
    times : tuple of float, optional
        The time of each document: random splits and folds train on the past. Not with `groups`.
    classes : tuple of str, optional
        All classes; by default those that occur, sorted.
    multilabel : bool, optional
        Whether a document may have any number of labels; by default, whether any document has
        none or several.
    notes : tuple of str
        Remarks of the reader, such as bytes replaced or rows dropped.
    """

    name: str
    labels: tuple[tuple[str, ...], ...] = field(repr=False)
    ids: tuple[str, ...] = field(repr=False)
    texts: tuple[str, ...] | StoredTexts | None = field(default=None, repr=False)
    vectors: csr_array | None = field(default=None, repr=False)
    vocabulary: tuple[str, ...] | None = field(default=None, repr=False)
    split: tuple[str, ...] | None = field(default=None, repr=False)
    groups: tuple[str, ...] | None = field(default=None, repr=False, kw_only=True)
    times: tuple[float, ...] | None = field(default=None, repr=False, kw_only=True)
    classes: tuple[str, ...] = ()
    multilabel: bool | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.texts is None) == (self.vectors is None):
            raise TypeError(f"Corpus {self.name}: give either texts or vectors, not both")
        if self.vectors is not None and (
            self.vocabulary is None or len(self.vocabulary) != self.vectors.shape[1]
        ):
            raise TypeError(
                f"Corpus {self.name}: vectors need a vocabulary with one name per column"
            )
        if self.vectors is not None:
            object.__setattr__(self, "vectors", _canonical(self.vectors))
        n_docs = self.vectors.shape[0] if self.vectors is not None else len(self.texts or ())
        optional = [v for v in (self.split, self.groups, self.times) if v is not None]
        if {len(self.labels), len(self.ids), *map(len, optional)} != {n_docs}:
            raise TypeError(
                f"Corpus {self.name}: labels, ids, split, groups, times and documents differ in "
                "number"
            )
        if self.groups is not None and self.times is not None:
            raise TypeError(f"Corpus {self.name}: give either groups or times, not both")
        if not self.classes:
            occurring = sorted({label for labels in self.labels for label in labels})
            object.__setattr__(self, "classes", tuple(occurring))
        if self.multilabel is None:
            multilabel = any(len(labels) != 1 for labels in self.labels)
            object.__setattr__(self, "multilabel", multilabel)

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, documents: Iterable[int] | np.ndarray) -> Corpus:
        """The corpus of the documents at these positions, in this order. Keeps `classes`."""
        positions = np.asarray(list(documents), dtype=np.intp)

        def pick(values: Sequence[T]) -> tuple[T, ...]:
            return tuple(values[i] for i in positions)

        taken = replace(
            self,
            labels=pick(self.labels),
            ids=pick(self.ids),
            texts=None if self.texts is None else texts_at(self.texts, positions),
            vectors=None if self.vectors is None else self.vectors[positions],
            split=None if self.split is None else pick(self.split),
            groups=None if self.groups is None else pick(self.groups),
            times=None if self.times is None else pick(self.times),
        )
        if "first_copies" in self.__dict__:
            # texts are compared once: in a large corpus that is a pass over the disk
            taken.__dict__["first_copies"] = first_equal(self.first_copies[positions].tolist())
        return taken

    def part(self, name: str) -> np.ndarray:
        """Positions of the documents of one part of the split, "train" or "test"."""
        if self.split is None:
            raise CorpusError(
                f"the {name} part of {self.name} was requested, but the corpus has no split. "
                "Use cross-validation folds or random splits instead."
            )
        return np.flatnonzero(np.asarray(self.split, dtype=object) == name)

    @cached_property
    def class_counts(self) -> dict[str, int]:
        """Documents per class, in the order of `classes`."""
        counts = Counter(label for labels in self.labels for label in labels)
        return {label: counts[label] for label in self.classes}

    @cached_property
    def first_copies(self) -> Indices:
        """For each document the first one with the same text, without white space around it.

        Vectors are the same if their entries are.
        """
        if isinstance(self.texts, StoredTexts):
            return self.texts.first_copies()
        if self.texts is not None:
            return first_equal(map(str.strip, self.texts))
        assert self.vectors is not None
        ends, columns, values = self.vectors.indptr, self.vectors.indices, self.vectors.data
        rows = map(slice, ends[:-1], ends[1:])
        return first_equal((columns[row].tobytes(), values[row].tobytes()) for row in rows)

    @cached_property
    def n_copies(self) -> int:
        """The number of documents that repeat an earlier one."""
        return int((self.first_copies != np.arange(len(self))).sum())

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that results depend on: documents, labels, ids, split, vocabulary.

        `multilabel` is part of it, because it decides the target; so are groups and times.
        """
        digest = sha256(bytes([bool(self.multilabel)]))

        def feed(values: Iterable[str]) -> None:
            encoded = (value.encode("utf-8", "surrogatepass") for value in values)
            for raw in values.encoded() if isinstance(values, StoredTexts) else encoded:
                digest.update(len(raw).to_bytes(8, "little"))
                digest.update(raw)

        for values in (
            self.ids,
            self.split or (),
            self.classes,
            self.texts or (),
            self.vocabulary or (),
        ):
            digest.update(len(values).to_bytes(8, "little"))
            feed(values)
        for labels in self.labels:
            digest.update(len(labels).to_bytes(8, "little"))
            feed(labels)
        if self.groups is not None:
            digest.update(b"groups")
            feed(self.groups)
        if self.times is not None:
            digest.update(b"times")
            digest.update(np.array(self.times, dtype=np.float64).tobytes())
        if self.vectors is not None:
            for array, dtype in (
                (self.vectors.indptr, np.int64),
                (self.vectors.indices, np.int64),
                (self.vectors.data, np.float64),
            ):
                digest.update(np.ascontiguousarray(array, dtype=dtype).tobytes())
        return digest.hexdigest()


def first_equal(values: Iterable[Hashable]) -> Indices:
    """For each value the position of the first that is equal."""
    first: dict[Hashable, int] = {}
    return np.array([first.setdefault(v, i) for i, v in enumerate(values)], dtype=np.intp)


def _canonical(vectors: csr_array) -> csr_array:
    """`vectors` in the form that `Corpus` guarantees; copied if they are in another form."""
    if vectors.has_canonical_format and vectors.data.all():
        return vectors
    vectors = vectors.copy()
    vectors.sum_duplicates()
    vectors.eliminate_zeros()
    return vectors
