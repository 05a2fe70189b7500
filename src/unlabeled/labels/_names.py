"""Features in words."""

from __future__ import annotations

from typing import Any


def names_or_numbers(names: Any, n_features: int) -> tuple[str, ...]:
    """Return the names of features as text; x0, x1, ... where they have none."""
    if names is None:
        names = [f"x{j}" for j in range(n_features)]
    return tuple(str(name) for name in names)


def quoted_column(names: Any, number: int) -> str:
    """Return the name of a column in quotes, or its number where columns have no names."""
    return str(number) if names is None else repr(str(names[number]))
