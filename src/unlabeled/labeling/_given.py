"""The parameter `labeling` of a classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from ._follows_columns import FollowsColumns
from ._labeling import Labeling


def labeling_of(given: Any) -> Labeling | None:
    """Return what the parameter `labeling` says; names of columns say that labels follow them."""
    if given is None or isinstance(given, Labeling):
        return given
    is_number = isinstance(given, Integral) and not isinstance(given, bool)
    if isinstance(given, str | list | tuple) or is_number:
        return FollowsColumns(given)
    kind = f"the class {given.__name__}" if isinstance(given, type) else repr(given)
    raise ValueError(
        "`labeling` must be None, for labels given at random, names of columns that labels follow, "
        f"or an object of unlabeled.labeling; got {kind}. Pass one, such as ['age'], or "
        "KnownChances()."
    )


def columns_named_by(labeling: Labeling | None) -> list[Any]:
    """Return the names or positions of the columns of X that labels follow, as they were given."""
    given = getattr(labeling, "columns", None)
    if given is None:
        return []
    return [given] if isinstance(given, str | Integral) else list(given)
