from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.techtc import read_all_techtc, read_techtc, techtc_sets
from laconic.errors import CorpusError

FEATURES = "# index word\n1 ant\n2 bee\n3 cat\n4 dog\n"
VECTORS = "# +1 = category 12, -1 = category 7\n+1 1:2 3:1\n-1 2:4\n"


def folder(where: Path, vectors: str = VECTORS, features: str = FEATURES) -> Path:
    where.mkdir(parents=True)
    (where / "vectors.dat").write_text(vectors)
    (where / "features.idx").write_text(features)
    return where


def archive(where: Path, files: dict[str, str]) -> Path:
    with tarfile.open(where, "w:xz") as tar:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
    return where


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    """Two sets, the second with its files in the other order, and a file that is none."""
    files = {
        "t/Exp_12_7/features.idx": FEATURES,
        "t/Exp_12_7/vectors.dat": VECTORS,
        "t/README.txt": "words",
        "t/Exp_3_4/vectors.dat": "-1 1:1\n+1 2:1\n+1 1:1\n",
        "t/Exp_3_4/features.idx": "1 x\n2 y\n",
    }
    return archive(tmp_path / "t.tar.xz", files)


def test_one_folder_is_one_set(tmp_path: Path) -> None:
    corpus = read_techtc(folder(tmp_path / "Exp_12_7"), ReadOptions())
    assert corpus.vectors is not None
    assert corpus.vectors.toarray().tolist() == [[2, 0, 1, 0], [0, 4, 0, 0]]
    assert corpus.vocabulary == ("ant", "bee", "cat", "dog")
    assert (corpus.labels, corpus.classes) == ((("1",), ("-1",)), ("-1", "1"))
    assert corpus.name == "Exp_12_7"
    assert corpus.notes == ("1 is category 12, -1 is category 7",)


@pytest.mark.parametrize("name", ["Exp_3_4", "3_4"])
def test_one_set_of_the_archive(packed: Path, name: str) -> None:
    corpus = read_techtc(packed, ReadOptions(), name)
    assert (corpus.name, corpus.vocabulary, len(corpus)) == ("Exp_3_4", ("x", "y"), 3)


def test_all_sets_of_archive_and_of_folder(packed: Path, tmp_path: Path) -> None:
    assert techtc_sets(packed) == ["Exp_12_7", "Exp_3_4"]
    unpacked = tmp_path / "all"
    folder(unpacked / "Exp_12_7")
    folder(unpacked / "Exp_3_4", "-1 1:1\n+1 2:1\n+1 1:1\n", "1 x\n2 y\n")
    assert techtc_sets(unpacked) == ["Exp_12_7", "Exp_3_4"]
    pairs = zip(
        read_all_techtc(packed, ReadOptions()),
        read_all_techtc(unpacked, ReadOptions()),
        strict=True,
    )
    assert [one.fingerprint == other.fingerprint for one, other in pairs] == [True, True]


def test_a_set_that_is_not_there(packed: Path) -> None:
    with pytest.raises(CorpusError, match=r"the set Exp_9_9 was not found among 2 sets"):
        read_techtc(packed, ReadOptions(), "9_9")


def test_many_sets_need_a_name(packed: Path) -> None:
    with pytest.raises(CorpusError, match="found 2: Exp_12_7, Exp_3_4"):
        read_techtc(packed, ReadOptions())


def test_half_a_set_is_refused(tmp_path: Path) -> None:
    half = archive(tmp_path / "h.tar.xz", {"t/Exp_1_2/vectors.dat": VECTORS})
    with pytest.raises(CorpusError, match=r"Exp_1_2 needs .* has only vectors\.dat"):
        list(read_all_techtc(half, ReadOptions()))


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    where = folder(tmp_path / "Exp_1_2", VECTORS.replace("2:4", "5:4"))
    with pytest.raises(
        CorpusError, match=r"indices go from 1 to 5, but features\.idx names 1 to 4"
    ):
        read_techtc(where, ReadOptions())


def test_r7_columns_are_those_that_have_a_name_or_occur(tmp_path: Path) -> None:
    """R7: one name with a large index made a column for every smaller one."""
    where = folder(tmp_path / "Exp_1_2", "+1 5:1\n-1 1:1\n", FEATURES + "16777216 zoo\n")
    corpus = read_techtc(where, ReadOptions())
    assert corpus.vocabulary == ("ant", "bee", "cat", "dog", "5", "zoo")


def test_a_bad_line_names_the_file_in_the_archive(tmp_path: Path) -> None:
    files = {
        "t/Exp_1_2/features.idx": FEATURES,
        "t/Exp_1_2/vectors.dat": VECTORS.replace("3:1", "3:x"),
    }
    where = archive(tmp_path / "b.tar.xz", files)
    with pytest.raises(CorpusError, match="found '3:x'") as caught:
        read_techtc(where, ReadOptions(), "1_2")
    assert caught.value.where == f"{where}:t/Exp_1_2/vectors.dat"
    assert caught.value.line == 2


@pytest.mark.slow
@pytest.mark.corpus
def test_techtc100(corpora: Path) -> None:
    n_docs, n_terms, names = 0, [], []
    for corpus in read_all_techtc(corpora / "techtc100.tar.xz", ReadOptions()):
        assert corpus.vectors is not None
        assert corpus.classes == ("-1", "1")
        assert float(corpus.vectors.data.min()) >= 1
        n_docs += len(corpus)
        n_terms.append(corpus.vectors.shape[1])
        names.append(corpus.name)
    assert (len(names), n_docs, min(n_terms), max(n_terms)) == (100, 14922, 9683, 22922)
    assert {"Exp_14630_814096", "Exp_10539_300332"} <= set(names)
