"""Keys and seeds depend on values, not on spellings; rows of old versions of methods are named."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array

from laconic import Corpus
from laconic.cli.main import main
from laconic.methods import METHODS
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.task import Outcome, Task
from laconic.studies.journal.journal import Journal
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.study import Study
from laconic.text.options import TextOptions, WeightingOptions
from laconic.text.stop_words import stop_words
from tests.studies.corpora import RIDGE, pets, write_pets
from tests.studies.runs import per_task

BASE = Plan(
    pets(),
    methods=("IG", "US"),
    sizes=(5, 10),
    split=SplitOptions(cv=3),
    training=RIDGE,
    features="words",
)


def tasks_of(plan: Plan) -> list[Task]:
    (corpus,) = plan.load()
    return PreparedCorpus.of(plan, corpus).tasks


def keys(plan: Plan) -> list[tuple[str, int]]:
    return [(task.key, task.random_state) for task in tasks_of(plan)]


@pytest.mark.parametrize(
    "changes",
    [
        {"weighting": WeightingOptions("ltc")},
        {"text": TextOptions(min_length=2)},
        {"weighting": WeightingOptions(max_df=1)},
        {"text": TextOptions(ngrams=[1, 1])},
        {"split": SplitOptions(test_size=0.2, cv=3)},
        {"methods": ("ig+ridge", " US:draw=exact ")},
        {"methods": ("IG", "US", "IG")},
        {"sizes": (10, 5, 10)},
        {"training": TrainingOptions(alpha=1, classifiers=("ridge",))},
    ],
    ids=lambda changes: str(changes)[:60],
)
def test_plans_that_mean_the_same_have_the_same_keys_and_seeds(changes):
    assert keys(replace(BASE, features="auto", **changes)) == keys(BASE)


@pytest.mark.parametrize(
    "changes",
    [
        {"weighting": WeightingOptions("binary")},
        {"text": TextOptions(min_length=3)},
        {"text": TextOptions(stem="porter")},
        {"text": TextOptions(stop_words="english")},
        {"weighting": WeightingOptions(min_df=3)},
        {"text": TextOptions(unit="char")},
    ],
    ids=str,
)
def test_other_values_have_other_keys_and_seeds(changes):
    changed = keys(replace(BASE, features="auto", **changes))
    for one, other in zip(changed, keys(BASE), strict=True):
        assert one[0] != other[0]
        assert one[1] != other[1]


def test_stop_words_count_by_their_contents(tmp_path):
    """By name, in two files, in another order, with comments: the same words."""
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    words = sorted(stop_words("english"))
    first.write_text("\n".join(words))
    second.write_text("# a comment\n" + "\n".join(word.upper() for word in reversed(words)))
    plans = [replace(BASE, text=TextOptions(stop_words=w)) for w in ("english", str(first))]
    plans.append(replace(BASE, text=TextOptions(stop_words=str(second))))
    assert keys(plans[0]) == keys(plans[1]) == keys(plans[2])
    second.write_text("word1\n")
    changed = replace(BASE, text=TextOptions(stop_words=str(second)))
    assert keys(changed) != keys(plans[0])


def test_settings_without_effect_on_characters_do_not_count():
    plain = replace(BASE, text=TextOptions(unit="char", ngrams=(1, 2)), features="auto")
    idle = TextOptions(unit="char", ngrams=(1, 2), min_length=5, stem="porter")
    other = replace(BASE, text=idle, features="auto")
    assert keys(other) == keys(plain)


@pytest.mark.parametrize(("value", "scheme"), [(1.0, "ltc"), (0.5, "count")])
def test_the_default_weighting_of_vectors_is_resolved(value, scheme):
    labels = tuple((f"class{n % 2}",) for n in range(40))
    X = csr_array(np.tile(np.eye(8), (5, 1)) * value + (np.arange(8) % 2) * value)
    words = tuple(f"w{n}" for n in range(8))
    corpus = Corpus("v", labels, tuple(map(str, range(40))), vectors=X, vocabulary=words)
    plan = replace(BASE, corpora=corpus)
    assert keys(plan) == keys(replace(plan, weighting=WeightingOptions(scheme)))
    assert keys(plan) == keys(replace(plan, text=TextOptions(min_length=1)))
    assert keys(plan) != keys(replace(plan, text=TextOptions(min_length=2)))
    row = tasks_of(plan)[0].row()
    assert (row.features, row.weighting) == ("vectors", scheme)


@pytest.mark.parametrize(
    ("method", "alpha", "expected"),
    [
        ("IG", 2.0, ("logistic", 2.0, "")),
        ("IG", "auto", ("logistic", None, "")),
        ("IG+svm:weights=balanced", 2.0, ("svm", 2.0, "balanced")),
        ("IG", "loo", ("ridge", None, "")),
        ("IG+ridge:alpha=loo", 2.0, ("ridge", None, "")),
        ("IG+svm:alpha=0.5", 2.0, ("svm", 0.5, "")),
        ("IG+ridge:threshold=cv", 2.0, ("ridge", 2.0, "")),
        ("DF+centroid", 2.0, ("centroid", None, "")),
        ("LSI+gaussian", 2.0, ("gaussian", None, "")),
        ("DF+knn", 2.0, ("knn", None, "")),
        ("SVM-LARS", 2.0, ("", 2.0, "")),
        ("SVM-LARS:alpha=0.1", 2.0, ("", 0.1, "")),
        ("MASK:weights=balanced", 2.0, ("", 2.0, "balanced")),
    ],
)
def test_rows_name_the_classifier_that_was_trained(method, alpha, expected):
    training = TrainingOptions(alpha=alpha)
    plan = replace(
        BASE, methods=(method,), training=training, text=TextOptions(ngrams=(1, 2)), features="auto"
    )
    row = tasks_of(plan)[0].row()
    assert (row.classifier, row.alpha, row.class_weight) == expected
    assert (row.features, row.weighting) == ("word:ngrams=1-2", "ltc")


# another version of a method


@per_task
def refuse(task, problem):
    raise AssertionError(f"{task.title} is measured again")


def newer(monkeypatch, name: str = "IG", version: int = 2) -> None:
    monkeypatch.setitem(METHODS, name, replace(METHODS[name], version=version))


def rows_of(where) -> list[dict]:
    with Journal.reading(where / "journal.sqlite") as journal:
        return [vars(row) for row in journal.rows(journal.latest_plan().keys)]


def measured(outcomes: list):
    """An executor that notes what it runs."""

    @per_task
    def noted(task, problem):
        if task.part == "validation":
            outcomes.append(task)

    return InProcess(run=noted)


NOTE = (
    "the rows of IG+ridge are of version 1 of the method, and this Laconic has version 2. They are "
    "used as they are; --remeasure measures them again"
)


def test_rows_of_an_old_version_are_used_and_named(tmp_path, monkeypatch):
    before = Study(BASE, tmp_path).run()
    assert not any("version" in note for note in before.warnings)
    rows = rows_of(tmp_path)
    newer(monkeypatch)
    events = []
    after = Study(BASE, tmp_path).run(InProcess(run=refuse), listen=events.append)
    assert after.warnings == {NOTE: 3} | before.warnings
    assert [e.what for e in events if e.kind == "note"] == [f"3 tasks: {NOTE}"]
    assert rows_of(tmp_path) == rows
    assert after.recommendations == before.recommendations
    written = json.loads((tmp_path / "recommendation.json").read_text())
    assert written["warnings"][NOTE] == 3


def test_remeasure_measures_them_again_and_the_newest_counts(tmp_path, monkeypatch):
    before = Study(BASE, tmp_path).run()
    old = {row["task"] for row in rows_of(tmp_path) if row["method"] == "IG+ridge"}
    newer(monkeypatch)
    tasks: list[Task] = []
    after = Study(BASE, tmp_path).run(measured(tasks), remeasure=True)
    assert {(task.method, task.version) for task in tasks} == {("IG+ridge", 2)}
    assert len(tasks) == 3
    assert not any("version" in note for note in after.warnings)
    new = {row["task"] for row in rows_of(tmp_path) if row["method"] == "IG+ridge"}
    assert len(new) == 3
    assert not new & old
    assert [one.mean for one in after.candidates] == [one.mean for one in before.candidates]
    with Journal.reading(tmp_path / "journal.sqlite") as journal:
        assert old <= journal.done(), "nothing is deleted"
        assert not old & {row.task for row in journal.rows()}, "exports have the newest version"
    # and from now on they count, also without the flag
    last = Study(BASE, tmp_path).run(InProcess(run=refuse))
    assert not any("version" in note for note in last.warnings)
    assert {row["task"] for row in rows_of(tmp_path) if row["method"] == "IG+ridge"} == new


def test_a_new_task_of_a_changed_method_has_the_new_version(tmp_path, monkeypatch):
    Study(BASE, tmp_path).run()
    newer(monkeypatch)
    tasks: list[Task] = []
    findings = Study(replace(BASE, sizes=(5, 10, 20)), tmp_path).run(measured(tasks))
    assert {task.version for task in tasks if task.method == "IG+ridge"} == {2}
    assert not any("version" in note for note in findings.warnings)


def test_a_test_score_is_of_the_version_that_was_compared(tmp_path, monkeypatch):
    """Another size makes new validation tasks; the old test task has the size that is chosen."""
    plan = replace(BASE, methods=("IG",), sizes=(5, 10))
    before = Study(plan, tmp_path).run()
    newer(monkeypatch)
    chosen = before.recommendations[0].chosen.size
    after = Study(replace(plan, sizes=(4, chosen)), tmp_path).run()
    assert after.recommendations[0].chosen.size == chosen
    with Journal.reading(tmp_path / "journal.sqlite") as journal:
        task = {t.key: t for t in journal.tasks()}[after.recommendations[0].task_key]
    assert (task.part, task.version) == ("test", 2)
    assert not any("version" in note for note in after.warnings)


def test_the_newest_old_version_is_used(tmp_path, monkeypatch):
    Study(BASE, tmp_path).run()
    newer(monkeypatch, version=2)
    Study(BASE, tmp_path).run(remeasure=True)
    newer(monkeypatch, version=3)
    findings = Study(BASE, tmp_path).run(InProcess(run=refuse))
    assert any("are of version 2 of the method" in note for note in findings.warnings)


def test_a_failed_attempt_of_this_version_is_not_replaced_by_an_old_row(tmp_path, monkeypatch):
    Study(BASE, tmp_path).run()
    newer(monkeypatch)

    @per_task
    def fail(task, problem):
        return Outcome.failed(task, "no luck")

    Study(BASE, tmp_path).run(InProcess(run=fail), remeasure=True)
    findings = Study(BASE, tmp_path).run(InProcess(run=refuse))
    assert set(findings.failures.values()) == {"no luck"}
    assert not any("version" in note for note in findings.warnings)


def test_an_older_laconic_uses_the_rows_of_a_newer_one(tmp_path, monkeypatch):
    newer(monkeypatch, version=3)
    Study(BASE, tmp_path).run()
    newer(monkeypatch, version=1)
    findings = Study(BASE, tmp_path).run(InProcess(run=refuse))
    assert any(
        "version 3 of the method, and this Laconic has version 1" in n for n in findings.warnings
    )


@pytest.mark.full
def test_the_command_says_so_and_takes_the_flag(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_pets(tmp_path / "pets.csv")
    options = "--text body --label animal --methods IG+ridge --alpha 1 --sizes 5 --cv 2 --jobs 1"
    options += " --no-report"
    command = ["study", "pets.csv", *options.split()]
    assert CliRunner().invoke(main, command).exit_code == 0
    newer(monkeypatch)
    again = CliRunner().invoke(main, command)
    assert again.exit_code == 0
    assert NOTE in " ".join(again.output.split())
    resumed = CliRunner().invoke(main, ["study", "pets-study", "--remeasure", "--no-report"])
    assert resumed.exit_code == 0, resumed.output
    assert "--remeasure" not in resumed.output
    assert NOTE not in " ".join(CliRunner().invoke(main, command).output.split())
