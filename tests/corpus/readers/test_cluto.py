from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.cluto import read_cluto
from laconic.errors import CorpusError
from tests.corpus.readers.matrices import Labelled, almost, entries, labelled

MATRIX = "3 4 4\n1 2 4 1\n\n2 0.5 3 1\n"
CLASSES = "tea\ncoffee\ntea\n"


def read(folder: Path, matrix: str = MATRIX, classes: str = CLASSES) -> Corpus:
    (folder / "a.mat").write_text(matrix, encoding="utf-8")
    (folder / "a.mat.rclass").write_text(classes, encoding="utf-8")
    return read_cluto(folder / "a.mat", ReadOptions())


def dense(corpus: Corpus) -> list[list[float]]:
    assert corpus.vectors is not None
    return corpus.vectors.toarray().tolist()


def test_a_matrix_and_its_labels(tmp_path: Path) -> None:
    corpus = read(tmp_path)
    assert dense(corpus) == [[2, 0, 0, 1], [0, 0, 0, 0], [0, 0.5, 1, 0]]
    assert corpus.labels == (("tea",), ("coffee",), ("tea",))
    assert corpus.vocabulary == ("1", "2", "3", "4")
    assert (corpus.name, corpus.multilabel) == ("a", False)


def test_names_of_its_own_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.mat.clabel.gz").write_bytes(gzip.compress(b"ant\n?\n?\ncat\n"))
    (tmp_path / "shared.clabel").write_text("a\nb\nc\nd\n")
    assert read(tmp_path).vocabulary == ("ant", "?", "?#3", "cat")


def test_names_of_the_folder_are_taken_where_they_fit(tmp_path: Path) -> None:
    (tmp_path / "shared.clabel.gz").write_bytes(gzip.compress(b"a\nb\nc\nd\n"))
    (tmp_path / "shorter.clabel").write_text("x\n")
    (tmp_path / "other.mat.clabel").write_text("w\nx\ny\nz\n")
    corpus = read(tmp_path)
    assert corpus.vocabulary == ("a", "b", "c", "d")
    assert "shared.clabel.gz" in corpus.notes[0]


def test_two_files_of_names_that_fit_are_none(tmp_path: Path) -> None:
    for name in ("x.clabel", "y.clabel"):
        (tmp_path / name).write_text("a\nb\nc\nd\n")
    assert read(tmp_path).vocabulary == ("1", "2", "3", "4")


def test_an_empty_label_is_a_document_without_one(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"line 3: 1 of 3 documents has no label"):
        read(tmp_path, classes="tea\n\ncoffee\n")


@pytest.mark.parametrize(
    ("matrix", "line", "message"),
    [
        ("3 4\n1 2\n", 1, "begin with three numbers"),
        ("a b c\n", 1, "begin with three numbers"),
        ("3 99999999 1\n1 1\n\n\n", 1, "16,777,216"),
        (MATRIX.replace("3 4 4", "3 4 5"), 1, "declares 5 values, but found 4"),
        (MATRIX.replace("3 4 4", "4 4 4"), 1, "declares 4 documents, but found 3"),
        (MATRIX.replace("3 4 4", "2 4 4"), 4, "declares 2 documents, but found more"),
        (MATRIX.replace("3 4 4", "3 3 4"), 2, "an index from 1 to 3"),
        ("3 4 4\n0 2\n\n1 1\n", 2, "an index from 1 to 4"),
        ("3 4 4\n1 2\n2\n1 1\n", 3, "found '2'"),
        ("3 4 4\n1 2\n2 nan\n1 1\n", 3, "found '2 nan'"),
        ("3 4 4\n1 2\n2 x\n1 1\n", 3, "found '2 x'"),
    ],
)
def test_a_bad_matrix_is_refused_with_its_line(
    tmp_path: Path, matrix: str, line: int, message: str
) -> None:
    n_docs = matrix.split()[0]
    classes = "".join(f"{i}\n" for i in range(int(n_docs) if n_docs.isdigit() else 3))
    with pytest.raises(CorpusError, match=message) as caught:
        read(tmp_path, matrix, classes)
    assert (caught.value.line, caught.value.where) == (line, str(tmp_path / "a.mat"))


def test_wrong_numbers_of_labels_or_names(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"a\.mat\.rclass: expected 3 labels.*found 2"):
        read(tmp_path, classes="tea\ncoffee\n")
    (tmp_path / "a.mat.clabel").write_text("one\n")
    with pytest.raises(CorpusError, match=r"a\.mat\.clabel: expected 4 names.*found 1"):
        read(tmp_path)


def test_r7_columns_follow_the_entries_not_the_header(tmp_path: Path) -> None:
    """R7: the header may promise 16,777,216 columns; two occur."""
    corpus = read(tmp_path, "2 16777216 2\n16777216 1\n1 1\n", "x\ny\n")
    assert (corpus.vocabulary, dense(corpus)) == (("1", "16777216"), [[0, 1], [1, 0]])


def test_r9_repeats_that_add_up_to_infinity_are_refused(tmp_path: Path) -> None:
    """R9: `1 1e308 1 1e308` was stored as inf."""
    with pytest.raises(CorpusError, match=r"line 2: the values of one index of document '0'"):
        read(tmp_path, "2 2 3\n1 1e308 1 1e308\n2 1\n", "x\ny\n")


def test_labels_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(MATRIX)
    with pytest.raises(CorpusError, match=r"a\.mat\.rclass, plain or compressed, was not found"):
        read_cluto(tmp_path / "a.mat", ReadOptions())


@given(labelled(classes=("x", "y z", "é")))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, data: Labelled) -> None:
    n_docs, n_terms = data.matrix.shape
    text = [f"{n_docs} {n_terms} {data.matrix.nnz}"]
    for document in range(n_docs):
        pairs = entries(data.matrix, document)
        text.append(" ".join(f"{column + 1} {value!r}" for column, value in pairs))
    classes = "".join(f"{name}\n" for (name,) in data.labels)
    corpus = read(tmp_path_factory.getbasetemp(), "\n".join(text) + "\n", classes)
    np.testing.assert_array_equal(dense(corpus), data.matrix.toarray())
    assert list(corpus.labels) == data.labels


@given(almost("2 3 2~1~2~1 1~3 2~0~-1~.5~nan~x"))
def test_any_lines_give_a_corpus_or_a_corpus_error(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    for matrix in ("\n".join(lines), "\n".join(["2 3 2", *lines])):
        try:
            corpus = read(folder, matrix, "a\nb\n")
        except CorpusError:
            continue
        assert len(corpus) == 2
