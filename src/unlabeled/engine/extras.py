"""Optional packages: the error that names the extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs_extra(what: str, extra: str) -> Iterator[None]:
    """Turn a missing package into an error that names the extra to install.

    Usable as context manager and as decorator.

    Parameters
    ----------
    what : str
        What needs the package; the message begins with it.
    extra : str
        The extra of `unlabeled` that installs it.

    Raises
    ------
    ImportError
        In place of a ModuleNotFoundError.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{what} needs {error.name}, which is not installed: pip install 'unlabeled[{extra}]'.",
            name=error.name,
        ) from None
