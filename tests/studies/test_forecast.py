"""The forecast: silent for small studies, and its parts grow as its module says."""

from __future__ import annotations

from dataclasses import replace
from tempfile import gettempdir

import numpy as np
import pytest

from laconic.corpus.corpus import Corpus
from laconic.numerics.blocks import ENTRY_BYTES
from laconic.studies import forecast as forecasts
from laconic.studies.forecast import (
    CLASS_BYTES,
    PROBED,
    Samples,
    Workload,
    announcement,
    cheaper,
    extrapolated,
    in_bytes,
    in_time,
    sentences,
)
from laconic.studies.options import SplitOptions
from laconic.studies.plan import Plan
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.sample_costs import SampleCost
from laconic.studies.study import Study
from laconic.text.options import StorageOptions

WORKLOAD = Workload(n_docs=30_000, n_in_fold=8000, n_trained=24_000, n_folds=5)


def sample(n_docs, power=1.0, weighing=0.0):
    """What tasks take that grow by a power: 1 second for 1,000 documents."""
    seconds = (n_docs / 1000) ** power
    tuned = {"ALL": seconds, "IG": 2 * seconds, "RFE": 4 * seconds}
    return SampleCost(
        n_docs,
        counting=0.01 * n_docs / 1000,
        weighing=weighing,
        tuned=tuned,
        single={name: cost / 4 for name, cost in tuned.items()},
        n_entries=100 * n_docs,
        memory=2000 * n_docs,
        block_bytes=700 * n_docs,
    )


def samples(power=1.0):
    return Samples(sample(500, power), sample(1000, power))


@pytest.mark.parametrize("power", [1.0, 1.25, 1.5])
def test_tasks_grow_by_the_power_of_the_samples(power):
    forecast = extrapolated(samples(power), WORKLOAD)
    assert forecast.folds == pytest.approx(5 * 7 * 8**power)
    assert forecast.blends == pytest.approx(forecast.folds / 4)
    assert forecast.final == pytest.approx((1 + 4) / 4 * 24**power)
    assert forecast.counting == pytest.approx(0.3)


@pytest.mark.parametrize(("measured", "taken"), [(0.4, 1.0), (3.0, 1.5)])
def test_powers_are_limited(measured, taken):
    assert extrapolated(samples(measured), WORKLOAD).folds == pytest.approx(5 * 7 * 8**taken)


def test_each_part_grows_with_its_own_number():
    now = extrapolated(samples()._replace(probing=2.0), WORKLOAD)
    assert now.features == 0
    probing = replace(WORKLOAD, n_probed=10 * PROBED)
    assert extrapolated(samples()._replace(probing=2.0), probing).features == pytest.approx(20)
    assert extrapolated(samples(), replace(WORKLOAD, blends=False)).blends == 0
    twice = extrapolated(samples(), replace(WORKLOAD, n_folds=10))
    assert (twice.folds, twice.final) == pytest.approx((2 * now.folds, now.final))


def test_memory_is_that_of_the_entries_within_the_limit():
    base = 10**8
    stored = replace(WORKLOAD, stored=10**9)
    of_training = 2000 * 24_000
    assert extrapolated(samples()._replace(base_memory=base), stored).memory == base + of_training
    in_memory = extrapolated(samples(), WORKLOAD).memory
    assert in_memory == of_training + 100 * 30_000 * ENTRY_BYTES
    half = replace(stored, in_memory=100 * 12_000 * ENTRY_BYTES)
    assert extrapolated(samples(), half).memory == of_training // 2
    tiny = replace(stored, in_memory=1)
    assert extrapolated(samples(), tiny).memory == 2000 * 8000, "folds are in memory"
    unstored = replace(WORKLOAD, in_memory=1)
    assert extrapolated(samples(), unstored).memory == in_memory, "counts that are in memory stay"


def test_memory_also_grows_with_documents_and_classes():
    """Whatever the limit of a matrix; what a sample took for its classes does not count twice."""
    tiny = replace(WORKLOAD, stored=10**9, in_memory=1, n_in_fold=1000)
    memory = [extrapolated(samples(), replace(tiny, n_classes=n)).memory for n in (0, 10, 500)]
    assert memory[0] == 2000 * 1000
    assert memory[1] - memory[0] == CLASS_BYTES * 10 * (24_000 - 1000)
    assert memory[2] == CLASS_BYTES * 500 * 24_000 + 100 * 1000 * ENTRY_BYTES


def test_a_limit_is_advised_for_texts_in_files_only(monkeypatch):
    monkeypatch.setattr(forecasts, "memory_of_machine", lambda: 10**6)
    stored = replace(WORKLOAD, stored=10**9)
    advice = [
        sentences(extrapolated(samples(), workload), None).partition("The machine has ")[2]
        for workload in (WORKLOAD, stored, replace(stored, n_workers=2))
    ]
    assert advice[0] == "1 MB of memory."
    assert advice[1] == "1 MB of memory: use `--in-memory 500MB`."
    assert advice[2] == "1 MB of memory: use `--jobs 1`."


def test_disk_is_that_of_blocks_and_of_folds_in_files():
    assert extrapolated(samples(), WORKLOAD).disk == 0
    stored = extrapolated(samples(), replace(WORKLOAD, stored=4 * 10**6))
    assert (stored.disk, stored.temporary) == (700 * 30_000 + 4 * 10**6, 4 * 10**6)
    of_folds = 2 * 100 * 8000 * ENTRY_BYTES
    assert extrapolated(samples(), replace(WORKLOAD, n_workers=2)).disk == of_folds


def test_the_option_that_saves_most(monkeypatch):
    monkeypatch.setattr(forecasts, "usable_cpus", lambda: 2)
    two = replace(WORKLOAD, n_workers=2)
    option = cheaper(samples(), two, 5)
    assert option.option == "--methods quick"
    assert option.forecast.folds == pytest.approx(5 * 3 * 8)
    assert cheaper(samples(), WORKLOAD, 5).option == "--jobs 2"
    few = Samples(*(replace(s, tuned={"IG": 1.0}, single={"IG": 0.2}) for s in samples()[:2]))
    assert cheaper(few, two, 3).option == "--max-tuning 4000"
    assert cheaper(few, replace(two, n_in_fold=900, n_docs=900, n_trained=900), 2) is None
    text = sentences(extrapolated(samples(), two), option)
    assert text.startswith("Forecast: about 3 minutes with 2 processes, ")
    assert f"of memory per process, 19 MB of disk (19 MB of it in {gettempdir()}). " in text
    assert "`--methods quick` would take about " in text


def test_numbers_for_people():
    assert [in_time(s) for s in (40, 840, 12_600)] == ["40 seconds", "14 minutes", "3.5 hours"]
    assert [in_bytes(b) for b in (10, 6 * 10**7, 14 * 10**8)] == ["1 MB", "60 MB", "1.4 GB"]


@pytest.fixture
def corpus():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(60)])
    texts = [" ".join(rng.choice(words[i % 2 * 20 :][:40], 12)) for i in range(240)]
    labels = tuple((("cat", "dog")[i % 2],) for i in range(240))
    return Corpus("pets", labels=labels, ids=tuple(map(str, range(240))), texts=tuple(texts))


@pytest.fixture
def plan(corpus):
    methods = ("ALL+ridge:alpha=1", "IG+ridge:alpha=1")
    split = SplitOptions(cv=2)
    return Plan((corpus,), methods=methods, sizes=(5,), split=split, features="words")


def test_a_small_study_is_not_measured(plan, corpus, monkeypatch, tmp_path):
    monkeypatch.setattr(forecasts, "measure_sample", lambda *_: pytest.fail("it was measured"))
    prepared = PreparedCorpus.of(plan, corpus)
    assert announcement([prepared], 1, StorageOptions()) is None
    events = []
    Study(plan, tmp_path / "study").run(listen=events.append)
    assert "forecast" not in {event.kind for event in events}


def test_a_forced_forecast_has_all_three_quantities(plan, corpus, monkeypatch):
    monkeypatch.setattr(forecasts, "FIRST_SAMPLE", 40)
    prepared = PreparedCorpus.of(plan, corpus)
    text, forecast = announcement([prepared], 2, StorageOptions(), least_work=0)
    assert min(forecast.folds, forecast.final, forecast.counting) > 0
    assert forecast.memory > 10**6
    assert forecast.disk > 0
    assert text.startswith("Forecast: about ")
    assert "of memory per process" in text
    assert " of disk (" in text


def test_a_study_that_cannot_be_measured_runs_without(plan, corpus, monkeypatch, tmp_path):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(forecasts, "measure_sample", fail)
    monkeypatch.setattr(forecasts.announcement, "__defaults__", (1.0, 0))
    events = []
    findings = Study(plan, tmp_path / "study").run(listen=events.append)
    assert findings.recommendations
    assert "forecast" not in {event.kind for event in events}
    monkeypatch.undo()
    monkeypatch.setattr(forecasts.announcement, "__defaults__", (1.0, 0))
    monkeypatch.setattr(forecasts, "FIRST_SAMPLE", 40)
    Study(plan, tmp_path / "again").run(listen=events.append)
    (said,) = (event for event in events if event.kind == "forecast")
    assert said.what.startswith("Forecast: about ")
    assert said.seconds > 0
