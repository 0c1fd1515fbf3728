"""The work queue: jobs with the same selection go to one worker; none idles at the end."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from laconic.studies.execution.lines import StagedJob, WorkQueue
from laconic.studies.execution.task import Task

ALPHAS = (0.1, 0.3, 0.5)


def job(problem: int, method: str) -> StagedJob:
    task = Task("data", f"{problem}", "test", "f", "split", "ltc", method, 0, (5,), ("roc_auc",))
    return task, Path(f"problem-{problem}")


def study(problems: int, names: tuple[str, ...] = ("BSS", "IG")) -> list[StagedJob]:
    return [
        job(problem, f"{name}+ridge:alpha={alpha}")
        for problem in range(problems)
        for name in names
        for alpha in ALPHAS
    ]


def recorded(jobs: list[StagedJob], fetched: list[StagedJob]):
    return (fetched.append(job) or job for job in jobs)


def send(queue: WorkQueue, worker: str, workers=("a", "b")) -> StagedJob | None:
    group = queue.jobs_for(worker, workers)
    if not group:
        return None
    sent = group.popleft()
    queue.fetch()
    return sent


def test_a_worker_does_all_that_share_a_selection_one_after_the_other():
    queue = WorkQueue(iter(study(1)))
    sent = [(worker, send(queue, worker)[0].method) for worker in "abab"]
    assert sent == [
        ("a", "BSS+ridge:alpha=0.1"),
        ("b", "IG+ridge:alpha=0.1"),
        ("a", "BSS+ridge:alpha=0.3"),
        ("b", "IG+ridge:alpha=0.3"),
    ]


def test_the_same_selection_on_another_problem_is_another_group():
    queue = WorkQueue(iter([job(0, "IG"), job(1, "IG"), job(1, "DF")]))
    assert [send(queue, worker)[1].name for worker in "ab"] == ["problem-0", "problem-1"]


def test_one_job_is_fetched_ahead_of_the_current_groups():
    fetched: list[StagedJob] = []
    queue = WorkQueue(recorded(study(3), fetched))
    assert len(fetched) == 1
    send(queue, "a")
    assert len(fetched) == 4, "three share a selection, and the first of the next group"
    send(queue, "a")
    assert len(fetched) == 4
    send(queue, "b")
    assert len(fetched) == 7


def test_at_the_end_a_worker_takes_jobs_of_the_largest_group():
    queue = WorkQueue(iter([job(0, "IG"), *study(1, ("BSS",))]))
    assert send(queue, "b")[0].method == "IG"
    assert send(queue, "a")[0].method == "BSS+ridge:alpha=0.1"
    assert send(queue, "b")[0].method == "BSS+ridge:alpha=0.3"
    assert send(queue, "a")[0].method == "BSS+ridge:alpha=0.5"
    assert send(queue, "b") is None
    assert not queue.pending


def test_the_largest_group_is_the_one_with_most_jobs_left():
    jobs = [
        job(0, "IG+ridge:alpha=0.1"),
        job(0, "IG+ridge:alpha=0.3"),
        *study(1, ("BSS",)),
        job(0, "DF"),
    ]
    queue, workers = WorkQueue(iter(jobs)), ("a", "b", "c")
    sent = [send(queue, worker, workers)[0].method for worker in "abcc"]
    assert sent == ["IG+ridge:alpha=0.1", "BSS+ridge:alpha=0.1", "DF", "BSS+ridge:alpha=0.3"]


def test_the_group_of_a_worker_that_exited_comes_before_a_new_one():
    queue = WorkQueue(iter(study(2)))
    send(queue, "a")
    assert send(queue, "c", workers=("b", "c"))[0].method == "BSS+ridge:alpha=0.3"
    assert send(queue, "b", workers=("b", "c"))[0].method == "IG+ridge:alpha=0.1"


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["IG", "DF", "BSS"])), max_size=8),
    st.lists(st.sampled_from("abc"), max_size=80),
)
def test_every_job_is_sent_once_and_in_order(groups, requests):
    jobs = [
        job(n, f"{m}+ridge:alpha={i}.0") for n, (many, m) in enumerate(groups) for i in range(many)
    ]
    queue = WorkQueue(iter(jobs))
    sent, by_group = [], defaultdict(set)
    for worker in [*requests, *"abc" * len(jobs)]:
        is_new = queue._next is not None
        if (item := send(queue, worker, workers="abc")) is not None:
            sent.append(item)
            if is_new:
                by_group[item[1]].add(worker)
    assert not queue.pending
    assert sorted(sent, key=lambda item: jobs.index(item)) == jobs
    assert all(len(workers) == 1 for workers in by_group.values())
