"""The reference is what the docstrings say, the guide's Python runs, and no link leads nowhere."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

import laconic
from laconic.cli.commands import main
from laconic.methods import parse_method

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, ROOT / "examples/README.md", *sorted(DOCS.rglob("*.md"))]


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

    lines = made["called"]("size", asked).splitlines()
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
def test_every_link_leads_somewhere(page):
    for link in links(page):
        where, _, place = link.partition("#")
        target = (page.parent / where).resolve() if where else page
        assert target.exists(), f"{page}: {link}"
        if place:
            assert place in places(target), f"{page}: {link}"


def links(page: Path) -> list[str]:
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r"\]\(([^)\s]+)\)", prose)
    return [link for link in found if not link.startswith(("http:", "https:"))]


def places(page: Path) -> list[str]:
    """The anchors of a page's headings, as forges make them."""
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found: list[str] = []
    for heading in re.findall(r"^#+ (.*)$", prose, flags=re.MULTILINE):
        place = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        times = sum(one == place or re.fullmatch(rf"{place}-\d+", one) is not None for one in found)
        found.append(f"{place}-{times}" if times else place)
    return found


def test_the_python_of_the_guide_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "guide.md", "exec"), names)
    assert capsys.readouterr().out


def test_the_commands_of_the_guide_are_known():
    """Options too: a guide must not teach what the command refuses."""
    given = commands((DOCS / "guide.md").read_text(encoding="utf-8"))
    assert len(given) >= 20
    for name, rest in given:
        command = main.get_command(None, name)
        assert command is not None, name
        options = {option for one in command.params for option in one.opts}
        asked = re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest.partition("#")[0])
        assert set(asked) <= options, (name, rest)


def test_the_methods_of_the_guide_are_known():
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    plan = tomllib.loads(re.findall(r"```toml\n(.*?)```", text, flags=re.DOTALL)[0])
    (typed,) = re.findall(r'--methods "(.*?)"', text)
    advised = re.findall(r"`([A-Z][A-Z0-9-]+(?:\[[^\]]*\])?)`", text)
    assert len(advised) >= 15
    for name in [*plan["methods"], *re.split(r",(?![^\[]*\])", typed), *advised]:
        parse_method(name).check()


def commands(text: str) -> list[tuple[str, str]]:
    """The commands on lines of their own and in running text: the name, and the rest."""
    return re.findall(r"(?:^|`)laconic +(\w+)([^`\n]*)", text, flags=re.MULTILINE)


def figures() -> list[tuple[str, set[str], set[str]]]:
    """Paragraphs and table rows of the guide that quote papers, with figures and pages."""
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    blocks = re.split(r"\n\n|\n(?=[|-] ?)", text)
    found = []
    for block in blocks:
        asked = re.findall(r"`laconic reproduce (\w+ [^`]*)`", " ".join(block.split()))
        prose = re.sub(r"`[^`]*`", "", block)
        if asked:
            found.append((block, set(re.findall(r"\d[\d,]*\.\d+|\d+,\d{3}", prose)), set(asked)))
    return found


def test_the_sentence_of_the_guide_is_that_of_the_readme():
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    table = text.split("| part | what it tells |")[1].split("\n\n")[0]
    quoted = [line.split(" | ")[0].strip("| ") for line in table.splitlines()[2:]]
    sentence = " ".join(README.read_text(encoding="utf-8").replace("\n> ", " ").split())
    assert len(quoted) == 4
    for part in quoted:
        assert part.lower() in sentence.lower(), part


def sections(command: str) -> list[str]:
    """Of the paper's page, what is about a command: where it stands, and where none stands."""
    page = (DOCS / f"papers/{command.split()[0]}.md").read_text(encoding="utf-8")
    given = f"`laconic reproduce {command}`"
    parts = re.split(r"\n(?=## )", page)
    return [part for part in parts if given in part or "`laconic reproduce" not in part]


def test_every_figure_of_the_guide_stands_beside_its_command():
    quoted = figures()
    assert len(quoted) >= 15
    for block, numbers, asked in quoted:
        assert numbers, block
        there = "\n".join(part for one in asked for part in sections(one))
        for number in numbers:
            assert re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d)", there), (number, block)


def test_every_command_behind_a_figure_stands_on_the_page_of_its_paper():
    for block, _, asked in figures():
        for one in asked:
            page = (DOCS / f"papers/{one.split()[0]}.md").read_text()
            assert f"`laconic reproduce {one}`" in page, (one, block)
