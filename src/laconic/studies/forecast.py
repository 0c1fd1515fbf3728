"""What a study will take: time, memory and disk, from a sample that is measured before it starts.

Random samples of documents, each twice as large as the one before, go through what a study does:
they are counted and weighted, and the tasks of one fold are run. Measuring ends where the next
sample would take it above `SHARE` of the study's time, and above `SECONDS`. The parts of a study
are taken to grow like this:

| part | grows with |
|---|---|
| counting | all documents, in proportion |
| comparing features | the documents that are compared, at most 20,000, in proportion |
| tasks of the folds | the documents of a fold, at most `max_tuning`, by the power that the last \
two samples show, from 1 to 1.5 |
| blends | as the tasks, with one alpha; for all methods, although only good ones are blended |
| final models | all training documents, by the same power: all words and the costliest selection |
| memory | the entries of the largest matrix that is trained on; of texts in files at most \
those of a fold, or `--in-memory`; documents × classes, where there are several |
| disk | texts in temporary files, and their blocks, in proportion; two folds in files, for \
processes |

The journal and the report are not counted. Studies of fewer than `LEAST_WORK` documents × tasks
are not measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from tempfile import gettempdir
from typing import NamedTuple, Self
from warnings import catch_warnings, simplefilter

from laconic.corpus.stored_texts import StoredTexts
from laconic.methods import keeps_all
from laconic.numerics.blocks import ENTRY_BYTES, MEMORY
from laconic.resources import memory_now, memory_of_machine, usable_cpus
from laconic.studies.options import PRESETS
from laconic.studies.prepared_corpus import PreparedCorpus
from laconic.studies.probe import compares_features, counting_words, probe_size
from laconic.studies.sample_costs import SampleCost, measure_probe, measure_sample
from laconic.text.options import StorageOptions

# Below so many documents × tasks a study takes a minute or two, and nothing is measured.
LEAST_WORK = 200_000
# A study that takes fewer seconds is not announced.
LEAST_SECONDS = 60.0
# What measuring may take: a share of the study, or so many seconds.
SHARE, SECONDS = 0.02, 8.0
# Documents of the samples; the warm-up loads compiled code.
WARM_UP, FIRST_SAMPLE, PROBED = 100, 500, 300
POWERS = 1.0, 1.5
# An option is named if it saves at least this share of the time.
WORTH = 0.25
# What softmax regression, which takes most, keeps of each document and class: 8 numbers.
CLASS_BYTES = 8 * 8
QUICK = PRESETS["quick"]
FEW_FOLDS = 3
LEAST_TUNING = 2000


@dataclass(frozen=True)
class Workload:
    """What the parts of a study grow with.

    n_docs : documents of the corpus
    n_in_fold : training and test documents of a fold
    n_trained : training documents of the final models
    n_folds : folds × problems × draws
    n_problems : problems
    n_workers : processes at a time; 1 is the process of the study
    n_probed : documents on which features are compared
    stored : bytes of text in temporary files, whose words are counted in blocks; 0 in memory
    in_memory : bytes that a matrix in memory may take, if texts are stored
    blends : whether classifiers are blended
    n_classes : decision values per document, if there are several; else 0
    """

    n_docs: int
    n_in_fold: int
    n_trained: int
    n_folds: int
    n_problems: int = 1
    n_workers: int = 1
    n_probed: int = 0
    stored: int = 0
    in_memory: int = MEMORY
    blends: bool = True
    n_classes: int = 0

    @classmethod
    def of(cls, prepared: PreparedCorpus, n_workers: int, storage: StorageOptions) -> Self:
        plan, split, texts = prepared.plan, prepared.splits[0], prepared.corpus.texts
        n_draws = 1 + max(task.draw for task in prepared.planned)
        n_columns = max(target.n_columns for target in prepared.targets)
        return cls(
            len(prepared.corpus),
            split.train.size + split.test.size,
            prepared.final_split().train.size,
            len(prepared.splits) * len(prepared.targets) * n_draws,
            len(prepared.targets),
            n_workers,
            0,
            int(texts.starts[-1]) if isinstance(texts, StoredTexts) else 0,
            storage.limit,
            plan.training.blends and bool(plan.split.cv),
            n_columns if n_columns > 1 else 0,
        )


class Samples(NamedTuple):
    """The last two samples, the CPU seconds of comparing features of `PROBED` documents, and the
    memory of the process."""

    first: SampleCost
    last: SampleCost
    probing: float = 0.0
    base_memory: int = 0


@dataclass(frozen=True)
class Forecast:
    """What a study will take: CPU seconds by part, and bytes of memory per process and of disk.

    `temporary` bytes of the disk are in the system's folder for temporary files.
    """

    counting: float
    features: float
    folds: float
    blends: float
    final: float
    memory: int
    disk: int
    temporary: int
    n_workers: int = 1

    @property
    def cpu_seconds(self) -> float:
        return self.counting + self.features + self.folds + self.blends + self.final

    @property
    def seconds(self) -> float:
        """Time by the clock: at the end, two final models are trained."""
        n_workers = min(self.n_workers, usable_cpus())
        shared = (self.counting + self.features + self.folds + self.blends) / n_workers
        return shared + self.final / min(2, n_workers)

    def scaled(self, corpora: float, share: float) -> Self:
        """For so many corpora of the same size, with a share of the tasks to do."""
        factors = {"counting": corpora, "final": corpora}
        factors |= dict.fromkeys(("features", "folds", "blends"), corpora * share)
        return replace(self, **{name: getattr(self, name) * by for name, by in factors.items()})


def extrapolated(samples: Samples, workload: Workload) -> Forecast:
    """The forecast from two samples, by the growth that the module describes."""
    last = samples.last
    tuned = {name: _grown(samples, name, workload.n_in_fold) for name in last.tuned}
    weighing = last.weighing * workload.n_in_fold / last.n_docs
    # with one alpha, a selection takes the same share of its time at every size
    one_alpha = {name: last.single[name] / max(last.tuned[name], 1e-9) for name in last.tuned}
    single = {name: one_alpha[name] * tuned[name] for name in tuned}
    final = {name: one_alpha[name] * _grown(samples, name, workload.n_trained) for name in tuned}
    all_words = sum(seconds for name, seconds in final.items() if keeps_all(name))
    costliest = max((s for name, s in final.items() if not keeps_all(name)), default=0.0)
    return Forecast(
        last.counting * workload.n_docs / last.n_docs,
        samples.probing * workload.n_probed / PROBED,
        workload.n_folds * (sum(tuned.values()) + weighing),
        workload.n_folds * sum(single.values()) * workload.blends,
        workload.n_problems * (all_words + costliest),
        _memory(samples, workload),
        *_disk(last, workload),
        workload.n_workers,
    )


def _grown(samples: Samples, name: str, n_docs: int) -> float:
    """The seconds of a selection with so many documents."""
    first, last = samples.first, samples.last
    ratio = last.tuned[name] / max(first.tuned.get(name, last.tuned[name]), 1e-9)
    doubled = last.n_docs / first.n_docs
    power = log(max(ratio, 1e-9)) / log(doubled) if doubled > 1 else POWERS[0]
    low, high = POWERS
    return float(last.tuned[name] * (n_docs / last.n_docs) ** min(max(power, low), high))


def _memory(samples: Samples, workload: Workload) -> int:
    last = samples.last
    per_document = last.n_entries / last.n_docs
    final = per_document * workload.n_trained
    if workload.stored:
        final = min(final, workload.in_memory / ENTRY_BYTES)
    n_entries = max(final, per_document * workload.n_in_fold)
    by_class = CLASS_BYTES * workload.n_classes
    # the matrix at least, because all classes may not be in the sample
    of_sample = max(last.memory - by_class * last.n_docs, ENTRY_BYTES * last.n_entries)
    working = of_sample / max(1, last.n_entries) * n_entries
    working += by_class * max(workload.n_in_fold, workload.n_trained)
    counts = 0.0 if workload.stored else per_document * workload.n_docs * ENTRY_BYTES
    return int(samples.base_memory + max(working, 0) + counts)


def _disk(last: SampleCost, workload: Workload) -> tuple[int, int]:
    """Bytes of all files, and of the temporary ones: texts, and folds that processes share."""
    blocks = last.block_bytes / last.n_docs * workload.n_docs if workload.stored else 0.0
    fold = last.n_entries / last.n_docs * workload.n_in_fold * ENTRY_BYTES
    temporary = workload.stored + (2 * fold if workload.n_workers > 1 else 0)
    return int(blocks + temporary), int(temporary)


class Cheaper(NamedTuple):
    """An option of the command, and the forecast with it."""

    option: str
    forecast: Forecast


def cheaper(samples: Samples, workload: Workload, cv: int) -> Cheaper | None:
    """The option that saves most time, if one saves enough; more processes cost nothing."""
    now = extrapolated(samples, workload).seconds
    options = [Cheaper(*option) for option in _options(samples, workload, cv)]
    worth = [option for option in options if option.forecast.seconds <= (1 - WORTH) * now]
    faster = [option for option in worth if option.option.startswith("--jobs")]
    return min(faster or worth, key=lambda option: option.forecast.seconds, default=None)


def _options(samples: Samples, workload: Workload, cv: int) -> Iterator[tuple[str, Forecast]]:
    if workload.n_workers < usable_cpus():
        n_workers = usable_cpus()
        yield f"--jobs {n_workers}", extrapolated(samples, replace(workload, n_workers=n_workers))
    if set(QUICK) < set(samples.last.tuned):
        yield "--methods quick", extrapolated(_only(samples, QUICK), workload)
    if workload.n_in_fold >= 2 * LEAST_TUNING:
        n_docs = _round(workload.n_in_fold // 2)
        yield f"--max-tuning {n_docs}", extrapolated(samples, replace(workload, n_in_fold=n_docs))
    if cv > FEW_FOLDS:
        n_folds = workload.n_folds * FEW_FOLDS // cv
        yield f"--cv {FEW_FOLDS}", extrapolated(samples, replace(workload, n_folds=n_folds))
    if workload.n_probed:
        yield "--features words", extrapolated(samples, replace(workload, n_probed=0))
    if workload.blends:
        yield "--no-blends", extrapolated(samples, replace(workload, blends=False))


def _only(samples: Samples, names: Sequence[str]) -> Samples:
    """The samples as if only these methods were compared."""

    def chosen(cost: SampleCost) -> SampleCost:
        tuned, single = (
            {name: costs[name] for name in names} for costs in (cost.tuned, cost.single)
        )
        return replace(cost, tuned=tuned, single=single)

    return samples._replace(first=chosen(samples.first), last=chosen(samples.last))


def _round(number: int) -> int:
    """With one digit that is not 0."""
    unit = 10 ** (len(str(number)) - 1)
    return int(number // unit * unit)


def sentences(forecast: Forecast, option: Cheaper | None, title: str = "Forecast") -> str:
    """The forecast for people, with the option that would make it cheaper."""
    processes = "one process" if forecast.n_workers == 1 else f"{forecast.n_workers} processes"
    disk = f", {in_bytes(forecast.disk)} of disk" if forecast.disk else ", no temporary files"
    if forecast.temporary:
        disk += f" ({in_bytes(forecast.temporary)} of it in {gettempdir()})"
    parts = [
        f"{title}: about {in_time(forecast.seconds)} with {processes}, "
        f"{in_bytes(forecast.memory)} of memory per process{disk}."
    ]
    if option is not None:
        parts.append(f"`{option.option}` would take about {in_time(option.forecast.seconds)}.")
    machine = memory_of_machine()
    if machine is not None and forecast.memory * forecast.n_workers > machine:
        parts.append(f"The machine has {in_bytes(machine)} of memory{_saving(forecast)}.")
    return " ".join(parts)


def _saving(forecast: Forecast) -> str:
    """What takes less memory: a limit is that of texts in temporary files."""
    if forecast.n_workers > 1:
        return ": use `--jobs 1`"
    return ": use `--in-memory 500MB`" if forecast.temporary else ""


def in_time(seconds: float) -> str:
    """ "40 seconds", "14 minutes" or "3.5 hours"."""
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def in_bytes(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 10**9 else f"{max(1, n_bytes // 10**6)} MB"


def forecast_of(
    prepared: PreparedCorpus, n_workers: int, storage: StorageOptions
) -> tuple[Samples, Workload]:
    """Measure samples of a corpus."""
    probing = compares_features(prepared)
    counted = counting_words(prepared)
    workload = replace(
        Workload.of(counted, n_workers, storage),
        n_probed=probe_size(prepared) if probing else 0,
    )
    base = memory_now()
    measure_sample(counted, WARM_UP)
    probed = measure_probe(prepared, PROBED) if probing else 0.0
    last = measure_sample(counted, min(FIRST_SAMPLE, workload.n_in_fold))
    samples, spent = Samples(last, last, probed, base), last.seconds + probed
    while last.n_docs * 2 <= workload.n_in_fold // 2:
        limit = max(SECONDS, SHARE * extrapolated(samples, workload).cpu_seconds)
        if len({samples.first.n_docs, last.n_docs}) > 1 and spent + 3 * last.seconds > limit:
            break
        first, last = last, measure_sample(counted, 2 * last.n_docs)
        samples, spent = Samples(first, last, probed, base), spent + last.seconds
    return samples, workload


def announcement(
    corpora: Sequence[PreparedCorpus],
    n_workers: int,
    storage: StorageOptions,
    share: float = 1.0,
    least_work: int = LEAST_WORK,
) -> tuple[str, Forecast] | None:
    """The forecast of a study in words, or None: it is short, or cannot be measured.

    The corpus with the most work is measured. `share` of the tasks are not done.
    """
    try:
        works = [_work(prepared) for prepared in corpora]
        if sum(works) * share < least_work:
            return None
        largest = max(range(len(works)), key=works.__getitem__)
        with catch_warnings():
            simplefilter("ignore")
            samples, workload = forecast_of(corpora[largest], n_workers, storage)
        corpora_of_this_size = sum(works) / works[largest]
        forecast = extrapolated(samples, workload).scaled(corpora_of_this_size, share)
        option = cheaper(samples, workload, corpora[largest].plan.split.cv)
        if option is not None:
            scaled = option.forecast.scaled(corpora_of_this_size, share)
            option = option._replace(forecast=scaled)
    except Exception:  # a forecast is no part of the study: without one it runs as well
        return None
    if forecast.seconds < LEAST_SECONDS and least_work:
        return None
    title = "Forecast with words as features" if workload.n_probed else "Forecast"
    return sentences(forecast, option, title), forecast


def _work(prepared: PreparedCorpus) -> int:
    """Documents × tasks."""
    split = prepared.splits[0]
    return (split.train.size + split.test.size) * len(counting_words(prepared).planned)
