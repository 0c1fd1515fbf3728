"""Statements of papers: what holds, what only points the same way, what was not measured."""

from __future__ import annotations

import math

import numpy as np
import pytest

from laconic.studies.analysis.significance import PairedTest as Paired
from reproduction import PAPERS, experiment
from reproduction.shared.figures import MeanPoint, make_plot
from reproduction.shared.plots import CELLS, Cells, Series
from reproduction.statements import Verdict, judge, judge_value
from reproduction.torkkola import statements as statements
from reproduction.torkkola.prediction_costs import MeasuredCost, PredictionCost


@pytest.mark.parametrize(
    ("here", "nearly", "verdict"),
    [
        (0.915, False, Verdict.REPRODUCED),
        (0.905, False, Verdict.REPRODUCED),
        (0.93, False, Verdict.NOT_REPRODUCED),
        (0.93, True, Verdict.DIRECTION),
        (math.nan, True, Verdict.UNMEASURED),
    ],
)
def test_a_figure_is_reproduced_within_its_tolerance(here, nearly, verdict):
    found = judge_value("accuracy", 0.91, here, within=0.01, direction=nearly, reason="because")
    assert found.verdict is verdict
    assert found.paper == "0.910"
    assert found.ours == ("" if math.isnan(here) else f"{here:.3f}")
    told = {Verdict.REPRODUCED: "", Verdict.UNMEASURED: "more must be run: --full"}
    assert found.reason == told.get(verdict, "because")


def test_the_tolerance_itself_is_within_it():
    assert judge_value("a", 1.0, 1.5, within=0.5).verdict is Verdict.REPRODUCED
    assert judge_value("a", 1.0, 1.75, within=0.5).verdict is Verdict.NOT_REPRODUCED


def test_the_reason_is_told_of_what_does_not_hold_only():
    assert judge("it rains", "it does", True, reason="clouds").reason == ""
    assert judge("it rains", "it does not", False, reason="no clouds").reason == "no clouds"
    assert judge("it rains", "", None, reason="no clouds").verdict is Verdict.UNMEASURED
    assert judge("it rains", "it does", True).verdict_text == "reproduced"
    assert (
        judge("it rains", "no", False, reason="no clouds").verdict_text
        == "not reproduced: no clouds"
    )


def test_what_is_not_to_be_had_has_a_reason():
    for paper in map(experiment, PAPERS):
        for one in paper.UNAVAILABLE:
            assert one.verdict is Verdict.UNAVAILABLE
            assert one.reason
            assert not one.ours


def test_cells_count_every_pair_once():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 500))
    found = Cells.of("a", "t", "x", "y", x, y)
    assert sum(n for *_, n in found.counts) == 500
    assert len(found.counts) <= CELLS**2
    for left, right, low, high, n in found.counts:
        inside = (left <= x) & (x < right) & (low <= y) & (y < high)
        last = np.maximum(x.max(), y.max())
        edge = ((x == last) | (y == last)) & (left <= x) & (x <= right) & (low <= y) & (y <= high)
        assert (inside | edge).sum() == n


def test_a_value_on_an_edge_is_in_the_cell_above_it():
    found = Cells.of("a", "t", "x", "y", [0, CELLS, 12], [0, CELLS, 3])
    assert (12.0, 13.0, 3.0, 4.0, 1) in found.counts
    assert (CELLS - 1.0, CELLS, CELLS - 1.0, CELLS, 1) in found.counts


def test_cells_of_equal_values_have_a_size():
    (cell,) = Cells.of("a", "t", "x", "y", [1.0, 1.0], [1.0, 1.0]).counts
    left, right, low, high, n = cell
    assert (right - left, high - low) == pytest.approx((0.1 / CELLS, 0.1 / CELLS))
    assert (left <= 1.0 <= right, low <= 1.0 <= high, n) == (True, True, 2)


def test_pairs_without_a_value_have_no_cell():
    found = Cells.of("a", "t", "x", "y", [0.5, math.nan, 0.1, 0.9], [0.5, 0.7, math.inf, 0.6])
    assert sum(n for *_, n in found.counts) == 2
    assert max(right for _, right, *_ in found.counts) == 0.9
    assert Cells.of("a", "t", "x", "y", [], []).counts == ()


def test_a_plot_has_a_line_a_method_in_the_order_of_sizes():
    points = [
        MeanPoint("IG", 100, "f1", 0.9, 0.0, 1),
        MeanPoint("IG", 10, "f1", 0.8, 0.0, 1),
        MeanPoint("IG", 10, "roc_auc", 0.5, 0.0, 1),
        MeanPoint("DF", 10, "f1", math.nan, 0.0, 0),
        MeanPoint("US", 10, "f1", 0.1, 0.0, 1),
    ]
    paper = Series("gain", (10,), (0.85,), from_paper=True)
    plot = make_plot(
        "a", points, "f1", labels={"IG": "gain", "DF": "frequency"}, paper_lines=[paper]
    )
    assert plot.lines == (Series("gain", (10, 100), (0.8, 0.9)), paper)
    assert {line.name for line in make_plot("a", points, "f1").lines} == {"IG", "US"}


def accuracies() -> dict:
    """Those of the paper where it gives them, and such as it describes elsewhere."""
    found = dict(statements.PAPER)
    for halvings, size in enumerate((513, 256, 128, 64, 32, 16)):
        found[statements.LSI, size] = 88.6 - 4.5 * halvings
    found |= {
        (statements.RP, size): found[statements.LSI, size] - 8 for size in (16, 32, 64, 128, 256)
    }
    found |= {(statements.IG, size): found[statements.LSI, size] - 4 for size in (32, 64, 128, 256)}
    found |= {(statements.LSI, 12): 70.0, (statements.IG, 12): 60.0, (statements.RP, 12): 50.0}
    found |= {(statements.IG, 2): 38.0, (statements.RP, 2): 30.0, (statements.RP, 8): 45.0}
    found |= {(statements.LDA_RP, 12): 90.9, (statements.LDA_RP, 64): 92.0}
    spread = {2: 9.0, 8: 4.0, 64: 1.0}
    return {
        (label, size): MeanPoint(
            label,
            size,
            "accuracy",
            value,
            spread.get(size, 0.5) if label == statements.RP else 0.0,
            5,
        )
        for (label, size), value in found.items()
    }


def mcnemar(statistic=18.9, p=1e-5, effect=1.5) -> Paired:
    return Paired("McNemar's test", statistic, p, effect, "odds ratio", 184)


def test_the_papers_own_figures_are_reproduced():
    found = list(statements.figure_2(accuracies(), mcnemar()))
    assert {one.verdict for one in found} == {Verdict.REPRODUCED}, found


def verdicts(found: dict, statistic: Paired) -> dict[str, Verdict]:
    return {one.statement: one.verdict for one in statements.figure_2(found, statistic)}


def test_other_measurements_get_other_verdicts():
    right = verdicts(accuracies(), mcnemar())
    for (label, size), value, changed, verdict in (
        ((statements.FULL, 1.0), 80.0, "full, all words: accuracy in %", Verdict.NOT_REPRODUCED),
        ((statements.LDA_LSI, 64), 94.0, "LDA from LSI, 64: accuracy in %", Verdict.DIRECTION),
        (
            (statements.FULL, 1.0),
            92.0,
            "going from 5,718 words to 12 components improves the accuracy",
            Verdict.NOT_REPRODUCED,
        ),
        (
            (statements.IG, 12),
            95.0,
            "at equal small sizes LDA is far ahead of the others",
            Verdict.NOT_REPRODUCED,
        ),
        (
            (statements.IG, 12),
            82.0,
            "at equal small sizes LDA is far ahead of the others",
            Verdict.DIRECTION,
        ),
        (
            (statements.LSI, 16),
            58.0,
            "halving the components of LSI costs 4 to 5 points",
            Verdict.DIRECTION,
        ),
        (
            (statements.IG, 2),
            55.0,
            "selection by IG fails at very low dimensions",
            Verdict.NOT_REPRODUCED,
        ),
        (
            (statements.IG, 64),
            99.0,
            "… and lies between random projections and LSI at medium ones",
            Verdict.DIRECTION,
        ),
        (
            (statements.LSI, 64),
            84.0,
            "halving the components of LSI costs 4 to 5 points",
            Verdict.NOT_REPRODUCED,
        ),
        (
            (statements.LDA_RP, 12),
            88.0,
            "LDA from a random projection behaves very similarly to LDA from LSI",
            Verdict.DIRECTION,
        ),
    ):
        found = accuracies()
        found[label, size] = MeanPoint(label, size, "accuracy", value, 0.0, 5)
        here = verdicts(found, mcnemar())
        assert here[changed] is verdict, changed
        others = {one for one in right if here[one] is not right[one]}
        assert changed in others


def test_mcnemar_points_the_same_way_only_if_it_is_significant():
    name = "McNemar's χ² of 12 components of LDA from LSI against all words"
    assert verdicts(accuracies(), mcnemar(6.3, 0.01, 1.4))[name] is Verdict.DIRECTION
    assert verdicts(accuracies(), mcnemar(6.3, 0.2, 1.4))[name] is Verdict.NOT_REPRODUCED
    assert verdicts(accuracies(), mcnemar(6.3, 0.01, 0.7))[name] is Verdict.NOT_REPRODUCED


def test_what_was_not_run_is_not_judged():
    few = {place: point for place, point in accuracies().items() if place[1] in (12, 1.0)}
    found = {one.statement: one for one in statements.figure_2(few, mcnemar())}
    assert found["LSI, 513: accuracy in %"].verdict is Verdict.UNMEASURED
    assert found["halving the components of LSI costs 4 to 5 points"].verdict is Verdict.UNMEASURED
    assert found["random projections vary much at low dimensions"].verdict is Verdict.UNMEASURED
    assert (
        found["going from 5,718 words to 12 components improves the accuracy"].verdict
        is Verdict.REPRODUCED
    )


@pytest.mark.parametrize(
    ("low", "verdict"), [(3.1, Verdict.REPRODUCED), (2.9, Verdict.NOT_REPRODUCED)]
)
def test_much_variation_is_three_times_that_of_many_columns(low, verdict):
    """Whose standard deviation is 1."""
    found = accuracies()
    found[statements.RP, 2] = MeanPoint(statements.RP, 2, "accuracy", 30.0, low, 5)
    varies = verdicts(found, mcnemar())["random projections vary much at low dimensions"]
    assert varies is verdict


def test_one_draw_says_nothing_of_variation():
    found = {
        place: MeanPoint(point.method, point.size, "accuracy", point.mean, 0.0, 1)
        for place, point in accuracies().items()
    }
    varies = verdicts(found, mcnemar())["random projections vary much at low dimensions"]
    assert varies is Verdict.UNMEASURED


def test_reasons_are_told_only_where_they_are_true():
    found = accuracies()
    found[statements.LDA_LSI, 2] = MeanPoint(statements.LDA_LSI, 2, "accuracy", 60.0, 0.0, 1)
    found[statements.LDA_LSI, 64] = MeanPoint(statements.LDA_LSI, 64, "accuracy", 94.0, 0.0, 1)
    reason = {
        one.statement: one.reason for one in statements.figure_2(found, mcnemar(6.3, 0.01, 0.7))
    }
    assert reason["LDA from LSI, 2: accuracy in %"] == "worse here, for unknown reasons"
    assert reason["LDA from LSI, 64: accuracy in %"] == "better here, for unknown reasons"
    tested = "McNemar's χ² of 12 components of LDA from LSI against all words"
    assert reason[tested] == "12 components are not ahead, p = 0.01"
    ahead = {
        one.statement: one.reason for one in statements.figure_2(found, mcnemar(6.3, 0.01, 1.4))
    }
    assert ahead[tested] == "12 components are ahead, p = 0.01"


@pytest.mark.parametrize(
    ("twelve", "sixty_four", "verdict", "reason"),
    [
        (91.9, 92.2, Verdict.REPRODUCED, ""),
        (95.0, 92.2, Verdict.DIRECTION, ""),
        (97.0, 92.2, Verdict.NOT_REPRODUCED, ""),
        (88.0, 92.2, Verdict.DIRECTION, ""),
        (88.0, 90.0, Verdict.DIRECTION, "close to it, but behind"),
    ],
)
def test_similar_is_neither_better_nor_worse(twelve, sixty_four, verdict, reason):
    """LDA from LSI has 91.1 and 92.2."""
    found = accuracies()
    for size, value in ((12, twelve), (64, sixty_four)):
        found[statements.LDA_RP, size] = MeanPoint(
            statements.LDA_RP, size, "accuracy", value, 0.0, 5
        )
    name = "LDA from a random projection behaves very similarly to LDA from LSI"
    (one,) = [one for one in statements.figure_2(found, mcnemar()) if one.statement == name]
    assert (one.verdict, one.reason) == (verdict, reason)


def test_by_a_fair_kernel_the_papers_columns_are_asked_and_ours():
    """The paper's are of LDA from LSI, so that another's success is not theirs."""
    found = {
        (label, size): MeanPoint(label, size, "accuracy", value, 0.0, 1)
        for label, size, value in (
            (statements.FULL, 1.0, 95.1),
            (statements.LDA_LSI, 12, 90.8),
            (statements.LDA_LSI, 64, 93.9),
            (statements.LDA, 12, 91.2),
            (statements.LDA, 64, 95.3),
        )
    }
    tested = {(statements.LDA_LSI, 64): mcnemar(10.7, 0.0011, 0.5)}
    *theirs, twelve, many = statements.nested(found, tested)
    assert [one.verdict for one in theirs] == [Verdict.NOT_REPRODUCED] * 2
    assert theirs[0].statement.endswith("(LDA from LSI)")
    assert [one.paper for one in theirs] == ["91.1, 88.8", "92.2, 88.8"]
    assert theirs[1].ours == "93.9 with 64 components, 95.1 with all words, p = 0.0011"
    assert all("underfits" in one.reason for one in theirs)
    assert (twelve.verdict, many.verdict) == (Verdict.NOT_REPRODUCED, Verdict.REPRODUCED)
    assert twelve.ours == "91.2 with 12 components, 95.1 with all words"
    few = {place: point for place, point in found.items() if place[0] != statements.LDA_LSI}
    assert [one.verdict for one in statements.nested(few, {})][:2] == [Verdict.UNMEASURED] * 2


def test_costs_are_compared_with_the_papers_counts():
    whole = MeasuredCost(89.3, PredictionCost(733_021, 277_956, 1), 1.0, 11_179, 4_239)
    few = MeasuredCost(90.6, PredictionCost(35_431, 16_999, 1), 1.0, 2_887, 1_351)
    models = {"full, Gaussian": whole, "LDA from LSI, 12, Gaussian": few}
    assert {one.verdict for one in statements.costs(models)} == {Verdict.REPRODUCED}
    slow = models | {"LDA from LSI, 12, Gaussian": whole}
    assert [one.verdict for one in statements.costs(slow)][-1] is Verdict.NOT_REPRODUCED
    large = MeasuredCost(89.3, PredictionCost(1_000_000, 1, 1), 1.0, 20_000, 1)
    found = [one.verdict for one in statements.costs(models | {"full, Gaussian": large})]
    assert found[:2] == [Verdict.DIRECTION] * 2
    small = MeasuredCost(89.3, PredictionCost(300_000, 1, 1), 1.0, 5_000, 1)
    found = [one.verdict for one in statements.costs(models | {"full, Gaussian": small})]
    assert found[:2] == [Verdict.NOT_REPRODUCED] * 2
