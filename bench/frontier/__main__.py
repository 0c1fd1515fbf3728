"""Measures the quality frontier of the named corpora, or of all, and writes its page.

Every candidate is a line of `<corpus>.jsonl` in the folder; an interrupted run can be resumed. With
--quick two small corpora and few budgets are measured, in about a minute.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

from bench.frontier import corpora, ours, peers, sentences
from bench.frontier.families import BUDGETS, Budget, Family
from bench.frontier.journal import Journal
from bench.frontier.judging import DRAWS
from bench.frontier.measuring import measure
from bench.frontier.page import CorpusResults, all_compared, claim, counted, write
from bench.frontier.speed import measure_speed
from bench.machine import described
from laconic.errors import LaconicWarning

FAMILIES: tuple[Family, ...] = (*ours.FAMILIES, *peers.FAMILIES, *sentences.FAMILIES)
FEW: tuple[Budget, ...] = (30, 300, None)
NAMES = [*corpora.CORPORA, *corpora.QUICK]


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--quick", is_flag=True, help="Measure two small corpora and few budgets.")
@click.option(
    "-o",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/frontier"),
    help="Folder for the measurements.",
)
@click.option(
    "--write",
    "page",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page to write, with drawings next to it, for all corpora in the folder.",
)
def main(names: Sequence[str], quick: bool, folder: Path, page: Path | None) -> None:
    default = corpora.QUICK if quick else corpora.CORPORA
    chosen = [name for name in NAMES if name in names] or list(default)
    budgets = FEW if quick else BUDGETS
    place = described()
    for name in chosen:
        run(name, budgets, journal_of(folder, name))
    present = [name for name in NAMES if name in chosen or journal_of(folder, name).where.exists()]
    results = [CorpusResults.of(name, journal_of(folder, name).lines()) for name in present]
    if page is None:
        print(claim(all_compared(results, budgets)))
        return
    measured = f"`{command(quick, page)}`, {place}; {fasttext()}."
    print(claim(write(page, results, budgets, counted(FAMILIES, budgets), measured, DRAWS)))
    print(page)


def run(name: str, budgets: Sequence[Budget], journal: Journal) -> None:
    """Measure all tasks of a corpus, and the throughput on the first of them."""
    first = None
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", LaconicWarning)
        for task in corpora.tasks_of(name):
            measure(task, FAMILIES, budgets, journal, say)
            first = first or task
        if first is not None:
            measure_speed(first, FAMILIES, budgets, journal, say)


def say(message: str) -> None:
    print(message, flush=True)


def journal_of(folder: Path, name: str) -> Journal:
    return Journal(folder / f"{name}.jsonl")


def fasttext() -> str:
    try:
        return f"fastText {version('fasttext-wheel')}"
    except PackageNotFoundError:
        return "no fastText"


def command(quick: bool, page: Path) -> str:
    return f"python -m bench.frontier {'--quick ' if quick else ''}--write {page}"


if __name__ == "__main__":
    main(prog_name="python -m bench.frontier")
