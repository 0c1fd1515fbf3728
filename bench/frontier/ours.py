"""What a user of Laconic gets: the model that a study recommends within a limit, as it is stored.

The study of a metric is run once. For every limit its own functions choose the candidate, decide
how it is stored, and train it on all training documents, as a study with that limit would.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from time import process_time

import numpy as np

from bench.frontier.corpora import BYTES, FrontierCorpus
from bench.frontier.journal import Answer, Journal, Limit
from bench.frontier.scoring import METRICS, packed, rule_of, signed
from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.model import LinearModel
from laconic.studies.analysis.blends import blend_tasks
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.final_tasks import FinalTasks
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.analysis.recommendation import recommend
from laconic.studies.analysis.storage import STORAGES, FileSizes, fold_task, smallest_storage
from laconic.studies.execution.jobs import Job, outcomes_of
from laconic.studies.execution.task import Outcome, Task
from laconic.studies.journal.journal import Journal as StudyJournal
from laconic.studies.layout import StudyFolder
from laconic.studies.options import LimitOptions
from laconic.studies.study import Study
from laconic.text.problem import Problem
from laconic.types import Bools

Say = Callable[[str], None]
FORM = "laconic"
# Of the bytes that were asked for before, where the file was larger: a study estimates them.
LESS = 0.9


@dataclass(frozen=True, eq=False)
class StoredModel:
    """A candidate, trained on all training documents: its predictions and the size of its file."""

    candidate: Candidate
    predictions: Bools
    n_features: int
    n_bytes: int


@dataclass(frozen=True, eq=False)
class Ours:
    """The studies of one corpus, one for each metric, in `folder`."""

    corpus: FrontierCorpus
    journal: Journal
    folder: Path
    say: Say = print

    def run(self) -> None:
        """Measure what the journal does not have."""
        self.journal.drop_partial_line()
        if self.journal.truth() is None:
            self.journal.add(self.corpus.truth)
        done = {answer.key[:2] for answer in self.journal.answers()}
        for metric in METRICS:
            limits = [limit for limit in self.limits if (metric, limit) not in done]
            if limits:
                self._measure(metric, limits)

    @property
    def limits(self) -> list[Limit]:
        by_words = [Limit(n_features=size, form=FORM) for size in self.corpus.sizes]
        return by_words + [Limit(n_bytes=n_bytes, form=FORM) for n_bytes in BYTES]

    def _measure(self, metric: str, limits: Iterable[Limit]) -> None:
        clock = process_time()
        study = Study(self.corpus.plan(metric), self.folder / metric)
        candidates = study.run().candidates
        with StudyJournal.reading(StudyFolder(study.where).journal) as journal:
            (prepared,) = study.corpora
            blends = tuple(blend_tasks(study.plan, prepared, journal))
            prepared = replace(prepared, blends=blends)
            tasks = FinalTasks(study.plan, prepared, OutOfFold(prepared.tasks, journal))
            finals = Finals(tasks, candidates, self.corpus.final.problem)
            finals.prepare(self.corpus.sizes)
            for limit in limits:
                model = finals.within(limit)
                if model is not None:
                    self.journal.add(self._answer(metric, limit, model, process_time() - clock))
                    size = f"{model.n_features:,} features, {model.n_bytes:,} bytes"
                    self.say(f"{self.corpus.corpus.name}: {metric}, {size}")
                clock = process_time()

    def _answer(self, metric: str, limit: Limit, model: StoredModel, seconds: float) -> Answer:
        problem = self.corpus.final.problem
        n_classes = len(problem.classes)
        truth = signed(problem.y_test, n_classes), rule_of(problem.y_train, n_classes)
        return Answer(
            metric,
            limit,
            "thresholds",
            described(model.candidate),
            model.candidate.mean,
            METRICS[metric](model.predictions, *truth),
            model.n_features,
            model.n_bytes,
            packed(model.predictions),
            round(seconds, 3),
        )


class Finals:
    """The models of a study within any limit; each candidate is trained once."""

    def __init__(self, tasks: FinalTasks, candidates: Iterable[Candidate], problem: Problem):
        self._tasks, self._candidates, self._problem = tasks, list(candidates), problem
        self._models: dict[Candidate, StoredModel] = {}

    def prepare(self, sizes: Iterable[int]) -> None:
        """Train the best candidate of each size together, so that words are selected once."""
        chosen = [self._chosen(LimitOptions(max_features=size)) for size in sizes]
        self._train({candidate for candidate in chosen if candidate is not None})

    def within(self, limit: Limit) -> StoredModel | None:
        """The model within a limit; None if there is none."""
        for options in _options(limit):
            candidate = self._chosen(options)
            if candidate is None:
                return None
            if candidate not in self._models:
                self._train({candidate})
            model = self._models[candidate]
            if limit.n_bytes is None or model.n_bytes <= limit.n_bytes:
                return model
        return None

    def _chosen(self, limits: LimitOptions) -> Candidate | None:
        (recommendation,) = recommend(self._candidates, limits, self._n_bytes)
        return None if recommendation.missed else recommendation.chosen

    @cached_property
    def _n_bytes(self) -> Callable[[Candidate], float]:
        (target,) = self._tasks.prepared.targets
        return FileSizes(self._tasks.prepared.counted.words).of(target)

    def _train(self, candidates: Iterable[Candidate]) -> None:
        chosen = sorted(candidates, key=lambda c: (c.variant, c.size))
        checks = {c: list[Outcome]() for c in chosen}
        for split in self._tasks.prepared.splits:
            (problem,) = self._tasks.prepared.problems(split, [self._problem.name])
            pairs = [
                (replace(fold_task(c, self._tasks, split), storage=storage), c)
                for c in chosen
                for storage in STORAGES
            ]
            for outcome, c in _run(problem, pairs):
                checks[c].append(outcome)
        finals = [
            (self._tasks.task(c, storage=smallest_storage(of)), c) for c, of in checks.items()
        ]
        for outcome, c in _run(self._problem, finals):
            if outcome.trained is None:
                raise LaconicError(f"{outcome.task.title}: {outcome.reason}")
            assert isinstance(outcome.trained.model, LinearModel)
            self._models[c] = self._stored(c, outcome)

    def _stored(self, candidate: Candidate, outcome: Outcome) -> StoredModel:
        assert outcome.trained is not None
        model, problem, prepared = outcome.trained.model, self._problem, self._tasks.prepared
        plan, texts = self._tasks.plan, prepared.corpus.texts
        compact = CompactModel.of(
            model,
            None if texts is None else plan.text.vectorizer(),
            prepared.weigh(self._tasks.split),
            problem.vocabulary,
            problem.classes,
        )
        predicted = np.asarray(model.predict(problem.X_test), dtype=np.int64)
        return StoredModel(
            candidate,
            signed(predicted, len(problem.classes)) > 0,
            model.n_features,
            len(compact.to_bytes(outcome.task.storage)),
        )


def _run(
    problem: Problem, pairs: Iterable[tuple[Task, Candidate]]
) -> Iterator[tuple[Outcome, Candidate]]:
    """The outcomes of tasks, with their candidates; a selection is made once."""
    ordered = sorted(pairs, key=lambda pair: pair[0].selection)
    for _, group in groupby(ordered, key=lambda pair: pair[0].selection):
        tasks, candidates = zip(*group, strict=True)
        yield from zip(outcomes_of(Job(problem, tasks, with_models=True)), candidates, strict=True)


def _options(limit: Limit) -> Iterator[LimitOptions]:
    """What to ask a study for; for less where its file is too large after all."""
    if limit.n_bytes is None:
        yield LimitOptions(max_features=limit.n_features)
        return
    n_bytes = float(limit.n_bytes)
    while n_bytes >= 1:
        yield LimitOptions(max_bytes=int(n_bytes))
        n_bytes *= LESS


def described(candidate: Candidate) -> str:
    """How the model was trained."""
    settings = [] if candidate.alpha is None else [f"alpha={candidate.alpha:g}"]
    if candidate.class_weight:
        settings.append(candidate.class_weight)
    if candidate.thresholding != "zero":
        settings.append(f"{candidate.thresholding} thresholds")
    name = candidate.variant or candidate.method
    return f"{name} ({', '.join(settings)})" if settings else name
