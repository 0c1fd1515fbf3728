"""TechTC: two-class sets `Exp_ID1_ID2`, each a `vectors.dat` (svmlight) and a `features.idx`.

+1 is the category ID1 and -1 is ID2. All sets come in one archive, so that reading them one by
one would unpack it a hundred times: `read_all_techtc` passes through it once.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from os import fspath
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.columns import distinct, indexed_names, inside
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.opening import lines_in, members, open_bytes
from laconic.corpus.formats.svmlight import Columns, svmlight_corpus
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

VECTORS, FEATURES = "vectors.dat", "features.idx"
SET = re.compile(r"Exp_(\w+?)_(\w+)")


def read_techtc(where: Where, reading: ReadOptions, name: str | None = None) -> Corpus:
    """One set: `where` is its folder, or the archive (or folder) of all sets, with its `name`."""
    if name is None and inside(where, VECTORS) is not None:
        folder = Path(fspath(where)).resolve()
        return _only(_gathered(_folder_files(folder, reading), where, reading), where)
    if name is None:
        known = techtc_sets(where)
        raise CorpusError(
            f"one set was asked for, but there are {len(known)} here: {', '.join(known[:3])} … "
            "Give the name of one, or read them all.",
            where=where,
        )
    wanted = name if name.startswith("Exp_") else f"Exp_{name}"
    chosen = (file for file in _files(where, reading) if PurePosixPath(file[0]).name == wanted)
    return _only(_gathered(chosen, where, reading), where, wanted)


def read_all_techtc(where: Where, reading: ReadOptions) -> Iterator[Corpus]:
    """Every set of the archive (or folder), in its order, in one pass."""
    return _gathered(_files(where, reading), where, reading)


def techtc_sets(where: Where) -> list[str]:
    """The names of the sets of an archive or folder, such as `Exp_10341_10755`."""
    files = _files(where, ReadOptions())
    return [PurePosixPath(folder).name for folder, name, _ in files if name == VECTORS]


def _only(corpora: Iterator[Corpus], where: Where, wanted: str = "") -> Corpus:
    for corpus in corpora:
        return corpus
    raise CorpusError(
        f"the set {wanted} was asked for, but is not there: {len(techtc_sets(where))} others are. "
        "techtc_sets lists them.",
        where=where,
    )


def _files(where: Where, reading: ReadOptions) -> Iterator[tuple[str, str, BinaryIO]]:
    """The set's folder, the file's name (one of the two) and its content, for every set."""
    top = Path(fspath(where))
    if top.is_dir():
        for folder in sorted(top.glob("Exp_*")):
            yield from _folder_files(folder, reading)
        return
    for member, content in members(where, reading):
        file = PurePosixPath(member)
        if file.name in (VECTORS, FEATURES) and SET.fullmatch(file.parent.name):
            yield str(file.parent), file.name, content


def _folder_files(folder: Path, reading: ReadOptions) -> Iterator[tuple[str, str, BinaryIO]]:
    for name in (FEATURES, VECTORS):
        file = inside(folder, name)
        if file is not None:
            with open_bytes(file, reading) as content:
                yield str(folder), name, content


def _gathered(
    files: Iterator[tuple[str, str, BinaryIO]], where: Where, reading: ReadOptions
) -> Iterator[Corpus]:
    half: dict[str, dict[str, bytes]] = {}
    for folder, name, content in files:
        pair = half.setdefault(folder, {})
        pair[name] = content.read()
        if len(pair) == 2:
            yield _corpus(folder, half.pop(folder), where, reading)
    for folder, pair in half.items():
        raise CorpusError(
            f"the set {folder} needs {VECTORS} and {FEATURES}, but only {next(iter(pair))} is "
            "there. Add the other file.",
            where=where,
        )


def _corpus(folder: str, pair: dict[str, bytes], where: Where, reading: ReadOptions) -> Corpus:
    origin = folder if Path(fspath(where)).is_dir() else f"{fspath(where)}:{folder}"
    features, vectors = f"{origin}/{FEATURES}", f"{origin}/{VECTORS}"
    gathering = CorpusBuilder(vectors, reading, multilabel=False)

    def columns(first: int, last: int) -> Columns:
        numbered = lines_in(io.BytesIO(pair[FEATURES]), features, reading, notes=gathering.notes)
        names = indexed_names(numbered, features)
        n_terms = max(names, default=0)
        if first == 0 or last > n_terms:
            raise CorpusError(
                f"indices go from {first} to {last}, but {FEATURES} names 1 to {n_terms}. "
                "The two files must belong together.",
                where=vectors,
            )
        indices = gathering.columns(1, n_terms, names)
        return indices, distinct((names.get(i, "") for i in indices.tolist()), indices.tolist())

    name = PurePosixPath(folder).name
    categories = SET.fullmatch(name)
    if categories is not None:
        gathering.notes.append("1 is category {}, -1 is category {}".format(*categories.groups()))
    numbered = lines_in(io.BytesIO(pair[VECTORS]), vectors, reading, notes=gathering.notes)
    return svmlight_corpus(gathering, numbered, name, columns)
