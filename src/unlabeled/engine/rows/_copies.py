"""Equal rows: which they are, and whether chance explains how many there are.

Three signs tell copies from rows that coincide. None of them fires on a table whose rows were drawn
independently, whatever they were drawn from:

- *How often rows occur.* Let :math:`f_k` be the number of distinct rows that occur k times. Rows
  that are drawn independently are a mixture of Poisson counts, so that in expectation
  :math:`f_k^2 \\le \\frac{k+1}{k} f_{k-1} f_{k+1}`: where many rows occur twice, some occur three
  times. Where each copied row is copied once, few do.
- *Multiples.* Nearly every distinct row occurs an even number of times, or a multiple of 3 to 10.
- *Columns without ties.* The distinct rows nearly all differ in a column whose values are not on a
  coarse grid, yet many rows are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import poisson
from sklearn.utils import _safe_indexing

from ...codes import Message, is_ignored, warn
from ..arrays import Array, cells_of, is_sparse, on_host, to_host
from ._blocks import consecutive_slices, map_rows, take_rows
from ._sample import mixed, sums_of_cells

if TYPE_CHECKING:
    from ._rows import Rows

# Rows that are hashed at a time, and columns that are hashed first: where those differ, so do rows.
_BLOCK_ROWS, _FEW_COLUMNS = 4096, 8

# Which rows are equal.


def number_distinct_rows(X: Any) -> Array | None:
    """Number the distinct rows, and return the number of each row; None if no two are equal.

    Cells that are numbers are compared in double precision: 0.0 is -0.0, and NaN is NaN. Other
    cells are compared as text. The numbers are in a random order.

    Parameters
    ----------
    X : array-like, sparse matrix, frame or list
        Rows in memory, or on a device.

    Examples
    --------
    >>> number = number_distinct_rows([[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
    >>> bool(number[0] == number[2] != number[1])
    True
    >>> number_distinct_rows([[1.0], [2.0]]) is None
    True
    """
    keys = keys_of_equal_rows(X)
    return None if keys is None else numbered(keys)


def keys_of_equal_rows(X: Any) -> Array | None:
    """Return 64 bits for each row, which are those of its equals; None if no two rows are equal."""
    keys = _keys(to_host(X))
    return None if keys is None or not count_ties(keys) else keys


def numbered(keys: Array) -> Array:
    """Number the distinct keys from 0 on, and return the number of each row's."""
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def numbered_as_they_come(number: Array) -> Array:
    """Renumber from 0 on by first occurrence, so that numbers say which rows are equal and no more.

    Examples
    --------
    >>> numbered_as_they_come(np.array([7, 3, 7, 5])).tolist()
    [0, 1, 0, 2]
    """
    _, first, place = np.unique(number, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[place])


def count_ties(keys: Array) -> int:
    """Return how many rows there are less how many distinct ones."""
    ordered = np.sort(keys)
    return int(np.count_nonzero(ordered[1:] == ordered[:-1]))


def _keys(X: Any) -> Array | None:
    """Return 64 bits for each row: equal for equal rows, and different otherwise.

    None if it turned out before all cells were read that no two rows are equal.
    """
    if is_sparse(X):
        return sums_of_cells(X, in_double=True)
    if hasattr(X, "iloc"):
        return _keys_of_frame(X)
    if isinstance(X, list) and X and isinstance(X[0], str | dict):
        return _keys_of_texts(X)
    cells = cells_of(X)
    if cells.dtype.kind not in "biuf" or cells.ndim == 1:
        return _keys_of_texts(cells)
    return _keys_of_numbers(cells.reshape(len(cells), -1))


def _keys_of_numbers(cells: Array) -> Array | None:
    """Hash a few columns; hash all columns of those rows that are equal in these."""
    n_columns = cells.shape[1]
    if n_columns <= _FEW_COLUMNS:
        return _hashed(cells)
    few = np.linspace(0, n_columns - 1, _FEW_COLUMNS).astype(int)
    keys = map_rows(partial(_hash_of_few, few), _BLOCK_ROWS, cells, dtype=np.uint64)
    if not count_ties(keys):
        return None
    _, number, times = np.unique(keys, return_inverse=True, return_counts=True)
    twins = np.flatnonzero(times[number] > 1)
    for block in consecutive_slices(len(twins), 16 * _BLOCK_ROWS):
        keys[twins[block]] = _hashed(cells[twins[block]])
    return np.asarray(keys)


def _hashed(cells: Array) -> Array:
    hashed = map_rows(partial(sums_of_cells, in_double=True), _BLOCK_ROWS, cells, dtype=np.uint64)
    return np.asarray(hashed)


def _hash_of_few(few: Array, cells: Array) -> Array:
    # Mixed, so that it is no sum of all cells: the column with number 3 may be the second here.
    return mixed(sums_of_cells(cells[:, few], in_double=True))


def _keys_of_frame(X: Any) -> Array:
    """Hash columns of numbers as numbers, and the others by pandas."""
    is_number = [getattr(kind, "kind", "O") in "biuf" and _is_plain(kind) for kind in X.dtypes]
    places = np.flatnonzero(is_number)
    blocks = consecutive_slices(len(X), 4 * _BLOCK_ROWS)
    keys = np.zeros(len(X), np.uint64)
    if len(places):
        keys = np.concatenate([_hashed(np.asarray(X.iloc[block, places])) for block in blocks])
    others = X.iloc[:, np.flatnonzero(~np.array(is_number, dtype=bool))]
    if others.shape[1]:
        hash_of = import_module("pandas").util.hash_pandas_object
        try:
            hashed = hash_of(others, index=False)
        except TypeError:  # cells that cannot be hashed, such as lists
            hashed = hash_of(others.astype(str), index=False)
        keys = keys * np.uint64(3) + np.asarray(hashed)
    return keys


def _is_plain(kind: Any) -> bool:
    return isinstance(kind, np.dtype)


def _keys_of_texts(rows: Any) -> Array:
    def texts() -> Iterator[str]:
        for row in rows:
            yield row if isinstance(row, str) else "\0".join(map(str, np.ravel(row)))

    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts()
    )
    return np.frombuffer(b"".join(digests), np.uint64)


# Whether chance explains them.

# Fewer copies than this share of the rows, or this number, are not judged: they change little.
_SOME, _FEWEST = 0.1, 5
# Of labeled rows that have an unlabeled copy, so many: a row of a large set is labeled more often.
_SOME_OF_LABELED = 0.3
# How many times a row may occur in the comparison of f_k, and how sure it must be. Counts are taken
# to be this many standard errors nearer to what chance predicts.
_MOST_TIMES, _ERRORS, _LEVEL = 20, 2.0, 1e-3
# Multiples: this share of the distinct rows, of which there are at least so many.
_NEARLY_ALL, _FEWEST_DISTINCT, _MULTIPLES = 0.95, 20, range(2, 11)
# Columns without ties: among this many distinct rows, at most so many columns.
_MOST_ROWS, _MOST_COLUMNS = 2000, 100
_NEARLY_DIFFERENT, _AT_LEAST_OF_ROWS, _MODE = 0.9, 0.25, 0.05
_TIMES_EXPECTED, _AND_MORE = 3.0, 10
# The order of one column is not that of another if it turns at so many of the rows.
_TURNS = 0.1


def occur_too_often(times: Array) -> bool:
    """Whether distinct rows occur so often that independent draws do not explain it.

    Parameters
    ----------
    times : ndarray of shape (n_distinct,)
        How often each distinct row occurs.

    Examples
    --------
    >>> once, twice = np.ones(750, int), np.full(250, 2)
    >>> occur_too_often(np.append(once, twice)), occur_too_often(once)
    (True, False)
    """
    f = np.bincount(np.minimum(times, _MOST_TIMES + 2), minlength=_MOST_TIMES + 3).astype(float)
    k = np.arange(2, _MOST_TIMES + 1)
    error = _ERRORS * np.sqrt(f)
    least = np.maximum(f - error, 0)[k]
    before = (f + error)[k - 1] + _ERRORS
    expected = least**2 * k / (k + 1) / before
    if np.any(poisson.cdf(f[k + 1], expected) < _LEVEL):
        return True
    enough = len(times) >= _FEWEST_DISTINCT
    return enough and any(np.mean(times % m == 0) >= _NEARLY_ALL for m in _MULTIPLES)


def differ_but_for_copies(X: Any, number: Array) -> bool:
    """Whether the distinct rows nearly all differ in a column, and yet many rows are equal.

    Rows in which the column has its most frequent value, such as 0, are left out, and so are
    missing cells. The column's grid must be too fine for so many ties: its step is the smallest
    difference of two values, and half of the rows lie between the quartiles. Nor may all other
    columns rise or fall with it, as its square would: then the table is a single column.
    """
    drawn = np.flatnonzero(number < _MOST_ROWS)  # the numbers are in a random order
    number = number[drawn]
    columns = _some_columns(take_rows(drawn, X)[0])
    return columns is not None and any(
        _has_no_ties(columns, number, place) for place in range(columns.shape[1])
    )


def _some_columns(X: Any) -> Array | None:
    """Return at most some columns as numbers, those of text as codes; None if there is one."""
    if len(getattr(X, "shape", ())) != 2 or X.shape[1] < 2:
        return None
    if is_sparse(X):
        fullest = np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[:_MOST_COLUMNS]
        return np.asarray(X[:, fullest].toarray(), dtype=np.float32)
    most = min(X.shape[1], _MOST_COLUMNS)
    places = np.linspace(0, X.shape[1] - 1, most).astype(int)
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf":
        return X[:, places].astype(np.float32)
    return np.column_stack([_as_numbers(_safe_indexing(X, one, axis=1)) for one in places])


def _as_numbers(column: Any) -> Array:
    cells = cells_of(column)
    if cells.dtype.kind in "biuf":
        return cells.astype(np.float32)
    return np.unique([str(cell) for cell in cells], return_inverse=True)[1].astype(np.float32)


def _has_no_ties(columns: Array, number: Array, place: int) -> bool:
    value = columns[:, place]
    known = ~np.isnan(value)
    values, times = np.unique(value[known], return_counts=True)
    if len(values) < _FEWEST_DISTINCT:
        return False
    if times.max() > _MODE * len(value):
        known &= value != values[times.argmax()]
    value, number = value[known], number[known]
    values, n_distinct = np.unique(value), len(np.unique(number))
    copies = len(value) - n_distinct
    if len(value) < _AT_LEAST_OF_ROWS * len(columns) or copies < _SOME * len(value):
        return False
    low, high = np.quantile(value, [0.25, 0.75])
    if len(values) < _NEARLY_DIFFERENT * n_distinct or low == high:
        return False
    ties = 0.5 * len(value) ** 2 * 0.5 * float(np.diff(values).min()) / float(high - low)
    if copies <= _TIMES_EXPECTED * ties + _AND_MORE:
        return False
    first = np.unique(number, return_index=True)[1]
    along = columns[known][first[np.argsort(value[first])]]
    return any(_turns(along[:, one]) for one in range(columns.shape[1]) if one != place)


def _turns(column: Array) -> bool:
    """Whether a column goes up and down again and again."""
    steps = np.diff(column[~np.isnan(column)])
    signs = np.sign(steps[steps != 0])
    return bool(np.sum(signs[1:] != signs[:-1]) >= _TURNS * len(column))


@dataclass(frozen=True)
class Repeats:
    """How many rows repeat another row, with the same label or with another; prints as a sentence.

    Attributes
    ----------
    n_rows : int
    labeled, unlabeled : int
        Rows that repeat a row of the same label: all but one of those that are equal.
    both : int
        Distinct rows that are labeled and unlabeled; each is repeated once more.
    """

    n_rows: int
    labeled: int
    unlabeled: int
    both: int

    @classmethod
    def of(cls, number: Array, s: Array) -> Repeats:
        """Count, from the number of each row's distinct row and whether it is labeled."""
        size = int(number.max()) + 1
        on, off = (np.bincount(number[s == one], minlength=size) for one in (1, 0))
        labeled, unlabeled = (int(np.sum(np.maximum(one - 1, 0))) for one in (on, off))
        return cls(len(number), labeled, unlabeled, int(np.sum((on > 0) & (off > 0))))

    @property
    def count(self) -> int:
        """Rows that repeat another row."""
        return self.labeled + self.unlabeled + self.both

    def __str__(self) -> str:
        repeat = "row repeats" if self.count == 1 else "rows repeat"
        return (
            f"{self.count} of {self.n_rows} {repeat} another row ({self.labeled} labeled ones a "
            f"labeled row, {self.unlabeled} unlabeled ones an unlabeled row, and {self.both} a row "
            "with the other label)"
        )


def may_matter(n_repeated: int, s: Array) -> bool:
    """Whether so many repeated rows are enough to be judged, of all rows or of one label."""
    n_labeled = int(np.count_nonzero(s))
    rarer = min(n_labeled, len(s) - n_labeled)
    return n_repeated >= max(_SOME * rarer, _FEWEST)


def are_copies(X: Any, number: Array, s: Array) -> bool:
    """Whether more rows are equal than chance explains: of all, of the labeled, or of the others.

    Parameters
    ----------
    X : rows in memory
    number : ndarray of shape (n_rows,)
        The number of each row's distinct row, in a random order.
    s : ndarray of shape (n_rows,)
        1 for labeled rows, 0 for the others.
    """
    size = int(number.max()) + 1
    on, off = (np.bincount(number[s == one], minlength=size) for one in (1, 0))
    if any(_is_copied(X, number, s, *one) for one in ((on + off, None), (on, 1), (off, 0))):
        return True
    both = (on > 0) & (off > 0)
    if on[both].sum() < max(_SOME_OF_LABELED * on.sum(), _FEWEST):
        return False
    return _differ(X, number, np.flatnonzero((s == 1) | both[number]))


def _is_copied(X: Any, number: Array, s: Array, times: Array, label: int | None) -> bool:
    """Whether the rows with a label, or all rows, are copies; `times` counts distinct rows."""
    times = times[times > 0]
    n_rows = int(times.sum())
    if n_rows - len(times) < max(_SOME * n_rows, _FEWEST):
        return False
    return occur_too_often(times) or _differ(
        X, number, None if label is None else np.flatnonzero(s == label)
    )


def _differ(X: Any, number: Array, part: Array | None) -> bool:
    if not (on_host(X) or hasattr(X, "iloc")):
        return False
    if part is None:
        return differ_but_for_copies(X, number)
    renumbered = np.unique(number[part], return_inverse=True)[1]
    return differ_but_for_copies(take_rows(part, X)[0], renumbered)


def report_copies(rows: Rows, more: str = "") -> None:
    """Warn if rows are repeated; if they count once, and some are labeled and unlabeled, say that.

    Parameters
    ----------
    rows : Rows
    more : str
        What else the copies do in this fit.
    """
    if is_ignored("PU129"):
        return
    found = rows.copies
    if found is not None:
        harm = f"Each copy counts as a new row, so intervals are too short.{more and ' ' + more}"
        remedy = (
            "If they are copies, drop them, or pass groups='copies' to a fit that takes `groups`: "
            "equal rows then count once. If equal rows belong together, such as those of one "
            "person, pass the persons as `groups`."
        )
        warn("PU129", Message(f"{found}, more than chance explains. {harm}", python=remedy))
    elif rows.groups is not None and rows.distinct_row is not None and not rows.sampling.is_two:
        _report_both_labels(rows.groups, rows.distinct_row, rows.s)


def _report_both_labels(groups: Array, number: Array, s: Array) -> None:
    """Warn if each group is all copies of one row, and some are labeled and unlabeled."""
    n_pairs = len(np.unique(np.column_stack([groups, number]), axis=0))
    if n_pairs > min(len(np.unique(groups)), len(np.unique(number))):
        return
    both = Repeats.of(number, s).both
    if both:
        rows = "row is" if both == 1 else "rows are"
        warn(
            "PU129",
            Message(
                f"{both} distinct {rows} both labeled and unlabeled. The unlabeled copies count as "
                "unlabeled rows, so the label frequency comes out too small.",
                python="Drop the unlabeled copies of labeled rows.",
            ),
        )
