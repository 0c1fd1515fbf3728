from __future__ import annotations

import json

import numpy as np
import pytest

from laconic import Corpus
from laconic.corpus.units import units_of
from laconic.studies.options import SplitOptions
from tests.studies.corpora import pets

PETS = pets(60)


def with_copies(split=None, **more):
    """Sixty documents, of which the last twenty repeat the first twenty."""
    texts = tuple(f"word{i % 40}" for i in range(60))
    return Corpus("copies", PETS.labels, PETS.ids, texts=texts, split=split, **more)


def test_copies_are_on_one_side_of_the_test_split_and_of_every_fold():
    corpus, options = with_copies(), SplitOptions(0.25, cv=3)
    unit = units_of(corpus, copies_together=True)
    for split in (*options.held_out(corpus), *options.validation(corpus)):
        assert not np.intersect1d(unit[split.train], unit[split.test]).size
    keep = SplitOptions(0.25, cv=3, duplicates="keep").held_out(corpus)[0]
    assert np.intersect1d(unit[keep.train], unit[keep.test]).size


def test_without_copies_nothing_moves():
    for corpus in (PETS, pets(60, name="other")):
        made = [
            [*options.held_out(corpus), *options.validation(corpus)]
            for options in (SplitOptions(cv=3), SplitOptions(cv=3, duplicates="keep"))
        ]
        for one, other in zip(*made, strict=True):
            assert np.array_equal(one.test, other.test)
            assert np.array_equal(one.train, other.train)


def test_dropped_copies_are_in_no_part():
    for test_size in (0.25, None):
        options = SplitOptions(test_size, cv=3, duplicates="drop")
        splits = [*options.held_out(with_copies()), *options.validation(with_copies())]
        assert max(max(*s.train, *s.test) for s in splits) == 39
    split = ("train",) * 40 + ("test",) * 20
    options = SplitOptions("given", cv=2, duplicates="drop")
    (parts,) = options.held_out(with_copies(split))
    assert parts.test.tolist() == [*range(40, 60)]
    assert parts.train.tolist() == [*range(20, 40)]
    fold, _ = options.validation(with_copies(split))
    assert sorted([*fold.train, *fold.test]) == [*range(20, 40)]


def test_by_time_the_test_documents_are_the_latest():
    times = tuple(float(i) for i in range(60))[::-1]
    corpus, options = with_copies(times=times), SplitOptions(0.2, cv=5)
    (held_out,) = options.held_out(corpus)
    assert held_out.test.tolist() == [*range(12)]
    first, *_, last = options.validation(corpus)
    assert (first.train.tolist(), first.test.tolist()) == ([*range(52, 60)], [*range(44, 52)])
    assert (last.train.min(), last.test.tolist()) == (20, [*range(12, 20)])


@pytest.mark.parametrize(
    ("more", "described"),
    [({}, {}), ({"groups": PETS.ids}, {"by": "group"}), ({"times": (1.0,) * 60}, {"by": "time"})],
)
def test_the_description_has_what_moves_documents(more, described):
    corpus = with_copies(**more)
    plain = {"test_size": 0.2, "random_state": 0, "n_splits": 1} | described
    keep = SplitOptions(duplicates="keep").described(corpus, "test")
    assert json.loads(keep) == plain
    together = SplitOptions().described(corpus, "test")
    assert json.loads(together) == plain | {"duplicates": "together"}
    assert "duplicates" not in SplitOptions().described(PETS, "test"), "it has none"
