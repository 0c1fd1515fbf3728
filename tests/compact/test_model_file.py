"""The file: exact, small, the same each time, and safe to load whoever wrote it."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from safetensors.numpy import load, save

from laconic import LinearModel, Vectorizer, Weighting
from laconic.compact import CompactModel
from laconic.compact import model_file as written_file
from laconic.compact.model_file import deflated
from laconic.errors import LaconicError
from laconic.options import options_of
from laconic.reduction import Selection
from laconic.runtime import model_file
from laconic.runtime.choices import Storage
from laconic.runtime.compression import inflated
from laconic.text.options import TextOptions
from tests.compact.kernel_machines import machine
from tests.compact.models import TEXTS, calibrated, served


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.laconic"


def rewritten(file, change=None, header=None):
    """The file with other tensors, or with other settings."""
    contents = inflated(file.read_bytes())
    told = settings_of(contents)
    tensors = {name: array.copy() for name, array in load(contents).items()}
    if change is not None:
        change(tensors)
    if header is not None:
        header(told)
    file.write_bytes(deflated([save(tensors, {"laconic": json.dumps(told)})]))


def settings_of(contents):
    """The settings in the header of a safetensors file."""
    size = int.from_bytes(contents[:8], "little")
    return json.loads(json.loads(contents[8 : 8 + size])["__metadata__"]["laconic"])


@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
@pytest.mark.parametrize("norm", ["selected", "all"])
@pytest.mark.parametrize("ragged", [True, False])
def test_a_round_trip_is_exact(rule, norm, ragged, file):
    settings = {"stem": "porter", "stop_words": ["the", "été"], "ngrams": (1, 2)}
    compact, _ = served(rule, norm, ragged=ragged, **settings)
    compact.save(file)
    loaded = CompactModel.load(file)
    np.testing.assert_array_equal(loaded.decision(TEXTS), compact.decision(TEXTS))
    for name in ("words", "text", "classes", "n_words", "self_contained"):
        assert getattr(loaded, name) == getattr(compact, name), name
    assert (loaded.weights.scheme, loaded.weights.length) == ("ltc", "l2")
    np.testing.assert_array_equal(loaded.weights.idf, compact.weights.idf)
    assert (loaded.model.size, loaded.model.normalize, loaded.model.rule) == (
        compact.model.size,
        norm,
        rule,
    )
    assert abs(loaded.model.coef - compact.model.coef).nnz == 0
    assert loaded.model.coef.nnz == compact.model.coef.nnz, "kept words with coefficient 0"
    assert file.read_bytes() == compact.to_bytes()
    again = file.with_name("again")
    loaded.save(again)
    assert again.read_bytes() == file.read_bytes()


def test_anybody_can_read_it(file):
    """With safetensors alone: the names and shapes that the documentation promises."""
    compact, _ = served("argmax", "selected", ragged=False, stop_words=["the"])
    compact.save(file)
    contents = zlib.decompress(file.read_bytes()[8:])
    tensors = load(contents)
    n_words = compact.n_words
    n_shared = int(tensors["words.bytes"][0].sum())
    assert n_shared > 0
    assert {name: (array.dtype.str, array.shape) for name, array in tensors.items()} == {
        "words.text": ("|u1", (sum(len(word.encode()) for word in compact.words) - n_shared,)),
        "words.bytes": ("|u1", (2, n_words)),
        "classes.text": ("|u1", (12,)),
        "classes.bytes": ("|u1", (2, 3)),
        "stops.text": ("|u1", (3,)),
        "stops.bytes": ("|u1", (2, 1)),
        "df": ("|u1", (n_words,)),
        "intercept": ("<f8", (3,)),
        "coef": ("<f8", (n_words, 3)),
    }
    np.testing.assert_array_equal(tensors["coef"], compact.model.coef.toarray().T)
    assert settings_of(contents) == {
        "kind": "linear",
        "size": compact.model.size,
        "normalize": "selected",
        "rule": "argmax",
        "weighting": "ltc",
        "length": "l2",
        "documents": len(TEXTS),
        "text": {
            "unit": "word",
            "token_pattern": r"\w+",
            "lowercase": True,
            "min_length": 2,
            "ngrams": [1, 1],
        },
        "classifier": {},
        "features": {"number": n_words, "kind": "word"},
        "storage": "float64",
    }


def test_a_thousand_words_and_twenty_classes_take_less_than_30_kB(file):  # noqa: N802
    rng = np.random.default_rng(0)
    letters = list("etaoinshrdlucmfw")
    words = sorted({"".join(rng.choice(letters, rng.integers(4, 13))) for _ in range(3000)})
    vectorizer = Vectorizer(stop_words="english")
    weighting = Weighting().fit(vectorizer.fit_transform([" ".join(words), "other"]))
    chosen = Selection(
        rng.permutation(weighting.features_.size)[:1000], None, weighting.features_.size
    )
    coef = chosen.lift(rng.normal(size=(20, 1000)))
    model = LinearModel(coef, rng.normal(size=20), np.arange(20), 1000, normalize="selected")
    names = [f"comp.sys.class-{number}" for number in range(20)]
    compact = CompactModel.of(model, vectorizer, weighting, classes=names)
    n_bytes = {storage: len(compact.to_bytes(storage)) for storage in get_args(Storage)}
    assert compact.n_words == 1000
    assert n_bytes["int8"] < 30_000
    assert n_bytes["int8"] < n_bytes["float32"] / 3 < n_bytes["float64"] / 5
    assert n_bytes["int8"] + 7_500 < n_bytes["int16"] < n_bytes["int8"] + 8_500, "3 bits for each"


@pytest.mark.full
def test_bytes_are_the_same_in_every_process(file):
    served("labels", "selected", stop_words=["the", "on", "at"])[0].save(file)
    code = (
        "from tests.compact.models import served\n"
        f"served('labels', 'selected', stop_words=['the', 'on', 'at'])[0].save({str(file) + '2'!r})"
    )
    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert Path(f"{file}2").read_bytes() == file.read_bytes()


def test_words_that_are_no_unicode_come_back(file):
    texts = ["a\ud800b cat", "dog \udfff", "moon été"]
    compact, slow = served("argmax", texts=texts, unit="char", ngrams=(1, 2))
    compact.save(file)
    loaded = CompactModel.load(file)
    assert loaded.words == compact.words
    assert any("\ud800" in word for word in loaded.words)
    np.testing.assert_allclose(loaded.decision(texts), slow(texts), atol=1e-10)


def test_a_model_that_reads_nothing(file):
    vectorizer, weighting = Vectorizer(), Weighting()
    weighting.fit(vectorizer.fit_transform(TEXTS))
    nothing = LinearModel(
        np.zeros((3, weighting.features_.size)), [1.0, 2.0, 0.0], [0, 1, 2], 1, "selected"
    )
    compact = CompactModel.of(nothing, vectorizer, weighting)
    assert compact.n_words == 0
    compact.save(file)
    assert CompactModel.load(file).predict(TEXTS) == ["1"] * len(TEXTS)


def test_a_failed_save_leaves_what_was_there(file, monkeypatch):
    compact, _ = served()
    served("argmax", "selected")[0].save(file)
    before = file.read_bytes()
    monkeypatch.setattr(written_file, "MOST_BYTES", 100)
    with pytest.raises(LaconicError, match="takes"):
        compact.save(file)
    monkeypatch.undo()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "chmod", fail)
    with pytest.raises(LaconicError, match="disk full"):
        compact.save(file)
    assert file.read_bytes() == before
    assert [found.name for found in file.parent.iterdir()] == [file.name]


def test_saving_where_one_cannot(tmp_path):
    compact, _ = served()
    for bad in (tmp_path / "no" / "model", tmp_path, tmp_path / "nul\0"):
        with pytest.raises(LaconicError, match="cannot be written"):
            compact.save(bad)
    assert not list(tmp_path.iterdir())


def test_others_may_read_it_as_the_umask_says(file):
    before = os.umask(0o027)
    try:
        served()[0].save(file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not a compact model"),
        (b"laconic", "not a compact model"),
        (b"PK\x03\x04" * 50, "not a compact model"),
        (b"\x80\x04pickle" * 9, "not a compact model"),
        (b"laconic\x03", "cut off"),
        (b"laconic\x03PK", "damaged"),
        (b"laconic\x02", "version 2 .* never released. Train the model again"),
        (b"laconic\x04", "version 4 of the format, and this Laconic reads version 3. Update"),
    ],
)
def test_files_of_others_are_refused(data, says, file):
    file.write_bytes(data)
    with pytest.raises(LaconicError, match=says):
        CompactModel.load(file)


@pytest.mark.parametrize(
    ("contents", "says"),
    [
        (b"", "damaged"),
        (b"1234567", "damaged"),
        ((1 << 20).to_bytes(8, "little") + b"{" * (1 << 20), "damaged"),
        ((2).to_bytes(8, "little") + b"{}", "not a compact model"),
        ((2).to_bytes(8, "little") + b"[]", "not a JSON object"),
        ((2).to_bytes(8, "little") + b"\xff\xff", "model.laconic: "),
        ((4).to_bytes(8, "little") + b"{1:2", "not JSON"),
        ((60000).to_bytes(8, "little") + b"[" * 60000, "levels"),
        (save({"x": np.zeros(3)}, {"other": "{}"}), "not a compact model"),
        (save({"x": np.zeros(3)}, {"laconic": "{}"}), "no tensor 'words.bytes'"),
        (save({"x": np.zeros(3)}, {"laconic": '{"a": NaN}'}), "NaN"),
        (save({"x": np.zeros(3)}, {"laconic": '{"a": 1, "a": 2}'}), "twice"),
        (save({"x": np.zeros(3, np.float16)}, {"laconic": "{}"}), "a kind that no model has"),
    ],
)
def test_contents_of_others_are_refused(contents, says, file):
    file.write_bytes(deflated([contents]))
    with pytest.raises(LaconicError, match=says):
        CompactModel.load(file)


def test_files_that_cannot_be_opened(tmp_path):
    for bad in (tmp_path / "nothing", tmp_path, "nul\0"):
        with pytest.raises(LaconicError, match="cannot be read"):
            CompactModel.load(bad)


def test_no_more_than_the_limit_is_read(file, monkeypatch):
    monkeypatch.setattr(model_file, "MOST_BYTES", 1 << 20)
    with file.open("wb") as stream:
        stream.truncate(1 << 40)  # a hole of a terabyte
    with pytest.raises(LaconicError, match="more than 1,048,576 bytes"):
        CompactModel.load(file)


def set_to(name, value):
    def change(tensors):
        tensors[name] = value(tensors[name]) if callable(value) else value

    return change


def put(name, at, value):
    def change(tensors):
        tensors[name].flat[at] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("coef", 0, np.nan), "a coefficient is not a number"),
        (put("coef", 0, -np.inf), "a coefficient is not a number"),
        (put("coef", 0, 1e31), "a coefficient is not a number"),
        (put("intercept", 1, np.inf), "a coefficient is not a number"),
        (put("df", 2, 0), "a document frequency is not from 1 to 6"),
        (put("df", 2, 7), "a document frequency is not from 1 to 6"),
        (set_to("df", lambda a: a.astype(np.float64)), "'df' is float64"),
        (set_to("words.bytes", lambda a: a.astype(np.uint32) + np.uint32(4e9)), "add up"),
        (put("words.bytes", 0, 1), "shares more bytes than the string before has"),
        (put("words.bytes", 1, 200), "shares more bytes than the string before has"),
        (put("words.text", 0, 0xFF), "not UTF-8"),
        (set_to("words.bytes", lambda a: a[:, :-1]), "add up"),
        (set_to("words.bytes", lambda a: a[:1]), "'words.bytes' is uint8 of shape"),
        (set_to("words.bytes", lambda a: a.astype(np.float64)), "'words.bytes' is float64"),
        (set_to("coef", lambda a: a.astype(np.int8)), "'coef' is int8"),
        (set_to("coef", lambda a: a.astype(np.int64)), "'coef' is of a kind that no model has"),
        (set_to("intercept", np.zeros(2)), r"'intercept' is float64 of shape \(2,\)"),
        (set_to("df", lambda a: a[1:]), "'df'"),
        (set_to("extra", np.zeros(1)), "unknown"),
        (lambda t: t.pop("df"), "do not belong together"),
        (lambda t: t.pop("coef"), "no tensor 'coef'"),
        (lambda t: t.pop("stops.text"), "unknown tensor 'stops.bytes'"),
        (lambda t: t.pop("stops.bytes"), "no tensor 'stops.bytes'"),
        (put("coef.skip", 0, 3), "outside"),
        (put("coef.count", 0, 4), "differ in length"),
        (set_to("coef.count", lambda a: a[1:]), "'coef.count'"),
        (set_to("coef.skip", lambda a: a[1:]), "differ in length"),
        (set_to("coef.skip", lambda a: a + np.uint8(3)), "outside"),
        (lambda t: t.pop("coef.skip"), "no tensor 'coef.skip'"),
    ],
)
def test_numbers_that_are_none_are_refused(change, says, file):
    served("argmax", "selected", stop_words=["the"])[0].save(file)
    rewritten(file, change if callable(change) else None)
    with pytest.raises(LaconicError, match=says) as raised:
        CompactModel.load(file)
    assert str(raised.value).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("documents", 2, "a document frequency is not from 1 to 2"),
        ("documents", 2**32, "a document frequency"),
        ("documents", None, "a document frequency is not from 1 to 0"),
        ("documents", 6.0, "not int"),
        ("documents", True, "not int"),
        ("kind", "tree", "kind 'tree'"),
        ("size", -1, "size -1"),
        ("size", 2**70, "size"),
        ("normalize", "none", "normalize"),
        ("rule", "vote", "rule"),
        ("rule", "sign", "shape"),
        ("weighting", "bm25", "scheme"),
        ("weighting", "binary", "do not belong together"),
        ("length", "l3", "length"),
        ("text", [], "not dict"),
        ("surprise", 1, "unknown"),
        ("classifier", None, "not dict"),
        ("classifier.name", 1, "not str or NoneType"),
        ("classifier.name", "x" * 50, "1 to 40 characters"),
        ("classifier.alpha", -1.0, "alpha"),
        ("classifier.alpha", 1, "not float or NoneType"),
        ("classifier.class_weight", {}, "not str or NoneType"),
        ("classifier.surprise", 1, "unknown"),
        ("features.number", 1, "features in its header: 1 of the kind 'word'"),
        ("features.kind", "char", "of the kind 'char'"),
        ("features.surprise", 1, "unknown"),
        ("thresholds", [0.5], "thresholds .* needs a newer Laconic"),
        ("calibration", {"temperature": 2.0}, "calibration .* needs a newer Laconic"),
        ("storage", "int8", "'intercept' is float64"),
        ("storage", "int16", "'intercept' is float64"),
        ("storage", "float32", "'intercept' is float64"),
        ("storage", "int4", "storage .* needs a newer Laconic"),
        ("storage", ["int8"], "storage .* needs a newer Laconic"),
        ("storage", None, "needs a newer Laconic"),
        ("solved", 1, "not bool or NoneType"),
        ("gap", -1.0, "gap=-1.0"),
        ("gap", "0", "not float or NoneType"),
        ("text.unit", "bit", "unit"),
        ("text.stem", "klingon", "no such stemmer"),
        ("text.min_length", 1.5, "min_length=1.5: give a whole number of at least 0"),
        ("text.min_length", 2.0, "min_length=2.0"),
        ("text.min_length", True, "min_length=True"),
        ("text.min_length", None, "min_length=None"),
        ("text.min_length", 2**31, "min_length="),
        ("text.unit", None, "unit=None"),
        ("text.ngrams", "12", "ngrams='12'"),
        ("text.min_length", -1, "min_length"),
        ("text.ngrams", [1, 10**9], "n-grams of 1 to"),
        ("text.ngrams", [2, 1], "1 <= shortest <= longest"),
        ("text.ngrams", [1], "two whole numbers"),
        ("text.ngrams", [1, True], "two whole numbers"),
        ("text.lowercase", 1, "lowercase=1: give true or false"),
        ("text.token_pattern", "(", "not a regular expression"),
        ("text.token_pattern", "x" * 2000, "2,000 characters"),
        ("text.token_pattern", r"(\w+\s*)+$", "trusted=True"),
        ("text.surprise", 1, "unknown"),
    ],
)
def test_settings_that_are_none_are_refused(name, value, says, file):
    served("argmax", "selected", stop_words=["the"])[0].save(file)

    def header(told):
        first, _, second = name.partition(".")
        if second:
            told[first][second] = value
        else:
            told[first] = value

    rewritten(file, header=header)
    with pytest.raises(LaconicError, match=says):
        CompactModel.load(file)


@pytest.mark.parametrize(
    "name", [option.name for option in options_of(TextOptions) if option.name != "stop_words"]
)
def test_a_missing_text_option_is_refused(name, file):
    served("argmax", "selected")[0].save(file)
    rewritten(file, header=lambda header: header["text"].pop(name, None))
    if name == "stem":
        assert CompactModel.load(file).text.stem is None
        return
    with pytest.raises(LaconicError, match=f"no '{name}'"):
        CompactModel.load(file)


def test_columns_that_take_no_room_in_the_file_take_none_in_memory(file):
    size = 1 << 39
    machine("sign", "projection").save(file)

    def change(tensors):
        tensors["words.text"], tensors["words.bytes"] = np.empty(0, "u1"), np.empty((2, 0), "u4")
        tensors["components"] = np.empty((0, size))
        tensors["support"], tensors["dual"] = np.empty((0, size)), np.empty((1, 0))
        tensors["df"] = np.empty(0, np.uint8)

    rewritten(file, change, lambda told: told.update(size=size))
    with pytest.raises(LaconicError, match="has arrays of shapes"):
        CompactModel.load(file)


@pytest.mark.parametrize("name", ["words", "classes"])
def test_names_are_distinct(name, file):
    served("argmax", "selected")[0].save(file)

    def change(tensors):
        n_names = tensors[f"{name}.bytes"].shape[1]
        tensors[f"{name}.text"] = np.full(n_names, ord("x"), np.uint8)
        tensors[f"{name}.bytes"] = np.repeat(np.array([[0], [1]], np.uint8), n_names, axis=1)

    rewritten(file, change)
    with pytest.raises(LaconicError, match=f"two {name} have the same name"):
        CompactModel.load(file)


def raw_header(file, change):
    data = inflated(file.read_bytes())
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    change(header)
    raw = json.dumps(header).encode()
    file.write_bytes(deflated([len(raw).to_bytes(8, "little"), raw, data[8 + size :]]))


def add_numbers(file, raw):
    """The file with more bytes after its tensors."""
    file.write_bytes(deflated([inflated(file.read_bytes()), raw]))


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("shape", [2**61, 8], "the bytes of its shape"),
        ("shape", [-1, 3], "has sizes"),
        ("shape", [1.0, 3], "has sizes"),
        ("shape", "big", "has sizes"),
        ("shape", [], "a kind that no model has"),
        ("dtype", "BF16", "a kind that no model has"),
        ("dtype", ["F64"], "a kind that no model has"),
        ("data_offsets", [0], "a kind that no model has"),
        ("data_offsets", [0, 10**15], "the bytes of its shape"),
        ("more", 1, "does not describe a tensor"),
    ],
)
def test_claims_about_tensors_are_examined(name, value, says, file):
    served("argmax", "selected")[0].save(file)
    raw_header(file, lambda header: header["coef"].update({name: value}))
    with pytest.raises(LaconicError, match=says):
        CompactModel.load(file)


def test_tensors_may_not_overlap(file):
    served("argmax", "selected")[0].save(file)

    def overlap(header):
        header["intercept"]["data_offsets"] = [0, 24]

    raw_header(file, overlap)
    with pytest.raises(LaconicError, match="overlap"):
        CompactModel.load(file)
    served("argmax", "selected")[0].save(file)
    add_numbers(file, b"more")
    with pytest.raises(LaconicError, match="its header states"):
        CompactModel.load(file)


def test_tensors_leave_no_gaps(file):
    served("argmax", "selected")[0].save(file)

    def gap(header):
        spans = [entry["data_offsets"] for name, entry in header.items() if name[0] != "_"]
        for span in spans:
            span[:] = [at + 8 for at in span]

    raw_header(file, gap)
    add_numbers(file, b"12345678")
    with pytest.raises(LaconicError, match="leave gaps"):
        CompactModel.load(file)


@pytest.mark.parametrize("limit", ["MOST_WORDS", "MOST_CLASSES", "MOST_STOP_WORDS"])
def test_names_are_limited_in_number(limit, file, monkeypatch):
    served("argmax", "selected", stop_words=["the", "on", "at"])[0].save(file)
    monkeypatch.setattr(model_file, limit, 2)
    with pytest.raises(LaconicError, match="the limit is 2"):
        CompactModel.load(file)


def test_a_pattern_of_ones_own_needs_trust(file):
    compact, slow = served(token_pattern=r"[\w']+")
    compact.save(file)
    with pytest.raises(LaconicError, match="If you trust the file"):
        CompactModel.load(file)
    loaded = CompactModel.load(file, trusted=True)
    np.testing.assert_allclose(loaded.decision(TEXTS), slow(TEXTS), atol=1e-10)


@pytest.mark.parametrize("rule", ["sign", "argmax", "labels"])
def test_thresholds_and_calibration_are_in_the_file(rule, file):
    plain = served(rule)[0]
    compact = calibrated(plain)
    compact.save(file)
    loaded = CompactModel.load(file)
    runtime = model_file.load(file)
    for name in ("thresholds", "calibration"):
        expected = getattr(compact.model, name)
        for model in (loaded.model, runtime):
            np.testing.assert_array_equal(getattr(model, name), expected, strict=True)
    assert loaded.to_bytes() == compact.to_bytes()
    assert loaded.predict(TEXTS) == runtime.predict(TEXTS) == compact.predict(TEXTS)
    assert (loaded.predict(TEXTS) == plain.predict(TEXTS)) == (rule == "argmax")
    decision = plain.decision(TEXTS)
    np.testing.assert_array_equal(loaded.decision(TEXTS), decision)
    expected = compact.model.predict_proba(compact.vectors(TEXTS))
    for model in (loaded, runtime):
        np.testing.assert_allclose(model.predict_proba(TEXTS), expected, atol=1e-12)
    assert "probabilities: none" in plain.summary()
    assert "probabilities: none" not in loaded.summary()
    assert ("above its threshold" in loaded.summary()) == (rule == "labels")
    assert ("is above -0.15" in loaded.summary()) == (rule == "sign")


def test_a_value_at_its_threshold_is_not_positive(file):
    compact = served("sign")[0]
    values = np.sort(compact.decision(TEXTS).ravel())
    at = dataclasses.replace(compact.model, thresholds=values[2:3])
    exact = dataclasses.replace(compact, model=at)
    assert exact.predict(TEXTS).count("yes") == (values > values[2]).sum() > 0


def test_a_file_without_calibration_has_no_probabilities(file):
    served()[0].save(file)
    with pytest.raises(LaconicError, match="no calibration"):
        model_file.load(file).predict_proba(TEXTS)
    assert not {"thresholds", "calibration"} & set(load(inflated(file.read_bytes())))


@pytest.mark.parametrize(
    ("rule", "name", "values", "says"),
    [
        ("labels", "thresholds", [0.0], r"'thresholds' is float64 of shape \(1,\), not"),
        ("labels", "thresholds", [0.0, np.nan, 0.0], "thresholds: not a number"),
        ("labels", "thresholds", None, "has no tensor 'thresholds'"),
        ("labels", "calibration", [[1.0, 0.0]], "'calibration' is float64 of shape"),
        ("labels", "calibration", [[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], "slope a .* not -1"),
        ("sign", "calibration", [[np.inf, 0.0]], "calibration: not a number"),
        ("argmax", "calibration", [0.0], "the temperature .* not 0"),
        ("argmax", "calibration", [[1.0, 0.0]], "'calibration' is float64 of shape"),
        ("argmax", "calibration", None, "has no tensor 'calibration'"),
    ],
)
def test_damaged_thresholds_and_calibrations_are_refused(rule, name, values, says, file):
    calibrated(served(rule)[0]).save(file)

    def change(tensors):
        del tensors[name]
        if values is not None:
            tensors[name] = np.array(values)

    rewritten(file, change)
    with pytest.raises(LaconicError, match=says):
        model_file.load(file)


@pytest.mark.parametrize(
    ("rule", "fields", "says"),
    [
        ("sign", {"calibration": "temperature"}, "'temperature', not for the rule 'sign'"),
        ("argmax", {"calibration": "platt"}, "'platt', not for the rule 'argmax'"),
        ("labels", {"thresholds": None}, "unknown tensor 'thresholds'"),
        ("labels", {"calibration": None}, "unknown tensor 'calibration'"),
        ("labels", {"calibration": "isotonic"}, "'isotonic': this needs a newer Laconic"),
    ],
)
def test_headers_that_say_otherwise_are_refused(rule, fields, says, file):
    calibrated(served(rule)[0]).save(file)
    rewritten(file, header=lambda told: told.update(fields))
    with pytest.raises(LaconicError, match=says):
        model_file.load(file)


def test_a_largest_value_and_a_kernel_have_no_thresholds(file):
    calibrated(served("argmax")[0]).save(file)
    header = {"thresholds": "rows"}
    rewritten(
        file, lambda tensors: tensors.update(thresholds=np.zeros(3)), lambda h: h.update(header)
    )
    with pytest.raises(LaconicError, match="thresholds with the rule 'argmax'"):
        model_file.load(file)
    other = file.with_name("kernel")
    machine("sign", "selection").save(other)
    rewritten(
        other, lambda tensors: tensors.update(thresholds=np.zeros(1)), lambda h: h.update(header)
    )
    with pytest.raises(LaconicError, match="a kernel model has no thresholds"):
        model_file.load(other)
