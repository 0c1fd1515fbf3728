"""Predictions of many files, one file each, in several processes; finished ones are kept.

The folder also has `predictions.manifest`, in JSON lines. The first says with which model and
options the last command predicted. Each other one is for a finished file: what it was made from, by
which model and options (the hash of their first line), and its own hash. A file gets its name once
it is complete, and its line after that. So an interrupted command can be run again: it makes the
files that are missing, and those whose documents have changed since.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from laconic import __version__
from laconic.cli.predictions import PREDICTIONS, predicted_lines, written_to
from laconic.corpus.io.addresses import scheme_of, version_of
from laconic.corpus.options import ReadOptions
from laconic.corpus.readers.names import stem
from laconic.engine import Engine
from laconic.errors import LaconicError
from laconic.files import (
    KEY,
    check_folder,
    check_not_read,
    check_output,
    draft,
    json_kind,
    make_folder,
    remove_drafts,
)
from laconic.processes import report
from laconic.runtime.model_file import load
from laconic.runtime.runtime_model import RuntimeModel

MANIFEST = "predictions.manifest"
MANIFEST_KIND = "predictions"
MANIFEST_FILE = json_kind("list of predictions", MANIFEST_KIND)
# Options of reading that predictions depend on.
READING = ("format", "text", "id", "encoding", "encoding_errors")


@dataclass(frozen=True)
class Shard:
    """A file of documents, and the name of the file of its predictions in the folder."""

    source: str
    name: str

    def __str__(self) -> str:
        return self.source


@dataclass(frozen=True)
class DocumentsFile:
    """A file of documents as it was when it was read."""

    path: str
    version: str

    @classmethod
    def of(cls, path: str) -> DocumentsFile | None:
        """None if it cannot be known whether the file has changed."""
        version = version_of(path)
        if version is None:
            return None
        return cls(path if scheme_of(path) else os.path.realpath(path), version)


@dataclass(frozen=True)
class FinishedFile:
    """A file of predictions: what it was made from, by which model and options, and its hash."""

    name: str
    source: DocumentsFile | None
    settings: str
    hash: str


@dataclass(frozen=True)
class Predicted:
    """Progress: bytes and documents of a source that are predicted so far."""

    source: str
    n_bytes: int
    n_docs: int


@dataclass(frozen=True)
class ShardPredictor:
    """Predicts a file, writes the predictions into a folder, and reports it."""

    folder: Path
    model: Path
    options: ReadOptions
    scores: bool
    trusted: bool

    def described(self) -> dict[str, Any]:
        """What the predictions of a document depend on."""
        reading = {name: getattr(self.options, name) for name in READING}
        about = {"version": __version__, "model": hash_of(self.model), "scores": self.scores}
        return {KEY: MANIFEST_KIND, **about, **reading}

    @cached_property
    def settings(self) -> str:
        """A hash of what is described."""
        return sha256(_line(self.described())).hexdigest()

    def __call__(self, shard: Shard) -> None:
        model, output = _loaded(self.model, self.trusted), self.folder / shard.name
        source = DocumentsFile.of(shard.source)
        n_docs = n_bytes = 0

        def progress(done: int, total: int) -> None:
            nonlocal n_bytes
            n_bytes = done

        with written_to(output) as write:
            options = replace(self.options, progress=progress)
            for lines in predicted_lines(model, shard.source, options, self.scores, several=True):
                write("".join(lines))
                n_docs += len(lines)
                report(Predicted(shard.source, n_bytes, n_docs))
        report(FinishedFile(shard.name, source, self.settings, hash_of(output)))


class PredictionFolder:
    """A folder of predictions, and the list of those that are finished."""

    def __init__(self, where: Path, predictor: ShardPredictor) -> None:
        self.where, self.predictor = where, predictor

    def check(self, shards: Sequence[Shard], inputs: Sequence[str]) -> None:
        """Check, before any work, that each file may be written."""
        check_folder(self.where)
        check_not_read([self.where], inputs)
        used = {_identity(s.source) for s in shards} | {_identity(self.predictor.model)}
        for name, kind in [(MANIFEST, MANIFEST_FILE), *((s.name, PREDICTIONS) for s in shards)]:
            output = self.where / name
            if os.path.lexists(output):
                check_output(output, kind)
            if _identity(output) in used - {None}:
                raise LaconicError(
                    f"{output}: is an input of this command, so it cannot be its output. Choose "
                    "another folder"
                )

    def predict(
        self, shards: Sequence[Shard], engine: Engine, progress: Callable[[int, int], object]
    ) -> int:
        """Predict the files that are not finished; returns how many were.

        `progress` is called with the bytes and documents that are predicted so far.
        """
        finished = self._finished()
        missing = [shard for shard in shards if not self._is_finished(shard, finished)]
        folders = {(self.where / shard.name).parent for shard in shards}
        for folder in {self.where, *folders}:
            make_folder(folder)
            remove_drafts(folder, {Path(shard.name).name for shard in shards} | {MANIFEST})
        missed = {shard.name for shard in missing}
        missed_names = {Path(name).name for name in missed}
        self._write([f for name, f in finished.items() if name not in missed])
        counts: dict[str, Predicted] = {}

        def listen(message: Predicted | FinishedFile) -> None:
            if isinstance(message, FinishedFile):
                self._append(message)
                return
            counts[message.source] = message
            progress(
                sum(count.n_bytes for count in counts.values()),
                sum(count.n_docs for count in counts.values()),
            )

        try:
            for _ in engine.run(self.predictor, missing, listen=listen):
                pass
        finally:
            for folder in folders:
                remove_drafts(folder, missed_names)
        return len(shards) - len(missing)

    def n_others(self) -> int:
        """The number of files in the folder that are of another model or other options."""
        return sum(
            finished.settings != self.predictor.settings and (self.where / name).exists()
            for name, finished in self._finished().items()
        )

    def _finished(self) -> dict[str, FinishedFile]:
        """The files that are listed, of any model and options."""
        try:
            lines = (self.where / MANIFEST).read_text("utf-8").splitlines()
        except (OSError, ValueError):
            return {}
        return {finished.name: finished for finished in _parsed(lines[1:])}

    def _is_finished(self, shard: Shard, finished: Mapping[str, FinishedFile]) -> bool:
        """Whether the predictions are those of the model for the documents as they are now."""
        entry = finished.get(shard.name)
        if entry is None or entry.settings != self.predictor.settings:
            return False
        if entry.source is None or entry.source != DocumentsFile.of(shard.source):
            return False
        try:
            return hash_of(self.where / shard.name) == entry.hash
        except OSError:
            return False

    def _write(self, finished: Sequence[FinishedFile]) -> None:
        with draft(self.where / MANIFEST, MANIFEST_FILE) as stream:
            for line in (self.predictor.described(), *map(asdict, finished)):
                stream.write(_line(line))

    def _append(self, finished: FinishedFile) -> None:
        with open(self.where / MANIFEST, "ab") as stream:
            stream.write(_line(asdict(finished)))


def shards_of(sources: Sequence[str]) -> list[Shard]:
    """The files of documents with the names of their predictions, which are distinct.

    Names are those of the documents, below the folder that all documents share, as .jsonl.
    """
    folders = [_folder_of(source) for source in sources]
    shared = os.path.commonpath(folders)
    shards: dict[str, Shard] = {}
    for source, folder in zip(sources, folders, strict=True):
        inner = os.path.relpath(folder, shared)
        name = os.path.normpath(os.path.join(inner, f"{stem(source)}.jsonl"))
        if name in shards:
            raise LaconicError(
                f"{shards[name].source} and {source}: the predictions of both would be {name}. "
                "Rename one, or predict them into different folders"
            )
        shards[name] = Shard(source, name)
    return list(shards.values())


def _folder_of(source: str) -> str:
    """The whole path of the folder of a file; of an address without its scheme."""
    if scheme_of(source) is None:
        return os.path.dirname(os.path.abspath(source))
    return os.path.dirname("/" + source.partition("://")[2].lstrip("/"))


def hash_of(where: Path) -> str:
    with open(where, "rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


@cache
def _loaded(model: Path, trusted: bool) -> RuntimeModel:
    """The model, which a process reads once."""
    return load(model, trusted=trusted)


def _identity(path: str | Path) -> tuple[int, int] | None:
    """What the names of one file have in common; None if there is no such file."""
    with suppress(OSError, ValueError):
        status = os.stat(path)
        return status.st_dev, status.st_ino
    return None


def _parsed(lines: Sequence[str]) -> Iterator[FinishedFile]:
    """What is listed; a line that a killed process has not completed is left out."""
    import msgspec

    for line in lines:
        with suppress(ValueError):
            yield msgspec.json.decode(line, type=FinishedFile)


def _line(values: Mapping[str, Any]) -> bytes:
    return (json.dumps(values) + "\n").encode("ascii")
