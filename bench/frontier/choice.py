"""The peer that the folds prefer within a limit, by the rules of a study.

Of a selection at a size, each kind of thresholds has its best setting; the simplest kind is taken
unless a later one is clearly better. Of all selections and sizes within the limit, the best mean is
chosen; ties: the fewest words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.frontier.classifiers import Setting
from bench.frontier.journal import Deciding, Limit, Validation
from laconic.rows import group_pairs
from laconic.studies.analysis.thresholds import MODES, Thresholding, simplest
from laconic.studies.options import WEIGH_ALIKE
from laconic.types import Floats


@dataclass(frozen=True, eq=False)
class Candidate:
    """A setting with a kind of thresholds; `values` has one value per fold."""

    setting: Setting
    thresholding: Thresholding
    values: Floats

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def description(self) -> str:
        name = self.setting.description
        return name if self.thresholding == "zero" else f"{name}, {self.thresholding} thresholds"


def choose(
    validations: Iterable[Validation], metric: str, deciding: Deciding, limit: Limit
) -> Candidate | None:
    """None if nothing is within the limit."""
    modes = MODES if deciding == "thresholds" else MODES[:1]
    allowed = [v for v in validations if _within(v, limit) and _allowed(v, metric)]
    by_size = group_pairs(((v.setting["selection"], v.setting["size"]), v) for v in allowed)
    offered = [_candidate(group, metric, modes) for group in by_size.values()]
    return min(offered, key=lambda c: (-c.mean, c.setting.size), default=None)


def _within(line: Validation, limit: Limit) -> bool:
    few = limit.n_features is None or line.setting["size"] <= limit.n_features
    return few and (limit.n_bytes is None or line.n_bytes[limit.form] <= limit.n_bytes)


def _allowed(line: Validation, metric: str) -> bool:
    """Balanced classes are tried where a study tries them."""
    return line.setting["class_weight"] is None or metric in WEIGH_ALIKE


def _candidate(
    lines: Sequence[Validation], metric: str, modes: Sequence[Thresholding]
) -> Candidate:
    best = []
    for mode in modes:
        measured = [line for line in lines if mode in line.values[metric]]
        if measured:
            line = max(measured, key=lambda line: float(np.mean(line.values[metric][mode])))
            values = np.array(line.values[metric][mode])
            best.append(Candidate(Setting(**line.setting), mode, values))
    return best[simplest([candidate.values for candidate in best])]
