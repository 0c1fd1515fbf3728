"""Studies of texts that are kept on disk, against the same texts in memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.sparse import csr_array

from laconic import Plan, Study
from laconic.corpus import stored_texts
from laconic.corpus.stored_texts import StoredTexts
from laconic.errors import LaconicError
from laconic.numerics.blocks import Blocks
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.processes import Processes
from laconic.studies.layout import JOURNAL
from laconic.studies.options import SplitOptions, TrainingOptions
from laconic.text import blocks
from laconic.text.options import StorageOptions
from tests.studies.corpora import pets
from tests.studies.test_study import told

METHODS = ("ALL", "IG", "RFE")


@pytest.fixture(scope="module")
def shards(tmp_path_factory) -> Path:
    """A folder of shards of 60 documents."""
    folder, corpus = tmp_path_factory.mktemp("shards") / "pets", pets(240)
    folder.mkdir()
    pairs = list(zip(corpus.texts, corpus.labels, strict=True))
    for number in range(4):
        lines = [
            json.dumps({"text": text, "label": label})
            for text, (label,) in pairs[60 * number : 60 * number + 60]
        ]
        (folder / f"part-{number}.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def on_disk(monkeypatch):
    monkeypatch.setattr(stored_texts, "TEXT_IN_MEMORY", 1000)
    monkeypatch.setattr(blocks, "BLOCK_CHARACTERS", 3000)


def study(shards: Path, where: Path) -> Study:
    split, training = SplitOptions(cv=2, max_tuning=100), TrainingOptions(blends=False)
    about = {"sizes": (5, 20), "split": split, "training": training, "features": "words"}
    return Study(Plan(str(shards), METHODS, **about), where)


@pytest.fixture(scope="module")
def expected(shards, tmp_path_factory) -> Path:
    where = tmp_path_factory.mktemp("memory")
    study(shards, where).run()
    return where


def test_a_study_of_stored_texts_has_the_same_rows_and_model(shards, expected, tmp_path, on_disk):
    notes: list[str] = []
    work = study(shards, tmp_path)
    findings = work.run(listen=lambda e: notes.append(e.what) if e.kind == "note" else None)
    assert not findings.failures
    assert len(work.corpora[0].counted.counts.parts) > 3
    assert told(tmp_path) == told(expected)
    model = "model.laconic"
    assert (tmp_path / model).read_bytes() == (expected / model).read_bytes()
    (note,) = [note for note in notes if "blocks on disk" in note]
    (corpus,) = json.loads((tmp_path / "corpora.json").read_text())["corpora"]
    assert any(problem in note for problem in corpus["problems"]), "the page has it too"


def test_only_final_models_are_trained_on_blocks(shards, tmp_path, on_disk):
    """The documents of folds are in memory, within any limit; notes do not depend on it."""
    notes = set()
    for limit in (1, 10**9):
        (prepared,) = study(shards, tmp_path / "study").corpora
        prepared.count(StorageOptions(blocks=str(tmp_path / "blocks"), in_memory=limit))
        splits, names = (prepared.splits[0], prepared.final_split()), [prepared.targets[0].name]
        (fold,), (final,) = (prepared.problems(split, names) for split in splits)
        assert isinstance(fold.X_train, csr_array)
        assert isinstance(final.X_train, Blocks) == (limit == 1)
        notes.add(prepared.counted.notes)
    assert len(notes) == 1


def test_a_study_that_is_opened_again_counts_nothing(shards, tmp_path, on_disk, monkeypatch):
    (counted,) = study(shards, tmp_path).corpora
    counted.count(StorageOptions(blocks=str(tmp_path / "blocks")))
    monkeypatch.setattr(blocks, "write_block", lambda job: pytest.fail("it was counted again"))
    (prepared,) = study(shards, tmp_path).corpora
    parts = prepared.counted.counts.parts
    assert len(parts) > 3
    assert all(part.folder.is_relative_to(tmp_path / "blocks") for part in parts)


def test_texts_are_read_a_few_times_only(shards, tmp_path, on_disk, monkeypatch):
    """Fingerprint, copies and counting. Serving is timed twice on a sample, here all of them."""
    encoded, n_bytes = StoredTexts.encoded, []

    def counting(texts):
        for raw in encoded(texts):
            n_bytes.append(len(raw))
            yield raw

    monkeypatch.setattr(StoredTexts, "encoded", counting)
    work = study(shards, tmp_path)
    work.run()
    assert sum(n_bytes) <= 5 * work.corpora[0].corpus.texts.starts[-1]


def test_the_folder_of_blocks_is_checked_before_work(shards, tmp_path, on_disk):
    for where, says in ((shards / "blocks", "is inside"), ("/proc/nowhere", "cannot be created")):
        with pytest.raises(LaconicError, match=says):
            study(shards, tmp_path).run(storage=StorageOptions(blocks=str(where)))
    assert not (tmp_path / "rows.csv").exists()


@pytest.mark.full
@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_final_models_are_trained_on_blocks_that_do_not_fit(shards, tmp_path, on_disk, n_jobs):
    storage = StorageOptions(blocks=str(tmp_path / "shared"), in_memory=20_000)
    executor = InProcess() if n_jobs == 1 else Processes(2)
    findings = study(shards, tmp_path / "study").run(executor, storage=storage)
    assert not findings.failures
    (found,) = findings.recommendations
    assert not found.failure
    assert found.test_score > 0.9
    assert (tmp_path / "study" / JOURNAL).exists()
    assert (tmp_path / "study" / "model.laconic").exists()
    made = {file: file.stat().st_mtime_ns for file in (tmp_path / "shared").glob("*/block-*")}
    study(shards, tmp_path / "second").run(storage=storage)
    again = {file: file.stat().st_mtime_ns for file in (tmp_path / "shared").glob("*/block-*")}
    assert again == made, "another study of the same corpus counts nothing"
