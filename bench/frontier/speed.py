"""Documents a second of what validation chose: trained again, then asked in turns."""

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
GOAL = "f1_micro"
Say = Callable[[str], None]


def measure_speed(
    task: Task,
    families: Sequence[Family],
    budgets: Sequence[Budget],
    journal: Journal,
    say: Say = print,
) -> None:
    """Both sides at each budget, as chosen by micro-F1; budgets that the journal has are left."""
    lines = list(journal.lines())
    done = {line.asked for line in lines if isinstance(line, Speed) and line.part == task.part}
    found = candidates(rows_of(lines))
    for budget in budgets:
        both = [choose(of_side(found, side), GOAL, within_words(budget)) for side in SIDES]
        chosen = [one for one in both if one is not None]
        if budget in done or len(chosen) < 2:
            continue
        with threadpool_limits(1):
            rates = docs_a_second(task, [served(task, families, one) for one in chosen])
        for one, rate in zip(chosen, rates, strict=True):
            name = (one.side, one.family, one.settings, one.budget)
            raw = task.test.texts is not None
            journal.add(Speed(task.corpus, task.part, *name, budget, round(rate, 1), raw))
        say(f"{task.corpus}: documents a second within {budget}: {rates[0]:.0f}, {rates[1]:.0f}")


def served(task: Task, families: Sequence[Family], one: Candidate) -> Serve:
    """A prediction by the candidate, trained again."""
    (family,) = (own for own in families if (own.side, own.name) == (one.side, one.family))
    asked = {one.settings: [one.budget]}
    ((_, _, made),) = family.make(family, task, asked)
    assert not isinstance(made, str)
    return made.serving()


def docs_a_second(task: Task, serves: Sequence[Serve]) -> list[float]:
    part = first(task.test, MOST_DOCS)
    for serve in serves:
        serve(part)  # compiles, and reads what is to be remembered
    runs = interleaved(REPEATS, *(partial(serve, part) for serve in serves))
    return [part.X.shape[0] / median(run.cpu) for run in runs]


def first(part: Part, n_docs: int) -> Part:
    """So many documents, evenly spaced."""
    step = max(1, part.X.shape[0] // n_docs)
    texts = None if part.texts is None else part.texts[::step]
    X, counts = part.X[::step], part.counts[::step]
    return replace(part, X=X, truth=part.truth[::step], counts=counts, texts=texts)
