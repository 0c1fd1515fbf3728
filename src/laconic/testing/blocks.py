"""Checks for engines: where functions of blocks, shards and texts run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.sparse import csr_array, random_array

from laconic.engine import Engine
from laconic.errors import CorpusError
from laconic.numerics.blocks import FLOATS, Blocks
from laconic.processes import report

# blocks, and items of functions; enough that an engine which takes all at once is noticed
N_BLOCKS, N_ITEMS = 11, 200
REASON = "on purpose"


def check_blocks(make: Callable[[], AbstractContextManager[Engine]]) -> None:
    """Check an engine: a cluster, or the processes of a machine.

    Sums and rows of blocks have the bits of one process; results come in the order of the items,
    also where the first is the slowest; items are taken as they are needed; a worker that exits
    changes no sum; exceptions, also those that cannot be pickled, keep their message and come after
    the results before them; messages come before the result; an iterator that is closed leaves
    nothing for the next one.

    Parameters
    ----------
    make : callable
        Returns a context manager with an engine, such as `lambda: DaskEngine(client, shared)`.
    """
    with make() as engine, TemporaryDirectory(dir=engine.folder) as marks:
        _check_same_bits(engine)
        _check_order(engine)
        _check_lazy(engine)
        _check_lost_worker(engine, Path(marks))
        _check_exceptions(engine)
        _check_messages(engine)
        _check_closing(engine)


def _check_same_bits(engine: Engine) -> None:
    here = _blocks()
    there = replace(here, engine=engine)
    numbers = np.random.default_rng(1).standard_normal(here.shape[0])
    scaled, thirds = (here.map(FLOATS), there.map(FLOATS)), np.arange(0, here.shape[0], 3)
    for name, compute in (
        ("sums", lambda X: X.total(sums, numbers)),
        ("products", lambda X: (X @ np.ones((X.shape[1], 2)),)),
        ("rows", lambda X: (X[:, [3, 1, 7]].take(thirds).gathered().toarray(),)),
    ):
        for expected, results in zip(*map(compute, scaled), strict=True):
            assert expected.dtype == results.dtype, f"{name}: {results.dtype}, not {expected.dtype}"
            assert np.array_equal(expected, results), f"{name}: other bits than in one process"


def _check_order(engine: Engine) -> None:
    results = list(engine.run(slow_first, range(6)))
    assert results == list(range(6)), f"results in another order than the items: {results}"
    assert list(engine.run(slow_first, [])) == [], "no items must give no results"


def _check_lazy(engine: Engine) -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(N_ITEMS):
            taken.append(number)
            yield number

    results = engine.run(same, items())
    next(results)
    assert len(taken) < N_ITEMS, "all items were taken before the first result"
    n_results = 1 + sum(1 for _ in results)
    assert n_results == N_ITEMS, f"{n_results} results of {N_ITEMS} items"


def _check_lost_worker(engine: Engine, marks: Path) -> None:
    function = ExitsOnce(marks / "exited")
    assert list(engine.run(function, range(4))) == list(range(4)), "a lost worker changed results"
    assert function.mark.exists(), "no worker has exited: functions run in this process"


def _check_exceptions(engine: Engine) -> None:
    for function, kind in ((raises_ours, CorpusError), (raises_unpicklable, Exception)):
        results, before = engine.run(function, range(3)), []
        failure: BaseException | None = None
        try:
            for result in results:
                before.append(result)
        except Exception as problem:
            failure = problem
        assert isinstance(failure, kind), f"{function.__name__}: {failure!r} was raised"
        assert REASON in str(failure), f"{function.__name__}: the message is {str(failure)!r}"
        assert before == [0], f"{function.__name__}: the results before it are {before}"
    try:
        list(engine.run(unpicklable, range(1)))
    except Exception:
        return
    raise AssertionError("a result that cannot be pickled must be an error")


def _check_messages(engine: Engine) -> None:
    heard: list[tuple[int, int]] = []
    for item in engine.run(reports, range(5), listen=heard.append):
        assert (item, 2) in heard, "the last message comes after the result"
    assert len(heard) == len(set(heard)), "a message came twice"


def _check_closing(engine: Engine) -> None:
    with closing(engine.run(same, range(N_ITEMS))) as results:  # type: ignore[type-var]
        next(results)
    again = list(engine.run(same, [7, 8]))
    assert again == [7, 8], f"after a run that was closed, the next gives {again}"


def _blocks() -> Blocks:
    rng = np.random.default_rng(0)
    X = random_array((230, 3000), density=0.05, rng=rng, format="csr", data_sampler=rng.uniform)
    return Blocks.of(csr_array(X), N_BLOCKS)


def sums(block: csr_array, numbers: Any) -> Any:
    """The first depends on the order of its summands, and is large enough for a file."""
    entries = np.bincount(block.indices, minlength=block.shape[1])
    return np.outer(block.T @ numbers, numbers[:5]), entries


def same(item: int) -> int:
    return item


def slow_first(item: int) -> int:
    time.sleep(0.0 if item else 0.5)
    return item


@dataclass(frozen=True)
class ExitsOnce:
    """Ends its process the first time."""

    mark: Path

    def __call__(self, item: int) -> int:
        if item == 1 and not self.mark.exists():
            self.mark.touch()
            os._exit(3)
        return item


def raises_ours(item: int) -> int:
    if item == 1:
        raise CorpusError(REASON, where="part-1.jsonl", line=3)
    return item


class UnpicklableError(Exception):
    """Has a field that cannot be pickled."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.field = lambda: None


def raises_unpicklable(item: int) -> int:
    if item == 1:
        raise UnpicklableError(REASON)
    return item


def unpicklable(item: int) -> Any:
    return lambda: item


def reports(item: int) -> int:
    for number in range(3):
        report((item, number))
    return item
