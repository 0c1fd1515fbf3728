"""Writing files: whole or not at all, never over an input, and only over files Laconic wrote.

Every kind of file that a command writes carries a mark. `check_output` looks for the mark and
refuses to replace a file without it. Commands call it before they start to work.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any, TypeVar

from laconic.errors import OUT_OF_DISK, LaconicError, unwritable

Value = TypeVar("Value")

# The mark is within this many bytes of the start (or end) of a file.
MARK_BYTES = 1 << 16
# A key of JSON objects; its value is the kind of the file.
KEY = "laconic"
# Characters of the file name that a draft keeps: at four bytes each, they leave room for the rest.
DRAFT_CHARACTERS = 40
DRAFT = re.compile(r"\.(.+)\.[a-z0-9_]{8}\.draft", re.DOTALL)
CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


@dataclass(frozen=True)
class Kind:
    """A kind of file that Laconic writes.

    `mark` occurs in the first bytes of each such file (in the last if `at_end`), and in no other.
    """

    name: str
    mark: re.Pattern[bytes]
    at_end: bool = False

    def marks(self, where: Path) -> bool:
        """Whether the file carries the mark: Laconic wrote it."""
        with open(where, "rb") as stream:
            if self.at_end:
                stream.seek(max(0, where.stat().st_size - MARK_BYTES))
            return self.mark.search(stream.read(MARK_BYTES)) is not None


# For files that are updated in place, such as pages with a user's own prose.
ANY_FILE = Kind("file", re.compile(b""))


def csv_kind(name: str, columns: Iterable[str]) -> Kind:
    """A kind of CSV file: its header starts with these columns."""
    return Kind(name, re.compile(rb"\A" + re.escape(",".join(columns).encode()) + rb"[,\r\n]"))


def json_kind(name: str, kind: str) -> Kind:
    """A kind of JSON file: its first key is "laconic", with this value."""
    return Kind(name, re.compile(rf'\A\s*{{\s*"{KEY}"\s*:\s*"{kind}"'.encode()))


def check_output(where: Path, kind: Kind) -> None:
    """Raise unless the file does not exist, is empty, or was written by Laconic as this kind."""
    try:
        obstacle = _obstacle(where, kind)
    except (OSError, ValueError) as failure:
        obstacle = _failure_text(failure)
    if obstacle:
        raise LaconicError(f"{where}: {obstacle}")


def _obstacle(where: Path, kind: Kind) -> str:
    if not where.parent.is_dir():
        return f"cannot be written (folder {where.parent} does not exist). Create it first"
    if not _may_write_in(_real(where).parent):
        return f"cannot be written ({os.strerror(errno.EACCES)}). Choose another path"
    try:
        where.lstat()
    except FileNotFoundError:
        return ""
    if where.is_dir():
        return "cannot be written (it is a folder). Choose another name"
    if where.is_file() and (where.stat().st_size == 0 or kind.marks(where)):
        return ""
    return (
        f"exists and is not a {kind.name} written by this version of Laconic. Choose another path, "
        "or move it"
    )


def _may_write_in(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def check_folder(where: Path) -> None:
    """Raise unless this is a writable folder, or a folder can be created here."""
    if where.is_dir() and not _may_write_in(where):
        raise LaconicError(
            f"{where}: no permission to write ({os.strerror(errno.EACCES)}). Choose another path"
        )
    if os.path.lexists(where) and not where.is_dir():
        raise LaconicError(
            f"{where}: cannot be created as a folder, because it is a file. Choose another path"
        )


def check_not_read(outputs: Iterable[Path], inputs: Iterable[str | Path]) -> None:
    """Raise if an output is an input, also under another name, or is inside an input folder."""
    sources = list(inputs)
    for output in outputs:
        for source in sources:
            if _same(output, source):
                raise LaconicError(
                    f"{output}: is an input of this command, so it cannot be its output. "
                    "Choose another path"
                )
            if os.path.isdir(source) and _real(source) in _real(output).parents:
                raise LaconicError(
                    f"{output}: is inside {source}, which is an input of this command, so it "
                    "cannot be its output. Choose a path outside of it"
                )


def _same(a: Path, b: str | Path) -> bool:
    try:
        return os.path.samefile(a, b)
    except (OSError, ValueError):
        return False


def _real(where: str | Path) -> Path:
    return Path(os.path.realpath(where))


@contextmanager
def draft(where: Path, kind: Kind) -> Iterator[IO[bytes]]:
    """A stream to a temporary file that is renamed to `where` once it is complete and on disk.

    It replaces only what `check_output` allows, checked before and after. A link stays a link.
    """
    check_output(where, kind)
    target = _real(where)
    try:
        prefix = f".{_draft_name(where.name)}."
        handle, name = mkstemp(prefix=prefix, suffix=".draft", dir=target.parent)
    except (OSError, ValueError) as failure:
        raise unwritable(failure, f"{where}: {_failure_text(failure)}") from None
    unfinished = Path(name)
    try:
        with open(handle, "wb") as stream:
            _lock(handle)
            yield stream
            stream.flush()
            _sync(handle)
            check_output(where, kind)
            unfinished.chmod(0o666 & ~_umask())
            if os.name == "nt":  # Windows renames no open file
                stream.close()
            unfinished.replace(target)
        _sync_folder(target.parent)
    except OSError as failure:
        unfinished.unlink(missing_ok=True)
        raise unwritable(failure, f"{where}: {_failure_text(failure)}") from None
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _draft_name(name: str) -> str:
    """What a draft keeps of the name of its file."""
    return name[:DRAFT_CHARACTERS]


def _failure_text(failure: OSError | ValueError, action: str = "written") -> str:
    reason = getattr(failure, "strerror", None) or str(failure)
    full = getattr(failure, "errno", None) in OUT_OF_DISK
    advice = "Free space there, or choose" if full else "Choose"
    return f"cannot be {action} ({reason}). {advice} another path"


def _umask() -> int:
    """The process's umask; `mkstemp` ignores it and gives access to the owner only."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync(handle: int) -> None:
    """Sync before the rename, so a power cut does not leave an empty file under the final name."""
    try:
        os.fsync(handle)
    except OSError as failure:
        if failure.errno not in CANNOT_SYNC:
            raise


def _sync_folder(where: Path) -> None:
    """Sync the rename itself; not supported on every system."""
    with suppress(OSError):
        handle = os.open(where, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _lock(handle: int) -> bool:
    """Lock a draft until it is closed or the process exits. Returns whether that succeeded."""
    from filelock import lock_descriptor

    try:
        return lock_descriptor(handle, blocking=False)
    except OSError:
        return False


def remove_drafts(folder: Path, names: Collection[str]) -> None:
    """Remove drafts of files with these names whose process has exited, and nothing else.

    Of files whose names begin with the same characters, a draft may be of any.
    """
    of_drafts = set(map(_draft_name, names))
    for file in folder.glob(".*.draft"):
        match = DRAFT.fullmatch(file.name)
        if match is not None and match[1] in of_drafts and file.is_file() and not file.is_symlink():
            _remove_unlocked(file)


def _remove_unlocked(file: Path) -> None:
    with suppress(OSError):
        with open(file, "rb") as stream:
            unlocked = _lock(stream.fileno())
        if unlocked:
            file.unlink()


def remove(where: Path, kind: Kind) -> None:
    """Delete a file that Laconic wrote, if it exists."""
    if os.path.lexists(where):
        check_output(where, kind)
        where.unlink()


def make_folder(where: Path) -> None:
    try:
        where.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as failure:
        raise unwritable(
            failure, f"{where}: {_failure_text(failure, 'created as a folder')}"
        ) from None


def write_json(where: Path, kind: str, contents: Mapping[str, Any]) -> None:
    """Write an object whose first key is the mark that `json_kind` looks for."""
    text = json.dumps(finite({KEY: kind, **contents}), indent=1, allow_nan=False)
    with draft(where, json_kind(f"file of {kind}", kind)) as stream:
        stream.write(text.encode())


def read_json(where: Path, cls: type[Value]) -> Value | None:
    """The value of a JSON file, checked against the fields of `cls`; None if there is no file."""
    import msgspec

    try:
        contents = json.loads(where.read_text(encoding="utf-8"))
        # not strict: numbers that JSON does not have are strings
        return msgspec.convert(contents, cls, strict=False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as failure:
        raise LaconicError(
            f"{where}: cannot be read ({failure}). Delete it, and run the study again"
        ) from None


def finite(value: Any) -> Any:
    """The same value, with None for floats that JSON does not have."""
    return _without(value, lambda number: None)


def spelled_out(value: dict[str, Any]) -> dict[str, Any]:
    """The same value, with "NaN", "Infinity" or "-Infinity" for floats that JSON does not have."""
    return {key: _without(item, json.dumps) for key, item in value.items()}


def _without(value: Any, spelling: Callable[[float], str | None]) -> Any:
    """The value with another spelling for every float that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else spelling(value)
    if isinstance(value, dict):
        return {key: _without(item, spelling) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without(item, spelling) for item in value]
    return value
