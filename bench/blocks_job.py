"""The jobs of `bench.blocks`, each in a process of its own: prints what it took as JSON."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array

from laconic.classifiers.logistic import LogisticClassifier
from laconic.classifiers.ridge import RLSClassifier
from laconic.classifiers.svm import SVMClassifier
from laconic.corpus import stored_texts
from laconic.corpus.loading import read_corpus
from laconic.corpus.options import ReadOptions
from laconic.corpus.splits import Split
from laconic.engine import Engine
from laconic.numerics.blocks import MEMORY
from laconic.scores import information_gain
from laconic.selectors.top import TopTerms
from laconic.text.blocks import text_starts
from laconic.text.options import StorageOptions
from laconic.text.problem import CountedCorpus, Problem, targets_of
from laconic.text.vectorizer import Vectorizer
from laconic.text.weighting import Weighting

SIZE = 5_000
WORKER_MEMORY = "900MB"
# Of the selected words of 3 million documents.
CUT_MEMORY = 10**9
TEST_SHARE = 5
N_CLASSES, N_WORDS, N_DOCS = 1_000, 500_000, 100_000
# One step: weights are computed once in memory, but whenever blocks are read, as by the cut.
WEIGHTING = "weighting and cut"

Steps = dict[str, float]


def cpu_seconds() -> float:
    """Of this process and its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, kinds))


@dataclass
class JobResult:
    """CPU seconds of the steps, the size of the text, and what a job found."""

    steps: Steps
    text: float = 0.0
    accuracy: float = 0.0
    arrays: tuple[Any, ...] = ()
    wall: float = 0.0
    worker_peak: float = 0.0

    @property
    def digest(self) -> str:
        digest = sha256()
        for array in self.arrays:
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


@contextmanager
def timed(steps: Steps, name: str) -> Iterator[None]:
    before = cpu_seconds()
    yield
    steps[name] = steps.get(name, 0.0) + cpu_seconds() - before


class Work:
    """From the shards to selected words."""

    def __init__(self, folder: str, n_jobs: int, engine: Engine | None = None) -> None:
        self.steps: Steps = {}
        self.n_jobs, self.engine = n_jobs, engine
        with timed(self.steps, "reading"):
            self.corpus = read_corpus(folder, ReadOptions(n_jobs=n_jobs, engine=engine))
        self.megabytes = float(text_starts(self.corpus.texts or ())[-1]) / 1e6

    def result(self, **found: Any) -> JobResult:
        return JobResult(self.steps, self.megabytes, **found)

    def problem(self) -> Problem:
        with timed(self.steps, "counting"):
            storage = StorageOptions(in_memory=MEMORY, n_jobs=self.n_jobs, engine=self.engine)
            counted = CountedCorpus.of(self.corpus, Vectorizer(), storage)
        documents = np.arange(len(self.corpus))
        test = documents % TEST_SHARE == 0
        split = Split("rest", documents[~test], documents[test])
        with timed(self.steps, WEIGHTING):
            weighting = Weighting("ltc", min_df=2)
            (problem,) = counted.problems(split, targets_of(self.corpus), weighting)
        return problem

    def cut(self, problem: Problem) -> tuple[TopTerms, csr_array, csr_array]:
        with timed(self.steps, "information gain"):
            selector = TopTerms("ig", size=SIZE).fit(problem.X_train, problem.y_train)
        with timed(self.steps, WEIGHTING):
            parts = (selector.transform(X) for X in (problem.X_train, problem.X_test))
            train, test = (
                X if isinstance(X, csr_array) else replace(X, memory=CUT_MEMORY).gathered()
                for X in parts
            )
        return selector, train, test


def cut(folder: str, n_jobs: int, engine: Engine | None = None) -> JobResult:
    clock = perf_counter()
    work = Work(folder, n_jobs, engine)
    problem = work.problem()
    selector, train, test = work.cut(problem)
    return work.result(
        wall=perf_counter() - clock,
        arrays=(selector.scores_, train.data, train.indices, test.data, test.indices),
    )


def cluster(folder: str, n_workers: int) -> JobResult:
    """The same on a cluster of this machine, whose start is not measured."""
    from laconic.cluster import DaskEngine, connected

    with (
        connected(f"local:{n_workers}x{WORKER_MEMORY}") as client,
        DaskEngine(client, Path(folder).parent) as engine,
    ):
        result = cut(folder, 1, engine)
        peaks = client.run(peak_here)
        return replace(result, worker_peak=max(peaks.values()))


def peak_here() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def in_memory(folder: str, n_jobs: int) -> JobResult:
    stored_texts.TEXT_IN_MEMORY = sys.maxsize
    return cut(folder, n_jobs)


def ridge(folder: str, n_jobs: int) -> JobResult:
    work = Work(folder, n_jobs)
    problem = work.problem()
    _, train, test = work.cut(problem)
    with timed(work.steps, "ridge"):
        model = RLSClassifier().fit(train, problem.y_train)
    return work.result(accuracy=float((model.predict(test) == problem.y_test).mean()))


def every_step(folder: str, n_jobs: int) -> JobResult:
    work = Work(folder, n_jobs)
    problem = work.problem()
    _, train, _ = work.cut(problem)
    for name, classifier in (
        ("ridge", RLSClassifier()),
        ("SVM", SVMClassifier(0.3, tol=1e-4)),
        ("logistic regression", LogisticClassifier(0.1, tol=1e-4)),
    ):
        with timed(work.steps, name):
            classifier.fit(train, problem.y_train)
    return work.result()


def hashing(folder: str, n_jobs: int) -> JobResult:
    """What one would use instead: words hashed to 2²⁰ columns, and a linear SVM by SGD."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier

    files = sorted(Path(folder).iterdir())
    lines = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    texts, labels = [line["text"] for line in lines], np.array([line["label"] for line in lines])
    megabytes = sum(map(len, texts)) / 1e6
    test = np.arange(len(texts)) % TEST_SHARE == 0
    X = HashingVectorizer(alternate_sign=False).transform(texts)
    model = SGDClassifier(random_state=0).fit(X[~test], labels[~test])
    accuracy = float((model.predict(X[test]) == labels[test]).mean())
    return JobResult({}, megabytes, accuracy)


def many_classes(folder: str, n_jobs: int) -> JobResult:
    steps: Steps = {}
    rng = np.random.default_rng(0)
    X = csr_array(random_array((N_DOCS, N_WORDS), density=1e-4, rng=rng, format="csr"))
    y = rng.integers(0, N_CLASSES, N_DOCS)
    with timed(steps, "information gain"):
        information_gain(X, y)
    return JobResult(steps)


JOBS: dict[str, Callable[[str, int], JobResult]] = {
    "cut": cut,
    "cluster": cluster,
    "in-memory": in_memory,
    "ridge": ridge,
    "all": every_step,
    "hashing": hashing,
    "many-classes": many_classes,
}


def main() -> None:
    job, folder, n_jobs = sys.argv[1:]
    clock = perf_counter()
    result = JOBS[job](folder, int(n_jobs))
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    peak = max(resource.getrusage(kind).ru_maxrss for kind in kinds) / 1e3
    cost = {"cpu": cpu_seconds(), "wall": result.wall or perf_counter() - clock, "peak": peak}
    names = "steps", "text", "accuracy", "digest", "worker_peak"
    found = {name: getattr(result, name) for name in names}
    print(json.dumps({**cost, **found}))


if __name__ == "__main__":
    main()
