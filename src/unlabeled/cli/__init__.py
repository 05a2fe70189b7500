"""The command line, one file a command."""

from ._main import main

__all__ = ["main"]
