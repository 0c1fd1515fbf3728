"""`python -m reproduction`, as a user runs it."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import CliRunner

import reproduction
from laconic.cli.exit_codes import EXIT_CODES
from laconic.methods import METHODS
from laconic.studies import study
from reproduction import PAPERS, experiment
from reproduction.command import FigureRequest, reproduce
from reproduction.dasgupta2007 import experiment as paper
from reproduction.shared.figures import FigureResult, Scale, Table
from tests.reproduction.test_dasgupta2007 import FIGURE, small

HERE = Path(reproduction.__file__).parent


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(paper.FIGURES, "3", FIGURE)

    def run(*arguments):
        return CliRunner().invoke(reproduce, ["dasgupta2007", *map(str, arguments)])

    return run


def folder_of(done) -> list[str]:
    return [line for line in done.output.splitlines() if line.startswith("rows: ")]


def test_a_figure_is_a_table_and_a_folder_of_rows(run, tmp_path):
    done = run("3", "--draws", 2, "--sets", 1, "--jobs", 1)
    assert done.exit_code == 0, done.output
    for metric in paper.METRICS:
        assert f"dasgupta2007, figure 3: relative {metric}" in done.output
    assert folder_of(done) == ["rows: out/dasgupta2007-figure3/rows.csv"]
    with (tmp_path / "out/dasgupta2007-figure3/rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["draw"] for row in rows if row["method"] == "SS:rank=2+ridge"} == {"0", "1"}
    assert {row["problem"] for row in rows} == {"one"}
    assert "ALL+ridge:alpha" not in done.output


def test_a_second_run_computes_nothing_and_prints_the_same(run, monkeypatch):
    first = run("3", "--sets", 1, "--jobs", 1)
    wanted = []
    nested = study.run_tasks

    def watched(corpora, executor, journal, **options):
        tasks = {task.key for prepared in corpora for task in prepared.tasks}
        wanted.extend(tasks - journal.done())
        nested(corpora, executor, journal, **options)

    monkeypatch.setattr(study, "run_tasks", watched)
    assert run("3", "--sets", 1, "--jobs", 1).output == first.output
    assert wanted == []


def test_nested_rows_go_to_another_folder(run, tmp_path):
    done = run("3", "--nested", "--sets", 1, "--jobs", 1, "-o", "night")
    assert done.exit_code == 0, done.output
    assert folder_of(done) == ["rows: night/dasgupta2007-figure3-nested/rows.csv"]
    assert not (tmp_path / "out").exists()


def test_options_say_how_much_is_run(run, monkeypatch):
    asked = []

    class Spy:
        about = ""
        full, quick = paper.PAPER, paper.QUICK

        def run(self, where, scale, executor=None, **how):
            asked.append((scale, type(executor).__name__, how["retry_failed"]))
            return FigureResult([])

    monkeypatch.setitem(paper.FIGURES, "3", Spy())
    assert run("3").exit_code == 0
    assert run("3", "--full", "--draws", 7, "--jobs", 1, "--retry-failed").exit_code == 0
    assert asked[0][0] == paper.QUICK
    assert asked[1] == (replace(paper.PAPER, draws=7), "InProcess", True)


def test_failed_tasks_are_told_and_give_exit_code_1(run, monkeypatch):
    def fails(random_state=0):
        raise MemoryError("too large")

    monkeypatch.setitem(METHODS, "BROKEN", replace(METHODS["US"], name="BROKEN", recipe=fails))
    broken = replace(FIGURE, methods=("DF+ridge", "BROKEN+ridge"))
    monkeypatch.setitem(paper.FIGURES, "3", broken)
    done = run("3", "--draws", 3, "--jobs", 1)
    assert done.exit_code == 1, done.output
    assert "failed: BROKEN+ridge on one, split 1 of 2: " in done.stderr
    assert "… and 7 more failed" in done.stderr
    assert "relative f1_micro" in done.stdout
    monkeypatch.setitem(paper.FIGURES, "4b", replace(FIGURE, methods=("DF+ridge",)))
    assert run("3", "4b", "--draws", 3, "--jobs", 1).exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["99"], "figure '99' of dasgupta2007: choose from 2, 3, 4b, 4c, 5a, 5b"),
        (["3", "99"], "figure '99'"),
        (["3", "--jobs", "0"], "--jobs 0"),
        (["3", "--draws", "0"], "--draws"),
    ],
)
def test_what_cannot_be_asked_gives_exit_code_2_and_no_folder(run, tmp_path, arguments, says):
    done = run(*arguments)
    assert done.exit_code == 2
    assert says in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_interrupted_figure_says_that_it_goes_on(run, monkeypatch):
    def interrupted(scale):
        raise KeyboardInterrupt

    monkeypatch.setitem(paper.FIGURES, "3", replace(FIGURE, setting=interrupted))
    done = run("3", "--jobs", 1)
    assert done.exit_code == 130
    assert "to resume a study" in done.stderr
    assert "Traceback" not in done.output


def test_a_corpus_that_loses_all_its_words_is_one_line(run, monkeypatch):
    def without_words(scale):
        plan = small(scale)
        return replace(plan, weighting=replace(plan.weighting, max_df=0.0001))

    monkeypatch.setitem(paper.FIGURES, "3", replace(FIGURE, setting=without_words))
    done = run("3", "--jobs", 1)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1


@pytest.fixture
def table(monkeypatch):
    """Table 1 of paul2014 is this table, one of whose lines has markup in it."""
    shown = Table("errors", ("method", "alpha = 1"), (("IG[bold]", "0.25"),), "errors.csv")
    kept = Table("all", ("method",), (("hidden",),), "all.csv", shown=False)

    class Small:
        about = ""
        full, quick = Scale(10, 10, 5), Scale(1, 2, 3)
        asked: ClassVar[list[Scale]] = []

        def run(self, where, scale, executor=None, **how):
            self.asked.append(scale)
            where.mkdir(parents=True, exist_ok=True)
            return FigureResult([], (shown, kept))

    monkeypatch.setitem(experiment("paul2014").FIGURES, "table1", Small())
    return Small


def reproduced(*arguments):
    return CliRunner().invoke(reproduce, list(arguments))


def test_a_table_is_printed_and_saved(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = reproduced("paul2014", "table1", "--jobs", "1")
    assert done.exit_code == 0, done.output
    assert "paul2014, table 1: errors" in done.output
    assert "IG[bold]" in done.output
    assert "hidden" not in done.output
    for name, says in (("errors", "IG[bold],0.25"), ("all", "hidden")):
        file = tmp_path / f"out/paul2014-table1/{name}.csv"
        assert file.read_text().splitlines()[1] == says
        assert f"saved: out/paul2014-table1/{name}.csv" in done.output


def test_a_figure_has_scales_of_its_own(table, tmp_path):
    reproduced("paul2014", "table1", "-o", f"{tmp_path / 'a'}")
    reproduced("paul2014", "table1", "--full", "--sets", "3", "-o", f"{tmp_path / 'b'}")
    assert table.asked == [Scale(1, 2, 3), Scale(3, 10, 5)]


def test_what_a_paper_has_no_use_for_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = reproduced("paul2014", "table1", "--nested")
    assert (done.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "--nested: paul2014 chooses nothing on test documents" in done.stderr


def test_the_command_knows_every_paper():
    folders = {
        file.parent.name for file in Path(reproduction.__file__).parent.glob("*/experiment.py")
    }
    assert {*PAPERS} == folders
    for one in map(experiment, PAPERS):
        assert one.FIGURES
        assert one.REFERENCE


@pytest.mark.corpus
def test_a_figure_of_the_real_corpora(run, tmp_path, corpora, monkeypatch):
    monkeypatch.setenv("LACONIC_DATA", str(corpora))
    done = run("4c", "--sets", "1", "-o", "out")
    assert done.exit_code == 0, done.output
    assert "hellinger to WS" in done.output
    assert (tmp_path / "out" / "dasgupta2007-figure4c" / "rows.csv").exists()


def test_pages_are_written_and_renewed_in_part(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/paul2014.md").write_text("# By hand\n")
    done = reproduced("paul2014", "table1", "--sets", "3", "--pages", "pages")
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1] == "pages: pages/paul2014.md, out/paul2014.html"
    text = (tmp_path / "pages/paul2014.md").read_text()
    assert text.startswith("# By hand\n")
    assert "`python -m reproduction paul2014 table1 --sets 3`" in text
    assert "3 sets, 2 splits, 3 draws" in text
    assert "IG[bold]" in text
    assert "hidden" not in text
    html = (tmp_path / "out/paul2014.html").read_text()
    assert html.count("python -m reproduction paul2014 table1 --sets 3") == 1
    assert experiment("paul2014").REFERENCE in html


def test_a_page_of_something_else_is_not_replaced(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/paul2014.html").write_text("<p>mine</p>")
    done = reproduced("paul2014", "table1")
    assert done.exit_code == 2
    assert (tmp_path / "out/paul2014.html").read_text() == "<p>mine</p>"
    assert table.asked == [], "told before the work"


def test_pages_that_cannot_be_written_are_known_before_the_work(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/paul2014.md").mkdir()
    done = reproduced("paul2014", "table1", "--pages", "pages")
    assert (done.exit_code, table.asked) == (2, [])
    assert "pages/paul2014.md: not a Markdown page" in done.stderr
    (tmp_path / "pages/paul2014.md").rmdir()
    # whoever runs tests as root may write anywhere
    monkeypatch.setattr("os.access", lambda where, how: how != os.W_OK)
    for option in ("--pages", "--output"):
        done = reproduced("paul2014", "table1", option, "pages")
        assert (done.exit_code, table.asked) == (2, [])
        assert "Directory 'pages' is not writable" in done.stderr


def test_a_folder_may_hold_other_things_and_other_papers(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out/paul2014-table4").mkdir(parents=True)
    (tmp_path / "out/dasgupta2007.md").write_text("# mine\n")
    assert reproduced("paul2014", "table1").exit_code == 0
    assert (tmp_path / "out/dasgupta2007.md").read_text() == "# mine\n"
    (tmp_path / "out/paul2014-table4/section.json").write_text('{"version": 2}')
    done = reproduced("paul2014", "table1")
    assert done.exit_code == 2
    assert "paul2014-table4/section.json: not a section of Laconic" in done.stderr
    assert "Traceback" not in done.output


def test_a_corpus_that_is_not_there_leaves_its_figures_out(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LACONIC_DATA", raising=False)
    done = reproduced("paul2014")
    assert done.exit_code == 0, done.output
    assert "skipped: the corpus techtc100 is read from the folder" in done.stderr
    text = (tmp_path / "out/paul2014.md").read_text()
    assert text.count("| all of it |  |  | data unavailable: ") == 3
    html = (tmp_path / "out/paul2014.html").read_text()
    assert html.count("<td>all of it</td>") == 3
    titles = [FigureRequest("paul2014", name).heading for name in experiment("paul2014").FIGURES]
    assert re.findall(r"^## ((?:Figure|Table) [^:]+)", text, flags=re.MULTILINE) == titles
    assert "IG[bold]" in text
    alone = reproduced("paul2014", "table4")
    assert alone.exit_code == 2


def test_help_has_the_exit_codes():
    shown = CliRunner().invoke(reproduce, ["--help"]).output
    assert all(line.strip() in shown for line in EXIT_CODES.strip("\b\n").splitlines())


def test_a_paper_needs_nothing_of_the_others():
    """Torkkola's stop words come with a package that may be missing."""
    code = (
        "import sys; sys.modules['RAKE'] = None\n"
        "from reproduction import experiment\n"
        "assert experiment('dasgupta2007').FIGURES\n"
        "assert 'reproduction.torkkola.experiment' not in sys.modules\n"
    )
    subprocess.run(
        [sys.executable, "-c", code], check=True, cwd=Path(reproduction.__file__).parents[1]
    )
