from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_svmlight_file

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.svmlight import canonical_label, read_svmlight, svmlight_corpus
from laconic.errors import CorpusError
from tests.corpus.readers.matrices import Labelled, almost, entries, labelled


def read(tmp_path: Path, text: str, name: str = "c.svm") -> Corpus:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_svmlight(file, ReadOptions())


def dense(corpus: Corpus) -> list[list[float]]:
    assert corpus.vectors is not None
    return corpus.vectors.toarray().tolist()


def written(data: Labelled) -> str:
    return "".join(
        ",".join(labels)
        + "".join(f" {column + 1}:{value!r}" for column, value in entries(data.matrix, document))
        + "\n"
        for document, labels in enumerate(data.labels)
    )


def test_a_line_is_label_pairs_and_comment(tmp_path: Path) -> None:
    corpus = read(tmp_path, "# all of it\n+1 qid:7 1:2 3:0.5 # a\n\n-1\t2:1e-1\n")
    assert dense(corpus) == [[2, 0, 0.5], [0, 0.1, 0]]
    assert corpus.labels == (("1",), ("-1",))
    assert corpus.vocabulary == ("f1", "f2", "f3")
    assert (corpus.name, corpus.multilabel, corpus.notes) == ("c", False, ())


@pytest.mark.parametrize(
    ("label", "name"),
    [("+1", "1"), ("1.0", "1"), ("-1.", "-1"), ("-0", "0"), ("1.5", "1.5"), ("spam", "spam")],
)
def test_whole_numbers_have_one_spelling(label: str, name: str) -> None:
    assert canonical_label(label) == name


def test_a_comma_makes_the_file_multilabel(tmp_path: Path) -> None:
    corpus = read(tmp_path, "3 1:1\n2,+1 1:1\n")
    assert corpus.labels == (("3",), ("2", "1"))
    assert corpus.multilabel


def test_a_line_without_label_makes_the_file_multilabel(tmp_path: Path) -> None:
    corpus = read(tmp_path, "3 1:1\n1:2 2:1\n")
    assert corpus.labels == (("3",), ())
    assert corpus.multilabel
    assert "1 line has no label" in corpus.notes[0]
    assert dense(corpus) == [[1, 0], [2, 1]]


def test_index_zero_counts_from_zero_and_says_so(tmp_path: Path) -> None:
    corpus = read(tmp_path, "1 2:5\n2 0:3\n")
    assert dense(corpus) == [[0, 0, 5], [3, 0, 0]]
    assert corpus.vocabulary == ("f0", "f1", "f2")
    assert "start at 0" in corpus.notes[0]


def test_indices_in_any_order_and_repeated_ones_are_summed(tmp_path: Path) -> None:
    corpus = read(tmp_path, "1 3:1 1:2 3:4\n2 2:1 2:-1 1:0\n")
    assert dense(corpus) == [[2, 0, 5], [0, 0, 0]]
    assert corpus.vectors is not None
    assert corpus.vectors.nnz == 2
    assert corpus.vectors.has_sorted_indices


def test_names_come_from_the_vocabulary_beside(tmp_path: Path) -> None:
    (tmp_path / "c.svm.vocab").write_text("ant\nbee\nant\n\n")
    corpus = read(tmp_path, "1 1:1\n2 2:1\n")
    assert corpus.vocabulary == ("ant", "bee", "ant#3", "4")
    assert dense(corpus) == [[1, 0, 0, 0], [0, 1, 0, 0]]


def test_a_vocabulary_that_is_too_short_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.svm.vocab").write_text("ant\nbee\n")
    with pytest.raises(CorpusError, match=r"c\.svm\.vocab: expected 3 names.*found 2"):
        read(tmp_path, "1 1:1\n2 3:1\n")


def test_vectors_dat_is_named_by_features_idx(tmp_path: Path) -> None:
    (tmp_path / "features.idx").write_text("# index word\n1 ant\n3 cat\n")
    corpus = read(tmp_path, "1 1:1\n2 2:1\n", name="vectors.dat")
    assert corpus.vocabulary == ("ant", "f2", "cat")


def test_compression_changes_nothing(tmp_path: Path) -> None:
    text = "1 1:1\n2 3:1\n"
    (tmp_path / "z.svm.gz").write_bytes(gzip.compress(text.encode()))
    packed = read_svmlight(tmp_path / "z.svm.gz", ReadOptions())
    assert packed.name == "z"
    assert dense(packed) == dense(read(tmp_path, text))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 x", "expected index:value"),
        ("1 -2:1", "integer from 0"),
        ("1 a:1", "integer from 0"),
        ("1 1.0:1", "integer from 0"),
        ("1 1_0:1", "integer from 0"),
        ("1 \u0664:1", "integer from 0"),
        ("1 99999999:1", "16,777,216"),
        ("1 1:", "finite number"),
        ("1 1:nan", "finite number"),
        ("1 2:1 1:-inf", "found '1:-inf'"),
        ("1 1:1e999", "finite number"),
        ("1 1:2:3", "finite number"),
        ("1,,2 1:1", "single commas"),
        (", 1:1", "single commas"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message) as caught:
        read(tmp_path, f"1 1:1\n2 1:1\n{line}\n")
    assert (caught.value.line, caught.value.where) == (3, str(tmp_path / "c.svm"))


def test_r7_columns_follow_the_entries_not_the_largest_index(tmp_path: Path) -> None:
    """R7: 20 bytes took 1.6 GB, a column for each of 16,777,216 indices."""
    corpus = read(tmp_path, "1 16777216:1\n-1 1:1")
    assert corpus.vocabulary == ("f1", "f16777216")
    assert dense(corpus) == [[0, 1], [1, 0]]
    assert "only 2 of them occur" in corpus.notes[0]


def test_r7_indices_keep_all_their_columns_where_these_are_few(tmp_path: Path) -> None:
    """R7: corpora of the usual sizes keep the columns that no document uses."""
    corpus = read(tmp_path, "1 65536:1\n-1 1:1")
    assert corpus.vectors is not None
    assert corpus.vectors.shape == (2, 65536)
    assert read(tmp_path, "1 65537:1\n-1 1:1").vocabulary == ("f1", "f65537")


def test_r7_names_of_features_keep_their_columns(tmp_path: Path) -> None:
    """R7: an index that has a name is an entry too."""
    (tmp_path / "features.idx").write_text("3 cat\n16777216 dog\n")
    corpus = read(tmp_path, "1 1:1\n2 2:1\n", name="vectors.dat")
    assert corpus.vocabulary == ("f1", "f2", "cat", "dog")


@pytest.mark.parametrize("values", ["1:1e308 1:1e308", "1:-1e308 2:1 1:-1e308"])
def test_r9_repeats_that_add_up_to_infinity_are_refused(tmp_path: Path, values: str) -> None:
    """R9: every value is finite, and their sum was stored as inf."""
    with pytest.raises(CorpusError, match=r"line 2: the values of one index of document '1'"):
        read(tmp_path, f"1 1:1\n2 {values}\n")


@given(labelled(classes=("-1", "1", "7")))
def test_one_label_agrees_with_scikit_learn(
    tmp_path_factory: pytest.TempPathFactory, data: Labelled
) -> None:
    file = tmp_path_factory.getbasetemp() / "single.svm"
    file.write_text(written(data))
    corpus = read_svmlight(file, ReadOptions())
    X, y = load_svmlight_file(str(file), zero_based=False)
    np.testing.assert_array_equal(dense(corpus), X.toarray())
    np.testing.assert_array_equal(dense(corpus), data.matrix.toarray())
    assert [float(name) for (name,) in corpus.labels] == y.tolist()
    assert list(corpus.labels) == data.labels


@given(labelled(classes=("0", "1", "7"), multilabel=True))
def test_many_labels_agree_with_scikit_learn(
    tmp_path_factory: pytest.TempPathFactory, data: Labelled
) -> None:
    # a line with neither labels nor values is an empty line to everybody
    kept = [i for i, labels in enumerate(data.labels) if labels or data.matrix[[i]].nnz]
    data = Labelled(data.matrix[kept], [data.labels[i] for i in kept])
    if len(set(data.labels)) < 2 or max(map(len, data.labels)) < 2:
        return
    file = tmp_path_factory.getbasetemp() / "multi.svm"
    file.write_text(written(data))
    corpus = read_svmlight(file, ReadOptions())
    X, y = load_svmlight_file(str(file), multilabel=True, zero_based=False)
    np.testing.assert_array_equal(dense(corpus), X.toarray())
    assert [tuple(sorted(map(float, labels))) for labels in corpus.labels] == y
    assert list(corpus.labels) == data.labels


@given(almost("1~-1~0~:~1:2~ 3:0.5~ 2:1~,~qid:1~#~nan~_~e~a"))
def test_any_lines_give_a_corpus_or_a_corpus_error(lines: list[str]) -> None:
    builder = CorpusBuilder("fuzz.svm", ReadOptions(), multilabel=False)
    try:
        corpus = svmlight_corpus(
            builder,
            enumerate(lines, 1),
            "fuzz",
            lambda first, last: (
                np.arange(first, last + 1),
                [f"f{index}" for index in range(first, last + 1)],
            ),
        )
    except CorpusError:
        return
    assert corpus.vectors is not None
    assert np.isfinite(corpus.vectors.data).all()
    assert len(corpus) <= len(lines)


@pytest.mark.corpus
def test_rcv1_subset(corpora: Path) -> None:
    corpus = read_svmlight(corpora / "rcv1" / "rcv1subset1.svm.gz", ReadOptions())
    assert corpus.vectors is not None
    assert corpus.vectors.shape == (6000, 47236)
    assert (len(corpus.classes), corpus.multilabel) == (101, True)
    assert corpus.labels[0] == ("0", "14", "15", "33")
