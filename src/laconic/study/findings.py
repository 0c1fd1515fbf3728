"""`Findings`: what follows from the rows of a study, and the files that tell it."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, field, fields
from pathlib import Path
from typing import Any

from laconic.files import finite, write_json
from laconic.rows import write_table
from laconic.study.comparing import Comparison, SelectionStability
from laconic.study.layout import COMPARISONS, FILES, RECOMMENDATION, STABILITY, clear
from laconic.study.recommending import Candidate, Recommendation


@dataclass(frozen=True)
class Findings:
    """What follows from the rows of a study.

    `candidates` are all methods at all sizes, by the goal; `each` the recommendations within one
    method; `comparisons` of methods at the sizes recommended for them; `stability` of what they
    select; `failed` has a reason for each task's title; `notes` are warnings on the way, with the
    number of tasks that gave them.
    """

    recommendations: tuple[Recommendation, ...]
    each: tuple[Recommendation, ...]
    candidates: tuple[Candidate, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    stability: tuple[SelectionStability, ...] = ()
    failed: dict[str, str] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)
    tasks: int = 0


def write_findings(findings: Findings, where: Path) -> None:
    """Everything as JSON; comparisons and stability as CSV too."""
    write_json(where / RECOMMENDATION, "findings", described(findings))
    for name, table in ((COMPARISONS, findings.comparisons), (STABILITY, findings.stability)):
        clear(where, name)
        if table:
            columns = [column.name for column in fields(table[0])]
            write_table(where / name, FILES[name], columns, map(astuple, table))


def described(findings: Findings) -> dict[str, Any]:
    """The findings with their sentences, as JSON takes them."""
    told = asdict(findings)
    for name in ("recommendations", "each"):
        several = getattr(findings, name)
        told[name] = [{"sentence": one.sentence, **asdict(one)} for one in several]
    return finite(told)
