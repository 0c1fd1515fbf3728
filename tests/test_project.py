"""What is written in two places agrees; the wheel has the library and nothing else."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

import laconic

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_the_lowest_constraints_are_the_lower_bounds():
    groups = [EXTRAS[name] for name in ("parquet", "smart", "cluster", "remote", "test")]
    tested = [*PROJECT["dependencies"], *(name for group in groups for name in group)]
    bounds = {name.replace(">=", "==") for name in tested if not name.startswith("laconic[")}
    assert bounds == pins("constraints-lowest.txt")


def test_constraints_pin_every_dependency_at_or_above_its_bound():
    """Apart from the packages of services, whose dependencies exclude versions that are pinned."""
    extras = [group for name, group in EXTRAS.items() if name not in ("gs", "hf")]
    latest = dict(map(split, pins("constraints.txt")))
    for dependency in [*PROJECT["dependencies"], *(name for extra in extras for name in extra)]:
        if not dependency.startswith("laconic["):
            name, bound = split(dependency)
            assert latest[name] >= bound, dependency


def pins(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {line for line in lines if not line.startswith("#")}


def split(requirement: str) -> tuple[str, tuple[int, ...]]:
    """The normalized name, and the numbers of the version."""
    name, version = re.split(r"(?:\[.*\])?[=>]=", requirement)
    return re.sub(r"[-_.]+", "-", name).lower(), tuple(map(int, re.findall(r"\d+", version)))


def test_ci_tests_the_pythons_that_are_promised():
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert re.findall(r"[\d.]+", matrix) == promised
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_citation_has_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"^version: (.*)$", citation, re.MULTILINE) == [laconic.__version__]


def test_the_wheel_has_every_file_of_the_library():
    """Setuptools takes folders with an `__init__.py`, and the files of `package-data`."""
    data = {
        path
        for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items()
        for pattern in patterns
        for path in (SRC / package.replace(".", "/")).glob(pattern)
    }
    for path in (SRC / "laconic").rglob("*"):
        if path.suffix == ".py":
            assert (path.parent / "__init__.py").exists(), path
        elif path.is_file() and path.parent.name != "__pycache__" and path.suffix != ".md":
            assert path in data, path


def test_only_the_library_is_a_package():
    assert SETTINGS["tool"]["setuptools"]["packages"]["find"]["where"] == ["src"]
    assert {path.parent.name for path in SRC.glob("*/__init__.py")} == {"laconic"}


@pytest.mark.slow
def test_the_wheel_is_built_from_the_library_alone(tmp_path):
    # of a copy: what an earlier build left in the checkout would be in the wheel
    ignored = shutil.ignore_patterns(".*", "build", "out", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT, tmp_path / "copy", ignore=ignored)
    command = ["pip", "wheel", "--quiet", "--no-deps", "-w", "built", "./copy"]
    subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, check=True)
    (wheel,) = (tmp_path / "built").iterdir()
    assert wheel.name == f"laconic-{laconic.__version__}-py3-none-any.whl"
    names = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {path.relative_to(SRC).as_posix() for path in (SRC / "laconic").rglob("*.*")}
    assert {name for name in files if not name.endswith((".pyc", ".md"))} == names
