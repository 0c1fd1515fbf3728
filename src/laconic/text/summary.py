"""`CorpusSummary`: the counts of a corpus, and possible problems. It prints nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.text.problem import CountedCorpus
from laconic.text.vectorizer import Vectorizer
from laconic.types import Floats, Ints

MIN_DOCUMENTS = 5


@dataclass(frozen=True)
class CorpusSummary:
    """Counts of a corpus. `words` are the minimum, median and maximum of words per document."""

    name: str
    documents: int
    kind: str
    classes: dict[str, int]
    labels_per_document: float
    multilabel: bool
    train: int | None
    test: int | None
    n_features: int
    words: tuple[float, float, float]
    fingerprint: str
    problems: tuple[str, ...]

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        vectorizer: Vectorizer | None = None,
        counted: CountedCorpus | None = None,
    ) -> CorpusSummary:
        """Summarize the corpus; `counted` if its words are counted already."""
        counted = counted or CountedCorpus.of(corpus, vectorizer)
        counts = counted.counts
        lengths, distinct_words = counts.stack(_sizes)
        split = Counter(corpus.split or ())
        return cls(
            name=corpus.name,
            documents=len(corpus),
            kind="texts" if corpus.texts is not None else "vectors",
            classes=corpus.class_counts,
            labels_per_document=sum(map(len, corpus.labels)) / len(corpus),
            multilabel=bool(corpus.multilabel),
            train=split[TRAIN] if corpus.split is not None else None,
            test=split[TEST] if corpus.split is not None else None,
            n_features=counts.shape[1],
            words=(float(lengths.min()), float(np.median(lengths)), float(lengths.max())),
            fingerprint=corpus.fingerprint,
            problems=(*corpus.notes, *counted.notes, *_problems(corpus, distinct_words)),
        )


def _sizes(block: csr_array) -> tuple[Floats, Ints]:
    """Of each document, all words and the distinct ones."""
    return np.asarray(block.sum(axis=1), dtype=np.float64).ravel(), np.diff(block.indptr)


def _problems(corpus: Corpus, distinct_words: Ints) -> list[str]:
    problems = []
    if empty := int((distinct_words == 0).sum()):
        problems.append(f"{empty:,} documents have no words (kept)")
    if repeats := _repeated(corpus):
        problems.append(f"{repeats:,} documents repeat the text of an earlier one (kept)")
    rare = sum(count < MIN_DOCUMENTS for count in corpus.class_counts.values())
    if rare:
        problems.append(f"{rare:,} classes have fewer than {MIN_DOCUMENTS} documents")
    for part, absent in _missing_classes(corpus).items():
        if absent:
            problems.append(f"{absent:,} classes have no {part} document")
    return problems


def _repeated(corpus: Corpus) -> int:
    return 0 if corpus.texts is None else corpus.n_copies


def _missing_classes(corpus: Corpus) -> dict[str, int]:
    if corpus.split is None:
        return {}
    present: dict[str, set[str]] = {TRAIN: set(), TEST: set()}
    for labels, part in zip(corpus.labels, corpus.split, strict=True):
        if part in present:
            present[part].update(labels)
    names = {TRAIN: "training", TEST: "test"}
    return {names[part]: len(set(corpus.classes) - seen) for part, seen in present.items()}
