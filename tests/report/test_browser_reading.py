"""The page reads texts and decides as the library does."""

from __future__ import annotations

import base64
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, random_array

from laconic import Vectorizer
from laconic.compact import CompactModel, stored
from laconic.compact.settings import text_settings
from laconic.corpus.corpus import TEST, Corpus
from laconic.model import LinearModel
from laconic.numerics.text.weights import IDF
from laconic.report.view import View
from laconic.runtime.choices import Storage
from laconic.runtime.settings import WordWeights
from laconic.runtime.tokenizers import stemmer
from tests.compact.models import calibrated, served
from tests.report.browser import Browser
from tests.report.page_actions import type_text, written

# German, Greek with final sigmas, Turkish, digits of other scripts, Thai, emoji, combining marks,
# Chinese, a soft hyphen, superscripts, Roman numerals, ordinal signs, titlecase, a lone letter
TEXTS = (
    "Die Straße der GROẞEN Übergrößen, naïve Äpfel; Maßstäbe",
    "ΟΔΥΣΣΕΥΣ ΣΑΣ Σ ΑΣ. ΑΣ' ΑΣ'Α ΣΣΣ Α\u0345Σ Α\u00adΣ 1Σ ΑΣ1 ΑΣ_ ʰΣ ΑΣ\u0301Α",
    "İstanbul IŞIK ısı İİ Iİ i̇ KIRMIZI",
    "٣٤٥ ١٢ ०१२ ๔๕๖ 123 𝟘𝟙𝟚 １２３",
    "ภาษาไทยเขียนติดกัน กำลังทดสอบ",
    "smile 😀 family 👨‍👩‍👧 flag 🇬🇷 text",
    "cafe\u0301 e\u0301e\u0301 n\u0303andu\u0301 q\u0307\u0323",
    "漢字とかな交じり文 中文 한국어 글자",
    "co\u00adop soft\u00adhyphen zero\u200bwidth joined\u200dword",
    "x² m³ H₂O ½ ¼ ① ⑳ Ⅻ ⅷ 1ª 2º ªº",
    "ǅungla ǈ ǋ ǲ ﬁne ﬂat ﬀ",
    "don't o'clock snake_case __dunder__ _ a b I x1 1x -- a_b",
    "agreed feed sky skies flying dying relational conditional rationalization hopefulness",
    "\x1c\x1d\x85\xa0\u3000\ufeff between   \t\n\r\f\v spaces",
    "𐐀𐐁𐐨 Ꭰꭰ ᲐᲑ ⰀⰁ 𝐀𝐁 Ωmega Kelvin Ångström ȺȾ",
    "running\nruns  RAN the The THE and generously sensational y yy yyy sayyy",
    "",
    "   ",
)
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"stem": "porter"},
    {"stem": "porter", "stop_words": "english", "ngrams": (1, 2)},
    {"lowercase": False, "min_length": 1},
    {"lowercase": False, "stop_words": "english", "stem": "porter"},
    {"min_length": 0, "ngrams": (2, 3), "token_pattern": r"(?u)\b\w\w+\b"},
    {"token_pattern": r"[^\W\d_]+", "min_length": 1},
    {"token_pattern": r"[^\W_]+", "min_length": 3},
    {"token_pattern": r"[a-z]+"},
    {"token_pattern": r"[A-Za-z0-9]+", "lowercase": False},
    {"token_pattern": r"\w\w+", "stem": "porter"},
    {"unit": "char"},
    {"unit": "char", "ngrams": (2, 4)},
    {"unit": "char", "ngrams": (1, 3), "lowercase": False},
)
READ = """
const [settings, stops] = [arguments[0], new Set(arguments[1])];
return arguments[2].map((text) => {
  const units = reader.units(text, settings, stops);
  return [units.map((one) => one.unit), reader.terms(units, settings).map((one) => one.term)];
});
"""
DECIDE = """
return Promise.all(arguments[0].map(async (file) => {
  const model = await laconic.CompactModel.read(laconic.bytesOf(file));
  return arguments[1].map((text) => {
    const { scores, chosen, shares, probabilities } = model.predict(text, reader);
    return [scores, chosen.map((at) => model.classes[at]),
      shares.map((row) => Array.from(row.values()).reduce((sum, one) => sum + one, 0)),
      probabilities];
  });
}));
"""
COEFFICIENTS = """
return laconic.CompactModel.read(laconic.bytesOf(arguments[0])).then(
  (model) => [Array.from(model.row), Array.from(model.coef)]);
"""


def test_it_decides_as_the_model_does_about_200_documents(
    chromium: Browser, pydocs_file: Path, pydocs: Corpus, pydocs_model: CompactModel
):
    chromium.open(pydocs_file)
    texts = [pydocs.texts[at] for at in pydocs.part(TEST)[:200]]
    told = chromium.run("return arguments[0].map((text) => laconic.predict(text))", texts)
    assert len(told) == 200
    np.testing.assert_allclose(
        [one["scores"] for one in told], pydocs_model.decision(texts), rtol=0, atol=1e-9
    )
    assert [one["classes"][0] for one in told] == pydocs_model.predict(texts)
    for text in texts[:3]:
        type_text(chromium, re.sub(r"\s+", " ", text)[:400])
        typed = chromium.run("return document.getElementById('tryit-text').value")
        assert chromium.text("#tryit-decision strong") == pydocs_model.predict([typed])[0]
    assert chromium.text("#tryit-note") == "This one stands in."


class TestReading:
    """The page's own functions, on what it carries: no page is opened for each."""

    @pytest.fixture(autouse=True, scope="class")
    @staticmethod
    def opened(chromium: Browser, pets_file: Path) -> None:
        chromium.open(pets_file)
        chromium.run("window.reader = new laconic.TextReader(laconic.embedded('page-data').tables)")

    @pytest.mark.parametrize("settings", SETTINGS, ids=str)
    def test_texts_are_read_as_the_vectorizer_reads_them(
        self, chromium: Browser, settings: dict[str, Any]
    ):
        vectorizer = Vectorizer(**settings)
        text = text_settings(vectorizer)
        told = asdict(text)
        stops = told.pop("stop_words")
        found = chromium.run(READ, told, stops, TEXTS)
        assert [units for units, _ in found] == [vectorizer.tokens(text) for text in TEXTS]
        counts = vectorizer.fit_transform(TEXTS).toarray()
        for (_, terms), row in zip(found, counts, strict=True):
            expected = dict(zip(vectorizer.vocabulary_[row > 0], row[row > 0], strict=True))
            assert {term: terms.count(term) for term in set(terms)} == expected

    def test_documents_are_read_as_the_vectorizer_reads_them(
        self, chromium: Browser, pydocs: Corpus
    ):
        vectorizer = Vectorizer(stem="porter", stop_words="english")
        text = text_settings(vectorizer)
        told = asdict(text)
        stops, texts = told.pop("stop_words"), pydocs.texts[:300]
        found = chromium.run(READ, told, stops, texts)
        assert [units for units, _ in found] == [vectorizer.tokens(text) for text in texts]

    def test_stems_are_pystemmer_s(self, chromium: Browser, pydocs: Corpus):
        """All words of pydocs and of Python's own library, and made-up ones with every ending."""
        words = sorted({*words_of(pydocs), *words_of_python(), *made_up(30_000)})
        assert len(words) > 60_000
        stems = stemmer("porter")(words)
        found = chromium.run("return arguments[0].map(laconic.porter)", words)
        assert [(w, a, b) for w, a, b in zip(words, stems, found, strict=True) if a != b] == []

    def test_lower_case_is_python_s(self, chromium: Browser):
        rng = np.random.default_rng(0)
        y_signed = list("ΣΣΣaA\u0345\u00ad'.:·\u0301 İIıßẞǅʰΑ1_ⅫªA\u180e\U00010400\n")
        texts = ["".join(rng.choice(y_signed, rng.integers(0, 8))) for _ in range(3000)]
        points = (chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000)
        texts.append("".join(c for c in points if c.lower() != c or c.upper() != c))
        lower = "return arguments[0].map((text) => reader.lower(text))"
        assert chromium.run(lower, texts) == [text.lower() for text in texts]

    @pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
    @pytest.mark.parametrize("norm", ["selected", "all"])
    def test_every_kind_of_model_decides_alike(self, chromium: Browser, norm: str, rule: str):
        rng = np.random.default_rng(len(norm) + len(rule))
        texts = [" ".join(rng.choice(list("abcdefgh"), 9)) + " Ωmega" for _ in range(20)]
        texts += ["", "zz", "a a a"]
        trained = list(every_model(rng, texts, norm, rule))
        models = [
            replace(model, model=stored(model.model, storage))
            for model in trained
            for storage in get_args(Storage)
        ]
        files = [base64.b64encode(model.to_bytes()).decode() for model in models]
        for model, found in zip(models, chromium.run(DECIDE, files, texts), strict=True):
            decision = model.decision(texts)
            np.testing.assert_allclose([one[0] for one in found], decision, atol=1e-9)
            sums = decision - model.model.intercept
            np.testing.assert_allclose([one[2] for one in found], sums, atol=1e-9)
            expected = [one if rule == "labels" else (one,) for one in model.predict(texts)]
            assert [tuple(one[1]) for one in found] == expected
            if model.model.calibration is None:
                assert all(one[3] is None for one in found)
            else:
                chances = model.predict_proba(texts)
                np.testing.assert_allclose([one[3] for one in found], chances, atol=1e-9)

    @pytest.mark.parametrize("ragged", [True, False])
    @pytest.mark.parametrize("storage", get_args(Storage))
    def test_coefficients_are_those_of_the_file_to_the_last_bit(
        self, chromium: Browser, storage: Storage, ragged: bool
    ):
        model = served("argmax", ragged=ragged)[0]
        file = base64.b64encode(model.to_bytes(storage)).decode()
        rows, values = chromium.run(COEFFICIENTS, file)
        expected = csc_array(stored(model.model, storage).coef)
        assert rows == expected.indices.tolist()
        assert values == expected.data.tolist()


SHOW = """
const [model, classes, text] = arguments;
return (async () => {
const box = new laconic.TryIt(reader);
await box.show({ model, classes, note: "", obstacle: null });
document.getElementById("tryit-text").value = text;
box.classify();
const shown = (cell) => (cell.offsetParent === null ? null : cell.innerText);
const cells = (row) => Array.from(row.cells, shown);
return [document.getElementById("tryit-decision").textContent,
  Array.from(document.querySelectorAll("#tryit-scores tr"), cells)];
})();
"""


@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
def test_the_box_shows_probabilities_and_thresholds(chromium: Browser, pets_file: Path, rule: str):
    chromium.open(pets_file)
    chromium.run("window.reader = new laconic.TextReader(laconic.embedded('page-data').tables)")
    plain, text = served(rule)[0], "naïve cats, a dog and the moon"
    for model in (plain, calibrated(plain)):
        names = list(model.classes)
        file = base64.b64encode(model.to_bytes()).decode()
        decision, lines = chromium.run(SHOW, file, names, text)
        shown = {line[0].removeprefix("✓ "): line[3:] for line in lines}
        thresholds = model.model.thresholds
        if model is plain:
            assert "probability" not in decision
            assert set(map(tuple, shown.values())) == {(None, None)}
            continue
        chances = dict(zip(names, model.predict_proba([text])[0], strict=True))
        assert {name: line[1] for name, line in shown.items()} == {
            name: f"{100 * chance:.1f} %" for name, chance in chances.items()
        }
        if rule == "argmax":
            assert all(line[0] is None for line in shown.values())
        else:
            limits = [-thresholds[0], *thresholds] if rule == "sign" else thresholds
            numbers = [float(shown[name][0].replace("−", "-")) for name in names]
            np.testing.assert_allclose(numbers, limits, atol=5.1e-4)
        chosen = model.predict([text])[0]
        chosen = chosen if rule == "labels" else (chosen,)
        ticked = [line[0].removeprefix("✓ ") for line in lines if line[0].startswith("✓")]
        assert sorted(ticked) == sorted(chosen)
        assert ticked == [line[0].removeprefix("✓ ") for line in lines[: len(ticked)]]
        if len(chosen) == 1:
            assert f"with a probability of {100 * chances[chosen[0]]:.1f} %" in decision


def every_model(
    rng: np.random.Generator, texts: list[str], norm: str, rule: str
) -> Iterator[CompactModel]:
    """All schemes and lengths, over words (every class keeps all) and characters (not all)."""
    for unit, density in (("word", 1.0), ("char", 0.4)):
        vectorizer = Vectorizer(unit=unit, min_length=1, ngrams=(1, 2)).fit(texts)
        words, text = tuple(vectorizer.vocabulary_.tolist()), text_settings(vectorizer)
        for scheme in ("ltc", "tfidf", "saturated", "binary", "histogram", "count"):
            for length in ("l1", "l2", None):
                df = rng.integers(1, 23, len(words)) if scheme in IDF else None
                linear = linear_model(rng, len(words), rule, norm, density)
                weights = WordWeights(scheme, length, df, 23)
                compact = CompactModel(linear, words, weights, text)
                yield calibrated(compact) if length == "l2" else compact


def words_of(corpus: Corpus) -> set[str]:
    return {word for text in corpus.texts for word in re.findall(r"\w+", text.lower())}


def words_of_python() -> set[str]:
    sources = Path(subprocess.__file__).parent.glob("**/*.py")
    small = (where for where in sources if "site-packages" not in where.parts)
    texts = (where.read_text(encoding="utf-8", errors="replace") for where in sorted(small)[:600])
    return {word for text in texts for word in re.findall(r"\w+", text.lower())}


def made_up(n_words: int) -> set[str]:
    rng = np.random.default_rng(0)
    ends = re.findall(
        r"\w+",
        "tional enci anci abli entli eli izer ization ational ation ator alism aliti alli fulness "
        "ousli ousness iveness iviti biliti alize icate iciti ical ative ful ness al ance ence er "
        "ic able ible ant ement ment ent ou ism ate iti ous ive ize ion sion tion e l ll ed ing "
        "eed s ss sses ies y Y at bl iz bb dd tt zz",
    )
    letters = list("aeiouybcdlstwxYé😀")
    starts = ("".join(rng.choice(letters, rng.integers(0, 7))) for _ in range(n_words))
    return {start + "".join(rng.choice(ends, rng.integers(0, 4))) for start in starts}


def linear_model(
    rng: np.random.Generator, n_words: int, rule: str, norm: str, density: float
) -> LinearModel:
    classes = np.array(["no", "yes"] if rule == "sign" else ["a", "b", "c", "d"], dtype=object)
    rows = 1 if rule == "sign" else 4
    coef = csr_array(
        random_array((rows, n_words), density=density, rng=rng, data_sampler=rng.standard_normal)
    )
    # without intercepts all classes tie over a text without words: the first wins
    intercept = rng.standard_normal(rows) if density == 1 else np.zeros(rows)
    return LinearModel(coef, intercept, classes, n_words, norm, rule)


@pytest.mark.parametrize(
    ("vectorizer", "why"),
    [
        (Vectorizer(stem="german"), "“german”"),
        (Vectorizer(token_pattern=r"[a-z]{3,}"), "pattern [a-z]{3,}"),
    ],
)
def test_the_box_says_why_nothing_can_be_tried(
    chromium: Browser,
    pages: Path,
    pets_view: View,
    vectorizer: Vectorizer,
    why: str,
):
    (detail,) = pets_view.details
    model = replace(detail.model, text=text_settings(vectorizer))
    view = replace(pets_view, details=(replace(detail, model=model),))
    chromium.open(written(pages / "untriable.html", view))
    assert why in chromium.text("#tryit-obstacle")
    assert chromium.run("return document.getElementById('tryit-box').hidden") is True
    assert not [one for one in chromium.logs() if "SEVERE" in one]
