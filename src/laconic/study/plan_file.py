"""Plans as TOML files: read with every mistake named, written so that they read back the same."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.study.plan import Plan
from laconic.study.settings import Source, SplitOptions, TextOptions, TrainingOptions

T = TypeVar("T")
TABLES: dict[str, type] = {
    "corpus": Source,
    "split": SplitOptions,
    "text": TextOptions,
    "training": TrainingOptions,
}
# What TOML has no word for.
NONE = "none"


def read_plan(where: Path) -> Plan:
    """The plan of a TOML file."""
    try:
        text = where.read_text(encoding="utf-8")
    except OSError as failure:
        raise LaconicError(f"{where}: cannot be read ({failure.strerror})") from None
    except UnicodeDecodeError:
        raise LaconicError(f"{where}: is not UTF-8 text, as TOML must be") from None
    return parse_plan(text, str(where))


def parse_plan(text: str, where: str = "plan") -> Plan:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as failure:
        raise LaconicError(f"{where}: is no TOML: {failure}") from None
    try:
        return _plan(given)
    except LaconicError as failure:
        raise LaconicError(f"{where}: {failure}") from None


def _plan(given: dict[str, Any]) -> Plan:
    tables = {name: given.pop(name) for name in TABLES if name in given}
    if "corpus" not in tables:
        raise LaconicError("no [corpus]: add one, with where = a file, a folder or a known name")
    sources = tables.pop("corpus")
    several = sources if isinstance(sources, list) else [sources]
    top = _settings(Plan, given, "the plan", reserved=("corpora", *TABLES))
    for name, table in tables.items():
        top[name] = _table(TABLES[name], table, name)
    return Plan(corpora=tuple(_table(Source, one, "corpus") for one in several), **top)


def _table(kind: type[T], table: Any, name: str) -> T:
    if not isinstance(table, dict):
        raise LaconicError(f"{name} = {table!r}: write a table, [{name}], with settings below it")
    settings = _settings(kind, table, f"[{name}]")
    lacking = [f.name for f in fields(kind) if _needed(f) and f.name not in settings]  # type: ignore[arg-type]
    if lacking:
        raise LaconicError(f"[{name}] lacks {', '.join(lacking)}")
    return kind(**settings)


def _needed(setting: Field[Any]) -> bool:
    return setting.default is MISSING and setting.default_factory is MISSING


def _settings(
    kind: type, table: dict[str, Any], place: str, reserved: tuple[str, ...] = ()
) -> dict[str, Any]:
    known = {f.name: f for f in fields(kind) if f.name not in reserved}
    for name in table:
        if name not in known:
            near = get_close_matches(name, [*known, *(reserved and TABLES)], n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise LaconicError(f"{place} has no setting {name!r}: {hint}")
    return {name: _value(known[name], value, place) for name, value in table.items()}


def _value(setting: Field[Any], value: Any, place: str) -> Any:
    """A value of the setting's type, as its annotation names it."""
    wanted = str(setting.type)
    if value == NONE and "None" in wanted:
        return None
    if "tuple" in wanted:
        items = [value] if isinstance(value, str) else value
        if isinstance(items, list):
            return tuple(items)
    for kind, name in ((bool, "bool"), (int, "int"), (float, "float"), (str, "str")):
        if name in wanted and isinstance(value, kind) and not _is_disguised(value, kind):
            return value
    if "float" in wanted and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if "Literal" in wanted or wanted in ("TargetKind", "Normalize"):
        return value
    if "Mapping" in wanted and isinstance(value, dict):
        return value
    raise LaconicError(f"{place}: {setting.name} = {value!r} is not a value of that setting")


def _is_disguised(value: Any, kind: type) -> bool:
    """True is an int in Python, but not in a plan."""
    return isinstance(value, bool) and kind is not bool


def write_plan(plan: Plan) -> str:
    """TOML that `read_plan` reads back to an equal plan.

    A corpus that was given in memory is named, with its hash; it cannot be read back.
    """
    lines = [f"{f.name} = {_toml(getattr(plan, f.name))}" for f in fields(Plan) if _plain(f.name)]
    for source in plan.corpora:
        lines += ["", "[[corpus]]", *_lines(source)]
    for name in ("split", "text", "training"):
        lines += ["", f"[{name}]", *_lines(getattr(plan, name))]
    return "\n".join(lines) + "\n"


def _plain(name: str) -> bool:
    return name not in TABLES and name != "corpora"


def _lines(table: Any) -> list[str]:
    if isinstance(table, Corpus):
        return [f"# in memory: {json.dumps(table.name)}, {table.fingerprint}"]
    given = {f.name: getattr(table, f.name) for f in fields(table)}
    usual = {f.name: f.default for f in fields(table)}
    # of what is measured everything is said: a default of today may be another tomorrow
    short = isinstance(table, Source)
    return [
        f"{name} = {_toml(value)}"
        for name, value in given.items()
        if not short or value != usual[name]
    ]


def _toml(value: Any) -> str:
    if value is None:
        return json.dumps(NONE)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's too, but for a pair of surrogates and DEL
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value)
