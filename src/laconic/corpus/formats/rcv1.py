"""RCV1-v2 topic vectors: as LYRL2004 publish them, or as repaired LIBSVM subsets.

The subsets repeat documents, so they are pooled and each vector is kept once. Their split is by
content: sha256 of a vector's indices (as in the file, little-endian int32) and then values
(little-endian float64), read as a big-endian number; a multiple of 5 is a test document.
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
from laconic.corpus.formats.columns import clipped, column_of, distinct, inside, plain_name
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.opening import lines
from laconic.corpus.formats.svmlight import Example, examples
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

N_TERMS = 47_236
TOPICS, QRELS, STEMS = "rcv1_topics.tsv", "rcv1-v2.topics.qrels", "stem.termid.idf.map.txt"
PUBLISHED_TRAIN = "lyrl2004_vectors_train.dat"
PUBLISHED_TEST = tuple(f"lyrl2004_vectors_test_pt{part}.dat" for part in range(4))


def read_rcv1(where: Where, reading: ReadOptions) -> Corpus:
    """`where` is the folder of either form; topics are labels, and a document has any number."""
    gathering = CorpusBuilder(where, reading, multilabel=True)
    subsets = sorted(Path(fspath(where)).glob("rcv1subset*.svm*"))
    if is_published(where):
        topics = _gather_published(gathering)
    elif subsets:
        topics = _gather_subsets(gathering, subsets)
    else:
        raise CorpusError(
            f"RCV1 was asked for, but here is neither {PUBLISHED_TRAIN} nor rcv1subset1.svm. "
            "Name the folder that holds one of them, plain or compressed.",
            where=where,
        )
    return gathering.corpus("rcv1", vocabulary=_stems(where, reading), classes=sorted(topics))


def is_published(where: Where) -> bool:
    """Whether the folder holds RCV1 as LYRL2004 publish it, and not the LIBSVM subsets."""
    return inside(where, PUBLISHED_TRAIN) is not None


def vector_hash(indices: Sequence[int], values: Sequence[float]) -> bytes:
    """The identity of a vector; it also decides its side of the split."""
    digest = sha256(np.array(indices, dtype="<i4").tobytes())
    digest.update(np.array(values, dtype="<f8").tobytes())
    return digest.digest()


def _gather_subsets(gathering: CorpusBuilder, subsets: Sequence[Path]) -> set[str]:
    topics = _topic_codes(gathering.where, gathering.reading)
    seen: dict[bytes, list[str]] = {}
    repeated = disagreeing = 0
    for id, example, file in _subset_examples(subsets, gathering.reading):
        labels = _with_mcat(_topics_of(example, topics, file))
        key = vector_hash(example.indices, example.values)
        if key in seen:
            repeated += 1
            disagreeing += seen[key] != labels
            continue
        seen[key] = labels
        part = TEST if int.from_bytes(key, "big") % 5 == 0 else TRAIN
        gathering.add_vector(_columns_of(example, file), example.values, labels, id=id, split=part)
    gathering.notes += [
        f"{amount(repeated, 'repeated vector', 'repeated vectors')} left out, "
        f"{disagreeing:,} of them with other topics than the first, which is kept",
        "split by a hash of the vector: about 4 of 5 documents train, the others test",
    ]
    if "MCAT" not in topics and any("MCAT" in labels for labels in seen.values()):
        gathering.notes.append("MCAT is not in the files: given to documents with another M topic")
        return {*topics, "MCAT"}
    return set(topics)


def _subset_examples(
    subsets: Sequence[Path], reading: ReadOptions
) -> Iterator[tuple[str, Example, Path]]:
    for file in subsets:
        prefix = plain_name(file).partition(".")[0].removeprefix("rcv1")
        for number, example in enumerate(examples(lines(file, reading), file)):
            yield f"{prefix}/{number}", example, file


def _with_mcat(topics: list[str]) -> list[str]:
    """The subsets lack the parent of the market topics; Reuters gave it to all their documents."""
    if "MCAT" not in topics and any(topic.startswith("M1") for topic in topics):
        return [*topics, "MCAT"]
    return topics


def _topic_codes(where: Where, reading: ReadOptions) -> list[str]:
    file = _needed(where, TOPICS)
    codes: list[str] = []
    for line, text in lines(file, reading):
        fields = text.split("\t")
        if line == 1 or not text.strip():
            continue
        if len(fields) < 2 or fields[0] != str(len(codes)) or not fields[1].strip():
            raise CorpusError(
                f"topic {len(codes)} and its code, separated by a tab, were expected, but found "
                f"{clipped(text)}. Topics are counted from 0 after a header.",
                where=file,
                line=line,
            )
        codes.append(fields[1].strip())
    return codes


def _topics_of(example: Example, topics: Sequence[str], file: Path) -> list[str]:
    indices = [] if example.label is None else example.label.split(",")
    chosen = [topics[index] for token in indices if (index := _below(token, len(topics))) >= 0]
    if len(chosen) == len(indices):
        return chosen
    raise CorpusError(
        f"topics are whole numbers from 0 to {len(topics) - 1}, separated by commas, but found "
        f"{clipped(example.label or '')}. Is {TOPICS} the list of this file?",
        where=file,
        line=example.line,
    )


def _below(token: str, limit: int) -> int:
    index = column_of(token)
    return index if index is not None and index < limit else -1


def _columns_of(example: Example, file: Path) -> list[int]:
    if example.indices and not 1 <= min(example.indices) <= max(example.indices) <= N_TERMS:
        raise CorpusError(
            f"indices from 1 to {N_TERMS:,} were expected, but found some from "
            f"{min(example.indices)} to {max(example.indices)}. Is this RCV1-v2?",
            where=file,
            line=example.line,
        )
    return [index - 1 for index in example.indices]


def _gather_published(gathering: CorpusBuilder) -> set[str]:
    where, reading = gathering.where, gathering.reading
    topics = _judgements(where, reading)
    missing = [name for name in PUBLISHED_TEST if inside(where, name) is None]
    if missing:
        gathering.notes.append(f"documents are missing, because {', '.join(missing)} is not there")
    bare = 0
    for example, file, part in _published_examples(where, reading):
        labels = topics.get(example.label or "", [])
        bare += not labels
        columns, line = _columns_of(example, file), example.line
        gathering.add_vector(
            columns, example.values, labels, id=example.label, split=part, line=line
        )
    if bare:
        gathering.notes.append(
            f"{amount(bare, 'document has', 'documents have')} no topic in {QRELS}"
        )
    return {topic for of_one in topics.values() for topic in of_one}


def _published_examples(where: Where, reading: ReadOptions) -> Iterator[tuple[Example, Path, str]]:
    for name in (PUBLISHED_TRAIN, *PUBLISHED_TEST):
        file = inside(where, name)
        if file is None:
            continue
        for example in examples(lines(file, reading), file):
            if example.label is None:
                raise CorpusError(
                    "a document's id was expected first, but the line begins with index:value. Is "
                    "this the published file?",
                    where=file,
                    line=example.line,
                )
            yield example, file, TRAIN if name == PUBLISHED_TRAIN else TEST


def _judgements(where: Where, reading: ReadOptions) -> dict[str, list[str]]:
    """The topics of each document: lines `TOPIC document 1`."""
    file = _needed(where, QRELS)
    topics: dict[str, list[str]] = {}
    for _, topic, document, _ in _triples(file, reading, "TOPIC document 1"):
        topics.setdefault(document, []).append(intern(topic))
    return topics


def _stems(where: Where, reading: ReadOptions) -> tuple[str, ...]:
    """Names of all columns; a term that occurs in no training document has none but its index."""
    file = inside(where, STEMS)
    known: dict[int, str] = {}
    if file is not None:
        for line, word, token, _ in _triples(file, reading, "stem id idf"):
            index = _below(token, N_TERMS + 1)
            if index < 1:
                raise CorpusError(
                    f"a term's id from 1 to {N_TERMS:,} was expected, but found {clipped(token)}. "
                    "Is this the published file?",
                    where=file,
                    line=line,
                )
            known[index] = word
    return distinct(known.get(index, "") for index in range(1, N_TERMS + 1))


def _triples(file: Path, reading: ReadOptions, layout: str) -> Iterator[tuple[int, str, str, str]]:
    for line, text in lines(file, reading):
        fields = text.split()
        if len(fields) == 3:
            yield line, fields[0], fields[1], fields[2]
        elif fields:
            raise CorpusError(
                f"`{layout}` was expected, but found {clipped(text)}. Is this the published file?",
                where=file,
                line=line,
            )


def _needed(where: Where, name: str) -> Path:
    file = inside(where, name)
    if file is None:
        raise CorpusError(
            f"topics were looked for in {name}, plain or compressed, but it is not there. Put it "
            "into this folder.",
            where=where,
        )
    return file
