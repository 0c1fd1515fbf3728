"""Temporary folders, removed with their process."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from copy import copy, deepcopy

import pytest
from filelock import FileLock

from laconic import scratch as module
from laconic.scratch import FOLDER_PREFIX, LOCK, ScratchFolder, remove_leftovers


def test_a_new_folder_that_another_start_is_removing_is_left_to_it(tmp_path, monkeypatch):
    others = []

    class HeldAtFirst(FileLock):
        def acquire(self, *args, **kwargs):
            if not others:
                others.append(FileLock(self.lock_file, timeout=0))
                others[0].acquire()
            return super().acquire(*args, **kwargs)

    monkeypatch.setattr(module, "FileLock", HeldAtFirst)
    scratch = ScratchFolder(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    scratch.close()
    assert [str(file / LOCK) for file in tmp_path.iterdir()] == [others[0].lock_file]


def test_a_link_is_no_folder_of_a_killed_process(tmp_path):
    (tmp_path / "others").mkdir()
    (tmp_path / f"{FOLDER_PREFIX}123-x").symlink_to(tmp_path / "others")
    remove_leftovers(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert not list((tmp_path / "others").iterdir())


@pytest.mark.full
def test_the_folder_of_a_killed_process_is_removed_though_its_forked_child_lives(tmp_path):
    script = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from laconic.scratch import ScratchFolder\n"
        "scratch = ScratchFolder(Path(sys.argv[1]))\n"
        "child = os.fork()\n"
        "os.write(1, f'{child}\\n'.encode())\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        # of both processes, one line: the child has closed the files that it inherited
        child = max(int(process.stdout.readline()) for _ in range(2))
        remove_leftovers(tmp_path)
        assert len(list(tmp_path.iterdir())) == 1, "it is in use"
        process.kill()
        process.wait()
        try:
            remove_leftovers(tmp_path)
            assert not list(tmp_path.iterdir())
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    "copied", [copy, deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_copy_in_this_process_is_the_same_folder(tmp_path, copied):
    scratch = ScratchFolder(tmp_path)
    assert copied(scratch) is scratch
    message = pickle.dumps(scratch)
    del scratch
    assert not list(tmp_path.iterdir())
    assert pickle.loads(message) is None, "as in another process"


def test_folders_of_killed_processes_are_removed_and_others_stay(tmp_path):
    (tmp_path / f"{FOLDER_PREFIX}123-x" / "problem-0").mkdir(parents=True)
    (tmp_path / "others").mkdir()
    scratch = ScratchFolder(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {scratch.path.name, "others"}
    assert str(os.getpid()) in scratch.path.name
    remove_leftovers(tmp_path)
    assert scratch.path.exists()
    scratch.close()
