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

from bench.frontier.corpora import BUDGETS, CORPORA, QUICK, FrontierCorpus
from bench.frontier.journal import Journal
from bench.frontier.peers import Peers
from laconic.errors import LaconicWarning

FEW = (30, 300)
NAMES = list(CORPORA | QUICK)
SIDES = ("peers", "ours")


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(NAMES))
@click.option("--quick", is_flag=True, help="Measure two small corpora and few budgets.")
@click.option(
    "--side", "sides", type=click.Choice(SIDES), multiple=True, default=SIDES, show_default=True
)
@click.option(
    "-o",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/frontier"),
    help="Folder for the measurements.",
)
def main(names: Sequence[str], quick: bool, sides: Sequence[str], folder: Path) -> None:
    chosen = [name for name in NAMES if name in names] or list(QUICK if quick else CORPORA)
    for name in chosen:
        corpus = FrontierCorpus((CORPORA | QUICK)[name](), FEW if quick else BUDGETS)
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", LaconicWarning)
            if "peers" in sides:
                Peers(corpus, Journal(folder / "peers" / f"{name}.jsonl"), say).run()


def say(message: str) -> None:
    print(message, flush=True)


if __name__ == "__main__":
    main()
