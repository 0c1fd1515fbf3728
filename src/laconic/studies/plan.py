"""`Plan`: corpora × split × text options × methods × sizes × metrics × draws; computes nothing.

A plan is checked when it is made. `tasks` lists its tasks for one corpus. Everything that the rows
of a task depend on is in the task, so its key does not depend on the rest of the plan.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from laconic.corpus.corpus import Corpus
from laconic.corpus.splits import Split
from laconic.curves import LOSSES, ascending, known_metrics
from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.methods import Method, parse_method
from laconic.options import option
from laconic.studies.execution.task import Member, Task, canonical_json
from laconic.studies.options import (
    METHODS,
    InMemory,
    LimitOptions,
    Part,
    SearchOptions,
    Source,
    SplitOptions,
    TrainingOptions,
)
from laconic.text.features import check_features
from laconic.text.language import check_language
from laconic.text.options import Alpha, TextOptions, WeightingOptions
from laconic.text.problem import Target, default_metric
from laconic.text.weighting import Weighting
from laconic.types import Size


@dataclass(frozen=True)
class Corpora:
    """The corpora of a plan: a field of its own, so that it is the first one of `Plan`."""

    corpora: tuple[Source | InMemory | Corpus, ...]


@dataclass(frozen=True)
class Plan(SearchOptions, Corpora):
    """What a study measures.

    Parameters
    ----------
    corpora : Source, Corpus, or a name or file; or several
    methods, sizes, metrics, positive, draws, target, features, language : see `SearchOptions`
    split, text, weighting, training, limits : SplitOptions, TextOptions, WeightingOptions,
        TrainingOptions, LimitOptions
    detail : whether predictions and features of each size are stored, for significance tests and
        stability
    decisions : whether decision values of each size are stored too; they take 32 times as much
        space as predictions
    """

    split: SplitOptions = field(default_factory=SplitOptions)
    text: TextOptions = field(default_factory=TextOptions)
    weighting: WeightingOptions = field(default_factory=WeightingOptions)
    training: TrainingOptions = field(default_factory=TrainingOptions)
    limits: LimitOptions = field(default_factory=LimitOptions)
    detail: bool = option(True, "Store predictions and features of each size.")
    decisions: bool = option(False, "Store decision values of each size, too.")

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "corpora", _sources(self.corpora))
        super().__post_init__()
        check_features(self.features, self.text)
        check_language(self.language)
        methods = _methods(self.methods)
        for method in methods:
            method.check()
            method.check_intercept(self.training.intercept)
            if method.alpha is None and not isinstance(self.training.alpha, Mapping):
                for variant in self._trained(method, 0, ""):
                    variant.make_classifier(self.training.alpha, intercept=False)  # or refuses
        put(self, "methods", tuple(dict.fromkeys(method.name for method in methods)))
        put(self, "sizes", tuple(ascending(self.sizes)))
        metrics = known_metrics(self.metrics) if self.metrics else ()
        put(self, "metrics", tuple(dict.fromkeys(metrics)))
        if self.metrics and self.metrics[0] in LOSSES:
            raise LaconicError(
                f"metric {self.metrics[0]!r}: the first metric decides, and of this one lower is "
                "better. Put one of which higher is better first, such as accuracy"
            )

    def metrics_for(self, target: Target) -> tuple[str, ...]:
        """The metrics of a target; the first decides the recommendation."""
        more = ("f1_macro",) if target.rule == "labels" else ("accuracy", "f1_macro")
        return self.metrics or tuple(dict.fromkeys((default_metric(target), *more)))

    def _trained(self, method: Method, n_docs: int, metric: str) -> list[Method]:
        """What is trained for a method of the plan."""
        training = self.training
        choices = training.classifiers_for(n_docs), training.class_weights_for(metric)
        return [parse_method(name) for name in method.variants(*choices)]

    def families(self, trained: Iterable[str]) -> dict[str, list[str]]:
        """The names of `trained` that belong to each method of the plan."""
        names = list(dict.fromkeys(trained))
        variants = {name: parse_method(name) for name in names}
        return {
            family.name: [name for name in names if family.covers(variants[name])]
            for family in _methods(self.methods)
        }

    def load(
        self, progress: Any = None, n_jobs: int = 1, engine: Engine | None = None
    ) -> Iterator[Corpus]:
        """Every corpus; their names must be distinct, because rows refer to corpora by name."""
        seen: set[str] = set()
        for source in self.corpora:
            if isinstance(source, Corpus):
                loaded: Iterable[Corpus] = [source]
            else:
                loaded = source.load(progress, n_jobs, engine)
            for corpus in loaded:
                if corpus.name in seen:
                    raise LaconicError(f"two corpora are called {corpus.name}: rename one")
                seen.add(corpus.name)
                yield corpus

    def weighting_for(self, corpus: Corpus) -> Weighting:
        """The estimator that weights the words of a corpus."""
        return self.weighting.weighting_for(corpus, self.text)

    def described_text(self, corpus: Corpus) -> str:
        """What the vectors of a corpus depend on, as canonical JSON."""
        text, weighting = self.text.canonical(corpus), self.weighting.canonical(corpus)
        return canonical_json({"text": text, "weighting": weighting})

    def part(self) -> Part:
        """Where methods and sizes are compared."""
        return "validation" if self.split.cv else "test"

    def folds(self, corpus: Corpus) -> list[Split]:
        """The folds in which methods and sizes are compared."""
        inner = self.split.validation(corpus)
        return inner if self.split.cv else self.split.held_out(corpus)

    def tasks(self, corpus: Corpus, split: Split, targets: Iterable[Target]) -> Iterator[Task]:
        """The tasks of one fold, target by target; those that share a selection are together."""
        for target in targets:
            metrics = self.metrics_for(target)
            trained = [
                variant
                for method in _methods(self.methods)
                for variant in self._trained(method, len(corpus), metrics[0])
            ]
            tasks = [
                self.one_task(corpus, split, self.part(), target, method, draw)
                for method in {variant.name: variant for variant in trained}.values()
                for draw in range(self.draws if method.random else 1)
            ]
            first = {task.selection: position for position, task in reversed([*enumerate(tasks)])}
            yield from sorted(tasks, key=lambda task: (first[task.selection], task.draw))

    def one_task(
        self,
        corpus: Corpus,
        split: Split,
        part: Part,
        target: Target,
        method: Method,
        draw: int,
        sizes: tuple[Size, ...] | None = None,
        alphas: tuple[Alpha, ...] | None = None,
        members: tuple[tuple[Member, ...], ...] = (),
    ) -> Task:
        """One draw of a method on one split, at these sizes, else at the method's or the plan's."""
        alpha = self.training.alpha_for(target.name, split.name)
        return Task(
            data=corpus.fingerprint,
            problem=target.name,
            part=part,
            fold=split.name,
            split=self.split.described(corpus, part),
            text=self.described_text(corpus),
            method=method.name,
            draw=draw,
            sizes=sizes or method.sizes or self.sizes,
            metrics=self.metrics_for(target),
            alphas=alphas or method.alphas(alpha),
            intercept=self.training.intercept,
            normalize=self.training.normalize,
            detail=self.detail,
            decisions=self.decisions,
            members=members,
            version=method.version,
            features=self.text.features_of(corpus),
            weighting=self.weighting.scheme_for(corpus),
            positive=target.classes[1] if target.rule == "sign" else "",
        )


def _sources(corpora: Any) -> tuple[Source | InMemory | Corpus, ...]:
    single = isinstance(corpora, str | os.PathLike | Source | InMemory | Corpus)
    sources = [corpora] if single else list(corpora)
    if not sources:
        raise LaconicError("no corpus: name a file, a folder or a corpus of the catalog")
    return tuple(
        Source(os.fspath(source)) if isinstance(source, str | os.PathLike) else source
        for source in sources
    )


def _methods(methods: Any) -> list[Method]:
    names = [methods] if isinstance(methods, str) else list(methods)
    if not names:
        raise LaconicError(f"no methods: choose some, such as {', '.join(METHODS)}")
    return [parse_method(name) for name in names]
