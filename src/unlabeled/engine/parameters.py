"""Checks of constructor parameters: each raises an error that says what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import signature
from numbers import Integral, Number, Real
from typing import Any

import numpy as np

MOST_FEATURES_SQUARED = 20_000
"""A dense square matrix of this many features takes 3 GB."""


def check_positive(name: str, value: Any, kind: type[Any], allowed: str) -> None:
    """Reject anything but a positive number of `kind`; `allowed` describes it in words."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, kind) or not value > 0:
        raise ValueError(f"`{name}` must be {allowed}; got {value!r}.")


def check_verbose(value: Any) -> None:
    """Reject anything but a whole number of at least 0; True is 1, as in scikit-learn."""
    if not isinstance(value, Integral) or value < 0:
        raise ValueError(f"`verbose` must be a whole number of at least 0; got {value!r}.")


def check_seed(value: Any) -> None:
    """Reject a `random_state` that scikit-learn does not take."""
    from sklearn.utils import check_random_state  # commands check numbers without scikit-learn

    try:
        check_random_state(value)
    except ValueError:
        raise ValueError(
            "`random_state` must be None, a whole number of at least 0 or a "
            f"numpy.random.RandomState; got {value!r}."
        ) from None


def check_fraction(name: str, value: Any, none_allowed: bool = False) -> None:
    """Reject anything but a number in (0, 1], or None if that is allowed."""
    if value is None and none_allowed:
        return
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not 0 < value <= 1:
        allowed = "None or in (0, 1]" if none_allowed else "in (0, 1]"
        raise ValueError(f"`{name}` must be {allowed}; got {value!r}.")


def check_level(value: Any) -> None:
    """Reject a level of an interval that is not a number between 0 and 1."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise ValueError(f"`confidence_level` must be between 0 and 1; got {value!r}.")


def check_ridge(C: Any) -> None:
    """Reject an inverse penalty strength that is not positive; inf means no penalty."""
    check_positive("C", C, Real, "a positive number, inf for no penalty")


def check_stopping(tol: Any, max_iter: Any) -> None:
    """Reject a tolerance or a number of iterations that is not positive."""
    check_positive("tol", tol, Real, "a positive number")
    check_positive("max_iter", max_iter, Integral, "a whole number of at least 1")


def check_flag(name: str, value: Any) -> None:
    """Reject anything but True and False."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"`{name}` must be True or False; got {value!r}.")


def check_choice(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Reject anything but one of the words `allowed`."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"`{name}` must be one of {listed(allowed)}; got {value!r}.")


def check_defaults(estimator: Any, names: Sequence[str], settings: str) -> None:
    """Reject parameters that `settings` determines unless they have their defaults."""
    parameters = signature(type(estimator)).parameters
    for name in names:
        given, default = getattr(estimator, name), parameters[name].default
        if not (given is default or (isinstance(given, str | Number) and given == default)):
            raise ValueError(
                f"`{name}` must be left at its default, {default!r}, when settings={settings!r}; "
                f"got {given!r}. Use settings='converged' to choose it."
            )


def check_square_matrix(n_features: int, what: str, instead: str) -> None:
    """Reject tables with too many features for a dense square matrix of them."""
    if n_features > MOST_FEATURES_SQUARED:
        raise ValueError(
            f"`X` must have at most {MOST_FEATURES_SQUARED} features for {what}, which needs a "
            f"features x features matrix; got {n_features}. {instead}"
        )


def listed(
    values: Iterable[Any], most: int | None = None, write: Callable[[Any], str] = repr
) -> str:
    """Write values for a message: the first `most` of them, and that there are more.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd", most=2), listed("abcd", most=2, write=str)
    ("'age', 'dose'", "'a', 'b', ...", 'a, b, ...')
    """
    written = [write(value) for value in values]
    more = [] if most is None or len(written) <= most else ["..."]
    return ", ".join(written[:most] + more)
