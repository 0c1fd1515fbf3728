"""Processes pass the examination of engines, and broken engines do not."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import islice

import pytest

from laconic.processes import LocalProcesses
from laconic.testing import check_blocks
from laconic.testing.blocks import ExitsOnce, unpicklable

pytestmark = pytest.mark.full


def test_processes():
    check_blocks(lambda: nullcontext(LocalProcesses(2)))


class Here:
    """Runs functions in this process, and lives through those that end it."""

    n_workers, folder, memory = 2, None, None

    def run(self, function, items, *, listen=None):
        if isinstance(function, ExitsOnce):
            function.mark.touch()
        if function is unpicklable:
            raise TypeError("it cannot be pickled")
        yield from LocalProcesses(1).run(function, items, listen=listen)


class Reordered(Here):
    def run(self, function, items, *, listen=None):
        unread = iter(items)
        while batch := list(islice(unread, 2)):
            yield from super().run(function, batch[::-1], listen=listen)


class Doubled(Here):
    """What a lost worker had done is counted twice."""

    def run(self, function, items, *, listen=None):
        yield from super().run(function, items, listen=listen)
        yield from [0] if isinstance(function, ExitsOnce) else ()


class Greedy(Here):
    def run(self, function, items, *, listen=None):
        yield from super().run(function, list(items), listen=listen)


class InThisProcess(Here):
    def run(self, function, items, *, listen=None):
        if isinstance(function, ExitsOnce):
            return iter(items)
        return super().run(function, items, listen=listen)


class Wordless(Here):
    def run(self, function, items, *, listen=None):
        try:
            yield from super().run(function, items, listen=listen)
        except Exception:
            raise RuntimeError from None


class Deaf(Here):
    def run(self, function, items, *, listen=None):
        yield from super().run(function, items)


class Rounded(Here):
    def run(self, function, items, *, listen=None):
        for result in super().run(function, items):
            many = isinstance(result, tuple)
            yield (result[0].round(3), *result[1:]) if many else result


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Reordered, "another order|other bits"),
        (Doubled, "a lost worker changed"),
        (Greedy, "all items were taken"),
        (InThisProcess, "functions run in this process"),
        (Wordless, "was raised|the message is"),
        (Deaf, "after the result"),
        (Rounded, "other bits"),
    ],
)
def test_a_broken_engine_fails(broken, reason):
    with pytest.raises(AssertionError, match=reason):
        check_blocks(lambda: nullcontext(broken()))
