"""The command `laconic`.

Heavy imports stay inside the commands, so help is instant.
"""

from __future__ import annotations

import sys
import warnings
from io import TextIOWrapper
from signal import SIGTERM, signal
from threading import current_thread, main_thread
from typing import Any

import click

from laconic import __version__
from laconic.cli.commands.completion import completion
from laconic.cli.commands.corpus import corpus
from laconic.cli.commands.curve import curve
from laconic.cli.commands.explain import explain
from laconic.cli.commands.export import export
from laconic.cli.commands.methods import methods
from laconic.cli.commands.predict import predict
from laconic.cli.commands.report import report
from laconic.cli.commands.select import select
from laconic.cli.commands.study import study
from laconic.cli.commands.train import train
from laconic.cli.console import printable, say_aside
from laconic.cli.exit_codes import EXIT_CODES, Code, one_line
from laconic.errors import LaconicWarning

COMMANDS = (
    corpus,
    curve,
    study,
    report,
    methods,
    select,
    export,
    train,
    predict,
    explain,
    completion,
)


class EndsInOneLine(click.Command):
    """Ends with a result or with one line on standard error (`laconic.cli.exit_codes`)."""

    def make_context(self, *args: Any, **settings: Any) -> click.Context:
        with one_line():  # --help and --version print here
            return super().make_context(*args, **settings)

    def invoke(self, ctx: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
        if current_thread() is main_thread():
            # so that incomplete files are removed when the process is terminated
            signal(SIGTERM, lambda *_: sys.exit(Code.TERMINATED))
        with one_line(), warnings.catch_warnings():
            warnings.simplefilter("default", LaconicWarning)
            warnings.showwarning = show_warning
            return super().invoke(ctx)


class Laconic(EndsInOneLine, click.Group):
    """The group of all commands."""


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a line for users, without the source line."""
    say_aside(f"laconic: note: {printable(str(message))}")


@click.group(
    cls=Laconic, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES
)
@click.version_option(__version__, prog_name="laconic")
def main() -> None:
    """Finds the few words a text classifier needs, and proves what is lost.

    \b
    laconic study tickets.csv --text body --label queue    # compare methods and sizes
    laconic corpus tickets.csv --text body --label queue   # describe a corpus
    laconic methods                                        # list the methods
    """


for command in COMMANDS:
    main.add_command(command)
