"""Which class is taken for which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.report.charts.matrices import matrix, ramp
from laconic.report.charts.styling import Spec, chart, number, plain, several
from laconic.report.view import Confusion, View

# Beyond so many classes a matrix is no longer drawn, or its counts are not written in it.
MOST_CLASSES = 60
MOST_WRITTEN = 25
NONE = "(none)"


def confusion(view: View, problem: str) -> Spec | None:
    """Test documents of the recommended model: true class against answer."""
    found = next((d.confusion for d in view.details if d.problem == problem), None)
    if found is None or not 0 < len(found.classes) <= MOST_CLASSES:
        return None
    names = [plain(name) for name in found.classes]
    cells = list(_cells(found, [*names, NONE]))
    if not cells:
        return None
    rows = [name for name in (*names, NONE) if name != NONE or _used(cells, "truth")]
    answers = [name for name in (*names, NONE) if name != NONE or _used(cells, "answer")]
    columns = [
        ("truth", "True class"),
        ("answer", "Answer"),
        ("count", "Documents"),
        ("share", "Share of the true class"),
    ]
    written = len(names) <= MOST_WRITTEN
    body = matrix(
        answers,
        columns,
        rows=rows,
        fields=("truth", "answer"),
        colour=ramp("share", "Share of the true class"),
        across="Answer",
        narrowest=18 if written else None,
        step=28 if written else 16,
    )
    told = _told_confusion(found, cells)
    made = chart(told, {"cells": cells}, {"data": {"name": "cells"}} | body, {})
    made["usermeta"]["problem"] = plain(problem)
    return made


def _cells(found: Confusion, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Only those with documents: what is empty shows the page."""
    for truth, counts in zip(names, found.counts, strict=True):
        total = sum(counts)
        for answer, count in zip(names, counts, strict=True):
            if count:
                yield {
                    "truth": truth,
                    "answer": answer,
                    "count": count,
                    "text": f"{count:,}",
                    "share": number(count / total),
                }


def _used(cells: Sequence[Mapping[str, Any]], field: str) -> bool:
    return any(cell[field] == NONE for cell in cells)


def _told_confusion(found: Confusion, cells: Sequence[Mapping[str, Any]]) -> str:
    total = sum(cell["count"] for cell in cells)
    right = sum(found.counts[i][i] for i in range(len(found.classes)))
    told = (
        f"Matrix of true classes against answers, {several(len(found.classes), 'classes')}. "
        f"Right are {right:,} of {total:,} test documents."
    )
    wrong = [cell for cell in cells if cell["truth"] != cell["answer"]]
    for cell in sorted(wrong, key=lambda cell: -cell["count"])[:3]:
        told += f" {cell['count']:,} of {cell['truth']} were taken for {cell['answer']}."
    return told
