"""Rule 1: all public docstrings of the installation, each met once."""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
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


def walk(progress: Progress | None) -> list[Document]:
    """All docstrings, distinct names, in the order of rule 5."""
    found: dict[str, Document] = {}
    met: dict[int, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = [label for package in PACKAGES for label in sub_packages(package)]
        files = stdlib_files()
        walks = [from_module(import_module(label), label, met) for label in modules]
        walks += [_from_sources(label, sources) for label, sources in files.items()]
        for done, documents in enumerate(walks, 1):
            for document in documents:
                found.setdefault(document.name, document)
            if progress is not None:
                progress(done, len(walks))
    return list(found.values())


def sub_packages(package: str) -> list[str]:
    """The package and its public sub-packages; names that lead elsewhere are not among them."""
    root = import_module(package)
    members = {f"{package}.{name}": getattr(root, name) for name in _public(root)}
    modules = [n for n, m in members.items() if isinstance(m, ModuleType) and m.__name__ == n]
    return [package, *(name for name in modules if name not in NOT_WALKED)]


def _public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or dir(module)
    return sorted({name for name in names if not name.startswith("_")})


def from_module(module: ModuleType, label: str, met: dict[int, object]) -> Iterator[Document]:
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
                yield from from_module(thing, label, met)


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


def stdlib_files() -> dict[str, list[Path]]:
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
