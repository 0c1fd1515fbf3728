"""What went wrong, in the order a reader wants it: what was asked, what is there, what to do.

Every error that a user can cause derives from `LaconicError`; the command line prints its message
and ends with exit code 2, without a traceback. All are `ValueError`s too, as scikit-learn expects.
Where memory or disk space ran out, the input is good and the exit code is 3.
"""

from __future__ import annotations

import errno
from os import PathLike, fspath

# EDQUOT is unknown on Windows
OUT_OF_DISK = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
OUT_OF_MEMORY = frozenset({errno.ENOMEM})


class LaconicError(ValueError):
    """Something the user can mend; the message says how."""


class ResourceError(LaconicError):
    """Memory or disk space ran out; nothing is wrong with what was asked."""


class LaconicWarning(UserWarning):
    """Something the user should know, although the work goes on."""


class CorpusError(LaconicError):
    """A file cannot be read as a labelled corpus: which file, which line, what to do."""

    def __init__(
        self, problem: str, *, where: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.problem = problem
        self.where = None if where is None else fspath(where)
        self.line = line
        place = "" if self.where is None else self.where
        if line is not None:
            place += f", line {line}" if place else f"line {line}"
        super().__init__(f"{place}: {problem}" if place else problem)


class SizeUnavailable(LaconicError):  # noqa: N818 - an answer of a path as much as an error
    """A reducer or path has no model of the size asked for."""

    def __init__(self, size: object, reason: str) -> None:
        self.size = size
        self.reason = reason
        super().__init__(f"size {size}: {reason}")


def unwritable(failure: OSError, message: str) -> LaconicError:
    """The error for something that cannot be written: a `ResourceError` if the disk is full."""
    return (ResourceError if failure.errno in OUT_OF_DISK else LaconicError)(message)
