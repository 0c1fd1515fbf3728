"""The embedded corpus: real documents, distinct, without the answer in them, always the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from types import ModuleType

import numpy as np
import pytest
from filelock import FileLock
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.svm import LinearSVC

from laconic.corpus.corpus import Corpus
from laconic.corpus.pydocs import build_pydocs, cache_directory
from laconic.corpus.pydocs import choice as choosing
from laconic.corpus.pydocs import sources as walking
from laconic.corpus.pydocs.build import to_corpus
from laconic.corpus.pydocs.choice import distinct, largest, without_boilerplate
from laconic.corpus.pydocs.prose import paragraphs, without
from laconic.corpus.pydocs.sources import Docstring, from_module


@pytest.fixture(scope="session")
def corpus(cache: None) -> Corpus:
    """From the cache that all tests share; a worker waits for another that is building it."""
    directory = cache_directory()
    with FileLock(directory / "tests.lock"):
        return build_pydocs()


def prose(text: str, name: str = "a.thing") -> list[str]:
    return [part for part in paragraphs(Docstring(name, "a", text)).values() if part]


# ---------------------------------------------------------------------------- the documents


def test_a_few_thousand_documents_in_15_to_25_classes(corpus: Corpus) -> None:
    assert 2000 <= len(corpus) <= 5000
    assert 15 <= len(corpus.classes) <= 25
    assert min(corpus.class_counts.values()) >= choosing.MIN_DOCS
    assert max(corpus.class_counts.values()) <= choosing.MAX_DOCS
    assert not corpus.multilabel


def test_all_four_sources_are_there(corpus: Corpus) -> None:
    roots = Counter(label.partition(".")[0] for label in corpus.classes)
    assert roots["numpy"] >= 2
    assert roots["scipy"] >= 5
    assert roots["sklearn"] >= 3
    assert len(roots.keys() & sys.stdlib_module_names) >= 3


def test_ids_are_sorted_public_names_below_their_label(corpus: Corpus) -> None:
    assert list(corpus.ids) == sorted(set(corpus.ids))
    assert all(
        i.startswith(f"{label}.") for i, (label,) in zip(corpus.ids, corpus.labels, strict=True)
    )
    assert not any("._" in name or ".tests." in name for name in corpus.ids)
    assert "scipy.signal.get_window" in corpus.ids


def test_documents_are_english_of_some_length(corpus: Corpus) -> None:
    lengths = [len(text.split()) for text in corpus.texts]
    assert np.median(lengths) > 50
    frequent = [" the " in f" {text} ".lower() for text in corpus.texts]
    assert np.mean(frequent) > 0.9


@pytest.mark.full
def test_no_two_documents_are_near_duplicates(corpus: Corpus) -> None:
    counter = CountVectorizer(binary=True, ngram_range=(3, 3), token_pattern=r"[^\W\d_]{2,}")
    X = counter.fit_transform(corpus.texts).astype(np.int32)
    shared = (X @ X.T).tocoo()
    size = np.asarray(X.sum(axis=1)).ravel()
    union = size[shared.row] + size[shared.col] - shared.data
    similarity = (shared.data / union)[shared.row != shared.col]
    # The names of the classes go last, so a pair may come a little closer than SIMILAR.
    assert similarity.max() < choosing.SIMILAR + 0.05
    assert len({re.sub(r"\W", "", text.lower()) for text in corpus.texts}) == len(corpus)


def test_repeated_methods_of_estimators_are_gone(corpus: Corpus) -> None:
    last = Counter(name.rpartition(".")[2] for name in corpus.ids)
    assert last["get_metadata_routing"] == last["set_fit_request"] == last["set_score_request"] == 0
    assert last["set_params"] <= 2
    # the same text but for the shapes
    twins = {f"sklearn.linear_model.{name}.fit" for name in ("Perceptron", "SGDRegressor")}
    assert len(twins & {*corpus.ids}) == 1


def test_no_text_contains_a_package_or_a_class(corpus: Corpus) -> None:
    names = {"numpy", "np", "scipy", "sklearn", "scikit"}
    names |= {part for label in corpus.classes for part in label.split(".")}
    forbidden = re.compile(rf"(?<![a-z])({'|'.join(sorted(names))})(?![a-z])", re.IGNORECASE)
    found = [
        (i, m.group())
        for i, t in zip(corpus.ids, corpus.texts, strict=True)
        if (m := forbidden.search(t))
    ]
    assert found == []


def test_no_text_contains_code_or_addresses(corpus: Corpus) -> None:
    traces = re.compile(r">>>|\.\. version|at 0x[0-9a-f]|https?://|^from \w+ import", re.MULTILINE)
    assert [i for i, t in zip(corpus.ids, corpus.texts, strict=True) if traces.search(t)] == []


def test_a_linear_classifier_learns_it_but_not_completely(corpus: Corpus) -> None:
    y = np.array([label for (label,) in corpus.labels])
    X = TfidfVectorizer(sublinear_tf=True).fit_transform(corpus.texts)
    train, test = corpus.part("train"), corpus.part("test")
    accuracy = LinearSVC().fit(X[train], y[train]).score(X[test], y[test])
    assert 0.75 <= accuracy <= 0.96


# ---------------------------------------------------------------------------- the split


def test_split_is_about_four_to_one_with_all_classes_in_both_parts(corpus: Corpus) -> None:
    train, test = (corpus.take(corpus.part(part)) for part in ("train", "test"))
    assert len(train) + len(test) == len(corpus)
    assert 0.17 < len(test) / len(corpus) < 0.23
    assert all(count >= 5 for count in test.class_counts.values())
    assert all(count >= 30 for count in train.class_counts.values())


def test_split_of_a_document_depends_on_its_name_only(corpus: Corpus) -> None:
    few = to_corpus(Docstring(name, "other", "text") for name in corpus.ids[::-7])
    expected = dict(zip(corpus.ids, corpus.split, strict=True))
    assert few.split == tuple(expected[name] for name in few.ids)


# ---------------------------------------------------------------------------- the rules


def test_prose_of_a_numpydoc_docstring() -> None:
    text = """thing(x, /, out=None)

    Kurtosis of `numpy.ndarray` by :func:`~scipy.stats.moment`, see <object at 0x7f3a>.

    .. versionadded:: 1.2
       With a body.

    .. note:: Slow for np.array and :math:`x^2`.

    Parameters
    ----------
    x : array_like
        Values; see :ref:`the guide <guide_stats>`.

    See Also
    --------
    scipy.stats.skew : a neighbour

    Examples
    --------
    >>> from scipy import stats
    >>> stats.kurtosis([1, 2])
    -2.0

    Flat tails give less.
    """
    assert prose(text) == [
        "Kurtosis of ndarray by stats.moment, see <object >.",
        "Slow for array and .",
        "x : array_like\nValues; see the guide.",
        "Flat tails give less.",
    ]


def test_what_depends_on_the_machine_is_not_there(corpus: Corpus) -> None:
    assert not {"numpy.float128", "numpy.longdouble", "numpy.float64"} & {*corpus.ids}
    assert not any("on this platform (" in text for text in corpus.texts)


def test_import_lines_and_web_addresses_go() -> None:
    text = "First.\nimport numpy as np\nfrom os.path import join\nSee https://scipy.org/x now."
    assert prose(text) == ["First.\nSee now."]


def test_names_go_alone_dotted_and_with_underscores_but_not_inside_words() -> None:
    text = "Stats of scipy.stats.norm, stats_x, statsmodels, linear_model.Lasso; a linear model."
    expected = "of scipy.norm, _x, statsmodels, Lasso; a linear model."
    assert without(text, ("stats", "linear_model")) == expected


def test_common_paragraphs_go_even_if_they_name_the_object() -> None:
    def document(name: str) -> Docstring:
        return Docstring(f"m.{name}", "m", f"About {name} only {name}{name}.\n\n`{name}` is fast.")

    many = [document(f"name{letter}") for letter in "abcdefgh"[: choosing.COMMON]]
    assert [d.text for d in without_boilerplate(many)] == [
        f"About {n} only {n}{n}." for n in (d.name[2:] for d in many)
    ]
    few = without_boilerplate(many[1:])
    assert all("is fast" in d.text for d in few)


def test_the_first_of_near_duplicates_stays() -> None:
    words = [f"word{letter}" for letter in "abcdefghij"]
    texts = [" ".join(words), " ".join([*words, "lambda"]), " ".join(reversed(words))]
    documents = [Docstring(str(i), "ab"[i % 2], text) for i, text in enumerate(texts)]
    assert [d.name for d in distinct(documents)] == ["0", "2"]
    assert [d.name for d in distinct(documents[::-1])] == ["2", "1"]


def test_small_classes_go_and_large_ones_are_cut() -> None:
    sizes = {
        "small": choosing.MIN_DOCS - 1,
        "right": choosing.MIN_DOCS,
        "large": choosing.MAX_DOCS + 9,
    }
    documents = [Docstring(f"{k}.{i}", k, "") for k, size in sizes.items() for i in range(size)]
    kept = largest(documents)
    assert Counter(d.label for d in kept) == {
        "right": choosing.MIN_DOCS,
        "large": choosing.MAX_DOCS,
    }
    assert sorted(kept) == sorted(largest(documents[::-1]))


def fake_module(name: str, **members: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(members, __all__=list(members))
    return module


def test_an_object_belongs_where_it_is_defined() -> None:
    def own() -> None:
        """Its own."""

    own.__module__ = "scipy.fake._private"
    module = fake_module("scipy.fake", Counter=Counter, own=own, again=own)
    found = list(from_module(module, "scipy.fake", {}))
    assert found == [Docstring("scipy.fake.again", "scipy.fake", "Its own.")]


def test_methods_of_public_bases_elsewhere_are_not_repeated() -> None:
    from sklearn import linear_model

    names = {d.name for d in from_module(linear_model, "sklearn.linear_model", {})}
    assert {"sklearn.linear_model.Lasso", "sklearn.linear_model.Lasso.path"} <= names
    assert not {name for name in names if name.endswith((".set_params", "Lasso.score"))}


def test_what_must_first_be_enabled_is_not_there() -> None:
    def imputer() -> None:
        """Experimental."""

    imputer.__module__ = "sklearn.impute"
    module = fake_module("sklearn.impute", IterativeImputer=imputer)
    assert list(from_module(module, "sklearn.impute", {})) == []


# ---------------------------------------------------------------------------- the same everywhere


def run(code: str, *options: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *options, "-c", code],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_another_process_builds_the_same_in_silence(corpus: Corpus) -> None:
    code = (
        "import sklearn.experimental.enable_halving_search_cv, scipy.linalg.blas; "
        "from laconic.corpus.pydocs import build_pydocs; print(build_pydocs(None).fingerprint)"
    )
    other = run(code, "-W", "always", PYTHONHASHSEED="77", LC_ALL="C", SCIPY_ARRAY_API="1")
    assert other.communicate() == (f"{corpus.fingerprint}\n", "")


def test_import_is_light() -> None:
    code = "import sys, laconic.corpus.pydocs; print({'sklearn', 'scipy.stats'} & {*sys.modules})"
    assert run(code).communicate() == ("set()\n", "")


@pytest.mark.full
def test_stripped_docstrings_are_an_error_not_another_corpus() -> None:
    code = "from laconic.corpus.pydocs import build_pydocs; build_pydocs(None)"
    assert "without -OO" in run(code, "-OO").communicate()[1]


def test_progress_counts_the_sub_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {name: walking.stdlib_files()[name] for name in ("json", "wave")}
    monkeypatch.setattr(walking, "PACKAGES", {"numpy": "numpy"})
    monkeypatch.setattr(walking, "stdlib_files", lambda: sources)
    calls: list[tuple[int, int]] = []
    found = walking.walk(lambda done, total: calls.append((done, total)))
    total = len(walking.sub_packages("numpy")) + 2
    assert calls == [(done, total) for done in range(1, total + 1)]
    assert {"numpy.fft", "numpy.linalg", "json", "wave"} <= {document.label for document in found}
