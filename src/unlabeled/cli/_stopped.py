"""Ctrl-C: one line and an exit code, whatever was being done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

INTERRUPTED = 130
"""Exit code of a command that was stopped by Ctrl-C."""


@contextmanager
def told_when_stopped(sentence: str = "Stopped; nothing was written.") -> Iterator[None]:
    """End with a sentence, and no traceback, when the user stops what is done here."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\n{sentence}", err=True)
        sys.exit(INTERRUPTED)
