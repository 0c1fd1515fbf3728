"""Measures the quality frontier of the named corpora, or of all, and writes its page.

Every measurement is a line of `<side>/<corpus>.jsonl` in the folder; an interrupted run can be
resumed. With --quick two small corpora and few budgets are measured, in about a minute.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import click
from threadpoolctl import threadpool_limits

from bench.frontier.corpora import BUDGETS, CORPORA, QUICK, FrontierCorpus, frontier_corpus
from bench.frontier.journal import Journal
from bench.frontier.judging import CorpusResults
from bench.frontier.ours import Ours
from bench.frontier.page import Opponents, claim, write
from bench.frontier.peers import Peers
from bench.machine import described
from laconic.errors import LaconicWarning

FEW = (10, 100)
NAMES = list(CORPORA | QUICK)
OURS, PEERS = "ours", "peers"
# What an earlier version of Laconic answered, if its journals are there.
BEFORE = "before"


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--quick", is_flag=True, help="Measure two small corpora and few budgets.")
@click.option(
    "--side",
    "sides",
    type=click.Choice([PEERS, OURS]),
    multiple=True,
    default=(PEERS, OURS),
    show_default=True,
    help="What to measure.",
)
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
    help="The page to write, for all corpora in the folder.",
)
def main(
    names: Sequence[str], quick: bool, sides: Sequence[str], folder: Path, page: Path | None
) -> None:
    chosen = [name for name in NAMES if name in names] or list(QUICK if quick else CORPORA)
    place = described()
    for name in chosen:
        corpus = frontier_corpus(name, FEW if quick else BUDGETS)
        measure(corpus, name, folder, sides)
    results = results_of(folder, OURS)
    if page is None:
        print(claim(Opponents.of(results)))
        return
    command = f"python -m bench.frontier{' --quick' if quick else ''} --write {page}"
    print(claim(write(page, results, results_of(folder, BEFORE), f"`{command}`, {place}.")))
    print(page)


def measure(corpus: FrontierCorpus, name: str, folder: Path, sides: Sequence[str]) -> None:
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", LaconicWarning)
        if PEERS in sides:
            Peers(corpus, journal_of(folder, PEERS, name), say).run()
        if OURS in sides:
            Ours(corpus, journal_of(folder, OURS, name), folder / "studies" / name, say).run()


def results_of(folder: Path, side: str) -> list[CorpusResults]:
    """Of the corpora that both sides have answered."""
    journals = [
        (name, journal_of(folder, side, name), journal_of(folder, PEERS, name)) for name in NAMES
    ]
    return [
        CorpusResults.of(name, ours, peers)
        for name, ours, peers in journals
        if ours.where.exists() and peers.where.exists()
    ]


def journal_of(folder: Path, side: str, name: str) -> Journal:
    return Journal(folder / side / f"{name}.jsonl")


def say(message: str) -> None:
    print(message, flush=True)


if __name__ == "__main__":
    main()
