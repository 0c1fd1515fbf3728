"""`CorpusBuilder`: readers add documents to it, and it makes the `Corpus`.

A reader is a function `(where, options: ReadOptions) -> Corpus` that opens the file through
`io.streams`, reads it once and adds each document to a `CorpusBuilder`, which checks labels and
ids, so every format gives the same messages.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from os import PathLike, fspath
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.stored_texts import StoredTexts, TextStore
from laconic.errors import CorpusError
from laconic.types import Int64s

# A column takes about 200 bytes, most of it for its name, so this many are always affordable.
FEW_COLUMNS = 1 << 16


def amount(number: int, singular: str, plural: str) -> str:
    """`1 document has` or `2 documents have`, for messages."""
    return f"{number:,} {singular if number == 1 else plural}"


def validation_note(number: int) -> str:
    documents = amount(number, "validation document is", "validation documents are")
    return f"{documents} used for training"


class CorpusBuilder:
    """Collects documents, checks their labels and ids, and makes the `Corpus`.

    `multilabel=True` means that a document with labels `()` is a document of no class (Reuters,
    RCV1, Mulan), not one whose label is missing; a reader may set it after the first documents.
    Labels `None` are always missing.
    """

    def __init__(
        self, where: str | PathLike[str], options: ReadOptions, *, multilabel: bool | None = None
    ) -> None:
        self.where = fspath(where)
        self.options = options
        self.multilabel = multilabel
        self.notes: list[str] = []
        self._texts = TextStore(parent=options.engine.folder if options.engine else None)
        self._indices, self._values, self._ends = array("q"), array("d"), array("q", [0])
        self._labels: list[tuple[str, ...]] = []
        self._split: list[str] = []
        self._groups: list[str] = []
        self._times = array("d")
        self._lines = array("q")
        self._seen: dict[str, int] = {}
        self._kinds: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._unlabelled = 0
        self._first_unlabelled: tuple[str, int | None] | None = None
        # the files, and the number of documents before each
        self._files, self._first_documents = [self.where], array("q", [0])

    def begin_file(self, where: str) -> None:
        """The documents from here on are of this file."""
        self._files.append(where)
        self._first_documents.append(len(self._labels))

    def add_text(
        self,
        text: str | None,
        labels: Sequence[str] | None,
        *,
        id: str | None = None,
        split: str | None = None,
        group: str | None = None,
        time: float | None = None,
        line: int | None = None,
    ) -> bool:
        """Whether the document is in the corpus; without a text, `add_stored` adds it later."""
        if not self._accept(labels, id, split, line):
            return False
        if text is not None:
            self._texts.append(text)
        if group is not None:
            self._groups.append(group)
        if time is not None:
            self._times.append(time)
        return True

    def add_stored(self, texts: Sequence[str], chosen: Sequence[int]) -> None:
        """Add those of the texts that are at these positions, for documents without a text."""
        if isinstance(texts, StoredTexts):
            self._texts.extend(texts.take(np.array(chosen, dtype=np.intp)))
        else:
            self._texts.extend([texts[at] for at in chosen])

    def folder(self) -> Path:
        """A temporary folder for texts, which stays as long as the corpus needs it."""
        return self._texts.folder()

    def close(self) -> None:
        """Remove temporary files; the corpus will not be made."""
        self._texts.close()

    def add_vector(
        self,
        indices: Iterable[int],
        values: Iterable[float],
        labels: Sequence[str] | None,
        *,
        id: str | None = None,
        split: str | None = None,
        line: int | None = None,
    ) -> None:
        """`indices` in any order; repeated ones are summed."""
        if self._accept(labels, id, split, line):
            self._indices.extend(indices)
            self._values.extend(values)
            self._ends.append(len(self._indices))

    def _accept(
        self, labels: Sequence[str] | None, id: str | None, split: str | None, line: int | None
    ) -> bool:
        if labels is None or (not labels and not self.multilabel):
            self._unlabelled += 1
            if self._first_unlabelled is None:
                self._first_unlabelled = self._files[-1], line
            if self.options.unlabelled != "keep":
                return False
        position = len(self._labels)
        if id is not None and self._seen.setdefault(id, position) != position:
            raise self._repeated(id, line)
        kind = tuple(dict.fromkeys(labels or ()))
        if "" in kind:
            raise CorpusError(
                "a label is empty. Give it a name, or remove it.", where=self._files[-1], line=line
            )
        self._labels.append(self._kinds.setdefault(kind, kind))
        self._split.append(split or "")
        self._lines.append(line or 0)
        return True

    def _repeated(self, id: str, line: int | None) -> CorpusError:
        file, first = self._place(self._seen[id])
        places = [file] if file != self._files[-1] else []
        places += [f"line {first}"] if first else []
        return CorpusError(
            f"the id {id!r} occurs twice"
            + (f" (first in {', '.join(places)})" if places else "")
            + ". Ids must be distinct: name another id column, or none.",
            where=self._files[-1],
            line=line,
        )

    def _place(self, document: int) -> tuple[str, int | None]:
        """The file and the line of a document."""
        at = bisect_right(self._first_documents, document) - 1
        return self._files[at], self._lines[document] or None

    def columns(self, first: int, last: int, named: Collection[int] = ()) -> Int64s:
        """The indices that get a column, ascending.

        These are all from `first` to `last` if they are few or no more than the entries. Otherwise
        they are those that occur or are `named`, so that one large index does not fill the memory
        with unused columns.
        """
        if last - first < max(FEW_COLUMNS, len(self._indices) + len(named)):
            return np.arange(first, last + 1)
        chosen = np.union1d(self._indices, np.fromiter(named, np.int64, len(named)))
        self.notes.append(
            f"indices go up to {last:,}, but only {len(chosen):,} of them occur or have a name: "
            "the others have no column"
        )
        return chosen

    def corpus(
        self,
        name: str,
        *,
        vocabulary: Sequence[str] | None = None,
        columns: Int64s | None = None,
        classes: Sequence[str] = (),
    ) -> Corpus:
        """The corpus of the documents added, with `classes` where the file declares them.

        Vectors need a `vocabulary`; `columns` are the indices that it names, ascending, by default
        0, 1, 2, …
        """
        self._check_labels()
        vectors = None if vocabulary is None else self._matrix(len(vocabulary), columns)
        return Corpus(
            name=name,
            labels=tuple(self._labels),
            ids=self._ids(),
            texts=self._texts.texts() if vocabulary is None else None,
            vectors=vectors,
            vocabulary=None if vocabulary is None else tuple(vocabulary),
            split=tuple(self._split) if any(self._split) else None,
            groups=tuple(self._groups) or None,
            times=tuple(self._times) or None,
            classes=tuple(classes),
            multilabel=self.multilabel,
            notes=tuple(self.notes),
        )

    def _ids(self) -> tuple[str, ...]:
        """The ids of the documents; by default their positions."""
        return tuple(self._seen) or tuple(map(str, range(len(self._labels))))

    def _check_labels(self) -> None:
        total = len(self._labels) + (self._unlabelled if self.options.unlabelled != "keep" else 0)
        if total == 0:
            raise CorpusError(
                "it has no documents. A corpus needs at least one document in each of two classes.",
                where=self.where,
            )
        if self._unlabelled:
            have = "has" if self._unlabelled == 1 else "have"
            message = f"{self._unlabelled:,} of {total:,} documents {have} no label"
            if self.options.unlabelled == "error":
                assert self._first_unlabelled is not None
                where, line = self._first_unlabelled
                raise CorpusError(
                    f"{message} (this is the first). Label them, or pass --unlabelled drop to "
                    "leave them out, or --unlabelled keep to keep them without a class.",
                    where=where,
                    line=line,
                )
            dropped = self.options.unlabelled == "drop"
            self.notes.append(f"{message}: {'left out' if dropped else 'kept without a class'}")
        kinds = set(self._labels)
        if len(kinds) < 2:
            only = ", ".join(next(iter(kinds), ())) or "none"
            raise CorpusError(
                f"all {len(self._labels):,} documents have the same label ({only}). A classifier "
                "needs at least two classes: is this the right label column?",
                where=self.where,
            )

    def _matrix(self, n_terms: int, columns: Int64s | None) -> csr_array:
        small = max(n_terms, len(self._indices)) < np.iinfo(np.int32).max
        dtype = np.int32 if small else np.int64
        indices = np.array(self._indices, dtype=np.int64)
        if columns is not None:
            indices = np.searchsorted(columns, indices)
        vectors = csr_array(
            (
                np.array(self._values, dtype=np.float64),
                indices.astype(dtype),
                np.array(self._ends, dtype=dtype),
            ),
            shape=(len(self._labels), n_terms),
        )
        vectors.sum_duplicates()
        vectors.eliminate_zeros()  # a stored entry is an occurrence
        self._refuse_overflow(vectors)
        return vectors

    def _refuse_overflow(self, vectors: csr_array) -> None:
        """Values of the file are finite, but the sum of repeated ones may overflow."""
        infinite = np.flatnonzero(~np.isfinite(vectors.data))
        if not infinite.size:
            return
        document = int(np.searchsorted(vectors.indptr, infinite[0], side="right")) - 1
        raise CorpusError(
            f"the values of one index of document {self._ids()[document]!r} add up to more than a "
            "float can hold. Write each index once, with a finite value.",
            where=self.where,
            line=self._lines[document] or None,
        )
