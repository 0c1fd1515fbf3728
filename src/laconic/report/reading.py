"""`view_of`: a study's folder becomes a `View`. Journal and files in, values out."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from laconic.compact import CompactModel
from laconic.errors import LaconicError
from laconic.report.view import Confusion, Cost, Detail, Overlap, Point, View
from laconic.rows import Row, Size
from laconic.study.comparing import Comparison, SelectionStability
from laconic.study.directions import Directions
from laconic.study.intervals import band
from laconic.study.journal import Journal, PlanText
from laconic.study.layout import (
    CARDS,
    CERTIFICATE,
    DIRECTIONS,
    JOURNAL,
    MODEL,
    RECOMMENDATION,
    STAND_IN,
    WORDS,
    place_of,
)
from laconic.study.plan import Plan
from laconic.study.plan_file import parse_plan
from laconic.study.recommending import Candidate, absences, candidates, count_notes, recommend
from laconic.study.stability import jaccard
from laconic.study.words import read_words

# Problems of which words, model and confusion are shown; a page of a hundred would not load.
DETAILED = 12
LEVEL = 0.95


def view_of(where: Path | str) -> View:
    """The view of a study's folder, finished or not."""
    folder = Path(where)
    if not folder.is_dir():
        raise LaconicError(f"{folder}: there is no such folder. Name the folder of a study")
    with Journal.reading(folder / JOURNAL) as journal:
        return _Reading(folder, journal, journal.latest_plan()).view()


class _Reading:
    """What the parts of a view have in common."""

    def __init__(self, folder: Path, journal: Journal, plan: PlanText) -> None:
        self.folder, self.journal, self.started = folder, journal, plan
        self.plan: Plan = parse_plan(plan.text, f"the plan in {folder}")
        # in the order of the plan, which does not depend on which process was faster
        tried = {task.key: task for task in journal.tasks()}
        self.tasks = {key: tried[key] for key in plan.keys if key in tried}
        self.rows: list[Row] = list(journal.rows(self.tasks))
        self.offered = candidates(
            self.rows, self.plan.metric, part=self.plan.part(), repeats=self.plan.split.repeats
        )
        self.told = _json(folder / RECOMMENDATION)
        self.cards = tuple((_json(folder / CARDS) or {}).get("corpora", ()))

    def view(self) -> View:
        done = len(self.tasks)
        total = len(self.started.keys)
        failed = {
            self.tasks[k].title: w for k, w in self.journal.failed().items() if k in self.tasks
        }
        finished = done == total and self.told is not None
        problems = tuple(dict.fromkeys(row.problem for row in self.rows))
        return View(
            title=self._title(problems),
            metric=self.plan.metric,
            metrics=self.plan.metrics,
            methods=tuple(dict.fromkeys(row.method for row in self.rows)),
            problems=problems,
            finished=finished,
            progress=f"{done:,} of {total:,} tasks are done" if not finished else "",
            sentences=self.sentences(finished),
            points=tuple(points(self.rows, self.plan.split.cv)),
            costs=tuple(costs(self.rows, self.plan.metric)),
            overlaps=tuple(self.overlaps()),
            comparisons=tuple(self.comparisons()),
            stability=tuple(self.stability()),
            details=tuple(self.details(problems[:DETAILED], finished)),
            cards=self.cards,
            failed=failed,
            notes=self.notes(finished),
            command=self.started.command,
            plan=self.started.text,
            versions=tuple(dict.fromkeys(row.versions for row in self.rows)),
            made=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            maps=tuple(self.maps(problems)) if finished else (),
        )

    def _title(self, problems: tuple[str, ...]) -> str:
        names = [card["name"] for card in self.cards] or list(problems)
        if len(names) > 1:
            return f"{names[0]} and {len(names) - 1:,} more"
        return names[0] if names else self.folder.name

    def sentences(self, finished: bool) -> tuple[str, ...]:
        if finished and self.told is not None:
            return tuple(one["sentence"] for one in self.told["recommendations"])
        return tuple(one.sentence for one in recommend(self.offered))

    def notes(self, finished: bool) -> dict[str, int]:
        """Those of the conclusion, or of the tasks so far."""
        if finished and self.told is not None:
            return dict(self.told["notes"])
        notes = count_notes(self.journal.notes(self.tasks))
        return notes | absences(self.rows, self.plan.metric)

    def maps(self, problems: Sequence[str]) -> Iterator[Directions]:
        for problem in problems[:DETAILED]:
            place = self.folder / place_of(problem, len(problems) > 1)
            found = Directions.read(place / DIRECTIONS)
            if found is not None and found.problem == problem:
                yield found

    def overlaps(self) -> Iterator[Overlap]:
        """At the size recommended for the problem, or the largest that most methods have."""
        by_problem: dict[str, list[Candidate]] = defaultdict(list)
        for one in self.offered:
            by_problem[one.problem].append(one)
        for problem, offered in list(by_problem.items())[:DETAILED]:
            yield from self._overlaps(problem, _common_size(offered))

    def _overlaps(self, problem: str, asked: Size | None) -> Iterator[Overlap]:
        chosen: dict[str, dict[str, Any]] = defaultdict(dict)
        for key, task in self.tasks.items():
            if task.problem == problem and task.draw == 0:
                for cut in self.journal.cuts(key):
                    if cut.size == asked:
                        chosen[task.method][task.fold] = cut.terms
        for a, b in combinations(chosen, 2):
            folds = [fold for fold in chosen[a] if fold in chosen[b]]
            pairs = [(chosen[a][fold], chosen[b][fold]) for fold in folds]
            if pairs and asked is not None:
                shared = mean(np.intersect1d(x, y).size for x, y in pairs)
                yield Overlap(problem, a, b, asked, shared, mean(jaccard(pair) for pair in pairs))

    def comparisons(self) -> Iterator[Comparison]:
        """As the study has concluded; there are none before."""
        for one in (self.told or {}).get("comparisons", ()):
            yield Comparison(**_numbers(one))

    def stability(self) -> Iterator[SelectionStability]:
        for one in (self.told or {}).get("stability", ()):
            yield SelectionStability(**_numbers(one))

    def details(self, problems: Sequence[str], finished: bool) -> Iterator[Detail]:
        if not finished or self.told is None:
            return
        for one in self.told["recommendations"]:
            if one["problem"] in problems:
                yield self._detail(one, self.folder / one["place"])

    def _detail(self, one: Mapping[str, Any], where: Path) -> Detail:
        chosen = one["chosen"]
        model, note = _page_model(where)
        words, classes = read_words(where / WORDS) if (where / WORDS).exists() else ([], ())
        certificate = _json(where / CERTIFICATE) or {}
        return Detail(
            one["problem"],
            one["sentence"],
            chosen["method"],
            chosen["size"],
            chosen["n_features"],
            tuple(words),
            tuple(classes),
            tuple(certificate.get("sentences", ())),
            self._confusion(one["key"], model),
            model,
            note,
            one["place"],
        )

    def _confusion(self, key: str, model: CompactModel | None) -> Confusion | None:
        """Of the test documents and the recommended model; not where a document has many labels."""
        if not key or model is None:
            return None
        return _counted(key, self.journal, model.classes, model.model.rule)


def points(rows: Iterable[Row], n_folds: int = 0) -> Iterator[Point]:
    """Means over folds, draws of a fold averaged first, with 95 % limits.

    Folds of cross-validation share training documents, which makes the limits wider.
    """
    share = 1 / (n_folds - 1) if n_folds > 1 else None
    groups: dict[tuple[str, str, str, Size], dict[str, list[Row]]] = defaultdict(dict)
    for row in rows:
        if row.value is not None:
            key = (row.problem, row.method, row.metric, row.size)
            groups[key].setdefault(row.fold, []).append(row)
    for key, folds in groups.items():
        values = [[row.value for row in of_fold] for of_fold in folds.values()]
        n_features = mean(
            mean(row.n_features or 0 for row in of_fold) for of_fold in folds.values()
        )
        yield Point(*key, n_features, *band(values, LEVEL, test_share=share), len(folds))


def costs(rows: Iterable[Row], metric: str) -> Iterator[Cost]:
    """What one fit of all sizes took, and the best mean that came of it."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.metric == metric and row.status != "failed":
            groups[row.problem, row.method].append(row)
    for (problem, method), of_method in groups.items():
        seconds: dict[str, float] = defaultdict(float)
        for row in of_method:
            seconds[row.task] += row.seconds
        best = max(points(of_method), key=lambda point: point.mean, default=None)
        if best is not None:
            memory = max((row.memory or 0 for row in of_method), default=0)
            yield Cost(problem, method, mean(seconds.values()), memory, best.mean, best.n_features)


def _common_size(offered: Sequence[Candidate]) -> Size | None:
    """The size at which most methods can be compared; of equals that of the recommendation."""
    times: dict[Size, int] = defaultdict(int)
    for one in offered:
        times[one.size] += 1
    several = [asked for asked, n in times.items() if n > 1]
    if not several:
        return None
    (found,) = recommend(offered)
    return found.chosen.size if found.chosen.size in several else max(several)


def _counted(key: str, journal: Journal, classes: tuple[str, ...], rule: str) -> Confusion | None:
    y_signed, cuts = journal.y_signed(key), journal.cuts(key)
    if y_signed is None or not cuts or rule == "labels":
        return None
    chosen = cuts[0].chosen
    if rule == "sign":
        truth = np.where(y_signed[:, 0] == 0, 2, y_signed[:, 0] > 0).astype(int)
        answer = chosen[:, 0].astype(int)
    else:
        truth = np.where((y_signed > 0).any(axis=1), (y_signed > 0).argmax(axis=1), len(classes))
        answer = chosen.argmax(axis=1)
    counts = np.zeros((len(classes) + 1, len(classes) + 1), dtype=int)
    np.add.at(counts, (truth, answer), 1)
    return Confusion(classes, tuple(map(tuple, counts.tolist())))


def _page_model(where: Path) -> tuple[CompactModel | None, str]:
    """The model that the page carries, and what to say of it if it is not the recommended one."""
    if (where / STAND_IN).exists():
        model = CompactModel.load(where / STAND_IN)
        return model, "The recommended model is too large for a page; this one stands in for it"
    if (where / MODEL).exists():
        return CompactModel.load(where / MODEL), ""
    return None, ""


def _numbers(told: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON had no number for."""
    return {key: float("nan") if value is None else value for key, value in told.items()}


def _json(where: Path) -> dict[str, Any] | None:
    try:
        told = json.loads(where.read_text(encoding="utf-8"))
        if not isinstance(told, dict):
            raise ValueError("is no JSON object")
        return told
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as failure:
        raise LaconicError(
            f"{where}: cannot be read ({failure}). Delete it, and run the study again"
        ) from None
