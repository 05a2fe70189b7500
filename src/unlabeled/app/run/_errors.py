"""Why what a command computes cannot go on: one sentence, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from ...codes import told_in_terminal

# Names in the library's messages, and what the command line calls them.
_OPTIONS = {"path": "TABLE", "table": "TABLE", "y": "`--label`", "n_repeats": "`--repeats`"}
_OPTIONS |= {"groups": "`--group`"}
_OPTIONS |= {
    name: f"`--{name.replace('_', '-')}`"
    for name in (
        *("label", "positive", "negative", "checked", "id", "group", "drop", "as_text", "rule"),
        *("class_prior", "test_size", "cases", "population", "labeled_by", "keep"),
        *("as_number", "missing", "day_first", "memory", "filled", "copies"),
    )
}
_NAME = re.compile(r"`(\w+)`")


class InputError(Exception):
    """Input that cannot be used; the message says what to do."""


class OutputError(Exception):
    """Output that cannot be written; the message says what to do."""


@contextmanager
def bad_input_of(command: str) -> Iterator[None]:
    """Turn a table that cannot be used, or a package that is missing, into one sentence."""
    from ..tables import TableError

    try:
        yield
    except ImportError as error:
        raise InputError(
            f"`unlabeled {command}` needs {error.name or error}, which is not installed: "
            "pip install 'unlabeled[tables]'."
        ) from None
    except TableError as error:
        of_fit = {} if command == "fit" else {"negative": "`--negative` of `unlabeled fit`"}
        raise InputError(in_terminal(error, **of_fit)) from None


def in_terminal(said: Exception | str, **names: str) -> str:
    """Return an error or a remark of the library for the command line.

    Names in backticks become those of the options, or the `names` that are given.
    """
    text = said.args[0] if isinstance(said, Exception) and said.args else said
    text = text if isinstance(text, str) else str(text)
    known = _OPTIONS | names
    return _NAME.sub(lambda name: known.get(name[1], name[0]), told_in_terminal(text))


def about_model(error: Exception, argument: str) -> str:
    """Return the message of a model-file error for users of the command line."""
    return in_terminal(error, path=argument, pipeline=f"the model in {argument}")
