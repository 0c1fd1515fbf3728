"""The command `laconic`: parses options, calls the library, prints results."""

from laconic.cli.main import main

__all__ = ["main"]
