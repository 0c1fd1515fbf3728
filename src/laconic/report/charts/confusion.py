"""The confusion matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from laconic.report.charts.heatmap import matrix, ramp
from laconic.report.charts.style import Spec, chart, count_of, number, plain
from laconic.report.view import Confusion, View

# With more classes the matrix is not drawn, or its counts are not written in it.
MAX_CLASSES = 60
MAX_CLASSES_WITH_COUNTS = 25
NONE = "(none)"


def confusion(view: View, problem: str) -> Spec | None:
    """Test documents by true class and prediction of the recommended model."""
    matrices = (detail.confusion for detail in view.details if detail.problem == problem)
    counts = next(matrices, None)
    if counts is None or not 0 < len(counts.classes) <= MAX_CLASSES:
        return None
    names = [plain(name) for name in counts.classes]
    cells = list(_cells(counts, [*names, NONE]))
    if not cells:
        return None
    rows = [name for name in (*names, NONE) if name != NONE or _used(cells, "truth")]
    predicted = [name for name in (*names, NONE) if name != NONE or _used(cells, "prediction")]
    columns = [
        ("truth", "True class"),
        ("prediction", "Predicted class"),
        ("count", "Documents"),
        ("share", "Share of the true class"),
    ]
    written = len(names) <= MAX_CLASSES_WITH_COUNTS
    body = matrix(
        predicted,
        columns,
        rows=rows,
        fields=("truth", "prediction"),
        colour=ramp("share", "Share of the true class"),
        across="Predicted class",
        narrowest=18 if written else None,
        step=28 if written else 16,
    )
    description = _description(counts, cells)
    spec = chart(description, {"cells": cells}, {"data": {"name": "cells"}} | body, {})
    spec["usermeta"]["problem"] = plain(problem)
    return spec


def _cells(confusion: Confusion, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Only cells with documents; empty ones show the background."""
    for truth, counts in zip(names, confusion.counts, strict=True):
        total = sum(counts)
        for prediction, count in zip(names, counts, strict=True):
            if count:
                yield {
                    "truth": truth,
                    "prediction": prediction,
                    "count": count,
                    "text": f"{count:,}",
                    "share": number(count / total),
                }


def _used(cells: Sequence[Mapping[str, Any]], field: str) -> bool:
    return any(cell[field] == NONE for cell in cells)


def _description(confusion: Confusion, cells: Sequence[Mapping[str, Any]]) -> str:
    total = sum(cell["count"] for cell in cells)
    correct = sum(confusion.counts[i][i] for i in range(len(confusion.classes)))
    text = (
        f"Matrix of true and predicted classes, {count_of(len(confusion.classes), 'classes')}. "
        f"{correct:,} of {total:,} test documents are classified correctly."
    )
    wrong = [cell for cell in cells if cell["truth"] != cell["prediction"]]
    for cell in sorted(wrong, key=lambda cell: -cell["count"])[:3]:
        text += f" {cell['count']:,} of {cell['truth']} were classified as {cell['prediction']}."
    return text
