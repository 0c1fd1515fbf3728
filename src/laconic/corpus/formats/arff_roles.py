"""What the attributes of an ARFF file are for: labels, or the numbers of a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from laconic.corpus.formats.arff_syntax import NOMINAL, NUMERIC, Attribute, Instance
from laconic.corpus.formats.columns import clipped
from laconic.corpus.formats.guarding import Where
from laconic.corpus.formats.svmlight import canonical, finite
from laconic.errors import CorpusError


@dataclass(frozen=True)
class Labels:
    """The attributes that are labels: one with the class, or `several` that are 1 or 0 each."""

    where: Where
    attributes: Sequence[Attribute]
    columns: tuple[int, ...]
    several: bool

    def classes(self) -> list[str]:
        if self.several:
            names = {self.attributes[column].name for column in self.columns}
        else:
            names = set(self.attributes[self.columns[0]].values)
        return sorted(names - {""})

    def of(self, instance: Instance, line: int) -> list[str]:
        if not self.several:
            value = self._value(instance, self.columns[0], line)
            return [value] if value else []
        return [
            self.attributes[column].name
            for column in self.columns
            if self._is_one(instance, column, line)
        ]

    def _value(self, instance: Instance, column: int, line: int) -> str | None:
        attribute = self.attributes[column]
        value = instance.get(column, attribute.omitted)
        if value is None or value in attribute.values:
            return value
        if attribute.kind == NOMINAL:
            asked = f"one of the {len(attribute.values)} values of {attribute.name}"
            _refuse(asked, value, self.where, line)
        return canonical(value)

    def _is_one(self, instance: Instance, column: int, line: int) -> bool:
        value = self._value(instance, column, line)
        number = None if value is None else canonical(value)
        if number not in ("0", "1"):
            asked = f"0 or 1 for the label {self.attributes[column].name}"
            _refuse(asked, value, self.where, line)
        return number == "1"


class Numbers:
    """The attributes that are terms: numbers, or nominal ones whose values are numbers."""

    def __init__(self, where: Where, attributes: Sequence[Attribute], columns: list[int]) -> None:
        if not columns:
            raise CorpusError(
                "terms were expected, but every attribute is a label or an id. Declare numeric "
                "attributes, or one string attribute that holds the text.",
                where=where,
            )
        self.where, self.attributes = where, attributes
        self.place = {column: place for place, column in enumerate(columns)}
        self.spelled = {
            column: self._spelling(attributes[column])
            for column in columns
            if attributes[column].kind != NUMERIC
        }
        # mostly empty: {0,1} means 0 where it is omitted, but {1,0} means 1
        self.omitted = {
            column: value
            for column, spelling in self.spelled.items()
            if (value := spelling[attributes[column].values[0]])
        }

    def of(self, instance: Instance, line: int) -> tuple[list[int], list[float]]:
        indices, values = [], []
        for column, token in instance.items():
            place = self.place.get(column)
            if place is not None and (value := self._number(column, token, line)):
                indices.append(place)
                values.append(value)
        for column, value in self.omitted.items():
            if column not in instance:
                indices.append(self.place[column])
                values.append(value)
        return indices, values

    def _number(self, column: int, token: str | None, line: int) -> float:
        spelling = self.spelled.get(column)
        value = None
        if token is not None:
            value = finite(token) if spelling is None else spelling.get(token)
        if value is None:
            asked = "a finite number" if spelling is None else f"one of {', '.join(spelling)}"
            _refuse(f"{asked} for {self.attributes[column].name}", token, self.where, line)
        return value

    def _spelling(self, attribute: Attribute) -> dict[str, float]:
        spelling = {value: finite(value) for value in attribute.values}
        numbers = {value: number for value, number in spelling.items() if number is not None}
        if attribute.kind == NOMINAL and len(numbers) == len(spelling):
            return numbers
        raise CorpusError(
            f"terms are numbers, but the attribute {attribute.name} is {attribute.kind}"
            f"{' with values such as ' + clipped(attribute.values[0]) if spelling else ''}. "
            "Make it numeric, remove it, or name it as the label or the text.",
            where=self.where,
            line=attribute.line,
        )


def _refuse(asked: str, found: str | None, where: Where, line: int) -> NoReturn:
    if found is None:
        found, advice = "? (missing)", "Missing values are not supported: fill them in first."
    else:
        found, advice = clipped(found), "Mend the value, or the declaration of the attribute."
    raise CorpusError(f"{asked} was expected, but found {found}. {advice}", where=where, line=line)
