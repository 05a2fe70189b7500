"""A random subset of rows, drawn by what is in them: the same in any order and in any place.

Every row gets a random key: a hash of its cells, its label and what else is known of it, mixed
with the seed. Sorted by their keys, the rows are in a random order, and the subset has rows at
equal distances in it. Copies of a row have one key and lie side by side, so a share of them is
drawn. Cells count in single precision, so that rows in single and in double precision, dense and
sparse, give the same subset.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from ..arrays import Array, cells_of, is_sparse, some_rows, to_host
from ._blocks import consecutive_slices, map_rows, weighted_mean

if TYPE_CHECKING:
    from ._rows import Rows

# Rows that are hashed at a time.
_BLOCK_ROWS = 4096
_MULTIPLIERS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows drawn at random, stratified by label.

    Attributes
    ----------
    whole : Rows
        The rows they were drawn from.
    row_index : ndarray of shape (n_drawn,)
        Their positions there, rising.
    """

    whole: Rows
    row_index: Array

    @property
    def is_whole(self) -> bool:
        """Whether all rows were drawn."""
        return len(self.row_index) == self.whole.s.shape[0]

    @cached_property
    def rows(self) -> Rows:
        """The drawn rows. Chunks are put together as they are: frames remain frames."""
        return self.whole.to_host() if self.is_whole else self.whole.take(self.row_index)

    @property
    def rest(self) -> Rows:
        """The other rows, of rows in chunks; nothing is loaded."""
        whole = self.whole
        table = whole.X.table.without(self.row_index, self.rows.s)
        columns = ("X", "s", "weight", "unit")
        given = {name: getattr(whole, name) for name in columns}
        return replace(whole, **{name: one and one.of_table(table) for name, one in given.items()})

    @property
    def note(self) -> str | None:
        """Say which rows were drawn; None if all were."""
        if self.is_whole:
            return None
        n_rows, n_labeled = self.whole.s.shape[0], self.whole.n_labeled
        return sample_note(len(self.row_index), n_rows, self.rows.n_labeled, n_labeled)

    @property
    def has_more_labeled(self) -> bool:
        """Whether labeled rows were drawn more often than others."""
        as_often = len(self.row_index) * (self.whole.n_labeled / self.whole.s.shape[0])
        return self.rows.n_labeled > round(as_often)

    @cached_property
    def weighted(self) -> Rows:
        """The drawn rows with weights, so that the labeled share is that of all rows.

        A drawn unlabeled row stands for more rows if labeled rows were drawn more often. X is
        where it was, or in memory if it was in chunks; labels and weights are in memory.
        """
        rows = self.rows
        s = np.asarray(to_host(rows.s), dtype=np.float64)
        weight = np.ones(len(s)) if rows.weight is None else np.asarray(to_host(rows.weight))
        share, here = self.whole.labeled_share, weighted_mean(s, weight)
        more = (1 - share) / share * here / (1 - here)
        weight = np.where(s > 0, weight, weight * more)
        return replace(
            rows, s=s, weight=weight, unit=None if rows.unit is None else to_host(rows.unit)
        )


def sample_note(n_drawn: int, n_rows: int, labeled_drawn: int, n_labeled: int) -> str:
    """Say which rows were used, for results."""
    return (
        f"on {n_drawn} of the {n_rows} rows, drawn at random; {labeled_drawn} of the {n_labeled} "
        "labeled ones are among them"
    )


def sample_rows(rows: Rows, max_rows: int | None, random_state: Any, enough: int) -> Sample:
    """Draw at most `max_rows` rows: see `Rows.sample`."""
    n_rows = int(rows.s.shape[0])
    if max_rows is None or max_rows >= n_rows:
        return Sample(rows, np.arange(n_rows))
    seed = 0
    if random_state is not None:
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    order = np.argsort(_keys(rows, seed))  # unlabeled rows first
    n_labeled = rows.n_labeled
    n_unlabeled = n_rows - n_labeled
    labeled = labeled_to_draw(n_unlabeled, n_labeled, max_rows, enough)
    drawn = (
        order[:n_unlabeled][_spread(n_unlabeled, max_rows - labeled, seed)],
        order[n_unlabeled:][_spread(n_labeled, labeled, seed)],
    )
    return Sample(rows, np.sort(np.concatenate(drawn)))


def labeled_to_draw(n_unlabeled: int, n_labeled: int, max_rows: int, enough: int) -> int:
    """Return how many of `max_rows` rows to draw are labeled: their share, or enough of them.

    Enough of the unlabeled rows remain, too. Of neither kind more than half are drawn for that.
    """
    enough = min(enough, max_rows // 2)
    share = round(max_rows * (n_labeled / (n_labeled + n_unlabeled)))
    return min(max(share, min(enough, n_labeled)), max_rows - min(enough, n_unlabeled))


def _spread(n: int, size: int, seed: int) -> Array:
    """Return `size` of n positions, at equal distances."""
    first = float(mixed(np.array([seed], np.uint64))[0]) / 2**64
    position = np.floor((np.arange(size) + first) * (n / max(size, 1))).astype(np.intp)
    return np.minimum(position, n - 1)


def _keys(rows: Rows, seed: int) -> Array:
    """Return a random key for each row, smaller for unlabeled rows than for labeled ones.

    The keys of all rows are in memory at once, wherever the rows are.
    """
    columns = (rows.s, rows.weight, rows.checked, rows.groups)
    keys = map_rows(partial(_keys_of_block, seed), _BLOCK_ROWS, rows.X, *columns, dtype=np.uint64)
    return np.asarray(to_host(keys))


def _keys_of_block(seed: int, X: Any, *columns: Any) -> Array:
    total = sums_of_cells(X)
    for column, odd in zip(columns, _odd(len(columns)).tolist(), strict=True):
        if column is not None:
            numbers = np.asarray(to_host(column), dtype=np.float64)
            total += numbers.view(np.uint64) * np.uint64(odd >> 1 | 1)  # not that of a column of X
    keys = mixed(total ^ mixed(np.array([seed], np.uint64)))
    labeled = np.asarray(to_host(columns[0]) > 0, dtype=np.uint64)
    return keys >> np.uint64(1) | labeled << np.uint64(63)


def content_hash(X: Any) -> Array:
    """Return 64 bits for the cells of each row: equal for equal rows, and random otherwise."""
    return mixed(sums_of_cells(X))


def sums_of_cells(X: Any, *, in_double: bool = False) -> Array:
    """Return the sum of the bits of each row, each times a random number of its column.

    Cells count in single precision, unless `in_double`.
    """
    X, n_rows = to_host(X), X.shape[0]
    blocks = consecutive_slices(n_rows, _BLOCK_ROWS)
    bits = _bits_in_double if in_double else _bits
    sums = [_sums_of_block(some_rows(X, block), bits) for block in blocks]
    return np.concatenate(sums) if sums else np.empty(0, np.uint64)


def _sums_of_block(X: Any, bits: Callable[[Array], Array]) -> Array:
    if is_sparse(X):
        products = bits(X.data) * _odd(X.shape[1])[X.indices]
        ends = np.append(np.uint64(0), np.cumsum(products))
        return np.asarray(ends[X.indptr[1:]] - ends[X.indptr[:-1]])
    cells = cells_of(X)
    if cells.dtype.kind in "biuf":
        cells = cells.reshape(len(cells), -1)
        return np.einsum("ij,j->i", bits(cells), _odd(cells.shape[1]))
    if hasattr(X, "iloc"):
        try:
            return np.asarray(import_module("pandas").util.hash_pandas_object(X, index=False))
        except TypeError:  # cells that cannot be hashed, such as lists
            pass
    texts = ("\0".join(map(str, np.ravel(row))).encode("utf-8", "surrogatepass") for row in cells)
    digests = [hashlib.blake2b(text, digest_size=8).digest() for text in texts]
    return np.frombuffer(b"".join(digests), np.uint64)


def _odd(n_columns: int) -> Array:
    """Return a random odd number for each column."""
    return mixed(np.arange(1, n_columns + 1, dtype=np.uint64)) | np.uint64(1)


def _bits(cells: Array) -> Array:
    """Return the bits of each number in single precision; 0 for 0, which need not be stored."""
    with np.errstate(over="ignore", invalid="ignore"):
        single = cells.astype(np.float32)
        single += np.float32(0)  # -0.0 becomes 0.0
        if np.isnan(single.sum()):
            single[np.isnan(single)] = np.nan  # there are many kinds of NaN
    return single.view(np.uint32).astype(np.uint64)


def _bits_in_double(cells: Array) -> Array:
    """Return the bits of each number in double precision; 0 for 0, which need not be stored."""
    double = np.add(cells, 0.0, dtype=np.float64)  # -0.0 becomes 0.0
    is_nan = np.isnan(double)
    if is_nan.any():
        double[is_nan] = np.nan  # there are many kinds of NaN
    bits = double.view(np.uint64)
    return np.asarray(bits ^ bits >> np.uint64(32))  # small whole numbers have only high bits


def mixed(bits: Array) -> Array:
    """Mix 64 bits, one to one: the last steps of the generator SplitMix64."""
    bits = (bits ^ bits >> np.uint64(30)) * np.uint64(_MULTIPLIERS[0])
    bits = (bits ^ bits >> np.uint64(27)) * np.uint64(_MULTIPLIERS[1])
    return bits ^ bits >> np.uint64(31)
