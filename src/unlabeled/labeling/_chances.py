r"""From the chance e of every positive row to be labeled, to its posterior and to the count.

With e known, labels alone identify the posterior: :math:`P(S=1|x,e) = e\,P(Y=1|x)`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.special import expit, logit
from sklearn.isotonic import isotonic_regression

from ..engine.losses import KnownPropensityLoss
from ..engine.solvers import newton
from ..scores import (
    DoubtedDensity,
    OfRows,
    PriorDensity,
    bounded_logit,
    discrete_density,
    given_unlabeled,
)

# Penalties on the squares of the slopes of standardized columns, when chances are regressed on
# features; the strongest first, at which they are nearly 0.
_PENALTIES = 10.0 ** np.array([5.0, 3.5, 2.0, 0.5])
# A chance is never so small that 1/e counts a labeled row more often than this.
_MOST_TIMES = 20.0
# A chance of 0 or 1 has a logit this far from 0, which changes no probability.
_LARGEST_LOGIT = 30.0
_SMALLEST_CHANCE, _SMALLEST_REST = 1e-9, 0.05
# The posterior along the score starts as the logit of P(S=1|x)/e, which members estimate. Normal
# priors of standard deviation 1 hold intercept, slope and drift near that with few labels.
_TOL, _MOST_STEPS = 1e-9, 100
_MOST_WEIGHINGS = 4

ALONG, RISING, TIMES = "curve along the score", "any rising curve", "labels divided by chances"
"""Three ways to count, as `PriorDensity.said` names them."""


@dataclass(frozen=True, eq=False)
class ExpectedChance:
    """The chance to be labeled that features let expect: logistic, cut off at both ends.

    Attributes
    ----------
    intercept : float
    slopes : ndarray of shape (n_columns,)
    smallest, largest : float
        Of the chances that it was fitted to.
    """

    intercept: float
    slopes: np.ndarray
    smallest: float
    largest: float

    @classmethod
    def fit(cls, design: np.ndarray, chance: np.ndarray) -> tuple[ExpectedChance, np.ndarray]:
        """Regress chances on columns, with a ridge; also return what is expected of each row.

        Rows get the expectation of a fit without them, by one Newton step. The ridge has the
        smallest squared error of these.
        """
        ends, slopes = (float(chance.min()), float(chance.max())), np.zeros(design.shape[1])
        if ends[0] == ends[1]:
            return cls(0.0, slopes, *ends), chance
        columns = np.column_stack([np.ones(len(chance)), design])
        line = np.append(logit(chance.mean()), slopes)
        best: tuple[float, np.ndarray, np.ndarray] | None = None
        for penalty in _PENALTIES:
            precision = np.diag(np.append(0.0, np.full(len(slopes), penalty)))
            for _ in range(_MOST_STEPS):
                expected = expit(columns @ line)
                weight = expected * (1 - expected)
                curvature = (columns.T * weight) @ columns + precision
                step = np.linalg.solve(
                    curvature, columns.T @ (chance - expected) - precision @ line
                )
                line = line + step
                if np.abs(step).max() < _TOL:
                    break
            inverse = np.linalg.inv(curvature)
            leverage = weight * np.einsum("ij,jk,ik->i", columns, inverse, columns, optimize=True)
            away = (chance - expected) / weight * leverage / np.maximum(1 - leverage, 1e-3)
            left_out = expit(columns @ line - away)
            error = float(np.sum((chance - left_out) ** 2))
            if best is None or error < best[0]:
                best = error, line, left_out
        assert best is not None
        found = cls(float(best[1][0]), best[1][1:], *ends)
        return found, found._inside(best[2])

    def _inside(self, chance: np.ndarray) -> np.ndarray:
        low = max(self.smallest, 1 / _MOST_TIMES / 2)
        return np.clip(chance, min(low, self.largest), self.largest)

    def at(self, design: np.ndarray) -> np.ndarray:
        """Return the chance that is expected of each row of a design."""
        return self._inside(expit(self.intercept + design @ self.slopes))


class ChanceAt(Protocol):
    """What says the chance to be labeled, if positive, that columns let expect."""

    def at(self, design: np.ndarray) -> np.ndarray:
        """Return the chance of each row of a design."""
        ...


def columns_of(
    design: Callable[..., np.ndarray], columns: list[Any] | None, n_rows: int
) -> np.ndarray:
    """Return the named columns; all if None, and none if there are no names."""
    return np.empty((n_rows, 0)) if columns == [] else design(columns)


@dataclass(frozen=True, eq=False)
class AlongChances:
    """The posterior of rows whose chance is expected from features; it keeps no row.

    Attributes
    ----------
    line : tuple of float
        Intercept and slope along the logit of P(S=1|x)/e.
    chance : object
        Its method `at` says the chance to be labeled that columns let expect.
    columns : list or None
        The columns that it needs; all if None.
    """

    line: tuple[float, float]
    chance: ChanceAt
    columns: list[str | int] | None

    def at(self, label_logit: np.ndarray, design: Callable[..., np.ndarray]) -> OfRows:
        """Return P(Y=1|x), and P(Y=1|S=0,x) of a row with the expected chance."""
        chance = self.chance.at(columns_of(design, self.columns, len(label_logit)))
        intercept, slope = self.line
        posterior = expit(intercept + slope * bounded_logit(label_logit, chance))
        return OfRows(posterior, given_unlabeled(posterior, chance))


@dataclass(frozen=True, eq=False)
class Draws:
    """Chances of all rows, drawn from what is known of them.

    Attributes
    ----------
    chance : ndarray of shape (n_draws, n_rows)
    weight : ndarray of shape (n_draws,)
        Weights that sum to 1.
    """

    chance: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, chance: np.ndarray) -> Draws:
        """Return the one draw of chances that are known."""
        return cls(chance[None, :], np.ones(1))

    def of_rows(self, rows: np.ndarray) -> Draws:
        """Return the same draws of some rows."""
        return Draws(self.chance[:, rows], self.weight)

    @property
    def mean(self) -> np.ndarray:
        """The expected chance of each row."""
        return np.minimum(self.weight @ self.chance, 1.0)  # rounding may lead beyond 1


@dataclass(frozen=True, eq=False)
class _Fit:
    """A posterior along a score: coefficients, and P(Y=1) of every row."""

    coefficients: np.ndarray
    posterior: np.ndarray
    log_likelihood: float


@dataclass(frozen=True, eq=False)
class AlongScore:
    """Minus the mean log-posterior of a line along columns, given the chances of the rows.

    Attributes
    ----------
    columns : ndarray of shape (n_rows, n_parameters)
        Ones, the logit of P(S=1|x)/e, and perhaps another.
    s : ndarray of shape (n_rows,)
    chance : ndarray of shape (n_rows,)
    """

    columns: np.ndarray
    s: np.ndarray
    chance: np.ndarray

    @property
    def n_parameters(self) -> int:
        """Number of columns."""
        return self.columns.shape[1]

    @property
    def center(self) -> np.ndarray:
        """What the members say: the logit as it is."""
        return np.eye(self.n_parameters)[1]

    def value_gradient(self, line: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(line)[:2]

    def value_gradient_hessian(self, line: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        away, total = line - self.center, len(self.s)
        loss = KnownPropensityLoss().derivatives((self.columns @ line,), self._target, second=True)
        value = loss.value.sum() + 0.5 * away @ away
        gradient = loss.gradient[0] @ self.columns + away
        hessian = (self.columns.T * loss.hessian[0]) @ self.columns + np.eye(len(line))
        return float(value / total), gradient / total, hessian / total

    @cached_property
    def _target(self) -> np.ndarray:
        with np.errstate(divide="ignore"):
            of_chance = np.clip(logit(self.chance), -_LARGEST_LOGIT, _LARGEST_LOGIT)
        return np.column_stack([self.s, np.zeros_like(self.s), 1 - self.s, of_chance])

    def fit(self, start: np.ndarray | None = None) -> _Fit:
        """Return the line of the highest posterior density."""
        found = newton(self, self.center if start is None else start, _TOL, _MOST_STEPS)
        away = found.z - self.center
        log_likelihood = -(found.value * len(self.s) - 0.5 * float(away @ away))
        return _Fit(found.z, expit(self.columns @ found.z), log_likelihood)

    def count(self, fit: _Fit) -> tuple[float, float]:
        """Add up P(Y=1) of all rows; return the variance, of the line and of the classes, too."""
        hidden = np.where(self.s == 1, 0.0, given_unlabeled(fit.posterior, self.chance))
        moves = (hidden * (1 - hidden)) @ self.columns
        labeled = self.chance * fit.posterior
        weight = labeled * (1 - fit.posterior) ** 2 / np.maximum(1 - labeled, 1e-12)
        information = (self.columns.T * weight) @ self.columns + np.eye(self.n_parameters)
        variance = moves @ np.linalg.solve(information, moves) + float(hidden @ (1 - hidden))
        return float(self.s.sum() + hidden.sum()), float(variance)

    def rising_count(self, fit: _Fit) -> float:
        """Add up P(Y=1) of all rows, where it rises with the fitted one in any way."""
        place = self.columns @ fit.coefficients
        posterior = rising_posterior(place, self.s, self.chance, fit.posterior)
        hidden = np.where(self.s == 1, 0.0, given_unlabeled(posterior, self.chance))
        return float(self.s.sum() + hidden.sum())


def rising_posterior(
    place: np.ndarray, s: np.ndarray, chance: np.ndarray, start: np.ndarray
) -> np.ndarray:
    """Return P(Y=1) of every row, rising with its place, from labels and known chances.

    Labels divided by chances have the mean y and the variance y(1 - ey)/e: isotonic regression
    with the weights e/(1 - ey), computed again a few times.
    """
    _, cell = np.unique(place, return_inverse=True)
    chance = np.maximum(chance, _SMALLEST_CHANCE)
    posterior = start
    for _ in range(_MOST_WEIGHINGS):
        times = 1 / np.maximum(1 - posterior * chance, _SMALLEST_REST)
        weight = np.bincount(cell, chance * times)
        share = np.bincount(cell, s * times) / weight
        posterior = isotonic_regression(share, sample_weight=weight, y_min=0.0, y_max=1.0)[cell]
    return np.asarray(posterior)


def labels_by_chance(s: np.ndarray, chance: np.ndarray) -> tuple[float, float]:
    """Add up labels divided by their chances; also return the variance."""
    times = np.minimum(1 / np.maximum(chance[s == 1], 1 / _MOST_TIMES), _MOST_TIMES)
    return float(times.sum()), float(times @ (times - 1))


@dataclass(frozen=True, eq=False)
class Counted:
    """What labels and chances say.

    Attributes
    ----------
    posterior, missed : ndarray of shape (n_rows,)
        P(Y=1), and P(Y=1|S=0), of every row.
    mean, error, weight : ndarray of shape (n_counts,)
        Numbers of positives by several counts, their standard errors and their weights.
    said : dict of str to (float, float)
        The weight and the mean of each way to count.
    line : tuple of float
        Intercept and slope without drift.
    drift_weight : float
        Probability that the other column counts; 0 if there is none.
    with_drift, without_drift : float
        The number of positives with and without it, at the mean chances.
    n_above : int
        Rows that the score makes likelier to be labeled than positive rows like them are.
    """

    posterior: np.ndarray
    missed: np.ndarray
    mean: np.ndarray
    error: np.ndarray
    weight: np.ndarray
    said: dict[str, tuple[float, float]]
    line: tuple[float, float]
    drift_weight: float
    with_drift: float
    without_drift: float
    n_above: int


def density_of_counts(
    counted: Counted,
    s: np.ndarray,
    n_rows: int,
    *,
    beside: float = 0.0,
    away: float = 0.0,
    is_doubted: bool = False,
) -> PriorDensity:
    """Return the share of positives in a table of which labels and chances count a part.

    Parameters
    ----------
    counted : Counted
    s : ndarray of shape (n_counted,)
        Labels that were counted.
    n_rows : int
        Of the table.
    beside : float
        Labeled rows that were not.
    away : float
        Positives that were counted and are not meant.
    is_doubted : bool
        Whether the interval does not show how little is known.
    """
    density = discrete_density(
        (counted.mean + beside - away) / n_rows,
        counted.error / n_rows,
        counted.weight,
        (float(s.sum()) + beside) / n_rows,
        1.0,
        float(n_rows),
    )
    said = {
        name: (weight, (mean + beside - away) / n_rows)
        for name, (weight, mean) in counted.said.items()
    }
    density = replace(density, said=said)
    return DoubtedDensity(**vars(density)) if is_doubted else density


def count_by_chances(
    label_logit: np.ndarray,
    s: np.ndarray,
    draws: Draws,
    expected: np.ndarray,
    *,
    drift: np.ndarray | None = None,
    by_times: bool = True,
) -> Counted:
    r"""Fit the posterior along a score for known chances, and count positives in several ways.

    Parameters
    ----------
    label_logit : ndarray of shape (n_rows,)
        Held-out logits of P(S=1|x).
    s : ndarray of shape (n_rows,)
        Labels.
    draws : Draws
        Chances e of the rows.
    expected : ndarray of shape (n_rows,)
        The chance that the features of the row let expect, :math:`\bar e(x)`: where e is no
        function of the features, members estimate :math:`P(S=1|x) = \bar e(x)\,P(Y=1|x)`.
    drift : ndarray of shape (n_rows,), optional
        A column that the posterior may also follow. With n rows, and a log-likelihood that is
        higher by d with it, its weight is :math:`\sigma(d - \frac12\log n)`.
    by_times : bool
        Whether labels divided by their chances are one of the counts.
    """
    place = bounded_logit(label_logit, expected)
    plain = np.column_stack([np.ones(len(s)), place])
    designs, average = [plain], draws.mean
    if drift is not None and np.ptp(drift) > 0:
        designs.append(np.column_stack([plain, (drift - drift.mean()) / drift.std()]))
    problems = [AlongScore(columns, s, average) for columns in designs]
    at_mean = [problem.fit() for problem in problems]
    # Both are shown where they differ, however small the weight of one is.
    each = [
        0.5 * (problem.count(fit)[0] + problem.rising_count(fit))
        for problem, fit in zip(problems, at_mean, strict=True)
    ]
    weights = np.ones(1)
    if len(designs) > 1:
        gain = at_mean[1].log_likelihood - at_mean[0].log_likelihood
        second = float(expit(gain - 0.5 * np.log(len(s))))
        weights = np.array([1 - second, second])
    rows: list[tuple[str, float, float, float]] = []
    for chance, share in zip(draws.chance, draws.weight, strict=True):
        for k, (columns, start) in enumerate(zip(designs, at_mean, strict=True)):
            if weights[k] * share < 1e-6:
                continue
            problem = AlongScore(columns, s, chance)
            fit = problem.fit(start.coefficients)
            count, variance = problem.count(fit)
            part = float(weights[k] * share)
            rows.append((ALONG, part, count, variance))
            rows.append((RISING, part, problem.rising_count(fit), variance))
        if by_times:
            count, variance = labels_by_chance(s, chance)
            rows.append((TIMES, float(share), count, variance))
    names = np.array([row[0] for row in rows])
    shares, means, variances = (np.array([row[k] for row in rows]) for k in (1, 2, 3))

    def mean_of(here: np.ndarray) -> float:
        return float(np.average(means[here], weights=shares[here])) if here.any() else np.nan

    ways = dict.fromkeys(names.tolist())
    said = {name: (1 / len(ways), mean_of(names == name)) for name in ways}
    posterior = weights @ np.stack([fit.posterior for fit in at_mean])
    intercept, slope = at_mean[0].coefficients
    return Counted(
        posterior,
        given_unlabeled(posterior, average),
        means,
        np.sqrt(variances),
        shares / shares.sum(),
        said,
        (float(intercept), float(slope)),
        float(weights[1]) if len(weights) > 1 else 0.0,
        each[-1],
        each[0],
        int(np.sum(expit(label_logit) > expected)),
    )
