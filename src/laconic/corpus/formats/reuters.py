"""Reuters-21578, Distribution 1.0: `reut2-*.sgm` in a folder or a tar archive.

Texts are TITLE, newline, BODY. A BRIEF story has its text in the title (README, VI.B.10), an
UNPROC one has no structure, so all of its TEXT is taken. Labels are the TOPICS. The splits are
those of the README's section VIII; documents in neither part are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from laconic.corpus.builder import CorpusBuilder, amount
from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.corpus.formats.columns import stem
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.opening import is_tar, lines, lines_in
from laconic.corpus.formats.trees import tree
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

FILE = re.compile(r"(?:.*/)?reut2-\d+\.sgm", re.IGNORECASE)
ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
TOPIC = re.compile(r"<D>(.*?)</D>", re.DOTALL)
TEXT = re.compile(r'<TEXT(?: TYPE="(\w+)")?>(.*?)</TEXT>', re.DOTALL)
TITLE = re.compile(r"<TITLE>(.*?)</TITLE>", re.DOTALL)
BODY = re.compile(r"<BODY>(.*?)</BODY>", re.DOTALL)
REFERENCE = re.compile(r"&(?:#(\d{1,7})|(lt|gt|amp|quot|apos));")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
LEWIS = {"TRAIN": TRAIN, "TEST": TEST}
HAYES = {"TRAINING-SET": TRAIN, "PUBLISHED-TESTSET": TEST}


class _Story(NamedTuple):
    line: int
    attributes: dict[str, str]
    topics: tuple[str, ...]
    text: str


def _mod_apte(attributes: dict[str, str]) -> str | None:
    return LEWIS.get(attributes["LEWISSPLIT"]) if attributes["TOPICS"] == "YES" else None


def _mod_lewis(attributes: dict[str, str]) -> str | None:
    return LEWIS.get(attributes["LEWISSPLIT"]) if attributes["TOPICS"] != "BYPASS" else None


def _mod_hayes(attributes: dict[str, str]) -> str | None:
    return HAYES.get(attributes["CGISPLIT"])


SPLITS: dict[str, Callable[[dict[str, str]], str | None]] = {
    "ModApte": _mod_apte,
    "ModLewis": _mod_lewis,
    "ModHayes": _mod_hayes,
}
NONE = "none"


def read_reuters(where: Where, reading: ReadOptions) -> Corpus:
    """Reuters-21578 with the split `reading.split`; "none" keeps all documents, without a split."""
    split = split_name(where, reading)
    gathering = CorpusBuilder(where, reading, multilabel=True)
    dropped = 0
    for file, stories in sorted(_files(where, reading, gathering.notes)):
        for story in stories:
            try:
                part = SPLITS[split](story.attributes) if split != NONE else None
                name = story.attributes["NEWID"]
            except KeyError as missing:
                raise _bad(file, story.line, f"has no attribute {missing.args[0]}") from None
            if part is None and split != NONE:
                dropped += 1
            else:
                gathering.add_text(story.text, story.topics, id=name, split=part)
    if dropped:
        gathering.notes.append(
            f"{amount(dropped, 'document is', 'documents are')} in neither part of {split}: "
            "left out"
        )
    return gathering.corpus(Path(where).resolve().name if os.path.isdir(where) else stem(where))


def split_name(where: Where, reading: ReadOptions) -> str:
    """The split that the reading asks for, as it is spelled in `SPLITS`, or "none"."""
    asked = reading.split or "ModApte"
    for name in (*SPLITS, NONE):
        if name.lower() == asked.lower():
            return name
    raise CorpusError(
        f"Reuters-21578 has no split {asked!r}. Its splits are {', '.join(SPLITS)}; --split none "
        "keeps all documents without one.",
        where=where,
    )


def _files(
    where: Where, reading: ReadOptions, notes: list[str]
) -> Iterator[tuple[str, list[_Story]]]:
    if not os.path.isdir(where) and not is_tar(where):
        yield str(where), list(_stories(lines(where, reading, "latin-1", notes=notes), where))
        return
    found = False
    for name, file in tree(where, reading, notes):
        if FILE.fullmatch(name):
            found = True
            inner = f"{os.fspath(where)}/{name}"
            numbered = lines_in(file, inner, reading, "latin-1", notes=notes)
            yield inner, list(_stories(numbered, inner))
    if not found:
        raise CorpusError(
            "has no reut2-*.sgm in it. Name the folder or archive of Reuters-21578 as it is "
            "distributed.",
            where=where,
        )


def _stories(numbered: Iterable[tuple[int, str]], file: Where) -> Iterator[_Story]:
    start = 0
    held: list[str] = []
    for number, line in numbered:
        if "<REUTERS " in line:
            if held:
                raise _bad(file, start, "does not end before the next one begins")
            start = number
        if start:
            held.append(line)
            if "</REUTERS>" in line:
                yield _story("\n".join(held), file, start)
                start, held = 0, []
    if held:
        raise _bad(file, start, "does not end: the file is truncated")


def _story(element: str, file: Where, line: int) -> _Story:
    topics, text = TOPICS.search(element), TEXT.search(element)
    if topics is None or text is None:
        raise _bad(file, line, f"has no {'TOPICS' if topics is None else 'TEXT'} element")
    kind, content = text.groups()
    if kind != "UNPROC":
        found = [pattern.search(content) for pattern in (TITLE, BODY)]
        content = "\n".join(match[1] for match in found if match)
    tag = element.partition(">")[0]
    labels = (_plain(label) for label in TOPIC.findall(topics[1]))
    named = tuple(label for label in labels if label.strip())
    return _Story(line, dict(ATTRIBUTE.findall(tag)), named, _plain(content))


def _plain(marked: str) -> str:
    """References resolved; control characters, written as such or as references, become blanks."""
    return CONTROL.sub(" ", REFERENCE.sub(_resolved, marked))


def _resolved(match: re.Match[str]) -> str:
    number, name = match.groups()
    if name:
        return NAMED[name]
    return chr(int(number)) if int(number) < 0x110000 else match[0]


def _bad(file: Where, line: int, problem: str) -> CorpusError:
    return CorpusError(
        f"this REUTERS element {problem}. Fetch the distribution again.", where=file, line=line
    )
