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
    [(8, 2, 2), (3, 9, 3), (8, None, 8), (None, 2, 2), (8, 0, 0), (None, None, 50)],
)
def test_the_smaller_limit_counts(monkeypatch, available, container, expected):
    monkeypatch.setattr(resources, "_available_memory", lambda: available)
    monkeypatch.setattr(resources, "_memory_of_container", lambda: container)
    monkeypatch.setattr(resources, "memory_of_machine", lambda: 100)
    assert free_memory() == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, None),
        ({"memory.max": "max\n", "memory.current": "70"}, None),
        ({"memory.max": "100\n"}, 100),
        ({"memory.max": "100\n", "memory.current": "70\n"}, 30),
        (
            {
                "memory.max": "100\n",
                "memory.current": "70\n",
                "memory.stat": "file 30\ninactive_file 20\n",
            },
            50,
        ),
        ({"memory.max": "100\n", "memory.current": "140\n"}, 0),
        (
            {
                "memory/memory.limit_in_bytes": "100\n",
                "memory/memory.usage_in_bytes": "70\n",
                "memory/memory.stat": "inactive_file 0\ntotal_inactive_file 10\n",
            },
            40,
        ),
    ],
)
def test_what_a_container_has_left(tmp_path, monkeypatch, files, expected):
    """Used pages of files that nobody reads are free."""
    (tmp_path / "memory").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(resources, "CONTROL_GROUPS", tmp_path)
    assert resources._memory_of_container() == expected


def test_a_matrix_may_take_a_share_of_the_free_memory(monkeypatch):
    monkeypatch.setattr("laconic.text.options.free_memory", lambda: 60 * MEMORY_SHARE)
    assert StorageOptions().limit == 60
    assert StorageOptions(n_jobs=3).limit == 20
    assert StorageOptions(in_memory=7, n_jobs=3).limit == 7
    monkeypatch.setattr("laconic.text.options.free_memory", lambda: 0)
    assert StorageOptions().limit == 1
