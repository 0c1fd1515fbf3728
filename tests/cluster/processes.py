"""A cluster of processes of its own, as users start them: they can be killed one by one."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class ClusterProcesses:
    """A scheduler and two workers on this machine."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self) -> None:
        """Start what does not run."""
        self.close()
        here = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        scheduler = self._process("scheduler", *here, "--port", str(self.port))
        worker = ["worker", self.address, "--nthreads", "1", "--memory-limit", "1GB", *here]
        worker += ["--death-timeout", "20"]
        self.processes = [scheduler]
        self._wait_for_scheduler()
        self.processes += [self._process(*worker), self._process(*worker)]

    def _wait_for_scheduler(self) -> None:
        while True:
            assert self.processes[0].poll() is None, "the scheduler does not start"
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            time.sleep(0.1)

    def _process(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill_scheduler(self) -> None:
        self.processes[0].send_signal(signal.SIGKILL)
        self.processes[0].wait()

    def close(self) -> None:
        for process in self.processes[::-1]:
            process.kill()
            process.wait()


@contextmanager
def cluster_processes() -> Iterator[ClusterProcesses]:
    cluster = ClusterProcesses()
    try:
        yield cluster
    finally:
        cluster.close()
