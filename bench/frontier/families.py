"""What is measured: families of candidates, each a setting at a budget of words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np

from bench.frontier.corpora import Bools, Part, Task
from laconic.model import Normalize
from laconic.reduction import Columns

Side: TypeAlias = Literal["ours", "peers"]
# So many distinct words at most; None is no limit.
Budget: TypeAlias = int | None
Asked: TypeAlias = Mapping[str, Sequence[Budget]]
Serve: TypeAlias = Callable[[Part], object]

SIDES: tuple[Side, ...] = ("ours", "peers")
BUDGETS: tuple[Budget, ...] = (10, 30, 100, 300, 1000, 3000, 10_000, None)
OURS: Final = "ours"
PEERS: Final = "peers"
# C of an SVM behind a selection, and of one on all words; weights of classes.
COSTS, WHOLE_COSTS = (1.0,), (0.2, 1.0)
NORMS: tuple[Normalize, ...] = ("selected", "all")
BALANCED = {"": None, ", balanced": "balanced"}


class Made(Protocol):
    """A trained model, as the bench sees it."""

    @property
    def words(self) -> int:
        """The distinct words that it reads."""

    def answers(self, part: Part) -> Bools:
        """Its classes of each document, a column each."""

    def save(self, folder: Path) -> None:
        """What a user would keep, in an empty folder."""

    def serving(self) -> Serve:
        """A prediction from texts where there are some, else from vectors."""


# A model, or why there is none.
Outcome: TypeAlias = tuple[str, Budget, Made | str]


@dataclass(frozen=True)
class Family:
    """A way to make small models, with the settings that validation chooses from.

    `make` is asked for settings at budgets, ascending, and gives an outcome for each of them.
    `whole` families are asked without a limit, `cut` ones for budgets.
    """

    side: Side
    name: str
    settings: Mapping[str, Any]
    make: Callable[[Family, Task, Asked], Iterator[Outcome]]
    cut: bool = True
    whole: bool = False

    def asked(self, budgets: Sequence[Budget]) -> list[Budget]:
        return [budget for budget in budgets if (self.whole if budget is None else self.cut)]


def svms(costs: Sequence[float]) -> dict[str, dict[str, Any]]:
    """Settings of an SVM, the same for both sides."""
    return {
        f"C={cost:g}{weight}": {"C": cost, "class_weight": own}
        for (weight, own), cost in product(BALANCED.items(), costs)
    }


def svms_behind(costs: Sequence[float]) -> dict[str, tuple[dict[str, Any], Normalize]]:
    """Behind a selection, where documents are as they were, or divided by their length now."""
    return {
        f"{name}, norm={norm}": (given, norm)
        for norm, (name, given) in product(NORMS, svms(costs).items())
    }


def room(budget: Budget) -> float:
    return np.inf if budget is None else budget


def depths(orders: Sequence[Columns], n_words: int) -> Columns:
    """The place at which a word comes first in any class's order; n_words where it is in none."""
    first = np.full(n_words, n_words, dtype=np.intp)
    for order in orders:
        np.minimum.at(first, order, np.arange(order.size))
    return first


def size_within(orders: Sequence[Columns], n_words: int, budget: int) -> int:
    """The most words a class of which no more than `budget` are distinct; 0 if one is too many."""
    longest = max(order.size for order in orders)
    depth = depths(orders, n_words)
    distinct = np.cumsum(np.bincount(depth, minlength=longest + 1)[:longest])
    return int(np.searchsorted(distinct, budget, side="right"))
