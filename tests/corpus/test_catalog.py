"""Known corpora give the known counts (DATA.md), through the public functions."""

from __future__ import annotations

import numpy as np
import pytest

from laconic import load_corpus
from laconic.corpus.catalog import CATALOG, find, known_corpora
from laconic.errors import CorpusError
from tests.known_corpora import known_corpus

SHAPES = {
    "fbis": (2_463, 2_000, 17),
    "la1": (3_204, 31_472, 6),
    "la1s": (3_204, 13_195, 6),
    "ohscal": (11_162, 11_465, 10),
    "enron": (1_702, 1_001, 53),
}


def off(corpus):
    return [note for note in corpus.notes if "expected" in note]


@pytest.mark.parametrize("name", SHAPES)
def test_vectors(corpora, name):
    corpus = known_corpus(name)
    assert (*corpus.vectors.shape, len(corpus.classes)) == SHAPES[name]
    assert corpus.name == name
    assert len(set(corpus.vocabulary)) == len(corpus.vocabulary)
    assert min(corpus.class_counts.values()) > 0
    assert not off(corpus)


@pytest.mark.parametrize(
    ("name", "label", "count"),
    [
        ("fbis", "111", 387),
        ("la1", "Financial", 555),
        ("la1", "Metro", 943),
        ("la1s", "Entertainment", 354),
        ("ohscal", "Prognosis", 1_037),
    ],
)
def test_classes_have_their_counts(corpora, name, label, count):
    """Four of them are the classes of Keerthi 2005."""
    assert known_corpus(name).class_counts[label] == count


def test_enron_has_the_labels_of_mulan(corpora):
    corpus = known_corpus("enron")
    assert corpus.multilabel
    assert set(corpus.vectors.data) == {1.0}
    assert corpus.labels[2] == ("A.A4",)


def test_la1_is_the_original(corpora):
    corpus = known_corpus("la1")
    assert corpus.vectors.nnz == 484_024
    assert corpus.vocabulary[:3] == ("aa", "aaa", "?3")


def test_20_newsgroups(corpora):
    bydate = known_corpus("20news-bydate")
    assert (bydate.part("train").size, bydate.part("test").size) == (11_314, 7_532)
    assert len(bydate.classes) == 20
    assert not off(bydate)
    original = known_corpus("20news")
    assert len(original) == 19_997
    assert not off(original)
    assert bydate.notes == ()
    assert original.split is None
    assert original.ids[0].startswith("alt.atheism/")
    counts = dict(original.class_counts)
    assert counts.pop("soc.religion.christian") == 997
    assert set(counts.values()) == {1000}


@pytest.mark.parametrize(
    ("split", "train", "test"),
    [("ModApte", 9_603, 3_299), ("ModLewis", 13_625, 6_188), ("ModHayes", 20_856, 722)],
)
def test_reuters(corpora, split, train, test):
    corpus = known_corpus("reuters-21578", split=split)
    assert (corpus.part("train").size, corpus.part("test").size) == (train, test)
    assert corpus.multilabel
    assert not off(corpus)


def test_modapte_has_the_topics_that_the_papers_count(corpora):
    corpus = known_corpus("reuters-21578", split="ModApte")
    parts = [corpus.take(corpus.part(name)) for name in ("train", "test")]
    assert [sum(map(bool, part.labels)) for part in parts] == [7_775, 3_019]
    assert [part.class_counts["money-fx"] for part in parts] == [538, 179]
    in_both = [all(part.class_counts[label] for part in parts) for label in corpus.classes]
    assert sum(in_both) == 90


def test_reuters_without_a_split(corpora):
    corpus = known_corpus("reuters-21578", split="none")
    assert (len(corpus), len(corpus.classes)) == (21_578, 120)
    assert not off(corpus)


def test_rcv1(corpora):
    corpus = known_corpus("rcv1")
    assert corpus.vectors.shape == (27_613, 47_236)
    assert not off(corpus)
    norms = np.sqrt(corpus.vectors.power(2).sum(axis=1))
    np.testing.assert_allclose(norms, 1.0, atol=1e-4)
    counts = corpus.class_counts
    assert (len(counts), counts["MCAT"], counts["CCAT"]) == (102, 7_991, 12_473)
    without = sum(counts.values()) - counts["MCAT"]
    assert round(without / len(corpus), 1) == 2.9
    assert (corpus.part("train").size, corpus.part("test").size) == (22_104, 5_509)
    assert corpus.multilabel


def test_techtc_by_name(corpora):
    corpus = load_corpus("techtc100/Exp_10341_10755")
    assert corpus.name == "techtc100/Exp_10341_10755"
    assert corpus.classes == ("-1", "1")
    assert not off(corpus)
    with pytest.raises(CorpusError, match="Exp_0_0"):
        load_corpus("techtc100/Exp_0_0")


def test_sms_spam(corpora):
    corpus = load_corpus("sms-spam")
    assert len(corpus) == 5_574
    assert not off(corpus)
    assert corpus.classes == ("ham", "spam")


def test_a_file_of_the_catalog_is_known_by_its_contents_too(corpora):
    by_name = known_corpus("reuters-21578", split="ModHayes")
    by_file = load_corpus(corpora / "reuters21578.tar.gz", split="ModHayes")
    assert by_file.fingerprint == by_name.fingerprint


def test_a_wrong_count_is_noted(tmp_path, monkeypatch):
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/sms_spam.jsonl.gz").write_text(
        '{"text": "a", "label": "ham"}\n{"text": "b", "label": "spam"}\n'
    )
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    assert "documents: found 2, expected 5,574" in load_corpus("sms-spam").notes


STORY = """<REUTERS TOPICS="YES" LEWISSPLIT="{}" CGISPLIT="{}" NEWID="{}">
<TOPICS><D>{}</D></TOPICS><TEXT><TITLE>a title</TITLE></TEXT></REUTERS>
"""


@pytest.mark.parametrize(
    ("split", "notes"),
    [
        (
            None,
            [
                "training documents: found 1, expected 9,603",
                "test documents: found 1, expected 3,299",
            ],
        ),
        (
            "modlewis",
            [
                "training documents: found 1, expected 13,625",
                "test documents: found 1, expected 6,188",
            ],
        ),
        (
            "ModHayes",
            [
                "training documents: found 1, expected 20,856",
                "test documents: found 1, expected 722",
                "classes: found 2, expected 120",
            ],
        ),
        (
            "none",
            [
                "documents: found 2, expected 21,578",
                "classes: found 2, expected 120",
            ],
        ),
    ],
)
def test_a_part_of_reuters_is_noted(tmp_path, monkeypatch, split, notes):
    (tmp_path / "reuters21578").mkdir()
    (tmp_path / "reuters21578/reut2-000.sgm").write_text(
        STORY.format("TRAIN", "TRAINING-SET", 1, "gold")
        + STORY.format("TEST", "PUBLISHED-TESTSET", 2, "grain")
    )
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    assert off(load_corpus("reuters-21578", split=split)) == notes


def test_a_part_of_the_subsets_of_rcv1_is_noted(tmp_path, monkeypatch):
    (tmp_path / "rcv1").mkdir()
    (tmp_path / "rcv1/rcv1_topics.tsv").write_text("index\tcode\n0\tC11\n1\tM11\n")
    (tmp_path / "rcv1/rcv1subset1.svm").write_text("0 1:1\n1 2:1\n")
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    assert off(load_corpus("rcv1")) == [
        "documents: found 2, expected 27,613",
        "classes: found 3, expected 102",
    ]


def test_a_part_of_the_published_rcv1_is_noted(tmp_path, monkeypatch):
    (tmp_path / "rcv1").mkdir()
    (tmp_path / "rcv1/lyrl2004_vectors_train.dat").write_text("2286  1:1\n2287  2:1\n")
    (tmp_path / "rcv1/rcv1-v2.topics.qrels").write_text("E11 2286 1\nM11 2287 1\n")
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    assert off(load_corpus("rcv1")) == [
        "training documents: found 2, expected 23,149",
        "test documents: found 0, expected 781,265",
    ]


def test_a_third_class_of_techtc_is_noted(tmp_path, monkeypatch):
    folder = tmp_path / "techtc100/Exp_1_2"
    folder.mkdir(parents=True)
    (folder / "features.idx").write_text("1 word\n")
    (folder / "vectors.dat").write_text("1 1:1\n-1 1:2\n11 1:1\n")
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    assert off(load_corpus("techtc100/Exp_1_2")) == ["classes: found 3, expected 2"]


def test_a_missing_corpus_says_which_file(tmp_path, monkeypatch):
    monkeypatch.setenv("LACONIC_DATA", str(tmp_path))
    with pytest.raises(CorpusError, match=r"reuters21578\.tar\.gz"):
        load_corpus("reuters-21578")


def test_every_entry_has_description_licence_and_citation():
    for entry in known_corpora():
        assert entry.about
        assert entry.licence
        assert entry.citation
    assert find("nonsense") is None
    assert {"reuters-21578", "20news-bydate", "20news", "rcv1", "fbis", "la1", "ohscal"} <= {
        *CATALOG
    }
