"""A journal of their own for the tests of several files."""

from __future__ import annotations

import pytest

from laconic.studies.journal.journal import Journal


@pytest.fixture
def where(tmp_path):
    return tmp_path / "journal.sqlite"


@pytest.fixture
def journal(where):
    with Journal(where) as journal:
        yield journal
