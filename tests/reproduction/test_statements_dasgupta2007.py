"""Dasgupta's statements: a world in which all hold, and what each becomes when that changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reproduction.dasgupta2007 import statements as statements
from reproduction.dasgupta2007 import statements_large as large
from reproduction.dasgupta2007.curves import Curves
from reproduction.shared.figures import MeanPoint
from reproduction.statements import Finding, Verdict

SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
RISE = dict(zip(SIZES, (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.87, 0.92, 0.95, 0.98), strict=True))
LARGE_RISE = {300: 0.66, 1000: 0.78, 3000: 0.88, 5000: 0.92, 10_000: 0.95, 20_000: 0.97}
LARGE = (statements.IG, *large.UNSUPERVISED)


def techtc() -> dict:
    """Means by measure, method and size, as the paper describes them."""
    micro = {}
    for size, rise in RISE.items():
        few = size <= 20
        above = {
            statements.SS: 0.0,
            statements.SS_10: 0.06 if few else -0.02,
            statements.IG: 0.0 if few else 0.02,
        }
        above |= {statements.WS: -0.01, statements.DF: -0.04, statements.US: -0.1}
        micro |= {(method, size): rise + more for method, more in above.items()}
    recall = {(m, s): 0.99 if m == statements.DF else 0.9 - v / 2 for (m, s), v in micro.items()}
    return {"f1": micro, "precision": dict(micro), "recall": recall}


def ranked() -> dict:
    micro = {}
    for size, rise in RISE.items():
        for step, method in enumerate((*statements.RANKS, statements.MOST_OF_NORM)):
            full = method in (statements.SS, statements.MOST_OF_NORM)
            less = 0.03 * min(step, 5) if size <= 20 else 0.0 if full else 0.02
            micro[method, size] = rise - less
    return {"f1": micro}


def news() -> dict:
    micro, precision, recall = {}, {}, {}
    for size, rise in LARGE_RISE.items():
        few = size < 3000
        below = {
            statements.IG: 0.0,
            large.SS_100: 0.05 if few else 0.03,
            statements.DF: 0.06,
            statements.WS: 0.06,
        }
        below |= {large.SS_1500: 0.07 if few else 0.02, statements.US: 0.3}
        if not few:
            below[statements.IG] = 0.01
        if size == 300:
            below[statements.IG] = -0.05
        micro |= {(method, size): rise - less for method, less in below.items()}
        precision |= {(method, size): 0.95 for method in below}
        recall |= {(method, size): rise for method in below}
    return {"f1_micro": micro, "precision_macro": precision, "recall_macro": recall}


def reuters() -> dict:
    micro = {}
    for size, rise in LARGE_RISE.items():
        for place, method in enumerate(
            (statements.IG, statements.DF, large.SS_100, large.SS_1500, statements.WS)
        ):
            micro[method, size] = rise + 0.035 - 0.01 * place
        micro[statements.US, size] = rise - 0.2
    return {"f1_micro": micro, "f1_macro": dict(micro)}


def points(world: dict) -> list[MeanPoint]:
    return [
        MeanPoint(method, size, f"relative {metric}", value, 0.0, 100)
        for metric, means in world.items()
        for (method, size), value in means.items()
    ]


WORLDS = {
    "3": (techtc, lambda world: statements.techtc(points(world), 20_000)),
    "4b": (ranked, lambda world: statements.by_rank(points(world))),
    "5a": (news, lambda world: large.news(points(world), 62_000)),
    "5b": (reuters, lambda world: large.reuters(points(world), 47_000)),
}


def told(figure: str, change=None, metric: str | None = None) -> dict[str, Finding]:
    """Each statement, where values are what `change` makes of them."""
    made, judge = WORLDS[figure]
    world = made()
    if change is not None:
        metric = metric or next(iter(world))
        world[metric] = {place: change(*place, value) for place, value in world[metric].items()}
    return {one.statement: one for one in judge(world)}


@pytest.mark.parametrize("figure", WORLDS)
def test_in_the_papers_world_every_statement_is_reproduced(figure):
    found = told(figure)
    assert {one.verdict for one in found.values()} == {Verdict.REPRODUCED}, found
    assert all(one.ours for one in found.values())


@pytest.mark.parametrize("figure", WORLDS)
def test_where_nothing_was_measured_nothing_is_said(figure):
    made, judge = WORLDS[figure]
    found = list(judge({metric: {} for metric in made()}))
    assert [one.verdict for one in found if "terms" not in one.statement] == [
        Verdict.UNMEASURED
    ] * (len(found) - ("terms" in found[0].statement))
    assert {one.ours for one in found if "terms" not in one.statement} == {""}


def only(method: str, value: float, at=lambda size: True):
    """This method has this value at these sizes."""
    return lambda own, size, there: value if own == method and at(size) else there


def by(method: str, more: float, at=lambda size: True):
    return lambda own, size, there: there + more if own == method and at(size) else there


@pytest.mark.parametrize(
    ("figure", "change", "metric", "says_so", "verdict"),
    [
        ("3", only("SS", 0.844), "f1", "SS reaches 85 %", Verdict.DIRECTION),
        ("3", only("SS", 0.79), "f1", "SS reaches 85 %", Verdict.NOT_REPRODUCED),
        ("3", only("SS", 0.846), "f1", "SS reaches 85 %", Verdict.REPRODUCED),
        ("3", only("DF", 1.0), "f1", "DF does not reach", Verdict.NOT_REPRODUCED),
        ("3", only("US", 0.85), "f1", "US does not reach", Verdict.NOT_REPRODUCED),
        ("3", only("DF", 1.0), "f1", "in general SS and IG", Verdict.DIRECTION),
        ("3", only("WS", 1.0), "f1", "in general SS and IG", Verdict.NOT_REPRODUCED),
        ("3", only("IG", 1.0), "f1", "rank 10 is ahead of IG", Verdict.NOT_REPRODUCED),
        ("3", by("IG", 0.2, lambda s: s == 5), "f1", "ahead of IG", Verdict.NOT_REPRODUCED),
        ("3", by("IG", 0.07, lambda s: s == 5), "f1", "ahead of IG", Verdict.DIRECTION),
        ("3", by("IG", 0.9, lambda s: s > 20), "f1", "ahead of IG", Verdict.REPRODUCED),
        ("3", by("SS", 0.07), "f1", "ahead of SS of full rank", Verdict.NOT_REPRODUCED),
        ("3", by("WS", -0.05, lambda s: s == 5), "f1", "WS performs", Verdict.DIRECTION),
        ("3", by("WS", -0.05), "f1", "WS performs similarly", Verdict.NOT_REPRODUCED),
        ("3", by("DF", -0.05), "f1", "DF performs similarly", Verdict.NOT_REPRODUCED),
        ("3", lambda m, s, v: -v, "precision", "precision closely", Verdict.NOT_REPRODUCED),
        (
            "3",
            lambda m, s, v: (s - v) / 5000,
            "precision",
            "precision closely",
            Verdict.NOT_REPRODUCED,
        ),
        ("3", lambda m, s, v: RISE[s], "recall", "recall is very", Verdict.REPRODUCED),
        ("3", only("IG", 1.0), "recall", "DF's recall", Verdict.DIRECTION),
        ("3", only("US", 1.0), "recall", "DF's recall", Verdict.NOT_REPRODUCED),
        ("4b", only("SS", 0.2), "f1", "with many words", Verdict.NOT_REPRODUCED),
        ("4b", by("SS", -0.04, lambda s: s == 1000), "f1", "many", Verdict.DIRECTION),
        ("4b", by("SS", -0.025), "f1", "with many words", Verdict.REPRODUCED),
        ("4b", by("SS:rank=5", -0.1), "f1", "with few words", Verdict.DIRECTION),
        ("4b", by("SS", 0.2), "f1", "with few words", Verdict.NOT_REPRODUCED),
        ("4b", by("SS:rank=0.9", 0.06), "f1", "hold 90 %", Verdict.NOT_REPRODUCED),
        ("5a", only("IG", 0.96), "f1_micro", "IG has about 90 %", Verdict.DIRECTION),
        ("5a", only("IG", 0.84), "f1_micro", "IG has about 90 %", Verdict.NOT_REPRODUCED),
        ("5a", only("IG", 0.92), "f1_micro", "degrades rapidly", Verdict.NOT_REPRODUCED),
        ("5a", by("IG", -0.015, lambda s: s > 3000), "f1_micro", "dominates", Verdict.DIRECTION),
        ("5a", by("IG", -0.03), "f1_micro", "IG dominates", Verdict.NOT_REPRODUCED),
        ("5a", by("IG", 0.3, lambda s: s == 5000), "f1_micro", "above all", Verdict.NOT_REPRODUCED),
        ("5a", by("DF", 0.02), "f1_micro", "rank 100 is the best", Verdict.NOT_REPRODUCED),
        ("5a", by("DF", 0.02, lambda s: s > 300), "f1_micro", "rank 100", Verdict.DIRECTION),
        ("5a", by("WS", 0.05), "f1_micro", "rank 1500 is in general", Verdict.DIRECTION),
        ("5a", by("WS", 0.07), "f1_micro", "rank 1500 is in general", Verdict.NOT_REPRODUCED),
        ("5a", by("SS:rank=1500", 0.1), "f1_micro", "1500 is in general", Verdict.DIRECTION),
        ("5a", by("US", 0.2), "f1_micro", "uniform sampling", Verdict.DIRECTION),
        ("5a", by("US", 0.5), "f1_micro", "uniform sampling", Verdict.NOT_REPRODUCED),
        (
            "5a",
            lambda m, s, v: LARGE_RISE[s],
            "precision_macro",
            "precision does not",
            Verdict.NOT_REPRODUCED,
        ),
        ("5a", lambda m, s, v: LARGE_RISE[s] / 2, "precision_macro", "grow", Verdict.DIRECTION),
        ("5b", lambda m, s, v: v - 0.01, "f1_micro", "micro-F1 of all", Verdict.DIRECTION),
        ("5b", lambda m, s, v: v - 0.02, "f1_macro", "macro-F1 of all", Verdict.NOT_REPRODUCED),
        (
            "5b",
            by("WS", 0.045, lambda s: s > 300),
            "f1_micro",
            "(micro-F1)",
            Verdict.NOT_REPRODUCED,
        ),
        ("5b", by("WS", 0.045, lambda s: s == 300), "f1_micro", "IG is", Verdict.DIRECTION),
        (
            "5b",
            by("DF", -0.02),
            "f1_macro",
            "DF is slightly better than SS (macro",
            Verdict.NOT_REPRODUCED,
        ),
        ("5b", by("DF", -0.02, lambda s: s > 10_000), "f1_micro", "DF is", Verdict.DIRECTION),
    ],
)
def test_a_statement_is_judged_by_what_was_measured(figure, change, metric, says_so, verdict):
    first = next(one for say, one in told(figure, change, metric).items() if says_so in say)
    assert first.verdict is verdict, first


def test_a_method_that_was_not_run_leaves_its_statements_open():
    found = told("5a", only("SS:rank=1500", math.nan))
    open_ones = {say for say, one in found.items() if one.verdict is Verdict.UNMEASURED}
    assert any("rank 1500 has about" in say for say in open_ones)
    assert not any("IG has about" in say for say in open_ones)
    assert any("IG dominates" in say for say in open_ones)


def test_the_number_of_words_may_differ_by_a_tenth():
    for here, verdict in ((55_900, Verdict.REPRODUCED), (55_700, Verdict.NOT_REPRODUCED)):
        first = next(large.news(points(news()), here))
        assert (first.verdict, first.ours) == (verdict, f"{here:,}")
    assert next(large.news([], math.nan)).verdict is Verdict.UNMEASURED


def sets(ig: np.ndarray, ss: np.ndarray) -> dict[str, Finding]:
    names = [f"set {n}" for n in range(len(ig))]
    by_name = (dict(zip(names, values, strict=True)) for values in (ig, ss))
    found = statements.over_sets(*by_name, repeats=20)
    return {one.statement: one for one in found}


def told_sets() -> tuple[np.ndarray, np.ndarray]:
    """IG from 0.6 to 1.1; SS from 0.8 to 1, the same whatever IG does."""
    ss = 0.87 + 0.01 * (-1.0) ** np.arange(100)
    ss[49], ss[50] = 0.8, 1.0
    return np.linspace(0.6, 1.1, 100), ss


def test_sets_vary_as_in_figure_4a():
    found = sets(*told_sets())
    assert {one.verdict for one in found.values()} == {Verdict.REPRODUCED}, found
    assert {one.verdict for one in statements.over_sets({}, {}, 20)} == {Verdict.UNMEASURED}


def test_one_draw_does_not_tell_how_sets_vary():
    values = {f"{n}": 0.9 for n in range(50)}
    found = statements.over_sets(values, dict.fromkeys(values, 0.95), repeats=9)
    verdicts = [one.verdict for one in found]
    assert verdicts.pop(4) is Verdict.REPRODUCED  # the mean does not need many draws
    assert set(verdicts) == {Verdict.UNMEASURED}


@pytest.mark.parametrize(
    ("ig", "ss", "verdicts"),
    [
        (
            lambda v: v + 0.3,
            lambda v: v,
            "NOT REPRODUCED REPRODUCED REPRODUCED NOT NOT",
        ),
        (
            lambda v: v,
            lambda v: v + 0.15,
            "REPRODUCED NOT REPRODUCED REPRODUCED DIRECTION DIRECTION",
        ),
        (lambda v: np.maximum(v, 0.75), lambda v: v, "DIRECTION"),
        (
            lambda v: v,
            lambda v: np.linspace(0.2, 1, 100),
            "REPRODUCED DIRECTION NOT NOT NOT NOT",
        ),
        (lambda v: v + 0.025, lambda v: v, "REPRODUCED REPRODUCED REPRODUCED REPRODUCED DIRECTION"),
    ],
)
def test_sets_that_vary_otherwise_are_told(ig, ss, verdicts):
    first, second = told_sets()
    found = [
        one.verdict.name.removesuffix("_REPRODUCED") for one in sets(ig(first), ss(second)).values()
    ]
    assert found[: len(verdicts.split())] == verdicts.split()


def distances(values) -> Finding:
    (found,) = statements.distances(
        [MeanPoint("SS, by rank", k, statements.HELLINGER, v, 0.0, 9) for k, v in values.items()]
    )
    return found


def test_distances_fall_as_ranks_grow():
    falling = {1: 0.65, 2: 0.68, 5: 0.5, 10: 0.4, 20: 0.3, 40: 0.2, 100: 0.1}
    assert distances(falling).verdict is Verdict.REPRODUCED
    assert distances(falling).ours.startswith("0.65 at 1, 0.68 at 2")
    bumpy = {1: 0.5, 2: 0.1, 5: 0.6, 10: 0.2, 20: 0.4}
    assert distances(bumpy).verdict is Verdict.DIRECTION
    assert distances({1: 0.1, 2: 0.2}).verdict is Verdict.NOT_REPRODUCED
    assert distances({}).verdict is Verdict.UNMEASURED


def lambdas(micro: dict[float, float]) -> list[Finding]:
    found = [MeanPoint("f1_micro", alpha, large.ALL, v, 0.0, 1) for alpha, v in micro.items()]
    return list(large.alpha_statements(found))


def test_the_best_lambda_is_that_of_the_paper_or_near_it():
    best, absent = lambdas({0.2: 0.81, 0.4: 0.82, 0.8: 0.8})
    assert (best.verdict, best.ours) == (Verdict.REPRODUCED, "at 0.4; 0.000 less at 0.4")
    assert absent.verdict is Verdict.UNMEASURED
    flat, _ = lambdas({0.2: 0.823, 0.4: 0.819})
    assert (flat.verdict, flat.ours) == (Verdict.DIRECTION, "at 0.2; 0.004 less at 0.4")
    other, _ = lambdas({0.2: 0.9, 0.4: 0.819})
    assert other.verdict is Verdict.NOT_REPRODUCED
    missed, _ = lambdas({0.2: 0.9})
    assert missed.verdict is Verdict.UNMEASURED


def test_curves_know_what_was_measured():
    curves = Curves.of(points(techtc()), "relative recall")
    assert curves.sizes("DF", "IG", least=10, most=100) == [10, 20, 50, 100]
    assert curves.sizes("DF", "NONE") == []
    assert math.isnan(curves.at("DF", 7))
    assert curves.leads("DF", ["IG", "US"], [5]) == pytest.approx([0.99 - (0.9 - 0.1)])


def test_drawings_have_the_papers_figures_and_names():
    drawn = {one.name: one for one in statements.techtc_plots(points(techtc()))}
    assert [*drawn] == ["figure3-f1", "figure3-precision", "figure3-recall"]
    *lines, hollow = drawn["figure3-f1"].lines
    assert {line.name for line in lines} == {"DF", "IG", "US", "WS", "SS, full rank", "SS, rank 10"}
    assert (hollow.from_paper, hollow.xs, hollow.ys) == (True, (500,), (0.85,))
    assert not any(line.from_paper for line in drawn["figure3-recall"].lines)
    ig = next(line for line in drawn["figure3-recall"].lines if line.name == "IG")
    assert (ig.xs, ig.ys[0]) == (SIZES, pytest.approx(0.75))
    first, *_ = large.news_plots(points(news()))
    assert (first.name, first.lines[-1].xs, first.lines[-1].ys) == (
        "figure5a-f1_micro",
        (5000,),
        (0.9,),
    )
    assert [one.name for one in large.reuters_plots(points(reuters()))] == [
        "figure5b-f1_micro",
        "figure5c-f1_macro",
    ]


def test_ranks_are_drawn_by_name():
    (drawn,) = statements.rank_plots(points(ranked()))
    assert [line.name for line in drawn.lines][-3:] == [
        "SS, rank 60",
        "SS, full rank",
        "SS, 90 % of the norm",
    ]


def test_sets_are_drawn_as_cells():
    ig, ss = told_sets()
    (drawn,) = statements.spread_plots(dict(enumerate(ig)), dict(enumerate(ss)) | {"other": 1.0})
    assert sum(n for *_, n in drawn.counts) == 100
    assert (drawn.x_title, drawn.y_title) == ("IG", "SS, full rank")
    assert list(statements.spread_plots({}, {"other": 1.0})) == []
