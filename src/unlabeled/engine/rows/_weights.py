"""What row weights mean, and how many independent rows tell as much as weighted ones."""

from __future__ import annotations

from collections.abc import Callable
from operator import add
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from ...codes import warn
from ..arrays import namespace_of, on_device_of, on_host, to_host
from ..parameters import check_choice
from ..sampling import Sampling
from ._blocks import reduce_rows, times
from ._columns import group_sums
from ._dask import Chunked

WeightsWord = Literal["sampling", "frequency"]
SAMPLING, FREQUENCY = get_args(WeightsWord)
"""A weight is how many rows of the population a row stands for, or how often it occurs."""

# Whole numbers with this mean are probably numbers of copies.
_COPIED = 1.5
# Sums of weights that differ by less than this fraction were made equal.
_AS_MUCH = 1e-6


class RowWeights(NamedTuple):
    """Row weights on the scale that everything is computed on.

    Attributes
    ----------
    weight : column of shape (n_rows,) or None
        With mean 1 if only ratios matter; None if all rows weigh the same.
    unit : column of shape (n_rows,) or None
        The weight of one independent row, of which a row may be several; None if that is 1.
    mean : float
        By what the given weights were divided.
    """

    weight: Any = None
    unit: Any = None
    mean: float = 1.0

    @classmethod
    def of(
        cls, given: Any, s: Any, weights: str, sampling: Sampling, *, warns: bool = True
    ) -> RowWeights:
        """Read weights as the word says, and warn if they look as if they said something else.

        The columns stay where they are. The mean is that of weights above 0.
        """
        check_weights(weights)
        if given is None:
            return cls()
        facts = reduce_rows(_facts, given, s, combine=_both)
        told = _Facts(*(float(one) for one in facts))
        if warns:
            told.report(weights, sampling)
        if weights == FREQUENCY:
            return cls(given)
        mean = told.total / told.n_rows
        if told.lowest == told.highest:
            return cls(None, None, told.lowest)
        weight = times(given, 1 / mean)
        if on_host(weight):
            weight = _rounded(weight)
        elif isinstance(weight, Chunked):
            weight = weight.then(_rounded)
        else:  # which rows are drawn must not hang on the device
            weight = on_device_of(weight, _rounded(to_host(weight)))
        return cls(weight, weight, mean)


def _rounded(weight: np.ndarray) -> np.ndarray:
    """Keep 24 binary digits: trees may split elsewhere if the sixteenth digit of a weight differs.

    So weights that are multiplied by a number give the same fit.
    """
    digits, power = np.frexp(weight)
    return np.asarray(np.ldexp(np.round(digits * 2.0**24), power - 24))


def check_weights(weights: Any) -> None:
    """Raise unless a parameter `weights` is one of its words."""
    check_choice("weights", weights, get_args(WeightsWord))


class _Facts(NamedTuple):
    """What a column of weights looks like; `odd` counts weights that are not whole numbers."""

    n_rows: float
    total: float
    of_labeled: float
    odd: float
    low_unlabeled: float
    high_unlabeled: float
    low_labeled: float
    high_labeled: float

    @property
    def lowest(self) -> float:
        return min(self.low_labeled, self.low_unlabeled)

    @property
    def highest(self) -> float:
        return max(self.high_labeled, self.high_unlabeled)

    @property
    def balance_classes(self) -> bool:
        """Whether labeled rows were made to weigh as much as the others, or just more."""
        by_label = self.low_labeled == self.high_labeled > self.low_unlabeled == self.high_unlabeled
        as_much = abs(2 * self.of_labeled - self.total) <= _AS_MUCH * self.total
        return by_label or (as_much and self.lowest < self.highest)

    def report(self, weights: str, sampling: Sampling) -> None:
        """Warn of weights that seem to mean something else."""
        mean = self.total / self.n_rows
        differ = self.lowest < self.highest
        if self.balance_classes and not sampling.is_two:
            warn(
                "PU130",
                f"the weights of labeled rows add up to {self.of_labeled:.6g} of {self.total:.6g}, "
                "as if they were to balance the classes. That changes the share of labeled rows, "
                "and so the class prior. Leave them out: the cut is chosen by `rule`.",
            )
        elif weights == SAMPLING and differ and not self.odd and mean >= _COPIED:
            warn(
                "PU130",
                f"all weights are whole numbers, with mean {mean:.3g}. Are they numbers of copies? "
                "Then say so by weights='frequency'. As they are, only their ratios matter.",
            )
        elif weights == FREQUENCY and self.odd:
            warn(
                "PU130",
                f"with weights='frequency' a weight is a number of copies, but {self.odd:.0f} of "
                f"{self.n_rows:.0f} weights are not whole numbers. If a weight is how many rows of "
                "the population a row stands for, leave weights='sampling'.",
            )


def _facts(weight: Any, s: Any) -> tuple[Any, ...]:
    xp = namespace_of(weight)
    of_labeled = xp.sum(weight * s, dtype=xp.float64)
    one, far = 0 * weight + 1, 0 * weight + np.inf
    odd = xp.sum(xp.where(weight == xp.round(weight), 0 * one, one))
    ends = []
    for kind in ((s == 0) & (weight > 0), (s == 1) & (weight > 0)):
        ends += [xp.min(xp.where(kind, weight, far)), xp.max(xp.where(kind, weight, -far))]
    n_rows = xp.sum(xp.where(weight > 0, one, 0 * one))
    return n_rows, xp.sum(weight, dtype=xp.float64), of_labeled, odd, *ends


def _both(first: tuple[Any, ...], second: tuple[Any, ...]) -> tuple[Any, ...]:
    how: tuple[Callable[[Any, Any], Any], ...] = (add, add, add, add, min, max, min, max)
    return tuple(one(a, b) for one, a, b in zip(how, first, second, strict=True))


class Effects(NamedTuple):
    r"""Design effects of groups and weights: so many rows tell as much as one independent row.

    Attributes
    ----------
    label : float
        On the likelihood of the labels, :math:`\sum_g (\sum_{i \in g} w_i r_i)^2 / \sum_i w_i
        r_i^2` with the labels' residuals r; see `design_effect`.
    labeled, unlabeled : float
        On counts of labeled and of unlabeled rows, :math:`\sum w^2/\sum w` times what groups add.
    """

    label: float = 1.0
    labeled: float = 1.0
    unlabeled: float = 1.0

    @classmethod
    def of(
        cls,
        residual: np.ndarray,
        s: np.ndarray,
        weight: np.ndarray | None = None,
        groups: np.ndarray | None = None,
        unit: np.ndarray | None = None,
    ) -> Effects:
        """Compute them from residuals of the labels."""
        alone = design_effect(residual, None, weight, unit)
        label = design_effect(residual, groups, weight, unit)
        if weight is None or unit is None:
            return cls(label, label, label)
        of_groups = label / alone
        kinds = (weight * s, weight * (1 - s))
        return cls(label, *(float(kind @ unit / kind.sum()) * of_groups for kind in kinds))

    def population(self, class_prior: float, labeled_share: float) -> float:
        r"""Design effect on the share of positives among rows drawn from a population.

        A mean has the variance :math:`\sum w_i^2 (y_i - \alpha)^2/(\sum w_i)^2`. Under SCAR the
        labeled rows have the weights of the positives, and the unlabeled rows those of the
        negatives and of the other positives.
        """
        if self.labeled == self.unlabeled or class_prior >= 1:
            return self.labeled
        of_rows = labeled_share * self.labeled + (1 - labeled_share) * self.unlabeled
        of_negatives = max(of_rows - class_prior * self.labeled, 0.0)
        return (1 - class_prior) * self.labeled + class_prior / (1 - class_prior) * of_negatives


NO_EFFECTS = Effects()


def effects_on_share(s: Any, weight: Any = None, unit: Any = None) -> Effects:
    """Design effects of weights on the share of labeled rows, wherever the rows are."""
    if weight is None or unit is None:
        return NO_EFFECTS
    mass, spread, of_labeled, spread_of_labeled = (
        float(one) for one in reduce_rows(_sums_of_squares, weight, unit, s)
    )
    share, labeled = of_labeled / mass, spread_of_labeled / of_labeled
    unlabeled = (spread - spread_of_labeled) / (mass - of_labeled)
    return Effects((1 - share) * labeled + share * unlabeled, labeled, unlabeled)


def _sums_of_squares(weight: Any, unit: Any, s: Any) -> tuple[Any, ...]:
    xp = namespace_of(weight)
    columns = (weight, weight * unit, weight * s, weight * unit * s)
    return tuple(xp.sum(one, dtype=xp.float64) for one in columns)


def design_effect(
    residual: np.ndarray,
    groups: np.ndarray | None,
    weight: np.ndarray | None = None,
    unit: np.ndarray | None = None,
) -> float:
    r"""By what factor groups and weights increase the variance of a sum of residuals.

    .. math:: \sum_g \big(\sum_{i \in g} w_i r_i\big)^2 \Big/ \sum_i w_i r_i^2

    Without groups every row is its own. It is 1 without groups and weights, and m if every group
    has m equal rows. Groups never make it smaller. Weights that are numbers of copies have no
    `unit`: the copies are independent, or all in the group of the row.

    Parameters
    ----------
    residual : ndarray of shape (n_rows,)
        Residuals with a mean near 0, such as labels less their probabilities.
    groups : ndarray of shape (n_rows,) or None
        The group of each row.
    weight : ndarray of shape (n_rows,), optional
        Row weights.
    unit : ndarray of shape (n_rows,), optional
        The weight of one independent row; 1 if None.

    References
    ----------
    J. N. K. Rao, A. J. Scott (1984). On chi-squared tests for multiway contingency tables with
    cell proportions estimated from survey data. Annals of Statistics 12, 46-60.
    https://doi.org/10.1214/aos/1176346391

    Examples
    --------
    >>> design_effect(np.array([0.5, 0.5, -0.5, -0.5]), np.array([0, 0, 1, 1]))
    2.0
    >>> design_effect(np.array([0.5, -0.5]), None, np.array([1.5, 0.5]), np.array([1.5, 0.5]))
    1.25
    """
    if groups is None and unit is None:
        return 1.0
    moved = residual if weight is None else weight * residual
    whole = float(moved @ residual)
    if not whole > 0:
        return 1.0
    alone = 1.0 if unit is None else float(moved @ (unit * residual)) / whole
    if groups is None:
        return alone
    return max(alone, float(np.sum(group_sums(moved, groups) ** 2)) / whole)
