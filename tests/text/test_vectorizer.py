"""The Vectorizer against scikit-learn's CountVectorizer with an analyzer from the definition."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import Stemmer
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import (
    ENGLISH_STOP_WORDS,
    CountVectorizer,
    TfidfTransformer,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from laconic.errors import LaconicError
from laconic.runtime.tokenizers import WITHIN_CHUNKS, Characters, Words
from laconic.text import vectorizer as vectorizer_module
from laconic.text.vectorizer import Vectorizer

TRICKY = [
    *(
        "İstanbul ISPARTA ılık",
        "STRASSE straße STRAẞE",
        "ΟΔΥΣΣΕΥΣ Σ aΣ Σa",
        "ΑΣ'Α ΑΣ.Α ΑΣ' ΑΣ\u0301 Σ:Σ",
    ),
    *(
        "中文分詞 中文 ABC中文x",
        "e\u0301te\u0301 E\u0301",
        "a\x00b\x00\x00",
        "",
        "   ",
        "\u212a \u212aelvin",
    ),
    *(
        "don't stop_me 42 4²",
        "the The THE of",
        "x\ud800y \udfff\ud800",
        "\U0001d49c\U0001f600z",
        "aß\u00ad\u0345b",
    ),
    *("the cat sat on the mat", "running runs runner ran", "a b c d e f", "a\u2028b\n\n c \t d"),
]
texts = st.lists(
    st.one_of(
        st.sampled_from(TRICKY),
        st.text("aA bB'.:ΣσςİıßẞK中\u0301\u0345²\x00\n_-", max_size=20),
        st.text(st.characters(), max_size=20),
        st.lists(
            st.sampled_from(["the", "The", "cat", "CATS", "running", "sat", "on_", "7"]), max_size=9
        ).map(" ".join),
    ),
    min_size=1,
    max_size=6,
)
options = st.fixed_dictionaries(
    {
        "token_pattern": st.sampled_from(
            [
                *sorted(WITHIN_CHUNKS),
                r"\S+",
                r"[^,]+",
                r"(?i)[a-z]+",
                r"\b[a-z]+(?=s)",
                r"\w+'?(\w)",
                r"\s",
            ]
        ),
        "lowercase": st.booleans(),
        "min_length": st.integers(0, 3),
        "stop_words": st.sampled_from([None, "english", "smart", ["The", "cat", "σ", "ß"]]),
        "stem": st.sampled_from([None, "porter", "german", "turkish"]),
        "ngrams": st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4), (1, 3)]),
        "n_jobs": st.sampled_from([1, 2, 3]),
    }
)


def analyzer(
    token_pattern: str = r"\w+",
    lowercase: bool = True,
    min_length: int = 2,
    stop_words: Any = None,
    stem: str | None = None,
    ngrams: tuple[int, int] = (1, 1),
    n_jobs: int = 1,
) -> Callable[[str], list[str]]:
    """The definition, word by word."""
    if stop_words == "smart":
        import RAKE

        stop_words = RAKE.SmartStopList()
    stops = {
        w.lower() for w in (ENGLISH_STOP_WORDS if stop_words == "english" else stop_words or ())
    }

    stemmer = Stemmer.Stemmer(stem) if stem else None

    def stemmed(token: str) -> str:
        try:
            return stemmer.stemWord(token) if stemmer else token
        except UnicodeEncodeError:
            return token

    def analyze(text: str) -> list[str]:
        found = re.findall(token_pattern, text.lower() if lowercase else text)
        kept = [t for t in found if len(t) >= min_length and t.lower() not in stops]
        stems = [stemmed(token) for token in kept]
        lengths = range(ngrams[0], ngrams[1] + 1)
        return [" ".join(stems[i : i + n]) for n in lengths for i in range(len(stems) - n + 1)]

    return analyze


def expect_same(
    vectorizer: Vectorizer, oracle: CountVectorizer, train: list[str], test: list[str]
) -> None:
    try:
        expected = oracle.fit_transform(train)
    except ValueError:
        with pytest.raises(LaconicError, match="no term is left"):
            vectorizer.fit(train)
        return
    expect_equal(vectorizer.fit_transform(train), expected)
    assert vectorizer.vocabulary_.tolist() == oracle.get_feature_names_out().tolist()
    expect_equal(vectorizer.transform(test), oracle.transform(test))


def expect_equal(found: csr_array, expected: Any) -> None:
    expected = csr_array(expected)
    expected.sort_indices()
    assert isinstance(found, csr_array)
    assert found.shape == expected.shape
    assert (found.dtype, found.indices.dtype, found.indptr.dtype) == (
        np.int32,
        np.int32,
        np.int32,
    )
    np.testing.assert_array_equal(found.indptr, expected.indptr)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


@pytest.mark.parametrize("pattern", [r"\w+", r"[^\W\d_]+", r"[a-z]+", r"\S+"])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("stop_words", [None, "english"])
@pytest.mark.parametrize("stem", [None, "porter"])
def test_tricky_texts(pattern: str, lowercase: bool, stop_words: str | None, stem: str) -> None:
    options: dict[str, Any] = {"token_pattern": pattern, "lowercase": lowercase, "min_length": 1}
    options |= {"stop_words": stop_words, "stem": stem}
    oracle = CountVectorizer(analyzer=analyzer(**options))
    expect_same(Vectorizer(n_jobs=2, **options), oracle, TRICKY, TRICKY[::-2])


@given(texts, texts, options)
def test_words_are_counted_by_the_definition(
    train: list[str], test: list[str], options: dict[str, Any]
) -> None:
    vectorizer, analyze = Vectorizer(**options), analyzer(**options)
    expect_same(vectorizer, CountVectorizer(analyzer=analyze), train, test)
    units = analyzer(**options | {"ngrams": (1, 1)})
    assert [vectorizer.tokens(text) for text in train] == [units(text) for text in train]


@given(
    texts,
    texts,
    st.booleans(),
    st.sampled_from([(1, 1), (1, 3), (2, 2), (3, 4)]),
    st.integers(1, 3),
)
def test_characters_are_counted_as_scikit_learn_does(
    train: list[str], test: list[str], lowercase: bool, ngrams: tuple[int, int], n_jobs: int
) -> None:
    oracle = CountVectorizer(analyzer="char", lowercase=lowercase, ngram_range=ngrams)
    vectorizer = Vectorizer(unit="char", lowercase=lowercase, ngrams=ngrams, n_jobs=n_jobs)
    expect_same(vectorizer, oracle, train, test)


@pytest.mark.parametrize("sigma", ["", " ΑΣ'Α ΑΣ"])
def test_many_code_points_in_context(sigma: str) -> None:
    points = [*range(0x3000), *range(0x3000, 0x110000, 101)]
    expect_every_point(points, r"\w+", lowercase=True, sigma=sigma)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", ["", " ΑΣ'Α ΑΣ"])
def test_every_code_point_in_context(sigma: str) -> None:
    expect_every_point(range(0x110000), r"\w+", lowercase=True, sigma=sigma)


@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("pattern", sorted(WITHIN_CHUNKS))
def test_every_letter_with_a_case_in_every_pattern(pattern: str, lowercase: bool) -> None:
    cased = [point for point in range(0x110000) if chr(point).lower() != chr(point)]
    expect_every_point([*range(0x250), *cased], pattern, lowercase, "")


def expect_every_point(points: Sequence[int], pattern: str, lowercase: bool, sigma: str) -> None:
    """A document of 512 code points each in three contexts; a sigma lower-cases it as a whole."""
    letters = [f"a{chr(point)}b {chr(point)}c d{chr(point)} " for point in points]
    docs = ["".join(letters[i : i + 512]) + sigma for i in range(0, len(letters), 512)]
    options: dict[str, Any] = {"token_pattern": pattern, "lowercase": lowercase, "min_length": 1}
    vectorizer = Vectorizer(**options)
    counts, column = vectorizer.fit_transform(docs), vectorizer.vocabulary_
    for row, expected in enumerate(map(analyzer(**options), docs)):
        a, b = counts.indptr[row : row + 2]
        found = zip(column[counts.indices[a:b]], counts.data[a:b], strict=True)
        assert dict(found) == Counter(expected)


@given(texts, st.integers(1, 4), st.integers(1, 40), st.sampled_from(["word", "char"]))
def test_threads_and_batches_change_nothing(
    docs: list[str], n_jobs: int, limit: int, unit: str
) -> None:
    vectorizer = Vectorizer(unit=unit, min_length=1, ngrams=(1, 2))
    assume(any(re.search(r"\w", doc) for doc in docs))
    expected, vocabulary = vectorizer.fit_transform(docs), vectorizer.vocabulary_
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Words, "batch", limit)
        patch.setattr(Characters, "batch", limit)
        patch.setattr(vectorizer_module, "BLOCK_CHARACTERS", 2 * limit)
        patch.setattr(vectorizer_module, "THREAD_CHARACTERS", limit)
        vectorizer.set_params(n_jobs=n_jobs)
        expect_equal(vectorizer.fit_transform(iter(docs)), expected)
        assert vectorizer.vocabulary_.tolist() == vocabulary.tolist()
        expect_equal(vectorizer.transform(iter(docs)), expected)


def test_unseen_terms_are_dropped_and_empty_documents_kept() -> None:
    vectorizer = Vectorizer().fit(["one two", "three"])
    assert vectorizer.vocabulary_.tolist() == ["one", "three", "two"]
    assert vectorizer.transform(["", "two four two", "!"]).toarray().tolist() == [
        [0, 0, 0],
        [0, 0, 2],
        [0, 0, 0],
    ]
    assert vectorizer.transform([]).shape == (0, 3)
    assert vectorizer.get_feature_names_out().tolist() == ["one", "three", "two"]
    assert not hasattr(vectorizer, "n_features_in_")


def test_length_and_stop_words_come_before_the_stem() -> None:
    vectorizer = Vectorizer(stem="porter", stop_words=["Running"], min_length=4)
    assert vectorizer.tokens("running runs RUNNING run ties") == ["run", "ti"]


def test_stop_words_of_a_file(tmp_path: Path) -> None:
    where = tmp_path / "stop.txt"
    where.write_text("# mine\n\nThe\nÜber \n", encoding="utf-8")
    for path in [where, str(where)]:
        assert Vectorizer(stop_words=path).tokens("the cat # mine über") == ["cat", "mine"]


def test_smart_without_its_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from laconic.text.stop_words import smart

    assert len(smart()) == 570
    smart.cache_clear()
    monkeypatch.setitem(sys.modules, "RAKE", None)
    with pytest.raises(LaconicError, match=r"pip install laconic\[smart\]"):
        Vectorizer(stop_words="smart").fit(["a text"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "line"}, "choose from word, char"),
        ({"stem": "klingon"}, "klingon.*porter"),
        ({"stop_words": "/no/such/file"}, "/no/such/file.*english"),
        ({"stop_words": 7}, "7.*collection"),
        ({"stop_words": [7]}, "7.*collection"),
        ({"token_pattern": "("}, "not a regular expression"),
        ({"token_pattern": b"a"}, "give text"),
        ({"token_pattern": r"(\w)(\w)"}, "2 groups"),
        ({"n_jobs": 0}, "n_jobs=0"),
        *[({"ngrams": n}, "ngrams=") for n in [(0, 1), (2, 1), 2, (1,), (1, 2.0), "12", None]],
    ],
)
def test_a_wrong_option_is_explained(options: dict[str, Any], message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        Vectorizer(**options).fit(["some text"])


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ("a text", r"found str 'a text'.*\[text\]"),
        (7, "found int 7"),
        (["a text", None], r"documents\[1\].*NoneType"),
        (["a text", "b", b"c"], r"documents\[2\].*bytes"),
        (np.array([["a text"]]), "2 dimensions"),
        ([], "no term is left in 0 documents"),
        (["!", "a"], "no term is left in 2 documents"),
    ],
)
def test_wrong_documents_are_explained(docs: Any, message: str) -> None:
    with pytest.raises(LaconicError, match=message):
        Vectorizer().fit(docs)


def test_numpy_strings_are_strings() -> None:
    assert Vectorizer().fit(np.array(["one two", "two"])).vocabulary_.tolist() == ["one", "two"]


def test_transform_before_fit() -> None:
    with pytest.raises(NotFittedError):
        Vectorizer().transform(["text"])


def test_pickle_and_clone_keep_everything() -> None:
    docs = ["one two three", "two"]
    vectorizer = Vectorizer(ngrams=(1, 2), stem="porter", stop_words={"three"})
    expected = vectorizer.fit_transform(docs)
    expect_equal(pickle.loads(pickle.dumps(vectorizer)).transform(docs), expected)
    expect_equal(clone(vectorizer).fit_transform(docs), expected)


def test_in_a_pipeline() -> None:
    docs = ["good fine nice", "bad poor awful", "nice good", "awful bad bad"]
    model = make_pipeline(Vectorizer(stem="porter"), TfidfTransformer(), LinearSVC())
    assert model.fit(docs, [1, 0, 1, 0]).predict(["good", "poor"]).tolist() == [1, 0]
    assert "fine" in model[:-1].get_feature_names_out()


@parametrize_with_checks([Vectorizer()])
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.full
def test_importing_does_not_wait_for_numba() -> None:
    code = "import sys, laconic.text.vectorizer; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.corpus
@pytest.mark.parametrize("options", [{"stem": "porter"}, {"ngrams": (1, 2), "stop_words": "smart"}])
def test_newsgroups_are_counted_alike(corpora: Path, options: dict[str, Any]) -> None:
    docs = []
    with tarfile.open(corpora / "20news-bydate.tar.xz") as archive:
        for member in archive:
            if len(docs) == 2000:
                break
            file = archive.extractfile(member) if "-train/" in member.name else None
            if file is not None:
                docs.append(file.read().decode("latin-1"))
    oracle = CountVectorizer(analyzer=analyzer(**options))
    expect_same(Vectorizer(n_jobs=2, **options), oracle, docs[:1500], docs[1500:])
