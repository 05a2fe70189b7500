"""How a command ends when it cannot go on: one sentence and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

BAD_INPUT, BAD_OUTPUT, INTERRUPTED = 2, 3, 130
"""Exit codes: input that cannot be used, output that cannot be written, and Ctrl-C."""


@contextmanager
def exit_codes() -> Iterator[None]:
    """End with a sentence and an exit code if a command cannot go on."""
    with exit_when_stopped():
        try:
            yield
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from ..app.run import InputError, OutputError  # needed only here: it loads NumPy

            if not isinstance(error, InputError | OutputError):
                raise
            ended = click.ClickException(str(error))
            ended.exit_code = BAD_INPUT if isinstance(error, InputError) else BAD_OUTPUT
            raise ended from None


@contextmanager
def exit_when_stopped(sentence: str = "Stopped; nothing was written.") -> Iterator[None]:
    """End with a sentence instead of a traceback when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\n{sentence}", err=True)
        sys.exit(INTERRUPTED)
