"""A random part of rows in chunks, taken to memory, for what cannot be a sum over chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..parameters import check_positive
from ._arrays import Array
from ._blocks import weighted_mean
from ._folds import labelled_to_draw
from ._rows import Rows
from ._validate import reject_beside_rows, rows_as_given

CHECKED_ROWS = 20_000
"""On how many rows in chunks fits are checked and methods compared, unless more are asked for."""


@dataclass(frozen=True, eq=False)
class DrawnPart:
    """Rows drawn at random from rows in chunks; the same ones in any chunks.

    Attributes
    ----------
    whole : Rows
        The rows in chunks.
    rows : Rows
        The drawn ones, in memory and in the order of the table. Blocks of X are put together as
        they are: frames remain frames.
    numbers : ndarray of shape (n_drawn,)
        Their positions in the table.
    """

    whole: Rows
    rows: Rows
    numbers: Array

    @property
    def is_whole(self) -> bool:
        """Whether all rows were drawn."""
        return len(self.numbers) == self.whole.s.shape[0]

    @property
    def y(self) -> Array:
        """The label values of the drawn rows."""
        return self.rows.labels

    @property
    def note(self) -> str | None:
        """Say which rows were drawn; None if all were."""
        if self.is_whole:
            return None
        n_rows, n_labelled = self.whole.s.shape[0], self.whole.n_labelled
        return part_note(len(self.numbers), n_rows, self.rows.n_labelled, n_labelled)

    @property
    def rest(self) -> Rows:
        """The other rows, in chunks; nothing is loaded. `numbers_of_rest` are their positions."""
        table = self.whole.X.table.without(self.numbers, self.rows.s)
        X, s, weight = (
            None if one is None else replace(one, table=table, shape=_shape(table, one), means=[])
            for one in (self.whole.X, self.whole.s, self.whole.weight)
        )
        return replace(self.whole, X=X, s=s, weight=weight)

    @staticmethod
    def numbers_of_rest(rest: Rows) -> Any:
        """Return the positions of the other rows, as a column in chunks."""
        return rest.X.table.part(3, np.dtype(np.int64))

    @property
    def has_more_labelled(self) -> bool:
        """Whether labelled rows were drawn more often than others."""
        as_often = len(self.numbers) * (self.whole.n_labelled / self.whole.s.shape[0])
        return self.rows.n_labelled > round(as_often)

    @property
    def weighted(self) -> Rows:
        """The drawn rows with weights, so that the labelled share is that of all rows.

        A drawn unlabelled row stands for more rows if labelled rows were drawn more often.
        """
        rows = self.rows
        weight = np.ones(len(rows.s)) if rows.weight is None else rows.weight
        share, here = self.whole.labelled_share, weighted_mean(rows.s, weight)
        more = (1 - share) / share * here / (1 - here)
        return replace(rows, weight=np.where(rows.s > 0, weight, weight * more))


def part_note(n_drawn: int, n_rows: int, labelled_drawn: int, n_labelled: int) -> str:
    """Say which part of the rows was used, for results."""
    return (
        f"on {n_drawn} of the {n_rows} rows, drawn at random; {labelled_drawn} of the {n_labelled} "
        "labelled ones are among them"
    )


def _shape(table: Any, part: Any) -> tuple[int, ...]:
    return (int(table.lengths.sum()), *part.shape[1:])


def draw_part(
    rows: Rows, most_rows: int, rng: np.random.RandomState, enough_labelled: int = 0
) -> DrawnPart:
    """Draw at most `most_rows` of rows in chunks, stratified by label.

    If labels are rare, `enough_labelled` labelled rows are drawn, or all, though at most half of
    the rows drawn. If there are not more rows than `most_rows`, all are taken.
    """
    n_rows, n_labelled = int(rows.s.shape[0]), rows.n_labelled
    kinds = [np.arange(n_rows - n_labelled), np.arange(n_labelled)]
    if most_rows < n_rows:
        wanted = labelled_to_draw(n_rows, n_labelled, most_rows, enough_labelled)
        seed = np.random.default_rng(rng.randint(np.iinfo(np.int32).max))
        sizes = ((n_rows - n_labelled, most_rows - wanted), (n_labelled, wanted))
        kinds = [np.sort(seed.choice(n, min(n, size), replace=False)) for n, size in sizes]
    numbers, parts = rows.X.table.ranked(*kinds)
    X, s, weight = (
        None if one is None else one.pick(parts) for one in (rows.X, rows.s, rows.weight)
    )
    s = np.asarray(s, dtype=np.float64)
    return DrawnPart(rows, replace(rows, X=X, s=s, weight=weight, kept=None), numbers)


def part_of_chunks(
    X: Any,
    y: Any,
    most_rows: Any,
    random_state: Any,
    positive_label: Any = None,
    *,
    checked: Any = None,
    groups: Any = None,
) -> DrawnPart:
    """Draw a part of Dask rows, as they are: for checks and comparisons, which need them here.

    Labelled rows are not drawn more often than others. Answers of `checked` rows, and `groups`,
    are rejected before anything is computed.
    """
    check_positive("most_rows", most_rows, Integral, "a whole number of at least 1")
    reject_beside_rows(checked, groups)
    rows = rows_as_given(X, y, positive_label=positive_label)
    return draw_part(rows, int(most_rows), check_random_state(random_state))
