"""`pydocs`: the embedded corpus, made of the documentation that the installation already contains.

A document is the docstring of a public function, class, method or property; its label is the
sub-package that defines it. The rules, in the order in which they apply:

1.  *Walk.* numpy, scipy and scikit-learn are imported: the main name space and every sub-package
    that the package names in `__all__`. The standard library is read as source and never imported,
    so nothing of it can print, open a window or be missing from a build. An object belongs to the
    sub-package of its `__module__`, else to the first that exports it, and is met once. The scalar
    types of numpy are left out: they differ from machine to machine.
2.  *Prose.* Out go doctests, signatures, headings, "See Also", directives (except notes and
    warnings), formulas, import lines, addresses, and the names of the three packages.
3.  *Boilerplate.* A paragraph that `COMMON` documents or more contain (but for the name of the
    object that they describe) is taken out of all of them.
4.  *Length.* A document has at least `MIN_WORDS` words (before rule 7).
5.  *Duplicates.* A document whose three-word sequences overlap by `SIMILAR` or more (Jaccard) with
    those of an earlier one is dropped, under whichever label. The order is numpy, scipy, sklearn,
    standard library (a copy belongs to the package it was copied from); within a package the
    alphabet, but the names of a sub-package come before those of its modules.
6.  *Classes.* Labels with at least `MIN_DOCS` documents. Of a larger class, the `MAX_DOCS` with the
    smallest hash of their names stay.
7.  *Names.* The names of the classes (`stats`, `linear_model`) are taken out of every text.
"""

from __future__ import annotations

import ast
import gzip
import inspect
import json
import os
import pkgutil
import re
import sys
import sysconfig
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from laconic.corpus.corpus import TEST, TRAIN, Corpus
from laconic.errors import CorpusError

COMMON = 4
MIN_WORDS = 15
SIMILAR = 0.5
MIN_DOCS = 60
MAX_DOCS = 300
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
ALIASES = ("np", "sp", "scikit-learn", "scikit")
# A deprecated name of numpy itself, tools for developers, and what is only there once it has been
# enabled: the corpus must not depend on what the process has imported before.
NOT_WALKED = (
    *("numpy.core", "numpy.f2py", "numpy.testing"),
    "sklearn.impute.IterativeImputer",
    "sklearn.model_selection.HalvingGridSearchCV",
    "sklearn.model_selection.HalvingRandomSearchCV",
)
# Linux distributions install these apart from Python: the corpus must not depend on it.
OPTIONAL = frozenset(
    {"distutils", "ensurepip", "idlelib", "lib2to3", "tkinter", "turtle", "turtledemo", "venv"}
    | {"test", "tests"}
)

Progress = Callable[[int, int], None]


class Document(NamedTuple):
    """A docstring (later: what is left of it) with its public name and its label."""

    name: str
    label: str
    text: str


def build_pydocs(
    cache: Path | Literal["user"] | None = "user", progress: Progress | None = None
) -> Corpus:
    """The embedded corpus: a few thousand docstrings, each labelled with its sub-package.

    Depends on the versions of Python, numpy, scipy and scikit-learn, and on nothing else.

    Parameters
    ----------
    cache : Path, "user" or None
        The directory that keeps the corpus; "user" is `cache_directory()`, None keeps nothing.
    progress : callable, optional
        Called with (done, total) after each sub-package; never, if the corpus was in the cache.
    """
    where = _cache_file(cache)
    cached = None if where is None else _load(where)
    if cached is not None:
        return cached
    if sys.flags.optimize > 1:
        raise CorpusError(
            "pydocs was asked for, but python -OO removes the docstrings it is made of. "
            "Run Python without -OO."
        )
    corpus = _corpus(_select(_walk(progress)))
    if where is not None:
        _store(corpus, where)
    return corpus


def cache_directory() -> Path:
    """`LACONIC_CACHE`, else `laconic` in `XDG_CACHE_HOME`, else `~/.cache/laconic`."""
    own = os.environ.get("LACONIC_CACHE")
    if own:
        return Path(own)
    shared = os.environ.get("XDG_CACHE_HOME")
    # The XDG specification: a relative path is to be ignored.
    if shared and Path(shared).is_absolute():
        return Path(shared) / "laconic"
    return Path.home() / ".cache" / "laconic"


# ------------------------------------------------------------------------------------- 1. walk


def _walk(progress: Progress | None) -> list[Document]:
    """All docstrings, distinct names, in the order of rule 5."""
    found: dict[str, Document] = {}
    met: dict[int, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = [label for package in PACKAGES for label in _sub_packages(package)]
        files = _stdlib_files()
        walks = [_from_module(import_module(label), label, met) for label in modules]
        walks += [_from_sources(label, sources) for label, sources in files.items()]
        for done, documents in enumerate(walks, 1):
            for document in documents:
                found.setdefault(document.name, document)
            if progress is not None:
                progress(done, len(walks))
    return list(found.values())


def _sub_packages(package: str) -> list[str]:
    """The package and its public sub-packages; names that lead elsewhere are not among them."""
    root = import_module(package)
    members = {f"{package}.{name}": getattr(root, name) for name in _public(root)}
    modules = [n for n, m in members.items() if isinstance(m, ModuleType) and m.__name__ == n]
    return [package, *(name for name in modules if name not in NOT_WALKED)]


def _public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or dir(module)
    return sorted({name for name in names if not name.startswith("_")})


def _from_module(module: ModuleType, label: str, met: dict[int, object]) -> Iterator[Document]:
    """The docstrings of a module and of its classes; then, in a sub-package, of its modules."""
    names = [f"{module.__name__}.{name}" for name in _public(module)]
    members = {n: _read(module, n.rpartition(".")[2]) for n in names if n not in NOT_WALKED}
    for name, thing in members.items():
        if not isinstance(thing, ModuleType):
            yield from _from_object(thing, name, label, met)
    # The main name space names the sub-packages; without `__all__`, whatever has been imported.
    if "." in label and hasattr(module, "__all__"):
        for name, thing in members.items():
            if isinstance(thing, ModuleType) and thing.__name__ == name:
                yield from _from_module(thing, label, met)


def _read(module: ModuleType, name: str) -> object:
    """The member of a module, or None: deprecated names may refuse."""
    try:
        return getattr(module, name)
    except (AttributeError, ImportError):
        return None


def _from_object(
    thing: object, path: str, label: str, met: dict[int, object]
) -> Iterator[Document]:
    if id(thing) in met or _home(thing, label) != label or _depends_on_platform(thing):
        return
    # The value keeps the object alive, so that no other gets its id.
    met[id(thing)] = thing
    text = vars(thing).get("__doc__") if isinstance(thing, type) else _own_doc(thing)
    if isinstance(text, str):
        yield Document(path, label, text)
    if isinstance(thing, type):
        for name, member in _members(thing, label):
            yield from _from_object(member, f"{path}.{name}", label, met)


def _depends_on_platform(thing: object) -> bool:
    """Whether it is a scalar type of numpy: which there are, the machine decides."""
    return isinstance(thing, type) and issubclass(thing, np.generic)


def _own_doc(thing: object) -> str | None:
    text = getattr(thing, "__doc__", None)
    return text if isinstance(text, str) and text != type(thing).__doc__ else None


def _members(cls: type, label: str) -> list[tuple[str, object]]:
    """Public members, also those of the bases (often private) that the same sub-package defines."""
    bases = [base for base in reversed(cls.__mro__) if _home(base, label) == label]
    members = {name: member for base in bases for name, member in vars(base).items()}
    return sorted((name, member) for name, member in members.items() if not name.startswith("_"))


def _home(thing: object, default: str) -> str:
    """The sub-package that defines an object."""
    if isinstance(thing, property | cached_property):
        thing = thing.fget if isinstance(thing, property) else thing.func
    module = getattr(thing, "__module__", None)
    return ".".join(module.split(".")[:2]) if isinstance(module, str) else default


def _stdlib_files() -> dict[str, list[Path]]:
    """The source files of each public module of the standard library."""
    root = Path(sysconfig.get_path("stdlib"))
    files = {}
    for name in sorted(sys.stdlib_module_names - OPTIONAL):
        if not name.startswith("_"):
            sources = [root / f"{name}.py", *sorted((root / name).rglob("*.py"))]
            files[name] = [source for source in sources if source.is_file()]
    return files


def _from_sources(label: str, sources: Iterable[Path]) -> Iterator[Document]:
    root = Path(sysconfig.get_path("stdlib"))
    for source in sources:
        parts = source.relative_to(root).with_suffix("").parts
        path = ".".join(part for part in parts if part != "__init__")
        if "._" not in path and OPTIONAL.isdisjoint(parts):
            yield from _from_tree(ast.parse(source.read_bytes()), path, label)


def _from_tree(tree: ast.Module | ast.ClassDef, path: str, label: str) -> Iterator[Document]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_"):
            continue
        text = ast.get_docstring(node)
        if text is not None:
            yield Document(f"{path}.{node.name}", label, text)
        if isinstance(node, ast.ClassDef):
            yield from _from_tree(node, f"{path}.{node.name}", label)


# ------------------------------------------------------------------------------------ 2. prose

_UNDERLINE = re.compile(r"[-=~^]{3,}\s*")
_DIRECTIVE = re.compile(r"\.\. +(?!(?:note|warning|tip|important)::)[\w-]+::")
_IMPORT = re.compile(r"(?:from [\w.]+ )?import \w")
_REMOVED = (
    r":math:`[^`]*`",
    r"\$[^$\n]*\$",
    r"(?:https?|ftp)://\S+",
    r"\bdoi:\s*\S+",
    r"\bat 0x[0-9a-fA-F]+",
    r"\s<[^<>`\n]*>(?=`)",
    r":[a-z]+(?::[a-z]+)?:(?=`)",
    r"\.\. (?:note|warning|tip|important)::",
    r"\.\. (?=\[)",
    r"[`*~]",
)
_MARKUP = re.compile("|".join(_REMOVED))


def _paragraphs(document: Document) -> dict[str, str]:
    """The paragraphs of prose, by their words other than the name of the object."""
    name = document.name.rpartition(".")[2]
    lines = inspect.cleandoc(document.text).splitlines()
    prose = "\n".join(_outside_code(_outside_directives(_outside_headings(lines))))
    prose = _without(_MARKUP.sub("", prose), (*PACKAGES, *ALIASES))
    parts = [part for part in re.split(r"\n{2,}", prose) if not part.startswith(f"{name}(")]
    own = re.compile(rf"\b{re.escape(name)}\b")
    return {" ".join(_words(own.sub("", part))): part for part in parts}


def _outside_headings(lines: Sequence[str]) -> Iterator[str]:
    """The lines that are no heading and not in the section "See Also"."""
    section = ""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if _UNDERLINE.fullmatch(following.strip()):
            section = line.strip().lower()
            yield ""
        elif section != "see also" and not _UNDERLINE.fullmatch(line.strip()):
            yield line


def _outside_directives(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are no directive and not indented below one."""
    within: int | None = None
    for line in lines:
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if within is not None and bare and indent <= within:
            within = None
        if within is None and _DIRECTIVE.match(bare):
            within = indent
        yield line if within is None else ""


def _outside_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are no import and not in a doctest, which ends at a blank line."""
    doctest = False
    for line in lines:
        bare = line.strip()
        doctest = bool(bare) and (doctest or bare.startswith(">>>"))
        if not (doctest or _IMPORT.match(bare)):
            yield line


@lru_cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """These names, alone, as a part of a dotted name (with its dot) or of one with underscores."""
    choice = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![^\W\d_])(?:{choice})(?![^\W\d_])(?:\.(?=\w))?", re.IGNORECASE)


def _without(text: str, names: tuple[str, ...]) -> str:
    lines = _pattern(names).sub("", text).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines).strip()


# --------------------------------------------------------------------------- 3.-7. the selection


def _select(documents: Iterable[Document]) -> list[Document]:
    """Rules 2 to 7."""
    long = [d for d in _without_boilerplate(documents) if len(_words(d.text)) >= MIN_WORDS]
    kept = _largest(_distinct(long))
    names = tuple(sorted({document.label.rpartition(".")[2] for document in kept}))
    return sorted(d._replace(text=_without(d.text, names)) for d in kept)


def _without_boilerplate(documents: Iterable[Document]) -> list[Document]:
    """Rules 2 and 3."""
    prose = [(document, _paragraphs(document)) for document in documents]
    often = Counter(key for _, parts in prose for key in parts)
    return [
        document._replace(text="\n\n".join(p for key, p in parts.items() if often[key] < COMMON))
        for document, parts in prose
    ]


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{2,}", text.lower())


def _distinct(documents: Sequence[Document]) -> list[Document]:
    """The documents that are no near duplicate of an earlier one that is kept."""
    X = _sequences(documents)
    shared = (X @ X.T).tocsr()
    length = X.sum(axis=1)
    kept = np.zeros(len(documents), dtype=bool)
    for i in range(len(documents)):
        others = shared.indices[shared.indptr[i] : shared.indptr[i + 1]]
        common = shared.data[shared.indptr[i] : shared.indptr[i + 1]]
        similar = common >= SIMILAR * (length[i] + length[others] - common)
        kept[i] = not kept[others[similar]].any()
    return [document for document, keep in zip(documents, kept, strict=True) if keep]


def _sequences(documents: Sequence[Document]) -> csr_array:
    """Which document has which sequences of three words (0 or 1)."""
    columns: dict[tuple[str, ...], int] = {}
    indices: list[int] = []
    indptr = [0]
    for document in documents:
        words = _words(document.text)
        triples = dict.fromkeys(zip(words, words[1:], words[2:], strict=False))
        indices.extend(columns.setdefault(triple, len(columns)) for triple in triples)
        indptr.append(len(indices))
    data = np.ones(len(indices), dtype=np.int32)
    return csr_array((data, indices, indptr), shape=(len(documents), len(columns)))


def _largest(documents: Sequence[Document]) -> list[Document]:
    """Rule 6: the classes, and at most `MAX_DOCS` documents of each."""
    counts = Counter(document.label for document in documents)
    kept: Counter[str] = Counter()
    chosen = []
    for document in sorted(documents, key=lambda d: _hash(d.name)):
        kept[document.label] += 1
        if counts[document.label] >= MIN_DOCS and kept[document.label] <= MAX_DOCS:
            chosen.append(document)
    return chosen


def _hash(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big")


def _corpus(documents: Iterable[Document]) -> Corpus:
    names, labels, texts = zip(*documents, strict=True)
    return Corpus(
        name="pydocs",
        labels=tuple((label,) for label in labels),
        ids=names,
        texts=texts,
        split=tuple(TEST if _hash(f"split {name}") % 5 == 0 else TRAIN for name in names),
        notes=(f"docstrings of {', '.join(_versions())}",),
    )


# ------------------------------------------------------------------------------------ the cache


def _versions() -> list[str]:
    python = ".".join(map(str, sys.version_info[:3]))
    return [f"python {python}", *(f"{name} {version(dist)}" for name, dist in PACKAGES.items())]


def _cache_file(cache: Path | Literal["user"] | None) -> Path | None:
    """The file of these versions and of these rules: this source is their best description."""
    if cache is None:
        return None
    try:
        directory = cache_directory() if cache == "user" else Path(cache)
    except RuntimeError:
        return None  # a user without a home
    rules = sha256(pkgutil.get_data("laconic.corpus", "pydocs.py") or b"").hexdigest()[:12]
    versions = "-".join(part.replace(" ", "") for part in _versions())
    return directory / f"pydocs-{versions}-{rules}.jsonl.gz"


def _load(where: Path) -> Corpus | None:
    """The corpus of a file; None if there is none, or not this one."""
    try:
        with gzip.open(where, "rt", encoding="utf-8") as lines:
            fingerprint = json.loads(next(lines))["fingerprint"]
            corpus = _corpus(Document(*json.loads(line)) for line in lines)
        return corpus if corpus.fingerprint == fingerprint else None
    except (OSError, EOFError, StopIteration, zlib.error):
        return None
    except (AttributeError, KeyError, TypeError, ValueError):
        # JSON lines of something else.
        return None


def _store(corpus: Corpus, where: Path) -> None:
    """Write beside and move, so that no other process sees half a file; failing is no error."""
    rows = zip(corpus.ids, (label for (label,) in corpus.labels), corpus.texts or (), strict=True)
    lines = [json.dumps(row) for row in ({"fingerprint": corpus.fingerprint}, *rows)]
    content = gzip.compress("\n".join(lines).encode(), mtime=0)
    with suppress(OSError):
        where.parent.mkdir(parents=True, exist_ok=True)
        beside = where.with_name(f"{where.name}.{os.getpid()}.part")
        try:
            beside.write_bytes(content)
            os.replace(beside, where)
        finally:
            beside.unlink(missing_ok=True)
