"""The tasks of a study of pydocs: two processes against one, by wall time.

Five folds repeated four times, filters and sampling methods with ridge, six sizes: tasks that take
seconds each, so the cost of processes is visible. Both build the problems on the way; the start of
the two processes, with all their imports, is included. The rows must be the same. Two CPUs must be
idle, so the load average is given with the ratio.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.measuring import Row, interleaved, load, row
from laconic.corpus.loading import load_corpus
from laconic.corpus.splits import folds
from laconic.resources import usable_cpus
from laconic.rows import Row as Result
from laconic.studies.execution.executors import executor_for
from laconic.studies.execution.jobs import Job
from laconic.studies.execution.task import Task
from laconic.text.problem import CountedCorpus, targets_of

REPEATS = 3
NAMES = ("ALL", "DF", "IG", "CHI2", "BNS", "US", "WS", "SS", "SRLS")
METHODS = tuple(f"{name}+ridge" for name in NAMES)
SIZES = (10, 30, 100, 300, 1_000, 3_000)
METRICS = ("accuracy", "f1_micro", "f1_macro")


def rows() -> list[Row]:
    corpus = load_corpus("pydocs")
    counted = CountedCorpus.of(corpus)
    before = load()
    two, single = interleaved(REPEATS, lambda: results(counted, 2), lambda: results(counted, 1))
    assert two.last == single.last, "two processes give other rows than one"
    what = (
        f"a study's tasks on pydocs, {len(corpus):,} documents, 2 processes, wall, "
        f"{usable_cpus()} CPUs, load {before} before, {load()} after"
    )
    return [row("study.two-processes", what, "1 process, same rows", two.wall, single.wall)]


def results(counted: CountedCorpus, n_jobs: int) -> list[Result]:
    with executor_for(n_jobs) as executor:
        measured = [
            replace(row, seconds=0.0, memory=None)
            for outcome in executor.run(jobs(counted))
            for row in outcome.rows
        ]
    assert all(row.status == "ok" for row in measured)
    return sorted(measured, key=lambda row: (row.task, row.size, row.metric))


def jobs(counted: CountedCorpus) -> Iterator[Job]:
    corpus = counted.corpus
    for split in folds(corpus, 5, repeats=4):
        for problem in counted.problems(split, targets_of(corpus)):
            for method in METHODS:
                task = Task(
                    corpus.fingerprint,
                    problem.name,
                    "validation",
                    problem.fold,
                    "5 folds, 4 repeats",
                    "ltc",
                    method,
                    0,
                    SIZES,
                    METRICS,
                )
                yield Job(problem, (task,))
