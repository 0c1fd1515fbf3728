"""Dasgupta, Drineas, Harb, Josifovski, Mahoney: feature selection methods for text classification,
KDD 2007.

Notation
--------
======================  ==================================================
the paper               here
======================  ==================================================
A, terms × documents    X.T; documents are rows of X
n features, d objects   n_terms, n_docs
r                       `budget` of a Bernoulli draw; `size` of an exact one
k                       `rank`
λ                       `alpha`
p_i, p̃_i                `chance`, min(1, budget · chance)
S = RᵀR                 squared weights of a `Selection`
f(q), f̃                 `LinearModel.decision`
MIF, MAF                "f1_micro", "f1_macro"; "f1" for TechTC-100
RelMIF                  "relative f1_micro", "relative f1"
======================  ==================================================

Recipes: DF, IG, US, WS, SS:rank=k, SRLS in `laconic.methods`, each followed by `+ridge`.

Protocol
--------
One regression per class, each decided by f > 0; a document with no selected word has the value 0
and is rejected. Per split, λ_max is the alpha of the best micro-F1 of all words *on the test
documents*, as in the paper: an oracle's choice, used by every method. So a figure is two plans in
one folder: all words with each alpha (`ALL+ridge:alpha=0.4`), then the methods with the alpha that
these rows give. With `nested=True` each model chooses its alpha by leave-one-out on the training
documents, and so do all words: one plan. Relative values divide by those of all words in the same
split.

Deviations
----------
- Sizes are exact (`top`), because a Bernoulli draw with budget r selects fewer than r words; the
  methods are compared at equal counts.
- TechTC-100 does not have the official preprocessing. 20 Newsgroups is vectorized here from the
  19,997 messages, without their headers (which name the newsgroup), with stems in at least two
  training messages; the paper uses Rennie's vectors of 62,000 terms. RCV1 is the five samples of
  6,000 documents, pooled without repeats and split 80/20; presence is a non-zero weight.
- The F1, precision and recall of TechTC-100 are those of the class +1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from laconic.corpus.corpus import Corpus
from laconic.files import make_folder
from laconic.row_files import rows_file
from laconic.rows import Row
from laconic.scores import hellinger, leverage, squared_norm
from laconic.studies.execution.executors import Executor
from laconic.studies.layout import StudyFolder
from laconic.studies.measurement import Event, Listener
from laconic.studies.options import Source, SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import TextOptions, WeightingOptions
from laconic.text.problem import Problem
from reproduction.dasgupta2007 import statements as statements
from reproduction.dasgupta2007 import statements_large as large
from reproduction.dasgupta2007.relative import (
    all_words,
    best_alphas,
    by_alpha,
    by_problem,
    number_of_words,
    paper_name,
    points,
    shares,
)
from reproduction.shared.figures import (
    Figure,
    FigureResult,
    Scale,
    run_studies,
    tables_by_size,
)
from reproduction.shared.plots import Cells, Plot
from reproduction.statements import Finding

NESTED = True
UNAVAILABLE = large.UNAVAILABLE
REFERENCE = (
    "A. Dasgupta, P. Drineas, B. Harb, V. Josifovski, M. W. Mahoney. Feature selection methods for "
    "text classification. KDD 2007, pages 230-239."
)
METRICS = ("f1_micro", "f1_macro", "precision_macro", "recall_macro")
TECHTC_METRICS = ("f1", "precision", "recall")
ALPHAS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)
LARGE_ALPHAS = (0.1, 0.2, 0.4, 0.8)
SMALL_SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
LARGE_SIZES = (300, 1000, 3000, 5000, 10_000, 20_000)
FILTERS = ("DF+ridge", "IG+ridge", "US+ridge", "WS+ridge")
SMALL_METHODS = (*FILTERS, "SS+ridge", "SS:rank=10+ridge")
LARGE_METHODS = (*FILTERS, "SS:rank=100+ridge", "SS:rank=1500+ridge")
RANKS = (*(f"SS:rank={rank}+ridge" for rank in (1, 5, 10, 30, 60, 0.9)), "SS+ridge")

PAPER = Scale(sets=100, n_splits=4, draws=5)
QUICK = Scale(sets=20, n_splits=1, draws=1)
QUARTERS = 4


def techtc(scale: Scale) -> Plan:
    """4:1 splits of the two-class sets, ltc."""
    source = Source("techtc100", first=scale.sets)
    split = SplitOptions(0.2, cv=0, n_splits=scale.n_splits, duplicates="keep")
    return replace(_plan(source, split, min_df=1), metrics=TECHTC_METRICS, positive="1")


def news(scale: Scale) -> Plan:
    """4:1 splits of the 19,997 messages: Porter stems in at least two messages, ltc."""
    split = SplitOptions(0.2, cv=0, n_splits=scale.n_splits, duplicates="keep")
    plan = _plan(part_of("20news-bodies", scale), split, min_df=2)
    return replace(plan, text=TextOptions(stem="porter"), target="multilabel")


def one_split(scale: Scale) -> Plan:
    return news(replace(scale, n_splits=1))


def rcv1(scale: Scale) -> Plan:
    """The given split and weights."""
    split = SplitOptions("given", cv=0, duplicates="keep")
    return replace(_plan(part_of("rcv1", scale), split, min_df=1), target="multilabel")


def part_of(name: str, scale: Scale) -> Source | Corpus:
    """The first `scale.sets` quarters of a large corpus."""
    whole = Source(name)
    if scale.sets >= QUARTERS:
        return whole
    (corpus,) = whole.load()
    return corpus.take(n for n in range(len(corpus)) if n % QUARTERS < scale.sets)


def _plan(source: Source | Corpus, split: SplitOptions, min_df: int) -> Plan:
    """The settings that all figures share."""
    training = TrainingOptions(alpha=1.0, intercept=False, normalize="all")
    return Plan(
        (source,),
        metrics=METRICS,
        split=split,
        weighting=WeightingOptions(min_df=min_df),
        training=training,
        detail=False,
    )


MakeFindings: TypeAlias = Callable[[list[Row]], Iterable[Finding]]
MakePlots: TypeAlias = Callable[[list[Row]], Iterable[Plot | Cells]]


@dataclass(frozen=True)
class ByAlpha:
    """All words, with each alpha."""

    about: str
    setting: Callable[[Scale], Plan]
    alphas: tuple[float, ...] = ALPHAS
    full: Scale = PAPER
    quick: Scale = QUICK
    findings: MakeFindings = lambda rows: ()
    plots: MakePlots = lambda rows: ()

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        plan = replace(self.setting(scale), methods=all_words(self.alphas))
        return _result(self, run_studies([Study(plan, where)], executor, options))


@dataclass(frozen=True)
class BySize:
    """The methods at every size, relative to all words; alpha as in the protocol above."""

    about: str
    setting: Callable[[Scale], Plan]
    methods: tuple[str, ...]
    sizes: tuple[int, ...]
    alphas: tuple[float, ...] = ALPHAS
    full: Scale = PAPER
    quick: Scale = QUICK
    findings: MakeFindings = lambda rows: ()
    plots: MakePlots = lambda rows: ()

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        return _result(self, self._rows(where, scale, executor, options), scale.nested)

    def _rows(
        self, where: Path, scale: Scale, executor: Executor | None, options: dict[str, Any]
    ) -> list[Row]:
        names, sizes = self.methods, self.sizes
        plan = replace(self.setting(scale), methods=names, sizes=sizes, draws=scale.draws)
        if scale.nested:
            whole = all_words(["loo"])
            plan = replace(plan, methods=(*whole, *names), training=_with(plan, "loo"))
            return run_studies([Study(plan, where)], executor, options)
        first = Study(replace(plan, methods=all_words(self.alphas)), where)
        first_rows = run_studies([first], executor, options)
        corpora = tuple(ready.corpus for ready in first.corpora)
        second = replace(plan, corpora=corpora, training=_with(plan, best_alphas(first_rows)))
        return run_studies([first, Study(second, where)], executor, options)


@dataclass(frozen=True)
class Distances:
    """Hellinger distance from weighted to subspace sampling, by rank; computed on every run."""

    about: str
    setting: Callable[[Scale], Plan]
    ranks: tuple[int, ...] = (1, 2, 5, 10, 20, 40, 60, 80, 100)
    full: Scale = PAPER
    quick: Scale = QUICK
    findings: MakeFindings = lambda rows: ()
    plots: MakePlots = lambda rows: ()

    def run(
        self,
        where: Path,
        scale: Scale,
        executor: Executor | None = None,
        *,
        listen: Listener = lambda event: None,
        progress: Callable[[int, int], None] | None = None,
        **options: Any,
    ) -> FigureResult:
        make_folder(where)
        rows: list[Row] = []
        with rows_file(StudyFolder(where).rows) as write:
            plan = self.setting(scale)
            total = scale.sets * scale.n_splits
            for done, problem in enumerate(_problems(plan, progress), 1):
                rows += self.rows(problem)
                listen(Event("task", f"{problem.name}, {problem.fold}", done, total, "ok"))
            write(rows)
        return _result(self, rows)

    def rows(self, problem: Problem) -> Iterator[Row]:
        X = problem.X_train
        weights = squared_norm(X)
        for rank in self.ranks:
            chance = leverage(X, rank=rank)
            value = hellinger(weights / weights.sum(), chance / chance.sum())
            yield Row(
                problem.name, "SS, by rank", rank, "hellinger to WS", value, fold=problem.fold
            )


def _problems(plan: Plan, progress: Any) -> Iterator[Problem]:
    for corpus in plan.load(progress):
        ready = PreparedCorpus.of(plan, corpus)
        for split in ready.splits:
            yield from ready.problems(split, [target.name for target in ready.targets])


def _with(plan: Plan, alpha: Any) -> TrainingOptions:
    return replace(plan.training, alpha=alpha)


def _result(
    figure: ByAlpha | BySize | Distances, rows: list[Row], nested: bool = False
) -> FigureResult:
    """The paper's statements are about its own protocol, so the nested one is not judged."""
    tables, drawn = tables_by_size(points(rows)), figure.plots(rows)
    if not nested:
        return FigureResult(rows, tables, tuple(figure.findings(rows)), tuple(drawn))
    renamed = (
        replace(plot, name=f"{plot.name}-nested", title=f"{plot.title}; alpha by leave-one-out")
        for plot in drawn
    )
    return FigureResult(rows, tables, plots=tuple(renamed))


def by_set(rows: Iterable[Row]) -> tuple[dict[str, float], dict[str, float]]:
    """Figure 4(a): IG and SS on each set; empty where they were not measured."""
    values = shares(rows)
    ig, ss = (
        values.get((method, statements.SPREAD_AT, "relative f1"), {})
        for method in (statements.IG, statements.SS)
    )
    return by_problem(ig), by_problem(ss)


def techtc_findings(rows: list[Row]) -> Iterator[Finding]:
    yield from statements.techtc(points(rows), number_of_words(rows))
    drawn = {(row.fold, row.draw) for row in rows if paper_name(row.method) == statements.SS}
    yield from statements.over_sets(*by_set(rows), repeats=len(drawn))


def techtc_plots(rows: list[Row]) -> Iterator[Plot | Cells]:
    yield from statements.techtc_plots(points(rows))
    yield from statements.spread_plots(*by_set(rows))


WHOLE = Scale(sets=QUARTERS, n_splits=1, draws=1)
FIGURES: dict[str, Figure] = {
    "2": ByAlpha(
        "20 Newsgroups, all words of one split: quality against alpha",
        one_split,
        full=WHOLE,
        quick=WHOLE,
        findings=lambda rows: large.alpha_statements(by_alpha(rows)),
        plots=lambda rows: large.alpha_plots(by_alpha(rows)),
    ),
    "3": BySize(
        "TechTC-100: quality against size for all strategies; figure 4(a) is its size 1000",
        techtc,
        SMALL_METHODS,
        SMALL_SIZES,
        findings=techtc_findings,
        plots=techtc_plots,
    ),
    "4b": BySize(
        "TechTC-100: subspace sampling with various ranks",
        techtc,
        RANKS,
        SMALL_SIZES,
        findings=lambda rows: statements.by_rank(points(rows)),
        plots=lambda rows: statements.rank_plots(points(rows)),
    ),
    "4c": Distances(
        "TechTC-100: Hellinger distance from WS to SS, by rank",
        techtc,
        findings=lambda rows: statements.distances(points(rows)),
        plots=lambda rows: statements.distance_plots(points(rows)),
    ),
    "5a": BySize(
        "20 Newsgroups: quality against size",
        news,
        LARGE_METHODS,
        LARGE_SIZES,
        LARGE_ALPHAS,
        full=replace(WHOLE, n_splits=5, draws=5),
        quick=replace(WHOLE, sets=2),
        findings=lambda rows: large.news(points(rows), number_of_words(rows)),
        plots=lambda rows: large.news_plots(points(rows)),
    ),
    "5b": BySize(
        "RCV1: quality against size; figure 5(c) is its macro-F1",
        rcv1,
        LARGE_METHODS,
        LARGE_SIZES,
        LARGE_ALPHAS,
        full=replace(WHOLE, draws=5),
        quick=replace(WHOLE, sets=1),
        findings=lambda rows: large.reuters(points(rows), number_of_words(rows)),
        plots=lambda rows: large.reuters_plots(points(rows)),
    ),
}
