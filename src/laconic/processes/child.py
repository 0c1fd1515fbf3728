"""Child processes: how they start, what they inherit, and how they end.

A child has one thread for linear algebra, writes its output to a file, leaves Ctrl-C to its parent
and exits with it.
"""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import Any

from laconic.errors import LaconicError, ResourceError

# fork would copy the locks of BLAS, numba and the progress bar, held or not
SPAWN = multiprocessing.get_context("spawn")
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
OUT_OF_MEMORY = "it may have run out of memory: use fewer --jobs"
# seconds that a process may take to exit after closing its pipe
GRACE = 5.0


def start_child(target: Callable[..., None], arguments: tuple[Any, ...], log: Path) -> BaseProcess:
    """Start a process that calls `target`, which calls `prepare_child` first.

    Both are passed by name, so they must be importable. Output of the process goes to `log`.
    """
    process = SPAWN.Process(target=target, args=arguments, daemon=True)
    try:
        with _child_environment(log):
            process.start()
    except OSError as failure:
        raise ResourceError(
            f"a worker process cannot be started ({failure.strerror}). Use fewer --jobs; --jobs 1 "
            "starts no processes"
        ) from None
    return process


def prepare_child() -> None:
    """What a child process does first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all processes get Ctrl-C: the parent handles it
    with suppress(OSError, ValueError, AttributeError):  # no stream to write to
        faulthandler.enable()
    Thread(target=_exit_with_parent, daemon=True).start()


def end_child(process: BaseProcess) -> None:
    """End the process at once: it has no state to save."""
    with suppress(OSError):
        process.kill()
    process.join()
    process.close()


def describe_exit(process: BaseProcess, log: Path) -> str:
    """How a process that closed its pipe has ended."""
    process.join(GRACE)
    code = process.exitcode
    if code is None:
        how = "the worker process does not respond"
    elif code < 0:
        how = f"the worker process was ended by {_signal(-code)}"
    else:
        how = f"the worker process exited with code {code}"
    tail = _log_tail(log)
    return f"{how} ({tail})" if tail else how


def start_up_error(how: str, advice: str) -> LaconicError:
    """The error for processes that exit before they can work."""
    return LaconicError(
        f"worker processes fail at start-up: {how}. In a script, put the code under "
        f'`if __name__ == "__main__":`, because each worker imports the script; {advice}'
    )


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def _child_environment(log: Path) -> Iterator[None]:
    """Change what a child process inherits, while it starts: threads, signals and output."""
    if os.name == "posix":
        # else multiprocessing's resource tracker would start here, and inherit the same
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()
    with ExitStack() as stack:
        stack.enter_context(_environment(ONE_THREAD))
        stack.enter_context(_interrupts_blocked())
        stack.enter_context(_output_to(log))
        yield


@contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Delay Ctrl-C: here until the block ends, in a new process until it ignores the signal."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Redirect standard output and error to a file, at the level that child processes inherit."""
    saved = {}
    with open(log, "ab") as stream:
        try:
            for number in (1, 2):
                with suppress(OSError):  # closed
                    saved[number] = os.dup(number)
                    os.dup2(stream.fileno(), number)
            yield
        finally:
            for number, original in saved.items():
                os.dup2(original, number)
                os.close(original)


def _log_tail(log: Path) -> str:
    """The line of the log that names a crash, else its last line: in a traceback, the error."""
    try:
        with open(log, "rb") as stream:
            stream.seek(max(0, log.stat().st_size - 10_000))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    crashes = [line for line in lines if line.startswith("Fatal Python error")]
    return (crashes or lines or [""])[-1]


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
