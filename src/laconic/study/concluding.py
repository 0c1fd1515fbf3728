"""From the rows of a study to its findings: recommend, train the model, ask the test set once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from laconic.certificate import certify
from laconic.classifiers.reduce_then_fit import ReduceThenFit
from laconic.compact import CompactModel
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from laconic.methods import method_called
from laconic.model import LinearModel
from laconic.rows import draft, file_name, make_folder
from laconic.study.comparing import (
    Comparison,
    SelectionStability,
    compare,
    stabilities,
    write_table,
)
from laconic.study.journal import Journal
from laconic.study.plan import Plan
from laconic.study.ready import Ready
from laconic.study.recommending import (
    ALL,
    Candidate,
    Recommendation,
    best_of,
    candidates,
    recommend,
    recommend_each,
)
from laconic.study.task import Task, noted, run
from laconic.study.words import columns_of, words_of, write_words
from laconic.vectors.card import Card
from laconic.vectors.problem import Problem

RECOMMENDATION = "recommendation.json"
CERTIFICATE = "certificate.json"
CARDS = "corpora.json"
MODEL = "model.laconic"
STAND_IN = "stand-in.laconic"
# A page can carry a model of so many words; for a larger one the best that fits stands in.
PAGE_WORDS = 5000


@dataclass(frozen=True)
class Findings:
    """What follows from the rows of a study.

    `candidates` are all methods at all sizes, by the goal; `each` the recommendations within one
    method; `comparisons` of methods at the sizes recommended for them; `stability` of what they
    select; `failed` has a reason for each task's title; `notes` are warnings on the way, with the
    number of tasks that gave them.
    """

    recommendations: tuple[Recommendation, ...]
    each: tuple[Recommendation, ...]
    candidates: tuple[Candidate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    stability: tuple[SelectionStability, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    tasks: int = 0


def conclude(plan: Plan, corpora: Sequence[Ready], journal: Journal, where: Path) -> Findings:
    """The findings of what is done so far; the recommended models are left in `where`."""
    tasks = {task.key: task for ready in corpora for task in ready.tasks}
    offered = candidates(journal.rows(tasks), plan.goal)
    each = recommend_each(offered)
    # only a closed model is recommended, and only if it was measured as such
    chosen = recommend(offered) if plan.training.norm == "kept" else []
    several = sum(len(ready.questions) for ready in corpora) > 1
    finished = []
    for one in chosen:
        place = _place(where, one.problem) if several else where
        last = _Last(plan, _home(corpora, one.problem), journal)
        finished.append(last.finish(one, place))
        last.stand_in(one, [c for c in offered if c.problem == one.problem], place)
    cards = [asdict(Card.of(r.corpus, counts=r.counted.counts)) for r in corpora]
    write_json(where / CARDS, cards)
    n_terms = {q.name: r.counted.words.size for r in corpora for q in r.questions}
    detailed = plan.detail and plan.part() == "validation"
    return Findings(
        tuple(finished),
        tuple(each),
        tuple(offered),
        tuple(compare(each, tasks.values(), journal, plan.split.folds)) if detailed else (),
        tuple(stabilities(offered, tasks.values(), journal, n_terms)) if detailed else (),
        {tasks[key].title: why for key, why in journal.failed().items() if key in tasks},
        journal.notes(tasks),
        len(tasks),
    )


def _home(corpora: Sequence[Ready], problem: str) -> Ready:
    return next(r for r in corpora if any(q.name == problem for q in r.questions))


def _place(where: Path, problem: str) -> Path:
    folder = where / "problems" / file_name(problem)
    make_folder(folder)
    return folder


@dataclass(frozen=True, eq=False)
class _Last:
    """The last step for one corpus: the recommended model, trained on all but the test set."""

    plan: Plan
    ready: Ready
    journal: Journal

    def finish(self, one: Recommendation, where: Path) -> Recommendation:
        split = self.ready.last_split()
        (problem,) = self.ready.problems(split, [one.problem])
        task = self._task(split, one.chosen)
        model, path = trained(task, problem)
        words = words_of(model, problem, path.reducer_)
        write_words(where / "words.csv", words, columns_of(model, problem))
        self._compact(model, split, problem).save(where / MODEL)
        data = self.ready.corpus.fingerprint
        self.journal.record_words(data, self.ready.counted.words.tolist())
        if not split.test.size:
            return one
        if one.whole is not None and one.chosen.method != ALL:
            full, _ = trained(self._task(split, one.whole), problem)
            told = certify(full, model, problem.X_train, held_out=problem.X_test, span_limit=0)
            write_json(where / CERTIFICATE, {"sentences": told.summary().splitlines()})
        value = self._ask(task, problem, one.measure)
        whole = None
        if one.whole is not None and one.chosen.method != ALL:
            whole = self._ask(self._task(split, one.whole), problem, one.measure)
        return replace(
            one,
            test=value,
            test_all=whole,
            test_documents=split.test.size,
            looks=self._looks(task),
        )

    def stand_in(self, one: Recommendation, offered: list[Candidate], where: Path) -> None:
        """The best model that a page can carry, where the recommended one is too large."""
        (where / STAND_IN).unlink(missing_ok=True)
        small = [candidate for candidate in offered if candidate.terms <= PAGE_WORDS]
        if one.chosen.terms <= PAGE_WORDS or not small:
            return
        split = self.ready.last_split()
        (problem,) = self.ready.problems(split, [one.problem])
        model, _ = trained(self._task(split, best_of(small)), problem)
        self._compact(model, split, problem).save(where / STAND_IN)

    def _compact(self, model: LinearModel, split: Split, problem: Problem) -> CompactModel:
        return CompactModel.of(
            model,
            None if self.ready.corpus.texts is None else self.plan.vectors.vectorizer(),
            self.ready.weigh(split),
            problem.vocabulary,
            problem.classes,
        )

    def _task(self, split: Split, one: Candidate) -> Task:
        method = method_called(one.method)
        sizes = (one.asked,)
        return self.plan.one_task(self.ready.corpus, split, "test", one.problem, method, 0, sizes)

    def _ask(self, task: Task, problem: Problem, measure: str) -> float | None:
        """The value on the test documents, from the journal if they have been asked already."""
        if task.key not in self.journal.done():
            self.journal.record(run(task, problem))
        (value,) = (row.value for row in self.journal.rows([task.key]) if row.measure == measure)
        return value

    def _looks(self, task: Task) -> int:
        """How many models have been shown these test documents; all words are no choice."""
        asked = {
            (one.method, one.sizes, one.seed)
            for one in self.journal.tasks()
            if one.part == "test"
            and one.method != ALL
            and (one.data, one.problem, one.split) == (task.data, task.problem, task.split)
        }
        return len(asked)


def trained(task: Task, problem: Problem) -> tuple[LinearModel, ReduceThenFit]:
    """The one model of the task, and the method that made it."""
    path = task.build()
    path.set_params(size=task.sizes[0])
    with threadpool_limits(1), noted():
        model = path.fit(problem.X_train, problem.y_train).model_
    if not isinstance(model, LinearModel):
        raise LaconicError(f"{task.method}: is no linear model over words, and cannot be written")
    return model, path


def write_findings(findings: Findings, where: Path) -> None:
    """The recommendation as JSON, comparisons and stability as CSV."""
    told = {
        "recommendations": [_told(one) for one in findings.recommendations],
        "each method": [_told(one) for one in findings.each],
        "tasks": findings.tasks,
        "failed": findings.failed,
        "notes": findings.notes,
    }
    write_json(where / RECOMMENDATION, told)
    for name, table in (("comparisons", findings.comparisons), ("stability", findings.stability)):
        if table:
            write_table(where / f"{name}.csv", table)


def write_json(where: Path, told: object) -> None:
    with draft(where) as stream:
        stream.write(json.dumps(told, indent=1).encode())


def _told(one: Recommendation) -> dict[str, object]:
    return {"sentence": one.sentence, **asdict(one)}
