"""train, predict and explain, as a user runs them."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from laconic import CompactModel, load_corpus
from laconic.cli.main import main
from laconic.cli.predictions import BATCH_CHARACTERS, batches
from laconic.compact.model_file import deflated
from laconic.corpus.readers.record_stream import Item
from laconic.runtime.compression import inflated

PETS = "text,label\n" + "".join(
    f"the {pet} number {i} {sound},{pet}\n"
    for i in range(10)
    for pet, sound in (("cat", "meows"), ("dog", "barks"))
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        return CliRunner().invoke(main, list(map(str, arguments)))

    return run


@pytest.fixture
def model(run, tmp_path):
    """A model of cats and dogs, without probabilities."""
    (tmp_path / "pets.csv").write_text(PETS)
    done = run("train", "pets.csv", "--method", "IG+ridge", "--size", 4, "-o", "pets.laconic")
    assert done.exit_code == 0, done.output
    return tmp_path / "pets.laconic"


def answered(done):
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_train_says_what_it_did(run, tmp_path):
    (tmp_path / "pets.csv").write_text(PETS)
    done = run("train", "pets.csv", "--size", 4)
    assert "all 20 documents" in done.output
    assert "4 words, 2 classes" in done.output
    assert "needs only its own words" in done.output
    size = (tmp_path / "model.laconic").stat().st_size
    assert f"model: model.laconic ({size:,} bytes)" in done.output
    loaded = CompactModel.load(tmp_path / "model.laconic")
    assert set(loaded.words) == {"cat", "meows", "dog", "barks"}
    assert loaded.self_contained
    again = run("train", "pets.csv", "--size", 2)
    assert again.exit_code == 0, "a model may replace a model"


def test_train_takes_the_training_part(run, tmp_path):
    split = "".join(
        f"{line},{'test' if number % 4 == 0 else 'train'}\n"
        for number, line in enumerate(PETS.splitlines()[1:])
    )
    (tmp_path / "split.csv").write_text("text,label,split\n" + split)
    part = run("train", "split.csv", "--size", 4, "-o", "part.laconic")
    assert "the 15 training documents of 20" in part.output
    every = run("train", "split.csv", "--size", 4, "--all", "-o", "all.laconic")
    assert "all 20 documents" in every.output
    loaded = load_corpus(tmp_path / "split.csv")
    parts, whole = (CompactModel.load(tmp_path / f"{name}.laconic") for name in ("part", "all"))
    assert np.abs(parts.weights.idf - whole.weights.idf).max() > 0
    assert parts.predict(loaded.texts) == [labels[0] for labels in loaded.labels]


def test_train_with_labels_and_settings(run, tmp_path):
    lines = [
        {"text": "cats and dogs ran", "label": ["cat", "dog"]},
        {"text": "a cat slept", "label": ["cat"]},
        {"text": "the dog barked", "label": ["dog"]},
        {"text": "nothing at all", "label": []},
    ] * 3
    (tmp_path / "pets.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    options = ("--stem", "porter", "--stop-words", "english", "--ngrams", "1-2", "--alpha", "loo")
    done = run("train", "pets.jsonl", "--size", "0.5", "--method", "chi2", *options)
    assert done.exit_code == 0, done.output
    loaded = CompactModel.load(tmp_path / "model.laconic")
    assert loaded.text.stem == "porter"
    assert loaded.text.ngrams == (1, 2)
    assert "the" in loaded.text.stop_words
    assert loaded.predict(["cats", "dog", "cats dogs", ""]) == [
        ("cat",),
        ("dog",),
        ("cat", "dog"),
        (),
    ]
    found = answered(run("predict", "model.laconic", "pets.jsonl"))
    assert [answer["label"] for answer in found] == [line["label"] for line in lines]


def test_train_on_vectors_and_predict_counts(run, tmp_path):
    (tmp_path / "pets.svm").write_text("1 1:2 3:1\n-1 2:3\n1 1:1\n-1 2:1 3:2\n" * 2)
    done = run("train", "pets.svm", "--size", 2)
    assert done.exit_code == 0, done.output
    assert "came as vectors" in done.output
    loaded = CompactModel.load(tmp_path / "model.laconic")
    first, second = loaded.words
    lines = [{"text": {first: 2}}, {"text": {second: 1, "zebra": 4}}]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = answered(run("predict", "model.laconic", "new.jsonl"))
    assert [answer["label"] for answer in found] == ["1", "-1"]
    (tmp_path / "new.txt").write_text("a text\n")
    failed = run("predict", "model.laconic", "new.txt")
    assert failed.exit_code == 2
    assert "lines 1 to 1: this model was trained on vectors" in failed.output


DOCUMENTS = {
    "new.jsonl": '{"text": "a cat", "id": "x"}\n\n{"text": "dog", "id": 7}\n',
    "new.csv": 'id,text\nx,"a\ncat"\n7,dog\n',
    "semi.csv": "id;text\nx;a cat\n7;dog\n",
    "quoted.csv": 'id;"note, or remark";text\nx;;a cat\n7;,;dog\n',
    "new.tsv": "text\tid\na cat\tx\ndog\t7\n",
}


@pytest.mark.parametrize("name", list(DOCUMENTS))
def test_predict_reads_tables(name, run, model, tmp_path):
    (tmp_path / name).write_text(DOCUMENTS[name])
    found = answered(run("predict", model, name))
    assert [answer["label"] for answer in found] == ["cat", "dog"]
    assert [str(answer["id"]) for answer in found] == ["x", "7"]


@pytest.mark.parametrize("pack", [lambda raw: raw, gzip.compress, bz2.compress])
def test_predict_reads_lines_packed_or_not(pack, run, model, tmp_path):
    (tmp_path / "new.txt").write_bytes(pack("a cat\n\ndogs and a dog\r\nÉTÉ".encode()))
    found = answered(run("predict", model, "new.txt", "--scores"))
    assert [answer["id"] for answer in found] == [0, 1, 2, 3]
    assert [answer["label"] for answer in found] == ["cat", "cat", "dog", "cat"]
    texts = ["a cat", "", "dogs and a dog", "ÉTÉ"]
    expected = CompactModel.load(model).decision(texts)[:, 0]
    assert [answer["scores"]["dog"] for answer in found] == expected.tolist()


def piped(model, text, *options):
    command = [sys.executable, "-m", "laconic.cli", "predict", str(model), "-", *options]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


@pytest.mark.full
def test_predict_reads_a_pipe(model):
    lines = piped(model, "a cat\na dog\n")
    assert [json.loads(line)["label"] for line in lines.stdout.splitlines()] == ["cat", "dog"]
    objects = piped(model, '{"text": "dog"}\n{"text": "cat"}\n')
    assert [json.loads(line)["label"] for line in objects.stdout.splitlines()] == ["dog", "cat"]
    assert lines.stderr == objects.stderr == "", "no bar where there is no terminal"
    assert piped(model, "").returncode == 2
    braces = piped(model, "{cat} dog dog dog\n", "--format", "txt")
    assert json.loads(braces.stdout)["label"] == "dog"


@pytest.mark.full
def test_a_reader_that_leaves_early_is_no_error(model, tmp_path):
    (tmp_path / "many.txt").write_text("a cat\n" * 200_000)
    command = f"{sys.executable} -m laconic.cli predict {model} {tmp_path / 'many.txt'} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["label"] == "cat"
    assert "Traceback" not in done.stderr


def test_predict_writes_whole_files_only(run, model, tmp_path):
    (tmp_path / "new.jsonl").write_text('{"text": "cat"}\n' * 3 + "{broken\n")
    done = run("predict", model, "new.jsonl", "-o", "out.jsonl")
    assert done.exit_code == 2
    assert "new.jsonl, line 4: is not JSON" in done.output
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "new.jsonl",
        "pets.csv",
        "pets.laconic",
    ]
    done = run("predict", model, "pets.csv", "-o", "out.jsonl")
    assert done.stdout == ""
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["label"] for line in lines] == ["cat", "dog"] * 10


def test_answers_are_ascii(run, model, tmp_path):
    line = json.dumps({"text": "cat", "id": "\x1b[2J\u202eü\ud800\x9b"})
    (tmp_path / "new.jsonl").write_text(line + "\n")
    done = run("predict", model, "new.jsonl")
    assert done.stdout.rstrip("\n").isascii()
    assert done.stdout.rstrip("\n").isprintable()
    assert json.loads(done.stdout)["id"] == "\x1b[2J\u202eü\ud800\x9b"


def test_batches_hold_little(model):
    loaded = CompactModel.load(model)
    long = [Item(number, "x" * (BATCH_CHARACTERS // 3 + 1), number) for number in range(7)]
    assert [len(batch) for batch in batches(iter(long), loaded)] == [3, 3, 1]
    assert list(batches(iter([]), loaded)) == []


def test_batches_give_the_answers_of_one(run, model, tmp_path, monkeypatch):
    (tmp_path / "new.txt").write_text("a cat\na dog\nthe cat barks\n" * 5)
    whole = run("predict", model, "new.txt", "--scores").stdout
    monkeypatch.setattr("laconic.cli.predictions.BATCH_CHARACTERS", 12)
    assert run("predict", model, "new.txt", "--scores").stdout == whole


def test_explain(run, model, tmp_path):
    done = run("explain", model, "the dog and the dog meows")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("label: dog\ndog: +")
    lines = [line.split() for line in done.output.splitlines()]
    shares = {line[0]: float(line[1]) for line in lines if len(line) == 2 and line[0] in PETS}
    assert shares["dog"] > 0 > shares["meows"]
    (tmp_path / "new.txt").write_text("the dog and\nthe dog meows")
    assert run("explain", model, "--file", "new.txt").output == done.output
    told = json.loads(run("explain", model, "dog meows", "--json", "--top", 1).output)
    assert told["label"] == CompactModel.load(model).predict(["dog meows"])[0]
    assert [len(words) for words in told["words"].values()] == [1]
    nothing = run("explain", model, "zebra")
    assert "label: cat" in nothing.output
    assert "none of its words is in the document" in nothing.output


def test_explain_shows_the_classes_chosen_or_all(run, tmp_path):
    lines = [f"{name} {name}ish,{name}\n" for name in ("red", "green", "blue")] * 4
    (tmp_path / "colours.csv").write_text("text,label\n" + "".join(lines))
    assert run("train", "colours.csv", "--size", 6).exit_code == 0
    chosen = run("explain", "model.laconic", "green greenish").output
    assert "green: +" in chosen
    assert "red: " not in chosen
    every = run("explain", "model.laconic", "green greenish", "--every").output
    assert all(f"{name}: " in every for name in ("red", "green", "blue"))


def test_words_of_strangers_do_not_steer_the_terminal(run, tmp_path):
    rows = [{"text": "good", "label": "\x1b[31m[bold]x"}, {"text": "bad", "label": "y\u202e"}] * 3
    (tmp_path / "evil.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("train", "evil.jsonl", "--size", 2)
    told = run("explain", "model.laconic", "good bad").output
    for output in (done.output, told):
        assert "\x1b" not in output
        assert "\u202e" not in output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("predict", "nothing.laconic", "pets.csv"), "cannot be read"),
        (("predict", "pets.csv", "pets.csv"), "not a compact model"),
        (("predict", "pets.laconic", "nothing.jsonl"), "no such file"),
        (("predict", "pets.laconic", "pets.csv", "--text", "body"), "no column 'body'"),
        (("predict", "pets.laconic", "pets.csv", "--id", "key"), "no column 'key'"),
        (("predict", "pets.laconic", "pets.csv", "-o", "pets.csv"), "written as .jsonl"),
        (("predict", "pets.laconic", "same.jsonl", "-o", "same.jsonl"), "cannot be its output"),
        (("predict", "pets.laconic", "pets.csv", "-o", "no/out.jsonl"), "folder no does not exist"),
        (("predict", "pets.laconic", "ragged.csv"), "line 3: the record that begins here has 2"),
        (("predict", "pets.laconic", "open.csv"), "a quote in the record"),
        (("predict", "pets.laconic", "list.jsonl"), "line 1: is JSON, but not an object"),
        (("predict", "pets.laconic", "number.jsonl"), "line 2: 'text' is neither a text"),
        (("predict", "pets.laconic", "nokey.jsonl"), "no key 'text'"),
        (("predict", "pets.laconic", "latin.txt"), "line 1: byte 0xe9"),
        (("predict", "pets.laconic", "pets.csv", "--max-line", "3"), "longer than 3 bytes"),
        (("explain", "pets.laconic"), "give the document"),
        (("explain", "pets.laconic", "x", "--file", "y"), "give the document"),
        (("explain", "pets.laconic", "--file", "nothing.txt"), "no such file"),
        (("train", "pets.csv", "-o", "pets.csv"), "exists and is not a model"),
        (("train", "pets.csv", "-o", "no/model"), "folder no does not exist"),
        (("train", "pets.csv", "--size", "2,3"), "one number"),
        (("train", "pets.csv", "--size", "9999"), "size 9999"),
        (("train", "pets.csv", "--method", "XYZ"), "choose from"),
        (("train", "pets.csv", "--target", "one-vs-rest"), "gives 2 problems"),
    ],
)
def test_errors_are_a_line_that_says_what_to_do(arguments, says, run, model, tmp_path):
    files = {
        "same.jsonl": b'{"text": "cat"}\n',
        "ragged.csv": b"text\ncat\na,b\n",
        "open.csv": b'text\n"cat\n',
        "list.jsonl": b"[1]\n",
        "number.jsonl": b'{"text": "cat"}\n{"text": 7}\n',
        "nokey.jsonl": b'{"body": "cat"}\n',
        "latin.txt": "été".encode("latin-1"),
    }
    for name, raw in files.items():
        (tmp_path / name).write_bytes(raw)
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    assert says in done.output
    assert "Traceback" not in done.output
    assert (tmp_path / "pets.csv").read_text() == PETS


def test_undecodable_bytes_can_be_replaced(run, model, tmp_path):
    (tmp_path / "latin.txt").write_bytes("été cat".encode("latin-1"))
    for option in (("--encoding-errors", "replace"), ("--encoding", "latin-1")):
        assert answered(run("predict", model, "latin.txt", *option))[0]["label"] == "cat"


def test_a_pattern_of_ones_own_needs_trust(run, model, tmp_path):
    raw = inflated(model.read_bytes())
    pattern = rb"\\\\w+"
    assert raw.count(pattern) == 1
    model.write_bytes(deflated([raw.replace(pattern, rb"\\\\S+")]))
    (tmp_path / "new.txt").write_text("a cat\n")
    refused = run("predict", model, "new.txt")
    assert refused.exit_code == 2
    assert "--trusted" in refused.output
    assert answered(run("predict", model, "new.txt", "--trusted"))[0]["label"] == "cat"
    assert run("explain", model, "cat", "--trusted").exit_code == 0


@pytest.mark.parametrize("id", ["NaN", "-Infinity", "null", "[NaN]"])
def test_r14_an_id_that_is_no_number_is_answered_in_json(run, model, tmp_path, id):
    """pandas writes NaN where there is no id; JSON has no such number."""
    lines = [f'{{"id": {id}, "text": "cat"}}', '{"id": 7, "text": "dog"}']
    (tmp_path / "new.jsonl").write_text("\n".join(lines))

    def refuse(constant):
        raise AssertionError(f"{constant} is no JSON")

    done = run("predict", model, "new.jsonl", "--scores")
    assert done.exit_code == 0, done.stderr
    answers = [json.loads(line, parse_constant=refuse) for line in done.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [[None] if id == "[NaN]" else None, 7]
    assert [answer["label"] for answer in answers] == ["cat", "dog"]


def with_calibration(file, thresholds=None, calibration=None):
    """The file, whose model is replaced."""
    compact = CompactModel.load(file)
    fields = {"thresholds": thresholds, "calibration": calibration}
    replace(compact, model=replace(compact.model, **fields)).save(file)
    return CompactModel.load(file)


def test_predict_says_the_probability_of_the_class(run, model, tmp_path):
    (tmp_path / "docs.txt").write_text("the cat meows\nthe dog barks\n")
    before = answered(run("predict", model, "docs.txt"))
    assert all(list(line) == ["id", "label"] for line in before)
    compact = with_calibration(model, calibration=[[3.0, 0.5]])
    lines = answered(run("predict", model, "docs.txt", "--scores"))
    assert list(lines[0]) == ["id", "label", "probability", "scores"]
    cat, dog = compact.predict_proba(["the cat meows", "the dog barks"])
    assert [line["probability"] for line in lines] == [cat[0], dog[1]]
    assert cat[0] > 0.5
    with_calibration(model, thresholds=[9.0], calibration=[[3.0, 0.5]])
    lines = answered(run("predict", model, "docs.txt"))
    assert [line["label"] for line in lines] == ["cat", "cat"]
    assert [line["probability"] for line in lines] == [cat[0], dog[0]]


def test_predict_says_the_probability_of_each_label(run, tmp_path):
    docs = [{"text": f"{pet} pet", "labels": [pet, "pet"]} for pet in ("cat", "dog") * 6]
    docs += [{"text": "stone rock", "labels": ["thing"]}] * 3
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    trained = run("train", "docs.jsonl", "--label", "labels", "--target", "multilabel", "--size", 5)
    assert trained.exit_code == 0, trained.output
    file = tmp_path / "model.laconic"
    n_labels = len(CompactModel.load(file).classes)
    compact = with_calibration(file, calibration=[[2.0, 0.0]] * n_labels)
    (tmp_path / "new.txt").write_text("cat pet\n")
    (line,) = answered(run("predict", file, "new.txt"))
    chances = dict(zip(compact.classes, compact.predict_proba(["cat pet"])[0], strict=True))
    assert set(line["label"]) == {"cat", "pet"}
    assert line["probability"] == {name: chances[name] for name in line["label"]}


def test_explain_says_probability_and_threshold(run, model):
    plain = run("explain", model, "the dog barks")
    assert "probability" not in plain.output
    assert "(threshold 0.0000)" in plain.output.replace("+0.0000", "0.0000")
    compact = with_calibration(model, thresholds=[-0.25], calibration=[[3.0, 0.5]])
    chance = compact.predict_proba(["the dog barks"])[0, 1]
    shown = run("explain", model, "the dog barks").output
    assert f"label: dog ({chance:.1%})" in shown
    assert f"(threshold -0.2500), probability {chance:.1%}" in shown
    told = json.loads(run("explain", model, "the dog barks", "--json").output)
    assert list(told) == ["label", "scores", "words", "probabilities", "thresholds"]
    assert told["thresholds"] == {"dog": -0.25}
    assert told["probabilities"] == {"cat": pytest.approx(1 - chance), "dog": chance}
