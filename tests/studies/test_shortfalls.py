"""What falls short of what was asked is said in Python, in the study, on the page, on the card."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from laconic import CompactModel, Plan, RLSClassifier, Study
from laconic.cli import main
from laconic.compact.model_file import header_of
from laconic.compact.storage import exact_storage
from laconic.compact.training import train
from laconic.errors import LaconicError, LaconicWarning, collected_warnings
from laconic.methods import parse_method
from laconic.report.build import view_of
from laconic.report.page import page
from laconic.runtime.compression import inflated
from laconic.runtime.model_file import MOST_NOTES, load, model_of
from laconic.runtime.tensors import from_bytes
from laconic.studies.execution.local import InProcess
from laconic.studies.options import SplitOptions
from laconic.text.options import WeightingOptions
from tests.studies.corpora import pets

NEVER = "1 of 4 labels occur in no training document, so nothing can be learned about them"
PLAN = Plan(
    pets(),
    methods=("ALL", "IG"),
    sizes=(2, 6),
    split=SplitOptions(cv=3),
    weighting=WeightingOptions(min_df=1),
    features="words",
)


def labelled():
    """One document of 100 has the label "rare", and it is a test document."""
    corpus = pets(100, split=True)
    labels = [("cats", "dogs") if i == 1 else found for i, found in enumerate(corpus.labels)]
    return replace(corpus, labels=(("rare",), *labels[1:]), classes=(), multilabel=True)


@pytest.fixture(scope="module")
def concluded(tmp_path_factory):
    where = tmp_path_factory.mktemp("labels")
    study = Study(replace(PLAN, corpora=(labelled(),)), where)
    return study, study.run(InProcess()), where


def test_a_label_without_a_training_document_is_said_by_the_classifier():
    labels = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 1]])
    with pytest.warns(LaconicWarning) as caught:
        RLSClassifier().fit(np.eye(3), labels)
    assert [str(warning.message) for warning in caught] == [
        "1 of 3 labels occur in no training document, so nothing can be learned about them",
        "1 of 3 labels occur in every training document, so nothing can be learned about them",
    ]


def test_the_final_model_of_a_study_says_so_in_findings_and_on_its_card(concluded):
    _, findings, where = concluded
    (recommendation,) = findings.recommendations
    assert recommendation.warnings == (NEVER,)
    assert findings.warnings[NEVER] > 1, "its tasks said so too"
    model = CompactModel.load(where / "model.laconic")
    assert model.notes == (NEVER,)
    assert f"note: {NEVER}" in model.summary().splitlines()


def test_the_page_shows_it(concluded):
    _, _, where = concluded
    assert NEVER in page(view_of(where))


def test_a_finished_study_says_it_again(concluded):
    study, findings, where = concluded
    again = Study(study.plan, where).run(InProcess())
    assert again.warnings == findings.warnings
    assert again.recommendations[0].warnings == (NEVER,)


def test_training_warns_and_the_card_has_it():
    corpus = labelled()
    documents = corpus.part("train")
    method = parse_method("IG").build(1.0, 0, True, "selected")
    with pytest.warns(LaconicWarning, match="1 of 4 labels"):
        model = train(method, corpus, 5, documents=documents)
    assert model.notes == (NEVER,)


def test_the_command_prints_it_once_as_a_note_and_on_the_card(tmp_path):
    corpus, source = labelled(), tmp_path / "pets.jsonl"
    records = zip(corpus.texts, corpus.labels, corpus.split, strict=True)
    lines = [json.dumps({"text": t, "labels": y, "split": s}) for t, y, s in records]
    source.write_text("\n".join(lines))
    outcome = CliRunner().invoke(
        main, ["train", str(source), "--size", "5", "-o", str(tmp_path / "m.laconic")]
    )
    assert outcome.exit_code == 0, outcome.output
    assert outcome.stderr.count(NEVER) == 1
    assert f"note: {NEVER}" in outcome.stdout


def test_classes_without_a_training_document_are_named_in_the_study(tmp_path):
    """A class of one document: in the fold that has it, no model can be right about it."""
    corpus = pets()
    rare = replace(corpus, labels=(("only one",), *corpus.labels[1:]), classes=())
    findings = Study(replace(PLAN, corpora=(rare,), split=SplitOptions(0.2, cv=3)), tmp_path).run()
    (note,) = (note for note in findings.warnings if "only one" in note)
    assert "1 of " in note
    assert "classes without a training document (only one)" in note


def test_a_class_short_of_its_words_is_named_in_the_study(tmp_path):
    plan = replace(PLAN, corpora=(labelled(),), methods=("SVM-LARS:alpha=0",))
    findings = Study(plan, tmp_path).run()
    notes = [note for note in findings.warnings if note.startswith("LarsClassifier")]
    assert notes
    assert all("classes have fewer words than requested (rare: 0 of 6, " in note for note in notes)


def test_a_warning_names_the_classes_of_y_or_those_of_the_study():
    with collected_warnings() as given, collected_warnings(("cats", "{dogs}")) as named:
        warnings.warn(LaconicWarning("{} is short", [1]), stacklevel=1)
    assert (given, named) == ([], ["{dogs} is short"])
    with collected_warnings() as unnamed:
        warnings.warn(LaconicWarning("{} is short", [1]), stacklevel=1)
    assert unnamed == ["1 is short"]
    with pytest.warns(LaconicWarning, match="1 is short"):
        warnings.warn(LaconicWarning("{} is short", [1]), stacklevel=1)


def test_notes_of_a_hostile_model_file_are_checked(concluded):
    _, _, where = concluded
    model = load(where / "model.laconic")
    header = header_of(model, exact_storage(model))
    for wrong in ([1], [None], "text", ["x"] * (MOST_NOTES + 1)):
        _, tensors = from_bytes(inflated((where / "model.laconic").read_bytes()))
        with pytest.raises(LaconicError, match="notes in its header"):
            model_of(header | {"notes": wrong}, tensors, trusted=False)
