"""Kołcz, Chowdhury: avoidance of model re-induction in SVM-based feature selection for text
categorization, IJCAI 2007.

Notation
--------
======================  ==================================================
the paper               here
======================  ==================================================
d^j, y^j, α_j           documents, `y_signed`, `alphas` of a `Machine`
w, b                    `coef`, `intercept`
M, m_i                  the words that are **selected**: a prefix of `Machine.order`
top N, a fraction       `size`, a share of the words in the support vectors
C                       1 / (2 `alpha`): C = 1 is `alpha` = 0.5
exact, mask, sv set     EXACT, MASK, SV-SET
best F1                 "best_f1": the threshold is tuned on test documents
AUC                     "roc_auc"; of all categories together "roc_auc_micro"
F1 at threshold 0       "f1" of the one class
overlap, containment    the same fields of an `Agreement`, which also has recall
======================  ==================================================

Recipes: EXACT, MASK, SV-SET and REPAIRED in `laconic.methods`. REPAIRED is ours: SV-SET, then one
pass (or three) of dual coordinate descent over the training documents.

Protocol
--------
One binary problem per category, words as 0 and 1, unit length, words in at least two training
documents; hinge loss, C = 1, an unregularized bias. Words are ranked once, by |w| of the SVM on all
words, among those of its support vectors. EXACT, SV-SET and REPAIRED divide every document, test
documents too, by its length over the selected words; MASK does not. A document without any selected
word has the value b.

"Best" is, for each category, the best of the twelve fractions **on the test documents**, as in the
paper: an oracle's choice, and labelled so. The nested choice is shown too: the fraction with the
best mean in three-fold cross-validation of the training documents; ties: the largest. So a figure
is two plans in one folder. Best F1 has an oracle's threshold in both cases; F1 at threshold 0 has
none. p is one-sided, of a paired t-test over categories or sets: half of the two-sided p.

Deviations
----------
- TREC-AP is unavailable: 20 Newsgroups by date (20 categories, one per document) and Reuters-21578
  (ModApte) are used instead.
- RCV1 is the five samples of 6,000 documents, pooled without repeats and split 80/20 by a hash,
  instead of 23,149 and 781,265 documents. Categories are those with documents in both parts.
- The paper does not define its "micro-average AUC". Table 1 has the mean over categories (macro),
  which a paired test needs; the pooled figures have the area over all decisions of all categories
  together, with one fraction for all categories.
- TechTC-100 does not have the official preprocessing.
- The paper does not state C, the loss and the bias, nor how a fraction of the words "in the support
  vectors" is rounded: here to the nearest number, at least one.
- Figures 3 and 4 are one figure here, which also has recall |A∩B| / |A| and the size 1.0. There,
  "normalize=all" is the SVM retrained without dividing by the length over the selected words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.classifiers.masked.classifier import MaskedSVM
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.loading import load_corpora
from laconic.files import make_folder
from laconic.row_files import rows_file
from laconic.rows import Row
from laconic.studies.execution.executors import Executor
from laconic.studies.layout import StudyFolder
from laconic.studies.measurement import Event, Listener
from laconic.studies.options import Source, SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import WeightingOptions
from laconic.text.problem import Problem
from reproduction.kolcz2007 import statements as statements
from reproduction.kolcz2007 import statements_machines as machines
from reproduction.kolcz2007.best_sizes import means, within
from reproduction.kolcz2007.fractions import (
    FOLDS_WITHIN,
    FractionResults,
    by_fraction,
    pooled_points,
    pooled_tables,
    scatter,
    tables,
)
from reproduction.kolcz2007.statements import (
    ALL,
    AUC,
    BEST_F1,
    EXACT,
    F1,
    MASK,
    POOLED,
    SV_SET,
    WHOLE,
    PaperRow,
)
from reproduction.kolcz2007.statements_machines import AGREEMENTS, UNDIVIDED
from reproduction.shared.figures import (
    Figure,
    FigureResult,
    Scale,
    StudyFigure,
    run_studies,
    tables_by_size,
)
from reproduction.shared.plots import Cells, Plot
from reproduction.statements import Finding

REFERENCE = (
    "A. Kołcz, A. Chowdhury. Avoidance of model re-induction in SVM-based feature selection for "
    "text categorization. IJCAI 2007."
)
NESTED = False
UNAVAILABLE: tuple[Finding, ...] = tuple(statements.unavailable())
ALPHA = 0.5
METRICS = (AUC, BEST_F1, F1)
METHODS = (EXACT, MASK, SV_SET, "REPAIRED", "REPAIRED:epochs=3")
FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)
SIZES = (*FRACTIONS, WHOLE)
TECHTC_FOLDS = 4


@dataclass(frozen=True)
class Categories(Scale):
    """How many categories are run, from the most frequent to the rarest."""

    def __str__(self) -> str:
        return "every category" if self.sets >= EVERY.sets else f"{self.sets} categories"


def plan_of(corpora: Any, split: SplitOptions, **options: Any) -> Plan:
    """The settings that all figures share."""
    return Plan(
        corpora,
        methods=METHODS,
        sizes=SIZES,
        split=split,
        weighting=WeightingOptions("binary", min_df=2),
        training=TrainingOptions(alpha=ALPHA, intercept=True, normalize="all"),
        detail=False,
        features="words",
        **options,
    )


def categories(name: str, split: str | None = None) -> Callable[[Scale], Plan]:
    """One problem per category of a corpus with a given split."""

    def plan(scale: Scale) -> Plan:
        (corpus,) = load_corpora(name, split=split)
        return by_category(in_both_parts(corpus, scale.sets))

    return plan


def by_category(corpus: Corpus) -> Plan:
    split = SplitOptions("given", cv=0, duplicates="keep")
    return plan_of(corpus, split, metrics=METRICS, target="one-vs-rest")


def pooled(setting: Callable[[Scale], Plan]) -> Callable[[Scale], Plan]:
    """The same categories, as the labels of one problem."""
    return lambda scale: replace(setting(scale), target="multilabel", metrics=(POOLED, AUC))


def in_both_parts(corpus: Corpus, most: int) -> Corpus:
    """The classes with training and test documents; at most `most`, from frequent to rare."""
    train, test = (corpus.take(corpus.part(part)).class_counts for part in (TRAIN, TEST))
    both = sorted((c for c in corpus.classes if train[c] and test[c]), key=lambda c: -train[c])
    if len(both) > most:
        both = [both[place] for place in np.linspace(0, len(both) - 1, most).astype(int)]
    selected = frozenset(both)
    return replace(
        corpus,
        classes=tuple(c for c in corpus.classes if c in selected),
        labels=tuple(tuple(c for c in labels if c in selected) for labels in corpus.labels),
    )


def techtc(scale: Scale) -> Plan:
    source = Source("techtc100", first=scale.sets)
    split = SplitOptions(None, cv=TECHTC_FOLDS, duplicates="keep")
    return plan_of(source, split, metrics=(AUC,), target="multiclass", positive="1")


@dataclass(frozen=True)
class BestFractions:
    """The variants at every fraction, with the oracle's and the nested choice per problem.

    `paper` is the row of table 1 to compare with; only its p if the corpus `stands_in`.
    """

    name: str
    about: str
    setting: Callable[[Scale], Plan]
    full: Scale
    quick: Scale
    paper: PaperRow = statements.NO_PAPER_ROW
    stands_in: bool = True

    def run(
        self, where: Path, scale: Scale, executor: Executor | None = None, **options: Any
    ) -> FigureResult:
        plan = self.setting(scale)
        first = Study(plan, where)
        run_studies([first], executor, options)
        second = Study(within(plan, first.corpora, FOLDS_WITHIN), where)
        rows = run_studies([first, second], executor, options)
        first_keys = {task.key for task in first.tasks}
        outer_rows = [row for row in rows if row.task in first_keys]
        inner_rows = [row for row in rows if row.task not in first_keys]
        results = FractionResults.of(plan.metrics, FRACTIONS, outer_rows, inner_rows)
        return FigureResult(
            rows,
            tuple(tables(first, outer_rows, results)),
            tuple(self._findings(outer_rows, results)),
            tuple(self._plots(results)),
        )

    def _findings(self, rows: list[Row], results: FractionResults) -> Iterator[Finding]:
        if BEST_F1 in results.oracle:
            yield from statements.table_1(
                results.oracle, results.nested, self.paper, self.stands_in
            )
            yield from statements.along(results.points, (BEST_F1, AUC))
        else:
            yield from statements.techtc(results.oracle[AUC], results.nested[AUC])
        yield statements.faster(rows)

    def _plots(self, results: FractionResults) -> Iterator[Plot | Cells]:
        for metric, values in results.oracle.items():
            yield by_fraction(self.name, self.about, metric, results.points)
            if BEST_F1 not in results.oracle:
                yield scatter(self.name, values, ALL, EXACT)
                yield scatter(self.name, values, EXACT, SV_SET)


@dataclass(frozen=True)
class Agreements:
    """Figures 3 and 4: how far retraining moves weights and support vectors. Not resumable."""

    name: str
    about: str
    setting: Callable[[Scale], Plan]
    full: Scale
    quick: Scale

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
            (ready,) = (PreparedCorpus.of(plan, corpus) for corpus in plan.load(progress))
            total = len(ready.targets)
            for done, problem in enumerate(problems(ready), 1):
                rows += agreements(problem)
                listen(Event("task", f"{EXACT} on {problem.name}", done, total, "ok"))
            write(rows)
        points = [point for metric in AGREEMENTS for point in means(rows, metric)]
        return FigureResult(
            rows,
            tables_by_size(points),
            tuple(machines.statements(points)),
            tuple(machines.plots(self.name, self.about.partition(",")[0], points)),
        )


def problems(ready: PreparedCorpus) -> Iterator[Problem]:
    for split in ready.splits:
        yield from ready.problems(split, [target.name for target in ready.targets])


def agreements(problem: Problem) -> Iterator[Row]:
    """Agreements of EXACT at every fraction, and at all words with normalize="all"."""
    yield from _along(problem, MaskedSVM("exact", alpha=ALPHA), EXACT, SIZES)
    undivided = MaskedSVM("exact", alpha=ALPHA, normalize="all")
    yield from _along(problem, undivided, UNDIVIDED, (WHOLE,))


def _along(
    problem: Problem, machine: MaskedSVM, method: str, sizes: Iterable[float]
) -> Iterator[Row]:
    sizes = tuple(sizes)
    path = machine.path(problem.X_train, problem.y_train, sizes)
    for size, _ in zip(sizes, path, strict=True):
        (agreement,) = machine.agreements_
        for metric in AGREEMENTS:
            value = getattr(agreement, metric)
            row = Row(
                problem.name, method, size, metric, model_size=agreement.size, fold=problem.fold
            )
            if np.isnan(value):
                yield replace(row, status="skipped", reason=f"{metric} is 0/0")
            else:
                yield replace(row, value=value)


def pooled_figure(
    name: str,
    about: str,
    setting: Callable[[Scale], Plan],
    quick: Scale,
    paper: PaperRow = statements.NO_PAPER_ROW,
) -> StudyFigure:
    """A figure of the AUC over all decisions of all categories."""
    return StudyFigure(
        about,
        pooled(setting),
        lambda study, rows: pooled_tables(rows),
        EVERY,
        quick,
        findings=lambda study, rows: statements.pooled(pooled_points(rows), paper),
        plots=lambda rows: [by_fraction(name, about, POOLED, pooled_points(rows))],
    )


NEWS, RCV1 = categories("20news-bydate"), categories("rcv1")
REUTERS = categories("reuters-21578", "ModApte")
EVERY, SOME = Categories(sets=1000, n_splits=1, draws=1), Categories(sets=10, n_splits=1, draws=1)
FIGURES: dict[str, Figure] = {
    "table1-rcv1": BestFractions(
        "table1-rcv1", "RCV1, with figure 1", RCV1, EVERY, SOME, statements.RCV1, stands_in=False
    ),
    "table1-20news": BestFractions(
        "table1-20news",
        "20 Newsgroups in place of TREC-AP, with figure 1",
        NEWS,
        EVERY,
        SOME,
        statements.TREC_AP,
    ),
    "table1-reuters": BestFractions(
        "table1-reuters", "Reuters-21578, with figure 1", REUTERS, EVERY, SOME
    ),
    "table1-rcv1-pooled": pooled_figure(
        "table1-rcv1", "RCV1, AUC over all decisions", RCV1, SOME, statements.RCV1
    ),
    "table1-20news-pooled": pooled_figure(
        "table1-20news", "20 Newsgroups, AUC over all decisions", NEWS, SOME
    ),
    "2": BestFractions(
        "figure2",
        "TechTC-100, AUC of all words and of each variant at its best",
        techtc,
        Scale(sets=100, n_splits=1, draws=1),
        Scale(sets=20, n_splits=1, draws=1),
    ),
    "3-20news": Agreements("20news", "20 Newsgroups, with figure 4", NEWS, EVERY, SOME),
    "3-rcv1": Agreements("rcv1", "RCV1, with figure 4", RCV1, EVERY, SOME),
}
