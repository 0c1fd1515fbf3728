"""From the rows of all classifiers and alphas to those of the methods of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from laconic.rows import Row, RowTable
from laconic.studies.analysis.candidates import Candidate, candidates
from laconic.studies.analysis.out_of_fold import OutOfFold
from laconic.studies.execution.task import Task
from laconic.studies.journal.journal import Journal
from laconic.studies.options import Part
from laconic.studies.plan import Plan


def deciding_metrics(tasks: Iterable[Task]) -> dict[str, str]:
    """The metric that decides the recommendation of each problem."""
    return {task.problem: task.metrics[0] for task in tasks}


def tuned_candidates(
    plan: Plan,
    tasks: Iterable[Task],
    rows: Iterable[Row],
    journal: Journal,
    part: Part | None = None,
) -> tuple[list[Candidate], RowTable]:
    """The methods of the plan at every size, tuned on the validation folds, and their rows.

    `part` is that of the rows, by default the one in which the plan compares methods.
    """
    known = list(tasks)
    return candidates(
        rows,
        deciding_metrics(known),
        part=part or plan.part(),
        repeats=plan.split.repeats,
        families=plan.families(task.method for task in known),
        counts=OutOfFold(known, journal).counts,
    )


def by_family(plan: Plan, rows: Iterable[Row]) -> RowTable:
    """The rows under the names of the plan's methods; of a variant of two, under the first."""
    table = RowTable(rows)
    families = plan.families(table.distinct("method"))
    names = {name: family for family in reversed(families) for name in families[family]}
    return RowTable(replace(row, method=names.get(row.method, row.method)) for row in table)
