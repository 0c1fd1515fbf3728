"""Blocks on disk: from generated text to the best 5,000 words and a model, by processes and size.

Every run is a process of its own, so that its CPU seconds and peak memory (with those of its
children) are known. Shards are made once, in the folder of `LACONIC_BENCH` or in `out/texts`; the
rows about 800,000 and 1,437,500 documents (1.1 and 2.0 GB) run only if `LACONIC_BENCH_LARGE` is
set, because they take half an hour.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from math import log
from pathlib import Path

from bench.blocks_job import SIZE
from bench.large_texts import write_shards
from bench.measuring import Row, load
from bench.memory import Memory

# Documents of 0.5 GB of text, and 62,000 as in the review.
HALF, SMALL = 362_500, 62_000
GROWTH = 12_500, 50_000, 200_000
LARGE_GROWTH = 800_000
LARGE = 1_437_500
# The exponent to which a step may grow with the documents.
EXPONENT = 1.1
MB_PER_SECOND = 25.0


@dataclass(frozen=True)
class Cost:
    """CPU and wall seconds, and the peak of the largest process in MB."""

    cpu: float
    wall: float
    peak: float
    text: float
    accuracy: float
    steps: dict[str, float]
    digest: str
    worker_peak: float = 0.0


def run(job: str, n_docs: int, n_jobs: int = 1) -> Cost:
    """A job in a new process, on shards that exist."""
    parent = Path(os.environ.get("LACONIC_BENCH", "out/texts"))
    write_shards(parent / str(n_docs), n_docs)
    code = "from bench.blocks_job import main; main()"  # child processes import nothing of it
    command = [sys.executable, "-c", code, job, parent / str(n_docs), str(n_jobs)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    cost = Cost(**json.loads(done.stdout.splitlines()[-1]))
    workers = f" and {cost.worker_peak:,.0f} MB in a worker" if cost.worker_peak else ""
    print(
        f"{job}, {n_docs:,} documents, {n_jobs} processes: {cost.cpu:.1f} s CPU, {cost.wall:.1f} s "
        f"wall, {cost.peak:,.0f} MB{workers} for {cost.text:,.0f} MB of text; load {load()}; "
        + ", ".join(f"{step} {seconds:.2f}" for step, seconds in cost.steps.items()),
        file=sys.stderr,
    )
    return cost


def rows() -> list[Row]:
    """All comparisons, each run once."""
    run("all", 2_000)  # compiles
    memory, one, two = run("in-memory", HALF), run("cut", HALF), run("cut", HALF, 2)
    assert memory.digest == one.digest == two.digest, "the selected words or weights differ"
    counting = one.steps["counting"]
    return [
        _row("cpu", f"{HALF:,} documents to {SIZE:,} words", "in memory, CPU", one.cpu, memory.cpu),
        _row("two-cpu", "the same by two processes", "in memory, CPU", two.cpu, memory.cpu),
        _row("two-wall", "two processes", "one process, wall", two.wall, one.wall),
        _row("vectorizing", "counting", "25 MB/s, CPU", counting, one.text / MB_PER_SECOND),
        _row("memory", "peak", "the text", one.cpu, one.cpu, Memory(one.peak, one.text)),
        _hashing(),
        _many_classes(),
        *_cluster(one),
        *_growth(),
        *_large(),
    ]


def _hashing() -> Row:
    ours, theirs = run("ridge", SMALL), run("hashing", SMALL)
    what = f"{SMALL:,} documents, IG and ridge, accuracy {ours.accuracy:.4f}"
    peer = f"HashingVectorizer and SGDClassifier, accuracy {theirs.accuracy:.4f}, CPU"
    return _row("hashing", what, peer, ours.cpu, theirs.cpu, Memory(ours.peak, theirs.peak))


def _cluster(one: Cost) -> list[Row]:
    """Two workers of 900 MB on this machine; their start counts for CPU, not for wall."""
    two = run("cluster", HALF, 2)
    assert two.digest == one.digest, "a cluster selects other words or weights"
    what = f"{HALF:,} documents to {SIZE:,} words by a cluster of two workers"
    worker = Memory(two.worker_peak)
    return [
        _row("cluster-cpu", what, "one process, CPU", two.cpu, one.cpu, worker),
        _row("cluster-wall", what, "one process, wall", two.wall, one.wall, Memory(two.peak)),
    ]


def _many_classes() -> Row:
    cost = run("many-classes", 2_000)
    what = "IG of 500,000 words and 1,000 classes"
    return _row("many-classes", what, "itself", cost.cpu, cost.cpu, Memory(cost.peak))


def _growth() -> list[Row]:
    """Each step at the largest number of documents, against the smallest by the exponent."""
    sizes = [*GROWTH, *([LARGE_GROWTH] if os.environ.get("LACONIC_BENCH_LARGE") else [])]
    costs = [run("all", n_docs) for n_docs in sizes]
    factor = (sizes[-1] / sizes[0]) ** EXPONENT
    return [
        _row(
            f"growth.{step}",
            f"{step}, {sizes[-1]:,} documents, exponent {_exponent(first, last, sizes):.2f}",
            f"{sizes[0]:,} documents × {factor:.0f}, CPU",
            last,
            first * factor,
        )
        for step, first in costs[0].steps.items()
        for last in [costs[-1].steps[step]]
    ]


def _exponent(first: float, last: float, sizes: list[int]) -> float:
    return log(max(last, 1e-3) / max(first, 1e-3)) / log(sizes[-1] / sizes[0])


def _large() -> list[Row]:
    if not os.environ.get("LACONIC_BENCH_LARGE"):
        return []
    cost = run("cut", LARGE, 2)
    what = f"{LARGE:,} documents, {cost.text:,.0f} MB of text, peak of any process"
    cluster = run("cluster", LARGE, 2)
    assert cluster.digest == cost.digest, "a cluster selects other words or weights"
    workers = f"{what} by a cluster, the client"
    return [
        _row("large", what, "itself", cost.cpu, cost.cpu, Memory(cost.peak)),
        _row("cluster-large", workers, "itself", cluster.cpu, cluster.cpu, Memory(cluster.peak)),
    ]


def _row(
    key: str, what: str, peer: str, ours: float, theirs: float, memory: Memory | None = None
) -> Row:
    return Row(f"blocks.{key}", what, peer, ours, theirs, theirs / max(ours, 1e-9), memory)
