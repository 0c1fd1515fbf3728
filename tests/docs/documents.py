"""Reading Markdown pages, for the tests of the documents."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
GUIDE = DOCS / "guide.md"
EVIDENCE = DOCS / "evidence.md"

FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*\.\d+|(?<![\w.,])\d+(?:,\d{3})+")
REPRODUCE = re.compile(r"`python -m reproduction (\w+ [^`]*)`")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def section(text: str, heading: str) -> str:
    """The text below a heading, up to the next heading of the same level or above."""
    level = len(heading) - len(heading.lstrip("#"))
    _, _, rest = f"\n{text}".partition(f"\n{heading}\n")
    assert rest, heading
    return re.split(rf"\n#{{1,{level}}} ", rest)[0]


def sections(text: str, level: int) -> dict[str, str]:
    """The text below each heading of a level, by heading."""
    mark = "#" * level
    headings = re.findall(rf"^{mark} .*$", text, flags=re.MULTILINE)
    return {heading: section(text, heading) for heading in headings}


def table(text: str) -> list[list[str]]:
    """The rows of the first table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def python_blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


def prose(text: str) -> str:
    """The text without code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def figures(text: str) -> set[str]:
    """Decimal numbers, and numbers with thousands separators, outside code."""
    return set(FIGURE.findall(prose(text)))


def contains(text: str, figure: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\d|,\d)", text) is not None


def commands(text: str) -> list[tuple[str, str]]:
    """The `laconic` commands on their own lines and in running text: name and arguments."""
    return re.findall(r"(?:^|`)laconic +(\w+)([^`\n]*)", text, flags=re.MULTILINE)
