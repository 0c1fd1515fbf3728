"""Weka's ARFF, sparse or dense; multi-label with Mulan's XML beside it, MEKA's `-C`, or `--label`s.

**A sparse instance gives an attribute that it omits its first value**, and so for the class: a
document that names no class belongs to the first class.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from laconic.corpus.builder import CorpusBuilder
from laconic.corpus.corpus import Corpus
from laconic.corpus.formats.arff_roles import Labels, Numbers
from laconic.corpus.formats.arff_syntax import (
    NOMINAL,
    STRING,
    Attribute,
    Instance,
    read_header,
    read_instances,
)
from laconic.corpus.formats.columns import beside, distinct, stem
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.mulan import mulan_labels
from laconic.corpus.formats.opening import lines
from laconic.corpus.options import ReadOptions
from laconic.errors import CorpusError

MEKA = re.compile(r"-C\s+(-?[0-9]{1,6})\b")
PART = re.compile(r"[-_](train|test)$")
# A sparse line may omit a value that is not 0. Lines times attributes can be many more values than
# the file has bytes.
MOST_FILLED_IN = 1 << 22


def read_arff(where: Where, reading: ReadOptions) -> Corpus:
    """Numbers become vectors; one string attribute (or the one named by `text`) becomes texts."""
    gathering = CorpusBuilder(where, reading, multilabel=False)
    return arff_corpus(gathering, lines(where, reading, notes=gathering.notes))


def arff_corpus(gathering: CorpusBuilder, numbered: Iterator[tuple[int, str]]) -> Corpus:
    """The same of numbered lines."""
    where, reading = gathering.where, gathering.reading
    relation, attributes = read_header(numbered, where)
    labels = Labels(where, attributes, *_label_columns(relation, attributes, where, reading))
    gathering.multilabel = labels.several
    name = None if reading.id is None else _column(reading.id, attributes, where)
    taken = {*labels.columns, name}
    others = [i for i in range(len(attributes)) if i not in taken]
    text = _text_column(attributes, others, where, reading)
    numbers = None if text is not None else Numbers(where, attributes, others)
    filled_in = 0
    for line, instance in read_instances(numbered, len(attributes), where):
        found = labels.of(instance, line)
        indices, values = ([], []) if numbers is None else numbers.of(instance, line)
        filled_in += max(0, len(found) + len(indices) - len(instance))
        _refuse_filled_in(filled_in, where, line)
        id = None if name is None else _stated(instance, attributes, name, where, line)
        if numbers is not None:
            gathering.add_vector(indices, values, found, id=id, line=line)
        elif text is not None:
            document = _stated(instance, attributes, text, where, line)
            gathering.add_text(document, found, id=id, line=line)
    vocabulary = None if numbers is None else distinct(attributes[i].name for i in others)
    return gathering.corpus(stem(where), vocabulary=vocabulary, classes=labels.classes())


def _label_columns(
    relation: str, attributes: Sequence[Attribute], where: Where, reading: ReadOptions
) -> tuple[tuple[int, ...], bool]:
    """The columns of labels, and whether each is a label (several) rather than a class (one)."""
    listed = _mulan_list(where, reading)
    if reading.label or listed:
        names = reading.label or listed
        places = {attribute.name: i for i, attribute in reversed([*enumerate(attributes)])}
        columns = tuple(
            places[name] if name in places else _column(name, attributes, where)
            for name in dict.fromkeys(names)
        )
        return columns, len(columns) > 1 or not reading.label
    meka = MEKA.search(relation)
    count = 0 if meka is None else int(meka[1])
    if 0 < abs(count) < len(attributes):
        every = range(len(attributes))
        return tuple(every[:count] if count > 0 else every[count:]), True
    return (_class_column(attributes, where),), False


def _mulan_list(where: Where, reading: ReadOptions) -> list[str]:
    for name in (stem(where), PART.sub("", stem(where))):
        file = beside(where, f"{name}.xml")
        if file is not None:
            return mulan_labels(file, reading)
    return []


def _class_column(attributes: Sequence[Attribute], where: Where) -> int:
    nominal = [i for i, attribute in enumerate(attributes) if attribute.kind == NOMINAL]
    if nominal and (len(nominal) == 1 or nominal[-1] == len(attributes) - 1):
        return nominal[-1]
    raise CorpusError(
        "a class was expected: the last attribute, or the only nominal one. "
        f"There are {len(attributes):,} attributes, {len(nominal):,} of them nominal. "
        "Name the class with --label.",
        where=where,
    )


def _column(name: str, attributes: Sequence[Attribute], where: Where) -> int:
    for column, attribute in enumerate(attributes):
        if attribute.name == name:
            return column
    shown = ", ".join(attribute.name for attribute in attributes[-3:])
    raise CorpusError(
        f"the attribute {name!r} was asked for, but is not declared. There are "
        f"{len(attributes):,}, the last of them {shown}. Names are compared letter by letter.",
        where=where,
    )


def _refuse_filled_in(count: int, where: Where, line: int) -> None:
    if count > MOST_FILLED_IN:
        raise CorpusError(
            f"more than {MOST_FILLED_IN:,} values that the lines omit are not 0, because the "
            "first value of their attributes is not 0. Declare the values with 0 first, as in "
            "{0, 1}, or write the lines in full.",
            where=where,
            line=line,
        )


def _text_column(
    attributes: Sequence[Attribute], others: Sequence[int], where: Where, reading: ReadOptions
) -> int | None:
    if reading.text is not None:
        return _column(reading.text, attributes, where)
    strings = [column for column in others if attributes[column].kind == STRING]
    return strings[0] if strings and len(others) == 1 else None


def _stated(
    instance: Instance, attributes: Sequence[Attribute], column: int, where: Where, line: int
) -> str:
    value = instance.get(column)
    if value is not None:
        return value
    raise CorpusError(
        f"a value of {attributes[column].name} was expected, because it is the text or the id, but "
        "it is missing. Fill it in.",
        where=where,
        line=line,
    )
