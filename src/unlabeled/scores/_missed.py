"""What knowledge about the labeling gets to see, and what it says of each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._prior_density import PriorDensity


@dataclass(frozen=True, eq=False)
class LabeledScore:
    """Rows with labels and held-out logits of P(S=1|x), and what else is known of them.

    Attributes
    ----------
    label_logit : ndarray of shape (n_rows,)
        The logit of P(S=1|x) by a fit that has not seen the row.
    s : ndarray of shape (n_rows,)
        1 for labeled rows, 0 for the others.
    design : callable
        Maps a list of names or positions of columns of X, or None for all, to a matrix with a row
        for each row: standardized numbers, without missing ones.
    history : array-like, frame or None
        The columns about the labeling, as they were given.
    checked, weight, groups : ndarray of shape (n_rows,) or None
        As in `ScoredRows`.
    """

    label_logit: np.ndarray
    s: np.ndarray
    design: Callable[[Any], np.ndarray]
    history: Any = None
    checked: np.ndarray | None = None
    weight: np.ndarray | None = None
    groups: np.ndarray | None = None


class OfRows(NamedTuple):
    """P(Y=1|x) and P(Y=1|S=0,x) of rows."""

    posterior: np.ndarray
    missed: np.ndarray


class AtNewRows(Protocol):
    """What was learned, for rows without a history. It keeps no row."""

    def at(self, label_logit: np.ndarray, design: Callable[[Any], np.ndarray]) -> OfRows:
        """Return both probabilities of new rows; the arguments are those of `LabeledScore`."""
        ...


@dataclass(frozen=True, eq=False)
class Missed:
    """What knowledge says of the rows of a table.

    Attributes
    ----------
    of_rows : OfRows
        Of every row of the table; `missed` is P(Y=1) of the row if it has no label.
    density : PriorDensity
        The share of positives in the table.
    new_rows : AtNewRows
    said : tuple of str
        What a report says of the count, in sentences. The first names what is counted.
    found : object
        What this kind of knowledge found beside that; None if it has nothing.
    """

    of_rows: OfRows
    density: PriorDensity
    new_rows: AtNewRows
    said: tuple[str, ...] = ()
    found: Any = None
