"""Studies end to end: what they find, what they keep, and that nothing is lost or done twice."""

import csv
import os
import random
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import f1_score

from laconic import Plan, Study
from laconic.errors import LaconicError
from laconic.methods import METHODS, Method, parse_method
from laconic.rows import Row
from laconic.studies import study as study_module
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.processes import Processes
from laconic.studies.journal.journal import Journal
from laconic.studies.layout import JOURNAL
from laconic.studies.options import SplitOptions, TrainingOptions
from tests.studies.corpora import RIDGE, TOPICS, pets
from tests.studies.outcomes import findings_but_for_speed
from tests.studies.runs import per_task

PLAN = Plan(
    pets(150),
    methods=("ALL", "DF", "IG", "BNS", "WS"),
    sizes=(3, 9, 18, 40),
    split=SplitOptions(cv=3),
    draws=2,
    training=RIDGE,
    features="words",
)
# What may differ between two runs of one task.
ASIDE = ("seconds", "memory", "versions")


def told(where) -> list[Row]:
    """The rows of a journal, sorted by key, but for what may differ."""
    with Journal.reading(where / JOURNAL) as journal:
        rows = [replace(row, seconds=0.0, memory=None, versions="") for row in journal.rows()]
    return sorted(rows, key=lambda row: (row.task, row.size, row.metric))


def test_a_study_finds_the_words_that_tell(tmp_path):
    findings = Study(PLAN, tmp_path / "out").run()
    (found,) = findings.recommendations
    assert found.chosen.n_features < 45
    assert found.chosen.method in ("IG", "BNS")
    assert found.test_score > 0.9
    assert found.n_test_documents == 30
    assert not findings.failures
    telling = {word for words in TOPICS.values() for word in words}
    with (tmp_path / "out" / "words.csv").open() as file:
        words = [line["word"] for line in csv.DictReader(file)]
    assert len(words) == found.chosen.n_features
    assert len(telling & set(words)) >= min(12, len(words))


def test_the_test_figure_is_that_of_the_closed_model(tmp_path):
    """Trained by hand on what is not held out, over the chosen words alone."""
    study = Study(PLAN, tmp_path)
    (found,) = study.run().recommendations
    (ready,) = study.corpora
    split = ready.final_split()
    (problem,) = ready.problems(split, ["pets"])
    path = parse_method(found.chosen.variant).build(1.0, normalize="selected")
    path.set_params(size=found.chosen.size).fit(problem.X_train, problem.y_train)
    assert path.model_.normalize == "selected"
    others = np.setdiff1d(np.arange(problem.X_test.shape[1]), path.model_.features)
    strange = problem.X_test.toarray()
    strange[:, others] = 5.0
    predicted = path.predict(csr_array(strange))
    assert found.test_score == pytest.approx(f1_score(problem.y_test, predicted, average="micro"))


def test_rows_have_all_that_is_known(tmp_path):
    Study(PLAN, tmp_path).run()
    with (tmp_path / "rows.csv").open() as file:
        rows = list(csv.DictReader(file))
    # the two models that the test documents were asked about, and
    # 3 folds × (ALL at one size, DF, IG, BNS and two draws of WS at four) × accuracy and f1_macro
    assert len(rows) == 2 * 2 + 3 * (1 + 5 * 4) * 2
    assert sum(row["part"] == "test" for row in rows) == 2 * 2
    assert {row["status"] for row in rows} == {"ok"}
    assert all(0 <= float(row["value"]) <= 1 and int(row["memory"]) > 1e6 for row in rows)
    assert "laconic" in rows[0]["versions"]
    assert {row["draw"] for row in rows if row["method"] == "WS+ridge"} == {"0", "1"}


def test_a_second_run_computes_nothing_again(tmp_path):
    study = Study(PLAN, tmp_path)
    first = study.run()
    before = told(tmp_path)
    again = Study(PLAN, tmp_path).run(InProcess(run=refuse))
    assert again.recommendations == first.recommendations
    assert told(tmp_path) == before


@per_task
def refuse(task, problem):
    raise AssertionError(f"{task.title} is done already")


def test_a_study_goes_on_from_its_folder(tmp_path):
    plan = replace(PLAN, corpora=("pydocs",), methods=("DF",), sizes=(20,), draws=1)
    Study(plan, tmp_path).run()
    opened = Study.open(tmp_path)
    assert opened.plan == plan
    assert opened.run(InProcess(run=refuse)).n_tasks == 3


def test_a_wider_plan_adds_to_what_is_there(tmp_path):
    Study(replace(PLAN, methods=("IG",)), tmp_path).run()
    with Journal.reading(tmp_path / JOURNAL) as journal:
        before = journal.done()
    ran = []

    @per_task
    def note(task, problem):
        ran.append((task.method, task.part))

    Study(replace(PLAN, methods=("IG", "DF")), tmp_path).run(InProcess(run=note))
    assert ran == [("DF+ridge", "validation")] * 3
    with Journal.reading(tmp_path / JOURNAL) as journal:
        assert before < journal.done()


@pytest.mark.full
def test_two_processes_give_the_rows_of_one(tmp_path):
    Study(PLAN, tmp_path / "one").run()
    Study(PLAN, tmp_path / "two").run(Processes(2))
    assert told(tmp_path / "one") == told(tmp_path / "two")


def broken() -> Method:
    def recipe():
        raise MemoryError("too large for this machine")

    return Method("BROKEN", "fails", "", False, recipe)


def test_a_failure_is_rows_with_a_reason_and_is_retried_only_when_asked(tmp_path, monkeypatch):
    monkeypatch.setitem(METHODS, "BROKEN", broken())
    plan = replace(PLAN, methods=("IG", "BROKEN"))
    findings = Study(plan, tmp_path).run()
    assert findings.recommendations[0].chosen.method == "IG"
    assert len(findings.failures) == 3
    assert set(findings.failures.values()) == {"MemoryError: too large for this machine"}
    failed = [row for row in told(tmp_path) if row.status == "failed"]
    assert len(failed) == 3 * 4 * 2
    assert all(row.value is None and "too large" in row.reason for row in failed)

    assert len(Study(plan, tmp_path).run(InProcess(run=refuse)).failures) == 3
    monkeypatch.setitem(METHODS, "BROKEN", replace(METHODS["DF"], name="BROKEN"))
    assert not Study(plan, tmp_path).run(retry_failed=True).failures
    assert {row.status for row in told(tmp_path)} == {"ok"}


def test_sizes_that_cannot_be_had_are_skipped(tmp_path):
    findings = Study(replace(PLAN, sizes=(9, 10_000)), tmp_path).run()
    skipped = [row for row in told(tmp_path) if row.size == 10_000]
    assert {row.status for row in skipped} == {"skipped"}
    assert {one.chosen.size for one in findings.per_method} == {1.0, 9}


def test_events_tell_what_happens(tmp_path):
    events = []
    Study(replace(PLAN, methods=("IG",)), tmp_path).run(listen=events.append)
    kinds = [event.kind for event in events]
    assert kinds == ["loaded", "planned", "task", "task", "task", "concluding", "finished"]
    assert [(event.done, event.total) for event in events[1:5]] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_per_category_gives_each_its_recommendation(tmp_path):
    findings = Study(replace(PLAN, target="one-vs-rest", methods=("IG",)), tmp_path).run()
    assert [one.problem for one in findings.recommendations] == [f"pets: {c}" for c in TOPICS]
    assert len(list(tmp_path.glob("problems/pets--*/words.csv"))) == 3


def test_without_test_documents_the_model_is_trained_on_all(tmp_path):
    plan = replace(PLAN, split=SplitOptions(test_size=None, cv=3))
    (found,) = Study(plan, tmp_path).run().recommendations
    assert found.test_score is None
    assert "test documents" not in found.sentence
    assert (tmp_path / "words.csv").exists()


def test_models_that_are_not_self_contained_are_not_recommended(tmp_path):
    plan = replace(PLAN, training=TrainingOptions(normalize="all"))
    findings = Study(plan, tmp_path).run()
    assert findings.recommendations == ()
    assert findings.per_method
    assert any('normalize="all"' in warning for warning in findings.warnings), "and it says why"


def test_papers_measure_on_the_test_documents(tmp_path):
    plan = replace(PLAN, split=SplitOptions(test_size=0.2, cv=0, n_splits=2), detail=False)
    findings = Study(plan, tmp_path).run()
    assert any("cv=0 compares" in warning for warning in findings.warnings)
    assert {row.part for row in told(tmp_path)} == {"test"}
    assert {row.fold for row in told(tmp_path)} == {"split 1 of 2", "split 2 of 2"}
    assert findings.recommendations == ()


def test_looking_twice_at_the_test_documents_is_said(tmp_path):
    Study(replace(PLAN, methods=("IG",)), tmp_path).run()
    (found,) = Study(replace(PLAN, methods=("DF",)), tmp_path).run().recommendations
    assert found.n_test_evaluations == 2
    assert "2 models have been evaluated on them so far" in found.sentence


@pytest.mark.full
def test_comparisons_over_many_problems_have_signed_ranks(tmp_path):
    corpora = tuple(pets(60, seed, f"pets{seed}") for seed in range(6))
    plan = replace(PLAN, corpora=corpora, methods=("IG", "DF"), sizes=(9,))
    findings = Study(plan, tmp_path).run()
    (over,) = (c for c in findings.comparisons if c.problem == "all problems")
    assert over.n_pairs == 6
    assert (over.method_a, over.method_b) == ("IG", "DF")
    assert over.effect > 0.9
    assert over.p < 0.05


def test_comparisons_are_of_pooled_answers(tmp_path):
    from statsmodels.stats.contingency_tables import mcnemar

    study = Study(replace(PLAN, methods=("IG", "DF"), sizes=(9,)), tmp_path)
    findings = study.run()
    right = {"IG": [], "DF": []}
    for job in study.corpora[0].jobs({task.key for task in study.tasks}):
        (task,), problem = job.tasks, job.problem
        path = task.build().set_params(size=9).fit(problem.X_train, problem.y_train)
        right[task.selection] += (path.predict(problem.X_test) == problem.y_test).tolist()
    a, b = (np.array(right[name]) for name in ("IG", "DF"))
    table = [[(a & b).sum(), (a & ~b).sum()], [(~a & b).sum(), (~a & ~b).sum()]]
    (found,) = (c for c in findings.comparisons if c.test.startswith("McNemar"))
    expected = mcnemar(table, exact=found.n_pairs < 25, correction=True)
    assert found.n_pairs == table[0][1] + table[1][0]
    assert found.p == pytest.approx(expected.pvalue, abs=1e-10)
    assert {c.test for c in findings.comparisons} == {
        "corrected resampled t-test",
        "McNemar's test",
        "micro sign test",
        "macro t-test",
    }


def test_stability_is_of_words_not_of_columns(tmp_path):
    """Folds differ in vocabulary, so that columns of theirs do not correspond."""
    study = Study(replace(PLAN, methods=("IG",), sizes=(9,)), tmp_path)
    (found,) = study.run().stability
    chosen = []
    for job in study.corpora[0].jobs({task.key for task in study.tasks}):
        (task,), problem = job.tasks, job.problem
        path = task.build().set_params(size=9).fit(problem.X_train, problem.y_train)
        chosen.append({problem.vocabulary[i] for i in path.model_.features})
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.mean([len(chosen[i] & chosen[j]) / len(chosen[i] | chosen[j]) for i, j in pairs])
    assert found.jaccard == pytest.approx(expected)


SCRIPT = """
import os, sys
from dataclasses import replace
from laconic import Study
from laconic.studies.execution.executors import executor_for
from tests.studies.test_study import KILLED
if __name__ == "__main__":
    print("started", flush=True)
    Study(KILLED, sys.argv[1]).run(executor_for(int(sys.argv[2])))
"""
KILLED = replace(
    PLAN, corpora=pets(1500), draws=6, sizes=tuple(range(2, 58, 8)), split=SplitOptions(cv=5)
)


def killed_and_restarted(where, kills: int, jobs: int, seed: int) -> int:
    """How many of these kills came before the study was over."""
    rng, hits = random.Random(seed), 0
    begin = [sys.executable, "-c", SCRIPT, str(where), str(jobs)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    for _ in range(kills):
        with subprocess.Popen(
            begin, env=environment, stdout=subprocess.PIPE, start_new_session=True
        ) as child:
            child.stdout.readline()
            time.sleep(rng.uniform(0.0, 1.5))
            hits += child.poll() is None
            child.kill()
    subprocess.run(begin, env=environment, check=True, stdout=subprocess.PIPE, timeout=300)
    return hits


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    where = tmp_path_factory.mktemp("undisturbed")
    Study(KILLED, where).run()
    return where


@pytest.mark.full
@pytest.mark.parametrize("jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path, undisturbed, jobs):
    hits = killed_and_restarted(tmp_path, kills=3, jobs=jobs, seed=jobs)
    assert hits, "no kill came before the end: the test tests nothing"
    assert told(tmp_path) == told(undisturbed)
    assert findings_but_for_speed(tmp_path) == findings_but_for_speed(undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [10, 11])
def test_killed_twenty_times(tmp_path, undisturbed, seed):
    assert killed_and_restarted(tmp_path, kills=20, jobs=seed - 9, seed=seed)
    assert told(tmp_path) == told(undisturbed)


def test_a_folder_at_work_refuses_a_second_study(tmp_path):
    study_module.make_folder(tmp_path)
    with (
        study_module.exclusive(tmp_path / JOURNAL),
        pytest.raises(LaconicError, match="another study"),
    ):
        Study(PLAN, tmp_path).run()


def test_a_damaged_journal_is_left_alone(tmp_path):
    (tmp_path / JOURNAL).write_bytes(b"this is no database at all, but a letter to my aunt" * 50)
    before = (tmp_path / JOURNAL).read_bytes()
    with pytest.raises(LaconicError, match="journal"):
        Study(PLAN, tmp_path).run()
    assert (tmp_path / JOURNAL).read_bytes() == before
