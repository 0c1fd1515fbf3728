"""How every command ends: a result, or one line of ours and the exit code that is documented."""

from __future__ import annotations

import errno
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from laconic.cli import main
from laconic.cli.exit_codes import EXIT_CODES, TRACEBACK, Code
from laconic.errors import LaconicError, ResourceError
from laconic.studies.prepared_corpus import PreparedCorpus
from tests.studies.corpora import write_pets

PETS = ["pets.csv", "--text", "body", "--label", "animal"]
SMALL = ["--methods", "ALL,IG", "--sizes", "3,9", "--cv", "2", "--jobs", "1", "--no-report"]
# every command with arguments that work, and with the place of a file it writes
COMMANDS = {
    "corpus": ["corpus", *PETS],
    "corpus --json": ["corpus", *PETS, "--json"],
    "curve": ["curve", *PETS, "--sizes", "3"],
    "study": ["study", *PETS, *SMALL],
    "study --json": ["study", *PETS, *SMALL, "--json"],
    "report": ["report", "made", "--no-figures"],
    "methods": ["methods"],
    "methods --json": ["methods", "--json"],
    "select": ["select", *PETS, "--size", "3"],
    "export": ["export", "made", "-o", "rows.csv"],
    "train": ["train", *PETS, "--size", "3"],
    "predict": ["predict", "made/model.laconic", "new.jsonl"],
    "explain": ["explain", "made/model.laconic", "purr"],
    "explain --json": ["explain", "made/model.laconic", "purr", "--json"],
    "completion": ["completion", "bash"],
    "--help": ["--help"],
    "study --help": ["study", "--help"],
    "--version": ["--version"],
}
# the others run no callback of ours
OURS = [name for name in COMMANDS if "--" not in name]
WRITING = {
    "curve": "rows.csv",
    "study": "folder",
    "report": "page.html",
    "select": "words.csv",
    "export": "rows.csv",
    "train": "model.laconic",
    "predict": "answers.jsonl",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus, a study of it in `made`, and new documents."""
    where = tmp_path_factory.mktemp("ending")
    write_pets(where / "pets.csv")
    (where / "new.jsonl").write_text('{"text": "purr"}\n')
    with chdir(where):
        assert run(*COMMANDS["study"], "-o", "made").exit_code == 0
    return where


@pytest.fixture(autouse=True)
def _here(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    monkeypatch.delenv(TRACEBACK, raising=False)


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def is_one_line(stderr: str) -> bool:
    return stderr.startswith("laconic: ") and stderr.count("\n") == 1 and stderr.endswith("\n")


def caused(error: Exception, cause: Exception) -> Exception:
    """`error` as `raise error from None` leaves it while `cause` is handled."""
    error.__context__, error.__suppress_context__ = cause, True
    return error


def at(number: int) -> OSError:
    return OSError(number, os.strerror(number), "a file")


OUTCOMES = {
    "no memory": (MemoryError(), 3, "out of memory. Free memory"),
    "no memory for an array": (MemoryError("Unable to allocate"), 3, "Unable to allocate. Free"),
    "no memory for a library": (ImportError("x.so: cannot allocate memory"), 3, "Free memory"),
    "no room for a library": (
        ImportError("x.so: failed to map segment from shared object"),
        3,
        "Free memory",
    ),
    "no memory for a thread": (RuntimeError("can't start new thread"), 3, "Free memory"),
    "no memory for a process": (at(errno.ENOMEM), 3, "Free memory"),
    "full disk": (at(errno.ENOSPC), 3, "a file: No space left on device. Free disk space"),
    "quota": (at(errno.EDQUOT), 3, "Free disk space"),
    "file too large": (at(errno.EFBIG), 3, "Free disk space"),
    "full disk, said": (
        caused(LaconicError("rows.csv: cannot be written"), at(errno.ENOSPC)),
        3,
        "rows.csv: cannot be written. Free disk space",
    ),
    "resources": (ResourceError("no room. Make some"), 3, "laconic: no room. Make some\n"),
    "invalid": (LaconicError("so many. Give fewer"), 2, "laconic: so many. Give fewer\n"),
    "long name": (at(errno.ENAMETOOLONG), 2, "Choose a shorter name"),
    "links in a circle": (at(errno.ELOOP), 2, "a file: Too many levels"),
    "no permission": (at(errno.EACCES), 2, "a file: Permission denied. Change its permissions"),
    "device gone": (at(errno.EIO), 2, "a file: Input/output error. Check"),
    "NUL": (ValueError("embedded null byte"), 2, "NUL character"),
    "bytes": (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), 2, "--encoding"),
    "nested": (RecursionError("too deep"), 2, "nested too deeply"),
    "database": (sqlite3.DatabaseError("malformed"), 2, "malformed"),
    "two lines": (LaconicError("one\ntwo"), 2, "laconic: one two\n"),
    "interrupt": (KeyboardInterrupt(), 130, "to resume a study"),
    "bug": (KeyError("x"), 70, "this is a bug in Laconic: KeyError: 'x' in "),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize("command", OURS)
def test_r5_r10_every_failure_of_every_command_is_one_line(command, outcome, monkeypatch):
    failure, code, says = OUTCOMES[outcome]

    def fails(**_: object) -> None:
        raise failure

    monkeypatch.setattr(main.commands[command.split()[0]], "callback", fails)
    done = run(*COMMANDS[command])
    assert done.exit_code == code
    assert is_one_line(done.stderr), done.stderr
    assert says in done.stderr
    assert done.stdout == ""


def test_a_traceback_is_shown_to_who_asks(monkeypatch):
    def fails(**_: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(main.commands["methods"], "callback", fails)
    monkeypatch.setenv(TRACEBACK, "1")
    done = run("methods")
    assert done.exit_code == 70
    assert done.stderr.startswith("Traceback (most recent call last)")
    assert done.stderr.splitlines()[-1].startswith("laconic: this is a bug in Laconic")


FULL = "/dev/full"


def ended(words: list[str], stdout: str | Path | int, stderr: str | Path) -> int:
    """The exit code with these streams, which must close without an error, as when Python ends."""
    with ExitStack() as stack:
        out, said = (stack.enter_context(open(stream, "w")) for stream in (stdout, stderr))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(said))
        with pytest.raises(SystemExit) as exit:
            main(words, prog_name="laconic")
    return int(exit.value.code or 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("command", COMMANDS)
def test_r10_standard_output_on_a_full_disk(command, tmp_path):
    code = ended(COMMANDS[command], FULL, tmp_path / "said")
    said = (tmp_path / "said").read_text()
    assert code == 3
    assert is_one_line(said), said
    assert "No space left on device. Free disk space" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_r10_a_reader_that_left_is_no_error(command, tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    code = ended(COMMANDS[command], writer, tmp_path / "said")
    assert code == 141
    assert (tmp_path / "said").read_text() == ""


@pytest.mark.parametrize("words", [["corpus", "absent.csv"], ["corpus", "--absent"], ["corpus"]])
def test_r10_standard_error_on_a_full_disk_keeps_the_exit_code(words, tmp_path):
    assert ended(words, tmp_path / "said", FULL) == 2


def test_r10_notes_that_cannot_be_written_do_not_end_the_work(tmp_path, made):
    (tmp_path / "a.csv").write_bytes((made / "pets.csv").read_bytes() + b"caf\xe9,cats\n")
    words = ["select", str(tmp_path / "a.csv"), *PETS[1:], "--encoding-errors", "replace"]
    out = [*words, "--size", "3", "-o", str(tmp_path / "w.csv")]
    assert ended(out, tmp_path / "said", FULL) == 0
    assert (tmp_path / "w.csv").exists()


@pytest.mark.parametrize("stream", ["1", "2"])
def test_r10_a_process_ends_without_a_complaint_of_python(stream):
    """Python itself would write what is left when it ends, and exit with 120."""
    words = "corpus --known" if stream == "1" else "corpus"
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m laconic.cli {words} {stream}>/dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (3 if stream == "1" else 2)
    assert is_one_line(done.stderr) if stream == "1" else done.stderr == ""


NAMES = {"too long": "x" * 5000, "NUL": "a\0b", "links": "loop/a"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "words",
    [
        ["corpus", "{}"],
        ["curve", "{}"],
        ["study", "{}"],
        ["study", "--plan", "{}"],
        ["report", "{}"],
        ["select", "{}"],
        ["export", "{}", "-o", "rows.csv"],
        ["train", "{}"],
        ["predict", "{}", "new.jsonl"],
        ["predict", "made/model.laconic", "{}"],
        ["explain", "{}", "purr"],
        ["explain", "made/model.laconic", "--file", "{}"],
        *(
            [command, *COMMANDS[command][1:], "-o", "{}" + Path(WRITING[command]).suffix]
            for command in WRITING
        ),
    ],
    ids=lambda words: " ".join(words[:2]) + words[-1],
)
def test_r10_names_that_no_file_can_have(words, name, made):
    loop = made / "loop"
    if not loop.is_symlink():
        loop.symlink_to("loop")
    before = sorted(made.iterdir())
    done = run(*(word.replace("{}", NAMES[name]) for word in words))
    assert done.exit_code == 2, done.stderr
    assert is_one_line(done.stderr) or "Error: Invalid value" in done.stderr
    assert sorted(made.iterdir()) == before


def test_r10_a_folder_that_cannot_be_looked_through(monkeypatch, tmp_path):
    def refused(*_: object, **__: object) -> None:
        raise at(errno.EACCES)

    monkeypatch.setattr(Path, "is_file", refused)
    done = run("corpus", str(tmp_path))
    assert done.exit_code == 2
    assert is_one_line(done.stderr)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may grow: what is written fails, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("command", WRITING)
def test_r5_a_full_disk_is_exit_code_3_and_the_same_command_works_later(command, tmp_path):
    words = [*COMMANDS[command], "-o", str(tmp_path / WRITING[command])]
    with full_disk():
        done = run(*words)
    assert done.exit_code == 3, done.stderr
    assert is_one_line(done.stderr), done.stderr
    left = [file for file in tmp_path.rglob("*") if file.is_file() and file.stat().st_size]
    assert left == []
    assert run(*words).exit_code == 0


def test_r5_out_of_memory_in_the_parent_keeps_finished_tasks(tmp_path, monkeypatch):
    words = [*COMMANDS["study"], "--features", "words", "-o", str(tmp_path / "folder")]
    jobs = PreparedCorpus.jobs

    def two(self: PreparedCorpus, wanted: set[str]) -> Iterator[object]:
        for number, job in enumerate(jobs(self, wanted)):
            if number == 2:
                raise MemoryError
            yield job

    with monkeypatch.context() as patch:
        patch.setattr(PreparedCorpus, "jobs", two)
        done = run(*words)
    assert done.exit_code == 3
    assert is_one_line(done.stderr)
    assert "the same command again: a study keeps its finished tasks" in done.stderr
    done = run(*words, "--json")
    planned = next(
        line for line in map(json.loads, done.stdout.splitlines()) if "planned" in line["kind"]
    )
    assert (planned["done"], planned["total"]) == (6, 12), "two jobs of three classifiers, of four"
    assert done.exit_code == 0


LITTLE_MEMORY = """
import resource, sys
from pathlib import Path
import laconic.text.vectorizer
from laconic.cli import main
# Python waits for ever for a thread that dies of want of memory before it has started
laconic.text.vectorizer.threads = lambda n_jobs: 1
words = ["corpus", *sys.argv[1:]]
try:
    main(words)
except SystemExit:
    pass
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (4 << 20), used + (4 << 20)))
words[1] = "large.csv"
main(words)
"""


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux tells its memory there")
def test_r5_a_process_without_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pets(Path("pets.csv"))
    lines = (f"{' '.join(f'w{i}x{j}' for j in range(99))},{'ab'[i % 2]}" for i in range(9000))
    Path("large.csv").write_text("\n".join(["body,animal", *lines]) + "\n")
    start = [sys.executable, "-c", LITTLE_MEMORY, *PETS]
    done = subprocess.run(start, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 3, done.stderr
    assert is_one_line(done.stderr)


@pytest.mark.parametrize("words", [["--help"], ["study", "--help"]])
def test_exit_codes_are_documented(words):
    shown = run(*words).output
    assert all(line.strip() in shown for line in EXIT_CODES.strip("\b\n").splitlines())
    page = (Path(__file__).parents[2] / "docs" / "studies.md").read_text()
    assert all(f"| {code.value} |" in page for code in Code)
