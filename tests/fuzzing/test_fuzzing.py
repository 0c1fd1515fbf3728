"""Every reader and the model file, on mutated inputs: a result or a LaconicError, nothing else.

The mutants run in separate processes, a few readers in each. A failure prints its name, such
as `csv@17 of seed 200`; `python -m tests.fuzzing.running 200 200 csv@17` runs it alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzzing.running import READERS
from tests.fuzzing.watching import ALLOWANCE, TooMuchMemoryError, supported, watched

GROUPS = (
    ("csv", "tsv", "jsonl", "stream", "folder", "reuters"),
    ("svmlight", "cluto", "techtc", "rcv1", "arff-dense", "arff-sparse", "mulan"),
    ("tar", "zip", "compressed", "parquet", "model"),
)
needs_proc = pytest.mark.skipif(not supported(), reason="the peak of memory is read from Linux")


def fuzzed(names: tuple[str, ...], count: int) -> None:
    command = [sys.executable, "-m", "tests.fuzzing.running", str(count), str(count), *names]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    outcomes = json.loads(done.stdout.splitlines()[-1])
    for name in names:
        assert sum(outcomes[name].values()) == count
        rarest = min(outcomes[name].get(outcome, 0) for outcome in ("read", "refused"))
        assert rarest > count // 100 or name == "zip", f"{name}: both must happen"


def test_every_reader_is_fuzzed() -> None:
    assert {*READERS, "model"} == {name for group in GROUPS for name in group}


@needs_proc
@pytest.mark.full
@pytest.mark.parametrize("names", GROUPS, ids=("texts", "matrices", "packed"))
def test_mutants_are_read_or_refused(names: tuple[str, ...]) -> None:
    """R6, R7, R9, R10, R11, R14: with the inputs that once failed, before 100 mutants each."""
    fuzzed(names, 100)


@needs_proc
@pytest.mark.slow
@pytest.mark.parametrize("name", [name for group in GROUPS for name in group])
def test_many_mutants_are_read_or_refused(name: str) -> None:
    fuzzed((name,), 10_000)


@needs_proc
def test_too_much_memory_is_seen_even_if_the_input_is_then_refused() -> None:
    with pytest.raises(TooMuchMemoryError), watched(1000):
        raise ValueError(len(b"x" * (ALLOWANCE + (32 << 20))))
    with watched(1000):
        assert len(b"x" * (ALLOWANCE // 2))
