"""The one-standard-error rule, by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laconic.rows import Row
from laconic.studies.analysis.candidates import candidates
from laconic.studies.analysis.recommendation import (
    HeldOutResult,
    recommend,
    recommend_per_method,
)
from laconic.studies.analysis.warning_counts import missing_sizes


def row(
    method, asked, fold, value, *, n_features=None, draw=0, problem="p", part="validation", **more
):
    n_features = asked if n_features is None else n_features
    return Row(
        problem,
        method,
        asked,
        "roc_auc",
        value,
        asked,
        n_features,
        draw,
        part,
        f"fold {fold}",
        **more,
    )


def offered(rows):
    return candidates(rows, "roc_auc")[0]


# Best: B at 100 with mean 0.90, values 0.86, 0.90, 0.94, so a standard error of 0.04/√3 = 0.0231.
ROWS = [
    *(row("A", 10, fold, value) for fold, value in enumerate([0.80, 0.88, 0.88])),
    *(row("A", 30, fold, value) for fold, value in enumerate([0.86, 0.88, 0.90])),
    *(row("B", 50, fold, value) for fold, value in enumerate([0.88, 0.88, 0.88])),
    *(row("B", 100, fold, value) for fold, value in enumerate([0.86, 0.90, 0.94])),
    *(
        row("ALL", 1.0, fold, value, n_features=500)
        for fold, value in enumerate([0.85, 0.85, 0.85])
    ),
]


def test_the_smallest_within_one_standard_error_of_the_best():
    (found,) = recommend(offered(ROWS))
    assert (found.best.method, found.best.size) == ("B", 100)
    assert found.best.mean == pytest.approx(0.90)
    assert found.best.se == pytest.approx(0.04 / 3**0.5)
    assert (found.chosen.method, found.chosen.size) == ("A", 30)
    assert (found.chosen.mean, found.baseline.n_features) == (pytest.approx(0.88), 500)


def test_within_each_method_too():
    found = {one.chosen.method: one for one in recommend_per_method(offered(ROWS))}
    # A's best is 30 with 0.88 ± 0.0115, and 0.853 is not within it
    assert found["A"].chosen.size == 30
    assert found["B"].chosen.size == 50
    assert found["ALL"].chosen == found["ALL"].best


def test_the_sentence_says_what_and_why():
    (found,) = recommend(offered(ROWS))
    assert found.sentence == (
        "p: use A with 30 words (6.0% of 500). In validation its roc_auc is 0.880: within one "
        "standard error (0.023) of the best. The best is B with 100 words: 0.900. "
        "Cheaper: A with 10 words, 0.853. Better: B with 100 words, 0.900."
    )


def test_the_sentence_of_a_best_that_is_the_smallest():
    rows = [row("A", 1, fold, value) for fold, value in enumerate([0.5, 0.7])]
    (found,) = recommend(offered(rows))
    assert found.sentence == (
        "p: use A with 1 word. In validation its roc_auc is 0.600, the best result; no "
        "smaller model was tried."
    )


def test_only_validation_counts():
    tested = [row("C", 5, fold, 1.0, part="test") for fold in range(3)]
    assert recommend(offered([*ROWS, *tested])) == recommend(offered(ROWS))


def test_a_size_that_some_fold_lacks_is_no_candidate():
    lacking = [row("C", 5, 0, 1.0), row("C", 5, 1, 1.0)]
    skipped = row("C", 5, 2, None, status="skipped", reason="no")
    assert not any(c.method == "C" for c in offered([*ROWS, *lacking, skipped]))


def test_draws_are_averaged_within_a_fold():
    rows = [row("W", 5, f, v, draw=s) for f, s, v in [(0, 0, 0.2), (0, 1, 0.4), (1, 0, 0.5)]]
    (found,) = offered(rows)
    assert found.values == (pytest.approx(0.3), 0.5)
    assert found.mean == pytest.approx(0.4)


def test_of_equal_words_the_better_and_of_equal_quality_the_fewer():
    rows = [
        *(row("A", 10, fold, 0.8) for fold in range(2)),
        *(row("B", 10, fold, value) for fold, value in enumerate([0.8, 0.9])),
        *(row("C", 20, fold, value) for fold, value in enumerate([0.8, 0.9])),
    ]
    (found,) = recommend(offered(rows))
    assert (found.chosen.method, found.best.method) == ("B", "B")


def test_problems_are_kept_apart():
    other = [row("A", 10, fold, 0.9, problem="q") for fold in range(2)]
    assert [one.problem for one in recommend(offered([*ROWS, *other]))] == ["p", "q"]


@given(
    st.lists(
        st.tuples(st.integers(1, 50), st.lists(st.floats(0, 1), min_size=3, max_size=3)),
        min_size=1,
        max_size=12,
        unique_by=lambda pair: pair[0],
    )
)
def test_nothing_smaller_is_near_enough(curve):
    rows = [row("A", n, fold, value) for n, values in curve for fold, value in enumerate(values)]
    near = offered(rows)
    (found,) = recommend(near)
    bound = found.best.mean - found.best.se
    assert found.best.mean == max(one.mean for one in near)
    assert found.chosen.mean >= bound
    assert all(one.mean < bound for one in near if one.n_features < found.chosen.n_features)


def test_sizes_that_a_method_cannot_have_are_told_once_with_a_reason():
    def missing(method, asked, fold, reason, **own):
        return Row(
            "p", method, asked, "f1_micro", None, fold=fold, status="skipped", reason=reason, **own
        )

    rows = [
        missing("BSS", 10, "1", "needs more than 1,200 (or rank 2)", task="a"),
        missing("BSS", 50, "1", "needs more than 1,200 (or rank 12)", task="a"),
        missing("BSS", 50, "2", "needs more than 1,190 (or rank 12)", task="b"),
        missing("BSS", 3000, "2", "only 2,500 terms occur", task="b"),
        missing("BSS", 9000, "2", "only 2,500 terms occur", task="b"),
        missing("IG", 50, "1", "is not defined", task="c", model_size=50, n_features=50),
        Row(
            "p", "BSS", 2000, "f1_micro", 0.5, fold="1", task="a", model_size=1990, n_features=1990
        ),
        Row("p", "ALL", 1.0, "f1_micro", 0.5, fold="1", task="e", model_size=3000, n_features=3000),
        missing("RRQR", 0.001, "1", "only 5", task="d"),
        missing("RRQR", 0.25, "1", "only 5", task="d"),
        missing("RRQR", 7, "1", "only 5", task="d"),
    ]
    assert missing_sizes(rows, {"p": "f1_micro"}) == {
        "BSS has no model of 10, 50 words: needs more than 1,200 (or rank 2)": 2,
        "BSS has no model of 3,000 words: only 2,500 terms occur": 1,
        "RRQR has no model of 7 words or 0.1 %, 25 % of the words: only 5": 1,
    }
    assert missing_sizes(rows, {"p": "accuracy"}) == {}


def projected(values, words=497):
    return [
        row("LDA", asked, fold, value, n_features=words)
        for asked, folds in values.items()
        for fold, value in enumerate(folds)
    ]


def test_a_projection_is_no_smaller_than_all_words_that_it_reads():
    """It mixes them all, also where a few have no weight by chance."""
    near = projected({2: [0.84, 0.85, 0.86], 12: [0.85, 0.86, 0.87]})
    (found,) = recommend(offered([*ROWS[-3:], *near]))
    assert (found.best.method, found.chosen.method) == ("LDA", "LDA")
    whole = [row("ALL", 1.0, fold, 0.86, n_features=500) for fold in range(3)]
    (found,) = recommend(offered([*whole, *near]))
    assert found.chosen.method == "ALL"
    (found,) = recommend(offered([*ROWS, *near]))
    assert found.chosen.method == "A"


def test_of_one_projection_the_fewest_columns_within_one_error_are_taken():
    rows = projected({2: [0.5, 0.5, 0.5], 12: [0.85, 0.86, 0.87], 50: [0.84, 0.87, 0.88]})
    (found,) = recommend_per_method(offered(rows))
    assert (found.best.size, found.chosen.size) == (50, 12)
    assert found.sentence.startswith(
        "p: use LDA with 12 components, combinations of all words. In "
    )
    assert "The best is LDA with 50 components" in found.sentence


def test_columns_that_cannot_be_had_are_not_called_words():
    lacking = row("LDA", 200, 0, None, status="skipped", reason="LDA ends at 128", task="t")
    lacking = [Row(**{**vars(lacking), "model_size": None, "n_features": None})]
    (note,) = missing_sizes([*projected({2: [0.5]}), *lacking, *ROWS], {"p": "roc_auc"})
    assert note.startswith("LDA has no model of 200 components: LDA ends at 128")


def test_a_test_value_is_told_also_where_something_else_failed():
    (found,) = recommend(offered(ROWS))
    tested = replace(found, test=HeldOutResult(0.75), n_test_documents=40, failure="no room")
    assert tested.sentence.endswith(
        "On the 40 held-out test documents: 0.750. Its certificate or page model failed: no room."
    )
    untested = replace(found, failure="no room")
    assert untested.sentence.endswith("Training or testing it failed: no room.")
