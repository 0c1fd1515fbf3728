"""Lines: jobs that share a selection go to one worker, and nobody waits at the end."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from laconic.study.lines import Lines, Staged
from laconic.study.task import Task

ALPHAS = (0.1, 0.3, 0.5)


def job(problem: int, method: str) -> Staged:
    task = Task("data", f"{problem}", "test", "f", "split", "ltc", method, 0, (5,), ("roc_auc",))
    return task, Path(f"problem-{problem}")


def study(problems: int, names: tuple[str, ...] = ("BSS", "IG")) -> list[Staged]:
    return [
        job(problem, f"{name}+ridge:alpha={alpha}")
        for problem in range(problems)
        for name in names
        for alpha in ALPHAS
    ]


def drawn_from(jobs: list[Staged], drawn: list[Staged]):
    return (drawn.append(one) or one for one in jobs)


def hand(lines: Lines, worker: str, crew=("a", "b")) -> Staged | None:
    todo = lines.jobs_for(worker, crew)
    if not todo:
        return None
    one = todo.popleft()
    lines.draw()
    return one


def test_a_worker_does_all_that_share_a_selection_one_after_the_other():
    lines = Lines(iter(study(1)))
    took = [(worker, hand(lines, worker)[0].method) for worker in "abab"]
    assert took == [
        ("a", "BSS+ridge:alpha=0.1"),
        ("b", "IG+ridge:alpha=0.1"),
        ("a", "BSS+ridge:alpha=0.3"),
        ("b", "IG+ridge:alpha=0.3"),
    ]


def test_the_same_selection_on_another_problem_is_another_line():
    lines = Lines(iter([job(0, "IG"), job(1, "IG"), job(1, "DF")]))
    assert [hand(lines, worker)[1].name for worker in "ab"] == ["problem-0", "problem-1"]


def test_one_job_is_ahead_of_those_at_which_someone_works():
    drawn: list[Staged] = []
    lines = Lines(drawn_from(study(3), drawn))
    assert len(drawn) == 1
    hand(lines, "a")
    assert len(drawn) == 4, "three share a selection, and the next line's first"
    hand(lines, "a")
    assert len(drawn) == 4
    hand(lines, "b")
    assert len(drawn) == 7


def test_at_the_end_a_worker_helps_at_the_longest_line():
    lines = Lines(iter([job(0, "IG"), *study(1, ("BSS",))]))
    assert hand(lines, "b")[0].method == "IG"
    assert hand(lines, "a")[0].method == "BSS+ridge:alpha=0.1"
    assert hand(lines, "b")[0].method == "BSS+ridge:alpha=0.3"
    assert hand(lines, "a")[0].method == "BSS+ridge:alpha=0.5"
    assert hand(lines, "b") is None
    assert not lines.waiting


def test_help_goes_where_most_is_left():
    jobs = [
        job(0, "IG+ridge:alpha=0.1"),
        job(0, "IG+ridge:alpha=0.3"),
        *study(1, ("BSS",)),
        job(0, "DF"),
    ]
    lines, crew = Lines(iter(jobs)), ("a", "b", "c")
    took = [hand(lines, worker, crew)[0].method for worker in "abcc"]
    assert took == ["IG+ridge:alpha=0.1", "BSS+ridge:alpha=0.1", "DF", "BSS+ridge:alpha=0.3"]


def test_what_a_dead_worker_left_is_done_before_anything_new():
    lines = Lines(iter(study(2)))
    hand(lines, "a")
    assert hand(lines, "c", crew=("b", "c"))[0].method == "BSS+ridge:alpha=0.3"
    assert hand(lines, "b", crew=("b", "c"))[0].method == "IG+ridge:alpha=0.1"


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["IG", "DF", "BSS"])), max_size=8),
    st.lists(st.sampled_from("abc"), max_size=80),
)
def test_every_job_is_handed_once_in_its_order_whoever_asks(groups, asks):
    jobs = [
        job(n, f"{m}+ridge:alpha={i}.0") for n, (many, m) in enumerate(groups) for i in range(many)
    ]
    lines = Lines(iter(jobs))
    handed, by_line = [], defaultdict(set)
    for worker in [*asks, *"abc" * len(jobs)]:
        fresh = lines._ahead is not None
        if (one := hand(lines, worker, crew="abc")) is not None:
            handed.append(one)
            if fresh:
                by_line[one[1]].add(worker)
    assert not lines.waiting
    assert sorted(handed, key=lambda one: jobs.index(one)) == jobs
    assert all(len(workers) == 1 for workers in by_line.values())
