"""Did the numbers of a method move although its version did not?"""

from __future__ import annotations

import pytest

from tests.golden.curves import NAMES, all_measured, complaint, path_of, stored


@pytest.fixture(scope="module")
def now():
    return all_measured()


@pytest.mark.parametrize("name", NAMES)
def test_the_numbers_of_a_method_are_those_of_its_version(now, name):
    assert not (problem := complaint(now[name], stored(name))), problem


def test_every_file_belongs_to_a_method():
    files = {path.name for path in path_of("IG").parent.glob("*.json")}
    assert files == {path_of(name).name for name in NAMES}


GOLDEN = {"method": "IG", "version": 1, "correct": {"3": 20, "10": 25}, "features": ["a", "b"]}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, ""),
        ({"correct": {"3": 21, "10": 24}}, ""),
        ({"correct": {"3": 22, "10": 25}}, "size 3: 22 correct documents, stored 20"),
        ({"correct": {"3": 18, "10": 25}, "undecided": {"3": 1}}, ""),
        ({"correct": {"3": 18, "10": 25}, "undecided": {"10": 1}}, "size 3: 18 correct"),
        ({"correct": {"3": 20}}, "sizes"),
        ({"features": ["a", "c"]}, "raise `version` of IG in methods/recipes.py to 2"),
        ({"features": ["a", "c"], "version": 2}, "version 2, stored 1; run `python -m tests.gold"),
        ({"version": 2}, "version 2, stored 1"),
    ],
)
def test_the_test_itself_notices(changes, says):
    message = complaint({**GOLDEN, **changes}, GOLDEN)
    assert says in message if says else not message
