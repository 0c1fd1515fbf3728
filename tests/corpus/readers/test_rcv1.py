from __future__ import annotations

import gzip
import struct
from hashlib import sha256
from pathlib import Path

import pytest

from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.rcv1 import N_TERMS, PUBLISHED_TEST, read_rcv1, vector_hash
from laconic.errors import CorpusError

TOPICS = "index\tcode\tdocs\n0\tC11\t9\n1\tCCAT\t9\n2\tM11\t9\n3\tM142\t9\n"
SUBSETS = {
    1: "0,1 1:0.6 3:0.8\n2 2:1\n1 47236:1\n",
    2: "0 1:0.6 3:0.8\n3,1 5:1\n1:1\n",
}


def subsets(folder: Path, texts: dict[int, str] = SUBSETS, topics: str = TOPICS) -> Path:
    (folder / "rcv1_topics.tsv").write_text(topics)
    for number, text in texts.items():
        packed = gzip.compress(text.encode())
        (folder / f"rcv1subset{number}.svm.gz").write_bytes(packed)
    return folder


def published(folder: Path, **texts: str) -> Path:
    """The layout of LYRL2004: two blanks after the id, and the topics in a file of triples."""
    (folder / "lyrl2004_vectors_train.dat").write_text(
        texts.get("train", "2286  1:0.6 3:0.8\n2287  2:1\n")
    )
    for part, name in enumerate(PUBLISHED_TEST):
        (folder / name).write_text(f"{26151 + part}  {part + 4}:1\n")
    judged = texts.get("qrels", "E11 2286 1\nECAT 2286 1\nM11 2287 1\nMCAT 2287 1\nECAT 26151 1\n")
    (folder / "rcv1-v2.topics.qrels.gz").write_bytes(gzip.compress(judged.encode()))
    return folder


def columns(corpus: Corpus, document: int) -> list[int]:
    assert corpus.vectors is not None
    return corpus.vectors[[document]].indices.tolist()


def test_subsets_are_pooled_and_repeated_vectors_dropped(tmp_path: Path) -> None:
    corpus = read_rcv1(subsets(tmp_path), ReadOptions())
    assert corpus.ids == ("subset1/0", "subset1/1", "subset1/2", "subset2/1", "subset2/2")
    assert corpus.labels == (
        ("C11", "CCAT"),
        ("M11", "MCAT"),
        ("CCAT",),
        ("M142", "CCAT", "MCAT"),
        (),
    )
    assert [columns(corpus, document) for document in range(3)] == [[0, 2], [1], [47235]]
    assert corpus.vectors is not None
    assert corpus.vectors.shape == (5, N_TERMS)
    assert corpus.classes == ("C11", "CCAT", "M11", "M142", "MCAT")
    assert "1 repeated vector left out, 1 of them with other topics" in corpus.notes[0]
    assert any("MCAT is not in the files" in note for note in corpus.notes)


def test_mcat_of_the_file_stays(tmp_path: Path) -> None:
    corpus = read_rcv1(subsets(tmp_path, topics=TOPICS.replace("C11", "MCAT")), ReadOptions())
    assert corpus.classes == ("CCAT", "M11", "M142", "MCAT")
    assert not any("MCAT" in note for note in corpus.notes)


def test_the_split_is_a_function_of_the_vector(tmp_path: Path) -> None:
    texts = {1: "".join(f"{i % 4} {i + 1}:1\n" for i in range(400))}
    reordered = {2: "".join(f"0,1 {i + 1}:1\n2 {i + 2}:1\n" for i in reversed(range(0, 400, 2)))}
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    parts = []
    for folder, content in (("a", texts), ("b", reordered)):
        corpus = read_rcv1(subsets(tmp_path / folder, content), ReadOptions())
        assert corpus.split is not None
        part = {columns(corpus, i)[0]: corpus.split[i] for i in range(len(corpus))}
        parts.append(part)
    assert parts[0] == parts[1]
    for column, part in parts[0].items():
        number = int.from_bytes(sha256(struct.pack("<id", column + 1, 1.0)).digest(), "big")
        assert part == ("test" if number % 5 == 0 else "train")


def test_the_hash_of_a_vector_is_that_of_its_bytes() -> None:
    key = vector_hash([1, 3], [0.6, 0.8])
    assert key == sha256(struct.pack("<2i2d", 1, 3, 0.6, 0.8)).digest()
    assert vector_hash([1, 3], [0.8, 0.6]) != key != vector_hash([1, 4], [0.6, 0.8])


def test_the_published_form(tmp_path: Path) -> None:
    corpus = read_rcv1(published(tmp_path), ReadOptions())
    assert corpus.ids == ("2286", "2287", "26151", "26152", "26153", "26154")
    assert corpus.split == ("train", "train", "test", "test", "test", "test")
    assert corpus.labels[:3] == (("E11", "ECAT"), ("M11", "MCAT"), ("ECAT",))
    assert [columns(corpus, document) for document in range(4)] == [[0, 2], [1], [3], [4]]
    assert corpus.classes == ("E11", "ECAT", "M11", "MCAT")
    assert corpus.notes == ("3 documents have no topic in rcv1-v2.topics.qrels",)
    assert corpus.vocabulary is not None
    assert corpus.vocabulary[:2] == ("1", "2")


def test_stems_name_the_columns(tmp_path: Path) -> None:
    (tmp_path / "stem.termid.idf.map.txt").write_text("bak 2 4.5\naa 1 9.1\nzur 47236 1\n")
    vocabulary = read_rcv1(published(tmp_path), ReadOptions()).vocabulary
    assert vocabulary is not None
    assert (vocabulary[:3], vocabulary[-1]) == (("aa", "bak", "3"), "zur")


def test_a_missing_test_file_is_noted(tmp_path: Path) -> None:
    (published(tmp_path) / PUBLISHED_TEST[3]).unlink()
    assert "pt3" in read_rcv1(tmp_path, ReadOptions()).notes[0]


@pytest.mark.parametrize(
    ("texts", "file", "line", "message"),
    [
        ({"train": "2286  1:1\n2287  x\n"}, "lyrl2004_vectors_train.dat", 2, "found 'x'"),
        ({"train": "2286  1:1\n2287  0:1\n"}, "lyrl2004_vectors_train.dat", 2, "from 1 to 47,236"),
        ({"train": "1:1\n"}, "lyrl2004_vectors_train.dat", 1, "a document id"),
        ({"qrels": "E11 2286 1\nE11 2287\n"}, "rcv1-v2.topics.qrels.gz", 2, "TOPIC document 1"),
    ],
)
def test_a_bad_line_of_the_published_form(
    tmp_path: Path, texts: dict[str, str], file: str, line: int, message: str
) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read_rcv1(published(tmp_path, **texts), ReadOptions())
    assert (caught.value.where, caught.value.line) == (str(tmp_path / file), line)


@pytest.mark.parametrize(
    ("line", "message"),
    [("4 1:1", "from 0 to 3"), ("x 1:1", "from 0 to 3"), ("1 47237:1", "47,236"), ("1 :", "index")],
)
def test_a_bad_line_of_a_subset(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read_rcv1(subsets(tmp_path, {1: f"0 1:1\n{line}\n"}), ReadOptions())
    assert (caught.value.where, caught.value.line) == (str(tmp_path / "rcv1subset1.svm.gz"), 2)


def test_topics_in_wrong_order_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"rcv1_topics\.tsv, line 3: expected topic 1 and"):
        read_rcv1(subsets(tmp_path, topics=TOPICS.replace("1\tCCAT", "2\tCCAT")), ReadOptions())


def test_a_folder_without_rcv1(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="neither lyrl2004_vectors_train"):
        read_rcv1(tmp_path, ReadOptions())
    (tmp_path / "rcv1subset1.svm").write_text("0 1:1\n")
    with pytest.raises(CorpusError, match=r"rcv1_topics\.tsv, plain or compressed, was not found"):
        read_rcv1(tmp_path, ReadOptions())
