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
t_i, I(β)               `signs`, `examples` of a `LarsPoint`
F-measure               "f1_micro" of the one class that is asked for
avFmin, avFmean, avFmax `Spread`
======================  ==================================================

Recipes: SVM-LARS, RLS-LARS, IG and BNS in `laconic.methods`.

Protocol
--------
One class against all others; four stratified folds, repeated; Reuters once, on ModApte. Every model
has the threshold of the best F-measure: by leave-one-out along the path for LARS, by ten-fold
cross-validation with the selection made anew for filters and for all words. Beside it the threshold
from training outputs, and 0. λ₂ = 1 but where 0 is said.

The model of d words is the point of the path where the next word is about to enter, as in the
paper: its weights are shrunken. Filters have a trained SVM behind them, so that the SVM trained
anew on the words of LARS stands beside (`refit`); it shows what the words are worth.

Deviations
----------
- Classes are numbered in the order of their names: that gives fbis, la1 and ohscal the paper's
  counts for classes 4, 2 and 4, and 7. So News-3 is taken to be comp.os.ms-windows.misc.
- "Binary representation" is read as 0 and 1, not divided by a length: only so are λ₂ = 0 and 1
  identical at first, and does RLS fall with many words on fbis, as the paper reports.
- Normalized tf-idf: tf·(1 + log((1+N)/(1+df))) of training documents, unit length; words of two
  letters or more, which gives Reuters 33,652 (the paper 37,207). 20 Newsgroups are the 19,997
  messages without headers, which name the newsgroup, and words in two training messages or more,
  about 61,000; the paper took Rennie's 19,928 messages of 62,061 words.
- The bias is in from the start, regularised by λ₂, and counts as no word; behind filters it is
  free.
- Sizes of LARS are those of the filters; a path has them all. Without `--full` they end at 1,100,
  and one of the four folds is run: `--sets 4` runs all of them.
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
from laconic.papers.f_measures import (
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
    Curve,
    Measured,
    Spread,
    complete,
    curve_table,
    flat_table,
    plots,
    spreads,
)
from laconic.papers.figures import Figure, Reproduced, Scale, Table, worked_off
from laconic.papers.findings import Finding
from laconic.papers.findings.keerthi2005 import MIDDLE, counts, statements
from laconic.rows import Row, Size
from laconic.study.executors import Executor
from laconic.study.plan import Plan
from laconic.study.settings import SplitOptions, TextOptions, TrainingOptions
from laconic.study.study import Study

REFERENCE = (
    "S. S. Keerthi. Generalized LARS as an effective feature selection tool for text "
    "classification with SVMs. ICML 2005, pages 417-424."
)
NESTED = False
ABSENT: tuple[Finding, ...] = ()
METRICS = (METRIC, "precision_macro", "recall_macro", "best_f1")
FOLDS = 4
REST = "rest"
SIZES = (2, 4, 8, 16, 32, 64, 128, *range(200, 2001, 150))
# The last thousand words take most of the time of a path.
FEWER = (2, 4, 8, 16, 32, 64, 128, 200, 350, 500, 800, 1100)

SVM_PLOT = {
    LARS: "SVM-LARS:threshold=loo",
    LARS_0: "SVM-LARS:alpha=0.0:threshold=loo",
    REFIT: "SVM-LARS:refit=True:threshold=loo",
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
OTHERS = tuple(method for method in BY_THRESHOLD.values() if method not in CURVES)


@dataclass(frozen=True)
class Extent(Scale):
    """How much is run, and at which sizes. `sets` are folds of a cross-validation."""

    sizes: tuple[int, ...] = SIZES

    def __str__(self) -> str:
        tests = "1 test set" if self.sets == 1 else f"{self.sets} test sets"
        times = "once" if self.splits == 1 else f"{self.splits} times"
        return f"{tests}, {times}; {len(self.sizes)} sizes up to {max(self.sizes):,} words"


@dataclass(frozen=True)
class FirstFolds(SplitOptions):
    """Only so many folds of each cross-validation, which stay what they are in the whole of it."""

    first: int = FOLDS

    def validation(self, corpus: Corpus) -> list[Split]:
        every = super().validation(corpus)
        return [split for place, split in enumerate(every) if place % self.folds < self.first]


@dataclass(frozen=True)
class Asked:
    """A class of a corpus against the rest; `split` where the corpus has one of its own.

    Words are those in `min_df` training documents or more.
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
    own = corpus.take(used)
    return replace(
        own,
        name=name,
        labels=tuple((label if label in labels else REST,) for labels in own.labels),
        vectors=None if own.vectors is None else own.vectors.sign(),
        classes=(REST, label),
        multilabel=False,
    )


def plan_of(corpus: Corpus, scale: Scale, min_df: int = 1) -> Plan:
    """Words as 0 and 1 where they come counted, else tf-idf; folds where there is no split."""
    folds = FirstFolds(None, cv=FOLDS, repeats=scale.splits, first=scale.sets)
    weighting = "tfidf" if corpus.vectors is None else "count"
    return Plan(
        corpus,
        methods=CURVES,
        sizes=scale.sizes if isinstance(scale, Extent) else SIZES,
        metrics=METRICS,
        target="multiclass",
        split=folds if corpus.split is None else SplitOptions("given", cv=0),
        text=TextOptions(weighting=weighting, min_df=min_df),
        training=TrainingOptions(alpha=1.0, intercept=True, normalize="all"),
        detail=False,
    )


def by_threshold(plan: Plan) -> Plan:
    """The same with other thresholds, which need paths of their own: up to the middle sizes."""
    middle = tuple(size for size in plan.sizes if size <= MIDDLE[1])
    return replace(plan, methods=OTHERS, sizes=middle)


@dataclass(frozen=True)
class Curves:
    """A problem of figure 1: the F-measure against the number of words."""

    asked: Asked
    full: Scale
    quick: Scale

    @property
    def about(self) -> str:
        return f"{self.asked.label} of {self.asked.corpus} against the rest"

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **how: Any
    ) -> Reproduced:
        name = self.asked.name
        plan = plan_of(self.asked.load(), scale, self.asked.min_df)
        first, second = Study(plan, where), Study(by_threshold(plan), where)
        worked_off([first], executor, how)
        rows = worked_off([first, second], executor, how)
        found = measured(spreads(rows))
        return Reproduced(
            rows,
            tuple(tables(name, rows)),
            (counted(first, self.asked), *statements(name, found)),
            tuple(plots(name, found)),
        )


def counted(study: Study, asked: Asked) -> Finding:
    """Words of texts are those that the training documents of some fold offer."""
    (ready,) = study.corpora
    vectors = ready.corpus.vectors
    n_terms = ready.n_selectable() if vectors is None else vectors.shape[1]
    own = ready.corpus.class_counts[asked.label]
    return counts(asked.name, own, len(ready.corpus), n_terms)


def measured(every: dict[tuple[str, Size], Spread]) -> Measured:
    """The curves of the plots, and those by threshold."""
    found = complete(every)
    svm, rls, thresholds = (
        {label: _curve(found, method) for label, method in plot.items() if label != ALL}
        for plot in (SVM_PLOT, RLS_PLOT, BY_THRESHOLD)
    )
    whole = {
        kind: found[plot[ALL], 1.0].mean
        for kind, plot in PLOTS.items()
        if (plot[ALL], 1.0) in found
    }
    return Measured(svm, rls, thresholds, whole, _curve(every, SVM_PLOT[LARS_0]))


def _curve(found: dict[tuple[str, Size], Spread], method: str) -> Curve:
    return {
        size: spread.mean
        for (name, size), spread in found.items()
        if name == method and isinstance(size, int)
    }


def tables(name: str, rows: Iterable[Row]) -> Iterator[Table]:
    every = spreads(rows)
    found = complete(every)
    spread = "F-measure: avFmean (avFmin–avFmax)"
    for kind, plot in PLOTS.items():
        yield curve_table(f"{name}, {kind}, {spread}", plot, found)
    yield curve_table(f"{name}, SVM by threshold, {spread}", BY_THRESHOLD, found)
    yield flat_table(name, every)


PAPER = Extent(sets=FOLDS, splits=10, draws=1)
ONCE = Extent(sets=1, splits=1, draws=1)
QUICK = Extent(sets=1, splits=1, draws=1, sizes=FEWER)
PROBLEMS = (
    Asked("fbis-4", "fbis", "111"),
    Asked("la1-2", "la1", "Financial"),
    Asked("la1-4", "la1", "Metro"),
    Asked("ohscal-7", "ohscal", "Prognosis"),
    Asked("money-fx", "reuters-21578", "money-fx", "ModApte"),
    Asked("news-3", "20news-bodies", "comp.os.ms-windows.misc", min_df=2),
)
FIGURES: dict[str, Figure] = {
    f"1-{asked.name}": Curves(asked, full=ONCE if asked.split else PAPER, quick=QUICK)
    for asked in PROBLEMS
}
