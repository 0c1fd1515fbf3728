"""RCV1-v2 topic vectors: as published by LYRL2004, or as repaired LIBSVM subsets.

The subsets repeat documents, so they are pooled and each vector is kept once. Their split is by
content: sha256 of a vector's indices (as in the file, little-endian int32) and then values
(little-endian float64), as a big-endian number; a multiple of 5 is a test document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from os import fspath
from pathlib import Path
from sys import intern

import numpy as np

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.io.limits import Where
from laconic.corpus.io.streams import read_lines
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import (
    file_in,
    parse_column,
    shortened,
    uncompressed_name,
    unique_names,
)
from laconic.corpus.readers.svmlight import Example, read_examples
from laconic.errors import CorpusError

N_TERMS = 47_236
TOPICS, QRELS, STEMS = "rcv1_topics.tsv", "rcv1-v2.topics.qrels", "stem.termid.idf.map.txt"
PUBLISHED_TRAIN = "lyrl2004_vectors_train.dat"
PUBLISHED_TEST = tuple(f"lyrl2004_vectors_test_pt{part}.dat" for part in range(4))


def read_rcv1(where: Where, options: ReadOptions) -> Corpus:
    """`where` is the folder of either form; topics are labels, any number per document."""
    builder = CorpusBuilder(where, options, multilabel=True)
    subsets = sorted(Path(fspath(where)).glob("rcv1subset*.svm*"))
    if is_published(where):
        topics = _add_published(builder)
    elif subsets:
        topics = _add_subsets(builder, subsets)
    else:
        raise CorpusError(
            f"this folder has neither {PUBLISHED_TRAIN} nor rcv1subset1.svm. "
            "Give the folder that contains one of them, plain or compressed.",
            where=where,
        )
    return builder.corpus("rcv1", vocabulary=_stems(where, options), classes=sorted(topics))


def is_published(where: Where) -> bool:
    """Whether the folder contains RCV1 as published by LYRL2004, not the LIBSVM subsets."""
    return file_in(where, PUBLISHED_TRAIN) is not None


def vector_hash(indices: Sequence[int], values: Sequence[float]) -> bytes:
    """The hash of a vector: its identity, and its part of the split."""
    digest = sha256(np.array(indices, dtype="<i4").tobytes())
    digest.update(np.array(values, dtype="<f8").tobytes())
    return digest.digest()


def _add_subsets(builder: CorpusBuilder, subsets: Sequence[Path]) -> set[str]:
    topics = _topic_codes(builder.where, builder.options)
    seen: dict[bytes, list[str]] = {}
    repeated = disagreeing = 0
    for id, example, file in _subset_examples(subsets, builder.options):
        labels = _with_mcat(_topics_of(example, topics, file))
        key = vector_hash(example.indices, example.values)
        if key in seen:
            repeated += 1
            disagreeing += seen[key] != labels
            continue
        seen[key] = labels
        part = TEST if int.from_bytes(key, "big") % 5 == 0 else TRAIN
        builder.add_vector(_columns_of(example, file), example.values, labels, id=id, split=part)
    builder.notes += [
        f"{amount(repeated, 'repeated vector', 'repeated vectors')} left out, "
        f"{disagreeing:,} of them with other topics than the first, which is kept",
        "split by a hash of the vector: about 4 of 5 documents are training documents",
    ]
    if "MCAT" not in topics and any("MCAT" in labels for labels in seen.values()):
        builder.notes.append("MCAT is not in the files: added to documents with another M topic")
        return {*topics, "MCAT"}
    return set(topics)


def _subset_examples(
    subsets: Sequence[Path], options: ReadOptions
) -> Iterator[tuple[str, Example, Path]]:
    for file in subsets:
        prefix = uncompressed_name(file).partition(".")[0].removeprefix("rcv1")
        for number, example in enumerate(read_examples(read_lines(file, options), file)):
            yield f"{prefix}/{number}", example, file


def _with_mcat(topics: list[str]) -> list[str]:
    """Add the parent of the market topics, which all their documents have but the subsets lack."""
    if "MCAT" not in topics and any(topic.startswith("M1") for topic in topics):
        return [*topics, "MCAT"]
    return topics


def _topic_codes(where: Where, options: ReadOptions) -> list[str]:
    file = _required_file(where, TOPICS)
    codes: list[str] = []
    for line, text in read_lines(file, options):
        fields = text.split("\t")
        if line == 1 or not text.strip():
            continue
        if len(fields) < 2 or fields[0] != str(len(codes)) or not fields[1].strip():
            raise CorpusError(
                f"expected topic {len(codes)} and its code, separated by a tab, but found "
                f"{shortened(text)}. Topics are numbered from 0 after a header.",
                where=file,
                line=line,
            )
        codes.append(fields[1].strip())
    return codes


def _topics_of(example: Example, topics: Sequence[str], file: Path) -> list[str]:
    indices = [] if example.label is None else example.label.split(",")
    names = [topics[index] for token in indices if (index := _index(token, len(topics))) >= 0]
    if len(names) == len(indices):
        return names
    raise CorpusError(
        f"expected topics as integers from 0 to {len(topics) - 1}, separated by commas, but found "
        f"{shortened(example.label or '')}. Does {TOPICS} belong to this file?",
        where=file,
        line=example.line,
    )


def _index(token: str, limit: int) -> int:
    """The index below `limit` that the token spells, or -1."""
    index = parse_column(token)
    return index if index is not None and index < limit else -1


def _columns_of(example: Example, file: Path) -> list[int]:
    if example.indices and not 1 <= min(example.indices) <= max(example.indices) <= N_TERMS:
        raise CorpusError(
            f"expected indices from 1 to {N_TERMS:,}, but found indices from "
            f"{min(example.indices)} to {max(example.indices)}. Is this RCV1-v2?",
            where=file,
            line=example.line,
        )
    return [index - 1 for index in example.indices]


def _add_published(builder: CorpusBuilder) -> set[str]:
    where, options = builder.where, builder.options
    topics = _read_topics(where, options)
    missing = [name for name in PUBLISHED_TEST if file_in(where, name) is None]
    if missing:
        builder.notes.append(f"documents are missing, because {', '.join(missing)} was not found")
    n_unlabelled = 0
    for example, file, part in _published_examples(where, options):
        labels = topics.get(example.label or "", [])
        n_unlabelled += not labels
        columns, line = _columns_of(example, file), example.line
        builder.add_vector(columns, example.values, labels, id=example.label, split=part, line=line)
    if n_unlabelled:
        builder.notes.append(
            f"{amount(n_unlabelled, 'document has', 'documents have')} no topic in {QRELS}"
        )
    return {topic for names in topics.values() for topic in names}


def _published_examples(where: Where, options: ReadOptions) -> Iterator[tuple[Example, Path, str]]:
    for name in (PUBLISHED_TRAIN, *PUBLISHED_TEST):
        file = file_in(where, name)
        if file is None:
            continue
        for example in read_examples(read_lines(file, options), file):
            if example.label is None:
                raise CorpusError(
                    "expected a document id first, but the line begins with index:value. Is this "
                    "the published file?",
                    where=file,
                    line=example.line,
                )
            yield example, file, TRAIN if name == PUBLISHED_TRAIN else TEST


def _read_topics(where: Where, options: ReadOptions) -> dict[str, list[str]]:
    """The topics of each document, from lines `TOPIC document 1`."""
    file = _required_file(where, QRELS)
    topics: dict[str, list[str]] = {}
    for _, topic, document, _ in _triples(file, options, "TOPIC document 1"):
        topics.setdefault(document, []).append(intern(topic))
    return topics


def _stems(where: Where, options: ReadOptions) -> tuple[str, ...]:
    """Names of all columns; a term that occurs in no training document is named by its index."""
    file = file_in(where, STEMS)
    stems: dict[int, str] = {}
    if file is not None:
        for line, word, token, _ in _triples(file, options, "stem id idf"):
            index = _index(token, N_TERMS + 1)
            if index < 1:
                raise CorpusError(
                    f"expected a term id from 1 to {N_TERMS:,}, but found {shortened(token)}. Is "
                    "this the published file?",
                    where=file,
                    line=line,
                )
            stems[index] = word
    return unique_names(stems.get(index, "") for index in range(1, N_TERMS + 1))


def _triples(file: Path, options: ReadOptions, layout: str) -> Iterator[tuple[int, str, str, str]]:
    for line, text in read_lines(file, options):
        fields = text.split()
        if len(fields) == 3:
            yield line, fields[0], fields[1], fields[2]
        elif fields:
            raise CorpusError(
                f"expected `{layout}`, but found {shortened(text)}. Is this the published file?",
                where=file,
                line=line,
            )


def _required_file(where: Where, name: str) -> Path:
    file = file_in(where, name)
    if file is None:
        raise CorpusError(
            f"the topics file {name}, plain or compressed, was not found. Put it into this folder.",
            where=where,
        )
    return file
