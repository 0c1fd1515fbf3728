"""Plans as TOML files: every mistake is named, and a written plan reads back equal."""

from __future__ import annotations

import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import tomli_w
from msgspec import to_builtins

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.options import NONE, Options, from_table, options_of
from laconic.studies.options import InMemory, Source
from laconic.studies.plan import Plan

CORPUS = "corpus"


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
    """The plan of a TOML text; errors name `where` it comes from."""
    try:
        tables = tomllib.loads(text)
        corpora = tables.pop(CORPUS, None)
        if corpora is None:
            raise LaconicError("no [corpus]: add one, with where = a file, folder or catalog name")
        sources = corpora if isinstance(corpora, list) else [corpora]
        return from_table(Plan, tables, "", corpora=tuple(map(_source, sources)))
    except tomllib.TOMLDecodeError as failure:
        raise LaconicError(f"{where}: is not TOML: {failure}") from None
    except LaconicError as failure:
        raise LaconicError(f"{where}: {failure}") from None


def _source(table: Any) -> Source | InMemory:
    if isinstance(table, dict) and "in_memory" in table:
        return from_table(InMemory, table, CORPUS)
    return from_table(Source, table, CORPUS)


def write_plan(plan: Plan) -> str:
    """TOML that `read_plan` reads back to an equal plan, but for corpora in memory.

    Every option that the rows depend on is written: a default may change.
    """
    parts = {f.name: getattr(plan, f.name) for f in fields(plan)}
    tables = {name: _table(part) for name, part in parts.items() if isinstance(part, Options)}
    return tomli_w.dumps(_table(plan) | {CORPUS: list(map(_corpus, plan.corpora))} | tables)


def _corpus(source: Source | InMemory | Corpus) -> dict[str, Any]:
    """Without options that have their default."""
    if isinstance(source, Corpus):
        source = InMemory(source.name, source.fingerprint)
    defaults = {option.name: option.default for option in options_of(type(source))}
    return {n: v for n, v in _table(source).items() if getattr(source, n) != defaults[n]}


def _table(options: Options) -> dict[str, Any]:
    values: dict[str, Any] = to_builtins(options.values())
    return {name: NONE if value is None else value for name, value in values.items()}
