"""From the rows of a study to its findings: recommend, train the model, ask the test set once."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from laconic.certificate import certify
from laconic.classifiers.path import PathClassifier
from laconic.compact import CompactModel
from laconic.compact.provenance import ClassifierSettings
from laconic.corpus.splits import Split
from laconic.errors import LaconicError, collected_warnings
from laconic.files import make_folder, write_json
from laconic.methods import keeps_all, parse_method
from laconic.methods.classifiers import LINEAR
from laconic.model import LinearModel, Model
from laconic.study.comparing import Comparison, SelectionStability, compare, stabilities
from laconic.study.directions import find_directions
from laconic.study.findings import Findings
from laconic.study.journal import Journal
from laconic.study.layout import (
    CARDS,
    CERTIFICATE,
    MODEL,
    RECOMMENDATION,
    STAND_IN,
    WORDS,
    clear,
    place_of,
)
from laconic.study.plan import Plan
from laconic.study.ready import PreparedCorpus
from laconic.study.recommending import (
    Candidate,
    Recommendation,
    absences,
    best_of,
    candidates,
    count_notes,
    recommend,
    recommend_each,
)
from laconic.study.task import Task, describe_failure, run
from laconic.study.words import classes_of, reduction_of, words_of, write_words
from laconic.vectors.problem import Problem
from laconic.vectors.summary import CorpusSummary
from laconic.vectors.weighting import Weighting

# A page can carry a model of so many words; for a larger one the best that fits stands in.
PAGE_WORDS = 5000
# Up to so many documents a certificate says what the selection does to their space, in seconds.
SPAN_LIMIT = 2000


def conclude(
    plan: Plan,
    corpora: Sequence[PreparedCorpus],
    journal: Journal,
    where: Path,
    *,
    retry_failed: bool = False,
) -> Findings:
    """The findings of what is done so far; the recommended models are left in `where`."""
    tasks = {task.key: task for ready in corpora for task in ready.tasks}
    rows = list(journal.rows(tasks))
    offered = candidates(rows, plan.metric, part=plan.part(), repeats=plan.split.repeats)
    each = recommend_each(offered)
    finished: list[Recommendation] = []
    notes: list[str] = []
    before = _before(where)
    # until this is concluded, nothing says which task the files there were made by
    clear(where, RECOMMENDATION)
    n_problems = sum(len(ready.targets) for ready in corpora)
    several = n_problems > 1
    # only a closed model is recommended, if it was measured as such, and not by the test documents
    recommending = plan.training.normalize == "selected" and plan.part() == "validation"
    if several or not recommending:
        _clear(where)
    if recommending:
        for ready in corpora:
            last = _Last(plan, ready, journal, before, retry_failed)
            finished += last.finish_all(offered, where, several)
            notes += last.notes
    cards = [
        asdict(CorpusSummary.of(ready.corpus, counts=ready.counted.counts)) for ready in corpora
    ]
    write_json(where / CARDS, "corpora", {"corpora": cards})
    failed = {tasks[key].title: why for key, why in journal.failed().items() if key in tasks}
    failed |= {f"the model of {one.problem}": one.failure for one in finished if one.failure}
    notes += [n for ready in corpora for n in find_directions(plan, ready, where, n_problems)]
    comparisons, stability = _details(plan, corpora, each, journal)
    asked = [one.key for one in finished if one.test is not None]
    return Findings(
        tuple(finished),
        tuple(each),
        tuple(offered),
        tuple(comparisons),
        tuple(stability),
        failed,
        count_notes([notes, *journal.notes([*tasks, *asked])]) | absences(rows, plan.metric),
        len(tasks),
    )


def _details(
    plan: Plan, corpora: Sequence[PreparedCorpus], each: list[Recommendation], journal: Journal
) -> tuple[Iterable[Comparison], Iterable[SelectionStability]]:
    if not plan.detail or plan.part() != "validation":
        return (), ()
    tasks = [task for ready in corpora for task in ready.tasks]
    columns = {q.name: q.n_columns for ready in corpora for q in ready.targets}
    offered = {q.name: ready.choosable() for ready in corpora for q in ready.targets[:1]}
    n_terms = {q.name: offered[r.targets[0].name] for r in corpora for q in r.targets}
    comparisons = compare(each, tasks, journal, plan.split.cv, columns)
    return comparisons, stabilities(tasks, journal, n_terms)


def _before(where: Path) -> dict[str, Mapping[str, Any]]:
    """What was recommended for each problem when this was last concluded."""
    try:
        told = json.loads((where / RECOMMENDATION).read_text(encoding="utf-8"))
        return {one["problem"]: one for one in told["recommendations"]}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


@dataclass(frozen=True, eq=False)
class _Last:
    """The last step for one corpus: recommended models, trained on all but the test documents."""

    plan: Plan
    ready: PreparedCorpus
    journal: Journal
    before: Mapping[str, Mapping[str, Any]]
    retry_failed: bool
    notes: list[str] = field(default_factory=list)

    def finish_all(
        self, offered: Sequence[Candidate], where: Path, several: bool
    ) -> Iterator[Recommendation]:
        """The recommendation of each question; one that goes wrong says so, and stops no other."""
        named: dict[str, list[Candidate]] = {}
        for one in offered:
            if any(target.name == one.problem for target in self.ready.targets):
                named.setdefault(one.problem, []).append(one)
        if not named:
            return
        words = self.ready.counted.words.tolist()
        self.journal.record_words(self.ready.tasks[0].vocabulary, words)
        for problem in self.ready.problems(self.split, named):
            place = place_of(problem.name, several)
            make_folder(where / place)
            (one,) = recommend(named[problem.name])
            one = replace(one, place=place)
            if problem.y_train.ndim == 1 and len(problem.classes) == 2:
                one = replace(one, positive=problem.classes[1])
            try:
                yield self._finish(one, named[problem.name], problem, where / place)
            except Exception as failure:
                yield replace(one, failure=describe_failure(failure))

    @cached_property
    def split(self) -> Split:
        return self.ready.last_split()

    @cached_property
    def weighting(self) -> Weighting:
        return self.ready.weigh(self.split)

    def _finish(
        self, one: Recommendation, offered: list[Candidate], problem: Problem, where: Path
    ) -> Recommendation:
        task = self._task(one.chosen)
        linear = [other for other in offered if _is_linear(other)]
        before = self.before.get(one.problem, {})
        words, no_file = int(before.get("words", 0)), str(before.get("no_file", ""))
        notes, failures = tuple(before.get("notes", ())), list[str]()
        # what went wrong is tried again
        again = before.get("key") != task.key or before.get("failure")
        if again or not (where / (WORDS if no_file else MODEL)).exists():
            words, no_file, notes, failures = self._write(one, linear, problem, where)
        self.notes.extend(notes)
        if no_file:
            self.notes.append(f"{one.chosen.name} has no file: {no_file}{_instead(linear)}")
        of_words = problem.vocabulary.size
        about = {"words": words, "of_words": of_words, "no_file": no_file, "notes": notes}
        one = replace(one, key=task.key, **about)
        if not self.split.test.size:
            return replace(one, failure=". ".join(failures))
        value, failure = self._ask(task, problem, one.metric)
        if one.whole is not None and not keeps_all(one.chosen.method):
            whole = self._task(one.whole)
            of_all, _ = self._ask(whole, problem, one.metric)
            one = replace(one, test_all=of_all, key_all=whole.key)
        return replace(
            one,
            test=value,
            test_documents=self.split.test.size,
            looks=self._looks(task),
            failure=". ".join(filter(None, (*failures, failure))),
        )

    def _write(
        self, one: Recommendation, linear: list[Candidate], problem: Problem, where: Path
    ) -> tuple[int, str, tuple[str, ...], list[str]]:
        """The model, its words, its certificate; of an earlier one nothing stays.

        How many words the model has, why it has no file if it has none, what its training warned
        about, and what else could not be written: that stops nothing else.
        """
        _clear(where)
        model, path, notes = trained(self._task(one.chosen), problem)
        write_words(where / WORDS, words_of(model, problem, path), classes_of(model, problem))
        no_file, failures = "", []
        try:
            self._compact(model, problem, path, notes).save(where / MODEL)
        except LaconicError as failure:
            if isinstance(model, LinearModel):
                raise
            no_file = str(failure)
        choosing = isinstance(model, LinearModel) and not keeps_all(one.chosen.method)
        whole = [other for other in linear if keeps_all(other.method)]
        try:
            if choosing and whole and self.split.test.size:
                proof = self._certify(model, path, whole[0], problem)
                write_json(where / CERTIFICATE, "certificate", proof)
            if one.chosen.n_features > PAGE_WORDS:
                self._stand_in(linear, problem, where)
        except Exception as failure:
            failures.append(describe_failure(failure))
        return model.n_features, no_file, notes, failures

    def _certify(
        self, model: Model, path: PathClassifier, whole: Candidate, problem: Problem
    ) -> dict[str, Any]:
        full = trained(self._task(whole), problem).model
        assert isinstance(full, LinearModel)
        assert isinstance(model, LinearModel)
        told = certify(
            full,
            model,
            problem.X_train,
            reduction=reduction_of(path),
            held_out=problem.X_test,
            span_limit=SPAN_LIMIT,
        )
        return {"sentences": told.summary().splitlines(), "values": told.as_dict()}

    def _stand_in(self, linear: list[Candidate], problem: Problem, where: Path) -> None:
        small = [one for one in linear if one.n_features <= PAGE_WORDS]
        if small:
            other, path, notes = trained(self._task(best_of(small)), problem)
            self._compact(other, problem, path, notes).save(where / STAND_IN)

    def _compact(
        self, model: Model, problem: Problem, path: PathClassifier, notes: tuple[str, ...]
    ) -> CompactModel:
        return CompactModel.of(
            model,
            None if self.ready.corpus.texts is None else self.plan.text.vectorizer(),
            self.weighting,
            problem.vocabulary,
            problem.classes,
            notes,
            ClassifierSettings.of(path),
        )

    def _task(self, one: Candidate) -> Task:
        method = parse_method(one.method)
        corpus, sizes = self.ready.corpus, (one.size,)
        task = self.plan.one_task(corpus, self.split, "test", one.problem, method, 0, sizes)
        return self.ready.as_measured(task)

    def _ask(self, task: Task, problem: Problem, metric: str) -> tuple[float | None, str]:
        """The value on the test documents, or why not; the journal's if they have been asked."""
        failed = self.journal.failed()
        if task.key not in self.journal.done() and (task.key not in failed or self.retry_failed):
            self.journal.record(run(task, problem))
        (row,) = (row for row in self.journal.rows([task.key]) if row.metric == metric)
        return row.value, row.reason

    def _looks(self, task: Task) -> int:
        """How many models have been shown these test documents; all words are no choice."""
        same = (task.data, task.problem, task.split)
        asked = {
            (replace(one, metrics=(), detail=True, sizes=()), size)
            for one in (*self.tested, task)
            if (one.data, one.problem, one.split) == same
            and (one.key == task.key or not keeps_all(one.method))
            for size in one.sizes
        }
        return len(asked)

    @cached_property
    def tested(self) -> list[Task]:
        """What had been asked before this conclusion."""
        return [one for one in self.journal.tasks() if one.part == "test"]


def _clear(where: Path) -> None:
    """Takes away what was made for a model that is not recommended any more."""
    clear(where, WORDS, MODEL, CERTIFICATE, STAND_IN)


def _is_linear(one: Candidate) -> bool:
    """Whether its models are; known without training one."""
    classifier = parse_method(one.method).classifier
    return classifier is None or classifier in LINEAR


def _instead(linear: list[Candidate]) -> str:
    best = best_of(linear) if linear else None
    return f" The best linear model is {best.name} ({best.mean:.3f})" if best else ""


class TrainedModel(NamedTuple):
    """The one model of a task, the method that made it, and what its training warned about."""

    model: Model
    path: PathClassifier
    notes: tuple[str, ...]


def trained(task: Task, problem: Problem) -> TrainedModel:
    path = task.build()
    path.set_params(size=task.sizes[0])
    with threadpool_limits(1), collected_warnings(problem.classes) as notes:
        path.fit(problem.X_train, problem.y_train)
    return TrainedModel(path.model_, path, tuple(notes))
