"""`Plan`: corpora × split × vectorizing × methods × sizes × measures × seeds, and nothing computed.

A plan is checked when it is made. `tasks` spells it out for one corpus; what a task's rows depend
on stands in the task, so that its key does not depend on the rest of the plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split
from laconic.curves import LESS_IS_BETTER, ascending, known_measures
from laconic.errors import LaconicError
from laconic.methods import Method, method_called
from laconic.rows import Size
from laconic.study.settings import Source, Splitting, Training, Vectorizing
from laconic.study.task import Part, Task
from laconic.vectors.problem import Question
from laconic.vectors.problem import Task as Asking

METHODS = ("ALL", "DF", "IG", "CHI2", "WS", "SS[rank=100]", "RFE[then=svm]")
SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000)
MEASURES = ("micro-f1", "macro-f1", "accuracy")


def default_methods(alpha: float | str | Mapping[str, float]) -> tuple[str, ...]:
    """An SVM needs a number above 0 for λ. With another one RFE has least squares behind it."""
    each = alpha.values() if isinstance(alpha, Mapping) else [alpha]
    if all(not isinstance(one, str) and one > 0 for one in each):
        return METHODS
    return tuple(name.replace("[then=svm]", "") for name in METHODS)


@dataclass(frozen=True)
class Plan:
    """What a study measures.

    Parameters
    ----------
    corpora : Source, Corpus, or a name or file; or several
    methods : names such as "IG" or "SS[rank=10]"
    sizes : numbers of words, or shares in (0, 1]
    measures : the first is what the recommendation goes by, unless `goal` names another; never
        "error", of which less is better
    seeds : draws of a random method
    task : "auto", "classes", "labels" or "per-category"
    split, vectors, training : Splitting, Vectorizing, Training
    detail : whether answers and words of each size are kept, for significance and stability
    """

    corpora: tuple[Source | Corpus, ...]
    methods: tuple[str, ...] = METHODS
    sizes: tuple[Size, ...] = SIZES
    measures: tuple[str, ...] = MEASURES
    seeds: int = 1
    goal: str = ""
    task: Asking = "auto"
    split: Splitting = field(default_factory=Splitting)
    vectors: Vectorizing = field(default_factory=Vectorizing)
    training: Training = field(default_factory=Training)
    detail: bool = True

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "corpora", _sources(self.corpora))
        if self.methods == METHODS:
            put(self, "methods", default_methods(self.training.alpha))
        methods = _known(self.methods)
        for method in methods:
            method.check()
            method.check_intercept(self.training.intercept)
            if method.alpha is None and not isinstance(self.training.alpha, Mapping):
                method.classifier(self.training.alpha, intercept=False)  # or refuses
        put(self, "methods", tuple(dict.fromkeys(method.name for method in methods)))
        put(self, "sizes", tuple(ascending(self.sizes)))
        put(self, "measures", tuple(dict.fromkeys(known_measures(self.measures))))
        goals = [measure for measure in self.measures if measure not in LESS_IS_BETTER]
        put(self, "goal", self.goal or (goals or self.measures)[0])
        _check_goal(self.goal, self.measures)
        if self.task not in get_args(Asking):
            raise LaconicError(f"task={self.task!r}: choose from {', '.join(get_args(Asking))}")
        if not isinstance(self.seeds, int) or self.seeds < 1:
            raise LaconicError(f"seeds={self.seeds!r}: give a number of draws, at least 1")

    def load(self, progress: Any = None) -> Iterator[Corpus]:
        """Every corpus; their names are distinct, since rows go by them."""
        seen: set[str] = set()
        for source in self.corpora:
            for corpus in [source] if isinstance(source, Corpus) else source.load(progress):
                if corpus.name in seen:
                    raise LaconicError(f"two corpora are called {corpus.name}: rename one")
                seen.add(corpus.name)
                yield corpus

    def part(self) -> Part:
        """Where methods and sizes are compared."""
        return "validation" if self.split.folds else "test"

    def folds(self, corpus: Corpus) -> list[Split]:
        """The folds in which methods and sizes are compared."""
        inner = self.split.validation(corpus)
        return inner if self.split.folds else self.split.held_out(corpus)

    def tasks(self, corpus: Corpus, split: Split, questions: Iterable[Question]) -> Iterator[Task]:
        """The tasks of one fold: question by question, and those with one selection together."""
        methods = _known(self.methods)
        for question in questions:
            several = [
                self.one_task(corpus, split, self.part(), question.name, method, seed)
                for method in methods
                for seed in range(self.seeds if method.random else 1)
            ]
            first = {task.selection: place for place, task in reversed([*enumerate(several)])}
            yield from sorted(several, key=lambda task: (first[task.selection], task.seed))

    def one_task(
        self,
        corpus: Corpus,
        split: Split,
        part: Part,
        problem: str,
        method: Method,
        seed: int,
        sizes: tuple[Size, ...] | None = None,
    ) -> Task:
        """A method with a seed on one split, at these sizes, else at the method's or the plan's."""
        return Task(
            data=corpus.fingerprint,
            problem=problem,
            part=part,
            fold=split.name,
            split=self.split.described(corpus, part),
            vectorizing=self.vectors.description,
            method=method.name,
            seed=seed,
            sizes=sizes or method.sizes or self.sizes,
            measures=self.measures,
            alpha=self.training.alpha_for(problem, split.name),
            intercept=self.training.intercept,
            norm=self.training.norm,
            detail=self.detail,
        )


def _check_goal(goal: str, measures: tuple[str, ...]) -> None:
    if goal not in measures:
        raise LaconicError(f"goal={goal!r}: measured are {', '.join(measures)}")
    if goal in LESS_IS_BETTER:
        raise LaconicError(
            f"goal={goal!r}: less of it is better, but a recommendation goes by what more of is "
            f"better. Measure accuracy beside {goal}, and let it be the goal"
        )


def _sources(given: Any) -> tuple[Source | Corpus, ...]:
    several = [given] if isinstance(given, str | os.PathLike | Source | Corpus) else list(given)
    if not several:
        raise LaconicError("no corpus: name a file, a folder or a corpus of the catalog")
    return tuple(
        Source(os.fspath(one)) if isinstance(one, str | os.PathLike) else one for one in several
    )


def _known(methods: Any) -> list[Method]:
    names = [methods] if isinstance(methods, str) else list(methods)
    if not names:
        raise LaconicError(f"no methods: choose some, such as {', '.join(METHODS)}")
    return [method_called(name) for name in names]
