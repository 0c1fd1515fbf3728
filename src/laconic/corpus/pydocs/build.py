"""The pydocs corpus, built or read from the cache."""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
import zlib
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.pydocs.choice import hash_of, select
from laconic.corpus.pydocs.sources import PACKAGES, Docstring, walk
from laconic.errors import CorpusError, LaconicError
from laconic.files import ANY_FILE, draft, make_folder
from laconic.types import Progress

UNUSED_DAYS = 90


def build_pydocs(
    cache: Path | Literal["user"] | None = "user", progress: Progress | None = None
) -> Corpus:
    """The embedded corpus: a few thousand docstrings, each labelled with its sub-package.

    Depends only on the versions of Python, numpy, scipy and scikit-learn.

    Parameters
    ----------
    cache : Path, "user" or None
        The cache directory; "user" is `cache_directory()`, None disables the cache.
    progress : callable, optional
        Called with (done, total) after each sub-package; never if the corpus is in the cache.
    """
    where = cache_file(cache)
    cached = None if where is None else _load(where)
    if cached is not None:
        return cached
    if sys.flags.optimize > 1:
        raise CorpusError(
            "pydocs is built from docstrings, which python -OO removes. Run Python without -OO."
        )
    corpus = to_corpus(select(walk(progress)))
    if where is not None:
        _store(corpus, where)
    return corpus


def cache_directory() -> Path:
    """`LACONIC_CACHE`, else `laconic` in `XDG_CACHE_HOME`, else `~/.cache/laconic`."""
    directory = os.environ.get("LACONIC_CACHE")
    if directory:
        return Path(directory)
    xdg_home = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification: ignore a relative path.
    if xdg_home and Path(xdg_home).is_absolute():
        return Path(xdg_home) / "laconic"
    return Path.home() / ".cache" / "laconic"


def to_corpus(documents: Iterable[Docstring]) -> Corpus:
    names, labels, texts = zip(*documents, strict=True)
    return Corpus(
        name="pydocs",
        labels=tuple((label,) for label in labels),
        ids=names,
        texts=texts,
        split=tuple(TEST if hash_of(f"split {name}") % 5 == 0 else TRAIN for name in names),
        notes=(f"docstrings of {', '.join(_versions())}",),
    )


def _versions() -> list[str]:
    python = ".".join(map(str, sys.version_info[:3]))
    return [f"python {python}", *(f"{name} {version(dist)}" for name, dist in PACKAGES.items())]


def cache_file(cache: Path | Literal["user"] | None) -> Path | None:
    """The cache file of these package versions and rules."""
    if cache is None:
        return None
    try:
        directory = cache_directory() if cache == "user" else Path(cache)
    except RuntimeError:
        return None  # the user has no home directory
    versions = "-".join(part.replace(" ", "") for part in _versions())
    return directory / f"pydocs-{versions}-{rules_hash(files(__package__))}.jsonl.gz"


def rules_hash(package: Traversable) -> str:
    """A hash of the files of this package: the source defines the rules."""
    digest = sha256()
    for file in sorted(package.iterdir(), key=lambda file: file.name):
        if file.is_file():
            digest.update(sha256(file.name.encode()).digest())
            digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def _load(where: Path) -> Corpus | None:
    """The corpus of a cache file, or None if it is missing or invalid. Updates its time stamp."""
    try:
        with gzip.open(where, "rt", encoding="utf-8") as lines:
            fingerprint = json.loads(next(lines))["fingerprint"]
            corpus = to_corpus(Docstring(*json.loads(line)) for line in lines)
        if corpus.fingerprint != fingerprint:
            return None
    except (OSError, EOFError, StopIteration, zlib.error):
        return None
    except (AttributeError, KeyError, TypeError, ValueError):
        # other JSON lines
        return None
    with suppress(OSError):
        os.utime(where)
    return corpus


def _store(corpus: Corpus, where: Path) -> None:
    """Write the cache file; ignore failures."""
    rows = zip(corpus.ids, (label for (label,) in corpus.labels), corpus.texts or (), strict=True)
    lines = [json.dumps(row) for row in ({"fingerprint": corpus.fingerprint}, *rows)]
    content = gzip.compress("\n".join(lines).encode(), mtime=0)
    with suppress(LaconicError):
        make_folder(where.parent)
        with draft(where, ANY_FILE) as stream:
            stream.write(content)
        _remove_unused(where.parent)


def _remove_unused(directory: Path) -> None:
    """Remove cached corpora that have not been used for `UNUSED_DAYS` days."""
    oldest = time.time() - UNUSED_DAYS * 24 * 60 * 60
    for file in directory.glob("pydocs-*.jsonl.gz"):
        with suppress(OSError):
            if file.stat().st_mtime < oldest:
                file.unlink()
