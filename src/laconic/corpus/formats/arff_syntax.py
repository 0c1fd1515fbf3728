"""The syntax of ARFF: declarations of attributes, and instances (documents), sparse or dense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from laconic.corpus.formats.columns import clipped
from laconic.corpus.formats.guarding import Where
from laconic.errors import CorpusError

# What is stated of one document: by column, a value, or None where it is missing.
Instance: TypeAlias = dict[int, str | None]
NUMERIC, NOMINAL, STRING = "numeric", "nominal", "string"
KINDS = {"numeric": NUMERIC, "real": NUMERIC, "integer": NUMERIC, "string": STRING}

# Possessive, so that a line of any length is read in one pass.
QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
NAME = re.compile(rf"""\s*+({QUOTED}|[^\s,{{}}'"][^\s,{{}}]*+)""")
ITEM = re.compile(rf"""\s*+({QUOTED}|[^\s,{{}}'"][^,{{}}]*+)\s*+([,}}])""")
ENTRY = re.compile(rf"""\s*+([0-9]{{1,9}}+)\s++({QUOTED}|[^\s,{{}}'"][^\s,{{}}]*+)\s*+([,}}])""")
FIELD = re.compile(rf"""\s*+({QUOTED}|[^\s,'"][^,]*+)\s*+(,|$)""")
NOTHING_MORE = re.compile(r"\s*+(?:%.*)?")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column; `values` are those of a nominal one, in the order of the file."""

    name: str
    kind: str
    values: tuple[str, ...]
    line: int

    @property
    def omitted(self) -> str | None:
        """What a sparse instance means by not mentioning it: for a nominal one, its first value."""
        if self.kind == NOMINAL:
            return self.values[0]
        return "0" if self.kind == NUMERIC else None


def read_header(numbered: Iterator[tuple[int, str]], where: Where) -> tuple[str, list[Attribute]]:
    """The relation's name and the attributes; leaves `numbered` behind the line `@data`."""
    relation, attributes = "", []
    for line, text in content(numbered):
        keyword, _, rest = text.replace("\t", " ").partition(" ")
        if keyword.lower() == "@relation":
            relation = rest.strip()
        elif keyword.lower() == "@attribute":
            attributes.append(_attribute(text[len(keyword) :], where, line))
        elif keyword.lower() == "@data":
            return relation, attributes
        else:
            _refuse("@relation, @attribute or @data was expected", text, where, line)
    raise CorpusError("has no line @data. Is it ARFF, and is it whole?", where=where)


def read_instances(
    numbered: Iterator[tuple[int, str]], n_attributes: int, where: Where
) -> Iterator[tuple[int, Instance]]:
    """Numbered documents."""
    for line, text in content(numbered):
        if text.startswith("{"):
            yield line, _sparse(text, n_attributes, where, line)
        else:
            yield line, _dense(text, n_attributes, where, line)


def content(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that are neither empty nor comments, stripped."""
    for line, text in numbered:
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def _attribute(text: str, where: Where, line: int) -> Attribute:
    name = NAME.match(text)
    if name is None:
        _refuse("the name of an attribute was expected", text, where, line)
    declared = text[name.end() :].strip()
    if declared.startswith("{"):
        values = _nominal(declared, where, line)
        return Attribute(_plain(name[1]), NOMINAL, values, line)
    words = declared.split()
    if not words:
        _refuse("the kind of the attribute was expected after its name", text, where, line)
    return Attribute(_plain(name[1]), KINDS.get(words[0].lower(), words[0]), (), line)


def _nominal(text: str, where: Where, line: int) -> tuple[str, ...]:
    values: dict[str, None] = {}
    position, closed = 1, ","
    while closed == ",":
        item = ITEM.match(text, position)
        if item is None:
            _refuse("values such as {a, 'b c'} were expected", text[position:], where, line)
        values[_plain(item[1].rstrip())] = None
        position, closed = item.end(), item[2]
    _refuse_rest(text, position, where, line)
    return tuple(values)


def _sparse(text: str, n_attributes: int, where: Where, line: int) -> Instance:
    instance: Instance = {}
    position, closed = 1, ","
    if text[1:].lstrip().startswith("}"):
        position, closed = text.index("}") + 1, "}"
    while closed == ",":
        entry = ENTRY.match(text, position)
        if entry is None:
            problem = "pairs of index and value such as {3 1, 7 2} were expected"
            _refuse(problem, text[position:], where, line)
        index = int(entry[1])
        if index >= n_attributes or index in instance:
            problem = f"each index once, from 0 to {n_attributes - 1:,}, was expected"
            _refuse(problem, text[position:], where, line)
        instance[index] = _value(entry[2])
        position, closed = entry.end(), entry[3]
    _refuse_rest(text, position, where, line)
    return instance


def _dense(text: str, n_attributes: int, where: Where, line: int) -> Instance:
    instance: Instance = {}
    position, more = 0, ","
    while more == ",":
        field = FIELD.match(text, position)
        if field is None:
            _refuse("a value, quoted if it has commas, was expected", text[position:], where, line)
        instance[len(instance)] = _value(field[1].rstrip())
        position, more = field.end(), field[2]
    if len(instance) != n_attributes:
        problem = f"{n_attributes:,} values separated by commas, one an attribute, were expected"
        raise CorpusError(
            f"{problem}, but found {len(instance):,}: {clipped(text)}.", where=where, line=line
        )
    return instance


def _value(token: str) -> str | None:
    return None if token == "?" else _plain(token)


def _plain(token: str) -> str:
    if token[0] not in "'\"":
        return token
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), token[1:-1])


def _refuse_rest(text: str, position: int, where: Where, line: int) -> None:
    if NOTHING_MORE.fullmatch(text, position) is None:
        _refuse("nothing more was expected after }", text[position:], where, line)


def _refuse(expected: str, found: str, where: Where, line: int) -> NoReturn:
    raise CorpusError(
        f"{expected}, but found {clipped(found) if found.strip() else 'the end of the line'}. "
        "Mend the line, or quote names and values that hold blanks, commas or braces.",
        where=where,
        line=line,
    )
