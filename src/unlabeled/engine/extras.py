"""Packages that come with an extra, and the sentence where one is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Say which extra brings a package that is missing; also a decorator.

    Parameters
    ----------
    what : str
        What needs the package, as the sentence begins.
    extra : str
        The extra of this package that installs it.

    Raises
    ------
    ImportError
        In place of the error of an import that finds no such package.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{what} needs {error.name}, which is not installed: pip install 'unlabeled[{extra}]'.",
            name=error.name,
        ) from None
