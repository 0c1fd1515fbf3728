"""Keerthi: generalized LARS as an effective feature selection tool for text classification with
SVMs, ICML 2005.

Notation
--------
======================  ==================================================
the paper               here
======================  ==================================================
n examples, m features  n_docs, n_terms
d features chosen       `size`
λ₁, λ₂                  `l1`, `alpha`
β                       `coef`, and the bias as `intercept`
t_i, I(β)               `y_signed`, `examples` of a `LarsPoint`
F-measure               "f1" of the one class
avFmin, avFmean, avFmax `Spread`
======================  ==================================================

Recipes: SVM-LARS, RLS-LARS, IG and BNS in `laconic.methods`.

Protocol
--------
One class against the rest; four stratified folds, repeated; Reuters once, on ModApte. Every model
has the threshold of the best F-measure: by leave-one-out along the path for LARS, by ten-fold
cross-validation with the selection repeated in each fold for filters and for all words. For
comparison: the threshold from training outputs, and 0. alpha = 1 unless stated otherwise.

The model of d words is the point of the path where the next word is about to enter, as in the
paper: its weights are shrunken. Filters are followed by a trained SVM, so the SVM retrained on the
words of LARS is shown too (`refit`): it measures the words alone.

Deviations
----------
- Classes are numbered in the order of their names: that gives fbis, la1 and ohscal the paper's
  counts for classes 4, 2 and 4, and 7. So News-3 is taken to be comp.os.ms-windows.misc.
- "Binary representation" is read as 0 and 1, not divided by a length: only then are alpha = 0 and 1
  identical at first, and does RLS fall with many words on fbis, as the paper reports.
- Normalized tf-idf: tf·(1 + log((1+N)/(1+df))) of training documents, unit length; words of at
  least two letters, which gives 33,652 words for Reuters (the paper has 37,207). 20 Newsgroups is
  the 19,997 messages without headers, which name the newsgroup, and words in at least two training
  messages, about 61,000; the paper uses Rennie's 19,928 messages of 62,061 words.
- The bias enters at the start, is regularized by alpha, and does not count as a word; after filters
  it is not regularized.
- Sizes of LARS are those of the filters. Without `--full` they end at 1,100, and one of the four
  folds is run: `--sets 4` runs all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.corpus.corpus import UNUSED, Corpus
from laconic.corpus.loading import load_corpora
from laconic.corpus.splits import Split
from laconic.errors import LaconicError
from laconic.rows import Row
from laconic.runtime.choices import Scheme
from laconic.studies.execution.executors import Executor
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.study import Study
from laconic.text.options import WeightingOptions
from reproduction.keerthi2005.f_measures import (
    ALL,
    BNS,
    IG,
    IG_CV,
    IG_TRAINING,
    LARS,
    LARS_0,
    LARS_LOO,
    LARS_TRAINING,
    METRIC,
    REFIT,
    RLS,
    SVM,
    FCurve,
    ProblemCurves,
    Spreads,
    complete,
    curve_table,
    flat_table,
    plots,
    spreads,
)
from reproduction.keerthi2005.statements import MIDDLE, counts, statements
from reproduction.shared.figures import Figure, FigureResult, Scale, Table, run_studies
from reproduction.statements import Finding

REFERENCE = (
    "S. S. Keerthi. Generalized LARS as an effective feature selection tool for text "
    "classification with SVMs. ICML 2005, pages 417-424."
)
NESTED = False
UNAVAILABLE: tuple[Finding, ...] = ()
METRICS = (METRIC, "precision", "recall", "best_f1")
FOLDS = 4
REST = "rest"
SIZES = (2, 4, 8, 16, 32, 64, 128, *range(200, 2001, 150))
# The last thousand words take most of the time of a path.
FEWER = (2, 4, 8, 16, 32, 64, 128, 200, 350, 500, 800, 1100)

SVM_PLOT = {
    LARS: "SVM-LARS:threshold=loo",
    LARS_0: "SVM-LARS:alpha=0.0:threshold=loo",
    REFIT: "SVM-LARS:refit=true:threshold=loo",
    IG: "IG+svm:threshold=cv",
    BNS: "BNS+svm:threshold=cv",
    ALL: "ALL+svm:threshold=cv",
}
RLS_PLOT = {
    LARS: "RLS-LARS:threshold=loo",
    LARS_0: "RLS-LARS:alpha=0.0:threshold=loo",
    IG: "IG+ridge:threshold=cv",
    ALL: "ALL+ridge:threshold=cv",
}
PLOTS = {SVM: SVM_PLOT, RLS: RLS_PLOT}
BY_THRESHOLD = {
    "LARS, 0": "SVM-LARS",
    LARS_TRAINING: "SVM-LARS:threshold=training",
    LARS_LOO: SVM_PLOT[LARS],
    "IG, 0": "IG+svm",
    IG_TRAINING: "IG+svm:threshold=training",
    IG_CV: SVM_PLOT[IG],
}
CURVES = (*SVM_PLOT.values(), *RLS_PLOT.values())
OTHER_THRESHOLDS = tuple(method for method in BY_THRESHOLD.values() if method not in CURVES)


@dataclass(frozen=True)
class Extent(Scale):
    """How much is run, and at which sizes. `sets` are folds of the cross-validation."""

    sizes: tuple[int, ...] = SIZES

    def __str__(self) -> str:
        tests = "1 test set" if self.sets == 1 else f"{self.sets} test sets"
        times = "once" if self.n_splits == 1 else f"{self.n_splits} times"
        return f"{tests}, {times}; {len(self.sizes)} sizes up to {max(self.sizes):,} words"


@dataclass(frozen=True)
class FirstFolds(SplitOptions):
    """Only the first folds of each cross-validation, unchanged."""

    first: int = FOLDS

    def validation(self, corpus: Corpus) -> list[Split]:
        splits = super().validation(corpus)
        return [split for place, split in enumerate(splits) if place % self.cv < self.first]


@dataclass(frozen=True)
class BinaryProblem:
    """A class of a corpus against the rest; `split` if the corpus has a given one.

    Words occur in at least `min_df` training documents.
    """

    name: str
    corpus: str
    label: str
    split: str | None = None
    min_df: int = 1

    def load(self) -> Corpus:
        (corpus,) = load_corpora(self.corpus, split=self.split)
        return against_rest(corpus, self.label, self.name)


def against_rest(corpus: Corpus, label: str, name: str) -> Corpus:
    """Two classes, of which `label` is the second; vectors as 0 and 1; no unused documents."""
    if label not in corpus.classes:
        raise LaconicError(f"{label} against the rest: {corpus.name} has no such class")
    used = np.arange(len(corpus))
    if corpus.split is not None:
        used = np.flatnonzero(np.array(corpus.split, dtype=object) != UNUSED)
    documents = corpus.take(used)
    return replace(
        documents,
        name=name,
        labels=tuple((label if label in labels else REST,) for labels in documents.labels),
        vectors=None if documents.vectors is None else documents.vectors.sign(),
        classes=(REST, label),
        multilabel=False,
    )


def plan_of(corpus: Corpus, scale: Scale, min_df: int = 1) -> Plan:
    """Words as 0 and 1 for vectors of counts, tf-idf for texts; folds if there is no split."""
    folds = FirstFolds(None, cv=FOLDS, repeats=scale.n_splits, duplicates="keep", first=scale.sets)
    scheme: Scheme = "tfidf" if corpus.vectors is None else "count"
    return Plan(
        (corpus,),
        methods=CURVES,
        sizes=scale.sizes if isinstance(scale, Extent) else SIZES,
        metrics=METRICS,
        target="multiclass",
        positive=corpus.classes[1],
        split=folds if corpus.split is None else SplitOptions("given", cv=0, duplicates="keep"),
        weighting=WeightingOptions(scheme, min_df=min_df),
        training=TrainingOptions(alpha=1.0, intercept=True, normalize="all"),
        detail=False,
        features="words",
    )


def by_threshold(plan: Plan) -> Plan:
    """The same with other thresholds, which need separate paths: up to the middle sizes."""
    middle = tuple(size for size in plan.sizes if size <= MIDDLE[1])
    return replace(plan, methods=OTHER_THRESHOLDS, sizes=middle)


@dataclass(frozen=True)
class ProblemFigure:
    """A problem of figure 1: the F-measure against the number of words."""

    problem: BinaryProblem
    full: Scale
    quick: Scale

    @property
    def about(self) -> str:
        return f"{self.problem.label} of {self.problem.corpus} against the rest"

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        name = self.problem.name
        plan = plan_of(self.problem.load(), scale, self.problem.min_df)
        first, second = Study(plan, where), Study(by_threshold(plan), where)
        run_studies([first], executor, options)
        rows = run_studies([first, second], executor, options)
        curves = problem_curves(spreads(rows))
        return FigureResult(
            rows,
            tuple(tables(name, rows)),
            (problem_counts(first, self.problem), *statements(name, curves)),
            tuple(plots(name, curves)),
        )


def problem_counts(study: Study, problem: BinaryProblem) -> Finding:
    """Documents and words; words of texts are those in the training documents of any fold."""
    (ready,) = study.corpora
    vectors = ready.corpus.vectors
    n_terms = ready.n_selectable() if vectors is None else vectors.shape[1]
    n_class = ready.corpus.class_counts[problem.label]
    return counts(problem.name, n_class, len(ready.corpus), n_terms)


def problem_curves(spreads: Spreads) -> ProblemCurves:
    """The curves of the plots, and those by threshold."""
    in_all_folds = complete(spreads)
    svm, rls, thresholds = (
        {label: _curve(in_all_folds, method) for label, method in plot.items() if label != ALL}
        for plot in (SVM_PLOT, RLS_PLOT, BY_THRESHOLD)
    )
    whole = {
        kind: in_all_folds[plot[ALL], 1.0].mean
        for kind, plot in PLOTS.items()
        if (plot[ALL], 1.0) in in_all_folds
    }
    return ProblemCurves(svm, rls, thresholds, whole, _curve(spreads, SVM_PLOT[LARS_0]))


def _curve(spreads: Spreads, method: str) -> FCurve:
    return {
        size: spread.mean
        for (name, size), spread in spreads.items()
        if name == method and isinstance(size, int)
    }


def tables(name: str, rows: Iterable[Row]) -> Iterator[Table]:
    by_cell = spreads(rows)
    in_all_folds = complete(by_cell)
    columns = "F-measure: avFmean (avFmin–avFmax)"
    for kind, plot in PLOTS.items():
        yield curve_table(f"{name}, {kind}, {columns}", plot, in_all_folds)
    yield curve_table(f"{name}, SVM by threshold, {columns}", BY_THRESHOLD, in_all_folds)
    yield flat_table(name, by_cell)


PAPER = Extent(sets=FOLDS, n_splits=10, draws=1)
ONCE = Extent(sets=1, n_splits=1, draws=1)
QUICK = Extent(sets=1, n_splits=1, draws=1, sizes=FEWER)
PROBLEMS = (
    BinaryProblem("fbis-4", "fbis", "111"),
    BinaryProblem("la1-2", "la1", "Financial"),
    BinaryProblem("la1-4", "la1", "Metro"),
    BinaryProblem("ohscal-7", "ohscal", "Prognosis"),
    BinaryProblem("money-fx", "reuters-21578", "money-fx", "ModApte"),
    BinaryProblem("news-3", "20news-bodies", "comp.os.ms-windows.misc", min_df=2),
)
FIGURES: dict[str, Figure] = {
    f"1-{problem.name}": ProblemFigure(problem, full=ONCE if problem.split else PAPER, quick=QUICK)
    for problem in PROBLEMS
}
