"""Statements of the papers, our values, and a verdict. One file per paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

# Columns of a table of findings.
COLUMNS = ("the paper says", "its figure", "here", "verdict")


class Verdict(StrEnum):
    """The verdict on a statement. `UNMEASURED`: the data is available, but too little was run."""

    REPRODUCED = "reproduced"
    DIRECTION = "direction reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNAVAILABLE = "data unavailable"
    UNMEASURED = "not measured"


@dataclass(frozen=True)
class Finding:
    """A statement of a paper with its value, if it gives one, ours, and the verdict."""

    statement: str
    paper: str
    ours: str
    verdict: Verdict
    reason: str = ""

    @property
    def verdict_text(self) -> str:
        """The verdict, with the reason if there is one."""
        return f"{self.verdict}: {self.reason}" if self.reason else str(self.verdict)


def judge(
    statement: str,
    ours: str,
    holds: bool | None,
    *,
    direction: bool = False,
    paper: str = "",
    reason: str = "",
) -> Finding:
    """A finding: the statement holds, or only its direction does, or neither; None: not measured.

    `reason` is kept only if the statement does not hold.
    """
    if holds is None:
        return Finding(statement, paper, "", Verdict.UNMEASURED, "more must be run: --full")
    if holds:
        return Finding(statement, paper, ours, Verdict.REPRODUCED)
    verdict = Verdict.DIRECTION if direction else Verdict.NOT_REPRODUCED
    return Finding(statement, paper, ours, verdict, reason)


def if_measured(holds: bool, *values: float) -> bool | None:
    """Whether it holds; None if a value was not measured."""
    return None if any(map(math.isnan, values)) else bool(holds)


def judge_value(
    statement: str,
    paper: float,
    ours: float,
    *,
    within: float,
    direction: bool = False,
    form: str = ".3f",
    reason: str = "",
) -> Finding:
    """A finding about a number: reproduced if ours differs by at most `within`. NaN: not measured.

    `direction` says whether the direction is right if the number is not.
    """
    holds = None if math.isnan(ours) else abs(ours - paper) <= within
    return judge(
        statement,
        format(ours, form),
        holds,
        direction=direction,
        paper=format(paper, form),
        reason=reason,
    )
