"""A study that was interrupted at its start: the same command resumes, whatever the folder has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from laconic.cli import main
from laconic.studies.journal.journal import Journal
from tests.cli.interrupted import STUDY, results
from tests.studies.corpora import write_pets

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[2]
FOLDER = Path("folder")
JOURNAL = FOLDER / "journal.sqlite"


def killed(where: Path, n_kills: int, seed: int, jobs: int = 1) -> list[dict[str, object]]:
    """The result of each killed study; see `tests.cli.interrupted`."""
    write_pets(where / "pets.csv")
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    done = subprocess.run(
        [sys.executable, "-m", "tests.cli.interrupted", *map(str, (n_kills, seed, jobs))],
        cwd=where,
        env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def assert_all_resume(kills: list[dict[str, object]]) -> None:
    assert all(kill["code"] == 0 and not kill["differs"] for kill in kills), kills
    assert any(kill["hit"] for kill in kills if kill["early"]), "no kill came near the start"
    assert any(kill["hit"] for kill in kills if not kill["early"]), "all kills came after the end"


def test_r1_killed_at_any_moment_the_same_command_resumes(tmp_path):
    kills = killed(tmp_path, 4, seed=0)
    assert len(kills) == 4
    assert_all_resume(kills)


@pytest.mark.slow
@pytest.mark.parametrize(("n_kills", "jobs"), [(40, 1), (10, 2)])
def test_r1_killed_forty_times(tmp_path, n_kills, jobs):
    kills = killed(tmp_path, n_kills, seed=jobs, jobs=jobs)
    assert len(kills) == n_kills
    assert_all_resume(kills)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def study() -> Result:
    return run(*STUDY.split(), "--no-report", "--jobs", "1", "-o", str(FOLDER))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The results of a study that nobody disturbed."""
    with chdir(tmp_path_factory.mktemp("undisturbed")):
        write_pets(Path("pets.csv"))
        assert study().exit_code == 0
        return results(FOLDER)


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pets(Path("pets.csv"))
    FOLDER.mkdir()


def empty() -> None:
    JOURNAL.touch()


def tables_only() -> None:
    Journal(JOURNAL).close()


def beside(ending: str, content: bytes) -> Callable[[], None]:
    def leave() -> None:
        JOURNAL.touch()
        JOURNAL.with_name(JOURNAL.name + ending).write_bytes(content)

    return leave


LEFT = {
    "an empty folder": lambda: None,
    "an empty journal": empty,
    "tables without a plan": tables_only,
    "an empty -wal": beside("-wal", b""),
    "half a -wal": beside("-wal", b"\x37\x7f\x06\x82" * 9),
    "a -shm": beside("-shm", bytes(32768)),
    "a rollback journal": beside("-journal", b""),
    "a lock": lambda: (FOLDER / "journal.lock").write_text("4194305 nowhere\n"),
    "half a lock": lambda: (FOLDER / "journal.lock").write_text("4194305 now"),
}


RARE = {"an empty -wal", "a -shm", "a rollback journal", "a lock"}
ALL_LEFT = [pytest.param(name, marks=[pytest.mark.slow] * (name in RARE)) for name in LEFT]


@pytest.mark.parametrize("left", ALL_LEFT)
def test_r1_what_a_study_leaves_that_ended_as_it_started(left, expected):
    LEFT[left]()
    done = study()
    assert done.exit_code == 0, done.stderr
    here = {name: value for name, value in results(FOLDER).items() if name != "plan.toml"}
    # the plan names the corpus by its full path
    assert here == {name: expected[name] for name in here}


@pytest.mark.parametrize("left", ["an empty journal", "tables without a plan"])
def test_r1_the_folder_alone_says_which_command_to_give(left):
    LEFT[left]()
    done = run("study", str(FOLDER))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"laconic: {JOURNAL}: ")
    assert done.stderr.endswith("run the command that started it again\n")
    assert done.stderr.count("\n") == 1


def test_a_folder_with_another_study_is_still_refused():
    assert study().exit_code == 0
    write_pets(Path("other.csv"))
    done = run(*STUDY.replace("pets.csv", "other.csv").split(), "-o", str(FOLDER))
    assert done.exit_code == 2
    assert "contains a study of" in done.stderr


def test_one_corpus_by_several_names_is_one():
    assert study().exit_code == 0
    Path("link.csv").symlink_to("pets.csv")
    for name in (f"{FOLDER}/../pets.csv", "link.csv"):
        done = run(*STUDY.replace("pets.csv", name).split(), "-o", str(FOLDER))
        assert done.exit_code == 0, done.stderr
