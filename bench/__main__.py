"""Runs the named benches, or all of them, one after the other, and prints one table.

A missed bar or a failed bench is told in the table, never by the exit code.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence

import click

from bench import bss, lars, lda, leverage, masked, rls, scores, serving, study, vectorizing
from bench.measuring import Row, print_table

BENCHES: dict[str, Callable[[bool], list[Row]]] = {
    "vectorizing": lambda full: vectorizing.rows(),
    "scores": scores.rows,
    "leverage": lambda full: leverage.rows(),
    "bss": lambda full: bss.rows(),
    "lars": lambda full: lars.rows(),
    "lda": lambda full: lda.rows(),
    "masked": lambda full: masked.rows(),
    "rls": lambda full: rls.rows(),
    "serving": lambda full: serving.rows(),
    "study": lambda full: study.rows(),
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(BENCHES)))
@click.option("--full", is_flag=True, help="scores: time the peer on all terms, for minutes.")
def main(names: Sequence[str], full: bool) -> None:
    print_table(measured(names or list(BENCHES), full))


def measured(names: Sequence[str], full: bool) -> Iterator[Row]:
    for name in names:
        try:
            yield from BENCHES[name](full)
        except Exception as error:  # a wrong answer, or no corpus: the others still run
            traceback.print_exc()
            print(f"FAILED {name}: {type(error).__name__}, see the error stream")


if __name__ == "__main__":
    main(prog_name="python -m bench")
