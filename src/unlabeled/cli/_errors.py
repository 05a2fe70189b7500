"""How a command ends when it cannot go on: one sentence and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

# Arguments in the library's messages, and what the command line calls them.
_OPTION_OF = {
    "`path`": "TABLE",
    "`table`": "TABLE",
    "`y`": "`--label`",
    "`n_repeats`": "`--repeats`",
    "`groups`": "`--group`",
    "it takes several values": "it may be repeated",
    "use PULogistic": "use `--method pu-logistic`",
}
_OPTION_OF |= {
    f"`{name}`": f"`--{name.replace('_', '-')}`"
    for name in (
        *("label", "positive", "negative", "checked", "id", "group", "drop", "as_text", "rule"),
        *("class_prior", "test_size", "cases", "population", "labelled_by", "keep"),
        *("as_number", "missing", "day_first", "memory"),
    )
}


class BadInput(click.ClickException):
    """Input that cannot be used; the same exit code as for a wrong option."""

    exit_code = 2


class OutputError(click.ClickException):
    """Output that cannot be written."""

    exit_code = 3


INTERRUPTED = 130
"""Exit code of a command that Ctrl-C stopped."""


@contextmanager
def exit_when_stopped(sentence: str = "Stopped; nothing was written.") -> Iterator[None]:
    """End with a sentence instead of a traceback when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\n{sentence}", err=True)
        sys.exit(INTERRUPTED)


@contextmanager
def bad_input_of(command: str) -> Iterator[None]:
    """Turn a table that cannot be used, or a package that is missing, into one sentence."""
    from ..app.tables import TableError

    try:
        yield
    except ImportError as error:
        raise BadInput(
            f"`unlabeled {command}` needs {error.name or error}, which is not installed: "
            "pip install 'unlabeled[tables]'."
        ) from None
    except TableError as error:
        message = with_options(error)
        if command != "fit":
            message = message.replace("`--negative`", "`--negative` of `unlabeled fit`")
        raise BadInput(message) from None


def with_options(said: Exception | str) -> str:
    """Return an error or a remark of the library with the names of the command line."""
    message = str(said)
    for argument, option in _OPTION_OF.items():
        message = message.replace(argument, option)
    return message


def for_terminal(code: str | None, message: str) -> str:
    """Return the message of a warning or finding with advice for the command line.

    If some of its sentences speak of Python, the remedy of the code replaces them.
    """
    from ..app.tables import without_python
    from ..codes import CODES

    kept = without_python(message)
    if kept != message and code in CODES:
        meaning, remedy = CODES[code]
        kept = f"{kept or meaning + '.'} {remedy}"
    kept = kept or message
    return kept[:1].upper() + kept[1:]


def about_model(error: Exception, argument: str) -> str:
    """Return the message of a model-file error for users of the command line."""
    message = (
        str(error).replace("`path`", argument).replace("`pipeline`", f"the model in {argument}")
    )
    message = message.replace("Fit and save the model again.", "Fit the model again.")
    return message.replace(
        "Save the model with save_model.", "Name the folder that `unlabeled fit` wrote."
    )
