"""Runs the named benchmarks, or all of them, one after the other, and prints one table.

With --write they update their sections of a page, if all of them ran. A missed bar or a failed
benchmark is reported in words, never by the exit code.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import click

from bench import (
    blocks,
    bss,
    joint,
    lars,
    lda,
    leverage,
    logistic,
    main_job,
    masked,
    peers,
    rls,
    scores,
    serving,
    study,
    svm,
    vectorizing,
)
from bench.machine import described
from bench.measuring import HEADING, line, load
from bench.page import Section, update

# The docstring of each module says what it compares; `rows` measures it.
BENCHES: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module
    for module in (
        vectorizing,
        scores,
        leverage,
        bss,
        lars,
        lda,
        masked,
        rls,
        svm,
        logistic,
        joint,
        serving,
        blocks,
        main_job,
        study,
        peers,
    )
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(list(BENCHES)))
@click.option(
    "--full", is_flag=True, help="scores: time the peer on all terms, which takes minutes."
)
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), help="The page to create or update."
)
def main(names: Sequence[str], full: bool, write: Path | None) -> None:
    chosen = [name for name in BENCHES if not names or name in names]
    print(HEADING, flush=True)
    results = [measure(name, full, write) for name in chosen]
    sections = [section for section in results if section is not None]
    if write is None:
        return
    if len(sections) < len(chosen):
        print(f"{write} is unchanged, because not all benchmarks ran", file=sys.stderr)
        return
    update(write, sections, list(BENCHES))
    print(f"{write}: {', '.join(chosen)}")


def measure(name: str, full: bool, write: Path | None) -> Section | None:
    """Run and print a benchmark; None if it failed, for example by a wrong result."""
    module, place, before = BENCHES[name], described(), load()
    try:
        rows = module.rows(full) if module is scores else module.rows()
    except Exception as error:  # the others still run
        traceback.print_exc()
        print(f"FAILED {name}: {type(error).__name__}, see the error stream", flush=True)
        return None
    for row in rows:
        print(line(row))
    loads = f"load average {before} before, {load()} after"
    print(f"{name}: {loads}", flush=True)
    sentence = f"`{command(name, full, write)}`, {place}; {loads}."
    return Section(name, module.__doc__ or "", sentence, tuple(rows))


def command(name: str, full: bool, write: Path | None) -> str:
    """The command that updates this section alone."""
    options = [*(["--full"] if full else []), *([f"--write {write}"] if write else [])]
    return " ".join(["python -m bench", name, *options])


if __name__ == "__main__":
    main(prog_name="python -m bench")
