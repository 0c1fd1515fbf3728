"""The commands on a cluster, as users type them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from laconic.cli.main import main
from tests.cluster.small import write_shards
from tests.studies.corpora import write_pets

pytestmark = pytest.mark.full


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_study_and_predict_give_the_files_of_one_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shards = write_shards(tmp_path / "in")
    options = ("--methods", "ALL,IG", "--sizes", "5", "--features", "words", "--cv", 2)
    here, there = (
        run("study", "in", *options, "--no-blends", "-o", where, *cluster)
        for where, cluster in (("here", ()), ("there", ("--cluster", "local:2x1GB")))
    )
    assert here.exit_code == there.exit_code == 0, there.output
    model = tmp_path / "here" / "model.laconic"
    assert model.read_bytes() == (tmp_path / "there" / "model.laconic").read_bytes()

    first = sorted(shards.iterdir())[0]
    for output, cluster in (("single", ()), ("out", ("--cluster", "local:2x1GB"))):
        done = (
            run("predict", model, first, "-o", f"{output}/"),
            run("predict", model, "in/*", "-o", f"{output}/", *cluster),
        )
        assert [d.exit_code for d in done] == [0, 0], done[1].output
        assert "1 of 4 files" in done[1].output
    for file in sorted((tmp_path / "single").iterdir()):
        there = tmp_path / "out" / file.name
        if file.suffix == ".jsonl":
            assert file.read_bytes() == there.read_bytes()
        else:  # the order in which they were finished
            lines = [sorted(map(json.loads, f.open()), key=str) for f in (file, there)]
            assert lines[0] == lines[1]
    assert not [path.name for path in tmp_path.iterdir() if "scratch" in path.name]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--cluster", "local:2", "--jobs", 2), "--jobs is for processes of this machine"),
        (("--cluster", "local:2", "--memory-limit", "1GB"), "the cluster limits its workers"),
        (("--shared", "."), "give --cluster too"),
        (("--cluster", "local:999"), "a number of workers from 1 to"),
    ],
)
def test_options_that_exclude_each_other(tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    write_pets(tmp_path / "pets.csv")
    done = run("study", "pets.csv", *arguments)
    assert done.exit_code == 2
    assert says in " ".join(done.output.split())
    assert [path.name for path in tmp_path.iterdir()] == ["pets.csv"]


def test_predictions_of_a_cluster_are_a_folder(tmp_path):
    done = run("predict", "m.laconic", __file__, "--format", "txt", "--cluster", "local:2")
    assert done.exit_code == 2
    assert "name it with -o out/" in done.output


WITHOUT_DASK = """
import sys
from importlib.machinery import PathFinder

real = PathFinder.find_spec
hidden = "dask", "distributed"
PathFinder.find_spec = lambda name, *more: (
    None if name.partition(".")[0] in hidden else real(name, *more)
)
from laconic.cli import main
main()
"""


@pytest.mark.parametrize(
    "command", [["study", "pets.csv"], ["predict", "m", "pets.csv", "-o", "x/"]]
)
def test_without_the_extra_it_says_what_to_install(tmp_path, command):
    write_pets(tmp_path / "pets.csv")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_DASK, *command, "--cluster", "local:2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert "pip install 'laconic[cluster]'" in done.stderr
    assert "Traceback" not in done.stderr
