"""Files: written whole or not at all, never over an input, and only over what Laconic wrote.

Every kind of file that a command writes carries a mark. `check_output` looks for it, and refuses
to replace a file without it; commands ask before they start to work.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from tempfile import mkstemp
from typing import IO, Any
from unicodedata import normalize

from laconic.errors import OUT_OF_DISK, LaconicError, unwritable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# A mark stands among so many bytes of a file.
LOOKED_AT = 1 << 16
# A key of JSON objects; its value says of which kind the file is.
KEY = "laconic"
# Characters of a name that a draft or a folder keeps: with four bytes each, there is room for more.
DRAFT_LETTERS = 40
NAME_LETTERS = 60
DRAFT = re.compile(r"\.(.+)\.[a-z0-9_]{8}\.draft", re.DOTALL)
HASHED = re.compile(r"-[0-9a-f]{10}$")
# Names that are devices on Windows.
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.ENOSYS}


@dataclass(frozen=True)
class Kind:
    """A kind of file that Laconic writes.

    `mark` is found in the first bytes of each (in the last where `at_end`), and in no other file.
    """

    name: str
    mark: re.Pattern[bytes]
    at_end: bool = False

    def marks(self, where: Path) -> bool:
        """Whether Laconic wrote the file."""
        with open(where, "rb") as stream:
            if self.at_end:
                stream.seek(max(0, where.stat().st_size - LOOKED_AT))
            return self.mark.search(stream.read(LOOKED_AT)) is not None


# For files whose contents are kept when they are written again.
KEPT = Kind("file", re.compile(b""))


def headed(name: str, columns: Iterable[str]) -> Kind:
    """CSV: the header begins with these columns."""
    return Kind(name, re.compile(rb"\A" + re.escape(",".join(columns).encode()) + rb"[,\r\n]"))


def keyed(name: str, kind: str) -> Kind:
    """JSON: the first key is "laconic", with this value."""
    return Kind(name, re.compile(rf'\A\s*{{\s*"{KEY}"\s*:\s*"{kind}"'.encode()))


def check_output(where: Path, kind: Kind) -> None:
    """A file may be written here: there is none yet, an empty one, or one that Laconic wrote."""
    try:
        obstacle = _obstacle(where, kind)
    except (OSError, ValueError) as failure:
        obstacle = _unwritten(failure)
    if obstacle:
        raise LaconicError(f"{where}: {obstacle}")


def _obstacle(where: Path, kind: Kind) -> str:
    if not where.parent.is_dir():
        return f"cannot be written (there is no folder {where.parent}). Make it first"
    if not _may_write_in(_real(where).parent):
        return f"cannot be written ({os.strerror(errno.EACCES)}). Choose another place"
    try:
        where.lstat()
    except FileNotFoundError:
        return ""
    if where.is_dir():
        return "cannot be written (it is a folder). Choose another name"
    if where.is_file() and (where.stat().st_size == 0 or kind.marks(where)):
        return ""
    return f"exists and is no {kind.name} that this Laconic wrote. Choose another place, or move it"


def _may_write_in(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


def check_folder(where: Path) -> None:
    """A folder may be made here, or is here and may be written in."""
    if where.is_dir() and not _may_write_in(where):
        raise LaconicError(
            f"{where}: cannot be written in ({os.strerror(errno.EACCES)}). Choose another place"
        )
    if os.path.lexists(where) and not where.is_dir():
        raise LaconicError(
            f"{where}: cannot be made a folder, because it is a file. Choose another place"
        )


def check_not_read(outputs: Iterable[Path], inputs: Iterable[str | Path]) -> None:
    """No output may be an input, by whatever name, or lie in a folder that is read."""
    read = list(inputs)
    for output in outputs:
        for source in read:
            if _same(output, source):
                raise LaconicError(
                    f"{output}: is an input of this command, so it cannot be its output. "
                    "Choose another place"
                )
            if os.path.isdir(source) and _real(source) in _real(output).parents:
                raise LaconicError(
                    f"{output}: lies in {source}, which is an input of this command, so it "
                    "cannot be its output. "
                    "Choose a place outside"
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
    """A file that takes its name only when it is whole and on the disk.

    It replaces only what `check_output` allows, asked before and after. A link stays a link.
    """
    check_output(where, kind)
    target = _real(where)
    try:
        prefix = f".{where.name[:DRAFT_LETTERS]}."
        handle, name = mkstemp(prefix=prefix, suffix=".draft", dir=target.parent)
    except (OSError, ValueError) as failure:
        raise unwritable(failure, f"{where}: {_unwritten(failure)}") from None
    unfinished = Path(name)
    try:
        with open(handle, "wb") as stream:
            _hold(handle)
            yield stream
            stream.flush()
            _sync(handle)
            check_output(where, kind)
            unfinished.chmod(0o666 & ~_umask())
            if fcntl is None:  # Windows renames no open file
                stream.close()
            unfinished.replace(target)
        _sync_folder(target.parent)
    except OSError as failure:
        unfinished.unlink(missing_ok=True)
        raise unwritable(failure, f"{where}: {_unwritten(failure)}") from None
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _unwritten(failure: OSError | ValueError, done: str = "written") -> str:
    reason = getattr(failure, "strerror", None) or str(failure)
    full = getattr(failure, "errno", None) in OUT_OF_DISK
    advice = "Free space there, or choose" if full else "Choose"
    return f"cannot be {done} ({reason}). {advice} another place"


def _umask() -> int:
    """What is kept from others; `mkstemp` keeps everything."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync(handle: int) -> None:
    """On the disk before it has its name: a power cut must not leave an empty file of that name."""
    try:
        os.fsync(handle)
    except OSError as failure:
        if failure.errno not in CANNOT_SYNC:
            raise


def _sync_folder(where: Path) -> None:
    """So that the name is on the disk too; not every system can."""
    with suppress(OSError):
        handle = os.open(where, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _hold(handle: int) -> bool:
    """Lock a draft until it is closed, also by the end of the process; whether that worked."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def remove_drafts(folder: Path, names: Collection[str]) -> None:
    """Remove the drafts of files of these names whose process is gone, and nothing else."""
    for file in folder.glob(".*.draft"):
        of = DRAFT.fullmatch(file.name)
        if of is not None and of[1] in names and file.is_file() and not file.is_symlink():
            _remove_unheld(file)


def _remove_unheld(file: Path) -> None:
    with suppress(OSError), open(file, "rb") as stream:
        if _hold(stream.fileno()):
            file.unlink()


def remove(where: Path, kind: Kind) -> None:
    """Delete a file that Laconic wrote; there may be none."""
    if os.path.lexists(where):
        check_output(where, kind)
        where.unlink()


def make_folder(where: Path) -> None:
    try:
        where.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as failure:
        raise unwritable(failure, f"{where}: {_unwritten(failure, 'made a folder')}") from None


def file_name(name: str) -> str:
    """A name that is safe for a file."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name).strip(".-") or "corpus"


def distinct_name(name: str) -> str:
    """A name for a file that no other name has, also where case does not count: C++, C#, C and c.

    A name in small letters that is safe stays as it is; any other ends with its hash.
    """
    plain = file_name(name)
    if name == plain[:NAME_LETTERS] == normalize("NFC", name.casefold()) and not _is_taken(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain[:NAME_LETTERS]}-{digest[:10]}"


def _is_taken(name: str) -> bool:
    """By another name with its hash, or by a device of Windows."""
    return HASHED.search(name) is not None or DEVICES.fullmatch(name) is not None


def write_json(where: Path, kind: str, contents: Mapping[str, Any]) -> None:
    """An object whose first key is the mark that `keyed` looks for."""
    text = json.dumps(finite({KEY: kind, **contents}), indent=1, allow_nan=False)
    with draft(where, keyed(f"file of {kind}", kind)) as stream:
        stream.write(text.encode())


def finite(value: Any) -> Any:
    """The same with None for what JSON has no number for."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value
