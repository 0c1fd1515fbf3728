"""Families of candidates; a candidate is a setting at a budget of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from bench.frontier.corpora import Bools, Part, Task
from laconic.model import Normalize
from laconic.types import Columns

Side: TypeAlias = Literal["ours", "peers"]
# The maximal number of distinct words; None is no limit.
Budget: TypeAlias = int | None
Requests: TypeAlias = Mapping[str, Sequence[Budget]]
Serve: TypeAlias = Callable[[Part], object]

SIDES: tuple[Side, ...] = ("ours", "peers")
BUDGETS: tuple[Budget, ...] = (10, 30, 100, 300, 1000, 3000, 10_000, None)
OURS: Final = "ours"
PEERS: Final = "peers"
# C of an SVM after a selection, and of one on all words; class weights.
COSTS, WHOLE_COSTS = (1.0,), (0.2, 1.0)
NORMALIZE: tuple[Normalize, ...] = ("selected", "all")
BALANCED = {"": None, ", balanced": "balanced"}


class TrainedModel(Protocol):
    """A trained model."""

    @property
    def words(self) -> int:
        """The number of distinct words that it reads."""

    def answers(self, part: Part) -> Bools:
        """The predicted classes of each document, one column per class."""

    def save(self, folder: Path) -> None:
        """Save what a user would keep, in an empty folder."""

    def serving(self) -> Serve:
        """A prediction from texts if there are texts, else from vectors."""


# A model, or the reason why there is none.
Outcome: TypeAlias = tuple[str, Budget, TrainedModel | str]


@dataclass(frozen=True)
class Family:
    """A way to make small models, with the settings that validation chooses from.

    `make` takes settings with ascending budgets, and yields an outcome for each of them. `whole`
    families have models without a limit, `cut` ones have models at budgets.
    """

    side: Side
    name: str
    settings: Mapping[str, Any]
    make: Callable[[Family, Task, Requests], Iterator[Outcome]]
    cut: bool = True
    whole: bool = False

    def supported(self, budgets: Sequence[Budget]) -> list[Budget]:
        return [budget for budget in budgets if (self.whole if budget is None else self.cut)]


def svms(costs: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Settings of an SVM, the same for both sides."""
    return {
        f"C={cost:g}{suffix}": {"C": cost, "class_weight": weight}
        for (suffix, weight), cost in product(BALANCED.items(), costs)
    }


def svms_after_selection(costs: Sequence[float]) -> dict[str, tuple[dict[str, Any], Normalize]]:
    """Settings of an SVM after a selection, normalized over all words or the selected ones."""
    return {
        f"{name}, normalize={normalize}": (settings, normalize)
        for normalize, (name, settings) in product(NORMALIZE, svms(costs).items())
    }


def room(budget: Budget) -> float:
    return np.inf if budget is None else budget


def depths(orders: Sequence[Columns], n_words: int) -> Columns:
    """The best rank of each word in the order of any class; n_words if it is in none."""
    first = np.full(n_words, n_words, dtype=np.intp)
    for order in orders:
        np.minimum.at(first, order, np.arange(order.size))
    return first


def size_within(orders: Sequence[Columns], n_words: int, budget: int) -> int:
    """The most words per class with at most `budget` distinct words; 0 if one is too many."""
    longest = max(order.size for order in orders)
    depth = depths(orders, n_words)
    distinct = np.cumsum(np.bincount(depth, minlength=longest + 1)[:longest])
    return int(np.searchsorted(distinct, budget, side="right"))
