"""Errors and warnings. A message says what was requested, what was found, and what to do.

Every error that a user can cause derives from `LaconicError`: the command line prints its message
and exits with code 2, without a traceback. All are `ValueError`s too, as scikit-learn expects.
If memory or disk space ran out, the input is valid and the exit code is 3.
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from os import PathLike, fspath
from typing import Any, Self

# EDQUOT is not defined on Windows
OUT_OF_DISK = frozenset({errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)})
OUT_OF_MEMORY = frozenset({errno.ENOMEM})


class LaconicError(ValueError):
    """Invalid input; the message says how to fix it."""


class ResourceError(LaconicError):
    """Memory or disk space ran out; the input is valid."""


class LaconicWarning(UserWarning):
    """Something the user should know; the work continues.

    Parameters
    ----------
    message : str
        With one {} per class, if there are `classes`.
    classes : sequence
        The classes that the message is about, as in y. A study trains on positions of classes;
        it gets the message with their names from `with_names`.
    """

    def __init__(self, message: str, classes: Sequence[Any] = ()) -> None:
        self._message, self._classes = message, tuple(classes)
        super().__init__(message.format(*classes) if classes else message)

    def with_names(self, names: Sequence[str]) -> str:
        """The message, with names for positions of classes; unchanged if there are no names."""
        if not (names and self._classes):
            return str(self)
        return self._message.format(*(names[position] for position in self._classes))


class CorpusError(LaconicError):
    """A file cannot be read as a labelled corpus; the message has the file and the line."""

    def __init__(
        self, problem: str, *, where: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.problem = problem
        self.where = None if where is None else fspath(where)
        self.line = line
        position = "" if self.where is None else self.where
        if line is not None:
            position += f", line {line}" if position else f"line {line}"
        super().__init__(f"{position}: {problem}" if position else problem)

    def __reduce__(self) -> Any:
        """Pickled with its arguments: by default it would be made from its message."""
        return partial(type(self), where=self.where, line=self.line), (self.problem,)


class SizeUnavailable(LaconicError):  # noqa: N818 - paths yield it too
    """A reducer or path has no model of the requested size."""

    def __init__(self, size: object, reason: str) -> None:
        self.size = size
        self.reason = reason
        super().__init__(f"size {size}: {reason}")

    def __reduce__(self) -> tuple[type[Self], tuple[object, str]]:
        return type(self), (self.size, self.reason)


def unwritable(failure: OSError | ValueError, message: str) -> LaconicError:
    """The error for a failed write: a `ResourceError` if the disk is full."""
    full = isinstance(failure, OSError) and failure.errno in OUT_OF_DISK
    return (ResourceError if full else LaconicError)(message)


@contextmanager
def collected_warnings(class_names: Sequence[str] = ()) -> Iterator[list[str]]:
    """Collect the distinct messages of our warnings in the block, in order, and show none.

    The list is filled when the block ends. `class_names` replace positions of classes.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", LaconicWarning)
        messages: list[str] = []
        yield messages
        warned = (w.message for w in caught if isinstance(w.message, LaconicWarning))
        messages += dict.fromkeys(message.with_names(class_names) for message in warned)


def warn_again(messages: Iterable[str]) -> None:
    """Give collected warnings again."""
    for message in messages:
        warnings.warn(message, LaconicWarning, stacklevel=3)
