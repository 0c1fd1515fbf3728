"""`view_of`: the folder of a study becomes a `View`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import mean

import numpy as np

from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.files import read_json
from laconic.report.answer_tables import (
    budget_lines,
    calibration_sentence,
    score_lines,
    tuning_lines,
)
from laconic.report.metric_names import quality_sentence
from laconic.report.view import Answer, Confusion, Cost, Detail, Overlap, Point, View
from laconic.rows import Row, RowTable, group_pairs
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.intervals import band
from laconic.studies.analysis.projection_map import Directions
from laconic.studies.analysis.recommendation import Recommendation, recommend
from laconic.studies.analysis.sentences import far_below, metric_of
from laconic.studies.analysis.stability import jaccard
from laconic.studies.analysis.tuning import by_family, deciding_metrics, tuned_candidates
from laconic.studies.analysis.warning_counts import count_warnings, missing_sizes
from laconic.studies.journal.journal import Journal, PlanText
from laconic.studies.layout import ProblemFolder, StudyFolder
from laconic.studies.plan import Plan
from laconic.studies.plan_file import parse_plan
from laconic.studies.words import read_words
from laconic.text.summary import CorpusSummary
from laconic.types import Size

# Problems whose words, model and confusion are shown; a page with a hundred would not load.
MAX_DETAILS = 12
LEVEL = 0.95


def view_of(where: Path | str) -> View:
    """The view of a study's folder, finished or not."""
    folder = StudyFolder(Path(where))
    if not folder.path.is_dir():
        raise LaconicError(f"{where}: no such folder. Give the folder of a study")
    with Journal.reading(folder.journal) as journal:
        return _Reader(folder, journal, journal.latest_plan()).view()


@dataclass(frozen=True)
class _Corpora:
    """The file of corpora."""

    corpora: tuple[CorpusSummary, ...] = ()


@dataclass(frozen=True)
class _Certificate:
    """The part of a certificate's file that the page shows."""

    sentences: tuple[str, ...] = ()


class _Reader:
    """What the parts of a view share."""

    def __init__(self, folder: StudyFolder, journal: Journal, plan: PlanText) -> None:
        self.folder, self.journal, self.started = folder, journal, plan
        self.plan: Plan = parse_plan(plan.text, f"the plan in {folder.path}")
        # in the order of the plan, which does not depend on which process was faster
        finished = {task.key: task for task in journal.tasks()}
        self.tasks = {key: finished[key] for key in plan.keys if key in finished}
        raw = RowTable(journal.rows(self.tasks))
        self.candidates, self.rows = tuned_candidates(self.plan, self.tasks.values(), raw, journal)
        self.metrics = deciding_metrics(self.tasks.values())
        self.measured = by_family(self.plan, raw)
        self.findings = Findings.read(folder)
        self.corpora = (read_json(folder.corpora, _Corpora) or _Corpora()).corpora

    @cached_property
    def concluded(self) -> Findings | None:
        """The findings, if they are of all tasks of the plan."""
        return self.findings if len(self.tasks) == len(self.started.keys) else None

    def view(self) -> View:
        failed = self.journal.failed().items()
        problems = tuple(self.measured.distinct("problem"))
        n_done, n_tasks = len(self.tasks), len(self.started.keys)
        finished = self.concluded is not None
        return View(
            title=self._title(problems),
            quality=self._quality(),
            deciding_metrics=self.metrics,
            methods=tuple(self.rows.distinct("method")),
            problems=problems,
            finished=finished,
            progress="" if finished else f"{n_done:,} of {n_tasks:,} tasks are done",
            answers=tuple(map(_answer, self.recommendations())),
            points=tuple(points(self.rows, self.plan.split.cv)),
            costs=tuple(costs(self.measured, self.rows, self.metrics)),
            overlaps=tuple(self.overlaps()),
            comparisons=self.findings.comparisons if self.findings is not None else (),
            stability=self.findings.stability if self.findings is not None else (),
            details=tuple(self.details(problems[:MAX_DETAILS])),
            corpora=self.corpora,
            failures={self.tasks[key].title: why for key, why in failed if key in self.tasks},
            warnings=self.warnings(),
            command=self.started.command,
            plan=self.started.text,
            versions=tuple(self.measured.distinct("versions")),
            created=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            workers=tuple(self.journal.workers(self.tasks)),
            maps=tuple(self.maps(problems)) if finished else (),
            features=self.findings.features if self.findings is not None else (),
            folder=self.folder.path,
        )

    def _title(self, problems: tuple[str, ...]) -> str:
        names = [corpus.name for corpus in self.corpora] or list(problems)
        if len(names) > 1:
            return f"{names[0]} and {len(names) - 1:,} more"
        return names[0] if names else self.folder.path.name

    def _quality(self) -> str:
        classes = {r.problem: r.positive_class for r in self.recommendations()}
        return quality_sentence(self.metrics, classes, default=not self.plan.metrics)

    def recommendations(self) -> Sequence[Recommendation]:
        """Those of the findings, or of the results so far."""
        if self.concluded is not None:
            return self.concluded.recommendations
        return recommend(self.candidates)

    def warnings(self) -> dict[str, int]:
        """Those of the findings, or of the tasks so far."""
        if self.concluded is not None:
            return self.concluded.warnings
        warnings = count_warnings(self.journal.notes(self.tasks))
        return warnings | missing_sizes(self.measured, self.metrics)

    def maps(self, problems: Sequence[str]) -> Iterator[Directions]:
        for problem in problems[:MAX_DETAILS]:
            file = self.folder.problem(problem, len(problems)).directions
            directions = Directions.read(file)
            if directions is not None and directions.problem == problem:
                yield directions

    def overlaps(self) -> Iterator[Overlap]:
        """At the size recommended for the problem, or the largest that most methods have."""
        by_problem = group_pairs((c.problem, c) for c in self.candidates)
        for problem, of_problem in list(by_problem.items())[:MAX_DETAILS]:
            size = _common_size(of_problem)
            if size is not None:
                yield from self._overlaps(problem, size)

    def _overlaps(self, problem: str, size: Size) -> Iterator[Overlap]:
        families = self.plan.families(task.method for task in self.tasks.values())
        first = {names[0]: family for family, names in families.items() if names}
        folds = group_pairs(
            (first[task.method], (task.fold, cut.terms))
            for key, task in self.tasks.items()
            if task.problem == problem and task.draw == 0 and task.method in first
            for cut in self.journal.cuts(key)
            if cut.size == size
        )
        terms = {method: dict(by_fold) for method, by_fold in folds.items()}
        for a, b in combinations(terms, 2):
            pairs = [(terms[a][fold], terms[b][fold]) for fold in terms[a] if fold in terms[b]]
            if pairs:
                n_shared = mean(np.intersect1d(x, y).size for x, y in pairs)
                yield Overlap(problem, a, b, size, n_shared, mean(jaccard(pair) for pair in pairs))

    def details(self, problems: Sequence[str]) -> Iterator[Detail]:
        if self.concluded is None:
            return
        tuned = group_pairs((r.problem, r.chosen) for r in self.concluded.per_method)
        for recommendation in self.concluded.recommendations:
            if recommendation.problem in problems:
                yield self._detail(recommendation, tuned.get(recommendation.problem, []))

    def _detail(self, recommendation: Recommendation, tuned: Sequence[Candidate]) -> Detail:
        folder = ProblemFolder(self.folder.path, recommendation.folder)
        chosen = recommendation.chosen
        model, note = _page_model(folder)
        words, classes = read_words(folder.words) if folder.words.exists() else ([], ())
        certificate = read_json(folder.certificate, _Certificate) or _Certificate()
        return Detail(
            recommendation.problem,
            recommendation.sentence,
            chosen.method,
            chosen.size,
            chosen.n_features,
            tuple(words),
            tuple(classes),
            certificate.sentences,
            self._confusion(recommendation.task_key, model),
            model,
            note,
            folder.words.relative_to(self.folder.path).as_posix(),
            metric_of(recommendation),
            budget_lines(recommendation),
            score_lines(recommendation),
            calibration_sentence(recommendation.test),
            tuple(tuning_lines(tuned)),
            recommendation.n_test_documents,
        )

    def _confusion(self, task_key: str, model: CompactModel | None) -> Confusion | None:
        """Of the recommended model on the test documents; None for multilabel problems."""
        if not task_key or model is None:
            return None
        return _count_confusion(task_key, self.journal, model.classes, model.model.rule)


def _answer(recommendation: Recommendation) -> Answer:
    warning = far_below(recommendation)
    return Answer(recommendation.sentence.removesuffix(warning).rstrip(), warning)


def points(rows: Iterable[Row], n_folds: int = 0) -> Iterator[Point]:
    """Means over folds with 95 % limits; draws are averaged within a fold first.

    Cross-validation folds share training documents, which makes the limits wider.
    """
    test_share = 1 / (n_folds - 1) if n_folds > 1 else None
    measured = RowTable(row for row in rows if row.value is not None)
    cells = measured.group_by("problem", "method", "metric", "size")
    for (problem, method, metric, size), of_cell in cells.items():
        folds = of_cell.group_by("fold").values()
        n_features = mean(mean(row.n_features or 0 for row in of_fold) for of_fold in folds)
        values = [of_fold.column("value") for of_fold in folds]
        limits = band(values, LEVEL, test_share=test_share)
        yield Point(problem, method, metric, size, n_features, *limits, len(folds))


def costs(measured: RowTable, tuned: RowTable, metrics: Mapping[str, str]) -> Iterator[Cost]:
    """Time and memory of all that was trained for a method in a fold, and its best mean.

    `measured` has the rows of all classifiers and alphas under the name of the method, `tuned`
    those of the best.
    """
    finished = RowTable(
        row for row in measured if row.metric == metrics[row.problem] and row.status != "failed"
    )
    best_rows = tuned.group_by("problem", "method")
    for (problem, method), of_method in finished.group_by("problem", "method").items():
        folds = of_method.group_by("fold", "draw").values()
        seconds = mean(sum(of_fold.column("seconds")) for of_fold in folds)
        rows = best_rows.get((problem, method), RowTable()).where(metric=metrics[problem])
        best = max(points(rows), key=lambda point: point.mean, default=None)
        if best is not None:
            memory = max((row.memory or 0 for row in of_method), default=0)
            yield Cost(problem, method, seconds, memory, best.mean, best.n_features)


def _common_size(candidates: Sequence[Candidate]) -> Size | None:
    """The recommended size if several methods have it, else the largest that several have."""
    n_methods = Counter(candidate.size for candidate in candidates)
    common = [size for size, n in n_methods.items() if n > 1]
    if not common:
        return None
    (recommendation,) = recommend(candidates)
    size = recommendation.chosen.size
    return size if size in common else max(common)


def _count_confusion(
    task_key: str, journal: Journal, classes: tuple[str, ...], rule: str
) -> Confusion | None:
    y_signed, cuts = journal.y_signed(task_key), journal.cuts(task_key)
    if y_signed is None or not cuts or rule == "labels":
        return None
    decisions = cuts[0].chosen
    if rule == "sign":
        truth = np.where(y_signed[:, 0] == 0, 2, y_signed[:, 0] > 0).astype(int)
        predicted = decisions[:, 0].astype(int)
    else:
        truth = np.where((y_signed > 0).any(axis=1), (y_signed > 0).argmax(axis=1), len(classes))
        predicted = decisions.argmax(axis=1)
    counts = np.zeros((len(classes) + 1, len(classes) + 1), dtype=int)
    np.add.at(counts, (truth, predicted), 1)
    return Confusion(classes, tuple(map(tuple, counts.tolist())))


def _page_model(folder: ProblemFolder) -> tuple[CompactModel | None, str]:
    """The model that the page carries, and a note if it is not the recommended one."""
    if folder.stand_in.exists():
        model = CompactModel.load(folder.stand_in)
        return model, "The recommended model is too large for a page; this is a smaller one"
    if folder.model.exists():
        return CompactModel.load(folder.model), ""
    return None, ""
