"""ARFF syntax: attribute declarations, and instances (documents), sparse or dense."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from laconic.corpus.io.limits import Where
from laconic.corpus.readers.names import shortened
from laconic.errors import CorpusError

# The explicit values of one document by column; None is a missing value.
Instance: TypeAlias = dict[int, str | None]
NUMERIC, NOMINAL, STRING = "numeric", "nominal", "string"
KINDS = {"numeric": NUMERIC, "real": NUMERIC, "integer": NUMERIC, "string": STRING}

# Possessive quantifiers: a line of any length is matched in one pass.
QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+\""""
NAME = re.compile(rf"""\s*+({QUOTED}|[^\s,{{}}'"][^\s,{{}}]*+)""")
ITEM = re.compile(rf"""\s*+({QUOTED}|[^\s,{{}}'"][^,{{}}]*+)\s*+([,}}])""")
ENTRY = re.compile(rf"""\s*+([0-9]{{1,9}}+)\s++({QUOTED}|[^\s,{{}}'"][^\s,{{}}]*+)\s*+([,}}])""")
FIELD = re.compile(rf"""\s*+({QUOTED}|[^\s,'"][^,]*+)\s*+(,|$)""")
LINE_END = re.compile(r"\s*+(?:%.*)?")
ESCAPE = re.compile(r"\\(.)")
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """A declared column; `values` are those of a nominal attribute, in file order."""

    name: str
    kind: str
    values: tuple[str, ...]
    line: int

    @property
    def omitted(self) -> str | None:
        """The value if a sparse instance omits it: the first one of a nominal attribute."""
        if self.kind == NOMINAL:
            return self.values[0]
        return "0" if self.kind == NUMERIC else None


def read_header(numbered: Iterator[tuple[int, str]], where: Where) -> tuple[str, list[Attribute]]:
    """The relation's name and the attributes; advances `numbered` past the line `@data`."""
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
            _refuse("expected @relation, @attribute or @data", text, where, line)
    raise CorpusError("has no @data line. Is it ARFF, and is it complete?", where=where)


def read_instances(
    numbered: Iterator[tuple[int, str]], n_attributes: int, where: Where
) -> Iterator[tuple[int, Instance]]:
    """The documents with their line numbers."""
    for line, text in content(numbered):
        if text.startswith("{"):
            yield line, _sparse(text, n_attributes, where, line)
        else:
            yield line, _dense(text, n_attributes, where, line)


def content(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that are neither blank nor comments, stripped."""
    for line, text in numbered:
        text = text.strip()
        if text and not text.startswith("%"):
            yield line, text


def _attribute(text: str, where: Where, line: int) -> Attribute:
    name = NAME.match(text)
    if name is None:
        _refuse("expected the name of an attribute", text, where, line)
    declared = text[name.end() :].strip()
    if declared.startswith("{"):
        values = _nominal(declared, where, line)
        return Attribute(_unquoted(name[1]), NOMINAL, values, line)
    words = declared.split()
    if not words:
        _refuse("expected the type of the attribute after its name", text, where, line)
    return Attribute(_unquoted(name[1]), KINDS.get(words[0].lower(), words[0]), (), line)


def _nominal(text: str, where: Where, line: int) -> tuple[str, ...]:
    values: dict[str, None] = {}
    position, delimiter = 1, ","
    while delimiter == ",":
        item = ITEM.match(text, position)
        if item is None:
            _refuse("expected values such as {a, 'b c'}", text[position:], where, line)
        values[_unquoted(item[1].rstrip())] = None
        position, delimiter = item.end(), item[2]
    _check_line_end(text, position, where, line)
    return tuple(values)


def _sparse(text: str, n_attributes: int, where: Where, line: int) -> Instance:
    instance: Instance = {}
    position, delimiter = 1, ","
    if text[1:].lstrip().startswith("}"):
        position, delimiter = text.index("}") + 1, "}"
    while delimiter == ",":
        entry = ENTRY.match(text, position)
        if entry is None:
            problem = "expected pairs of index and value such as {3 1, 7 2}"
            _refuse(problem, text[position:], where, line)
        index = int(entry[1])
        if index >= n_attributes or index in instance:
            problem = f"expected each index at most once, from 0 to {n_attributes - 1:,}"
            _refuse(problem, text[position:], where, line)
        instance[index] = _value(entry[2])
        position, delimiter = entry.end(), entry[3]
    _check_line_end(text, position, where, line)
    return instance


def _dense(text: str, n_attributes: int, where: Where, line: int) -> Instance:
    instance: Instance = {}
    position, more = 0, ","
    while more == ",":
        field = FIELD.match(text, position)
        if field is None:
            _refuse("expected a value, quoted if it contains commas", text[position:], where, line)
        instance[len(instance)] = _value(field[1].rstrip())
        position, more = field.end(), field[2]
    if len(instance) != n_attributes:
        problem = f"expected {n_attributes:,} values separated by commas, one per attribute"
        raise CorpusError(
            f"{problem}, but found {len(instance):,}: {shortened(text)}.", where=where, line=line
        )
    return instance


def _value(token: str) -> str | None:
    return None if token == "?" else _unquoted(token)


def _unquoted(token: str) -> str:
    if token[0] not in "'\"":
        return token
    return ESCAPE.sub(lambda match: ESCAPED.get(match[1], match[1]), token[1:-1])


def _check_line_end(text: str, position: int, where: Where, line: int) -> None:
    if LINE_END.fullmatch(text, position) is None:
        _refuse("expected nothing after }", text[position:], where, line)


def _refuse(expected: str, rest: str, where: Where, line: int) -> NoReturn:
    raise CorpusError(
        f"{expected}, but found {shortened(rest) if rest.strip() else 'the end of the line'}. "
        "Fix the line, or quote names and values that contain blanks, commas or braces.",
        where=where,
        line=line,
    )
