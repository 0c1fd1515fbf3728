"""The command `completion`: completes commands and options in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    pass


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that completes commands and options in a shell.

    \b
    laconic completion bash >> ~/.bashrc
    laconic completion fish > ~/.config/fish/completions/laconic.fish
    """
    from click.shell_completion import get_completion_class

    from laconic.cli.main import main

    completer = get_completion_class(shell)
    assert completer is not None
    click.echo(completer(main, {}, "laconic", "_LACONIC_COMPLETE").source())
