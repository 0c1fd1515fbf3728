"""What papers say, what came out here, and what that amounts to. One file a paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

# Of a table of findings.
COLUMNS = ("the paper says", "its figure", "here", "verdict")


class Verdict(StrEnum):
    """How a paper's statement fared. `UNMEASURED` is not the data's fault: too little was run."""

    REPRODUCED = "reproduced"
    DIRECTION = "direction reproduced"
    NOT = "not reproduced"
    UNAVAILABLE = "data not to be had"
    UNMEASURED = "not measured"


@dataclass(frozen=True)
class Finding:
    """A statement of a paper with its figure, if it gives one, and ours. `why` is the reason."""

    says: str
    paper: str
    here: str
    verdict: Verdict
    why: str = ""

    @property
    def told(self) -> str:
        """The verdict, with the reason where there is one."""
        return f"{self.verdict}: {self.why}" if self.why else str(self.verdict)


def judge(
    says: str,
    here: str,
    holds: bool | None,
    *,
    nearly: bool = False,
    paper: str = "",
    why: str = "",
) -> Finding:
    """A statement that holds, or only its direction does (`nearly`), or not; None: not measured.

    `why` is told only of what is not reproduced as it stands.
    """
    if holds is None:
        return Finding(says, paper, "", Verdict.UNMEASURED, "more must be run: --full")
    if holds:
        return Finding(says, paper, here, Verdict.REPRODUCED)
    return Finding(says, paper, here, Verdict.DIRECTION if nearly else Verdict.NOT_REPRODUCED, why)


def beside(
    says: str,
    paper: float,
    here: float,
    *,
    within: float,
    nearly: bool = False,
    form: str = ".3f",
    why: str = "",
) -> Finding:
    """A figure of the paper, reproduced if ours is no farther from it than `within`.

    `nearly` says whether the direction is right although the figure is not. NaN: not measured.
    """
    holds = None if math.isnan(here) else abs(here - paper) <= within
    return judge(
        says, format(here, form), holds, direction=nearly, paper=format(paper, form), reason=why
    )
