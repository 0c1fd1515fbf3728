"""Options are declared once, as fields of a dataclass.

Signatures of Python functions and estimators with their documentation, options of the command
line, tables of a plan and headers of model files are all made from the declaration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, make_dataclass, replace
from difflib import get_close_matches
from functools import cache, reduce
from operator import or_
from os import PathLike, fspath
from textwrap import fill, indent
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from laconic.errors import LaconicError

T = TypeVar("T")
# TOML has no null.
NONE = "none"
NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


@dataclass(frozen=True)
class Option:
    """One option.

    Parameters
    ----------
    help : what it does, for the command line and for docstrings
    minimum, maximum : of a number
    flag : on the command line; by default made from the name
    parse : makes a value from text of the command line, where the type does not say how
    default_text : the default in words, where its value does not show it
    expected : the valid values in words, for error messages; by default made from the type
    """

    name: str
    type: Any
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    flag: str | None = None
    parse: Callable[[str], Any] | None = None
    default_text: str | None = None
    expected: str | None = None

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types of the union, or the one type; without None."""
        union = get_origin(self.type) in (Union, UnionType)
        kinds = get_args(self.type) if union else (self.type,)
        return tuple(kind for kind in kinds if kind is not NoneType)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words of a `Literal`."""
        literals = (kind for kind in self.kinds if get_origin(kind) is Literal)
        return tuple(word for kind in literals for word in get_args(kind))

    def with_default(self, default: Any) -> Option:
        """The same with another default, one that is not None."""
        return replace(self, default=default, default_text=None, type=reduce(or_, self.kinds))

    @property
    def optional(self) -> bool:
        return NoneType in get_args(self.type)

    def checked(self, value: Any) -> Any:
        """The value in the option's type, or an error that says what is expected.

        Numbers and arrays of numpy, lists and paths are accepted; a text is a tuple of one.
        """
        import msgspec

        plain = _plain(value)
        if isinstance(plain, str) and get_origin(self.type) is tuple:
            plain = (plain,)
        try:
            converted = msgspec.convert(plain, self.type)
        except msgspec.ValidationError:
            raise self.error(value) from None
        for limit, sign in ((self.minimum, 1), (self.maximum, -1)):
            if limit is not None and converted is not None and not sign * (converted - limit) >= 0:
                raise self.error(value)
        return converted

    def parsed(self, text: str) -> Any:
        """The value that text of the command line stands for."""
        if text == NONE == self.default_text:
            return None
        try:
            if self.parse is not None:
                return self.parse(text)
            if text in self.choices or not {int, float} & set(self.kinds):
                return text
            return None if text == NONE and self.optional else number(text)
        except LaconicError:
            raise
        except ValueError:
            raise self.error(text) from None

    def error(self, value: Any) -> LaconicError:
        return LaconicError(f"{self.name}={_short(repr(value))}: {self.remedy()}")

    def remedy(self) -> str:
        if self.expected is not None:
            return f"give {self.expected}"
        if self.choices:
            return f"choose from {', '.join(self.choices)}" + ", none" * self.optional
        limits = "" if self.minimum is None else f" of at least {self.minimum}"
        if self.maximum is not None:
            limits = f" from {self.minimum} to {self.maximum}"
        return f"give {' or '.join(map(_named, self.kinds))}{limits}" + " or none" * self.optional


def number(text: str) -> int | float:
    return int(text) if text.strip("+-").isdecimal() else float(text)


def parse_bytes(text: str) -> int:
    """A number of bytes with a unit: 500MB, 2GB."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(kB|MB|GB|TB)", text.strip(), re.IGNORECASE)
    if match is None or float(match[1]) == 0:
        raise LaconicError(f"{text!r}: give a number of bytes with its unit, such as 500MB or 2GB")
    return int(float(match[1]) * 1000 ** (1 + "kmgt".index(match[2][0].lower())))


def option(default: Any, help: str, **about: Any) -> Any:
    """A field of a dataclass that is an `Option`."""
    return field(default=default, metadata={"option": {"help": help, **about}})


def options_of(kind: Any) -> tuple[Option, ...]:
    """The options that a dataclass declares, in order."""
    return _declared(kind)


@cache
def _declared(kind: Any) -> tuple[Option, ...]:
    hints = get_type_hints(kind)
    return tuple(
        Option(f.name, hints[f.name], f.default, **f.metadata["option"])
        for f in fields(kind)
        if "option" in f.metadata
    )


@dataclass(frozen=True)
class Options:
    """A dataclass of options, each of which is checked when the object is made."""

    def __post_init__(self) -> None:
        for option in options_of(type(self)):
            object.__setattr__(self, option.name, option.checked(getattr(self, option.name)))

    def values(self) -> dict[str, Any]:
        """The options by name."""
        return {option.name: getattr(self, option.name) for option in options_of(type(self))}

    def refuse(self, name: str) -> LaconicError:
        """The error for an option whose value is not valid."""
        (option,) = (option for option in options_of(type(self)) if option.name == name)
        return option.error(getattr(self, name))


def from_attributes(kind: type[T], source: Any) -> T:
    """The options that an object, such as an estimator, has as attributes."""
    return kind(**{option.name: getattr(source, option.name) for option in options_of(kind)})


def from_table(kind: type[T], table: Any, place: str, **more: Any) -> T:
    """The dataclass that a table of TOML describes, with the tables inside it.

    `more` are fields that are not in the table.
    """
    if not isinstance(table, dict):
        raise LaconicError(f"{place} = {table!r}: write a table, [{place}], with options below it")
    title = f"[{place}]" if place else "the plan"
    options = {option.name: option for option in options_of(kind)}
    tables: dict[str, Any] = {
        f.name: f.default_factory
        for f in fields(kind)  # type: ignore[arg-type]  # a dataclass
        if isinstance(f.default_factory, type) and issubclass(f.default_factory, Options)
    }
    values = dict(more)
    for name, value in table.items():
        if name in tables:
            values[name] = from_table(tables[name], value, name)
        elif name in options:
            values[name] = None if value == NONE and options[name].optional else value
        else:
            raise LaconicError(f"{title} has no option {name!r}: {near(name, options | tables)}")
    required = [option.name for option in options.values() if option.default is MISSING]
    if missing := [name for name in required if name not in values]:
        raise LaconicError(f"{title} lacks {', '.join(missing)}")
    return kind(**values)


def near(name: str, names: Mapping[str, Any]) -> str:
    """The name that was probably meant, else all names."""
    matches = get_close_matches(name, names, n=1)
    return f"did you mean {matches[0]}?" if matches else f"there are {', '.join(names)}"


def init_from(*kinds: type, positional: int = 0, **defaults: Any) -> Callable[[type[T]], type[T]]:
    """Gives an estimator an `__init__` that takes and assigns the options, and documents them.

    `defaults` are those that differ; the first `positional` options need not be named.
    """

    def decorate(estimator: type[T]) -> type[T]:
        options = _all_options(kinds, defaults)
        rows = [
            (option.name, option.type, field(default=option.default, kw_only=place >= positional))
            for place, option in enumerate(options)
        ]
        # the class is made only for its __init__, which assigns the options
        init = make_dataclass(estimator.__name__, rows).__init__  # type: ignore[misc]
        init.__module__ = estimator.__module__
        estimator.__init__ = init  # type: ignore[method-assign]
        estimator.__doc__ = _documented(estimator.__doc__, options)
        return estimator

    return decorate


def signature_from(*kinds: type) -> Callable[[T], T]:
    """Gives a function with `**options` the signature and the documentation of the options."""

    def decorate(function: T) -> T:
        options = _all_options(kinds, {})
        # T is a function, with its own type before and after
        signature = inspect.signature(function)  # type: ignore[arg-type]
        named = inspect.Parameter.KEYWORD_ONLY
        added = [
            inspect.Parameter(o.name, named, default=o.default, annotation=o.type) for o in options
        ]
        existing = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        parameters = sorted([*added, *existing], key=lambda parameter: parameter.kind)
        function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        function.__doc__ = _documented(function.__doc__, options)
        return function

    return decorate


def _all_options(kinds: tuple[type, ...], defaults: Mapping[str, Any]) -> list[Option]:
    options = (option for kind in kinds for option in options_of(kind))
    return [o.with_default(defaults[o.name]) if o.name in defaults else o for o in options]


def _documented(text: str | None, options: list[Option]) -> str | None:
    """The docstring with the options in place of its line `{options}`."""
    if text is None:
        return None
    (line,) = (line for line in text.splitlines() if line.strip() == "{options}")
    margin = line[: line.index("{")]
    return text.replace(line, indent("\n".join(map(_paragraph, options)), margin))


def _paragraph(option: Option) -> str:
    """An option as numpydoc has it."""
    shown = option.default_text if not option.default else None
    help = option.help + (f" By default {shown}." if shown else "")
    text = fill(help, 92, initial_indent="    ", subsequent_indent="    ")
    kind = inspect.formatannotation(option.type)
    return f"{option.name} : {kind}, default={option.default!r}\n{text}"


def _named(kind: Any) -> str:
    if get_origin(kind) is tuple:
        items = get_args(kind)
        number = "" if Ellipsis in items else f"{len(items)} "
        return f"a list of {number}{NAMES.get(items[0], 'number').removeprefix('a ')}s"
    return NAMES.get(kind, "a table")


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99]}…"


def _plain(value: Any) -> Any:
    """Without numpy and paths."""
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value
