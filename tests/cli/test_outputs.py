"""Every command that writes: it replaces what it can prove that it wrote, and never its input."""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from laconic import CompactModel
from laconic.cli import main
from laconic.studies.layout import FILES, PROBLEM_FILES, distinct_name
from reproduction.command import reproduce
from tests.studies.corpora import write_pets

PETS = ("pets.csv", "--text", "body", "--label", "animal")
SMALL = ("--methods", "ALL,IG,LDA", "--sizes", "3,9", "--cv", "2", "--jobs", "1")
STUDY = ("study", *PETS, *SMALL, "-o", "d")
ONE_VS_REST = (*STUDY, "--target", "one-vs-rest")
CATS = distinct_name("pets: cats")
PLAN = (
    'methods = ["IG"]\nsizes = [9]\n[corpus]\nwhere = "pets.csv"\ntext = "body"\n'
    'label = "animal"\n[split]\ncv = 2\n'
)
# What users have under such names. The last ones are nearly ours.
FOREIGN = {
    "text": b"my thesis\n",
    "table": b"text,label\ncat,pets\n",
    "lines": b'{"id": 1, "label": "cat", "text": "purr"}\n',
    "settings": b'methods = ["IG"]\n[corpus]\nwhere = "pets.csv"\n',
    "object": b'{"name": "Laconic", "laconic": "mine"}',
    "page": b"<!DOCTYPE html><title>Laconic</title>",
    "drawing": b'<svg xmlns="http://www.w3.org/2000/svg" class="marks" width="1"></svg>',
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(30),
    "database": b"SQLite format 3\0" + bytes(range(1, 100)),
    "bytes": bytes(range(256)),
    "answers": b'{"problem": "the printer is on fire", "method": 3}\n',
    "words": b"rank,word\n1,the\n",
    "rows": b"problem,method,size,avFmin\n",
}
# The command, and the files it would write.
OUTPUTS: dict[str, tuple[tuple[str, ...], list[str]]] = {
    "study": (STUDY, [f"d/{name}" for name in [*FILES, "report.html"]]),
    "study, charts": (STUDY, [f"d/figures/{name}" for name in ("curves.svg", "confusion-2.png")]),
    "study, figures": (STUDY, ["d/figures"]),
    "study, problems": (ONE_VS_REST, [f"d/problems/{CATS}/{name}" for name in PROBLEM_FILES]),
    "study, folders": (ONE_VS_REST, ["d/problems", f"d/problems/{CATS}"]),
    "study of a plan": (("study", "--plan", "p.toml", "-o", "."), ["plan.toml", "words.csv"]),
    "select": (("select", *PETS, "-o", "w.csv"), ["w.csv"]),
    "select, JSON": (("select", *PETS, "-o", "w.json"), ["w.json"]),
    "select, several": (
        ("select", *PETS, "--target", "one-vs-rest", "-o", "w.csv"),
        ["w.csv", f"w-{CATS}.csv"],
    ),
    "train": (("train", *PETS, "-o", "m.laconic"), ["m.laconic"]),
    "train, default": (("train", *PETS), ["model.laconic"]),
    "curve": (("curve", *PETS, "-o", "c.csv"), ["c.csv"]),
    "curve, lines": (("curve", *PETS, "-o", "c.jsonl"), ["c.jsonl"]),
    "curve, Parquet": (("curve", *PETS, "-o", "c.parquet"), ["c.parquet"]),
    "curve, default": (("curve", *PETS), ["pets-RFE.csv"]),
    "export": (("export", "finished", "-o", "e.csv"), ["e.csv"]),
    "report": (("report", "finished"), ["finished/report.html", "finished/figures/curves.svg"]),
    "report, elsewhere": (("report", "finished", "-o", "r.html"), ["r.html", "figures/cost.png"]),
    "predict": (("predict", "pets.laconic", "new.txt", "-o", "a.jsonl"), ["a.jsonl"]),
    "reproduction": (
        ("reproduction", "paul2014", "table1", "--pages", "pages"),
        ["out/paul2014.html", "out/paul2014-table1", "pages/paul2014", "pages/paul2014/x.svg"]
        + [f"out/paul2014-table1/{name}" for name in (*FILES, "section.json")],
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a corpus, a model, texts, a plan and a finished study."""
    folder = tmp_path_factory.mktemp("made")
    write_pets(folder / "pets.csv")
    (folder / "p.toml").write_text(PLAN)
    (folder / "new.txt").write_text("purr whisker\nbark leash\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run("train", *PETS, "--size", "9", "-o", "pets.laconic")
        run(*STUDY, "-o", "finished", "--no-report")
    return folder


@pytest.fixture
def here(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> str:
    done = CliRunner().invoke(main, list(words))
    assert done.exit_code == 0, done.output
    return done.output


def refused(*words: str) -> str:
    """The one line that is said; nothing is touched or made."""
    before = tree()
    name, *arguments = words
    command, line = (reproduce, arguments) if name == "reproduction" else (main, words)
    done = CliRunner().invoke(command, list(line))
    assert done.exit_code == 2, done.output
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""
    assert tree() == before
    return done.stderr


def tree() -> dict[str, tuple[int, ...]]:
    """Every file and folder; of files, what changes if they are written or replaced."""
    found = {file: file.stat() for file in Path().rglob("*")}
    return {
        str(file): (at.st_ino, at.st_size, at.st_mtime_ns) if file.is_file() else ()
        for file, at in found.items()
    }


@pytest.mark.full
@pytest.mark.parametrize("case", OUTPUTS)
def test_r3_what_something_else_wrote_is_refused_and_left(here, case):
    command, outputs = OUTPUTS[case]
    for output in map(Path, outputs):
        output.parent.mkdir(parents=True, exist_ok=True)
        kept = output.read_bytes() if output.is_file() else None
        for data in FOREIGN.values():
            output.write_bytes(data)
            assert f"laconic: {output}: " in refused(*command)
            assert output.read_bytes() == data
        output.unlink()
        if output.suffix:
            output.mkdir()
            assert f"{output}: " in refused(*command)
            output.rmdir()
        if kept is not None:
            output.write_bytes(kept)


INPUTS = {
    "select": (("select", "w.csv", "--text", "word", "--label", "rank", "-o", "w.csv"), "w.csv"),
    "select, link": (
        ("select", "w.csv", "--text", "word", "--label", "rank", "-o", "link.csv"),
        "link.csv",
    ),
    "select, stop words": (("select", *PETS, "--stop-words", "w.csv", "-o", "w.csv"), "w.csv"),
    "select, folder": (("select", "mails", "-o", "mails/w.csv"), "mails/w.csv"),
    "curve": (("curve", "c.csv", "--text", "method", "--label", "size", "-o", "c.csv"), "c.csv"),
    "curve, folder": (("curve", "mails", "-o", "mails/cats/c.csv"), "mails/cats/c.csv"),
    "train": (("train", "pets.laconic", "-o", "pets.laconic"), "pets.laconic"),
    "predict": (("predict", "pets.laconic", "a.jsonl", "-o", "a.jsonl"), "a.jsonl"),
    "predict, model": (("predict", "link.jsonl", "new.txt", "-o", "link.jsonl"), "link.jsonl"),
    "study": (("study", "w/words.csv", "-o", "w"), "w/words.csv"),
    "study, plan": (
        ("study", "--plan", "finished/plan.toml", "-o", "finished"),
        "finished/plan.toml",
    ),
    "study, folder": (("study", "mails", "-o", "mails/deep"), "mails/deep"),
}


@pytest.mark.parametrize("case", INPUTS)
def test_r2_no_output_is_an_input(here, case):
    """Also of a file that is ours: words, rows, answers or a model may be read."""
    run("select", *PETS, "--size", "9", "-o", "w.csv")
    run("predict", "pets.laconic", "new.txt", "-o", "a.jsonl")
    shutil.copy("finished/rows.csv", "c.csv")
    Path("w").mkdir()
    shutil.copy("w.csv", "w/words.csv")
    Path("link.csv").symlink_to("w.csv")
    Path("link.jsonl").symlink_to("pets.laconic")
    Path("mails/cats").mkdir(parents=True)
    Path("mails/cats/1.txt").write_text("purr")
    command, output = INPUTS[case]
    said = refused(*command)
    assert f"laconic: {output}: " in said
    assert "is an input of this command, so it cannot be its output" in said


def test_r2_the_corpus_stays(here):
    for output in ("pets.csv", "./pets.csv", str(Path("pets.csv").absolute())):
        assert "pets.csv: exists and is not a table of words" in refused(
            "select", *PETS, "-o", output
        )
    with open("new.txt", "rb") as stdin:
        os.link("new.txt", "new.jsonl")
        command = [sys.executable, "-m", "laconic.cli", "predict", "pets.laconic", "-", "-o"]
        done = subprocess.run(
            [*command, "new.jsonl"], stdin=stdin, capture_output=True, check=False
        )
    assert done.returncode == 2
    assert b"is an input of this command" in done.stderr


def test_what_laconic_wrote_or_is_empty_is_replaced(here):
    for command, (output, *_) in OUTPUTS.values():
        if command[0] in ("select", "train", "curve", "export", "predict"):
            quick = ("--size", "3") if command[0] in ("select", "train") else ()
            quick = ("--sizes", "3") if command[0] == "curve" else quick
            Path(output).write_bytes(b"")
            for _ in range(2):
                run(*command, *quick)


def test_answers_to_no_documents_are_replaced(here):
    Path("none.csv").write_text("text\n")
    for documents in ("none.csv", "none.csv", "new.txt"):
        run("predict", "pets.laconic", documents, "-o", "a.jsonl")
    assert Path("a.jsonl").read_text().startswith(' {"id"')


def test_a_list_of_stop_words_by_name_is_no_input(here):
    """A folder may have the name of the list, and the study goes on in it."""
    command = ("study", *PETS, *SMALL, "--stop-words", "english", "-o", "english", "--no-report")
    run(*command, "--methods", "IG")
    run(*command, "--methods", "IG")
    Path("english").rename("finished-before")
    Path("english").mkdir()
    run("select", *PETS, "--stop-words", "english", "--size", "3", "-o", "english/w.csv")


@pytest.mark.full
def test_a_refusal_names_every_file_in_the_way(here):
    """A study of a Laconic that set no marks has several, and its journal goes on elsewhere."""
    for name in ("plan.toml", "corpora.json"):
        file = Path("finished", name)
        file.write_text("\n".join(file.read_text().splitlines()[2:]))
    said = refused("study", "finished")
    assert "finished/plan.toml: exists and is not a plan written by this version of Laconic" in said
    assert said.endswith("The same is true of corpora.json\n")
    Path("copy").mkdir()
    shutil.copy("finished/journal.sqlite", "copy")
    run("study", "copy", "--no-report")


def test_the_mark_of_answers_is_no_part_of_them(here):
    run("predict", "pets.laconic", "new.txt", "-o", "a.jsonl")
    first, second = map(json.loads, Path("a.jsonl").read_text().splitlines())
    for answer, label in ((first, "cats"), (second, "dogs")):
        assert list(answer) == ["id", "label", "probability"]
        assert answer["label"] == label
        assert 1 / 3 < answer["probability"] < 1
    assert Path("a.jsonl").read_text() == f" {run('predict', 'pets.laconic', 'new.txt')}"


def test_r4_per_category_has_a_file_for_each_class(here):
    classes = ["C", "C#", "C++", "c", "\n=1+1"]
    with open("code.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["text", "label"])
        table.writerows([f"word{i} common", name] for i, name in enumerate(classes * 4))
    options = ("--target", "one-vs-rest", "--size", "2", "--min-df", "1", "-o", "w.csv")
    printed = run("select", "code.csv", *options)
    files = [file.name.casefold() for file in Path().glob("w-*.csv")]
    assert len(set(files)) == len(classes)
    name = f"w-{distinct_name('code: C++')}.csv"
    assert f"words of code: C++: {name}" in printed.splitlines()
    with open(name, newline="") as file:
        assert next(csv.reader(file))[-1] == "C++"


@pytest.mark.full
def test_the_same_study_goes_on_over_all_that_it_has_written(here):
    command = (*ONE_VS_REST, "--methods", "ALL,IG", "--no-report")
    run(*command)
    before = tree()
    assert len(list(Path("d").glob("problems/*/words.csv"))) == 3
    run(*command)
    assert tree().keys() == before.keys()


def test_r14_a_study_removes_what_a_killed_one_left_half_written(here):
    left = [Path("finished") / f".{name}.abcd1234.draft" for name in FILES]
    left += [Path("finished/problems/x") / f".{name}.abcd1234.draft" for name in PROBLEM_FILES]
    Path("finished/problems/x").mkdir(parents=True)
    mine = [Path("finished/.rows.csv.draft"), Path("finished/.mine.csv.abcd1234.draft")]
    for file in (*left, *mine):
        file.write_bytes(b"half")
    before = tree()
    run("study", "finished", "--jobs", "1", "--no-report")
    assert not any(file.exists() for file in left)
    assert all(file.read_bytes() == b"half" for file in mine)
    assert tree().keys() >= before.keys() - set(map(str, left))


KILLED = """
import os, pathlib, signal, sys
left = int(sys.argv[1])
real = pathlib.Path.replace
def replace(self, target):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, target)
pathlib.Path.replace = replace
from laconic.cli import main
main(sys.argv[2:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("at", range(1, 10))
def test_r14_a_study_killed_while_it_writes_goes_on_over_its_files(here, at):
    command = (*STUDY, "--methods", "ALL,IG", "--no-report")
    done = subprocess.run([sys.executable, "-c", KILLED, str(at), *command], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(Path("d").glob(".*.draft"))
    run(*command)
    assert not list(Path("d").rglob("*.draft"))
    assert {file.name for file in Path("d").iterdir()} >= {"rows.csv", "words.csv", "plan.toml"}
    CompactModel.load("d/model.laconic")
