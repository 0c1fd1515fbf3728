"""A compact model decides as Vectorizer, Weighting and LinearModel do, one after the other."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline

from laconic import LinearModel, ReduceThenFit, Vectorizer, Weighting, make_problems
from laconic.compact import CompactModel, train
from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from tests.compact.models import NAMES, TEXTS, linear, served

SETTINGS = [
    {},
    {"stem": "porter"},
    {"stem": "porter", "stop_words": ["the", "cats", "on"]},
    {"stop_words": "english", "ngrams": (1, 2)},
    {"lowercase": False, "min_length": 1, "stop_words": ["The"]},
    {"ngrams": (2, 3), "stop_words": ["the"]},
    {"unit": "char", "ngrams": (1, 3)},
    {"unit": "char", "lowercase": False},
    {"token_pattern": r"[a-z]+", "stem": "porter"},
    {"token_pattern": r"[\w']+"},
]
UNSEEN = ["", " \n", "zebra", "CATS dog's\nmoon été ΣΊΣΥΦΟΣ", "ÉTÉ" * 3, "cat " * 99, "İ ǅ ﬁ"]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("norm", ["selected", "all"])
@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
def test_decisions_are_those_of_the_slow_way(settings, norm, rule):
    compact, slow = served(rule, norm, **settings)
    documents = TEXTS + UNSEEN
    np.testing.assert_allclose(compact.decision(documents), slow(documents), atol=1e-10)
    single = np.concatenate([compact.decision([text]) for text in documents])
    np.testing.assert_allclose(single, slow(documents), atol=1e-10)


@pytest.mark.parametrize("scheme", ["ltc", "tfidf", "saturated", "binary", "histogram", "count"])
@pytest.mark.parametrize("norm", ["selected", "all"])
@pytest.mark.parametrize("length", ["scheme", "l1", "l2", None])
def test_every_weighting(scheme, norm, length):
    vectorizer = Vectorizer()
    counts = vectorizer.fit_transform(TEXTS)
    weighting = Weighting(scheme, norm=length, min_df=2).fit(counts)
    model = linear(weighting.features_.size, "argmax", norm)
    compact = CompactModel.of(model, vectorizer, weighting)
    documents = TEXTS + UNSEEN
    expected = model.decision(weighting.transform(vectorizer.transform(documents)))
    np.testing.assert_allclose(compact.decision(documents), expected, atol=1e-10)
    divided = not (length is None or (length == "scheme" and scheme == "count"))
    assert compact.self_contained == (norm == "selected" or not divided)
    assert len(compact.words) == (
        model.n_features if compact.self_contained else len(weighting.features_)
    )


words = st.sampled_from(["cat", "Cats", "été", "ÉTÉ", "dog", "the", "moon", "Σας", "İ", "_", "9"])
texts = st.lists(st.one_of(words, st.text(max_size=8)), max_size=12).map(" ".join)


@given(
    st.lists(texts, max_size=5),
    st.sampled_from(["sign", "argmax", "labels"]),
    st.sampled_from(["selected", "all"]),
    st.sampled_from(SETTINGS),
)
def test_decisions_about_texts_that_nobody_thought_of(documents, rule, norm, settings):
    compact, slow = served(rule, norm, **settings)
    found = compact.decision(documents)
    assert found.shape == (len(documents), 1 if rule == "sign" else 3)
    if documents:
        np.testing.assert_allclose(found, slow(documents), atol=1e-10)


def test_a_closed_model_has_its_own_words_only():
    compact, _ = served("sign", "selected")
    assert compact.self_contained
    assert len(compact.words) == compact.n_words == compact.model.n_features
    table, _ = served("sign", "all")
    assert not table.self_contained
    assert len(table.words) > table.n_words
    assert "a table of" in table.summary()
    assert "needs only its own words" in compact.summary()


def test_predict_gives_names():
    for rule, names in NAMES.items():
        compact, slow = served(rule)
        decision = slow(TEXTS)
        if rule == "sign":
            expected = [names[int(f > 0)] for f in decision[:, 0]]
        elif rule == "argmax":
            expected = [names[int(np.argmax(f))] for f in decision]
        else:
            expected = [tuple(n for n, v in zip(names, f, strict=True) if v > 0) for f in decision]
        assert compact.predict(TEXTS) == expected
        assert len({str(label) for label in expected}) > 1, "the test would see a constant"


def test_zero_is_a_no():
    vectorizer, weighting = Vectorizer(), Weighting()
    weighting.fit(vectorizer.fit_transform(TEXTS))
    n_terms = weighting.features_.size
    sign = LinearModel(np.ones((1, n_terms)), [0.0], np.array(["no", "yes"]), 3, rule="sign")
    assert CompactModel.of(sign, vectorizer, weighting).predict([""]) == ["no"]
    labels = LinearModel(np.ones((2, n_terms)), [0.0, 0.1], np.arange(2), 3, rule="labels")
    assert CompactModel.of(labels, vectorizer, weighting).predict([""]) == [("1",)]


@pytest.mark.parametrize("norm", ["selected", "all"])
@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
def test_explanations_add_up(norm, rule):
    compact, slow = served(rule, norm, stem="porter")
    for text in (*TEXTS, *UNSEEN):
        told = compact.explain(text, top=None)
        sums = [sum(share for _, share in shares) for shares in told.values()]
        np.testing.assert_allclose(sums, slow([text])[0] - compact.model.intercept, atol=1e-10)
        assert list(told) == (NAMES[rule][1:] if rule == "sign" else NAMES[rule])
        for shares in told.values():
            assert [abs(share) for _, share in shares] == sorted(
                (abs(share) for _, share in shares), reverse=True
            )
            tokens = Vectorizer(stem="porter").tokens(text)
            assert {word for word, _ in shares} <= set(tokens)
    assert all(len(shares) <= 1 for shares in compact.explain(TEXTS[0], top=1).values())


def test_classes_that_training_never_saw_keep_their_names_apart():
    vectorizer, weighting = Vectorizer(), Weighting()
    X = weighting.fit_transform(vectorizer.fit_transform(TEXTS))
    codes = np.array([0, 0, 2, 2, 3, 3])  # the second of four classes has no document
    model = ReduceThenFit(size=5).fit(X, codes).model_
    compact = CompactModel.of(model, vectorizer, weighting, classes=["a", "b", "c", "d"])
    assert compact.classes == ("a", "c", "d")


def test_a_pipeline_can_be_kept():
    labels = ["x", "x", "y", "y", "z", "z"]
    pipeline = make_pipeline(Vectorizer(), Weighting(), ReduceThenFit(size=6, normalize="selected"))
    pipeline.fit(TEXTS, labels)
    compact = CompactModel.of(pipeline[-1].model_, pipeline[0], pipeline[1])
    assert compact.predict(TEXTS) == pipeline.predict(TEXTS).tolist()
    assert compact.n_words == 6


def corpus(**parts):
    labels = (("x",), ("y",)) * 3
    return Corpus("pets", labels, tuple("012345"), **parts)


def test_train_on_some_documents():
    some = np.array([0, 2, 3, 5])
    method = ReduceThenFit(normalize="selected")
    compact = train(method, corpus(texts=tuple(TEXTS)), 5, documents=some)
    other = train(method, corpus(texts=tuple(TEXTS)).take(some), 5)
    assert compact.words == other.words
    np.testing.assert_array_equal(compact.decision(TEXTS), other.decision(TEXTS))
    assert compact.self_contained
    with pytest.raises(LaconicError, match="size 5000"):
        train(method, corpus(texts=tuple(TEXTS)), 5000)


def vector_model():
    vectors = csr_array(
        np.array([[2, 0, 1], [0, 3, 1], [1, 0, 0], [0, 1, 0], [4, 1, 0], [0, 1, 2]])
    )
    loaded = corpus(vectors=vectors, vocabulary=("cat", "dog", "moon"))
    return train(ReduceThenFit(normalize="selected"), loaded, 2), loaded


def test_vectors_by_name():
    compact, loaded = vector_model()
    assert compact.text is None
    assert "vectors" in compact.summary()
    by_matrix = compact.decision(loaded.vectors, names=loaded.vocabulary)
    dense = loaded.vectors.toarray()
    dicts = [dict(zip(loaded.vocabulary, row, strict=True)) for row in dense.tolist()]
    assert np.abs(by_matrix).max() > 0
    np.testing.assert_allclose(compact.decision(dicts), by_matrix, atol=1e-12)
    shuffled = compact.decision(
        np.column_stack([dense[:, ::-1], np.ones(6)]), names=["moon", "dog", "cat", "zebra"]
    )
    np.testing.assert_allclose(shuffled, by_matrix, atol=1e-12)
    assert compact.predict(dicts) == compact.predict(loaded.vectors, loaded.vocabulary)
    told = compact.explain({"cat": 1, "dog": 2}, top=None)["y"]
    total = compact.decision([{"cat": 1, "dog": 2}])[0, 0] - compact.model.intercept[0]
    np.testing.assert_allclose(sum(share for _, share in told), total, atol=1e-12)
    assert compact.decision(np.ones((2, 1)), names=["zebra"]).shape == (2, 1)


def test_texts_and_counts_of_the_same_words_are_the_same_document():
    compact, _ = served("argmax", "all")
    np.testing.assert_allclose(
        compact.decision([{"cat": 2, "moon": 1, "zebra": 5}]), compact.decision(["cat moon cat"])
    )


def test_numbers_of_either_sign_are_served_as_they_were_trained():
    vectors = csr_array([[2.5, 0, -1], [0, 3, 1], [-1, 0, 0.5], [0, 1, 0], [4, -1, 0], [0, 1, 2]])
    loaded = corpus(vectors=vectors, vocabulary=("cat", "dog", "moon"))
    problem = next(make_problems(loaded, [Split("all", np.arange(6), np.arange(6))]))
    expected = ReduceThenFit().fit(problem.X_train, problem.y_train).model_.decision(vectors)
    compact = train(ReduceThenFit(), loaded, None)
    dicts = [dict(zip(loaded.vocabulary, row, strict=True)) for row in vectors.toarray().tolist()]
    np.testing.assert_allclose(compact.decision(dicts), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("documents", "says"),
    [
        (["a text"], "trained on vectors"),
        ("a text", "into a list"),
        ({"cat": 1}, "into a list"),
        (7, "into a list"),
        ([{"cat": -1}], "negative"),
        ([{"cat": float("nan")}], "a count is not a number"),
        ([{"cat": 10**400}], "a count is not a number"),
        ([{"cat": "two"}], "not a number"),
        ([{"cat": 1}, "text"], r"documents\[1\]"),
    ],
)
def test_documents_that_are_none(documents, says):
    compact, _ = vector_model()
    with pytest.raises(LaconicError, match=says):
        compact.decision(documents)


def test_a_matrix_needs_a_name_a_column():
    compact, loaded = vector_model()
    with pytest.raises(LaconicError, match="one per column"):
        compact.decision(loaded.vectors, names=["cat"])
    with pytest.raises(LaconicError, match="same name"):
        compact.decision(loaded.vectors, names=["cat", "cat", "dog"])


def test_what_does_not_belong_together_is_refused():
    vectorizer, weighting = Vectorizer(), Weighting()
    counts = vectorizer.fit_transform(TEXTS)
    with pytest.raises(LaconicError, match="not fitted"):
        CompactModel.of(linear(5), vectorizer, weighting, ["w"] * 5)
    weighting.fit(counts)
    with pytest.raises(LaconicError, match="trained with"):
        CompactModel.of(linear(5), vectorizer, weighting)
    model = linear(weighting.features_.size)
    with pytest.raises(LaconicError, match="vocabulary"):
        CompactModel.of(model, None, weighting)
    with pytest.raises(LaconicError, match="positions"):
        CompactModel.of(model, vectorizer, weighting, classes=["a", "b"])
    with pytest.raises(LaconicError, match="same name"):
        CompactModel.of(model, vectorizer, weighting, classes=["a", "b", "b"])
    huge = LinearModel(
        np.full((1, weighting.features_.size), np.nan), [0.0], [0, 1], 1, rule="sign"
    )
    with pytest.raises(LaconicError, match="not a number"):
        CompactModel.of(huge, vectorizer, weighting)
    with pytest.raises(LaconicError, match="n-grams of 1 to"):
        CompactModel.of(model, vectorizer.set_params(ngrams=(1, 99)), weighting)


@pytest.mark.full
def test_predicting_needs_no_scikit_learn(tmp_path):
    """Which takes seconds to import; a served model answers at once."""
    compact, _ = served("argmax", "all", stem="porter")
    compact.save(tmp_path / "m.laconic")
    code = (
        "import sys; from laconic import CompactModel\n"
        f"print(CompactModel.load({str(tmp_path / 'm.laconic')!r}).predict(['cat']))\n"
        "assert 'sklearn' not in sys.modules and 'safetensors' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(compact.predict(["cat"]))


@pytest.mark.parametrize("limit", ["MOST_CHUNKS", "MOST_CHARACTERS"])
def test_what_was_read_is_remembered_up_to_a_limit(limit, monkeypatch):
    monkeypatch.setattr(f"laconic.runtime.documents.{limit}", 12)
    compact, slow = served("argmax", "all", stem="porter")
    for text in (*TEXTS, *TEXTS, *UNSEEN):
        np.testing.assert_allclose(compact.decision([text]), slow([text]), atol=1e-10)
        lexicon = compact.runtime.reader._lexicon
        assert len(lexicon.place) + len(lexicon.latest) <= 12
        assert sum(map(len, [*lexicon.place, *lexicon.latest])) <= 60


def test_remembering_spares_the_stemmer(monkeypatch):
    compact, _ = served("argmax", "all", stem="porter")
    compact.decision(TEXTS)
    before = compact.decision(TEXTS)

    def never(*_):
        raise AssertionError("all words are known")

    monkeypatch.setattr("laconic.runtime.tokenizers.Words.read", never)
    np.testing.assert_array_equal(compact.decision(TEXTS), before)


def test_threads_share_a_model(monkeypatch):
    monkeypatch.setattr("laconic.runtime.documents.MOST_CHUNKS", 40)
    compact, slow = served("argmax", "selected", stem="porter")
    documents = [f"{text} word{number} cats" for number in range(50) for text in TEXTS]
    expected = slow(documents)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: compact.decision([text])[0], documents))
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_a_model_goes_to_other_processes():
    compact, _ = served("argmax", "selected", stem="porter")
    compact.predict(TEXTS)
    for copy in (pickle.loads(pickle.dumps(compact)), deepcopy(compact)):
        np.testing.assert_array_equal(copy.decision(TEXTS), compact.decision(TEXTS))
