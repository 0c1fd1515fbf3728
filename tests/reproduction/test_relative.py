"""Shares of all words, and what Dasgupta's figures find and draw from them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from laconic.rows import Row
from laconic.studies.options import Source
from reproduction.dasgupta2007 import experiment as paper
from reproduction.dasgupta2007 import statements as statements
from reproduction.dasgupta2007 import statements_large as large
from reproduction.dasgupta2007.relative import best_all_words, number_of_words
from reproduction.dasgupta2007.relative import points as points_of
from reproduction.shared.figures import Scale
from reproduction.statements import Finding, Verdict
from tests.reproduction.test_dasgupta2007 import FIGURE
from tests.studies.corpora import pets


@pytest.mark.parametrize("nested", [False, True])
def test_a_figure_finds_and_draws_from_its_rows(tmp_path, nested):
    """Alpha by leave-one-out has separate drawings; statements are about the paper's alpha."""
    seen = []

    def findings(rows):
        seen.extend(rows)
        yield Finding("a", "", "b", Verdict.REPRODUCED)

    def plots(rows):
        points = [p for p in points_of(rows) if p.metric == "relative f1_micro"]
        return statements.rank_plots([replace(p, metric="relative f1") for p in points])

    figure = replace(FIGURE, findings=findings, plots=plots)
    found = figure.run(tmp_path / "out", Scale(sets=1, n_splits=2, draws=1, nested=nested))
    assert seen == ([] if nested else found.rows)
    assert [one.statement for one in found.findings] == ([] if nested else ["a"])
    (drawn,) = found.plots
    assert drawn.name == ("figure4b-f1-nested" if nested else "figure4b-f1")
    assert drawn.title.endswith("; alpha by leave-one-out") == nested
    by_hand = {
        point.size: point.mean
        for point in points_of(found.rows)
        if (point.method, point.metric) == ("DF", "relative f1_micro")
    }
    line = next(line for line in drawn.lines if line.name == "DF")
    assert dict(zip(line.xs, line.ys, strict=True)) == by_hand


def row(problem, fold, method, asked, value, model_size=7, metric="f1"):
    return Row(problem, method, asked, metric, value, model_size, model_size, fold=fold)


def test_values_of_a_set_are_means_over_its_splits():
    rows = [
        row("p", "first", "ALL+ridge:alpha=1.0", 1.0, 0.5, 100),
        row("p", "second", "ALL+ridge:alpha=1.0", 1.0, 1.0, 200),
        row("q", "first", "ALL+ridge:alpha=1.0", 1.0, 1.0, 600),
        row("p", "first", "IG+ridge", 1000, 0.5),
        row("p", "second", "IG+ridge", 1000, 0.5),
        row("q", "first", "IG+ridge", 1000, 0.9),
        row("p", "first", "SS+ridge", 1000, 0.25),
        row("p", "first", "SS+ridge", 500, 0.1),
    ]
    ig, ss = paper.by_set(rows)
    assert ig == {"p": pytest.approx(0.75), "q": pytest.approx(0.9)}
    assert ss == {"p": pytest.approx(0.5)}
    assert number_of_words(rows) == 300
    assert math.isnan(number_of_words(rows[3:]))


def test_figure_2_is_by_lambda():
    rows = [
        row("p", "", f"ALL+ridge:alpha={a}", 1.0, v, metric="f1_micro")
        for a, v in ((0.4, 0.8), (0.1, 0.9))
    ]
    found = paper.by_alpha(rows)
    assert [(p.method, p.size, p.mean) for p in found] == [
        ("f1_micro", 0.4, 0.8),
        ("f1_micro", 0.1, 0.9),
    ]
    (drawn,) = large.alpha_plots(found)
    assert (drawn.lines[0].name, drawn.lines[0].xs) == ("f1_micro", (0.1, 0.4))


def test_a_large_corpus_is_dealt_into_sets(monkeypatch):
    corpus = pets(22, name="large")
    monkeypatch.setattr("laconic.corpus.loading.read_corpora", lambda *_, **__: iter([corpus]))
    one, three = (paper.part_of("large", Scale(n, 1, 1)) for n in (1, 3))
    assert one.ids == corpus.ids[::4]
    assert [*three.ids] == [name for n, name in enumerate(corpus.ids) if n % 4 < 3]
    assert paper.part_of("large", Scale(4, 1, 1)) == Source("large")


def test_of_equally_good_alphas_the_smallest_is_best():
    scores = {0.4: 0.75, 0.1: 0.5, 0.2: 0.75, 1.0: 0.75}
    rows = [
        Row("p", f"ALL+ridge:alpha={alpha}", 1.0, "f1_micro", value, fold="split 1")
        for alpha, value in scores.items()
    ]
    others = [
        Row("p", "ALL+ridge:alpha=0.05", 1.0, "f1_micro", None, fold="split 1"),
        Row("p", "ALL+ridge:alpha=0.05", 1.0, "f1_macro", 0.9, fold="split 1"),
        Row("p", "IG+ridge:alpha=0.05", 10, "f1_micro", 0.9, fold="split 1"),
    ]
    assert best_all_words([*others, *rows]) == {("p", "split 1"): "ALL+ridge:alpha=0.2"}
