"""Documents per second of the chosen candidates: retrained, then timed in turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median

from threadpoolctl import threadpool_limits

from bench.frontier.choosing import Candidate, candidates, choose, of_side, within_words
from bench.frontier.corpora import Part, Task
from bench.frontier.families import SIDES, Budget, Family, Serve
from bench.frontier.journal import Journal, Speed, rows_of
from bench.measuring import interleaved

REPEATS = 5
MOST_DOCS = 2000
METRIC = "f1_micro"
Say = Callable[[str], None]


def measure_speed(
    task: Task,
    families: Sequence[Family],
    budgets: Sequence[Budget],
    journal: Journal,
    say: Say = print,
) -> None:
    """Both sides at each budget, as chosen by micro-F1; budgets in the journal are skipped."""
    lines = list(journal.lines())
    done = {line.limit for line in lines if isinstance(line, Speed) and line.part == task.part}
    measured = candidates(rows_of(lines))
    for budget in budgets:
        both = [choose(of_side(measured, side), METRIC, within_words(budget)) for side in SIDES]
        chosen = [candidate for candidate in both if candidate is not None]
        if budget in done or len(chosen) < 2:
            continue
        with threadpool_limits(1):
            rates = docs_per_second(task, [serving(task, families, c) for c in chosen])
        for candidate, rate in zip(chosen, rates, strict=True):
            name = (candidate.side, candidate.family, candidate.settings, candidate.budget)
            raw = task.test.texts is not None
            journal.add(Speed(task.corpus, task.part, *name, budget, round(rate, 1), raw))
        say(f"{task.corpus}: documents per second within {budget}: {rates[0]:.0f}, {rates[1]:.0f}")


def serving(task: Task, families: Sequence[Family], candidate: Candidate) -> Serve:
    """A prediction by the candidate, retrained."""
    name = (candidate.side, candidate.family)
    (family,) = (family for family in families if (family.side, family.name) == name)
    requests = {candidate.settings: [candidate.budget]}
    ((_, _, model),) = family.make(family, task, requests)
    assert not isinstance(model, str)
    return model.serving()


def docs_per_second(task: Task, serves: Sequence[Serve]) -> list[float]:
    part = first(task.test, MOST_DOCS)
    for serve in serves:
        serve(part)  # compiles, and fills the caches
    runs = interleaved(REPEATS, *(partial(serve, part) for serve in serves))
    return [part.X.shape[0] / median(run.cpu) for run in runs]


def first(part: Part, n_docs: int) -> Part:
    """At least n_docs documents, evenly spaced."""
    step = max(1, part.X.shape[0] // n_docs)
    texts = None if part.texts is None else part.texts[::step]
    X, counts = part.X[::step], part.counts[::step]
    return replace(part, X=X, truth=part.truth[::step], counts=counts, texts=texts)
