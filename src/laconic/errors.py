"""What went wrong, in the order a reader wants it: what was asked, what is there, what to do.

Every error that a user can cause derives from `LaconicError`; the command line prints its message
and ends with exit code 2, without a traceback. All are `ValueError`s too, as scikit-learn expects.
Where memory or disk space ran out, the input is good and the exit code is 3.
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from typing import Any

# EDQUOT is unknown on Windows
OUT_OF_DISK = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
OUT_OF_MEMORY = frozenset({errno.ENOMEM})


class LaconicError(ValueError):
    """Something the user can mend; the message says how."""


class ResourceError(LaconicError):
    """Memory or disk space ran out; nothing is wrong with what was asked."""


class LaconicWarning(UserWarning):
    """Something the user should know, although the work goes on.

    Parameters
    ----------
    message : str
        With {} in the place of each of `classes`, where there are some.
    classes : sequence
        The classes that the message is about, as y has them. A study trains on positions of
        classes and knows their names: it asks for the message with these.
    """

    def __init__(self, message: str, classes: Sequence[Any] = ()) -> None:
        self._message, self._classes = message, tuple(classes)
        super().__init__(message.format(*classes) if classes else message)

    def with_names(self, names: Sequence[str]) -> str:
        """The message, with names for positions of classes; as it is if there are no names."""
        if not (names and self._classes):
            return str(self)
        return self._message.format(*(names[position] for position in self._classes))


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


def unwritable(failure: OSError | ValueError, message: str) -> LaconicError:
    """The error for something that cannot be written: a `ResourceError` if the disk is full."""
    full = isinstance(failure, OSError) and failure.errno in OUT_OF_DISK
    return (ResourceError if full else LaconicError)(message)


@contextmanager
def collected_warnings(class_names: Sequence[str] = ()) -> Iterator[list[str]]:
    """The distinct messages of our warnings within the block, in order, instead of on the screen.

    The list is filled when the block ends. `class_names` are for classes given by their positions.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LaconicWarning)
        messages: list[str] = []
        yield messages
        ours = (w.message for w in caught if isinstance(w.message, LaconicWarning))
        messages += dict.fromkeys(message.with_names(class_names) for message in ours)


def warn_again(messages: Iterable[str]) -> None:
    """Repeat warnings that were collected."""
    for message in messages:
        warnings.warn(message, LaconicWarning, stacklevel=3)
