"""Blends: averages of the tuned classifiers of one method at one size, as further tasks.

They are trained after all others, because their members are the best alphas, and the scales of
their decisions are those of the validation folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from laconic.methods import keeps_all, parse_method
from laconic.methods.classifiers import BLEND, LOGISTIC, SVM
from laconic.numerics.decision_counts import scale_of
from laconic.rows import group_pairs
from laconic.studies.analysis.candidates import Candidate, best_of, candidates
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.analysis.tuning import deciding_metrics
from laconic.studies.execution.task import Member, Task
from laconic.studies.journal.journal import Journal
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.types import Size

# Digits of a scale: more would make other tasks of rounding.
DIGITS = 3


def blend_tasks(plan: Plan, prepared: PreparedCorpus, journal: Journal) -> Iterator[Task]:
    """The tasks of all blends of a corpus, once its other tasks are done."""
    if not (plan.training.blends and plan.part() == "validation" and plan.detail):
        return
    tasks = prepared.planned
    out_of_fold = OutOfFold(tasks, journal)
    measured, _ = candidates(
        journal.rows([task.key for task in tasks]),
        deciding_metrics(tasks),
        repeats=plan.split.repeats,
        counts=out_of_fold.counts,
    )
    targets = {target.name: target for target in prepared.targets}
    for problem, of_problem in group_pairs((c.problem, c) for c in measured).items():
        blends = _blends(plan, of_problem, out_of_fold)
        for split in prepared.splits:
            for name, by_size in blends.items():
                sizes = tuple(sorted(by_size))
                method = parse_method(name)
                for draw in range(plan.draws if method.random else 1):
                    yield plan.one_task(
                        prepared.corpus,
                        split,
                        plan.part(),
                        targets[problem],
                        method,
                        draw,
                        sizes,
                        members=tuple(by_size[size] for size in sizes),
                    )


def _blends(
    plan: Plan, measured: Sequence[Candidate], out_of_fold: OutOfFold
) -> dict[str, dict[Size, tuple[Member, ...]]]:
    """The members of each blend, by its name and size."""
    blends: dict[str, dict[Size, tuple[Member, ...]]] = {}
    families = plan.families(candidate.variant for candidate in measured)
    for family, variants in families.items():
        if parse_method(family).classifier != "auto":
            continue
        options = [c for c in measured if c.variant in variants and _blendable(c)]
        for size, of_size in group_pairs((c.size, c) for c in options).items():
            members = _members(of_size)
            if len(members) > 1 and _in_contention(members, measured):
                scaled = tuple(_scaled(member, out_of_fold) for member in members)
                blends.setdefault(f"{family}+{BLEND}", {})[size] = scaled
    return blends


def _blendable(candidate: Candidate) -> bool:
    return parse_method(candidate.variant).classifier in (LOGISTIC, SVM)


def _members(options: Sequence[Candidate]) -> list[Candidate]:
    """The trainings that are within one standard error of the best of them."""
    best = best_of(options)
    return [option for option in options if option.mean >= best.mean - best.se]


def _in_contention(members: Sequence[Candidate], measured: Sequence[Candidate]) -> bool:
    """Whether no method of at most this size is clearly better; all words always are."""
    best = best_of(members)
    if keeps_all(best.method):
        return True
    smaller = [c for c in measured if c.n_features <= best.n_features]
    return best.mean >= best_of(smaller).mean - best.se


def _scaled(candidate: Candidate, out_of_fold: OutOfFold) -> Member:
    """The member with the scale of its decisions in the validation folds."""
    folds = out_of_fold.results(candidate.problem, candidate.trained).values()
    scales = [scale_of(fold.tuning) for fold in folds if fold.tuning is not None]
    scale = float(np.exp(np.mean(np.log(scales))))
    assert candidate.alpha is not None
    return candidate.variant, candidate.alpha, float(f"{scale:.{DIGITS}g}")
