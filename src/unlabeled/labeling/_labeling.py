"""What all kinds of knowledge about the labeling share: a method, columns, what they refuse."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..engine.parameters import listed
from ..engine.sklearn_types import BaseEstimator
from ..scores import LabeledScore, Missed

_REMEDY = {
    "groups": "Fit without groups.",
    "sample_weight": "Fit without weights.",
    "checked": "Fit without the answers, and compare the count with an audit.",
}


class Labeling(BaseEstimator):
    """Base class of what a user says about how labels came about.

    A subclass has parameters, as a scikit-learn estimator, and the method `missed`.
    """

    @abstractmethod
    def missed(self, known: LabeledScore) -> Missed:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows, and the count.

        Parameters
        ----------
        known : LabeledScore
            Rows with labels, a held-out score, and what is known of them.

        Returns
        -------
        missed : Missed
        """


def reject_beside_history(
    known: LabeledScore, kind: str, why: dict[str, str] | None = None
) -> None:
    """Reject what a history cannot be combined with."""
    given = {"groups": known.groups, "sample_weight": known.weight, "checked": known.checked}
    for name, value in given.items():
        if value is not None:
            reason = (why or {}).get(name, "")
            raise ValueError(
                f"`{name}` must be None with labeling={kind}(){reason}; got some. {_REMEDY[name]}"
            )


def history_columns(
    history: Any, names: Sequence[str], n_rows: int, kind: str
) -> dict[str, np.ndarray]:
    """Return the named columns of a history as numbers; NaN is a missing cell.

    Parameters
    ----------
    history : frame, array-like or None
        A frame has columns of these names. An array has one column for each, in this order.
    names : sequence of str
    n_rows : int
    kind : str
        The class that asks, for messages.
    """
    wanted = f"`history` must have the columns {listed(names)}"
    if len(names) == 1:
        wanted = f"`history` must have the column {names[0]!r}"
    if history is None:
        raise ValueError(f"{wanted} with labeling={kind}(); got None. Pass fit(..., history=...).")
    if hasattr(history, "columns"):
        there = list(history.columns)
        missing = [name for name in names if name not in there]
        if missing:
            raise ValueError(f"{wanted}; got {listed(there)}. Rename the columns, or add them.")
        table = [_numbers(np.asarray(history[name]), name) for name in names]
    else:
        array = np.asarray(history)
        array = array[:, None] if array.ndim == 1 else array
        if array.ndim != 2 or array.shape[1] != len(names):
            raise ValueError(
                f"{wanted}, in this order; got an array of shape {np.shape(history)}. Pass a frame "
                "whose columns have these names."
            )
        table = [_numbers(array[:, k], name) for k, name in enumerate(names)]
    if any(len(column) != n_rows for column in table):
        raise ValueError(
            f"`history` must have one row for each of the {n_rows} rows; got {len(table[0])}. Pass "
            "the history of the same rows."
        )
    return dict(zip(names, table, strict=True))


def _numbers(column: np.ndarray, name: str) -> np.ndarray:
    """Return a column as floats; reject text and dates."""
    if column.dtype.kind in "mM":
        raise ValueError(
            f"`history` must hold numbers in {name!r}; got {column.dtype}. Pass numbers of days, "
            "such as (end - start).dt.days."
        )
    try:
        numbers = np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"`history` must hold numbers in {name!r}; got {column.dtype}. Turn them into numbers."
        ) from None
    if np.isinf(numbers).any():
        raise ValueError(
            f"`history` must hold finite numbers in {name!r}; got inf. Leave such cells empty, or "
            "drop these rows."
        )
    return numbers


def rows_in_words(wrong: np.ndarray) -> str:
    """Say how many rows are wrong, and which is the first."""
    numbers = np.flatnonzero(wrong)
    return f"{len(numbers)} row{'s' if len(numbers) > 1 else ''}, the first is row {numbers[0]}"
