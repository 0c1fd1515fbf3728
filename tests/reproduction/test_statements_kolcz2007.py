"""Kołcz's statements: made-up values have their verdicts, and a page has them."""

from __future__ import annotations

import math

import pytest

from laconic.rows import Row
from reproduction.kolcz2007 import experiment as paper
from reproduction.kolcz2007 import fractions
from reproduction.kolcz2007 import statements as statements
from reproduction.kolcz2007 import statements_machines as machines
from reproduction.kolcz2007.statements import ALL, AUC, BEST_F1, EXACT, F1, MASK, POOLED, SV_SET
from reproduction.pages.markdown import update
from reproduction.pages.section import Section
from reproduction.shared.figures import FigureResult, MeanPoint
from reproduction.shared.plots import Series
from reproduction.statements import Verdict

YES, NEARLY, NO, OPEN = (
    Verdict.REPRODUCED,
    Verdict.DIRECTION,
    Verdict.NOT_REPRODUCED,
    Verdict.UNMEASURED,
)
# Six problems whose values rise by steps; a method beside them by so much, more or less.
PROBLEMS = [(f"p{i}", 0.6 + i / 20) for i in range(6)]
UNEVEN = (0.8, 1.2, 0.9, 1.1, 1.0, 1.0)


def values(**leads):
    """EXACT and the others: ahead by the lead on every problem, almost evenly."""
    names = {"mask": MASK, "sv": SV_SET, "whole": ALL}
    found = {EXACT: dict(PROBLEMS)}
    for name, lead in leads.items():
        found[names[name]] = {
            problem: value + lead * part
            for (problem, value), part in zip(PROBLEMS, UNEVEN, strict=True)
        }
    return found


def mixed(lead):
    """Ahead by so much on average, and by a hundred times that on single problems."""
    offsets = (101, -99, 101, -99, 101, -99)
    return {p: v + lead * off for (p, v), off in zip(PROBLEMS, offsets, strict=True)}


def difference(metric, found, told, method):
    by_method = statements.against(found, EXACT)
    return statements.difference(metric, by_method.get(method), by_method.get(EXACT), told, method)


@pytest.mark.parametrize(
    ("other", "told", "verdict"),
    [
        (mixed(0.0001), statements.RCV1, YES),
        (values(mask=-0.0005)[MASK], statements.RCV1, NEARLY),
        (values(mask=-0.01)[MASK], statements.RCV1, NO),
        (values(mask=0.01)[MASK], statements.NO_PAPER_ROW, NO),
        (dict(PROBLEMS[:1]), statements.RCV1, OPEN),
    ],
)
def test_no_difference_is_one_that_is_not_significant(other, told, verdict):
    one = difference(AUC, {EXACT: dict(PROBLEMS), MASK: other}, told, MASK)
    assert one.verdict is verdict
    assert one.statement == "MASK does not differ significantly from EXACT by AUC"
    assert one.paper == ("p = 0.117 (RCV1)" if told is statements.RCV1 else "")


@pytest.mark.parametrize(
    ("other", "verdict"),
    [
        (values(mask=-0.01)[MASK], YES),
        (mixed(-0.0001), NEARLY),
        (values(mask=0.01)[MASK], NO),
    ],
)
def test_a_difference_that_the_paper_finds_is_asked_for(other, verdict):
    one = difference(BEST_F1, {EXACT: dict(PROBLEMS), MASK: other}, statements.RCV1, MASK)
    assert one.verdict is verdict
    assert one.statement == "MASK is significantly worse than EXACT by best F1"


def test_a_difference_is_told_with_its_p_and_problems():
    one = difference(AUC, values(sv=-0.01), statements.NO_PAPER_ROW, SV_SET)
    (contest,) = (
        c for c in statements.paired_comparisons(values(sv=-0.01), EXACT) if c.method == SV_SET
    )
    assert one.ours == f"-0.0100, p = {contest.p:.2g}; EXACT won 6, lost 0"
    assert one.reason == "SV-SET is behind"


@pytest.mark.parametrize(
    ("mask", "sv", "verdict"),
    [(0.001, -0.001, YES), (0.002, -0.002, NEARLY), (0.0, -0.02, NO)],
)
def test_means_are_very_close(mask, sv, verdict):
    one = statements.very_close(AUC, statements.against(values(mask=mask, sv=sv), EXACT))
    assert one.verdict is verdict
    assert one.statement.startswith("the best AUC values of the three")


def test_a_method_that_was_not_run_is_not_measured():
    found = statements.against(values(mask=0.0), EXACT)
    assert statements.very_close(BEST_F1, found).verdict is OPEN
    assert difference(AUC, values(mask=0.0), statements.RCV1, SV_SET).verdict is OPEN
    assert statements.compromise({}).verdict is OPEN
    assert statements.gain({}).verdict is OPEN


def test_table_1_is_compared_with_the_papers_own_corpus_only():
    both = {metric: values(mask=0.0, sv=-0.001) for metric in (AUC, BEST_F1)}
    own = list(statements.table_1(both, both, statements.RCV1, stands_in=False))
    other = list(statements.table_1(both, both, statements.RCV1, stands_in=True))
    assert len(own) - len(other) == 6
    told = {one.statement: one for one in own}["AUC of SV-SET, each category at its best fraction"]
    assert (told.paper, told.ours, told.verdict) == ("0.9745", "0.7240", NO)
    assert told.reason == statements.OTHER_DOCUMENTS
    near = {EXACT: {"p": 0.9790}, MASK: {"p": 0.9790}, SV_SET: {"p": 0.97}}
    first, second, third, *_ = statements.table_1(
        {AUC: near, BEST_F1: near}, both, statements.RCV1, stands_in=False
    )
    assert [one.verdict for one in (first, second, third)] == [YES, YES, YES]


def test_a_compromise_is_one_difference_that_is_significant():
    even = values(mask=-0.01, sv=0.0) | {SV_SET: mixed(0.0001)}
    quiet = {EXACT: dict(PROBLEMS), MASK: mixed(0.0001), SV_SET: mixed(-0.0001)}
    assert statements.compromise({AUC: quiet, BEST_F1: quiet}).verdict is YES
    one = statements.compromise({AUC: quiet, BEST_F1: even})
    assert one.verdict is NO
    assert one.ours.endswith("(MASK, best F1)")


@pytest.mark.parametrize(
    ("other", "verdict"),
    [(values(mask=0.01)[MASK], YES), (mixed(0.0001), NEARLY), (values(mask=-0.01)[MASK], NO)],
)
def test_a_gain_is_to_be_ahead_of_exact(other, verdict):
    found = {EXACT: dict(PROBLEMS), MASK: other, SV_SET: values(sv=-0.02)[SV_SET]}
    assert statements.gain({AUC: found}).verdict is verdict


def points(metric=AUC, **curves):
    names = {"exact": EXACT, "mask": MASK, "sv": SV_SET, "document": machines.UNDIVIDED}
    return [
        MeanPoint(names[name], size, metric, mean, 0.0, 3)
        for name, curve in curves.items()
        for size, mean in curve.items()
    ]


@pytest.mark.parametrize(
    ("few", "verdict"), [(0.902, YES), (0.908, NEARLY), (0.92, NO), (0.8, YES)]
)
def test_almost_all_words_are_best(few, verdict):
    assert statements.almost_all({0.1: few, 1.0: 0.9}).verdict is verdict


def test_fewer_words_help_or_only_at_threshold_0():
    assert statements.fewer_help({0.1: 0.91, 1.0: 0.9}, {}).verdict is YES
    one = statements.fewer_help({0.1: 0.902, 1.0: 0.9}, {0.01: 0.8, 1.0: 0.5})
    assert one.verdict is NO
    assert one.reason == "by less than 0.003; at threshold 0 from 0.500 to 0.800 at 0.01"
    assert statements.fewer_help({0.1: 0.91}, {}).verdict is OPEN
    assert statements.almost_all({0.1: 0.91}).verdict is OPEN


@pytest.mark.parametrize(
    ("high", "low", "verdicts"),
    [
        (0.005, 0.1, (YES, YES)),
        (-0.02, 0.1, (NO, YES)),
        (0.008, 0.012, (YES, NEARLY)),
        (0.0001, 0.002, (YES, NEARLY)),
        (0.008, 0.002, (YES, NO)),
    ],
)
def test_half_of_the_words_is_the_border(high, low, verdicts):
    exact = {0.5: 0.9, 0.6: 0.9}
    found = points(exact=exact, mask=exact, sv={0.5: 0.9 - low, 0.6: 0.9 - high})
    above, below = statements.largest_gaps(AUC, found)
    assert (above.verdict, below.verdict) == verdicts
    assert above.ours == f"MASK +0.0000 at 0.6, SV-SET {-high:+.4f} at 0.6"
    assert below.ours == f"MASK +0.0000 at 0.5, SV-SET {-low:+.4f} at 0.5"


def test_without_sizes_below_and_above_nothing_is_said():
    above_only = points(exact={0.6: 0.9}, mask={0.6: 0.9})
    assert [one.verdict for one in statements.largest_gaps(AUC, above_only)] == [
        YES, OPEN
    ]  # fmt: skip


def test_along_the_fractions_every_measure_has_its_say():
    curve = {0.1: 0.9, 0.6: 0.9, 1.0: 0.9}
    found = [p for m in (AUC, BEST_F1, F1) for p in points(m, exact=curve, mask=curve)]
    told = [one.statement for one in statements.along(found, (BEST_F1, AUC))]
    assert len(told) == len(set(told)) == 6
    assert len(list(statements.along(points(AUC, exact=curve), (AUC,)))) == 3


def test_pooled_areas_are_compared_at_their_best_fraction():
    curve = {0.1: 0.9, 0.6: 0.9750, 1.0: 0.99}
    exact, mask, sv, *others = statements.pooled(
        points(POOLED, exact=curve, mask=curve, sv={0.1: 0.9, 0.6: 0.9}), statements.RCV1
    )
    assert [one.verdict for one in (exact, mask, sv)] == [YES, YES, NO]
    assert (exact.ours, exact.paper) == ("0.9750", "0.9746"), "all words are no fraction"
    assert others[1].reason == "each category keeps the bias of the SVM on all words"
    assert others[1].verdict is NO
    assert (
        len(
            list(
                statements.pooled(points(POOLED, exact=curve, mask=curve), statements.NO_PAPER_ROW)
            )
        )
        == 3
    )


@pytest.mark.parametrize(("times", "verdict"), [(100, YES), (6, NEARLY), (0.5, NO)])
def test_time_is_counted_once_a_task_and_size(times, verdict):
    rows = [
        Row("p", method, size, metric, 0.5, seconds=seconds, task=method)
        for method, seconds in ((MASK, 1.0), (EXACT, times))
        for size in (0.1, 0.2)
        for metric in ((AUC, BEST_F1) if method == MASK else (AUC,))
    ]
    one = statements.faster(rows)
    assert one.verdict is verdict
    assert one.ours == f"EXACT took {times:.1f} times as long as MASK"
    assert statements.faster([]).verdict is OPEN


def test_techtc_is_asked_for_equality_and_for_what_all_words_lose():
    found = values(mask=-0.02, sv=0.0, whole=-0.1) | {SV_SET: mixed(0.0001)}
    many = {
        method: {f"{problem}{i}": v for i in range(20) for problem, v in own.items()}
        for method, own in found.items()
    }
    better, nested, equal, worse, gained = statements.techtc(many, many)
    assert [one.verdict for one in (better, nested, equal, worse)] == [YES, YES, YES, YES]
    assert better.statement != nested.statement
    assert equal.paper == "p = 0.0852 (TechTC)"
    assert gained.verdict is NEARLY
    few = [one.verdict for one in statements.techtc(found, found)]
    assert few == [NEARLY, NEARLY, YES, NEARLY, NEARLY], "six sets leave p above 1e-6"
    assert [*statements.techtc(found, found)][3].reason == "behind, but far less clearly"
    behind = values(mask=0.01, sv=0.01, whole=0.02)
    assert [*statements.techtc(behind, behind)][3].reason == "not behind"
    assert [one.verdict for one in statements.techtc(behind, behind)] == [NO, NO, NO, NO, YES]
    nothing = {method: {} for method in (EXACT, MASK, SV_SET, ALL)}
    assert {one.verdict for one in statements.techtc(nothing, nothing)} == {OPEN}


def agreeing(**curves):
    return [
        MeanPoint(EXACT, size, metric, value, 0.0, 3)
        for metric, curve in curves.items()
        for size, value in curve.items()
    ]


GOOD = {
    "cosine": {0.01: 0.95, 0.1: 0.97, 0.5: 0.99},
    "pearson": {0.01: 0.95, 0.1: 0.97, 0.5: 0.99},
    "overlap": {0.1: 0.6, 0.5: 0.85, 1.0: 0.95},
    "containment": {0.1: 0.92, 0.5: 0.95, 1.0: 0.96},
    "recall": {0.1: 0.7, 0.5: 0.8, 1.0: 0.9},
}
STATEMENTS = ("small", "smallest", "overlap", "fewer", "contained", "short", "cause")


def verdicts(document=0.9, **changed):
    curves = {m: curve | changed.get(m, {}) for m, curve in GOOD.items()}
    found = agreeing(**curves) + points("overlap", document={1.0: document})
    told = [one.verdict for one in machines.statements(found)]
    return dict(zip(STATEMENTS, told, strict=True))


def test_machines_that_agree_as_the_paper_says():
    assert set(verdicts().values()) == {YES}


@pytest.mark.parametrize(
    ("changed", "name", "verdict"),
    [
        ({"pearson": {0.1: 0.89}}, "small", NEARLY),
        ({"cosine": {0.1: 0.79}}, "small", NO),
        ({"cosine": {0.01: 0.85}}, "smallest", NEARLY),
        ({"overlap": {0.7: 0.79}}, "overlap", NO),
        ({"overlap": {0.4: 0.1}}, "overlap", YES),
        ({"overlap": {0.1: 0.9}}, "fewer", NO),
        ({"recall": {0.1: 0.95}}, "fewer", NO),
        ({"containment": {0.01: 0.5, 0.1: 0.85}}, "contained", NEARLY),
        ({"containment": {0.01: 0.5, 0.1: 0.75}}, "contained", NO),
        ({"overlap": {1.0: 1.0}}, "short", NO),
        ({"document": 1.0}, "cause", NO),
        ({"document": math.nan}, "cause", OPEN),
    ],
)
def test_machines_that_do_not(changed, name, verdict):
    assert verdicts(**changed)[name] is verdict


def test_nothing_measured_says_nothing():
    assert {one.verdict for one in machines.statements([])} == {OPEN}
    assert list(machines.plots("x", "X", [])) == []


def test_figures_3_and_4_are_drawn_over_the_fraction():
    third, fourth = machines.plots("rcv1", "RCV1", agreeing(**GOOD))
    assert (third.name, fourth.name) == ("figure3-rcv1", "figure4-rcv1")
    assert [line.name for line in third.lines] == ["cosine", "pearson"]
    *measured, told = fourth.lines
    assert [line.name for line in measured] == ["overlap", "containment", "recall"]
    assert told == Series("overlap", (0.5,), (0.8,), from_paper=True)
    assert (third.log, fourth.log) == (False, False)
    assert (fourth.lines[0].xs, fourth.lines[0].ys) == ((0.1, 0.5, 1.0), (0.6, 0.85, 0.95))


def test_a_scatter_has_the_problems_of_both():
    found = {EXACT: {"a": 0.5, "b": 0.9, "c": 0.1}, SV_SET: {"a": 0.6, "b": 1.0}}
    cells = fractions.scatter("figure2", found, EXACT, SV_SET)
    assert cells.name == "figure2-sv-set-exact"
    assert (cells.x_title, cells.y_title) == (EXACT, SV_SET)
    assert sum(n for *_, n in cells.counts) == 2
    left, right, low, high, _ = cells.counts[0]
    assert left <= 0.5 < right
    assert low <= 0.6 < high


def test_what_cannot_be_had_stands_on_the_page_of_a_small_run(tmp_path):
    found = points(BEST_F1, exact={0.1: 0.9, 1.0: 0.9}, mask={0.1: 0.7, 1.0: 0.9})
    results = FigureResult(
        [], (), tuple(statements.largest_gaps(BEST_F1, found)),
        (fractions.by_fraction("table1-x", "Pets", BEST_F1, found),),
    )  # fmt: skip
    section = Section.of("Table 1-x", "x", "laconic …", "2 sets", results)
    page = update(tmp_path, "kolcz2007", paper.REFERENCE, [section], paper.UNAVAILABLE).read_text()
    assert "| MASK -0.2000 at 0.1 | reproduced |" in page
    assert "![Pets: best F1](kolcz2007/table1-x-best_f1.svg)" in page
    assert "0.9895, 0.9895, 0.9895 |  | data unavailable: the AP newswire texts" in page
    assert "0.9204, 0.9211, 0.9191" in page
    assert {one.verdict for one in paper.UNAVAILABLE} == {Verdict.UNAVAILABLE}
