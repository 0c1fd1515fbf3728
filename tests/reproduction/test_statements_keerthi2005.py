"""Keerthi's statements: made-up curves have their verdicts, and a page has them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from reproduction.keerthi2005 import experiment as paper
from reproduction.keerthi2005 import f_measures as curves
from reproduction.keerthi2005 import statements as statements
from reproduction.keerthi2005.f_measures import (
    BNS,
    IG,
    LARS,
    LARS_0,
    REFIT,
    RLS,
    SVM,
    ProblemCurves,
)
from reproduction.pages.markdown import update
from reproduction.pages.section import Section
from reproduction.shared.figures import FigureResult
from reproduction.statements import Verdict

YES, NEARLY, NO, OPEN = (
    Verdict.REPRODUCED,
    Verdict.DIRECTION,
    Verdict.NOT_REPRODUCED,
    Verdict.UNMEASURED,
)
NOTHING = ProblemCurves({}, {}, {}, {}, {})


def svm(**of):
    """Curves by short names."""
    names = {"lars": LARS, "bare": LARS_0, "refit": REFIT, "ig": IG, "bns": BNS}
    return {names[name]: curve for name, curve in of.items()}


def of_svm(whole=math.nan, further=None, **of):
    told = {} if math.isnan(whole) else {SVM: whole}
    return replace(NOTHING, svm=svm(**of), whole=told, further=further or {})


def of_rls(whole=math.nan, **of):
    told = {} if math.isnan(whole) else {RLS: whole}
    return replace(NOTHING, rls=svm(**of), whole=told)


def of_both(mine, theirs, whole=(math.nan, math.nan), further=None):
    told = {kind: w for kind, w in zip((SVM, RLS), whole, strict=True) if not math.isnan(w)}
    return ProblemCurves({LARS: mine}, {LARS: theirs}, {}, told, further or {})


MIDDLE_SVM, MIDDLE_RLS, ANEW = statements.OF_ALL[1:4]
CASES = [
    # two words decide nothing beyond 8, and one bad size of three is a direction
    (statements.first_words, of_svm(ig={2: 0.5, 16: 0.1}, lars={2: 0.505, 16: 0.9}), YES),
    (statements.first_words, of_svm(ig={2: 0.5, 8: 0.6}, lars={2: 0.52, 8: 0.5}), NEARLY),
    (statements.first_words, of_svm(ig={2: 0.5, 8: 0.5}, lars={2: 0.52, 8: 0.52}), NO),
    (MIDDLE_SVM, of_svm(lars={32: 0.6, 500: 0.61}, ig={32: 0.55, 500: 0.6}), YES),
    (MIDDLE_SVM, of_svm(lars={16: 0.9, 32: 0.605}, ig={16: 0.1, 32: 0.6}), NEARLY),
    (MIDDLE_SVM, of_svm(lars={32: 0.59}, bare={32: 0.61}, ig={32: 0.6}), NEARLY),
    (MIDDLE_SVM, of_svm(lars={32: 0.59, 650: 0.9}, bare={32: 0.6}, ig={32: 0.6, 650: 0.1}), NO),
    # far ahead on average, but at one size of two only
    (MIDDLE_SVM, of_svm(lars={32: 0.9, 64: 0.59}, ig={32: 0.6, 64: 0.6}), NO),
    (MIDDLE_SVM, of_svm(lars={650: 0.9}, ig={650: 0.1}), OPEN),
    (MIDDLE_RLS, of_rls(lars={32: 0.62}, ig={32: 0.6}), YES),
    (MIDDLE_RLS, of_svm(lars={32: 0.62}, ig={32: 0.6}), OPEN),
    (ANEW, of_svm(lars={32: 0.5}, refit={32: 0.62}, ig={32: 0.6}), YES),
    (ANEW, of_svm(lars={32: 0.7}, bare={32: 0.7}, refit={32: 0.59}, ig={32: 0.6}), NO),
    (ANEW, of_svm(refit={32: 0.605}, ig={32: 0.6}), NEARLY),
    (statements.bns, of_svm(bns={2: 0.3, 900: 0.6}, ig={2: 0.5, 900: 0.7}), YES),
    (statements.bns, of_svm(bns={2: 0.3, 900: 0.71}, ig={2: 0.5, 900: 0.7}), NEARLY),
    (statements.bns, of_svm(bns={2: 0.6, 900: 0.65}, ig={2: 0.5, 900: 0.7}), NO),
    (statements.degraded, of_rls(0.6, lars={8: 0.7, 350: 0.8}, ig={8: 0.64}), YES),
    (statements.degraded, of_rls(0.6, lars={350: 0.8}, ig={8: 0.61}), NEARLY),
    (statements.degraded, of_rls(0.6, lars={350: 0.605}, ig={8: 0.6}), NO),
    (statements.degraded, of_rls(lars={350: 0.8}, ig={8: 0.61}), OPEN),
    (statements.degraded_less, of_both({8: 0.7}, {8: 0.7}, (0.65, 0.6)), YES),
    (statements.degraded_less, of_both({8: 0.7}, {8: 0.7}, (0.695, 0.75)), YES),
    (statements.degraded_less, of_both({8: 0.7}, {8: 0.7}, (0.6, 0.6049)), NEARLY),
    (statements.degraded_less, of_both({8: 0.7}, {8: 0.7}, (0.6, 0.65)), NO),
    (statements.degraded_less, of_both({8: 0.7}, {8: 0.7}, (0.6, math.nan)), OPEN),
    (statements.higher_peak, of_both({8: 0.1, 64: 0.82}, {8: 0.8, 64: 0.1}), YES),
    (statements.higher_peak, of_both({64: 0.805}, {8: 0.8}), NEARLY),
    (statements.higher_peak, of_both({64: 0.79}, {8: 0.8}, further={800: 0.81}), NEARLY),
    (statements.higher_peak, of_both({64: 0.79}, {8: 0.8}, further={800: 0.8}), NO),
    (statements.fewer_words, of_both({64: 0.7, 128: 0.6}, {64: 0.5, 128: 0.6}), YES),
    (statements.fewer_words, of_both({64: 0.7}, {64: 0.5}), NEARLY),
    (statements.fewer_words, of_both({64: 0.6, 128: 0.6, 200: 0.61}, {128: 0.6}), NO),
    (statements.overfits, of_svm(bare={8: 0.7, 64: 0.66}, lars={64: 0.7}), YES),
    (statements.overfits, of_svm(bare={8: 0.7, 64: 0.68}, lars={64: 0.7}), NEARLY),
    (statements.overfits, of_svm(bare={8: 0.7, 64: 0.66}, lars={64: 0.65}), NO),
    (statements.overfits, of_svm(bare={8: 0.7}, lars={64: 0.65}), OPEN),
    (statements.falls_earlier, of_both({}, {}), OPEN),
    (statements.slightly_inferior, replace(NOTHING, thresholds={}), OPEN),
    (statements.identical, of_svm(bare={8: 0.7, 200: 0.1}, lars={8: 0.709, 200: 0.9}), YES),
    (statements.identical, of_svm(bare={8: 0.7}, lars={8: 0.675}), NEARLY),
    (statements.identical, of_rls(bare={8: 0.7, 16: 0.7}, lars={8: 0.7, 16: 0.6}), NO),
    (statements.harmless, of_svm(bare={128: 0.8}, lars={128: 0.809}), YES),
    (statements.harmless, of_svm(bare={128: 0.8}, lars={500: 0.809}), NEARLY),
    (statements.harmless, of_svm(bare={128: 0.8}, lars={128: 0.84}), NO),
    (
        statements.pointwise,
        of_svm(lars={16: 0.1, 32: 0.9, 800: 0.9}, ig={16: 1, 32: 0.8, 800: 0.8}),
        YES,
    ),
    (
        statements.pointwise,
        of_svm(lars={32: 0.9, 64: 0.9, 80: 0}, ig={32: 0.8, 64: 0.8, 80: 1}),
        NEARLY,
    ),
    (statements.pointwise, of_svm(lars={32: 0.9, 800: 0.8}, ig={32: 0.8, 800: 0.85}), NO),
    (statements.rising, of_svm(lars={200: 0.8, 500: 0.9}, bare={200: 0.88}), YES),
    (statements.rising, of_svm(lars={500: 0.9}, bare={200: 0.895}), NEARLY),
    (statements.rising, of_svm(lars={200: 0.9}, bare={500: 0.85}), NEARLY),
    (statements.rising, of_svm(lars={500: 0.9}, bare={200: 0.9}), NO),
    (statements.striking, of_svm(lars={32: 0.64}, ig={32: 0.6}), YES),
    (statements.striking, of_svm(lars={32: 0.62}, ig={32: 0.6}), NEARLY),
    (statements.striking, of_svm(lars={32: 0.605}, ig={32: 0.6}), NO),
    (statements.degraded_too, of_svm(0.6, lars={32: 0.62}), YES),
    (statements.degraded_too, of_svm(0.6, lars={32: 0.605}), NO),
    (statements.degraded_too, of_svm(lars={32: 0.62}), OPEN),
    (statements.ahead_at_first, of_svm(bare={64: 0.7, 128: 0.64}, lars={64: 0.69, 128: 0.6}), YES),
    (
        statements.ahead_at_first,
        of_svm(bare={64: 0.7, 650: 0.9}, lars={64: 0.685, 650: 0.1}),
        NEARLY,
    ),
    (statements.ahead_at_first, of_svm(bare={64: 0.7}, lars={64: 0.7}), NO),
    (statements.ahead_at_first, of_svm(bare={}, lars={64: 0.7}), OPEN),
    (statements.whole_is_better, of_svm(0.8, further={800: 0.76}), YES),
    (statements.whole_is_better, of_svm(0.8, bare={64: 0.1}, further={800: 0.78}), NEARLY),
    (statements.whole_is_better, of_svm(0.8, further={800: 0.795}), NO),
    (statements.whole_is_better, of_svm(0.8), OPEN),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "found", "verdict"), CASES)
def test_a_statement_has_the_verdict_of_its_curves(statement, found, verdict):
    assert statement(found).verdict is verdict


def test_nothing_measured_is_no_verdict():
    every = {one for several in statements.OF_ONE.values() for one in several} | set(
        statements.OF_ALL
    )
    assert {statement(NOTHING).verdict for statement in every} == {OPEN}


def test_every_statement_is_tried_and_every_problem_has_its_own():
    tried = {statement for statement, *_ in CASES}
    assert set(statements.OF_ALL) <= tried
    assert {one for several in statements.OF_ONE.values() for one in several} <= tried
    assert (
        set(statements.OF_ONE) == set(statements.COUNTS) == {asked.name for asked in paper.PROBLEMS}
    )
    told = [one.statement for one in statements.statements("la1-2", NOTHING)]
    assert len(told) == len(set(told)) == len(statements.OF_ALL) + 3


@pytest.mark.parametrize(
    ("bare", "kept", "size"),
    [
        ({8: 0.7, 64: 0.8, 128: 0.76}, {8: 0.7, 500: 0.8}, 128),
        ({8: 0.7, 64: 0.8, 128: 0.78}, {128: 0.7, 350: 0.8, 500: 0.8}, 350),
        ({8: 0.7, 64: 0.8}, {8: 0.7, 64: 0.8}, math.inf),
        ({}, {8: 0.7}, math.inf),
    ],
)
def test_a_curve_has_fallen_or_ended(bare, kept, size):
    assert curves.fallen(bare, kept, 0.03) == size


@pytest.mark.parametrize(
    ("svm_falls", "rls_falls", "verdict"), [(64, 128, YES), (128, 64, NO), (64, 64, NO)]
)
def test_who_falls_first(svm_falls, rls_falls, verdict):
    def falling(at):
        return {LARS_0: {8: 0.8, **{n: 0.8 if n < at else 0.7 for n in (64, 128)}}}

    found = replace(NOTHING, svm=falling(svm_falls), rls=falling(rls_falls))
    one = statements.falls_earlier(found)
    assert one.verdict is verdict
    assert f"SVM at {svm_falls} words, RLS at {rls_falls} words" in one.ours


@pytest.mark.parametrize(
    ("lars", "ig", "verdict"), [(0.004, 0.002, YES), (0.004, 0.0, NEARLY), (0.001, -0.004, NO)]
)
def test_thresholds_from_training_outputs_lose(lars, ig, verdict):
    tuned = {curves.LARS_LOO: {8: 0.7, 650: 0.1}, curves.IG_CV: {8: 0.7}}
    trained = {curves.LARS_TRAINING: {8: 0.7 - lars, 650: 0.9}, curves.IG_TRAINING: {8: 0.7 - ig}}
    assert (
        statements.slightly_inferior(replace(NOTHING, thresholds=tuned | trained)).verdict
        is verdict
    )


def test_figures_are_told_as_they_were_measured():
    found = of_svm(lars={32: 0.65, 64: 0.7}, bare={32: 0.6}, ig={32: 0.6, 64: 0.71})
    one = MIDDLE_SVM(found)
    assert one.ours == "+0.020 on average over 32–500 words, ahead at 1 of 2 sizes"
    assert one.reason.startswith("alpha = 0 has +0.000;")
    assert statements.higher_peak(of_both({64: 0.8, 128: 0.8}, {8: 0.75})).ours == (
        "LARS, the better alpha: SVM 0.800 at 64, RLS 0.750 at 8"
    )


def test_a_problem_is_the_papers_if_its_counts_are():
    own = statements.COUNTS["fbis-4"]
    assert statements.counts("fbis-4", *own).verdict is YES
    near = statements.counts("fbis-4", own[0], own[1], own[2] - 100)
    assert (near.verdict, near.ours, near.paper) == (
        NEARLY, "387; 2,463; 1,900", "387; 2,463; 2,000"
    )  # fmt: skip
    assert statements.counts("fbis-4", own[0] + 100, *own[1:]).verdict is NO


def test_a_problem_is_drawn_twice_with_all_words_across():
    found = ProblemCurves(
        {LARS: {8: 0.5, 2: 0.4}, LARS_0: {}, IG: {2: 0.3}}, {IG: {2: 0.1}}, {}, {SVM: 0.9}, {}
    )
    first, second = curves.plots("la1-2", found)
    assert (first.name, second.name) == ("figure1-la1-2-svm", "figure1-la1-2-rls")
    assert [(line.name, line.xs, line.ys) for line in first.lines] == [
        (LARS, (2, 8), (0.4, 0.5)), (IG, (2,), (0.3,))
    ]  # fmt: skip
    assert first.level == ("all words, 0.900", 0.9)
    assert second.level is None
    assert first.log
    assert list(curves.plots("la1-2", NOTHING)) == []


def test_the_page_has_statements_drawings_and_numbers(tmp_path):
    found = of_svm(0.9, lars={32: 0.65, 64: 0.7}, ig={32: 0.6, 64: 0.71})
    results = FigureResult(
        [], (), tuple(statements.statements("la1-2", found)), tuple(curves.plots("la1-2", found))
    )
    section = Section.of("Figure 1-la1-2", "Financial", "laconic …", "1 test set, once", results)
    text = update(
        tmp_path, "keerthi2005", paper.REFERENCE, [section], paper.UNAVAILABLE
    ).read_text()
    assert (
        "| +0.020 on average over 32–500 words, ahead at 1 of 2 sizes | **not reproduced**" in text
    )
    assert "| not measured: more must be run: --full |" in text
    assert "![la1-2, SVM](keerthi2005/figure1-la1-2-svm.svg)" in text
    assert (tmp_path / "keerthi2005/figure1-la1-2-svm.svg").stat().st_size < 150_000
