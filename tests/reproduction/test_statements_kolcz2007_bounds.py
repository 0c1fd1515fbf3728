"""Statements of Kołcz and Chowdhury at their bounds, and the reasons that are told."""

from __future__ import annotations

from laconic.rows import Row
from reproduction.kolcz2007 import statements as statements
from reproduction.kolcz2007 import statements_machines as machines
from reproduction.statements import Verdict
from tests.reproduction.test_statements_kolcz2007 import GOOD, STATEMENTS, agreeing

EXACT, MASK, SV_SET, ALL = statements.EXACT, statements.MASK, statements.SV_SET, statements.ALL


def seconds(method, taken):
    return Row("p", method, 0.5, "roc_auc", 0.9, seconds=taken, task=method)


def test_orders_of_magnitude_are_two():
    verdicts = [
        statements.faster([seconds(EXACT, n), seconds(MASK, 1)]).verdict for n in (100, 99, 1)
    ]
    assert verdicts == [Verdict.REPRODUCED, Verdict.DIRECTION, Verdict.NOT_REPRODUCED]


def better(lead):
    """Many sets, each ahead by about as much, so that p is next to nothing."""
    whole = {f"{i}": 0.8 + 0.0001 * (i % 3) for i in range(60)}
    ahead = dict.fromkeys(whole, 0.8 + lead)
    found = {method: dict(ahead) for method in (EXACT, MASK, SV_SET)} | {ALL: whole}
    return statements.better_than_all(found, "").verdict


def test_substantially_better_is_a_hundredth():
    assert better(0.02) is Verdict.REPRODUCED
    assert better(0.005) is Verdict.DIRECTION


def test_why_containment_is_low_is_told_only_where_it_is_so():
    below = machines.contained({0.01: 0.5, 0.1: 0.85, 1.0: 0.95})
    assert below.reason == "high down to a tenth of the words, not below"
    assert machines.contained({0.01: 0.5, 0.1: 0.75}).reason == ""
    assert machines.contained({0.1: 0.85, 1.0: 0.95}).reason == ""


def test_an_overlap_without_half_of_the_words_is_not_judged():
    curves = {**GOOD, "overlap": {0.1: 0.6, 1.0: 0.95}}
    told = [one.verdict for one in machines.statements(agreeing(**curves))]
    assert told[STATEMENTS.index("fewer")] is Verdict.UNMEASURED
