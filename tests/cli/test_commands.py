"""The command, as a user runs it: results, and every kind of bad input without a traceback."""

from __future__ import annotations

import csv
import gzip
import io
import json
import signal
import subprocess
import sys
import tarfile
import time

import pytest
from click.testing import CliRunner

from laconic.cli import main

GOOD = "text,label\n" + "".join(
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


def test_corpus_says_what_is_in_a_file(run, tmp_path):
    (tmp_path / "pets.csv").write_text(GOOD + '"!",cat\n')
    done = run("corpus", "pets.csv")
    assert done.exit_code == 0, done.output
    assert "21 documents as texts" in done.output
    assert "classes   2, one label per document" in done.output
    assert "cat" in done.output
    assert "11" in done.output
    assert "1 documents have no words (kept)" in done.output


def test_corpus_as_json(run, tmp_path):
    (tmp_path / "pets.csv").write_text(GOOD)
    card = json.loads(run("corpus", "pets.csv", "--json").stdout)
    assert card["documents"] == 20
    assert card["classes"] == {"cat": 10, "dog": 10}


@pytest.fixture
def parts(tmp_path):
    """The lines of GOOD in a folder of two files."""
    header, *lines = GOOD.splitlines(keepends=True)
    (tmp_path / "pets").mkdir()
    for number, first in ((9, 0), (10, 8)):
        part = lines[first:][: 8 if first == 0 else None]
        (tmp_path / "pets" / f"part-{number}.csv").write_text(header + "".join(part))
    (tmp_path / "pets.csv").write_text(GOOD)


@pytest.mark.usefixtures("parts")
def test_a_folder_a_glob_and_a_file_are_the_same_corpus(run):
    cards = [
        json.loads(run("corpus", where, "--json").stdout)
        for where in ("pets", "pets/part-*.csv", "pets.csv")
    ]
    assert {card["fingerprint"] for card in cards} == {cards[0]["fingerprint"]}
    assert {card["name"] for card in cards} == {"pets"}
    done = run("corpus", "pets/*.json")
    assert (done.exit_code, "no file matches this pattern" in done.stderr) == (2, True)


@pytest.mark.usefixtures("parts")
def test_several_files_train_the_model_of_one(run, tmp_path):
    several = ("pets/part-10.csv", "pets/part-9.csv")
    for model, where in (("a", several), ("b", ["pets.csv"]), ("c", ["pets/*.csv"])):
        done = run("train", *where, "--size", "4", "-o", f"{model}.laconic")
        assert done.exit_code == 0, done.output
    a, b, c = (run("predict", f"{model}.laconic", "pets.csv", "--scores").stdout for model in "abc")
    assert a == b == c
    listed = [run("select", *where, "--size", "4").stdout for where in (several, ["pets.csv"])]
    assert listed[0] == listed[1]
    for where in (several, ["pets/*.csv"]):
        done = run("curve", *where, "--sizes", "2", "-o", "pets/part-9.csv")
        assert done.exit_code == 2
        assert "part-9.csv" in done.stderr


@pytest.mark.usefixtures("parts")
def test_a_study_of_a_glob_is_resumed_from_its_folder(run, tmp_path):
    options = ("--methods", "ALL", "--sizes", "2", "--cv", "2", "--features", "words")
    done = run("study", "pets/part-*.csv", *options, "--jobs", "1", "--no-report", "--quiet")
    assert done.exit_code == 0, done.output
    plan = (tmp_path / "pets-study" / "plan.toml").read_text()
    assert f'where = "{tmp_path}/pets/part-*.csv"' in plan
    again = run("study", "pets-study", "--jobs", "1", "--no-report", "--quiet")
    assert again.exit_code == 0, again.output
    refused = run("study", "pets.csv", *options, "-o", "pets-study", "--jobs", "1")
    assert "contains a study of" in refused.stderr


def test_the_catalog_is_listed(run):
    done = run("corpus", "--known")
    assert done.exit_code == 0
    assert all(name in done.output for name in ("pydocs", "reuters-21578", "techtc100", "ModApte"))


def test_curve_prints_a_table_and_writes_rows(run, tmp_path):
    (tmp_path / "pets.csv").write_text(GOOD)
    done = run(
        "curve", "pets.csv", "--sizes", "2,5,500", "--metric", "accuracy", "--metric", "roc_auc"
    )
    assert done.exit_code == 0, done.output
    assert "skipped 500: only" in done.output
    rows = list(csv.DictReader((tmp_path / "pets-RFE.csv").open()))
    assert [(row["size"], row["metric"], row["status"]) for row in rows] == [
        (size, metric, status)
        for size, status in (("2", "ok"), ("5", "ok"), ("500", "skipped"))
        for metric in ("accuracy", "roc_auc")
    ]
    assert float(rows[2]["value"]) == 1.0, "cat and dog are among the five words that tell most"


def test_curve_over_folds_and_categories_shows_the_mean(run, tmp_path):
    (tmp_path / "pets.csv").write_text(GOOD)
    done = run("curve", "pets.csv", "--cv", "2", "--target", "one-vs-rest", "--sizes", "5")
    assert done.exit_code == 0, done.output
    assert "mean ± sd of 4 problems" in done.output
    names = {
        (row["problem"], row["fold"]) for row in csv.DictReader((tmp_path / "pets-RFE.csv").open())
    }
    assert ("pets: cat", "fold 2 of 2") in names


@pytest.mark.full
def test_the_embedded_corpus_runs_end_to_end(run, tmp_path):
    done = run("curve", "pydocs", "--sizes", "100,1000", "-o", "rows.jsonl")
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").open()]
    accuracy = [row["value"] for row in rows if row["metric"] == "accuracy"]
    assert 0.2 < accuracy[0] < accuracy[1] < 0.97


def test_help_and_version(run):
    assert "laconic study tickets.csv" in run("--help").output
    assert "--weighting" in run("curve", "--help").output
    assert run("--version").output.startswith("laconic")


def tar_with(name, kind=tarfile.REGTYPE, link=""):
    def make(where):
        with tarfile.open(where, "w") as archive:
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            archive.addfile(member, io.BytesIO(b"") if kind == tarfile.REGTYPE else None)

    return make


def write(content):
    def make(where):
        where.write_bytes(content if isinstance(content, bytes) else content.encode())

    return make


def long_line(where):
    with where.open("wb") as file:
        file.write(b"text,label\n")
        for _ in range(100):
            file.write(b"x" * (1 << 20))


# file, how to make it, more options, what the message must say
BAD_INPUT = {
    "missing file": ("absent.csv", None, [], ["absent.csv", "no such file"]),
    "wrong column": (
        "a.csv",
        write(GOOD),
        ["--label", "pet"],
        ["a.csv", "'pet'", "'text', 'label'"],
    ),
    "empty file": ("a.csv", write(""), [], ["a.csv", "empty"]),
    "header only": ("a.csv", write("text,label\n"), [], ["a.csv", "no document"]),
    "one class only": ("a.csv", write("text,label\na,x\nb,x\n"), [], ["a.csv", "same label (x)"]),
    "label missing": (
        "a.csv",
        write(GOOD + "one more,\nand one,\n"),
        [],
        ["a.csv, line 22", "2 of 22", "--unlabelled drop"],
    ),
    "undecodable bytes": (
        "a.csv",
        write(GOOD.encode() + b"caf\xe9,cat\n"),
        [],
        ["a.csv, line 22", "--encoding latin-1", "--encoding-errors replace"],
    ),
    "unknown encoding": ("a.csv", write(GOOD), ["--encoding", "klingon"], ["klingon"]),
    "truncated gzip": (
        "a.csv.gz",
        write(gzip.compress(GOOD.encode() * 50)[:-20]),
        [],
        ["a.csv.gz", "truncated or damaged"],
    ),
    "ragged CSV": ("a.csv", write(GOOD + "a,b,c\n"), [], ["a.csv, line 22", "3"]),
    "NUL bytes": ("a.csv", write(GOOD + "a\0b,cat\n"), [], ["a.csv, line 22", "NUL"]),
    "a 100 MB line": ("a.csv", long_line, [], ["a.csv, line 2", "--max-line"]),
    "tar with ..": ("a.tar", tar_with("x/../../evil"), [], ["a.tar", "evil"]),
    "tar with an absolute name": ("a.tar", tar_with("/etc/evil"), [], ["a.tar", "evil"]),
    "tar with a link": (
        "a.tar",
        tar_with("cat/evil", tarfile.SYMTYPE, "/etc/passwd"),
        [],
        ["a.tar", "evil", "link"],
    ),
    "a bomb": (
        "a.csv.gz",
        write(gzip.compress(b"text,label\n" + b"a,x\n" * 500_000)),
        ["--max-input-bytes", "100000"],
        ["a.csv.gz", "--max-input-bytes"],
    ),
    "duplicate ids": (
        "a.csv",
        write("id,text,label\n1,a,x\n1,b,y\n"),
        ["--id", "id"],
        ["a.csv, line 3", "'1'", "twice"],
    ),
    "bad JSON": (
        "a.jsonl",
        write('{"text": "a", "label": "x"}\n{"text": "b", label}\n'),
        [],
        ["a.jsonl, line 2"],
    ),
    "no format": ("a.docx", write("?"), [], ["a.docx", "--format"]),
    "unknown format": ("a.csv", write(GOOD), ["--format", "xls"], ["xls", "csv"]),
}


@pytest.mark.parametrize("case", BAD_INPUT)
@pytest.mark.parametrize("command", ["corpus", "curve"])
def test_bad_input_gets_one_clear_line_and_exit_code_2(run, tmp_path, case, command):
    name, make, options, says = BAD_INPUT[case]
    if make is not None:
        make(tmp_path / name)
    done = run(command, name, *options)
    assert done.exit_code == 2, done.output
    assert "Traceback" not in done.output
    assert isinstance(done.exception, SystemExit)
    assert done.stderr.startswith("laconic: ")
    assert done.stderr.count("\n") == 1, "one line"
    for words in says:
        assert words in done.stderr
    assert not list(tmp_path.glob("*DF*")), "no rows of a failed curve"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--method", "LDA2000"], "choose from ALL"),
        (["--sizes", "ten"], "sizes='ten'"),
        (["--sizes", "0"], "size 0"),
        (["--sizes", "5,0.5"], "not both"),
        (["--metric", "accuracy,brier"], "brier"),
        (["--cv", "3", "--test-size", "0.5"], "give one of them"),
        (["--test-size", "2"], "between 0 and 1"),
        (["--cv", "500"], "500 folds of 20 documents"),
        (["--alpha", "-1", "--sizes", "2"], "alpha=-1"),
        (["--stem", "klingon"], "klingon"),
        (["--stop-words", "absent.txt"], "absent.txt"),
        (["--ngrams", "two"], "ngrams='two'"),
        (["--random-state", "-1"], "--random-state"),
        (["--method", "SS:ridge=x", "--sizes", "2"], "ridge='x'"),
        (["--method", "US:seed=abc", "--sizes", "2"], "no setting 'seed=abc'"),
        (["--method", "US:seed=1.5", "--sizes", "2"], "no setting 'seed=1.5'"),
        (["--min-df", "99"], "no word is left"),
        (["-o", "absent/rows.csv"], "cannot be written"),
        (["-o", "pets.csv"], "not a file of rows"),
        (["-o", "rows.xls"], ".csv, .jsonl or .parquet"),
    ],
)
def test_bad_options_get_one_clear_line_and_exit_code_2(run, tmp_path, options, says):
    (tmp_path / "pets.csv").write_text(GOOD)
    done = run("curve", "pets.csv", *options)
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    assert says in done.stderr
    assert (tmp_path / "pets.csv").read_text() == GOOD


def test_undecodable_bytes_can_be_replaced_and_are_counted(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(GOOD.encode() + b"caf\xe9,cat\n")
    done = run("corpus", "a.csv", "--encoding-errors", "replace")
    assert done.exit_code == 0, done.output
    assert "1 line contained bytes that are not utf-8: replaced" in done.output
    assert run("corpus", "a.csv", "--encoding", "latin-1").exit_code == 0


def test_names_from_strangers_cannot_steer_the_terminal(run, tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na,\x1b[31m[red]x\nb,y\n" * 5)
    done = run("corpus", "a.csv")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    assert "[red]x" in done.output


def test_a_missing_catalog_folder_says_what_to_set(run, monkeypatch):
    monkeypatch.delenv("LACONIC_DATA", raising=False)
    done = run("corpus", "reuters-21578")
    assert done.exit_code == 2
    assert "LACONIC_DATA" in done.stderr


def test_options_about_texts_are_refused_for_vectors(run, tmp_path):
    (tmp_path / "a.svm").write_text("1 1:5\n2 2:2\n" * 10)
    for option in (["--stem", "porter"], ["--stop-words", "english"], ["--unit", "char"]):
        done = run("curve", "a.svm", "--sizes", "1", *option)
        assert done.exit_code == 2
        assert f"{option[0][2:].replace('-', '_')}: a comes as vectors" in done.stderr


def test_a_category_without_training_documents_is_skipped(run, tmp_path):
    lines = ["text,label,split", *(f"cat {i},a|b,train\ndog {i},a,train" for i in range(5))]
    lines += ["bird one,c,test", "cat two,a|b,test"]
    (tmp_path / "m.csv").write_text("\n".join(lines) + "\n")
    options = ("--separator", "|", "--target", "one-vs-rest", "--sizes", "2", "-o", "rows.csv")
    done = run("curve", "m.csv", *options, "--metric", "accuracy", "--metric", "roc_auc")
    assert done.exit_code == 0, done.output
    assert "one class" in done.output
    rows = list(csv.DictReader((tmp_path / "rows.csv").open()))
    found = {row["problem"].split(": ")[1]: row["status"] for row in rows}
    assert found == {"a": "skipped", "b": "ok", "c": "skipped"}


def test_rows_carry_the_draw(run, tmp_path):
    (tmp_path / "pets.csv").write_text(GOOD)
    done = run("curve", "pets.csv", "--method", "US", "--random-state", "7", "--sizes", "3")
    assert done.exit_code == 0, done.output
    assert {row["draw"] for row in csv.DictReader((tmp_path / "pets-US.csv").open())} == {"7"}


def test_what_the_reader_noticed_is_said(run, tmp_path):
    (tmp_path / "a.csv").write_bytes(GOOD.encode() + b"caf\xe9,cat\n")
    done = run("curve", "a.csv", "--encoding-errors", "replace", "--sizes", "3")
    assert done.stderr.startswith("note: 1 line contained bytes that are not utf-8")


@pytest.mark.full
def test_interrupted_or_ended_runs_leave_nothing_half_written(tmp_path):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        run = subprocess.Popen(
            [sys.executable, "-m", "laconic.cli", "curve", "pydocs", "--cv", "9", "-o", "a.csv"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(600):
            if list(tmp_path.glob(".a.csv.*.draft")):
                break
            time.sleep(0.1)
        run.send_signal(number)
        assert run.wait(60) == code
        run.communicate()
        assert not list(tmp_path.iterdir())


def test_a_warning_is_a_line_for_users(run, tmp_path):
    (tmp_path / "a.svm").write_text("1 1:0.5\n2 2:0.25\n" * 10)
    done = run("curve", "a.svm", "--weighting", "ltc", "--sizes", "1")
    assert done.exit_code == 0, done.output
    (line,) = done.stderr.splitlines()
    assert line.startswith("laconic: note: the scheme 'ltc' takes counts")


@pytest.mark.full
def test_the_installed_command_answers():
    done = subprocess.run(
        [sys.executable, "-m", "laconic.cli", "corpus", "absent.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("laconic: absent.csv: ")
