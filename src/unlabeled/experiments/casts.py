"""Casts by name, so that a worker can find the methods of a plan it was sent."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from .errors import ResultsError
from .methods import Method
from .plan import Key


def load_cast(name: str) -> Mapping[Key, Method]:
    """Return the methods of a cast by their keys.

    Parameters
    ----------
    name : str
        "module:attribute"; every worker must be able to import the module.
    """
    module, _, attribute = name.partition(":")
    try:
        cast: Mapping[Key, Method] = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ResultsError(
            f"`cast` must name methods that can be imported, as 'module:attribute'; got {name!r} "
            f"({error})."
        ) from None
    return cast
