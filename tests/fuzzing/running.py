"""Mutants of one reader's files: each gives a corpus or a LaconicError, in little memory.

`python -m tests.fuzzing.running COUNT SEED NAME…` runs in its own process, because a crash would
end the tests too. `NAME@NUMBER` runs one mutant only, to examine a failure.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import resource
import shutil
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.options import ReadOptions
from laconic.errors import LaconicError
from tests.fuzzing.archives import ARCHIVES
from tests.fuzzing.models import run_models
from tests.fuzzing.mutating import Files
from tests.fuzzing.parquet_files import PARQUET
from tests.fuzzing.text_readers import TEXT_READERS, Fuzzed
from tests.fuzzing.watching import limit_memory, watched

PATIENCE = 60


READERS = TEXT_READERS | ARCHIVES | PARQUET


def judge(name: str, fuzzed: Fuzzed, files: Files, options: ReadOptions, folder: Path) -> str:
    """Write the files and read them; raise unless the result is a corpus or a LaconicError."""
    place(files, folder)
    signal.alarm(PATIENCE)  # ends the process: a reader that hangs is a failure
    try:
        with watched(sum(map(len, files.values()))):
            result = fuzzed.read(folder / fuzzed.opens, options)
            if isinstance(result, Corpus):
                examine(result)
        return "read"
    except LaconicError:
        return "refused"
    finally:
        signal.alarm(0)


def place(files: Files, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, raw in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(raw)


def examine(corpus: Corpus) -> None:
    """Check what every corpus guarantees."""
    assert len(set(corpus.ids)) == len(corpus)
    assert len(set(corpus.classes)) == len(corpus.classes)
    assert "" not in corpus.classes
    occurring = {label for labels in corpus.labels for label in labels}
    assert occurring <= set(corpus.classes)
    assert len(set(corpus.labels)) > 1
    assert all(isinstance(text, str) for text in corpus.texts or ())
    assert corpus.fingerprint
    if corpus.vectors is not None:
        assert np.isfinite(corpus.vectors.data).all()
        assert len(set(corpus.vocabulary or ())) == corpus.vectors.shape[1]


def cases(fuzzed: Fuzzed, count: int, seed: int, name: str) -> Any:
    """The valid files, the bombs, then `count` mutants; each with its number and options."""
    first = ReadOptions(**fuzzed.options[0])
    for number, files in enumerate(fuzzed.draws, -len(fuzzed.draws) - len(fuzzed.bombs)):
        yield number, files, first
    for number, make in enumerate(fuzzed.bombs, -len(fuzzed.bombs)):
        yield number, apart(make), first
    for number in range(count):
        rng = random.Random(f"{seed}/{name}/{number}")
        files = fuzzed.mutate(rng.choice(fuzzed.draws), fuzzed.words, rng)
        yield number, files, ReadOptions(**rng.choice(fuzzed.options))


def apart(make: Callable[[], Files]) -> Files:
    """Build it in a child process: memory freed here could be reused without being measured."""
    with tempfile.TemporaryFile() as file:
        if (child := os.fork()) == 0:
            limit_memory(resource.RLIM_INFINITY)
            file.write(pickle.dumps(make()))
            file.flush()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, "the bomb could not be built"
        file.seek(0)
        return dict(pickle.load(file))


def run(target: str, count: int, seed: int, folder: Path) -> Counter[str]:
    name, _, only = target.partition("@")
    fuzzed = READERS[name]
    outcomes: Counter[str] = Counter()
    for number, files, options in cases(fuzzed, count, seed, name):
        if only and int(only) != number:
            continue
        try:
            outcome = judge(name, fuzzed, files, options, folder)
        except BaseException:
            shown = {name: raw[:300] for name, raw in files.items()}
            print(f"{name}@{number} of seed {seed}, {options}:\n{shown}", file=sys.stderr)
            raise
        if number >= 0:
            outcomes[outcome] += 1
        elif number < -len(fuzzed.bombs):
            assert outcome == "read" or name == "zip", f"{name}: the valid input is refused"
    return outcomes


def main(count: int, seed: int, names: list[str]) -> None:
    warnings.simplefilter("ignore")
    every: dict[str, Any] = {name: partial(run, name) for name in READERS} | {"model": run_models}
    with tempfile.TemporaryDirectory() as folder:
        limit_memory()
        report = {
            name: every[name.partition("@")[0]](count, seed, Path(folder) / name) for name in names
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
