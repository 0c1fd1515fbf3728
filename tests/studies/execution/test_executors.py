"""Executors: the same rows everywhere; failures cost one task; no process or file is left."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import laconic.processes
from laconic.errors import LaconicError
from laconic.methods import METHODS
from laconic.processes.child import ONE_THREAD
from laconic.resources import CAN_LIMIT_MEMORY, usable_cpus
from laconic.scratch import FOLDER_PREFIX
from laconic.studies.execution import processes, workers
from laconic.studies.execution.executors import executor_for
from laconic.studies.execution.jobs import Job, run_job, run_task
from laconic.studies.execution.jobs import jobs_of as jobs_on
from laconic.studies.execution.local import InProcess
from laconic.studies.execution.processes import Processes
from laconic.studies.execution.shared_arrays import open_problem, write_problem
from laconic.studies.execution.task import Outcome, Task
from laconic.studies.execution.workers import Limits, StagedJob, Worker, WorkerState
from laconic.text.problem import Problem
from tests.studies.execution.test_shared_arrays import problem
from tests.studies.runs import per_task

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[3]
SIZES = (5, 20)


def task_for(problem: Problem, method: str = "DF", draw: int = 0) -> Task:
    return Task(
        "data",
        problem.name,
        "test",
        problem.fold,
        "split",
        "ltc",
        method,
        draw,
        SIZES,
        ("accuracy",),
    )


def jobs_of(n_problems: int, methods: Iterable[str] = ("DF",), n_draws: int = 1) -> Iterator[Job]:
    for number in range(n_problems):
        built = problem(labels=number % 2 == 1, name=f"problem {number}")
        tasks = (task_for(built, method, draw) for method in methods for draw in range(n_draws))
        yield from jobs_on(built, tasks)


def run_all(executor, jobs: Iterable[Job]) -> dict[str, Outcome]:
    with executor:
        outcomes = list(executor.run(jobs))
    by_title = {outcome.task.title: outcome for outcome in outcomes}
    assert len(by_title) == len(outcomes)
    return by_title


# functions that workers run in these tests; they import them by name


@per_task
def draw_2_kills_its_process(task: Task, problem: Problem) -> Outcome:
    if task.draw == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return run_task(task, problem)


class Unreadable:
    def __reduce__(self):
        return int, ("not a number",)


@per_task
def fails_in_many_ways(task: Task, problem: Problem) -> Outcome:
    """A different failure for each draw."""
    match task.draw:
        case 0:
            os._exit(3)
        case 1:
            os.abort()
        case 2:
            raise RuntimeError("a failure")
        case 3:
            return replace(run_task(task, problem), notes=(lambda: None,))
        case 4:
            return replace(run_task(task, problem), notes=(Unreadable(),))
    return run_task(task, problem)


@per_task
def reports_its_process(task: Task, problem: Problem) -> Outcome:
    report = {
        "pid": os.getpid(),
        "threads": [library["num_threads"] for library in threadpool_info()],
        "environment": {name: os.environ.get(name) for name in ONE_THREAD},
        "mapped": not problem.X_train.data.flags.writeable,
        "same": id(problem),
    }
    return replace(run_task(task, problem), notes=(json.dumps(report),))


@per_task
def disturbs(task: Task, problem: Problem) -> Outcome:
    print("noise from a worker")
    print("noise from a worker", file=sys.stderr)
    os.write(2, b"noise from a worker")
    os.kill(os.getpid(), signal.SIGINT)
    return run_task(task, problem)


@per_task
def sleeps(task: Task, problem: Problem) -> Outcome:
    time.sleep(600)
    return run_task(task, problem)


@per_task
def draw_2_sleeps(task: Task, problem: Problem) -> Outcome:
    if task.draw == 1:
        time.sleep(600)
    return run_task(task, problem)


def exit_at_startup() -> Callable[[Task, Problem], Outcome]:
    os._exit(7)


class ExitAtStartup:
    """A process that unpickles it exits."""

    def __reduce__(self):
        return exit_at_startup, ()


def test_two_processes_give_the_same_rows_as_none(tmp_path):
    here = run_all(InProcess(), jobs_of(2, METHODS))
    there = run_all(Processes(2, folder=tmp_path), jobs_of(2, METHODS))
    assert there.keys() == here.keys()
    for title, outcome in here.items():
        assert_same(there[title], outcome)
        assert outcome.status == "ok"
    assert list(tmp_path.iterdir()) == []


def assert_same(a: Outcome, b: Outcome) -> None:
    assert (a.task, a.status, a.notes) == (b.task, b.status, b.notes)
    no_cost = {"seconds": 0.0, "memory": None}
    assert [replace(row, **no_cost) for row in a.rows] == [
        replace(row, **no_cost) for row in b.rows
    ]
    np.testing.assert_array_equal(a.y_signed, b.y_signed)
    for cut_a, cut_b in zip(a.cuts, b.cuts, strict=True):
        assert cut_a.size == cut_b.size
        np.testing.assert_array_equal(cut_a.terms, cut_b.terms)
        np.testing.assert_array_equal(cut_a.chosen, cut_b.chosen)


@pytest.mark.slow
def test_jobs_are_taken_when_they_can_run_and_one_ahead(tmp_path):
    taken, most = [], 0

    def counted() -> Iterator[Job]:
        nonlocal most
        for job in jobs_of(12):
            taken.append(job)
            most = max(most, len(list(tmp_path.glob("*/problem-*"))))
            yield job

    with Processes(2, folder=tmp_path) as executor:
        assert taken == []
        for finished, _ in enumerate(executor.run(counted()), start=1):
            assert len(taken) - finished <= 2 + 1 - 1, "two run, one waits; one has just finished"
    assert len(taken) == 12
    assert 1 <= most <= 3


def test_in_process_takes_one_job_at_a_time():
    taken = []
    outcomes = InProcess().run(taken.append(job) or job for job in jobs_of(3))
    next(outcomes)
    assert len(taken) == 1


def test_workers_map_the_problem_keep_it_open_and_have_one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    outcomes = run_all(Processes(2, run=reports_its_process), jobs_of(1, ("DF", "IG", "US"), 2))
    reports = [json.loads(outcome.notes[0]) for outcome in outcomes.values()]
    assert os.getpid() not in {report["pid"] for report in reports}
    assert all(report["mapped"] for report in reports)
    assert all(set(report["threads"]) == {1} for report in reports)
    assert all(report["environment"] == ONE_THREAD for report in reports)
    assert len({(report["pid"], report["same"]) for report in reports}) == len(
        {report["pid"] for report in reports}
    )
    assert os.environ["OMP_NUM_THREADS"] == "2"
    assert "MKL_NUM_THREADS" not in os.environ


@pytest.mark.slow
def test_tasks_that_share_a_selection_share_a_process():
    methods = [f"IG+ridge:alpha={alpha}" for alpha in (0.1, 0.3, 0.5)]
    outcomes = run_all(Processes(2, run=reports_its_process), jobs_of(5, methods))
    pids: dict[str, set[int]] = {}
    for outcome in outcomes.values():
        report = json.loads(outcome.notes[0])
        pids.setdefault(outcome.task.problem, set()).add(report["pid"])
    assert [len(workers) for workers in pids.values()] == [1] * 5


def test_messages_are_small(tmp_path, monkeypatch):
    sizes = []
    send = Worker.send

    def measured(self: Worker, *message: object) -> None:
        sizes.append(len(pickle.dumps(message)))
        send(self, *message)

    monkeypatch.setattr(Worker, "send", measured)
    run_all(Processes(1, folder=tmp_path), jobs_of(1, ("DF", "IG")))
    assert len(sizes) == 2
    assert max(sizes) < 1000


def test_a_worker_that_is_killed_costs_its_task_only(tmp_path):
    with Processes(2, folder=tmp_path, run=draw_2_kills_its_process) as executor:
        outcomes = list(executor.run(jobs_of(2, n_draws=3)))
        again = list(executor.run(jobs_of(1)))
    assert len(outcomes) == 6
    for outcome in outcomes:
        assert (outcome.status == "failed") == (outcome.task.draw == 1)
    failed = next(outcome for outcome in outcomes if outcome.status == "failed")
    assert "SIGKILL" in failed.reason
    assert failed.reason.endswith("it may have run out of memory: use fewer --jobs")
    assert [row.status for row in failed.rows] == ["failed"] * len(SIZES)
    assert failed.seconds > 0
    assert [outcome.status for outcome in again] == ["ok"]


def test_what_goes_wrong_in_a_worker_is_an_outcome():
    outcomes = run_all(Processes(2, run=fails_in_many_ways), jobs_of(1, n_draws=6))
    by_draw = sorted(outcomes.values(), key=lambda outcome: outcome.task.draw)
    reasons = [outcome.reason for outcome in by_draw]
    assert "exited with code 3" in reasons[0]
    assert "SIGABRT (Fatal Python error: Aborted)" in reasons[1]
    assert reasons[2] == "RuntimeError: a failure"
    assert reasons[3].startswith("the outcome cannot be sent: ")
    assert reasons[3].endswith("--jobs 1 sends none")
    assert "cannot be read: ValueError" in reasons[4]
    assert [outcome.status for outcome in by_draw] == ["failed"] * 5 + ["ok"]
    assert all(outcome.rows for outcome in by_draw)


@pytest.mark.parametrize("make", [InProcess, lambda: Processes(1)], ids=["here", "processes"])
def test_a_failing_task_is_an_outcome_and_the_others_run(make):
    outcomes = run_all(make(), jobs_of(1, ("DF", "nonsense", "IG")))
    assert [outcome.status for outcome in outcomes.values()].count("ok") == 2
    failed = outcomes["nonsense on problem 0, fold 1"]
    assert failed.status == "failed"
    assert "choose from" in failed.reason


def test_a_vanished_file_is_an_outcome_and_the_last_problem_stays_open(tmp_path):
    [job] = jobs_of(1)
    state = WorkerState(run_job)
    write_problem(job.problem, tmp_path / "one")

    def outcome(folder: str) -> Outcome:
        (message,) = state.outcomes(StagedJob(job.tasks, tmp_path / folder))
        return pickle.loads(message)

    assert outcome("one").status == "ok"
    rmtree(tmp_path / "one")
    assert outcome("one").status == "ok"
    failed = outcome("two")
    assert failed.status == "failed"
    assert "FileNotFoundError" in failed.reason


def test_processes_that_cannot_start_are_given_up(tmp_path):
    with (
        pytest.raises(LaconicError, match=r"exited with code 7.*if __name__ == .*--jobs 1"),
        Processes(2, folder=tmp_path, run=ExitAtStartup()) as executor,
    ):
        list(executor.run(jobs_of(1)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_idle_workers_that_are_killed_are_replaced():
    with Processes(2) as executor:
        assert len(list(executor.run(jobs_of(2)))) == 2
        for worker in executor._pool.workers:
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.join()
        assert len(list(executor.run(jobs_of(2)))) == 2


@pytest.mark.slow
def test_workers_that_are_killed_between_jobs_are_replaced_each_time():
    with Processes(1) as executor:
        outcomes = []
        for outcome in executor.run(jobs_of(processes.MAX_STARTUP_FAILURES + 2)):
            outcomes.append(outcome)
            (worker,) = executor._pool.workers
            os.kill(worker.process.pid, signal.SIGKILL)
            worker.process.join()
    assert [outcome.status for outcome in outcomes] == ["ok"] * 5


def test_a_script_without_a_guard_gets_an_error(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from tests.studies.execution.test_executors import *\n"
        f"with Processes(2, folder=Path({str(tmp_path)!r}) / 'staging') as executor:\n"
        "    list(executor.run(jobs_of(1)))\n"
    )
    done = subprocess.run(
        [sys.executable, script], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1, "workers do not write to the screen"
    assert 'put the code under `if __name__ == "__main__":`' in done.stderr
    assert list((tmp_path / "staging").iterdir()) == []


def environment() -> dict[str, str]:
    before = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [before, str(ROOT)]))}


def test_workers_neither_write_to_the_screen_nor_stop_at_ctrl_c(capfd):
    outcomes = run_all(Processes(1, run=disturbs), jobs_of(1))
    assert [outcome.status for outcome in outcomes.values()] == ["ok"]
    os.write(2, b"our own")
    seen = capfd.readouterr()
    assert "noise" not in seen.out + seen.err
    assert seen.err == "our own"


def test_a_worker_ignores_ctrl_c_while_it_starts():
    with Processes(1) as executor:
        [worker] = executor._pool.workers
        os.kill(worker.process.pid, signal.SIGINT)
        assert len(list(executor.run(jobs_of(1)))) == 1
        assert executor._pool.workers == [worker]


@pytest.mark.parametrize(
    "error", [pytest.param(RuntimeError, marks=pytest.mark.slow), KeyboardInterrupt]
)
def test_nothing_is_left_after_an_exception(tmp_path, error):
    pids = []

    def interrupted() -> None:
        with Processes(2, folder=tmp_path, run=draw_2_sleeps) as executor:
            outcomes = executor.run(jobs_of(2, n_draws=2))
            next(outcomes)
            pids.extend(worker.process.pid for worker in executor._pool.workers)
            raise error

    with pytest.raises(error):
        interrupted()
    assert len(pids) == 2
    assert all(has_exited(pid) for pid in pids)
    assert list(tmp_path.iterdir()) == []


def test_an_iterator_of_jobs_that_fails_ends_everything(tmp_path):
    def broken() -> Iterator[Job]:
        yield from jobs_of(1)
        raise LaconicError("no such fold")

    with (
        pytest.raises(LaconicError, match="no such fold"),
        Processes(2, folder=tmp_path, run=sleeps) as executor,
    ):
        list(executor.run(broken()))
    assert list(tmp_path.iterdir()) == []


def test_closing_the_outcomes_ends_what_runs_and_the_next_run_is_clean(tmp_path):
    with Processes(2, folder=tmp_path, run=draw_2_sleeps) as executor:
        outcomes = executor.run(jobs_of(2, n_draws=2))
        first = next(outcomes)
        outcomes.close()
        assert staging_of(tmp_path) == []
        again = list(executor.run(jobs_of(2, ("IG",))))
    assert first.task.draw == 0
    assert [outcome.task.method for outcome in again] == ["IG", "IG"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_finished_problem_is_removed_while_another_runs(tmp_path):
    first, second = jobs_of(2)
    jobs = [replace(first, tasks=(replace(first.tasks[0], draw=1),)), second]
    with Processes(2, folder=tmp_path, run=draw_2_sleeps) as executor:
        outcomes = executor.run(jobs)
        assert (next(outcomes).task,) == second.tasks
        [folder] = staging_of(tmp_path)
        assert open_problem(folder).name == first.problem.name
        outcomes.close()


def staging_of(folder: Path) -> list[Path]:
    return list(folder.glob(f"{FOLDER_PREFIX}*/problem-*"))


OWNER = """
from tests.studies.execution.test_executors import *
if __name__ == "__main__":
    with Processes(2, folder=Path(sys.argv[1]), run=draw_2_sleeps) as executor:
        for _ in executor.run(jobs_of(2, n_draws=2)):
            print(*[worker.process.pid for worker in executor._pool.workers], flush=True)
"""


@pytest.fixture
def owner(tmp_path) -> Iterator[tuple[subprocess.Popen, list[int]]]:
    """A script with two workers, one of which sleeps in its task."""
    (tmp_path / "owner.py").write_text(OWNER)
    process = subprocess.Popen(
        [sys.executable, tmp_path / "owner.py", tmp_path / "staging"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        yield process, [int(pid) for pid in process.stdout.readline().split()]
        process.kill()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads process states from /proc")
def test_workers_end_with_their_parent_and_the_next_study_removes_their_files(owner, tmp_path):
    process, pids = owner
    assert len(pids) == 2
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert soon(lambda: all(has_exited(pid) for pid in pids))
    assert staging_of(tmp_path / "staging")
    with Processes(1, folder=tmp_path / "staging"):
        assert len(list((tmp_path / "staging").iterdir())) == 1
    assert list((tmp_path / "staging").iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads process states from /proc")
def test_ctrl_c_ends_all_with_one_traceback(owner, tmp_path):
    process, pids = owner
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert errors.count("KeyboardInterrupt") == 1
    assert errors.count("Traceback") == 1
    assert all(has_exited(pid) for pid in pids)
    assert list((tmp_path / "staging").iterdir()) == []


def has_exited(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in "ZX"


def soon(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def test_processes_start_with_the_with_and_are_needed():
    executor = Processes(2)
    with pytest.raises(LaconicError, match="with Processes"):
        next(executor.run(jobs_of(1)))
    with executor:
        assert [worker.process.is_alive() for worker in executor._pool.workers] == [True, True]
    with pytest.raises(LaconicError, match="with Processes"):
        next(executor.run(jobs_of(1)))


def test_no_jobs_no_outcomes():
    assert run_all(Processes(1), []) == {}
    assert run_all(InProcess(), []) == {}


def test_the_executor_for_a_number_of_jobs(monkeypatch):
    assert isinstance(executor_for(1), InProcess)
    three = executor_for(3)
    assert isinstance(three, Processes)
    assert three.n_workers == 3
    monkeypatch.setattr(laconic.processes, "usable_cpus", lambda: 5)
    assert executor_for(-1).n_workers == 5
    monkeypatch.setattr(laconic.processes, "usable_cpus", lambda: 1)
    assert isinstance(executor_for(-1), InProcess)
    for wrong in (0, -2):
        with pytest.raises(LaconicError, match="from 1 to 4"):
            executor_for(wrong)
    with pytest.raises(LaconicError, match="from 1"):
        Processes(0)


def test_r14_there_is_a_bound_on_the_number_of_processes(monkeypatch):
    monkeypatch.setattr(laconic.processes, "usable_cpus", lambda: 2)
    assert executor_for(8).n_workers == 8
    for make in (lambda: executor_for(9), lambda: Processes(10**9)):
        with pytest.raises(LaconicError, match=r"from 1 to 8, 4 per usable CPU; -1 is"):
            make()


def test_r5_a_time_limit_needs_a_process_and_a_number_of_seconds():
    assert isinstance(executor_for(1, 60.0), Processes)
    assert executor_for(1, 60.0).limits.seconds == 60.0
    for wrong in (0, -1.0, float("nan")):
        with pytest.raises(LaconicError, match="above 0"):
            Processes(1, task_timeout=wrong)


@per_task
def stuck_or_starved(task: Task, problem: Problem) -> Outcome:
    if task.draw == 1:
        time.sleep(600)
    if task.draw == 2:
        np.empty(1 << 55)
    return Outcome.failed(task, "arrived")


def test_r5_a_stuck_task_is_ended_and_the_others_run(tmp_path):
    with Processes(1, folder=tmp_path, run=stuck_or_starved, task_timeout=2.0) as executor:
        outcomes = list(executor.run(jobs_of(1, n_draws=5)))
        again = list(executor.run(jobs_of(1)))
    by_draw = sorted(outcomes, key=lambda outcome: outcome.task.draw)
    reasons = [outcome.reason for outcome in by_draw]
    assert reasons[1].startswith("took longer than 2 seconds, the limit for a task. Increase")
    assert "Unable to allocate" in reasons[2]
    assert [reasons[0], *reasons[3:]] == ["arrived"] * 3
    assert by_draw[1].seconds >= 2.0
    assert [outcome.reason for outcome in again] == ["arrived"]
    assert list(tmp_path.iterdir()) == []


def test_usable_cpus_are_those_this_process_may_have(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 3, 5}, raising=False)
    assert usable_cpus() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


@per_task
def allocates(task: Task, problem: Problem) -> Outcome | None:
    if task.draw == 1:
        np.ones(1 << 28).sum()
    return None


@pytest.mark.skipif(not CAN_LIMIT_MEMORY, reason="only Linux enforces a limit")
def test_a_task_that_needs_more_memory_than_allowed_fails_and_the_others_run(tmp_path):
    limited = Processes(1, folder=tmp_path, run=allocates, memory_limit=1_500_000_000)
    outcomes = run_all(limited, jobs_of(1, n_draws=3))
    by_draw = sorted(outcomes.values(), key=lambda outcome: outcome.task.draw)
    assert [outcome.status for outcome in by_draw] == ["ok", "failed", "ok"]
    assert by_draw[1].reason.startswith("MemoryError: Unable to allocate 2.00 GiB")
    assert by_draw[1].reason.endswith("Raise the limit of 1,500 MB")
    assert isinstance(executor_for(1, memory_limit=10**9), Processes)
    for wrong in (0, -1):
        with pytest.raises(LaconicError, match="above 0"):
            Processes(1, memory_limit=wrong)


@pytest.mark.slow
@pytest.mark.skipif(not CAN_LIMIT_MEMORY, reason="only Linux enforces a limit")
def test_a_process_that_is_lost_under_a_limit_names_the_limit(tmp_path):
    limited = Processes(1, folder=tmp_path, run=draw_2_kills_its_process, memory_limit=4 * 10**9)
    failed = [o for o in run_all(limited, jobs_of(1, n_draws=2)).values() if o.status == "failed"]
    assert [o.reason.partition("; ")[2] for o in failed] == [
        "it may have needed more than 4,000 MB: raise --memory-limit, or use fewer --jobs"
    ]


@pytest.mark.slow
@pytest.mark.skipif(not CAN_LIMIT_MEMORY, reason="only Linux enforces a limit")
def test_a_limit_that_is_too_low_to_start_is_named():
    with (
        pytest.raises(LaconicError, match="increase --memory-limit: before any task"),
        Processes(1, memory_limit=1_000_000) as executor,
    ):
        list(executor.run(jobs_of(1)))


LOW_LIMIT = """
import resource
from laconic.resources import limit_memory, memory_limit
resource.setrlimit(resource.RLIMIT_DATA, (3_000_000_000, 3_000_000_000))
limit_memory(5_000_000_000)
print(memory_limit())
limit_memory(2_000_000_000)
print(memory_limit())
"""


@pytest.mark.skipif(not CAN_LIMIT_MEMORY, reason="only Linux enforces a limit")
def test_a_memory_limit_does_not_raise_that_of_the_system():
    done = subprocess.run([sys.executable, "-c", LOW_LIMIT], capture_output=True, text=True)
    assert done.stdout.split() == ["3000000000", "2000000000"], done.stderr


@pytest.mark.slow
def test_jobs_are_taken_one_ahead_after_a_lost_process_too(tmp_path):
    lost, taken = [], []

    def counted() -> Iterator[Job]:
        for job in jobs_of(6, n_draws=2):
            taken.append(job)
            yield replace(job, tasks=job.tasks[::-1])  # the first kills its process

    with Processes(1, folder=tmp_path, run=draw_2_kills_its_process) as executor:
        for n_outcomes, outcome in enumerate(executor.run(counted())):
            lost.append(outcome.status == "failed")
            assert len(taken) <= n_outcomes // 2 + 2, "this one, and one ahead"
    assert lost == [True, False] * 6


def test_the_time_limit_is_that_of_each_task(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(workers, "perf_counter", lambda: now[0])
    (job,) = jobs_of(1, n_draws=2)
    worker = Worker.__new__(Worker)
    worker._limits = Limits(10.0)
    worker._set_job(StagedJob(job.tasks, Path("folder")))
    now[0] += 8.0
    assert worker.seconds_left == 2.0
    assert worker.fail("a failure").seconds == 8.0
    assert worker.seconds_left == 10.0
    worker.fail("a failure")
    assert worker.seconds_left == float("inf")
