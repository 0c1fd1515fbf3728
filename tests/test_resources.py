from __future__ import annotations

import pytest

from laconic import resources
from laconic.resources import free_memory, memory_of_machine
from laconic.text.options import MEMORY_SHARE, StorageOptions


def test_free_memory_is_within_the_machine():
    machine = memory_of_machine()
    assert machine is not None
    assert 0 < free_memory() <= machine


@pytest.mark.parametrize(
    ("available", "container", "expected"),
    [(8, 2, 2), (3, 9, 3), (8, None, 8), (None, 2, 2), (None, None, 50)],
)
def test_the_smaller_limit_counts(monkeypatch, available, container, expected):
    monkeypatch.setattr(resources, "_available_memory", lambda: available)
    monkeypatch.setattr(resources, "_memory_of_container", lambda: container)
    monkeypatch.setattr(resources, "memory_of_machine", lambda: 100)
    assert free_memory() == expected


def test_a_matrix_may_take_a_share_of_the_free_memory(monkeypatch):
    monkeypatch.setattr("laconic.text.options.free_memory", lambda: 60 * MEMORY_SHARE)
    assert StorageOptions().limit == 60
    assert StorageOptions(n_jobs=3).limit == 20
    assert StorageOptions(in_memory=7, n_jobs=3).limit == 7
