"""One word for a thing (DESIGN section 2): the old words are gone, and nothing has two homes.

Identifiers are read from the syntax tree of `src`; prose is every string, docstring and comment of
`src`, the page's templates, and the documents. Each exception has its reason.

"columns" of a matrix, "terms" of a selection and "words" in prose are used for these things only.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import laconic

ROOT = Path(__file__).parents[2]
SOURCES = sorted(file for top in ("src", "reproduction") for file in (ROOT / top).rglob("*.py"))
PAGES = sorted((ROOT / "src/laconic/report/templates").glob("*.*"))
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.*")),
]

# Names of variables, attributes, parameters, functions and classes: the old word and the new one.
IDENTIFIERS = {
    r"asked|n_asked": "size",
    r"measures?": "metric",
    r"goals?": "metric",
    r"seeds?": "random_state, draw",
    r"lambdas?_?|l2": "alpha",
    r"n?_?kept_?|KEPT": "size, n_features, selected",
    r"n_terms_used|terms_[ab]": "n_features",
    r"closed|is_closed": "self_contained",
    r"honest\w*": "nested, validated",
    r"looks": "n_test_evaluations",
    r"undecodable": "encoding_errors",
    r"signs": "y_signed",
    r"Ready|Counted": "PreparedCorpus, CountedCorpus",
    r"Gathering|Reading|gathering": "CorpusBuilder, ReadOptions",
    r"told|one|own|found": "a noun of the field",
}
# Where an old word has another meaning.
OTHER_MEANINGS = {
    r"n?_?kept_?|KEPT": {
        "src/laconic/certificate/behind.py": "a promise is kept",
        "src/laconic/certificate/span_parts.py": "a promise is kept",
    },
}

PROSE = {
    r"\b[A-Z][A-Z0-9-]*\[[a-z_]+=": "NAME:key=value+classifier",
    r"\bthen=|\blambda=\d": "+classifier:alpha=…",
    r"micro-f1|macro-f1|pooled-auc|best-f1": "scikit-learn's names of metrics",
    r'norm="(kept|document)"|\bnorm (kept|document)\b': 'normalize="selected" or "all"',
    r"\bclosed models?\b": "self-contained",
    r"\bhonest": "nested, validated",
    r"--(seeds?|measures?|goal|task|undecodable|norm|folds|splits|test-share)\b(?!-)": "DESIGN 2",
    r"\bper-category\b": "one-vs-rest",
    r"\bset aside\b": "held out",
    r"\basked once\b": "evaluated once",
    r"\bmicro-F1 measure\b|\bthe measure\b|\bgoal\b": "metric",
    r"\banew\b": "again, retrain",
    r"\bto be had\b": "available",
    r"\bmend(s|ed|ing)?\b": "fix, invalid input",
    r"\btold\b": "described, reported",
    r"\bone's own\b": "your own, custom",
    r"\bby chance\b": "at random",
    r"\b(label|word|row|model|value|fold|class|document|line|number|column|size|path|SVM)s? an? "
    r"(document|class|size|fold|problem|method|task|second|line|column|row|split|label)\b(?! of)": (
        "per"
    ),
}
# λ is a letter of the papers and of proofs. Where it is used, the file also has our name for it.
LETTER, TRANSLATIONS = "λ", re.compile(r"`?(alpha|l1|ridge)\b|reg\b")


@cache
def identifiers(file: Path) -> tuple[tuple[str, int], ...]:
    return tuple(_identifiers(ast.parse(file.read_text(encoding="utf-8"))))


def _identifiers(tree: ast.AST) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.keyword(arg=str(name)):
                yield name, node.value.lineno
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno


@cache
def prose(file: Path) -> tuple[tuple[str, int], ...]:
    return tuple(_prose(file))


def _prose(file: Path) -> Iterator[tuple[str, int]]:
    """The lines of strings and comments of a Python file; all lines of others."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        yield from ((line, number) for number, line in enumerate(text.splitlines(), 1))
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            lines = token.string.splitlines()
            yield from ((line, token.start[0] + number) for number, line in enumerate(lines))


def place(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("old", IDENTIFIERS)
def test_no_identifier_is_an_old_word(old):
    allowed = OTHER_MEANINGS.get(old, {})
    left = [
        f"{place(file)}:{line}: {name}"
        for file in SOURCES
        if place(file) not in allowed
        for name, line in identifiers(file)
        if re.fullmatch(old, name)
    ]
    assert not left, f"use {IDENTIFIERS[old]}: {left}"


@pytest.mark.parametrize("old", PROSE)
def test_no_text_has_an_old_word(old):
    pattern = re.compile(old)
    left = [
        f"{place(file)}:{number}: {line.strip()[:90]}"
        for file in (*SOURCES, *PAGES, *DOCUMENTS)
        for line, number in prose(file)
        if pattern.search(line)
    ]
    assert not left, f"use {PROSE[old]}: {left}"


def test_an_exception_still_has_its_use():
    for old, places in OTHER_MEANINGS.items():
        for name in places:
            used = identifiers(ROOT / name)
            assert any(re.fullmatch(old, identifier) for identifier, _ in used), (old, name)


def test_a_letter_of_the_papers_is_translated_where_it_is_used():
    for file in (*SOURCES, *PAGES, *DOCUMENTS):
        text = file.read_text(encoding="utf-8")
        assert LETTER not in text or TRANSLATIONS.search(text), place(file)


def test_no_model_or_row_counts_terms():
    """`n_terms` is a dimension of a matrix; what a model has are `n_features`."""
    counted = [
        f"{place(file)}:{node.lineno}"
        for file in SOURCES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("n_terms", "n_words_in")
    ]
    assert not counted


def homes() -> dict[str, list[str]]:
    """Where each public class, alias and function is defined, at the top of a module."""
    places = defaultdict(list)
    for file in SOURCES:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            match node:
                case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                    places[name].append(place(file))
                case (
                    ast.Assign(targets=[ast.Name(id=name)])
                    | ast.AnnAssign(target=ast.Name(id=name))
                ):
                    places[name].append(place(file))
    return places


def test_every_class_and_public_name_has_one_home():
    defined = homes()
    classes = [name for name in defined if name[0].isupper() and not name.isupper()]
    # a command of the command line has the name of what it does in Python
    commands = {"src/laconic/cli/"}
    shared = {
        name: places
        for name in {*classes, *laconic.__all__}
        if len(places := [p for p in defined[name] if not any(map(p.startswith, commands))]) > 1
    }
    assert not shared, shared
