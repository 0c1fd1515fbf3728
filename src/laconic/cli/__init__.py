"""The command `laconic`: parses, calls the library, prints; decides nothing."""

from laconic.cli.commands import main

__all__ = ["main"]
