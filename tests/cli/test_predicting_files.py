"""predict over many files: the same predictions as file by file, and what is finished is kept."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from laconic.cli.main import main
from laconic.cli.prediction_folder import MANIFEST, shards_of
from laconic.errors import LaconicError

PETS = "text,label\n" + "".join(
    f"the {pet} number {i} {sound},{pet}\n"
    for i in range(10)
    for pet, sound in (("cat", "meows"), ("dog", "barks"))
)
N_SHARDS = 4


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "pets.csv").write_text(PETS)
    where = folder / "pets.laconic"
    done = run("train", folder / "pets.csv", "--method", "IG+ridge", "--size", 4, "-o", where)
    assert done.exit_code == 0, done.output
    return where


@pytest.fixture
def shards(tmp_path, monkeypatch):
    """Files of documents, of several formats, in a folder."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (1, 2, 10):
        lines = [{"text": f"a {pet} {number}"} for pet in ("cat", "dog", "cat")[: number % 3 + 1]]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"part-{number}.jsonl").write_text(text)
    (folder / "more.txt.gz").write_bytes(gzip.compress(b"the dog barks\nmeows\n"))
    return sorted(folder.iterdir())


def predicted_singly(model, sources):
    outputs = [run("predict", model, source, "--scores") for source in sources]
    assert all(done.exit_code == 0 for done in outputs)
    return [done.stdout for done in outputs]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_folder_has_the_predictions_of_each_file(model, shards, jobs):
    done = run("predict", model, "in/*", "-o", "out/", "--jobs", jobs, "--scores")
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    for source, expected in zip(shards, predicted_singly(model, shards), strict=True):
        output = Path("out", source.name.split(".")[0] + ".jsonl")
        assert output.read_text().removeprefix(" ") == expected
    assert len(list(Path("out").iterdir())) == N_SHARDS + 1


def test_several_files_are_predicted_in_order(model, shards):
    backwards = shards[::-1]
    expected = "".join(predicted_singly(model, backwards))
    assert run("predict", model, *backwards, "--scores").stdout == expected
    done = run("predict", model, *backwards, "--scores", "-o", "all.jsonl")
    assert done.exit_code == 0, done.output
    assert Path("all.jsonl").read_text() == " " + expected
    numbered = [Path("in", f"part-{number}.jsonl") for number in (1, 2, 10)]
    by_pattern = run("predict", model, "in/part-*.jsonl", "--scores").stdout
    assert by_pattern == "".join(predicted_singly(model, numbered))


def times_of(folder):
    return {file.name: file.stat().st_mtime_ns for file in Path(folder).glob("*.jsonl")}


def test_only_what_has_changed_is_predicted_again(model, shards):
    command = ("predict", model, "in/*", "-o", "out", "--jobs", 1)
    assert "finished before" not in run(*command).stderr
    before = times_of("out")
    again = run(*command)
    assert "4 of 4 files in out were finished before" in again.stderr
    assert times_of("out") == before
    Path("in/part-1.jsonl").write_text('{"text": "dog"}\n')
    Path("out/part-2.jsonl").write_text(' {"id": 0, "label": "changed"}\n')
    Path("out/more.jsonl").unlink()
    assert "1 of 4 files" in run(*command).stderr
    assert times_of("out")["part-10.jsonl"] == before["part-10.jsonl"]
    assert json.loads(Path("out/part-1.jsonl").read_text())["label"] == "dog"
    assert "changed" not in Path("out/part-2.jsonl").read_text()
    assert "finished before" not in run(*command, "--scores").stderr
    assert "scores" in Path("out/part-10.jsonl").read_text()


def test_predictions_of_two_models_are_told_apart(model, shards):
    """As are those with other options; the files of the first are kept, and still its own."""
    Path("in/more.txt.gz").unlink()
    assert run("predict", model, "in", "-o", "out", "--jobs", 1).stderr == ""
    before = times_of("out")
    other = run("predict", model, "in/part-1.jsonl", "-o", "out", "--jobs", 1, "--scores")
    assert "2 other files in out have predictions of another model, with" in other.stderr
    assert "finished before" not in other.stderr
    assert "scores" in Path("out/part-1.jsonl").read_text()
    again = run("predict", model, "in", "-o", "out", "--jobs", 1)
    assert "2 of 3 files in out were finished before" in again.stderr
    assert "other" not in again.stderr
    assert "scores" not in Path("out/part-1.jsonl").read_text()
    after = times_of("out")
    assert [name for name in before if after[name] != before[name]] == ["part-1.jsonl"]
    run("predict", model, "in/part-1.jsonl", "in/part-2.jsonl", "-o", "out", "--scores")
    Path("out/part-2.jsonl").unlink()
    last = run("predict", model, "in/part-10.jsonl", "-o", "out", "--jobs", 1)
    assert "1 other file in out has predictions" in last.stderr


def test_a_broken_line_names_its_file_and_keeps_the_others(model, shards):
    Path("in/part-2.jsonl").write_text('{"text": "cat"}\n{broken\n')
    done = run("predict", model, "in/*", "-o", "out", "--jobs", 1)
    assert done.exit_code == 2
    assert "part-2.jsonl, line 2: is not JSON" in done.stderr
    assert sorted(times_of("out")) == ["more.jsonl", "part-1.jsonl"]
    Path("in/part-2.jsonl").write_text('{"text": "cat"}\n')
    again = run("predict", model, "in/*", "-o", "out", "--jobs", 1)
    assert "2 of 4 files" in again.stderr
    assert again.exit_code == 0


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_a_killed_command_is_finished_by_the_next(model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    Path("in/a.txt").write_text("a cat\n")
    os.mkfifo("in/b.txt")  # the command waits here until it is killed
    command = [sys.executable, "-m", "laconic.cli", "predict", str(model), "in/a.txt", "in/b.txt"]
    process = subprocess.Popen([*command, "-o", "out", "--jobs", "1"])
    with open("in/b.txt", "w"):  # opened by the command once the first file is finished
        process.send_signal(signal.SIGKILL)
        process.wait()
    Path("in/b.txt").unlink()
    Path("in/b.txt").write_text("a dog\n")
    before = times_of("out")
    assert list(before) == ["a.jsonl"]
    done = run("predict", model, "in/a.txt", "in/b.txt", "-o", "out", "--jobs", 1)
    assert "1 of 2 files in out were finished before" in done.stderr
    assert times_of("out")["a.jsonl"] == before["a.jsonl"]
    assert sorted(file.name for file in Path("out").iterdir()) == ["a.jsonl", "b.jsonl", MANIFEST]


def test_the_files_of_a_folder_have_one_format(model, shards):
    """A README among the shards has no class."""
    for command in (("in",), ("in", "-o", "out"), (f"file://{Path.cwd()}/in", "-o", "out")):
        mixed = run("predict", model, *command)
        assert mixed.exit_code == 2
        assert "contains more.txt.gz and part-1.jsonl, which are not of one format" in mixed.stderr
    assert not Path("out").exists()
    Path("in/more.txt.gz").unlink()
    assert run("predict", model, "in").exit_code == 0
    Path("in/README.md").write_text("the cats and dogs\n")
    refused = run("predict", model, "in")
    assert "contains part-1.jsonl and README.md, " in refused.stderr
    assert "Give a glob, such as 'in/*.jsonl'" in refused.stderr
    for number in (1, 2, 10):
        Path("in", f"part-{number}.jsonl").rename(Path("in", f"part-{number}"))
    Path("in/README.md").unlink()
    assert "such as part-1, do not say their format" in run("predict", model, "in").stderr
    assert run("predict", model, "in", "--format", "jsonl").exit_code == 0


def test_an_empty_file_among_others_has_no_predictions(model, shards):
    Path("in/part-2.jsonl").write_bytes(b"")
    assert run("predict", model, "in/*", "-o", "out", "--jobs", 1).exit_code == 0
    assert Path("out/part-2.jsonl").read_text() == " "
    assert run("predict", model, "in/*").exit_code == 0


def test_an_empty_compressed_file_has_no_predictions_either(model, shards):
    Path("in/none.txt.gz").write_bytes(gzip.compress(b""))
    assert run("predict", model, "in/*", "-o", "out", "--jobs", 1).exit_code == 0
    assert Path("out/none.jsonl").read_text() == " "
    assert "is empty" in run("predict", model, "in/none.txt.gz").stderr


def test_parquet_is_predicted_as_json_lines_are(model, shards):
    objects = [{"name": f"n{i}", "text": f"the {pet}"} for i, pet in enumerate(("cat", "dog", ""))]
    Path("a.jsonl").write_text("".join(json.dumps(thing) + "\n" for thing in objects))
    pq.write_table(pa.Table.from_pylist(objects), "a.parquet")
    for options in ((), ("--id", "name")):
        expected = run("predict", model, "a.jsonl", "--scores", *options)
        assert run("predict", model, "a.parquet", "--scores", *options).stdout == expected.stdout
    assert "has no column 'body'" in run("predict", model, "a.parquet", "--text", "body").stderr
    pq.write_table(pa.table({"text": pa.array(["a cat", None])}), "null.parquet")
    assert "document 2: the text is not a string" in run("predict", model, "null.parquet").stderr
    assert "standard input" in run("predict", model, "-", "--format", "parquet").stderr


def test_files_at_addresses_are_finished_once_too(model, shards):
    command = ("predict", model, f"file://{Path.cwd()}/in/part-*.jsonl", "-o", "out", "--jobs", 1)
    assert run(*command).exit_code == 0
    assert "3 of 3 files" in run(*command).stderr
    Path("in/part-1.jsonl").write_text('{"text": "another dog"}\n')
    assert "2 of 3 files" in run(*command).stderr


def test_no_draft_stays_after_an_error(model, shards):
    Path("in/part-2.jsonl").write_text('{"text": "cat"}\n{broken\n')
    assert run("predict", model, "in/*", "-o", "out", "--jobs", 2).exit_code == 2
    assert {file.suffix for file in Path("out").iterdir()} == {".jsonl", ".manifest"}


def test_processes_need_a_folder(model, shards):
    done = run("predict", model, "in/*", "-o", "all.jsonl", "--jobs", 2)
    assert "--jobs is for a folder of predictions" in done.stderr
    assert done.exit_code == 0


def test_what_is_not_ours_is_not_replaced(model, shards):
    Path("out").mkdir()
    Path("out/part-1.jsonl").write_text('{"id": 1, "label": "mine"}\n')
    done = run("predict", model, "in/*", "-o", "out")
    assert done.exit_code == 2
    assert "exists and is not a file of predictions" in done.stderr
    assert len(list(Path("out").iterdir())) == 1
    assert "is inside in" in run("predict", model, "in", "-o", "in/out", "--format", "jsonl").stderr
    inputs = run("predict", model, "in/part-1.jsonl", "in/part-2.jsonl", "-o", "in")
    assert inputs.exit_code == 2
    assert "standard input" in run("predict", model, "-", "-o", "out").stderr


def test_names_are_those_below_the_shared_folder():
    shards = shards_of(["in/x/a.csv.gz", "in/y/a.jsonl", "in/b.txt"])
    assert [shard.name for shard in shards] == [
        os.path.join("x", "a.jsonl"),
        os.path.join("y", "a.jsonl"),
        "b.jsonl",
    ]
    assert [shard.name for shard in shards_of(["a.txt", "b.txt"])] == ["a.jsonl", "b.jsonl"]
    assert [shard.name for shard in shards_of(["s3://x/a.txt"])] == ["a.jsonl"]
    names = [shard.name for shard in shards_of(["../other/x.jsonl", "y.jsonl", "/z.csv"])]
    assert [os.path.basename(name) for name in names] == ["x.jsonl", "y.jsonl", "z.jsonl"]
    assert not any(name.startswith((os.pardir, os.sep)) for name in names)
    with pytest.raises(LaconicError, match=r"would be a\.jsonl"):
        shards_of(["in/a.csv", "in/a.jsonl"])
