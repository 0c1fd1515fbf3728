"""Folders of class folders, a document a file, as 20 Newsgroups has them; also in a tar archive.

`CLASS/document`, or `x-train/CLASS/document` and `x-test/CLASS/document`, which gives the split.
Folders that hold everything else are passed through: `20_newsgroups/CLASS/document`.
"""

from __future__ import annotations

import os
import re
from os import fspath
from pathlib import Path
from typing import NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, UNUSED, Corpus
from laconic.corpus.formats.columns import stem
from laconic.corpus.formats.decoding import Decoding
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.trees import tree
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

PART = re.compile(r"(?:.*[^a-z])?(train|test)", re.IGNORECASE)


class _Document(NamedTuple):
    names: tuple[str, ...]
    text: str


def read_folder(where: Where, reading: ReadOptions) -> Corpus:
    """A corpus of the documents in a folder or tar archive, in the order of their names."""
    gathering = CorpusBuilder(where, reading)
    documents = _stripped(_documents(where, reading, gathering.notes))
    parts = _parts(documents)
    at = 1 if parts else 0
    kept = [document for document in documents if len(document.names) > at + 1]
    loose = ["/".join(d.names) for d in documents if len(d.names) <= at + 1]
    _judge(where, kept, loose, gathering.notes)
    for document, name in zip(kept, _ids(kept, at), strict=True):
        split = parts.get(document.names[0], UNUSED) if parts else None
        gathering.add_text(document.text, (document.names[at],), id=name, split=split)
    _note_unused(kept, parts, gathering.notes)
    return gathering.corpus(Path(where).resolve().name if os.path.isdir(where) else stem(where))


def _documents(where: Where, reading: ReadOptions, notes: list[str]) -> list[_Document]:
    decoding = Decoding(where, reading)
    documents = []
    for name, file in tree(where, reading, notes):
        text = decoding.text(file.read(), where=f"{fspath(where)}/{name}")
        documents.append(_Document(tuple(name.split("/")), text))
    notes.extend(decoding.notes("document"))
    # an archive keeps the order in which it was packed
    return sorted(documents)


def _stripped(documents: list[_Document]) -> list[_Document]:
    """Without the folders around everything; files beside such a folder are alone at the top."""
    tops = {document.names[0] for document in documents if len(document.names) > 1}
    if len(tops) != 1 or all(len(document.names) < 3 for document in documents):
        return documents
    return _stripped([d._replace(names=d.names[1:]) if len(d.names) > 1 else d for d in documents])


def _parts(documents: list[_Document]) -> dict[str, str]:
    """The top folders that are the train or the test part; none unless there are both."""
    parts = {}
    for top in {document.names[0] for document in documents if len(document.names) > 1}:
        if match := PART.fullmatch(top):
            parts[top] = match[1].lower()
    flat = any(len(document.names) == 2 and document.names[0] in parts for document in documents)
    return parts if {TRAIN, TEST} <= set(parts.values()) and not flat else {}


def _judge(where: Where, kept: list[_Document], loose: list[str], notes: list[str]) -> None:
    if not kept and loose:
        raise CorpusError(
            f"has {amount(len(loose), 'file', 'files')} such as {loose[0]}, but no folders of "
            "classes. Put the documents of each class into a folder with its name.",
            where=where,
        )
    if loose:
        notes.append(
            f"{amount(len(loose), 'file', 'files')} beside the class folders left out, such as "
            f"{loose[0]}"
        )


def _note_unused(kept: list[_Document], parts: dict[str, str], notes: list[str]) -> None:
    unused = [document.names[0] for document in kept if document.names[0] not in parts]
    if parts and unused:
        notes.append(
            f"{amount(len(unused), 'document is', 'documents are')} in neither train nor test "
            f"(folder {unused[0]}): unused"
        )


def _ids(kept: list[_Document], at: int) -> list[str]:
    short = ["/".join(document.names[at:]) for document in kept]
    if len(set(short)) == len(short):
        return short
    return ["/".join(document.names) for document in kept]
