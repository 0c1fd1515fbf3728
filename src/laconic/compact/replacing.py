"""A file that appears whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from laconic.errors import LaconicError


@contextmanager
def replacing(where: Path) -> Iterator[BinaryIO]:
    """A stream that becomes the file at the end, and leaves nothing behind if the work fails."""
    try:
        handle, name = mkstemp(prefix=f".{where.name[:100]}.", suffix=".draft", dir=where.parent)
    except (OSError, ValueError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise LaconicError(f"{where}: cannot be written ({reason})") from None
    draft = Path(name)
    try:
        with open(handle, "wb") as stream:
            yield stream
        draft.chmod(0o666 & ~_umask())
        _replace(draft, where)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _replace(draft: Path, where: Path) -> None:
    try:
        draft.replace(where)
    except OSError as problem:
        raise LaconicError(f"{where}: cannot be written ({problem.strerror})") from None


def _umask() -> int:
    """What is kept from others; `mkstemp` keeps everything."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
