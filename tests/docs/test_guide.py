"""The reference agrees with the docstrings, the guide's Python and commands work, links resolve."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

import laconic
from laconic.cli.main import main
from laconic.methods import parse_method
from laconic.studies.options import parse_methods
from reproduction.command import reproduce
from tests.docs.documents import DOCS, GUIDE, README, ROOT, commands, python_blocks, read

PAGES = [*sorted(ROOT.glob("*.md")), ROOT / "examples/README.md", *sorted(DOCS.rglob("*.md"))]
WITH_COMMANDS = [README, *sorted(DOCS.glob("*.md"))]


@pytest.fixture(scope="module")
def made():
    """The generator's functions."""
    return runpy.run_path(str(DOCS / "make_api.py"))


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the pages are written by Python 3.11")
def test_the_reference_is_not_stale(made):
    wanted = made["pages"]()
    there = {file.name: file.read_text(encoding="utf-8") for file in (DOCS / "api").iterdir()}
    stale = sorted(name for name in wanted.keys() | there if wanted.get(name) != there.get(name))
    assert not stale, f"{', '.join(stale)}: run `make docs` and commit docs/api"


def test_every_public_name_is_in_the_reference():
    text = "\n".join(page.read_text() for page in (DOCS / "api").glob("*.md"))
    for name in laconic.__all__:
        assert re.search(rf"^#+ {name}$", text, flags=re.MULTILINE), name


def test_nothing_of_the_machine_is_in_the_reference():
    for page in (DOCS / "api").glob("*.md"):
        assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|site-packages", page.read_text()), page


class Base:
    """Base."""

    __module__ = "laconic.made_up"

    def inherited(self, X: int) -> int:
        """From the base."""


class Example(Base):
    r"""A class for the test: x < y.

    Parameters
    ----------
    size : int or None
        How many.
    by : function
        - a list

    Made up, as `a < b`.
    """

    __module__ = "laconic.made_up"

    def __init__(self, size: int | None = None, *, by: object = sorted) -> None: ...

    @classmethod
    def of(cls, given: str, *rest: int, **more: int) -> Example:
        """Makes one."""

    @property
    def plain(self) -> bool:
        """Whether it is."""

    @property
    def untold(self) -> bool: ...

    def _hidden(self) -> None:
        """Not shown."""


def test_a_class_is_told_from_its_docstring(made):
    entry = made["Entry"]("laconic", "Example", Example)
    assert "\n\n".join(part for part in made["told"](entry) if part) == (
        "## Example\n\n"
        "```python\nfrom laconic import Example\n\n"
        "Example(size: int | None = None, *, by: object = ...)\n```\n\n"
        r"A class for the test: x \< y."
        "\n\n**Parameters**\n\n"
        "- `size`: int or None\\\n  How many.\n- `by`: function\n  - a list\n\n"
        "Made up, as `a < b`.\n\n"
        "### Example.of\n\n"
        "```python\nof(given: str, *rest: int, **more: int) -> Example\n```\n\nMakes one.\n\n"
        "### Example.plain\n\nWhether it is.\n\n"
        "### Example.inherited\n\n```python\ninherited(X: int) -> int\n```\n\nFrom the base."
    )


def test_a_function_as_default_has_its_name(made):
    assert made["shown"](test_a_function_as_default_has_its_name).startswith("test_a_function")
    assert made["shown"](0.5) == "0.5"


def test_a_long_call_has_a_line_for_each_parameter(made):
    def asked(first_of_all: int, another_one_beside: str = "a" * 40, *, last: int = 3) -> int: ...

    lines = made["called"]("asked", asked).splitlines()
    assert lines[1:] == [
        "    first_of_all: int,",
        f"    another_one_beside: str = '{'a' * 40}',",
        "    *,",
        "    last: int = 3,",
        ") -> int",
    ]


def test_equal_names_have_their_own_places(made):
    several = [made["Entry"]("laconic", name, None) for name in ("curve", "Curve", "other")]
    assert [*made["anchors"](several)] == [
        ("curve", "curve"),
        ("Curve", "curve-1"),
        ("other", "other"),
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page):
    for link in links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{page}: {link}"


def without_code(page: Path) -> str:
    return re.sub(r"```.*?```", "", read(page), flags=re.DOTALL)


def links(page: Path) -> list[str]:
    targets = re.findall(r"\]\(([^)\s]+)\)", without_code(page))
    return [link for link in targets if not link.startswith(("http:", "https:"))]


def anchors(page: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    names: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", without_code(page), flags=re.MULTILINE):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        repeats = sum(
            re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", name) is not None for name in names
        )
        names.append(f"{anchor}-{repeats}" if repeats else anchor)
    return names


@pytest.mark.full
def test_the_python_of_the_guide_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(read(GUIDE))
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "guide.md", "exec"), names)
    assert capsys.readouterr().out


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_commands_and_options_of_the_documents_exist(page):
    for name, arguments in commands(read(page)):
        command = main.get_command(None, name)
        assert command is not None, name
        known = {option for parameter in command.params for option in parameter.opts}
        options = re.findall(r"(?<=\s)--?[a-z][a-z-]*", arguments.partition("#")[0])
        assert set(options) <= {*known, "--help"}, (name, arguments)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.name)
def test_options_in_running_text_exist(page):
    commands = [main.get_command(None, name) for name in main.list_commands(None)]
    parameters = [p for command in (*commands, reproduce) for p in command.params]
    known = {option for p in parameters for option in (*p.opts, *p.secondary_opts)}
    assert set(re.findall(r"`(--[a-z][a-z-]*)", read(page))) <= known


def test_the_guide_has_commands():
    assert len(commands(read(GUIDE))) >= 10


@pytest.mark.parametrize("page", [README, GUIDE, DOCS / "studies.md"], ids=lambda page: page.name)
def test_methods_of_the_documents_exist(page):
    text = read(page)
    plans = map(tomllib.loads, re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL))
    names = [name for plan in plans for name in plan["methods"]]
    names += re.findall(r"--method (\S+)", text)
    for typed in re.findall(r"--methods ([^\s`]+)", text):
        names += parse_methods(typed)
    names += re.findall(r"`((?!METHOD:)[A-Z][A-Z0-9-]+(?:[:+][^`]*)?)`", text)
    assert names
    for name in names:
        parse_method(name).check()
