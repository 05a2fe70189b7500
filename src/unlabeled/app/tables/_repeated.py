"""A column that identifies something with several rows, such as a patient with several visits.

Rows of one patient are alike. If some of them are in the fit and others are scored, the scores have
seen the patient: counts, recall and precision are then far too good.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ._columns import storage
from ._words import count

# Values of an identifier with several rows: so many at least, and such a part of all. A value has
# at most so many rows on the mean.
_FEWEST_VALUES, _SEVERAL, _MOST_ROWS_PER_VALUE = 20, 0.1, 30.0
# A column is alike within values if distances there are shorter by so much than distances to rows
# of the next value, by more than so many standard errors.
_ALIKE, _CERTAIN = 0.05, 3.0
# So many of the columns are alike if the value identifies something. A postal code or a product
# decides a few columns; with a name that says what it is, a few columns are enough.
_MOST_COLUMNS, _SOME_COLUMNS = 0.5, 0.3
# Or the labels agree as much as this: labels were given to values, not to rows.
_SAME_LABEL, _SURE = 0.5, 5.0
_NAMED = re.compile(
    r"(^|[\W_])(patient|person|subject|participant|respondent|proband|customer|client|user|member|"
    r"household|family|animal|pupil|student|employee|donor|account)s?([\W_]|$)",
    re.IGNORECASE,
)
# Rows that are looked at, in runs of values that lie next to each other.
_MOST_ROWS, _RUN = 20_000, 50


class Repeated(NamedTuple):
    """A column whose values have several rows that are alike."""

    name: str
    n_values: int
    n_rows: int
    of_drawn: bool = False

    @property
    def remark(self) -> str:
        """What was found, in one sentence."""
        if self.of_drawn:
            return (
                f"Values of {self.name!r} have several rows, and rows of one value are alike: the "
                f"{count(self.n_rows)} rows that were drawn have {count(self.n_values)} values."
            )
        per_value = self.n_rows / self.n_values
        each = f"{per_value:.1f}" if per_value < 10 else f"{per_value:.0f}"
        return (
            f"{self.name!r} has {count(self.n_values)} values with {each.removesuffix('.0')} rows "
            "each on the mean, and rows of one value are alike."
        )

    @property
    def answers(self) -> str:
        """How a user of the command line says whether rows of one value belong together."""
        name = shlex.quote(self.name)
        return f"`--group {name}` says that this is right, `--no-group` that it is not."


def repeated_rows(
    frame: Any,
    s: np.ndarray,
    features: Iterable[str],
    candidates: Iterable[str],
    seed: int = 0,
    drawn: float = 1.0,
) -> Repeated | None:
    """Find the column that identifies something with several rows.

    Parameters
    ----------
    frame : pandas.DataFrame
        The table.
    s : ndarray of shape (n_rows,)
        1 for labeled rows, 0 for the others.
    features, candidates : list of str
        The columns that are compared within values, and those that may be the one.
    seed : int
        Of the rows that are compared.
    drawn : float
        The share of a larger table that these rows were drawn from.

    Returns
    -------
    repeated : Repeated or None
        Of several columns the one with most values, unless the values of another hold whole values
        of it that are alike, as households hold persons; a year of birth also has whole persons,
        but they are not alike.

    Notes
    -----
    A row is compared with another row of the same value, and with a row of the next value in their
    order. In a number such as the age, or in sorted postal codes, neighbors are as alike as rows of
    one value; values of an identifier have no such neighbors.
    """
    features, found = tuple(features), {}
    for name in candidates:
        codes = _codes(frame[name], drawn)
        if codes is not None and _are_alike(frame, s, features, name, codes, seed):
            found[name] = codes
    chosen: str | None = None
    for name in sorted(found, key=lambda one: -found[one].max()):
        if chosen is None or _holds(frame, s, features, name, found[name], found[chosen], seed):
            chosen = name
    if chosen is None:
        return None
    return Repeated(chosen, int(found[chosen].max()) + 1, len(frame), drawn < 1)


def _codes(column: Any, drawn: float) -> np.ndarray | None:
    """Return the position of each row's value in their order; None for what is no identifier.

    Of values that have two rows, drawn rows have both for a share of about `drawn`.
    """
    import pandas as pd

    if storage(column) not in ("number", "text") or column.isna().any():
        return None
    values = column.astype(str) if storage(column) == "text" else column
    if storage(column) == "number" and not bool((values == values.round()).all()):
        return None
    codes, distinct = pd.factorize(values, sort=True)
    several = int(np.sum(np.bincount(codes) > 1))
    few = several < max(_FEWEST_VALUES, drawn * _SEVERAL * len(distinct))
    most = _MOST_ROWS_PER_VALUE
    if drawn < 1:  # a value of which no row was drawn is not there
        most *= drawn / -np.expm1(-most * drawn)
    many_rows = len(codes) > most * len(distinct)
    return None if few or many_rows else np.asarray(codes)


def _holds(
    frame: Any,
    s: np.ndarray,
    features: tuple[str, ...],
    name: str,
    codes: np.ndarray,
    finer: np.ndarray,
    seed: int,
) -> bool:
    """Whether values hold whole finer values, and one row of each is alike too."""
    first = np.unique(finer, return_index=True)[1]
    if not np.array_equal(codes, codes[first][finer]):
        return False
    rows = frame.iloc[first].reset_index(drop=True)
    of_rows = np.unique(codes[first], return_inverse=True)[1]
    return _are_alike(rows, s[first], features, name, of_rows, seed)


def _are_alike(
    frame: Any, s: np.ndarray, features: tuple[str, ...], name: str, codes: np.ndarray, seed: int
) -> bool:
    """Whether labels, or most columns, agree within values more than with the next value."""
    one, same, next_ = _pairs(codes, np.random.default_rng(seed))
    if len(one) == 0:
        return False
    labels = s - s[np.unique(one)].mean()
    gain = labels[one] * (labels[same] - labels[next_])
    agreement = gain.mean() / max(float(np.mean(labels[one] ** 2)), 1e-12)
    sure = _standard_errors(gain)
    if agreement >= _SAME_LABEL and sure >= _SURE:
        return True
    others = (column for column in features if column != name)
    alike = [_is_alike(frame[column], one, same, next_) for column in others]
    share = float(np.mean(alike)) if alike else 0.0
    return share >= (_SOME_COLUMNS if _NAMED.search(name) else _MOST_COLUMNS)


def _pairs(codes: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return rows, each with another row of its value and a row of the next value."""
    n_values = int(codes.max()) + 1
    if len(codes) > _MOST_ROWS:
        n_runs = -(-n_values // _RUN)
        taken = np.zeros(n_runs, dtype=bool)
        taken[rng.permutation(n_runs)[: max(1, int(n_runs * _MOST_ROWS / len(codes)))]] = True
        rows = np.flatnonzero(taken[codes // _RUN])
    else:
        rows = np.arange(len(codes))
    rows = rows[np.lexsort((rng.random(len(rows)), codes[rows]))]
    value = np.unique(codes[rows], return_inverse=True)[1]
    first = np.flatnonzero(value[1:] == value[:-1])
    starts = np.searchsorted(value, np.arange(value[-1] + 2))
    next_value = np.where(value[first] < value[-1], value[first] + 1, value[first] - 1)
    inside = (rng.random(len(first)) * np.diff(starts)[next_value]).astype(np.int64)
    return rows[first], rows[first + 1], rows[starts[next_value] + inside]


def _is_alike(column: Any, one: np.ndarray, same: np.ndarray, next_: np.ndarray) -> bool:
    import pandas as pd

    if storage(column) in ("number", "date"):
        rank = column.rank(pct=True).fillna(0.5).to_numpy(dtype=np.float64)
        within, between = (np.abs(rank[one] - rank[other]) for other in (same, next_))
    else:
        level = pd.factorize(column)[0]
        within, between = ((level[one] != level[other]).astype(float) for other in (same, next_))
    gain = between - within
    return bool(gain.mean() > _ALIKE * between.mean() and _standard_errors(gain) > _CERTAIN)


def _standard_errors(gain: np.ndarray) -> float:
    """Return how many standard errors the mean lies above 0."""
    error = float(gain.std()) / np.sqrt(len(gain))
    mean = float(gain.mean())
    return mean / error if error > 0 else float(np.sign(mean) * np.inf if mean else 0.0)
