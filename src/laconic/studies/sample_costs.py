"""What a study takes for a small sample of its documents: measured, in CPU seconds and bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split
from laconic.resources import memory_now, peak_memory
from laconic.studies.execution.jobs import Job, jobs_of, run_job
from laconic.studies.execution.task import Task
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.probe import feature_samples
from laconic.text.counting import count_block
from laconic.text.problem import CountedCorpus, Problem, Target
from laconic.types import Indices


@dataclass(frozen=True)
class SampleCost:
    """What one fold of one problem took, with so many documents.

    counting, weighing : CPU seconds
    tuned : CPU seconds of each selection with all its classifiers and alphas
    single : the same with one alpha, as blends and final models have
    n_entries : entries of the matrix of documents and words
    memory : bytes that the costliest job took, above what the process had before
    block_bytes : the size of the counts on disk
    """

    n_docs: int
    counting: float
    weighing: float
    tuned: dict[str, float]
    single: dict[str, float]
    n_entries: int
    memory: int
    block_bytes: int

    @property
    def seconds(self) -> float:
        jobs = sum(self.tuned.values()) + sum(self.single.values())
        return self.counting + self.weighing + jobs


def measure_sample(prepared: PreparedCorpus, n_docs: int) -> SampleCost:
    """Run one fold of one problem on a random sample of the documents of the folds."""
    split, target = prepared.splits[0], _typical_target(prepared)
    documents, inner = _sample(split, n_docs)
    sample = in_memory_part(prepared.corpus, documents)
    text = prepared.plan.text
    counted, counting = _timed(lambda: CountedCorpus.of(sample, text.vectorizer()))
    part = Target(target.name, target.classes, target.y[documents])
    weighting = prepared.plan.weighting_for(prepared.corpus)
    (problem,), weighing = _timed(lambda: list(counted.problems(inner, [part], weighting)))
    tasks = [
        task
        for task in prepared.planned
        if (task.fold, task.problem, task.draw) == (split.name, target.name, 0)
    ]
    base = memory_now()
    with peak_memory() as peak:
        tuned = _job_costs(problem, tasks)
        memory = max(0, (peak() or base) - base)
    block = count_block(sample.texts, text) if sample.texts is not None else ()
    return SampleCost(
        n_docs,
        counting,
        weighing,
        tuned,
        _job_costs(problem, list(map(_with_one_alpha, tasks))),
        problem.X_train.nnz + problem.X_test.nnz,
        memory,
        sum(array.nbytes for array in block),
    )


def measure_probe(prepared: PreparedCorpus, n_docs: int) -> float:
    """CPU seconds of comparing features in all folds of so many documents."""
    total = 0.0
    for probed in feature_samples(prepared, n_docs):
        jobs, counting = _timed(partial(_first_fold, probed))
        running = sum(_timed(partial(_run, job))[1] for job in jobs)
        total += counting + running * len(probed.splits)
    return total


def in_memory_part(corpus: Corpus, documents: Indices) -> Corpus:
    """Some documents, with their texts in memory."""
    part = corpus.take(documents)
    return part if part.texts is None else replace(part, texts=tuple(part.texts))


def _first_fold(probed: PreparedCorpus) -> list[Job]:
    first = probed.splits[0].name
    return list(probed.jobs({task.key for task in probed.tasks if task.fold == first}))


def _run(job: Job) -> None:
    for _ in run_job(job):
        pass


def _typical_target(prepared: PreparedCorpus) -> Target:
    """Of several problems, the one with the median number of positive documents."""
    ranked = sorted(prepared.targets, key=lambda target: int(np.count_nonzero(target.y > 0)))
    return ranked[len(ranked) // 2] if len(ranked) > 1 else ranked[0]


def _sample(split: Split, n_docs: int) -> tuple[Indices, Split]:
    """Documents of a fold, ascending, and the fold among them."""
    rng = np.random.default_rng(0)
    share = n_docs / (split.train.size + split.test.size)
    train, test = (
        np.sort(rng.choice(part, max(1, min(part.size, round(part.size * share))), replace=False))
        for part in (split.train, split.test)
    )
    documents = np.union1d(train, test)
    return documents, Split(
        split.name, np.searchsorted(documents, train), np.searchsorted(documents, test)
    )


def _with_one_alpha(task: Task) -> Task:
    return replace(task, alphas=task.alphas[len(task.alphas) // 2 :][:1])


def _job_costs(problem: Problem, tasks: list[Task]) -> dict[str, float]:
    """CPU seconds by selection."""
    return dict(_costs(problem, tasks))


def _costs(problem: Problem, tasks: list[Task]) -> Iterator[tuple[str, float]]:
    for job in jobs_of(problem, tasks):
        _, seconds = _timed(partial(_run, job))
        yield job.tasks[0].selection, seconds


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = process_time()
    result = work()
    return result, process_time() - begun
