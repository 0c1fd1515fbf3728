"""Correct predictions on the test documents, from a study's journal, and McNemar's test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.studies.analysis.significance import PairedTest, mcnemar
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import StudyFolder
from laconic.studies.study import Study
from laconic.types import Size
from reproduction.shared.figures import Table


def correct_predictions(studies: Iterable[Study], method: str, size: Size) -> NDArray[np.bool_]:
    """Whether the method is right about each test document; the first draw of a random method."""
    for study in studies:
        keys = [task.key for task in study.tasks if task.method == method]
        with Journal.reading(StudyFolder(study.where).journal) as journal:
            for key in keys:
                y_signed = journal.y_signed(key)
                for cut in journal.cuts(key):
                    if cut.size == size and y_signed is not None:
                        return np.asarray((cut.chosen == (y_signed > 0)).all(axis=1))
    raise missing_result(method, size)


def missing_result(method: str, size: Size) -> LaconicError:
    """The error for a figure that cannot be drawn because a task failed."""
    return LaconicError(
        f"{method} at {size}: was not measured. The figure's rows.csv has the reason; "
        "fix it, and run again with --retry-failed"
    )


def mcnemar_table(
    title: str, pairs: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]]
) -> Table:
    """Pairs of methods: how often only one is correct, and χ² with and without correction."""
    lines = []
    for name, (a, b) in pairs.items():
        plain, corrected = mcnemar(a, b, correction=False), mcnemar(a, b)
        only = f"{int((a & ~b).sum())} : {int((b & ~a).sum())}"
        lines.append((name, only, _chi2(plain), _chi2(corrected), f"{corrected.p:.2g}"))
    columns = ("pair", "only one correct", "χ²", "with continuity correction", "p")
    return Table(title, columns, tuple(lines))


def _chi2(verdict: PairedTest) -> str:
    return f"{verdict.statistic:.1f}" if "χ²" in verdict.note else "exact"
