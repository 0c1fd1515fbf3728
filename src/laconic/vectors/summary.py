"""`Card`: what is in a corpus, and what looks wrong about it. Facts only; others print them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.vectors.problem import CountedCorpus
from laconic.vectors.vectorizer import Vectorizer

FEW = 5


@dataclass(frozen=True)
class CorpusSummary:
    """Counts of a corpus. `words` are totals a document: least, median, most."""

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
        counts: csr_array | None = None,
    ) -> CorpusSummary:
        """Count everything once; `counts` where the words have been counted already."""
        if counts is None:
            counts = CountedCorpus.of(corpus, vectorizer).counts
        lengths = np.asarray(counts.sum(axis=1)).ravel()
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
            problems=(*corpus.notes, *_problems(corpus, np.diff(counts.indptr))),
        )


def _problems(corpus: Corpus, distinct_words: np.ndarray) -> list[str]:
    found = []
    if empty := int((distinct_words == 0).sum()):
        found.append(f"{empty:,} documents have no word left (kept)")
    if repeats := _repeated(corpus):
        found.append(f"{repeats:,} documents repeat the text of an earlier one (kept)")
    rare = sum(count < FEW for count in corpus.class_counts.values())
    if rare:
        found.append(f"{rare:,} classes have fewer than {FEW} documents")
    for part, absent in _missing_classes(corpus).items():
        if absent:
            found.append(f"{absent:,} classes have no {part} document")
    return found


def _repeated(corpus: Corpus) -> int:
    return 0 if corpus.texts is None else len(corpus.texts) - len(set(corpus.texts))


def _missing_classes(corpus: Corpus) -> dict[str, int]:
    if corpus.split is None:
        return {}
    present: dict[str, set[str]] = {TRAIN: set(), TEST: set()}
    for labels, part in zip(corpus.labels, corpus.split, strict=True):
        if part in present:
            present[part].update(labels)
    names = {TRAIN: "training", TEST: "test"}
    return {names[part]: len(set(corpus.classes) - seen) for part, seen in present.items()}
