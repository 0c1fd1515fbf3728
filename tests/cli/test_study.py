"""The commands around a study, as a user meets them."""

import csv
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from laconic.cli import main
from laconic.methods import METHODS
from laconic.studies.execution.local import InProcess
from tests.studies.corpora import write_pets

SMALL = (
    "--methods",
    "ALL,IG,DF",
    "--sizes",
    "3,9,18",
    "--cv",
    "3",
    "--classifiers",
    "ridge",
    "--alpha",
    "1",
    "--jobs",
    "1",
    "--no-report",
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pets(Path("pets.csv"))
    runner = CliRunner()
    return lambda *words: runner.invoke(main, list(words))


def table(name: str) -> list[dict[str, str]]:
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def study(run, *more):
    return run("study", "pets.csv", "--text", "body", "--label", "animal", *SMALL, *more)


@pytest.mark.full
def test_a_study_says_what_to_take_and_leaves_its_tables(run):
    done = run("study", "pets.csv", "--text", "body", "--label", "animal", *SMALL[:-1])
    assert done.exit_code == 0, done.output
    assert "pets: use IG with" in done.output
    assert "held-out test documents" in done.output
    where = Path("pets-study")
    assert {file.name for file in where.iterdir()} >= {
        "journal.sqlite",
        "plan.toml",
        "rows.csv",
        "words.csv",
        "comparisons.csv",
        "stability.csv",
        "recommendation.json",
        "model.laconic",
        "report.html",
        "figures",
    }
    told = json.loads((where / "recommendation.json").read_text())
    assert told["recommendations"][0]["sentence"] in done.output
    assert done.stderr == ""


def test_the_same_command_or_the_folder_goes_on(run):
    first = study(run)
    again, folder = study(run), run("study", "pets-study", "--jobs", "1", "--no-report")
    assert first.output == again.output == folder.output


def test_a_plan_in_a_file(run):
    Path("night.toml").write_text(
        'methods = ["IG"]\nsizes = [9]\n[corpus]\nwhere = "pets.csv"\ntext = "body"\n'
        'label = "animal"\n[split]\ncv = 2\n'
    )
    done = run("study", "--plan", "night.toml", "--jobs", "1", "--no-report")
    assert done.exit_code == 0, done.output
    assert "use IG with 9 words" in done.output
    assert Path("night-study/journal.sqlite").exists()
    # the plan in the journal knows the file by its full name
    assert str(Path("pets.csv").absolute()) in Path("night-study/plan.toml").read_text()


@pytest.mark.full
def test_the_page_can_be_left_out_and_drawn_later(run):
    assert study(run).exit_code == 0
    assert not Path("pets-study/report.html").exists()
    done = run("report", "pets-study", "-o", "page.html", "--no-figures")
    assert done.output == "Report: page.html\n"
    assert "use IG with" in Path("page.html").read_text()


def test_the_model_of_a_study_predicts(run):
    assert study(run).exit_code == 0
    Path("new.txt").write_text("purr whisker\nbark leash\n")
    done = run("predict", "pets-study/model.laconic", "new.txt")
    labels = [json.loads(line)["label"] for line in done.output.splitlines()]
    assert labels == ["cats", "dogs"]


def test_a_study_goes_on_from_another_folder(run, monkeypatch, tmp_path):
    assert study(run).exit_code == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    done = run("study", "../pets-study", "--quiet", "--no-report", "--jobs", "1")
    assert done.exit_code == 0, done.output


def test_another_file_of_the_same_name_does_not_take_a_folder_over(run):
    assert study(run).exit_code == 0
    Path("other").mkdir()
    Path("other/pets.csv").write_text(Path("pets.csv").read_text())
    options = ("--text", "body", "--label", "animal", *SMALL)
    done = run("study", "other/pets.csv", *options)
    assert done.exit_code == 2
    assert "contains a study of" in done.stderr


def test_a_split_by_name_needs_a_corpus_with_one(run):
    done = study(run, "--split", "ModApte")
    assert done.exit_code == 2
    assert "ModApte" in done.stderr


@pytest.mark.parametrize("size", ["0", "2.0", "10,20", "-1"])
@pytest.mark.parametrize("command", ["select", "train"])
def test_a_size_that_is_none_gets_one_line(run, command, size):
    done = run(command, "pets.csv", "--text", "body", "--label", "animal", "--size", size)
    assert done.exit_code == 2
    assert "size" in done.stderr
    assert "Traceback" not in done.output


def test_what_quality_is_and_what_smaller_models_cost(run):
    printed = study(run).stdout.splitlines()
    assert printed[0].startswith("Features: ")
    assert printed[0].endswith("Language: unknown (no known stop words).")
    assert printed[1] == (
        "Quality is accuracy: the share of documents that are classified correctly."
    )
    told = json.loads(Path("pets-study/recommendation.json").read_text())["recommendations"][0]
    (start,) = (i for i, line in enumerate(printed) if "gives up at most so much" in line)
    rows = [line for line in printed[start:] if line.lstrip()[:1].isdigit() and " point" in line]
    shown = [(row.split()[0], "recommended" in row) for row in rows]
    assert shown == [(f"{100 * row['loss']:g}", row["chosen"]) for row in told["budget"]]
    for row, line in zip(told["budget"], rows, strict=True):
        assert line.split()[2:4] == [f"{row['n_features']:,}", f"{row['n_bytes'] / 1000:.1f}"]
    assert max(map(len, printed[start : start + 9])) <= 80


def test_quiet_is_one_sentence(run):
    done = study(run, "--quiet")
    assert done.output.startswith("pets: use IG with")
    assert done.output.count("\n") == 1


def test_events_for_machines(run):
    done = study(run, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [line["kind"] for line in lines]
    chosen = kinds.index("features")
    assert set(kinds[1:chosen]) == {"planned", "task"}, "of the features"
    assert {line["what"] for line in lines[:chosen] if line["kind"] == "planned"} == {"features"}
    assert lines[-1]["features"][0]["sentence"] in lines[chosen]["what"]
    assert [kinds[0], *kinds[chosen + 1 :]] == [
        "loaded",
        "planned",
        *["task"] * 9,
        "concluding",
        "finished",
        "findings",
    ]
    assert lines[-1]["recommendations"][0]["chosen"]["method"] == "IG"


BAD = {
    "method": (["--methods", "IGG"], "method 'IGG': choose from"),
    "setting": (["--methods", "IG:rank=2"], "no setting"),
    "size": (["--sizes", "0"], "size 0"),
    "sizes": (["--sizes", "few"], "sizes='few'"),
    "measure": (["--metric", "f7"], "f7"),
    "metric": (["--metric", "error"], "metric 'error': the first metric decides"),
    "folds": (["--cv", "1"], "cv=1: give 2 or more folds, or 0 for none"),
    "test": (["--test-size", "half"], "test_size='half'"),
    "alpha": (["--alpha", "-1"], "alpha=-1.0"),
    "stem": (["--stem", "nonsense"], "nonsense"),
    "column": (["--text", "bodi"], "bodi"),
    "output": (["-o", "pets.csv/deep"], "cannot be created as a folder"),
    "few": (["--cv", "500"], "500 folds"),
    "R14 jobs": (["--jobs", "100000"], "--jobs 100000: give a number of processes from 1 to"),
    "no jobs": (["--jobs", "0"], "--jobs 0: give a number of processes from 1 to"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_options_get_one_line_and_exit_code_2(run, case):
    options, says = BAD[case]
    done = study(run, *options)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.output
    assert not Path("pets-study/rows.csv").exists()


USAGE = {
    "nothing": (["study"], "name a corpus"),
    "both": (["study", "pets.csv", "--plan", "p.toml"], "names its corpora: leave out CORPUS"),
    "options beside": (
        ["study", "--plan", "p.toml", "--cv", "3"],
        "--cv: a plan, or the folder of a study, has its own settings",
    ),
    "json and quiet": (["study", "pets.csv", "--json", "--quiet"], "give one of them"),
}


@pytest.mark.parametrize("case", USAGE)
def test_wrong_usage(run, case):
    words, says = USAGE[case]
    Path("p.toml").write_text("[corpus]\nwhere = 'pets.csv'\n")
    done = run(*words)
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_typo_in_a_plan(run):
    Path("p.toml").write_text("metods = ['IG']\n[corpus]\nwhere = 'pets.csv'\n")
    done = run("study", "--plan", "p.toml")
    assert done.exit_code == 2
    assert "did you mean methods?" in done.stderr


def keys() -> set[str]:
    with sqlite3.connect("pets-study/journal.sqlite") as connection:
        return {key for (key,) in connection.execute("SELECT task FROM attempts")}


def test_a_failing_method_leaves_the_others_and_exit_code_1(run, monkeypatch):
    def recipe():
        raise MemoryError("too much")

    broken = METHODS["DF"].__class__("BROKEN", "fails", "", False, recipe)
    monkeypatch.setitem(METHODS, "BROKEN", broken)
    done = study(run, "--methods", "IG,BROKEN")
    assert done.exit_code == 1
    assert "use IG with" in done.output
    assert "failed: BROKEN+ridge on pets, fold 1 of 3: MemoryError: too much" in done.stderr
    assert "failed: BROKEN" in study(run, "--methods", "IG,BROKEN", "--quiet").stderr


def test_r5_the_limits_of_the_command_go_to_the_executor(run, monkeypatch):
    asked = []

    def executor_for(*settings):
        asked.append(settings)
        return InProcess()

    monkeypatch.setattr("laconic.studies.execution.executors.executor_for", executor_for)
    assert study(run, "--task-timeout", "60").exit_code == 0
    limits = ("--task-timeout", "5", "--memory-limit", "2GB")
    assert run("study", "pets-study", *limits, "--no-report").exit_code == 0
    assert asked == [(1, 60.0, None), (-1, 5.0, 2 * 10**9)]
    refused = study(run, "--memory-limit", "2")
    assert refused.exit_code == 2
    assert "such as 500MB or 2GB" in refused.stderr


@pytest.mark.full
def test_a_locked_journal_is_said_and_left(run):
    assert study(run).exit_code == 0
    before = keys()
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, time\nfrom pathlib import Path\n"
            "from laconic.studies.journal.journal import exclusive\n"
            "with exclusive(Path('pets-study/journal.sqlite')):\n"
            "    print('held', flush=True)\n    time.sleep(60)",
        ],
        stdout=subprocess.PIPE,
    )
    try:
        holder.stdout.readline()
        done = study(run, "--methods", "BNS")
        assert done.exit_code == 2
        assert f"process {holder.pid}" in done.stderr
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert keys() == before
    assert study(run).exit_code == 0


def test_a_corrupt_journal_is_said_and_left(run):
    assert study(run).exit_code == 0
    journal = Path("pets-study/journal.sqlite")
    broken = b"garbage" * 1000
    journal.write_bytes(broken)
    done = study(run)
    assert done.exit_code == 2
    assert "journal.sqlite" in done.stderr
    assert journal.read_bytes() == broken


FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from laconic.cli import main
main(sys.argv[2:])
"""


@pytest.mark.full
def test_a_full_disk_is_said_and_finished_tasks_stay(run):
    assert resource.getrlimit(resource.RLIMIT_FSIZE)
    assert study(run, "--methods", "IG").exit_code == 0
    before = keys()
    size = Path("pets-study/journal.sqlite").stat().st_size
    wide = ["--sizes", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20", "--cv", "20"]
    command = ["study", "pets.csv", "--text", "body", "--label", "animal", "--jobs", "1", *wide]
    child = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(size + 20_000), *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 3, child.stderr
    assert "Traceback" not in child.stderr
    assert "journal.sqlite" in child.stderr
    assert before <= keys()
    assert study(run, "--methods", "IG").exit_code == 0


@pytest.mark.full
def test_ctrl_c_keeps_what_is_finished(run):
    command = ["study", "pydocs", "--methods", "IG,CHI2,BNS,DF,WS", "--jobs", "2", "-o", "out"]
    child = subprocess.Popen(
        [sys.executable, "-m", "laconic.cli", *command, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )
    for line in child.stdout:
        if '"task"' in line:
            break
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130, said
    assert "to resume a study" in said
    assert "Traceback" not in said
    time.sleep(0.1)
    with sqlite3.connect("out/journal.sqlite") as connection:
        (done,) = connection.execute("SELECT count(*) FROM attempts").fetchone()
    assert done >= 1


def test_methods_are_listed(run):
    done = run("methods")
    assert all(name in done.output for name in METHODS)
    told = [json.loads(line) for line in run("methods", "--json").output.splitlines()]
    assert {one["name"] for one in told} == set(METHODS)
    (ss,) = (one for one in told if one["name"] == "SS")
    assert ss["random"]
    assert not ss["supervised"]
    assert "rank" in ss["settings"]


def test_select_shows_and_writes_words(run):
    base = ("select", "pets.csv", "--text", "body", "--label", "animal", "--size", "18")
    shown = run(*base)
    assert shown.exit_code == 0, shown.output
    assert "purr" in shown.output
    assert "cats" in shown.output
    assert run(*base, "-o", "words.csv").exit_code == 0
    rows = table("words.csv")
    assert len(rows) == 18
    assert [float(row["score"]) for row in rows] == sorted(
        (float(row["score"]) for row in rows), reverse=True
    )
    purr = next(row for row in rows if row["word"] == "purr")
    assert float(purr["cats"]) > max(float(purr["dogs"]), float(purr["fish"]))
    assert run(*base, "-o", "words.json").exit_code == 0
    told = json.loads(Path("words.json").read_text())
    assert [one["word"] for one in told["words"]] == [row["word"] for row in rows]
    assert told["words"][0]["coefficients"].keys() == {"cats", "dogs", "fish"}


def test_select_refuses_what_it_cannot_write_or_choose(run):
    base = ("select", "pets.csv", "--text", "body", "--label", "animal")
    assert ".csv or .json" in run(*base, "-o", "words.xls").stderr
    done = run(*base, "--size", "100000")
    assert done.exit_code == 2
    assert "size 100000" in done.stderr


def test_formulas_in_words_are_defused(run):
    rows = ["text,label"] + ["=cmd()|x common,a", "other common,b"] * 10
    Path("evil.csv").write_text("\n".join(rows) + "\n")
    words = ("--min-length", "1", "--min-df", "1", "--unit", "char", "--size", "15")
    done = run("select", "evil.csv", *words, "-o", "w.csv")
    assert done.exit_code == 0, done.output
    cells = [row["word"] for row in table("w.csv")]
    assert "'=" in cells
    assert "=" not in cells


def test_export_of_rows(run):
    assert study(run).exit_code == 0
    assert run("export", "pets-study", "-o", "all.csv").exit_code == 0
    # the comparison, and the two models that the test documents were asked about
    rows = [row for row in table("all.csv") if row["part"] != "features"]
    assert len(rows) == 3 * (1 + 3 + 3) * 2 + 2 * 2
    done = run("export", "absent", "-o", "all.csv")
    assert done.exit_code == 2
    assert "absent" in done.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell):
    done = run("completion", shell)
    assert done.exit_code == 0
    assert "_LACONIC_COMPLETE" in done.output


def test_no_color_and_no_terminal_mean_plain_text(run, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in study(run).output


@pytest.mark.full
def test_a_bar_is_shown_on_a_terminal(run):
    import pty

    leader, follower = pty.openpty()
    command = ["study", "pets.csv", "--text", "body", "--label", "animal", *SMALL]
    child = subprocess.Popen(
        [sys.executable, "-m", "laconic.cli", *command],
        stdout=subprocess.DEVNULL,
        stderr=follower,
        env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "120"},
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert child.wait() == 0
    text = seen.decode()
    assert "9/9" in text
    assert "on pets, fold" in text
    assert "left" in text


def test_a_page_replaces_a_page_and_nothing_else(run):
    assert study(run).exit_code == 0
    for name in ("pets.csv", "pets-study/journal.sqlite", "pets-study/model.laconic"):
        before = Path(name).read_bytes()
        done = run("report", "pets-study", "-o", name, "--no-figures")
        assert done.exit_code == 2
        assert Path(name).read_bytes() == before
    Path("mine.html").write_text("<html>my own page</html>")
    said = run("report", "pets-study", "-o", "mine.html").stderr
    assert "not a page written by this version of Laconic" in said
    for _ in range(2):
        assert run("report", "pets-study", "-o", "page.html", "--no-figures").exit_code == 0
    assert "no such folder" in run("report", "absent").stderr


@pytest.mark.full
def test_features_are_compared_unless_they_are_named(run):
    def counted(*options: str) -> set[str]:
        folder = "-".join(("out", *options)).replace(":", "-")
        assert study(run, *options, "-o", folder).exit_code == 0
        rows = table(f"{folder}/rows.csv")
        run("export", folder, "-o", "all.csv")
        probed = any(row["part"] == "features" for row in table("all.csv"))
        return {row["features"] for row in rows} | ({"probed"} if probed else set())

    assert counted() == {"word", "probed"}
    assert counted("--features", "words") == counted("--unit", "word") == {"word"}
    assert counted("--features", "stems:german") == counted("--stem", "porter") == {"word"}
    assert counted("--features", "word-ngrams") == counted("--ngrams", "1-2") == {"word:ngrams=1-2"}
    assert counted("--features", "char-ngrams:2-3") == {"char:ngrams=2-3"}
    refused = study(run, "--features", "words", "--stem", "porter", "-o", "new")
    assert "features='words' and stem: both say" in refused.output
    assert "there is no stemmer for pets" in study(run, "--features", "stems", "-o", "new").output
    assert "language='klingon'" in study(run, "--language", "klingon", "-o", "new").output
