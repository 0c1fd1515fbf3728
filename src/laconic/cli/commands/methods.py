"""The command `methods`: what there is to choose from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from laconic.cli.console import (
    print_methods,
)

if TYPE_CHECKING:
    pass


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per method.")
def methods(as_json: bool) -> None:
    """List the methods: what they select, from which paper, and at what cost."""
    from laconic.methods import METHODS

    if not as_json:
        print_methods(METHODS.values())
        return
    for method in METHODS.values():
        click.echo(json.dumps(method.described(), ensure_ascii=False))
