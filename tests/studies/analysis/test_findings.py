"""What a study may conclude: cases in which a careless one would be wrong or lose everything."""

import json
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from laconic import Corpus, Plan, Selection, Study
from laconic.errors import LaconicError
from laconic.reduction import Promise
from laconic.runtime.choices import Storage
from laconic.studies.analysis.budget import BudgetRow
from laconic.studies.analysis.candidates import Candidate
from laconic.studies.analysis.comparisons import Comparison, SelectionStability
from laconic.studies.analysis.findings import Findings
from laconic.studies.analysis.recommendation import HeldOutResult as HeldOutResult
from laconic.studies.analysis.recommendation import Recommendation
from laconic.studies.analysis.thresholds import MODES
from laconic.studies.execution.jobs import run_task
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Outcome
from laconic.studies.layout import StudyFolder, distinct_name
from laconic.studies.options import LimitOptions, SplitOptions
from laconic.text.options import TextOptions, WeightingOptions
from tests.oracles import span_by_svd
from tests.studies.corpora import RIDGE, pets
from tests.studies.outcomes import but_for_speed
from tests.studies.runs import per_task

PLAN = Plan(
    pets(150),
    methods=("ALL", "IG", "DF"),
    sizes=(9, 18, 40),
    split=SplitOptions(cv=3),
    training=RIDGE,
    features="words",
)


def pair(findings, test):
    (found,) = (
        c
        for c in findings.comparisons
        if test in c.test and {c.method_a, c.method_b} == {"IG", "DF"}
    )
    return found


@pytest.mark.full
def test_two_vectorizings_live_in_one_folder(tmp_path):
    Study(PLAN, tmp_path).run()
    stemmed = replace(PLAN, text=TextOptions(stem="porter"), features="auto")
    assert Study(stemmed, tmp_path).run().recommendations


def test_words_drawn_at_random_are_not_stable(tmp_path):
    """Words that no fold could choose do not count as having been left out by agreement.

    Nogueira's index has mean 0 here and a standard deviation below 0.05; 0.3 is six of them.
    """
    rng = np.random.default_rng(0)
    usable = (rng.random((120, 300)) < 0.3).astype(float)
    once = np.zeros((120, 900))
    once[rng.integers(0, 120, 900), np.arange(900)] = 1
    corpus = Corpus(
        "noise",
        labels=tuple((str(i % 2),) for i in range(120)),
        ids=tuple(map(str, range(120))),
        vectors=csr_array(np.hstack([usable, once])),
        vocabulary=tuple(f"w{i}" for i in range(1200)),
    )
    findings = Study(
        Plan(corpus, methods=("US",), sizes=(100, 240), features="words"), tmp_path
    ).run()
    for found in findings.stability:
        assert abs(found.nogueira) < 0.3
        assert abs(found.kuncheva) < 0.3


@pytest.mark.full
def test_repeats_do_not_count_documents_again(tmp_path):
    once = Study(PLAN, tmp_path / "1").run()
    often = Study(replace(PLAN, split=SplitOptions(cv=3, repeats=4)), tmp_path / "4").run()
    for test in ("McNemar", "micro sign"):
        assert pair(once, test).p == pair(often, test).p
    assert pair(often, "resampled").n_pairs == 12


@pytest.mark.full
def test_repeats_do_not_shrink_the_standard_error(tmp_path):
    folds = SplitOptions(cv=3, repeats=4)
    findings = Study(replace(PLAN, split=folds), tmp_path).run()
    for one in findings.candidates:
        assert one.n_folds == 12
        assert one.se == pytest.approx(np.std(one.values, ddof=1) / np.sqrt(3))


def test_a_failed_draw_pairs_the_folds_that_are_left(tmp_path):
    """WS fails in one fold with its first draw; IG in another."""

    @per_task
    def some_fail(task, problem):
        failing = (task.method, task.fold, task.draw) == ("WS+ridge", "fold 2 of 3", 0)
        return Outcome.failed(task, "no memory") if failing else None

    plan = replace(PLAN, methods=("IG", "WS"), draws=2)
    findings = Study(plan, tmp_path).run(InProcess(run=some_fail))
    assert findings.recommendations
    (found,) = (c for c in findings.comparisons if c.test.startswith("McNemar"))
    assert "2 of 3 folds have both" in found.note
    assert len(findings.failures) == 1


def test_columns_of_different_classes_are_not_added_up(tmp_path):
    """Each fold's training lacks another class, so that all have as many columns."""
    base = pets(60)
    labels = (*base.labels, ("rare a",), ("rare b",), ("rare c",))
    corpus = replace(
        base,
        labels=labels,
        ids=tuple(map(str, range(63))),
        texts=(*base.texts, *["word1 word2 word3"] * 3),
        classes=tuple(sorted({label for (label,) in labels})),
    )
    plan = replace(PLAN, corpora=corpus, split=SplitOptions(test_size=None, cv=3))
    findings = Study(plan, tmp_path).run()
    assert not [c for c in findings.comparisons if "macro" in c.test]
    assert [c for c in findings.comparisons if "McNemar" in c.test]


@pytest.mark.full
def test_every_model_shown_to_the_test_documents_counts(tmp_path):
    one = replace(PLAN, methods=("IG",))
    for number, change in enumerate(
        (
            {},
            {"training": replace(RIDGE, alpha=0.1)},
            {"training": replace(RIDGE, intercept=False)},
            {"weighting": WeightingOptions(min_df=3)},
            {},
        )
    ):
        (found,) = Study(replace(one, **change), tmp_path).run().recommendations
        assert found.n_test_evaluations == min(number + 1, 4)


def test_all_words_recommended_are_a_look_too(tmp_path):
    plan = replace(PLAN, methods=("ALL",))
    (found,) = Study(plan, tmp_path).run().recommendations
    assert found.n_test_evaluations == 1


def test_a_failed_test_is_said_and_not_tried_again_unasked(tmp_path):
    @per_task
    def fails(task, problem):
        return Outcome.failed(task, "the machine burns") if task.part == "test" else None

    findings = Study(PLAN, tmp_path).run(InProcess(run=fails))
    (found,) = findings.recommendations
    assert found.test_score is None
    assert "the machine burns" in found.sentence
    assert findings.failures == {"the model of pets": "the machine burns"}
    assert Study(PLAN, tmp_path).run().failures
    (again,) = Study(PLAN, tmp_path).run(retry_failed=True).recommendations
    assert again.test_score is not None


@pytest.mark.full
def test_one_problem_that_fails_at_the_end_stops_no_other(tmp_path):
    @per_task
    def fails(task, problem):
        if (problem.name, task.part) == ("pets: dogs", "test"):
            raise LaconicError("no such luck")

    plan = replace(PLAN, target="one-vs-rest")
    findings = Study(plan, tmp_path).run(InProcess(run=fails))
    assert [bool(one.failure) for one in findings.recommendations] == [False, True, False]
    assert findings.failures == {"the model of pets: dogs": "no such luck"}
    assert (tmp_path / "rows.csv").exists()


def test_problems_have_folders_of_their_own(tmp_path):
    names = ("x: C++", "x: C#", "x: c", "x: " + "long" * 100)
    assert len({distinct_name(name) for name in names}) == 4
    assert all(len(distinct_name(name)) < 100 for name in names)


def test_nothing_of_an_earlier_recommendation_stays(tmp_path):
    Study(PLAN, tmp_path).run()
    assert (tmp_path / "certificate.json").exists()
    assert (tmp_path / "comparisons.csv").exists()
    Study(replace(PLAN, methods=("ALL",)), tmp_path).run()
    assert not (tmp_path / "certificate.json").exists()
    assert not (tmp_path / "comparisons.csv").exists()


def certificate_of(plan, where, executor=None):
    Study(plan, where).run(executor)
    return json.loads((where / "certificate.json").read_text(encoding="utf-8"))


def test_a_closed_model_has_a_certificate_of_its_selection(tmp_path):
    """M̂ = U'SU by numpy, on the 120 documents that trained; what was promised of it is checked."""
    seen = []

    @per_task
    def promising(task, problem):
        if task.part != "test" or task.method == "ALL+ridge":
            return None
        outcome = run_task(task, problem, with_model=True)
        selection = outcome.trained.reduction
        seen.append((problem.X_train.toarray(), selection))
        n_terms = problem.X_train.shape[1]
        promised = Selection(selection.terms, selection.weights, n_terms, Promise(2, 0.0, 1.0))
        return replace(outcome, trained=replace(outcome.trained, reduction=promised))

    told = certificate_of(PLAN, tmp_path, InProcess(run=promising))
    X, selection = seen[0]
    U, _, _ = span_by_svd(X)
    kept = U[selection.terms]
    values = np.linalg.eigvalsh(kept.T @ kept)
    flat, said = told["values"], "\n".join(told["sentences"])
    assert flat["distortion.rank"] == U.shape[1]
    assert flat["distortion.m"] == pytest.approx(max(values[0], 0.0), abs=1e-9)
    assert flat["distortion.M"] == pytest.approx(values[-1])
    largest = np.linalg.eigvalsh(kept[:, :2].T @ kept[:, :2])[-1]
    assert (flat["promise.kept"], flat["promise.M"]) == (True, pytest.approx(largest))
    assert flat["in_span"].startswith("not computed: it is for models with normalize='all'")
    assert "About the reduction and the training documents alone, not about decisions" in said
    assert "The method promised factors of 0 to 1" in said


def test_a_large_corpus_has_no_certificate_of_its_selection(tmp_path, monkeypatch):
    monkeypatch.setattr("laconic.studies.analysis.final_model.SPAN_LIMIT", 7)
    told = certificate_of(PLAN, tmp_path)
    assert "smaller side is at most 7" in told["values"]["distortion"]
    assert told["values"]["held_out.n_documents"] == 30
    assert not [key for key in told["values"] if key.startswith("promise")]


def test_each_final_model_is_trained_once_and_through_the_executor(tmp_path):
    trained = []

    @per_task
    def noted(task, problem):
        if task.part == "test":
            trained.append(task.method)

    (found,) = Study(PLAN, tmp_path).run(InProcess(run=noted)).recommendations
    assert sorted(trained) == sorted(["ALL+ridge", found.chosen.variant])
    assert (tmp_path / "certificate.json").exists()
    trained.clear()
    (again,) = Study(PLAN, tmp_path).run(InProcess(run=noted)).recommendations
    assert (again, trained) == (found, [])
    (tmp_path / "model.laconic").unlink()
    (again,) = Study(PLAN, tmp_path).run(InProcess(run=noted)).recommendations
    assert but_for_speed(again) == but_for_speed(found)
    assert sorted(trained) == sorted(["ALL+ridge", found.chosen.variant]), (
        "its model is written again"
    )


def test_a_fold_without_a_value_costs_itself_only(tmp_path):
    """AUC needs both answers; four positives in five folds leave one without."""
    base = pets(60)
    labels = tuple(("yes",) if i in (3, 13, 23, 33) else ("no",) for i in range(60))
    corpus = replace(base, labels=labels, classes=("no", "yes"))
    plan = Plan(
        corpus,
        methods=("IG", "DF"),
        sizes=(9,),
        metrics=("roc_auc",),
        split=SplitOptions(test_size=None, cv=5),
        features="words",
    )
    findings = Study(plan, tmp_path).run()
    assert findings.recommendations
    assert {one.n_folds for one in findings.candidates} == {4}


def test_without_folds_the_comparison_is_on_the_test_documents(tmp_path):
    plan = replace(PLAN, split=SplitOptions(test_size=0.2, cv=0, n_splits=2))
    findings = Study(plan, tmp_path).run()
    assert {one.method for one in findings.candidates} == {"ALL", "IG", "DF"}
    assert findings.recommendations == ()


def test_unused_documents_stay_unused(tmp_path):
    base = pets(90)
    split = tuple(("train", "test", "")[i % 3] for i in range(90))
    plan = replace(
        PLAN, corpora=replace(base, split=split), split=SplitOptions(test_size=None, cv=3)
    )
    study = Study(plan, tmp_path)
    study.run()
    documents = study.corpora[0].final_split().train
    assert documents.size == 60
    assert all(split[i] for i in documents)


def test_the_class_that_measures_are_of_is_named(tmp_path):
    base = pets(90)
    labels = tuple(("spam",) if label == ("cats",) else ("ham",) for label in base.labels)
    corpus = replace(base, labels=labels, classes=("ham", "spam"))
    (found,) = Study(replace(PLAN, corpora=corpus), tmp_path).run().recommendations
    assert "its f1 of spam is" in found.sentence


def test_nothing_learned_is_nothing_recommended(tmp_path):
    rng = np.random.default_rng(1)
    labels = tuple(("rare",) if i % 20 == 0 else ("most",) for i in range(100))
    texts = tuple(" ".join(rng.choice([f"w{i}" for i in range(30)], 5)) for _ in range(100))
    corpus = Corpus("noise", labels=labels, ids=tuple(map(str, range(100))), texts=texts)
    plan = replace(PLAN, corpora=corpus, metrics=("recall",))
    (found,) = Study(plan, tmp_path).run().recommendations
    assert found.sentence.startswith("noise: no recommendation: every method scores 0")
    assert "by recall of rare" in found.sentence


def test_copies_of_training_documents_among_the_test_documents_are_said(tmp_path):
    base = pets(60)
    corpus = replace(base, texts=base.texts[:30] * 2)
    events = []
    split = replace(PLAN.split, duplicates="keep")
    Study(replace(PLAN, corpora=corpus, split=split), tmp_path).run(listen=events.append)
    (note,) = (event.what for event in events if event.kind == "note")
    assert "test documents repeat the text of a training document" in note


def test_words_in_the_sentence_are_those_of_the_model(tmp_path):
    study = Study(PLAN, tmp_path)
    (found,) = study.run().recommendations
    lines = (tmp_path / "words.csv").read_text().splitlines()
    assert found.n_features == len(lines) - 1
    (problem,) = study.corpora[0].problems(study.corpora[0].final_split(), ["pets"])
    assert f"of {problem.vocabulary.size})" in found.sentence


def test_numbers_that_json_does_not_have_are_strings(tmp_path):
    plan = replace(PLAN, corpora=pets(40), split=SplitOptions(cv=2), methods=("ALL", "IG", "DF"))
    findings = Study(plan, tmp_path).run()
    text = (tmp_path / "recommendation.json").read_text()

    def refuse(constant):
        raise AssertionError(constant)

    contents = json.loads(text, parse_constant=refuse)
    assert contents["recommendations"][0]["sentence"] == findings.recommendations[0].sentence
    assert repr(Findings.read(tmp_path)) == repr(findings)


@pytest.mark.full
def test_findings_of_a_study_are_read_as_they_were_written(tmp_path):
    findings = Study(replace(PLAN, target="one-vs-rest"), tmp_path).run()
    assert findings.comparisons
    assert findings.stability
    # NaN differs from itself, its representation does not
    assert repr(Findings.read(tmp_path)) == repr(findings)


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)
SIZES = st.integers(1, 10**6) | st.floats(0, 1, exclude_min=True)
TEXTS = st.text(st.characters(), max_size=8)


def as_measured(candidate):
    """With a number of features that a sentence can round."""
    return replace(candidate, n_features=9.0, method="IG", mean=0.5, mistakes=5.0)


def values(cls, **fields):
    """Values of a dataclass of findings, with any text, size and number."""
    by_type = {
        "str": TEXTS,
        "float": NUMBERS,
        "int": st.integers(0, 10**9),
        "bool": st.booleans(),
        "Size": SIZES,
        "float | None": st.none() | NUMBERS,
        "tuple[float, ...]": st.lists(NUMBERS, max_size=3).map(tuple),
        "tuple[str, ...]": st.lists(TEXTS, max_size=3).map(tuple),
        "Thresholding": st.sampled_from(MODES),
        "Storage": st.sampled_from(get_args(Storage)),
        "tuple[float, float] | None": st.none() | st.tuples(NUMBERS, NUMBERS),
    }
    strategies = {f.name: by_type[f.type] for f in dataclass_fields(cls) if f.name not in fields}
    return st.builds(cls, **strategies, **fields)


CANDIDATES = values(Candidate)
MEASURED = CANDIDATES.map(as_measured)
RECOMMENDATIONS = values(
    Recommendation,
    chosen=MEASURED,
    best=MEASURED,
    baseline=st.none() | MEASURED,
    cheaper=st.none() | MEASURED,
    better=st.none() | MEASURED,
    test=st.none() | values(HeldOutResult),
    baseline_test=st.none() | values(HeldOutResult),
    budget=st.lists(values(BudgetRow, candidate=MEASURED), max_size=2).map(tuple),
)
LIMITS = st.builds(
    LimitOptions,
    st.none() | st.floats(0, 1),
    st.none() | st.integers(1, 10**6),
    st.none() | st.integers(1, 10**9),
)


@pytest.mark.full
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.builds(
        Findings,
        st.lists(RECOMMENDATIONS, max_size=2).map(tuple),
        st.lists(RECOMMENDATIONS, max_size=2).map(tuple),
        st.lists(CANDIDATES, max_size=2).map(tuple),
        st.lists(values(Comparison), max_size=2).map(tuple),
        st.lists(values(SelectionStability), max_size=2).map(tuple),
        st.dictionaries(TEXTS, TEXTS, max_size=2),
        st.dictionaries(TEXTS, st.integers(1, 99), max_size=2),
        st.dictionaries(TEXTS, st.integers(1, 99), max_size=2),
        st.integers(0, 99),
        TEXTS,
        LIMITS,
    )
)
def test_any_findings_are_read_as_they_were_written(tmp_path, findings):
    folder = StudyFolder(tmp_path)
    findings.write(folder)
    assert repr(Findings.read(folder)) == repr(findings)
    finite = "nan" not in repr(findings)
    assert (Findings.read(folder) == findings) or not finite


def test_findings_of_another_version_are_refused_with_a_remedy(tmp_path):
    folder = StudyFolder(tmp_path)
    assert Findings.read(folder) is None
    folder.findings.write_text('{"laconic": "findings", "recommendations": [], "each": []}')
    with pytest.raises(LaconicError, match=r"cannot be read .*per_method.*run the study again"):
        Findings.read(folder)


def test_an_infinite_odds_ratio_is_significant_on_the_page_too(tmp_path):
    """It used to be read back as "not a number", and shown as no difference."""
    comparison = Comparison(
        "p", "A", "B", 9, 9, "McNemar's test", 30.0, 1e-8, 1e-8, np.inf, "odds ratio", 30, ""
    )
    folder = StudyFolder(tmp_path)
    Findings((), (), comparisons=(comparison,)).write(folder)
    assert Findings.read(folder).comparisons == (comparison,)


def test_what_cannot_be_read_leaves_no_folder(tmp_path):
    with pytest.raises(LaconicError):
        Study(replace(PLAN, corpora="absent.csv"), tmp_path / "new").run()
    assert not (tmp_path / "new").exists()


def test_a_conclusion_that_was_ended_leaves_no_other_model_behind(tmp_path, monkeypatch):
    """Ended after the second plan's model was written; then the first plan again."""
    first, second = (replace(PLAN, methods=(name,), sizes=(9,)) for name in ("IG", "DF"))
    Study(first, tmp_path).run()
    before = (tmp_path / "model.laconic").read_bytes()

    def ended(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("laconic.studies.analysis.findings.Findings.write", ended)
    with pytest.raises(KeyboardInterrupt):
        Study(second, tmp_path).run()
    monkeypatch.undo()
    assert (tmp_path / "model.laconic").read_bytes() != before
    Study(first, tmp_path).run()
    assert (tmp_path / "model.laconic").read_bytes() == before


@pytest.mark.full
def test_more_corpora_move_the_models_into_folders(tmp_path):
    Study(PLAN, tmp_path).run()
    two = replace(PLAN, corpora=(pets(150), pets(90, 1, "others")))
    found = Study(two, tmp_path).run().recommendations
    assert not (tmp_path / "model.laconic").exists()
    assert all((tmp_path / one.folder / "model.laconic").exists() for one in found)
    (alone,) = Study(PLAN, tmp_path).run().recommendations
    assert alone.folder == ""
    assert (tmp_path / "model.laconic").exists()


@pytest.mark.full
def test_a_plan_that_recommends_nothing_leaves_no_model(tmp_path):
    Study(PLAN, tmp_path).run()
    Study(replace(PLAN, training=replace(RIDGE, normalize="all")), tmp_path).run()
    assert not (tmp_path / "model.laconic").exists()
    assert not (tmp_path / "words.csv").exists()
