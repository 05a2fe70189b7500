"""What goes wrong with model files."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model file that cannot be written, read or trusted; the message says what to do.

    What a file says may be part of the message: characters that a terminal would obey are
    written as in Python's ``repr``.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(printable(str(message)))


def printable(text: str) -> str:
    """Write what is no letter, sign or blank as in Python's ``repr``.

    Examples
    --------
    >>> print(printable("r\u00e9gion \x1b[31m"))
    région \\x1b[31m
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def malformed(what: str) -> ModelFileError:
    """Refuse a description that skops would not have written."""
    return ModelFileError(f"is not described as skops does it ({what}). Save the model again.")
