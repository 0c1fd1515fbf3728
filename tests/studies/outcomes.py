"""Outcomes that failed, and what it means that two are the same."""

from __future__ import annotations

import json
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.execution.task import Cut, Outcome
from tests.studies.journal.writers import task_of


def failed_of(number: int, reason: str = "it broke") -> Outcome:
    return Outcome.failed(task_of(number), reason)


def same(one, other) -> bool:
    """Equal, of the same type, with nan equal to nan and -0.0 other than 0.0."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and bool((one == other).all())
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Cut | Outcome):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, float):
        return type(other) is float and repr(one) == repr(other)
    return type(one) is type(other) and one == other


def assert_outcome(found: Outcome, expected: Outcome) -> None:
    for field in fields(Outcome):
        if field.name not in ("rows", "task", "cuts"):
            one, other = getattr(found, field.name), getattr(expected, field.name)
            assert same(one, other), field.name
    assert found.task == expected.task
    assert same([astuple(r) for r in found.rows], [astuple(r) for r in expected.rows])
    assert same(found.cuts, expected.cuts)


def but_for_speed(recommendation: Recommendation) -> Recommendation:
    """A recommendation without the measured times of its models."""
    budget = (replace(row, documents_per_second=None) for row in recommendation.budget)
    return replace(recommendation, budget=tuple(budget))


def findings_but_for_speed(where: Path) -> dict[str, Any]:
    """recommendation.json without measured times, and without the order of the attempts."""
    text = (where / "recommendation.json").read_text(encoding="utf-8")
    contents = json.loads(text)
    contents.pop("state")
    for row in (row for r in contents["recommendations"] for row in r["budget"]):
        assert row.pop("documents_per_second") > 0
    return contents
