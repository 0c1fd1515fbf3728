"""What methods answered about the test documents, from a study's journal, and McNemar's test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from laconic.errors import LaconicError
from laconic.papers.figures import Table
from laconic.rows import Size
from laconic.study.journal import Journal
from laconic.study.layout import StudyFolder
from laconic.study.significance import PairedTest, mcnemar
from laconic.study.study import Study


def right(studies: Iterable[Study], method: str, asked: Size) -> NDArray[np.bool_]:
    """Whether the method was right about each test document; of several draws, the first."""
    for study in studies:
        keys = [task.key for task in study.tasks if task.method == method]
        with Journal.reading(StudyFolder(study.where).journal) as journal:
            for key in keys:
                y_signed = journal.y_signed(key)
                for cut in journal.cuts(key):
                    if cut.size == asked and y_signed is not None:
                        return np.asarray((cut.chosen == (y_signed > 0)).all(axis=1))
    raise unmeasured(method, asked)


def unmeasured(method: str, asked: Size) -> LaconicError:
    """A figure cannot be drawn without it, for its task failed."""
    return LaconicError(
        f"{method} at {asked}: was not measured. Why stands in the figure's rows.csv; "
        "mend that, and run it again with --retry-failed"
    )


def mcnemar_table(
    title: str, tested: Mapping[str, tuple[NDArray[np.bool_], NDArray[np.bool_]]]
) -> Table:
    """Pairs of answers: who alone was right how often, and χ² both ways."""
    lines = []
    for name, (a, b) in tested.items():
        plain, corrected = mcnemar(a, b, correction=False), mcnemar(a, b)
        only = f"{int((a & ~b).sum())} : {int((b & ~a).sum())}"
        lines.append((name, only, _chi2(plain), _chi2(corrected), f"{corrected.p:.2g}"))
    columns = ("pair", "only one right", "χ²", "with continuity correction", "p")
    return Table(title, columns, tuple(lines))


def _chi2(verdict: PairedTest) -> str:
    return f"{verdict.statistic:.1f}" if "χ²" in verdict.note else "exact"
