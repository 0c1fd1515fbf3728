"""Rule 1: all public docstrings of the installed packages, each once."""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np

from laconic.types import Progress

PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn"}
# A deprecated name of numpy, tools for developers, and experimental names that exist only once they
# are enabled: the corpus must not depend on earlier imports of the process.
NOT_WALKED = (
    *("numpy.core", "numpy.f2py", "numpy.testing"),
    "sklearn.impute.IterativeImputer",
    "sklearn.model_selection.HalvingGridSearchCV",
    "sklearn.model_selection.HalvingRandomSearchCV",
)
# Linux distributions package these separately: the corpus must not depend on them.
OPTIONAL = frozenset(
    {"distutils", "ensurepip", "idlelib", "lib2to3", "tkinter", "turtle", "turtledemo", "venv"}
    | {"test", "tests"}
)


class Docstring(NamedTuple):
    """A docstring, later its remaining prose, with its public name and its label."""

    name: str
    label: str
    text: str


def walk(progress: Progress | None) -> list[Docstring]:
    """All docstrings under unique names, in the order of rule 5."""
    documents: dict[str, Docstring] = {}
    seen: dict[int, object] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        modules = [label for package in PACKAGES for label in sub_packages(package)]
        files = stdlib_files()
        walks = [from_module(import_module(label), label, seen) for label in modules]
        walks += [_from_sources(label, sources) for label, sources in files.items()]
        for done, walk_documents in enumerate(walks, 1):
            for document in walk_documents:
                documents.setdefault(document.name, document)
            if progress is not None:
                progress(done, len(walks))
    return list(documents.values())


def sub_packages(package: str) -> list[str]:
    """The package and its public sub-packages, without names of other modules."""
    root = import_module(package)
    members = {f"{package}.{name}": getattr(root, name) for name in _public(root)}
    modules = [n for n, m in members.items() if isinstance(m, ModuleType) and m.__name__ == n]
    return [package, *(name for name in modules if name not in NOT_WALKED)]


def _public(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or dir(module)
    return sorted({name for name in names if not name.startswith("_")})


def from_module(module: ModuleType, label: str, seen: dict[int, object]) -> Iterator[Docstring]:
    """The docstrings of a module and its classes; in a sub-package then those of its modules."""
    names = [f"{module.__name__}.{name}" for name in _public(module)]
    members = {n: _member(module, n.rpartition(".")[2]) for n in names if n not in NOT_WALKED}
    for name, obj in members.items():
        if not isinstance(obj, ModuleType):
            yield from _from_object(obj, name, label, seen)
    # The main namespace contains the sub-packages; without `__all__`, every module imported so far.
    if "." in label and hasattr(module, "__all__"):
        for name, obj in members.items():
            if isinstance(obj, ModuleType) and obj.__name__ == name:
                yield from from_module(obj, label, seen)


def _member(module: ModuleType, name: str) -> object:
    """The member of a module, or None: access to deprecated names may raise."""
    try:
        return getattr(module, name)
    except (AttributeError, ImportError):
        return None


def _from_object(
    obj: object, path: str, label: str, seen: dict[int, object]
) -> Iterator[Docstring]:
    if id(obj) in seen or _home(obj, label) != label or _depends_on_platform(obj):
        return
    # The reference keeps the object alive, so its id is not reused.
    seen[id(obj)] = obj
    text = vars(obj).get("__doc__") if isinstance(obj, type) else _instance_doc(obj)
    if isinstance(text, str):
        yield Docstring(path, label, text)
    if isinstance(obj, type):
        for name, member in _members(obj, label):
            yield from _from_object(member, f"{path}.{name}", label, seen)


def _depends_on_platform(obj: object) -> bool:
    """Whether `obj` is a scalar type of numpy; these differ between machines."""
    return isinstance(obj, type) and issubclass(obj, np.generic)


def _instance_doc(obj: object) -> str | None:
    text = getattr(obj, "__doc__", None)
    return text if isinstance(text, str) and text != type(obj).__doc__ else None


def _members(cls: type, label: str) -> list[tuple[str, object]]:
    """Public members, including those of (often private) bases in the same sub-package."""
    bases = [base for base in reversed(cls.__mro__) if _home(base, label) == label]
    members = {name: member for base in bases for name, member in vars(base).items()}
    return sorted((name, member) for name, member in members.items() if not name.startswith("_"))


def _home(obj: object, default: str) -> str:
    """The sub-package that defines the object."""
    if isinstance(obj, property | cached_property):
        obj = obj.fget if isinstance(obj, property) else obj.func
    module = getattr(obj, "__module__", None)
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


def _from_sources(label: str, sources: Iterable[Path]) -> Iterator[Docstring]:
    root = Path(sysconfig.get_path("stdlib"))
    for source in sources:
        parts = source.relative_to(root).with_suffix("").parts
        path = ".".join(part for part in parts if part != "__init__")
        if "._" not in path and OPTIONAL.isdisjoint(parts):
            yield from _from_tree(ast.parse(source.read_bytes()), path, label)


def _from_tree(tree: ast.Module | ast.ClassDef, path: str, label: str) -> Iterator[Docstring]:
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_"):
            continue
        text = ast.get_docstring(node)
        if text is not None:
            yield Docstring(f"{path}.{node.name}", label, text)
        if isinstance(node, ast.ClassDef):
            yield from _from_tree(node, f"{path}.{node.name}", label)
