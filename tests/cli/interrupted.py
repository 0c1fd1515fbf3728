"""Kills studies at random moments and starts them again.

`python -m tests.cli.interrupted N SEED JOBS`.

Runs in the current folder, which holds `pets.csv`. Each study is a fork of this process, which has
imported everything: so the moments lie in the study itself, and 8 of them take seconds. Half of
the kills come within 50 ms of the folder's appearance, the others anywhere in the run. Prints one
line of JSON per kill: was the study still running, how did the same command end, and what differs
from a study that nobody disturbed.
"""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from laconic.cli import main

STUDY = "study pets.csv --text body --label animal --methods ALL,IG,DF --sizes 3,9 --cv 2"
WHOLE = ("words.csv", "comparisons.csv", "stability.csv", "plan.toml", "model.laconic")
VARIES = ("seconds", "memory")


def study(where: Path, jobs: str) -> int:
    """The exit code of a study in this process."""
    try:
        main([*STUDY.split(), "--quiet", "--no-report", "--jobs", jobs, "-o", str(where)])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 99


def start(where: Path, jobs: str) -> int:
    """The process id of a study in its own process."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os._exit(study(where, jobs))
    return child


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed(where: Path, jobs: str, pause: float, *, from_folder: bool) -> bool:
    """Start a study and kill it after a pause; was it still running?"""
    child = start(where, jobs)
    while from_folder and not where.exists():
        time.sleep(0.0002)
    time.sleep(pause)
    os.kill(child, signal.SIGKILL)
    return exit_code(child) == -signal.SIGKILL


def results(where: Path) -> dict[str, object]:
    with open(where / "rows.csv", newline="") as file:
        rows = [{k: v for k, v in row.items() if k not in VARIES} for row in csv.DictReader(file)]
    return {"rows": rows} | {name: (where / name).read_bytes() for name in WHOLE}


def examine(n_kills: int, seed: int, jobs: str) -> None:
    rng = random.Random(seed)
    begun = time.perf_counter()
    assert exit_code(start(Path("undisturbed"), jobs)) == 0
    duration = time.perf_counter() - begun
    expected = results(Path("undisturbed"))
    for number in range(n_kills):
        where, early = Path(f"killed-{number}"), number % 2 == 0
        # the journal is without a plan for the first milliseconds only: more kills there
        pause = 0.05 * rng.random() ** 3 if early else rng.uniform(0, duration)
        hit = killed(where, jobs, pause, from_folder=early)
        code = exit_code(start(where, jobs))
        found = results(where) if code == 0 else {}
        differs = [name for name in expected if found.get(name) != expected[name]]
        print(json.dumps({"early": early, "hit": hit, "code": code, "differs": differs}))


if __name__ == "__main__":
    with redirect_stdout(StringIO()):
        study(Path("first"), "1")  # imports everything
    examine(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
