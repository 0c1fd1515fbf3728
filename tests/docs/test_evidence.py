"""Figures of docs/evidence.md are those of the pages; README and guide quote the evidence."""

from __future__ import annotations

import re

import pytest

from tests.docs.documents import (
    DOCS,
    EVIDENCE,
    GUIDE,
    README,
    REPRODUCE,
    contains,
    figures,
    read,
    section,
    sections,
    table,
)

TEXT = read(EVIDENCE)
MEASURED = sections(section(TEXT, "## Which method wins where"), 3)


def paper_page(command: str) -> str:
    return read(DOCS / f"papers/{command.split()[0]}.md")


def measured_by(command: str) -> str:
    """The sections of a paper's page about a command, and those without any command."""
    quoted = f"`python -m reproduction {command}`"
    parts = re.split(r"\n(?=## )", paper_page(command))
    return "\n".join(
        part for part in parts if quoted in part or "`python -m reproduction" not in part
    )


@pytest.mark.parametrize("heading", MEASURED)
def test_figures_of_a_section_are_on_the_pages_of_its_commands(heading):
    text = MEASURED[heading]
    commands = REPRODUCE.findall(text)
    assert commands, heading
    for command in commands:
        assert f"`python -m reproduction {command}`" in paper_page(command), command
    pages = "\n".join(map(measured_by, commands))
    quoted = figures(text)
    assert quoted, heading
    for figure in quoted:
        assert contains(pages, figure), figure


@pytest.mark.parametrize(
    ("page", "headings"),
    [
        (README, ["## Install, and a first result", "## How to choose a method"]),
        (GUIDE, ["## The first answer", "## Which method when", "## Common mistakes"]),
    ],
    ids=["README", "guide"],
)
def test_figures_of_readme_and_guide_are_in_the_evidence(page, headings):
    for heading in headings:
        quoted = figures(section(read(page), heading).replace("Python 3.11", "Python"))
        assert quoted, heading
        for figure in quoted:
            assert contains(TEXT, figure), figure


def test_verdicts_are_those_of_the_papers_pages():
    lines = table(section(TEXT, "## The papers"))
    assert len(lines) == 5
    for name, *counts in lines:
        (page,) = re.findall(r"\((papers/\w+\.md)\)", name)
        (total,) = re.findall(r"^\d+ statements: .*$", read(DOCS / page), re.MULTILINE)
        verdicts = ("statements", "reproduced", "direction reproduced", "not reproduced", "data")
        expected = [
            int(match[1]) if (match := re.search(rf"(\d+) {verdict}\b", total)) else 0
            for verdict in verdicts
        ]
        assert [int(count) for count in counts] == expected, name
        assert sum(expected[1:]) == expected[0], f"{name}: something was not measured"


def test_speeds_are_those_of_the_benchmarks_page():
    benches = sections(read(DOCS / "benchmarks.md"), 2)
    lines = table(section(TEXT, "## Speed"))
    assert len(lines) >= 8
    for what, _, ratio, target, command in lines:
        (name,) = re.findall(r"`python -m bench (\w+)`", command)
        number = re.match(r"[\d.,]+\d|\d", target)
        assert number, what
        verdicts = [
            verdict
            for measured, bar, verdict in (row[2:5] for row in table(benches[f"## {name}"]))
            if bar and measured == ratio and float(bar.split(",")[0]) == float(number[0])
        ]
        assert verdicts, (what, ratio, target)
        assert any(("missed" in verdict) == ("missed" in target) for verdict in verdicts), what


def test_every_missed_speed_target_is_shown():
    missed = len(re.findall(r"\*\*missed\*\*", read(DOCS / "benchmarks.md")))
    assert sum("missed" in row[3] for row in table(section(TEXT, "## Speed"))) == missed


FRONTIER = read(DOCS / "frontier.md")


def test_the_claims_about_other_tools_are_those_of_the_frontier_page():
    claims = section(TEXT, "## Against other tools")
    for heading in ("## Result", "## Bytes"):
        quoted = section(FRONTIER, heading).split("\n### ")[0]
        bullets = [line for line in quoted.splitlines() if line.startswith("- ")]
        assert len(bullets) >= 4
        for bullet in bullets:
            assert bullet in claims


def test_the_readme_counts_the_comparisons_of_the_frontier_page():
    tuned = section(FRONTIER, "## Result").split("Against the peers with thresholds, over ")[1]
    text = " ".join(read(README).split())
    assert f"of {tuned.split()[0]} comparisons at 10 to 3,000 words" in text
    (better,) = re.findall(r"significantly better in (\d+)", tuned)
    (worse,) = re.findall(r"significantly worse in (\d+)", tuned)
    assert f"significantly better in {better} and worse in {worse}" in text
