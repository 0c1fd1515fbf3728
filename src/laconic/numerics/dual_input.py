"""What a dual descent refuses: arrays of the wrong shape, and numbers that have no optimum."""

from __future__ import annotations

from typing import get_args

import numpy as np

from laconic.errors import LaconicError
from laconic.numerics.dual_passes import Floats, Loss


def refuse_loss(loss: str) -> None:
    if loss not in get_args(Loss):
        raise LaconicError(f"loss={loss!r}: choose from {', '.join(get_args(Loss))}")


def refuse_shapes(n_docs: int, given: dict[str, Floats | None]) -> None:
    """Compiled functions do not look where an array ends."""
    for name, numbers in given.items():
        if numbers is not None and np.shape(numbers) != (n_docs,):
            raise LaconicError(
                f"{name} of shape {np.shape(numbers)} for {n_docs} documents: "
                "give one number per document"
            )


def refuse_numbers(
    signs: Floats, costs: Floats, start: Floats | None, start_intercept: float
) -> None:
    """Each of them would be solved: for another problem, or with coefficients that are none."""
    duals = np.zeros(0) if start is None else start
    for name, numbers, right, advice in (
        ("signs", signs, np.abs(signs) == 1, "give 1 or -1"),
        (
            "costs",
            costs,
            np.isfinite(costs) & (np.asarray(costs) >= 0),
            "give finite numbers, 0 or more",
        ),
        ("start", duals, np.isfinite(duals), "give numbers, or None for 0"),
        ("start_intercept", start_intercept, np.isfinite(start_intercept), "give a number"),
    ):
        if not np.all(right):
            wrong = np.extract(~np.asarray(right), numbers)[0]
            raise LaconicError(f"{name} of {wrong:g}: {advice}")


def refuse_long(lengths: Floats) -> None:
    wrong = int(np.count_nonzero(~np.isfinite(lengths)))
    if wrong:
        raise LaconicError(
            f"documents: {wrong} of {lengths.size} have a squared length that is no finite number. "
            "Divide documents by their lengths"
        )
