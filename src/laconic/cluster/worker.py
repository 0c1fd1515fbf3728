"""What runs on the workers of a cluster: a function of one item, with everything as files.

Workers import Laconic by name; nothing else is sent to them.
"""

from __future__ import annotations

import pickle
import platform
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from threadpoolctl import threadpool_limits

from laconic.cluster.shared_objects import dumps_once, loads
from laconic.cluster.versions import check_versions, versions_here
from laconic.processes.pool import portable, reporting_to

# A worker with several threads works on one item at a time: warnings and peaks of memory are those
# of a process.
_ONE_AT_A_TIME = Lock()


class Reports:
    """Sends messages to the process that started the work. The last one also goes with the result,
    because messages may arrive after it."""

    def __init__(self, topic: str, call: int) -> None:
        self.topic, self.call = topic, call
        self.number, self.last = 0, None

    def __call__(self, message: Any) -> None:
        from distributed import get_worker

        self.number, self.last = self.number + 1, message
        get_worker().log_event(self.topic, pickle.dumps((self.call, self.number, message)))


def call_here(
    function: bytes,
    item: bytes,
    call: int,
    topic: str,
    folder: str,
    versions: Mapping[str, str],
) -> bytes:
    """The pickled result of a call, or its exception, with the number of messages and the last."""
    reports = Reports(topic, call)
    with _ONE_AT_A_TIME, threadpool_limits(1), reporting_to(reports if topic else None):
        try:
            check_versions(versions, worker_name(), versions_here())
            succeeded, result = True, loads(function)(loads(item))
        except Exception as failure:
            succeeded, result = False, portable(failure)
    try:
        return dumps_once((succeeded, result, reports.number, reports.last), Path(folder))
    except Exception as failure:
        return pickle.dumps((False, portable(failure), reports.number, reports.last))


def describe_worker(token: str) -> tuple[dict[str, str], bool]:
    """The versions on this worker, and whether it sees a file of the shared folder."""
    return versions_here(), Path(token).exists()


def worker_name() -> str:
    """The machine and the name of the worker, or the machine alone outside of a cluster."""
    try:
        from distributed import get_worker

        return f"{platform.node()}/{get_worker().name}"
    except (ImportError, ValueError):
        return platform.node()
