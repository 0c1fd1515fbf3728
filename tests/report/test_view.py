"""The view against the rows and the models it was made from."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import confusion_matrix

from laconic import Plan, Study
from laconic.errors import LaconicError
from laconic.methods import parse_method
from laconic.report.build import view_of
from laconic.studies.execution.local import InProcess
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import JOURNAL
from laconic.studies.options import SplitOptions
from tests.report.studies import UNTUNED
from tests.studies.corpora import pets

PLAN = Plan(
    pets(150),
    methods=("ALL", "IG", "DF", "WS"),
    sizes=(3, 9, 18, 40),
    split=SplitOptions(cv=3),
    training=UNTUNED,
    draws=2,
    features="words",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("view")
    Study(PLAN, where).run(command="laconic study pets")
    return where


@pytest.fixture(scope="module")
def view(folder):
    return view_of(folder)


@pytest.mark.full
def test_points_are_means_over_folds_of_means_over_draws(folder, view):
    with Journal.reading(folder / JOURNAL) as journal:
        rows = [r for r in journal.rows() if r.part == "validation"]
    for point in view.points:
        values = [
            np.mean(
                [
                    r.value
                    for r in rows
                    if (r.method, r.size, r.metric, r.fold)
                    == (f"{point.method}+ridge", point.size, point.metric, fold)
                ]
            )
            for fold in dict.fromkeys(r.fold for r in rows)
        ]
        # n_test / n_train of three folds is 1/2: folds share training documents
        reach = stats.t.ppf(0.975, 2) * np.std(values, ddof=1) * np.sqrt(1 / 3 + 1 / 2)
        assert point.mean == pytest.approx(np.mean(values))
        assert point.high - point.mean == pytest.approx(reach)
        assert point.mean - point.low == pytest.approx(reach)
    assert len(view.points) == (1 + 3 * 4) * 2


def test_costs_are_of_one_fit_of_all_sizes(folder, view):
    with Journal.reading(folder / JOURNAL) as journal:
        rows = [r for r in journal.rows() if r.method == "WS+ridge" and r.metric == "accuracy"]
    (cost,) = (cost for cost in view.costs if cost.method == "WS")
    assert cost.seconds == pytest.approx(sum(r.seconds for r in rows) / 6)
    assert cost.memory == max(r.memory for r in rows)


def test_the_confusion_is_of_the_test_documents(view):
    (detail,) = view.details
    counts = np.array(detail.confusion.counts)
    assert counts.sum() == 30
    right = np.trace(counts) / 30
    assert f"{right:.3f}" in view.answers[0].sentence
    assert detail.scores[0].score == f"{right:.3f}"
    assert detail.confusion.classes == ("cats", "dogs", "fish")


def test_the_model_of_the_page_is_the_recommended_one(view):
    (detail,) = view.details
    assert detail.model.self_contained
    assert detail.model.n_words == detail.n_features == len(detail.words)
    assert set(detail.model.words) == {word.word for word in detail.words}
    by_word = dict(zip(detail.model.words, detail.model.model.coef.toarray().T, strict=True))
    for word in detail.words:
        np.testing.assert_allclose(word.coefficients, by_word[word.word])


def test_overlaps_are_shared_words(view):
    sizes = {overlap.size for overlap in view.overlaps}
    assert len(sizes) == 1
    for overlap in view.overlaps:
        assert 0 <= overlap.jaccard <= 1
        assert overlap.n_shared <= overlap.size
    assert {(o.method_a, o.method_b) for o in view.overlaps} == {
        ("IG", "DF"),
        ("IG", "WS"),
        ("DF", "WS"),
    }


def test_what_is_told_about_the_run(view):
    assert view.finished
    assert view.command == "laconic study pets"
    assert view.corpora[0].documents == 150
    assert "laconic" in view.versions[0]
    assert view.title == "pets"
    assert view.details[0].certificate[0].startswith("The small model reads")
    alone = "About the reduction and the training documents alone, not about decisions"
    assert [one for one in view.details[0].certificate if one.startswith(alone)]


class EnoughError(Exception):
    pass


def test_an_unfinished_study_has_a_view_of_what_is_there(tmp_path):
    done = []

    def stop(event):
        if event.kind == "task":
            done.append(event)
            if len(done) == 7:
                raise EnoughError

    with pytest.raises(EnoughError):
        Study(PLAN, tmp_path).run(InProcess(), listen=stop)
    view = view_of(tmp_path)
    assert not view.finished
    assert view.progress == "7 of 15 tasks are done"
    assert view.points
    assert view.details == ()


def test_rows_of_an_earlier_plan_are_not_mixed_in(tmp_path):
    Study(replace(PLAN, methods=("DF",)), tmp_path).run()
    Study(replace(PLAN, methods=("IG",)), tmp_path).run()
    assert view_of(tmp_path).methods == ("IG",)


@pytest.mark.full
def test_too_large_a_model_has_a_stand_in(tmp_path, monkeypatch):
    monkeypatch.setattr("laconic.studies.analysis.final_tasks.MAX_PAGE_FEATURES", 5)
    Study(PLAN, tmp_path).run()
    (detail,) = view_of(tmp_path).details
    assert detail.n_features > 5
    assert detail.model.n_words == 3
    assert "too large for a page" in detail.model_note


def test_a_folder_without_a_study_says_so(tmp_path):
    with pytest.raises(LaconicError, match=r"journal\.sqlite"):
        view_of(tmp_path)


def test_a_broken_file_beside_the_journal_is_named(folder, tmp_path):
    import shutil

    shutil.copytree(folder, tmp_path / "copy")
    for name, text in (("corpora.json", "[]"), ("recommendation.json", "{")):
        (tmp_path / "copy" / name).write_text(text)
        with pytest.raises(LaconicError, match=rf"{name}: cannot be read"):
            view_of(tmp_path / "copy")


@pytest.mark.full
def test_per_category_has_a_detail_each(tmp_path):
    Study(replace(PLAN, target="one-vs-rest", methods=("ALL", "IG")), tmp_path).run()
    view = view_of(tmp_path)
    assert [detail.problem for detail in view.details] == ["pets: cats", "pets: dogs", "pets: fish"]
    assert all(detail.model.classes[1] == detail.problem[6:] for detail in view.details)
    assert all(np.sum(detail.confusion.counts) == 30 for detail in view.details)


@pytest.mark.full
def test_details_are_found_after_corpora_were_added(tmp_path):
    Study(PLAN, tmp_path).run()
    Study(replace(PLAN, corpora=(pets(150), pets(90, 1, "others"))), tmp_path).run()
    view = view_of(tmp_path)
    assert [detail.problem for detail in view.details] == ["pets", "others"]
    assert all(detail.model is not None and detail.words for detail in view.details)


class Backwards(InProcess):
    def run(self, jobs):
        yield from reversed(list(super().run(jobs)))


@pytest.mark.full
def test_methods_stand_in_the_order_of_the_plan(tmp_path, view):
    Study(PLAN, tmp_path).run(Backwards())
    assert view_of(tmp_path).methods == view.methods == PLAN.methods
    assert [p.size for p in view_of(tmp_path).points] == [p.size for p in view.points]


def test_confusions_have_the_truth_in_rows_and_answers_in_columns(tmp_path):
    study = Study(replace(PLAN, methods=("DF",), sizes=(9,)), tmp_path)
    study.run()
    (detail,) = view_of(tmp_path).details
    (ready,) = study.corpora
    (problem,) = ready.problems(ready.final_split(), ["pets"])
    path = (
        parse_method("DF+ridge:alpha=1")
        .build(normalize="selected", intercept=True)
        .set_params(size=9)
    )
    answers = path.fit(problem.X_train, problem.y_train).predict(problem.X_test)
    expected = confusion_matrix(problem.y_test, answers, labels=[0, 1, 2])
    assert np.trace(expected) < expected.sum(), "a perfect model would hide a mistake"
    np.testing.assert_array_equal(np.array(detail.confusion.counts)[:3, :3], expected)
