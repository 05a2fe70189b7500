"""Reductions over rows: a small answer from every block, and one answer of them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._arrays import Matrix, to_host
from ._chunked import Chunked
from ._cut import row_blocks, rows_in_a_block
from ._threads import n_threads, on_threads

Answer = tuple[Any, ...]
OfBlock = Callable[..., Answer]
Combine = Callable[[Answer, Answer], Answer]


def add(first: Answer, second: Answer) -> Answer:
    """Sum entry by entry; `first` is used up."""
    return tuple(_plus(a, b) for a, b in zip(first, second, strict=True))


def reduce_rows(of_block: OfBlock, X: Matrix, *columns: Any, combine: Combine = add) -> Answer:
    """Apply `of_block` to every block of rows and combine the answers, on the host.

    Parameters
    ----------
    of_block : callable
        From a block of X and of each column (None where the column is None) to a
        tuple of numbers and arrays that do not grow with the rows. It is sent to
        where the rows are, so it must not hold data itself.
    X : dense array, CSR matrix, array on a device, or rows in chunks
        It may be a column too.
    *columns : ndarray or None
        Aligned with X, and living where X lives.
    combine : callable, default=add
        Makes one answer of two, in the order of the rows.

    Returns
    -------
    answer : tuple
        Of NumPy arrays and numbers.
    """
    if isinstance(X, Chunked):
        return X.reduce(_Reduction(of_block, combine), *columns)
    answer = _reduce_here(_Reduction(of_block, combine), X, *columns)
    if answer is None:
        raise ValueError("There must be at least one row.")
    return tuple(to_host(entry) for entry in answer)


def _reduce_here(reduction: _Reduction, X: Matrix, *columns: Any) -> Answer | None:
    """Reduce rows that are not in chunks, on several threads where they are many."""
    threads = n_threads(X.size) if isinstance(X, np.ndarray) else 1
    if threads == 1:
        return reduction.of(X, *columns)

    def of_share(rows: slice) -> Answer | None:
        return reduction.of(X[rows], *(None if part is None else part[rows] for part in columns))

    answer: Answer | None = None
    for share in on_threads(of_share, X.shape[0], rows_in_a_block(X), threads):
        answer = reduction.both(answer, share)
    return answer


class _Reduction:
    """A reduction that can be sent to the rows: it knows functions, and no data."""

    def __init__(self, of_block: OfBlock, combine: Combine) -> None:
        self.of_block, self.combine = of_block, combine

    def of(self, X: Matrix, *columns: Any) -> Answer | None:
        """The answer of rows in one place; None where there are no rows."""
        answer: Answer | None = None
        for block in row_blocks(X, *columns):
            answer = self.both(answer, self.of_block(*block))
        return answer

    def both(self, first: Answer | None, second: Answer | None) -> Answer | None:
        """One answer of two, either of which may be missing."""
        if first is None or second is None:
            return second if first is None else first
        return self.combine(first, second)


def _plus(first: Any, second: Any) -> Any:
    if isinstance(first, np.ndarray) and first.ndim and first.flags.writeable:
        first += second
        return first
    return first + second
