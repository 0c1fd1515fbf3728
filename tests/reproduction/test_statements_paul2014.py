"""Paul & Drineas' statements: judge of their own figures, and of others."""

from __future__ import annotations

import math

import pytest

from laconic.rows import Row
from reproduction.paul2014 import statements as statements
from reproduction.paul2014 import statements_errors as errors
from reproduction.paul2014.alphas import with_alphas
from reproduction.statements import Finding, Verdict

SETS = 24


def own_table() -> dict:
    """The paper's errors by method, alpha and size; RRQR beyond=again is as good as the other."""
    found = {
        (method, alpha, size): value
        for (method, size), values in errors.TABLE_2.items()
        for alpha, value in zip(errors.ALPHAS, values, strict=True)
    }
    again = {
        (statements.AGAIN, alpha, size): value
        for (method, alpha, size), value in found.items()
        if method == statements.COLUMNS
    }
    return found | again


def rows(table: dict, sets: int = SETS) -> list[Row]:
    """Each set is as much harder for every method; two folds lie about its mean."""
    return [
        Row(f"set {n}", name, size, "error", (value + n % 3 - 1 + fold) / 100, fold=f"{fold}")
        for (method, alpha, size), value in table.items()
        for (name,) in [with_alphas([method if "+" in method else f"{method}+ridge"], [alpha])]
        for n in range(sets)
        for fold in (-0.5, 0.5)
    ]


def told(table: dict, sets: int = SETS) -> dict[str, Finding]:
    return {one.statement: one for one in errors.statements(rows(table, sets))}


def test_the_papers_own_figures_are_reproduced():
    found = told(own_table())
    assert {one.verdict for one in found.values()} == {Verdict.REPRODUCED}, found
    assert found["BSS beats leverage"].ours == (
        "by +3.3 to +6.5 points, on 24 to 24 of 24 sets; p < 0.05 in 12 of 12 cells"
    )
    fewer = found["BSS with 300 words is better than leverage with 500"]
    assert fewer.ours.startswith(
        "31.8 against 33.3 at alpha = 0.1, 31.5 against 33.0 at alpha = 0.3, "
    )


def test_where_nothing_was_measured_nothing_is_said():
    found = told({})
    assert {one.verdict for one in found.values()} == {Verdict.UNMEASURED}
    assert len(found) == 16
    one_size = {cell: value for cell, value in own_table().items() if cell[2] == 300}
    verdicts = {say: one.verdict for say, one in told(one_size).items()}
    assert verdicts["BSS beats IG"] is Verdict.REPRODUCED
    assert verdicts["the error falls with more words, for all methods"] is Verdict.UNMEASURED
    assert verdicts["BSS with 300 words is better than leverage with 500"] is Verdict.UNMEASURED


def changed(method: str, more: float, alphas=errors.ALPHAS, sizes=(300, 400, 500)) -> dict:
    return {
        (own, a, size): value + more * (own == method and a in alphas and size in sizes)
        for (own, a, size), value in own_table().items()
    }


@pytest.mark.parametrize(
    ("table", "says_so", "verdict"),
    [
        (changed(statements.IG, -10), "BSS beats IG", Verdict.NOT_REPRODUCED),
        (changed(statements.IG, -10, (0.7,), (500,)), "BSS beats IG", Verdict.NOT_REPRODUCED),
        (changed(statements.AGAIN, -8), "… and RRQR that factorizes", Verdict.NOT_REPRODUCED),
        (changed(statements.AGAIN, -8), "BSS beats RRQR", Verdict.REPRODUCED),
        (
            changed(statements.IG, -10, (0.7,)),
            "BSS is better than all others on",
            Verdict.DIRECTION,
        ),
        (
            changed(statements.IG, -10),
            "BSS is better than all others on every",
            Verdict.NOT_REPRODUCED,
        ),
        (changed(statements.BSS, 2), "BSS is on average at least 3", Verdict.DIRECTION),
        (changed(statements.BSS, 9), "BSS is on average at least 3", Verdict.NOT_REPRODUCED),
        (changed(statements.IG, -1), "from best to worst", Verdict.DIRECTION),
        (changed(statements.IG, -10), "from best to worst", Verdict.NOT_REPRODUCED),
        (changed(statements.RANDOM, -15), "from best to worst", Verdict.NOT_REPRODUCED),
        (changed(statements.BSS, 1.6, (0.1,)), "BSS with 300 words is", Verdict.DIRECTION),
        (changed(statements.BSS, 1.9), "BSS with 300 words is", Verdict.DIRECTION),
        (changed(statements.BSS, 2.1, (0.1,)), "BSS with 300 words is", Verdict.NOT_REPRODUCED),
        (changed(statements.BSS, 1, sizes=(400,)), "the error falls with more", Verdict.REPRODUCED),
        (changed(statements.BSS, 2, sizes=(400,)), "the error falls with more", Verdict.DIRECTION),
        (
            changed(statements.BSS, 3, sizes=(500,)),
            "the error falls with more",
            Verdict.NOT_REPRODUCED,
        ),
        (changed(statements.IG, 9, (0.5,)), "the error falls with a larger", Verdict.DIRECTION),
        (
            changed(statements.IG, 9, (0.7,)),
            "the error falls with a larger",
            Verdict.NOT_REPRODUCED,
        ),
        (changed(statements.BSS, 1.9), "the errors of BSS", Verdict.REPRODUCED),
        (changed(statements.BSS, 2.1, (0.3,)), "the errors of BSS", Verdict.DIRECTION),
        (changed(statements.BSS, 5, (0.7,), (500,)), "the errors of BSS", Verdict.NOT_REPRODUCED),
        (changed(statements.BSS, 5, (0.7,), (500,)), "the errors of IG", Verdict.REPRODUCED),
    ],
)
def test_a_statement_is_judged_by_what_was_measured(table, says_so, verdict):
    first = next(one for say, one in told(table).items() if say.startswith(says_so))
    assert first.verdict is verdict, first


def test_a_lead_that_may_be_chance_is_a_direction():
    """Wilcoxon's p of five sets is above 0.05 at best."""
    found = told(own_table(), sets=5)["BSS beats random"]
    assert found.verdict is Verdict.DIRECTION
    assert found.ours.endswith("on 5 to 5 of 5 sets; p < 0.05 in 0 of 12 cells")
    assert found.reason == errors.MAY_BE_CHANCE


def test_who_does_not_fall_is_named():
    rising = changed(statements.IG, 9, (0.7,))
    assert (
        told(rising)["the error falls with a larger alpha, for all methods"].reason == "not for IG"
    )


def test_all_figures_stand_beside_ours():
    table = changed(statements.BSS, 5, (0.1,), (300,))
    lines = {line[0]: line[1:] for line in errors.beside_paper(rows(table)).lines}
    assert lines["BSS, 300"] == ("31.76 / 36.76", "31.46 / 31.46", "31.24 / 31.24", "31.03 / 31.03")
    assert len(lines) == 15
    bare = {line[0]: line[1:] for line in errors.beside_paper([]).lines}
    assert bare["IG, 500"][0] == "36.24 / "


def test_errors_are_drawn_with_the_papers_over_lambda():
    drawn = list(errors.plots(rows(changed(statements.IG, 1)), "table2", "pairs"))
    assert [one.name for one in drawn] == ["table2-300", "table2-400", "table2-500"]
    assert [one.title[:8] for one in drawn] == ["Figure 1", "Figure 2", "Figure 2"]
    lines = {(line.name, line.from_paper): line for line in drawn[1].lines}
    assert lines["IG", True].ys == errors.TABLE_2[statements.IG, 400]
    assert lines["IG", False].ys == pytest.approx([v + 1 for v in lines["IG", True].ys])
    assert lines["IG", False].xs == errors.ALPHAS
    assert ("RRQR, again", True) not in lines
    assert not drawn[0].log


def own_features() -> dict:
    return {
        (method, size, k): [list(five)]
        for method, cells in statements.TABLE_1.items()
        for (size, k), five in cells.items()
    }


def made(found: dict, worst: float = 0.0) -> dict[str, Finding]:
    return {one.statement: one for one in statements.synthetic(found, worst)}


def test_the_papers_own_features_are_reproduced():
    found = made(own_features())
    assert {one.verdict for one in found.values()} == {Verdict.REPRODUCED}, found
    assert len(found) == 10


@pytest.mark.parametrize(
    ("features", "cells", "relevant", "telling"),
    [
        ([89, 88, 87, 86, 84], Verdict.DIRECTION, Verdict.REPRODUCED, Verdict.REPRODUCED),
        ([89, 88, 87, 86, 101], Verdict.DIRECTION, Verdict.NOT_REPRODUCED, Verdict.NOT_REPRODUCED),
        (
            [43, 951, 769, 277, 686],
            Verdict.NOT_REPRODUCED,
            Verdict.NOT_REPRODUCED,
            Verdict.NOT_REPRODUCED,
        ),
        ([5, 4, 3, 2, 1], Verdict.DIRECTION, Verdict.REPRODUCED, Verdict.NOT_REPRODUCED),
    ],
)
def test_features_that_tell_nothing_are_found_out(features, cells, relevant, telling):
    mine = {
        key: [features] if key[0] == statements.BSS else of for key, of in own_features().items()
    }
    found = made(mine)
    assert found["the five features that BSS selects most often, in four cells"].verdict is cells
    assert found["… all five are relevant, in every set (BSS)"].verdict is relevant
    (told_most,) = (one for say, one in found.items() if say.startswith("BSS selects the most"))
    assert told_most.verdict is telling
    assert found["… all five are relevant, in every set (IG)"].verdict is Verdict.REPRODUCED


def test_every_set_counts_and_the_first_is_shown():
    several = own_features()
    several[statements.IG, 80, 90] = [
        *several[statements.IG, 80, 90],
        [1, 2, 3, 4, 91],
        [1, 2, 3, 4, 5],
    ]
    found = made(several)
    sound = found["… all five are relevant, in every set (IG)"]
    assert (sound.verdict, sound.ours) == (Verdict.DIRECTION, "in 5 of 6 cells")
    cells = found["the five features that IG selects most often, in four cells"]
    assert cells.verdict is Verdict.REPRODUCED
    assert cells.ours.startswith("80, 79, 78, 77, 76, …: 4 of 4 cells are the paper's, 20 of 20")


@pytest.mark.parametrize(
    ("worst", "verdict"),
    [
        (0.0, Verdict.REPRODUCED),
        (0.01, Verdict.DIRECTION),
        (0.02, Verdict.NOT_REPRODUCED),
        (math.nan, Verdict.UNMEASURED),
    ],
)
def test_an_error_of_0_is_0(worst, verdict):
    assert made({}, worst)["the error is 0 for all methods, k, r and alpha"].verdict is verdict


def test_features_that_were_not_selected_are_not_judged():
    assert {one.verdict for one in made({}, math.nan).values()} == {Verdict.UNMEASURED}


@pytest.mark.parametrize(
    ("times", "verdict", "here"),
    [
        ({"dublin": 10, "lucan": 10}, Verdict.REPRODUCED, "2 of 2 words in all 10"),
        (
            {"dublin": 10, "lucan": 9, "swords": None},
            Verdict.DIRECTION,
            "1 of 3 words in all 10; lucan in 9, swords is not in the corpus",
        ),
        ({"dublin": 10, "lucan": 8}, Verdict.NOT_REPRODUCED, "1 of 2 words in all 10; lucan in 8"),
        ({}, Verdict.UNMEASURED, ""),
    ],
)
def test_words_are_found_in_all_training_sets_or_nearly(times, verdict, here):
    found = statements.words_selected("1_2", times, 10)
    assert (found.verdict, found.ours) == (verdict, here)
