"""Word counts in blocks on disk, for texts that are not in memory.

The folder of blocks has one folder per corpus and text options, named by a hash of both:

block-00000.counts, …   counts of consecutive documents, over the words of the block
vocabulary.counts       all words, and the number among them of each word of each block
manifest.json           what the blocks are of, and the hash of each

Blocks are made by several processes. A block that is finished is never made again: after a kill the
next run makes those that are missing, and another study of the same corpus with the same text
options makes none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray
from scipy.sparse import csr_array

from laconic.corpus.corpus import Corpus
from laconic.engine import Engine
from laconic.errors import LaconicError, unwritable
from laconic.files import json_kind, make_folder, read_json, remove_drafts, write_json
from laconic.numerics.blocks import MEMORY, Blocks
from laconic.options import from_attributes
from laconic.processes import LocalProcesses
from laconic.scratch import ScratchFolder
from laconic.text.array_file import ArrayFile, read_arrays, write_arrays
from laconic.text.counting import BLOCK_CHARACTERS, BlockJob, CountedBlock, merged, write_block
from laconic.text.options import StorageOptions, TextOptions
from laconic.text.vectorizer import Vectorizer
from laconic.types import Int64s, Progress

VERSION = 1
MANIFEST, VOCABULARY, LOCK = "manifest.json", "vocabulary.counts", "lock"
# How often the progress of another process that makes the blocks is shown.
WAIT_SECONDS = 1.0
MANIFEST_FILE = json_kind("list of blocks", "blocks")


@dataclass(frozen=True)
class Manifest:
    """What the blocks of a folder are of; `hashes` of the blocks, then of the vocabulary."""

    version: int
    corpus: str
    text: str
    hashes: list[str]


class StoredWords(NamedTuple):
    """The counts and the words of all blocks."""

    counts: Blocks
    words: NDArray[np.object_]


@dataclass(frozen=True)
class StoredBlock:
    """A block of a folder. `number` is its place there; a scratch folder stays as long as it."""

    folder: Path
    number: int
    n_docs: int
    n_columns: int
    scratch: ScratchFolder | None = field(default=None, repr=False)

    def read(self) -> csr_array:
        counts = read_arrays(block_file(self.folder, self.number)).arrays
        columns = read_arrays(self.folder / VOCABULARY).arrays[f"columns-{self.number}"]
        return CountedBlock(**counts).matrix(columns, self.n_columns)


def block_file(folder: Path, number: int) -> Path:
    return folder / f"block-{number:05}.counts"


@dataclass(frozen=True, eq=False)
class BlockFolder:
    """The blocks of one corpus with some text options.

    Parameters
    ----------
    parent : the folder of blocks, which may have those of other corpora too; or a scratch folder
    texts : the texts of the corpus
    corpus : its fingerprint
    options : how words are found
    text : what the counts depend on, as canonical JSON
    """

    parent: Path | ScratchFolder
    texts: Sequence[str]
    corpus: str
    options: TextOptions
    text: str

    @property
    def path(self) -> Path:
        key = sha256(f"{VERSION}\n{self.corpus}\n{self.text}".encode()).hexdigest()
        parent = self.parent.path if isinstance(self.parent, ScratchFolder) else self.parent
        return parent / key[:16]

    def open(
        self,
        n_jobs: int = 1,
        progress: Progress | None = None,
        memory: int = MEMORY,
        engine: Engine | None = None,
    ) -> StoredWords:
        """The counts of all texts; blocks that are missing are made."""
        ends, show = block_ends(self.texts), progress or _silent
        if not self._complete(ends):
            make_folder(self.path)
            with self._locked(ends, show):
                remove_drafts(self.path, {file.name for file in self._files(ends)})
                if not self._complete(ends):
                    self._make(ends, engine or LocalProcesses(n_jobs), show)
        stored = self._stored(ends, memory, n_jobs)
        return stored._replace(counts=replace(stored.counts, engine=engine))

    @contextmanager
    def _locked(self, ends: Int64s, progress: Progress) -> Iterator[None]:
        """One process makes the blocks; another one shows its progress meanwhile."""
        lock = FileLock(self.path / LOCK, timeout=WAIT_SECONDS)
        sizes = np.diff(text_starts(self.texts)[ends])
        while not lock.is_locked:
            try:
                lock.acquire()
            except Timeout:
                there = [block_file(self.path, at).exists() for at in range(sizes.size)]
                progress(int(sizes[there].sum()), int(sizes.sum()))
            except OSError as failure:
                raise unwritable(
                    failure,
                    f"{self.path}: the blocks are not complete, and cannot be written "
                    f"({failure.strerror}). Choose another folder for --blocks",
                ) from None
        try:
            yield
        finally:
            lock.release()

    def _files(self, ends: Int64s) -> Iterator[Path]:
        yield from (block_file(self.path, number) for number in range(ends.size - 1))
        yield from (self.path / VOCABULARY, self.path / MANIFEST)

    def _complete(self, ends: Int64s) -> bool:
        """Whether the folder has everything, undamaged."""
        try:
            manifest = read_json(self.path / MANIFEST, Manifest)
            if manifest is None or len(manifest.hashes) != ends.size:
                return False
            *files, _ = self._files(ends)
            stored = [read_arrays(file) for file in files]
        except LaconicError:
            return False
        n_docs = [arrays.header.get("docs") for arrays in stored[:-1]]
        hashes = [arrays.header["hash"] for arrays in stored]
        expected = (np.diff(ends).tolist(), manifest.hashes)
        return (n_docs, hashes) == expected and all(arrays.intact for arrays in stored)

    def _make(self, ends: Int64s, engine: Engine, progress: Progress) -> None:
        sizes = np.diff(text_starts(self.texts)[ends])
        missing = [at for at in range(sizes.size) if self._finished(at, ends) is None]
        done, total = int(sizes.sum() - sizes[missing].sum()), int(sizes.sum())
        progress(done, total)
        jobs = [self._job(number, ends) for number in missing]
        for number, _ in zip(missing, engine.run(write_block, jobs), strict=True):
            done += int(sizes[number])
            progress(done, total)
        self._merge(ends)

    def _finished(self, number: int, ends: Int64s) -> ArrayFile | None:
        """The block, if an earlier run has finished it."""
        try:
            arrays = read_arrays(block_file(self.path, number))
        except LaconicError:
            return None
        expected = arrays.header.get("docs") == ends[number + 1] - ends[number]
        return arrays if expected and arrays.intact else None

    def _job(self, number: int, ends: Int64s) -> BlockJob:
        texts = self.texts[int(ends[number]) : int(ends[number + 1])]
        return BlockJob(block_file(self.path, number), texts, self.options)

    def _merge(self, ends: Int64s) -> None:
        """Number the words of all blocks together."""
        blocks = [read_arrays(block_file(self.path, number)) for number in range(ends.size - 1)]
        words, columns = merged([np.array(block.arrays["words"]) for block in blocks])
        numbers = {f"columns-{at}": column for at, column in enumerate(columns)}
        write_arrays(self.path / VOCABULARY, {}, {"words": words, **numbers})
        vocabulary = read_arrays(self.path / VOCABULARY)
        hashes = [arrays.header["hash"] for arrays in (*blocks, vocabulary)]
        contents = {"version": VERSION, "corpus": self.corpus, "text": self.text, "hashes": hashes}
        write_json(self.path / MANIFEST, "blocks", contents)

    def _stored(self, ends: Int64s, memory: int, n_jobs: int) -> StoredWords:
        from laconic.numerics.text.words import unpacked

        words = unpacked(read_arrays(self.path / VOCABULARY).arrays["words"])
        scratch = self.parent if isinstance(self.parent, ScratchFolder) else None
        parts = tuple(
            StoredBlock(self.path, number, int(last - first), len(words), scratch)
            for number, (first, last) in enumerate(pairwise(ends))
        )
        counts = Blocks(parts, len(words), memory, n_jobs)
        return StoredWords(counts, np.array(words, dtype=object))


def store_counts(
    corpus: Corpus,
    vectorizer: Vectorizer,
    storage: StorageOptions,
    progress: Progress | None = None,
) -> StoredWords:
    """The counts of a corpus, in blocks; without a folder for them, in a temporary one."""
    options = from_attributes(TextOptions, vectorizer)
    engine = storage.engine
    scratch = ScratchFolder(engine.folder if engine else None) if storage.blocks is None else None
    parent = scratch or Path(str(storage.blocks)).absolute()
    text = json.dumps(options.canonical(corpus), sort_keys=True)
    folder = BlockFolder(parent, corpus.texts or (), corpus.fingerprint, options, text)
    return folder.open(storage.n_jobs, progress, storage.limit, engine)


def _silent(done: int, total: int) -> None:
    pass


def text_starts(texts: Sequence[str]) -> Int64s:
    """Where each text begins among the bytes (or characters) of all, and the end of the last."""
    starts: Int64s | None = getattr(texts, "starts", None)
    if starts is not None:
        return starts
    return np.append(0, np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts))))


def block_ends(texts: Sequence[str]) -> Int64s:
    """The first document of each block, and the number of all; they depend on the texts only."""
    starts = text_starts(texts)
    ends = [0]
    while ends[-1] < len(texts):
        full = np.searchsorted(starts, starts[ends[-1]] + BLOCK_CHARACTERS)
        ends.append(min(max(int(full), ends[-1] + 1), len(texts)))
    return np.array(ends)
