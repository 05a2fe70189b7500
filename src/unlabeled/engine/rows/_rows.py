"""Training rows: features, labels and what else is known of each row, in memory or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..arrays import is_on_device, namespace_of, on_host, to_host
from ..sampling import Sampling
from ._blocks import take_rows, weighted_mean
from ._copies import (
    Repeats,
    are_copies,
    count_ties,
    keys_of_equal_rows,
    may_matter,
    numbered,
    numbered_as_they_come,
)
from ._dask import Chunked
from ._encoding import LabelEncoding
from ._sample import Sample, sample_rows
from ._weights import RowWeights

# Equal rows share a fold if there are so many distinct ones.
_FEWEST_DISTINCT = 20


class Negatives(NamedTuple):
    """Rows that were recorded because they are negative, which a fit leaves out.

    Attributes
    ----------
    X : matrix of shape (n_negatives, n_features)
    weight : column of shape (n_negatives,) or None
        As it was given.
    marks : ndarray of bool
        Which of the rows passed to `fit` they are.
    """

    X: Any
    weight: Any
    marks: np.ndarray


@dataclass(frozen=True)
class Rows:
    """Validated training rows.

    Attributes
    ----------
    X : matrix of shape (n_rows, n_features)
        Dense or CSR. On a device, or in chunks, if the estimator accepts that.
    s : column of shape (n_rows,)
        1.0 for labeled rows, 0.0 for the others; stored where X is.
    weight : column of shape (n_rows,) or None
        Positive weights; rows of weight 0 are dropped. With mean 1, unless they are numbers of
        copies.
    encoding : LabelEncoding
    kept : ndarray of bool or None
        Which of the rows passed to `fit` are here; None if all.
    are_copies : bool
        Whether weights count copies of the same row, as in a bootstrap. Leave-one-out then
        removes all copies at once.
    unit : column of shape (n_rows,) or None
        The weight of one independent row, which differs from `weight` if a row is several; None
        if that is 1.
    mean_weight : float
        By what the given weights were divided.
    checked : ndarray of shape (n_rows,) or None
        1.0 for unlabeled rows that were checked and found positive, 0.0 for those found
        negative, NaN for the others; None if no unlabeled row was checked.
    groups : ndarray of shape (n_rows,) or None
        Which rows belong together, such as those of one person. Rows of one group are never on
        both sides of a split.
    sampling : Sampling
        Which rows stand for the population.
    X_with_dropped : matrix or None
        X as it was passed, before rows of weight 0 were dropped or far cells were moved; None if
        it is that, or if rows are in chunks.
    negatives : Negatives or None
        The rows that were left out as negative.
    """

    X: Any
    s: Any
    weight: Any
    encoding: LabelEncoding
    kept: np.ndarray | None = None
    are_copies: bool = False
    checked: np.ndarray | None = None
    groups: np.ndarray | None = None
    sampling: Sampling = Sampling.ONE
    X_with_dropped: Any = None
    unit: Any = None
    mean_weight: float = 1.0
    negatives: Negatives | None = None

    def weighted_as(self, weights: str, *, warns: bool = True) -> Rows:
        """Return the rows with their weights read as the word says; see `RowWeights`."""
        read = RowWeights.of(self.weight, self.s, weights, self.sampling, warns=warns)
        return replace(self, weight=read.weight, unit=read.unit, mean_weight=read.mean)

    @property
    def in_memory(self) -> bool:
        """Whether the rows are arrays or sparse matrices in memory, or mapped."""
        return on_host(self.X)

    @property
    def in_chunks(self) -> bool:
        """Whether the rows are in chunks of Dask."""
        return isinstance(self.X, Chunked)

    def take(self, row_index: np.ndarray) -> Rows:
        """Return the rows with these indices, and all that is known of them.

        They know nothing of rows that were left out as negative. Rows on a device stay there. Rows
        in chunks come to memory, and their indices must rise.
        """
        X, s, weight, unit = take_rows(row_index, self.X, self.s, self.weight, self.unit)
        s = np.asarray(s, dtype=np.float64) if self.in_chunks else s
        checked, groups = (
            None if column is None else column[row_index] for column in (self.checked, self.groups)
        )
        rows = replace(self, X=X, s=s, weight=weight, unit=unit, kept=None, X_with_dropped=None)
        return replace(rows, checked=checked, groups=groups, negatives=None)

    def keep(self, row_index: np.ndarray) -> Rows:
        """Return the rows with these indices, or marked by True; they remember the others.

        `position` and `for_passed` of the result refer to the rows that are here.
        """
        kept = np.zeros(self.s.shape[0], dtype=bool)
        kept[row_index] = True
        return replace(self.take(np.flatnonzero(kept)), kept=kept, X_with_dropped=self.X)

    def without_negatives(self, marks: np.ndarray | None) -> Rows:
        """Return the rows that were not recorded as negative; they remember the others.

        `marks` has all rows that were passed; None if there are none.
        """
        if marks is None:
            return self
        kept = np.ones(len(marks), dtype=bool) if self.kept is None else self.kept
        here = np.flatnonzero(marks[kept])
        X, weight = take_rows(here, self.X, self.weight)
        rest = self.take(np.flatnonzero(~marks[kept]))
        left_out = Negatives(X, weight, marks & kept)
        return replace(rest, kept=kept & ~marks, X_with_dropped=self.passed, negatives=left_out)

    def to_host(self) -> Rows:
        """Return rows on a device or in chunks as rows in memory."""
        if self.in_chunks:
            return self.take(np.arange(self.s.shape[0]))
        given = (self.X, self.s, self.weight, self.unit, self.X_with_dropped)
        X, s, weight, unit, with_dropped = (to_host(one) for one in given)
        weight, unit = (
            None if one is None else np.asarray(one, dtype=np.float64) for one in (weight, unit)
        )
        s = np.asarray(s, dtype=np.float64)
        return replace(self, X=X, s=s, weight=weight, unit=unit, X_with_dropped=with_dropped)

    def sample(
        self, max_rows: int | None, random_state: Any = None, enough_labeled: int = 0
    ) -> Sample:
        """Draw at most `max_rows` rows at random, stratified by label, wherever the rows are.

        The draw depends on `random_state` and on what is in the rows, not on their order. If
        `random_state` is None, it depends on the rows alone.

        Parameters
        ----------
        max_rows : int or None
            How many rows to draw. If there are not more, or if it is None, all are taken.
        random_state : int, RandomState instance or None
            The seed; nothing is drawn from a RandomState if all rows are taken.
        enough_labeled : int, default=0
            At least so many labeled rows and so many unlabeled ones are drawn, or all, though at
            most half of the rows drawn.

        Returns
        -------
        sample : Sample
        """
        return sample_rows(self, max_rows, random_state, enough_labeled)

    @property
    def labels(self) -> np.ndarray:
        """The label value of every row, as the user gave it."""
        return np.asarray(self.encoding.decode(self.s == 1))

    @property
    def n_units(self) -> int:
        """How many groups there are, or rows if there are no groups: what is drawn at random."""
        return self.s.shape[0] if self.groups is None else len(np.unique(self.groups))

    @property
    def passed(self) -> Any:
        """X of the rows passed to `fit`, with those of weight 0."""
        return self.X if self.X_with_dropped is None else self.X_with_dropped

    def for_passed(self, column: np.ndarray, of_negatives: Any = np.nan) -> np.ndarray:
        """Return a column of these rows with NaN at the dropped ones of those passed to `fit`.

        Those that were left out as negative get `of_negatives`.
        """
        if self.kept is None:
            return column
        every = np.full(len(self.kept), np.nan)
        every[self.kept] = column
        if self.negatives is not None:
            every[self.negatives.marks] = of_negatives
        return every

    @property
    def target(self) -> Any:
        """The target of a likelihood of the labels: s, or `outcomes` if rows were checked."""
        return self.s if self.checked is None else self.outcomes

    @property
    def outcomes(self) -> Any:
        """Three numbers per row: whether it is labeled, was found positive, is unknown."""
        if self.checked is None:
            return np.column_stack([self.s, np.zeros(len(self.s)), 1.0 - self.s])
        unknown = np.isnan(self.checked) & (self.s == 0)
        return np.column_stack([self.s, self.checked == 1, unknown])

    @property
    def total_weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return self.s.shape[0] * (1.0 if self.weight is None else weighted_mean(self.weight))

    @property
    def given_weight(self) -> float:
        """Number of rows, or the sum of their weights as they were given."""
        return self.total_weight * self.mean_weight

    @property
    def weight_of_negatives(self) -> np.ndarray:
        """Weights of the rows that were left out as negative, on the scale of `weight`."""
        if self.negatives is None:
            return np.empty(0)
        given = self.negatives.weight
        n_negatives = int(np.sum(self.negatives.marks))
        return np.ones(n_negatives) if given is None else np.asarray(given) / self.mean_weight

    @property
    def undecided_share(self) -> float:
        """The share of all rows that were not left out as negative; 1 if none was."""
        if self.negatives is None:
            return 1.0
        total = self.total_weight
        return float(total / (total + self.weight_of_negatives.sum()))

    @property
    def labeled_share(self) -> float:
        """Weighted fraction of labeled rows, the estimate of P(S=1)."""
        return weighted_mean(self.s, self.weight)

    @property
    def n_labeled(self) -> int:
        """How many rows are labeled."""
        if isinstance(self.s, Chunked):
            return int(self.s.table.labeled.sum())
        xp = namespace_of(self.s)
        return int(xp.sum(self.s, dtype=xp.float64))

    @property
    def units_by_label(self) -> tuple[int, int]:
        """How many labeled and unlabeled rows there are, or groups that have such rows."""
        if self.groups is None:
            return self.n_labeled, self.s.shape[0] - self.n_labeled
        labeled, unlabeled = (len(np.unique(self.groups[self.s == one])) for one in (1, 0))
        return labeled, unlabeled

    @cached_property
    def distinct_row(self) -> np.ndarray | None:
        """The number of each row's distinct row; None if no two are equal.

        Rows in chunks or on a device are not compared.
        """
        return None if self._keys is None else numbered(self._keys)

    @cached_property
    def _keys(self) -> np.ndarray | None:
        if self.in_chunks or is_on_device(self.X):
            return None
        return keys_of_equal_rows(self.X)

    @cached_property
    def copies(self) -> Repeats | None:
        """How many rows repeat another one, if there are more than chance explains; else None.

        Within a group rows may be equal. Nor is it strange if a labeled row equals an unlabeled one
        of another sample.
        """
        X, s = self.X, to_host(self.s)
        if self._keys is None or not may_matter(count_ties(self._keys), s):
            return None
        number = self.distinct_row
        assert number is not None
        if self.groups is not None:
            pairs = np.column_stack([number, self.groups])
            one_of_each = np.sort(np.unique(pairs, axis=0, return_index=True)[1])
            number, s = number[one_of_each], s[one_of_each]
            X = take_rows(one_of_each, X)[0]
        if self.sampling.is_two:
            number = 2 * number + (s == 1)
        return Repeats.of(number, s) if are_copies(X, number, s) else None

    @cached_property
    def together(self) -> np.ndarray | None:
        """Which rows share a fold: those of a group, or equal rows; None if none need to.

        Equal rows are in different folds if the table has too few distinct rows to make folds of:
        a fit that has not seen one of a handful of rows says little about it. Equal rows have the
        same numbers if they are sparse or scaled, and so the same folds.
        """
        number = self.distinct_row
        if self.groups is not None or number is None:
            return self.groups
        too_few = min(_distinct_by_label(number, self.s)) < 2
        if too_few or number.max() + 1 < _FEWEST_DISTINCT:
            return None
        return numbered_as_they_come(number)

    @property
    def fold_unit(self) -> str:
        """What folds are made of, in words."""
        if self.groups is not None:
            return "groups"
        return "rows" if self.together is None else "distinct rows"

    @property
    def fold_units_by_label(self) -> tuple[int, int]:
        """Of how many units that share a fold there are labeled and unlabeled rows."""
        if self.together is None:
            return self.units_by_label
        return _distinct_by_label(self.together, self.s)

    @property
    def n_checked(self) -> int:
        """How many unlabeled rows were checked."""
        return 0 if self.checked is None else int(np.sum(~np.isnan(self.checked)))

    @property
    def n_groups(self) -> int | None:
        """How many groups there are; None without groups."""
        return None if self.groups is None else self.n_units

    @property
    def known_positive(self) -> Any:
        """1.0 for rows known to be positive: the labeled ones, and those found positive."""
        return self.s if self.checked is None else np.where(self.checked == 1, 1.0, self.s)

    def population_prior(self, class_prior: Any) -> Any:
        """Turn the class prior of these rows into that of the population."""
        found = self.sampling.population_prior(class_prior, self.labeled_share)
        return found if self.negatives is None else found * self.undecided_share

    def population_intercept(self, intercept: float, label_frequency: float) -> float:
        """Turn the intercept of the posterior's logit in these rows into the population's."""
        return float(self.sampling.population_logit(intercept, label_frequency))

    def prior_of_rows(self, class_prior: Any) -> Any:
        """Turn the class prior of the population into that of these rows."""
        found = self.sampling.rows_prior(class_prior, self.labeled_share)
        return found if self.negatives is None else found / self.undecided_share

    def position(self, row_index: Any) -> np.ndarray:
        """Translate indices of the user's rows to indices of these; skip dropped rows."""
        row_index = np.asarray(row_index)
        if self.kept is None:
            return np.asarray(np.arange(len(self.s))[row_index])
        position = np.where(self.kept, np.cumsum(self.kept) - 1, -1)[row_index]
        return np.asarray(position[position >= 0])


def _distinct_by_label(number: np.ndarray, s: Any) -> tuple[int, int]:
    """Return how many numbers from 0 on labeled and unlabeled rows have."""
    s = to_host(s)
    labeled, unlabeled = (int(np.count_nonzero(np.bincount(number[s == one]))) for one in (1, 0))
    return labeled, unlabeled
