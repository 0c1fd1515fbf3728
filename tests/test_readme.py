"""What the README shows in Python runs, and every figure of it stands behind a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from laconic import load_corpus

README = Path(__file__).parents[1] / "README.md"
DOCS = README.parent / "docs"
COMMAND = re.compile(r"`((?:laconic|make|python -m) [^`]+)`")


def text() -> str:
    return README.read_text(encoding="utf-8")


def part(heading: str) -> str:
    """The text below a heading, or below a bold beginning of a paragraph."""
    _, _, rest = text().partition(heading)
    assert rest, heading
    return re.split(r"\n## |\n\*\*", rest)[0]


def table(of: str) -> list[list[str]]:
    lines = [line for line in of.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_no_page_is_half_written():
    pages = [README, *README.parent.glob("*.md"), *README.parent.glob("docs/**/*.md")]
    for page in pages:
        assert not re.findall(r"\{[A-Z0-9]+\}", page.read_text()), page


def test_the_python_of_the_readme_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", text(), flags=re.DOTALL)
    assert len(blocks) >= 3
    corpus = load_corpus("pydocs")
    names = {"texts": list(corpus.texts), "labels": [label for (label,) in corpus.labels]}
    for block in blocks:
        exec(compile(block, str(README), "exec"), names)
    told = capsys.readouterr().out
    assert "The small model reads 1,000 of" in told
    assert names["classifier"].score(names["texts"], names["labels"]) > 0.9


def test_a_stranger_reads_it_in_two_minutes():
    """At 250 words a minute, code and tables not read but looked at."""
    prose = re.sub(r"```.*?```|^\|.*$", "", text(), flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 600


@pytest.mark.parametrize("line", table(part("## Which method")), ids=lambda line: line[0])
def test_evidence_for_a_method_has_its_command(line):
    commands = COMMAND.findall(line[-1])
    assert commands
    figures = re.findall(r"(?<![\w.])\d[\d,]*\.\d+", re.sub(r"`[^`]*`", "", line[-1]))
    for command in commands:
        if command.startswith("laconic reproduce"):
            paper = command.split()[2]
            page = (DOCS / f"papers/{paper}.md").read_text(encoding="utf-8")
            assert f"`{command}`" in page, command
            own = "\n".join(one for one in re.split(r"\n(?=## )", page) if f"`{command}`" in one)
            for figure in figures:
                assert re.search(rf"(?<![\d.]){re.escape(figure)}(?!\d)", own), figure


def test_the_papers_table_is_that_of_the_pages():
    lines = table(part("**The papers.**"))
    assert len(lines) == 5
    for name, *counts in lines:
        (page,) = re.findall(r"\((docs/papers/\w+\.md)\)", name)
        (told,) = re.findall(r"^\d+ statements: .*$", (README.parent / page).read_text(), re.M)
        here = {verdict: int(n) for n, verdict in re.findall(r"(\d+) ([a-z ]+)", told)}
        verdicts = ("statements", "reproduced", "direction reproduced", "not reproduced")
        wanted = [here.get(verdict, 0) for verdict in (*verdicts, "data not to be had")]
        assert [int(count) for count in counts] == wanted, name
        assert sum(wanted[1:]) == wanted[0], f"{name}: something was not measured"


def test_speeds_are_those_of_the_benchmarks_page():
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## (\w+)$(.*?)(?=^## |\Z)", page, re.M | re.S))
    lines = table(part("**Speed**"))
    assert len(lines) >= 8
    for what, _, ratio, bar, command in lines:
        (name,) = re.findall(r"`python -m bench (\w+)`", command)
        measured = [line[2:5] for line in table(parts[name]) if line[3]]
        missed = "missed" in bar
        number = re.match(r"[\d.,]+\d|\d", bar)
        assert number, what
        found = [
            one
            for one in measured
            if one[0] == ratio and float(one[1].split(",")[0]) == float(number[0])
        ]
        assert found, (what, ratio, bar)
        assert any(("missed" in one[2]) == missed for one in found), what


def test_every_missed_bar_is_told():
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    missed = len(re.findall(r"\*\*missed\*\*", page))
    assert sum("missed" in line[3] for line in table(part("**Speed**"))) == missed


def test_the_claim_about_peers_is_that_of_the_frontier_page():
    claim = " ".join(part("**Against what one would use instead.**").split())
    page = " ".join((DOCS / "frontier.md").read_text(encoding="utf-8").split())
    assert "`make frontier`" in claim
    for there, here in (
        (r"budgets? \(corpora .*?significantly better at (\d+)", r"significantly better at (\d+)"),
        (r"holds at \d+ of (\d+) budgets", r"of (\d+) budgets"),
        (r"not significantly different at (\d+)", r"not significantly different at (\d+)"),
        (r"ours has the lower number at (\d+)", r"at (\d+) of these with the lower number"),
        (r"It fails at (\d+)", r"significantly worse at (\d+)"),
    ):
        assert re.findall(there, page) == re.findall(here, claim) != [], there
    files = claim[claim.index("In a file") :]
    news = page[page.index("## 20news-bydate") :]
    for most in ("10,000", "100,000"):
        (ours, peer) = re.search(rf"\| {most} \| ([\d.]+) \| [\d,]+ \| ([\d.]+) \|", news).groups()
        assert re.search(rf"{most} bytes .*?{ours}.*?{peer}", files), most
    rows = re.search(r"\| words at most \| ours, documents a second.*?\n?(?=#|$)", news)[0]
    ratios = re.findall(r"\| [\d,]+ \| [\d,]+ \| (\d+\.\d) \|", rows.split("##")[0])
    least, most = (pick(ratios, key=float) for pick in (min, max))
    assert f"{least} to {most} times" in files
