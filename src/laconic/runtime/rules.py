"""Thresholds and calibration of a model: what they may be, and how thresholds decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.arrays import frozen
from laconic.errors import LaconicError
from laconic.numerics.calibration import probabilities
from laconic.types import Bools, Floats, Rule

# Limit of the numbers in a model.
LARGEST = 1e30


def above(decision: Floats, thresholds: Floats | None) -> Bools:
    """f > threshold in each column; a threshold is 0 where there are none."""
    return decision > (0.0 if thresholds is None else thresholds)


def model_probabilities(decision: Floats, rule: Rule, calibration: Floats | None) -> Floats:
    """Probabilities of shape (n_docs, n_classes), or an error if the model has none."""
    if calibration is None:
        raise LaconicError(
            "the model has no calibration, so its decision values are not probabilities. Fit one "
            "on held-out decision values with laconic.numerics.calibration, and set it with "
            "dataclasses.replace(model, calibration=...)"
        )
    return probabilities(decision, rule, calibration)


def read_thresholds(thresholds: Any, rule: Rule, n_rows: int) -> Floats | None:
    """A read-only copy, after its checks."""
    if thresholds is None:
        return None
    values = frozen(np.atleast_1d(thresholds), np.float64)
    if rule == "argmax":
        raise LaconicError(
            "thresholds with the rule 'argmax': the largest decision value wins, and there is no "
            "threshold. Leave them out"
        )
    _check("thresholds", values, (n_rows,), rule)
    return values


def read_calibration(calibration: Any, rule: Rule, n_rows: int) -> Floats | None:
    """A read-only copy, after its checks."""
    if calibration is None:
        return None
    values = frozen(np.atleast_1d(calibration), np.float64)
    _check("calibration", values, (1,) if rule == "argmax" else (n_rows, 2), rule)
    positive = values if rule == "argmax" else values[:, 0]
    if not (positive >= 1 / LARGEST).all():
        name = "the temperature" if rule == "argmax" else "the slope a of each row"
        raise LaconicError(
            f"calibration: {name} is a number from {1 / LARGEST:g}, not {positive.min():g}"
        )
    return values


def _check(name: str, values: Floats, shape: tuple[int, ...], rule: Rule) -> None:
    if values.shape != shape:
        raise LaconicError(
            f"{name} of shape {values.shape}: the rule {rule!r} needs {shape} for this model"
        )
    # comparisons with nan are false
    if not (np.abs(values) <= LARGEST).all():
        raise LaconicError(f"{name}: not a number from {-LARGEST:g} to {LARGEST:g}")
