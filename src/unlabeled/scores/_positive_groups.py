r"""How many groups of rows have a positive row: how many patients have an ill visit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize
from scipy.special import expit, log_expit, logsumexp
from sklearn.linear_model import LogisticRegression

from ..engine.arrays import Array
from ._if_unlabeled import given_unlabeled
from ._prior_density import PriorDensity, class_prior_density, discrete_density
from ._score_model import standardized

# If so many of the rows of labeled groups are labeled, labels were given to groups.
_OF_GROUPS = 0.9
# Class priors of rows, and points of the effect of a group.
_PRIORS, _NODES = 5, 15
# Standard deviation of the prior of the logarithm of the effect's size, and where it ends.
_SPREAD_OF_LOG_SIZE, _SIZES = 1.5, (-4.0, 3.0)
_LARGEST_FREQUENCY = 1 - 1e-6
# Of more groups, so many are drawn.
_MOST_GROUPS = 5000
_STEP = 1e-4


def positive_groups_density(
    s: Array, score: Array, groups: Array, rows: PriorDensity | float
) -> PriorDensity:
    r"""Return what the labels say about the share of groups with at least one positive row.

    Parameters
    ----------
    s : ndarray of shape (n_rows,)
        Labels, 1 or 0.
    score : ndarray of shape (n_rows,)
        Scores of fits that have not seen the group of the row.
    groups : ndarray of shape (n_rows,)
        Their numbers, from 0.
    rows : PriorDensity or float
        The share of positive rows.

    Returns
    -------
    density : PriorDensity

    Notes
    -----
    *Labels of rows.* With the score :math:`t_{gi}` of a row, its mean :math:`\bar t_g` over the
    group and an effect :math:`u_g` of the group, which is standard normal,

    .. math:: P(S_{gi}=1) = c\,\sigma(a + b\,t_{gi} + b'\,\bar t_g + \tau u_g).

    The likelihood integrates over u. For several c of `rows`, an unlabeled group has no positive
    row with probability :math:`E\bigl[\prod_i (1-r_{gi}(u))\,|\,s_g\bigr]`, where r is P(Y=1|S=0).
    With :math:`\tau = 0` rows are independent given their scores. The other model has one class
    per group, :math:`P(Y_g=1) = \sigma(a + b\,\bar t_g)`, whose rows have labels with chance c.
    Both count by their evidence: the likelihood, less half of log(number of groups) per parameter.

    *Labels of groups.* If nearly all rows of labeled groups are labeled, a group is the unit: its
    label, and a score that is a logistic function of mean and largest score and of its size.

    **What breaks it:** what breaks the count of rows, `rows`; groups whose chance of a label
    depends on more than their positive rows.
    """
    n_all = int(groups.max()) + 1
    if n_all > _MOST_GROUPS:
        drawn = np.random.default_rng(0).permutation(n_all)[:_MOST_GROUPS]
        number = np.full(n_all, -1)
        number[drawn] = np.arange(_MOST_GROUPS)
        kept = number[groups] >= 0
        s, score, groups = s[kept], score[kept], number[groups][kept]
    n_groups = min(n_all, _MOST_GROUPS)
    share = float(s.mean())
    size = np.bincount(groups, minlength=n_groups)
    labeled = np.bincount(groups, s, n_groups)
    several = (labeled > 0) & (size > 1)
    if np.any(several) and labeled[several].sum() >= _OF_GROUPS * size[several].sum():
        is_labeled = (labeled > 0).astype(np.float64)
        return class_prior_density(is_labeled, _group_score(score, groups, size, is_labeled))
    priors = [float(rows)] if isinstance(rows, float | int) else rows.points(_PRIORS)
    rows_of = GroupedRows.of(s, score, groups)
    models: tuple[_Model, ...] = (OneEffect(rows_of), OneClass(rows_of))
    counts = np.array(
        [
            one
            for prior in priors
            for one in _by_evidence(models, min(share / prior, _LARGEST_FREQUENCY))
        ]
    )
    mean, variance, weight = counts.T
    least = float(np.mean(labeled > 0))
    of_drawing = mean / n_groups * (1 - mean / n_groups) * (1 / n_groups - 1 / n_all)
    error = np.sqrt(variance / n_groups**2 + of_drawing)
    return discrete_density(mean / n_groups, error, weight, least, 1.0, n_groups)


def _group_score(score: Array, groups: Array, size: Array, is_labeled: Array) -> Array:
    """Return one score per group, fitted to the labels of groups."""
    mean = np.bincount(groups, score) / size
    largest = np.full(len(size), -np.inf)
    np.maximum.at(largest, groups, score)
    features = np.column_stack([mean, largest, np.log(size)])
    deviation = features.std(axis=0)
    features = (features - features.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    fitted = LogisticRegression().fit(features, is_labeled)
    return np.asarray(fitted.decision_function(features))


class GroupedRows(NamedTuple):
    """Rows in the order of their groups.

    Attributes
    ----------
    s, score, mean : ndarray of shape (n_rows,)
        Labels, standardized scores, and their means over groups.
    first, size, labeled : ndarray of shape (n_groups,)
        Where each group begins, its number of rows, and how many of them are labeled.
    """

    s: Array
    score: Array
    mean: Array
    first: Array
    size: Array
    labeled: Array

    @classmethod
    def of(cls, s: Array, score: Array, groups: Array) -> GroupedRows:
        """Sort the rows by group."""
        order = np.argsort(groups, kind="stable")
        z, size = standardized(score[order], np.ones(len(score)))[0], np.bincount(groups)
        first = np.append(0, np.cumsum(size)[:-1])
        mean = np.repeat(np.add.reduceat(z, first) / size, size)
        s = s[order].astype(np.float64)
        return cls(s, z, mean, first, size, np.add.reduceat(s, first))


class OneEffect:
    """A group moves the logits of its rows by one number, over which the likelihood integrates."""

    start = (0.0, 1.0, 0.5, 0.0)
    bounds = ((-60.0, 60.0), (0.0, 60.0), (0.0, 60.0), _SIZES)

    def __init__(self, rows: GroupedRows) -> None:
        self.rows = rows

    def loss(self, theta: Array, frequency: float) -> tuple[float, Array]:
        """Return minus the penalized log-likelihood, and its gradient."""
        rows = self.rows
        logits, effect = self._logits(theta)
        log_positive = np.log(frequency) + log_expit(logits)
        probability, is_labeled = np.exp(log_positive), rows.s[:, None] == 1
        of_rows = np.where(is_labeled, log_positive, np.log1p(-probability))
        joint = np.add.reduceat(of_rows, rows.first, axis=0) + _LOG_WEIGHTS
        of_groups = logsumexp(joint, axis=1, keepdims=True)
        falls = expit(-logits)
        slope = np.where(is_labeled, falls, -probability * falls / (1 - probability))
        slope *= np.repeat(np.exp(joint - of_groups), rows.size, axis=0)
        of_row = slope.sum(axis=1)
        of_effect = effect * (slope @ _POINTS).sum()
        gradient = np.array([of_row.sum(), of_row @ rows.score, of_row @ rows.mean, of_effect])
        penalty = theta[3] / _SPREAD_OF_LOG_SIZE**2
        gradient[3] -= penalty
        return float(0.5 * theta[3] * penalty - of_groups.sum()), -gradient

    def have_positive(self, theta: Array, frequency: float) -> Array:
        """Return the probability of each group to have a positive row; 1 if one is labeled."""
        rows, logits = self.rows, self._logits(theta)[0]
        log_positive = np.log(frequency) + log_expit(logits)
        label = np.where(rows.s[:, None] == 1, log_positive, np.log1p(-np.exp(log_positive)))
        joint = np.add.reduceat(label, rows.first, axis=0) + _LOG_WEIGHTS
        likely = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        missed = np.minimum(given_unlabeled(expit(logits), frequency), _LARGEST_FREQUENCY)
        none = np.exp(np.add.reduceat(np.log1p(-missed), rows.first, axis=0))
        found = np.clip(1 - np.sum(likely * none, axis=1), 0.0, 1.0)
        return np.where(rows.labeled > 0, 1.0, found)

    def _logits(self, theta: Array) -> tuple[Array, float]:
        effect = float(np.exp(theta[3]))
        of_row = theta[0] + theta[1] * self.rows.score + theta[2] * self.rows.mean
        return of_row[:, None] + effect * _POINTS, effect


class OneClass:
    """All rows of a group have one class, and are labeled independently of each other."""

    start = (0.0, 1.0)
    bounds = ((-60.0, 60.0), (0.0, 60.0))

    def __init__(self, rows: GroupedRows) -> None:
        self.rows, self.mean = rows, rows.mean[rows.first]
        self.is_labeled = rows.labeled > 0

    def loss(self, theta: Array, frequency: float) -> tuple[float, Array]:
        """Return minus the log-likelihood, and its gradient."""
        rows, posterior = self.rows, expit(theta[0] + theta[1] * self.mean)
        missed = (1 - frequency) ** rows.size
        unlabeled = 1 - posterior * (1 - missed)
        of_rows = rows.labeled * np.log(frequency) + (rows.size - rows.labeled) * np.log1p(
            -frequency
        )
        labeled = of_rows + log_expit(theta[0] + theta[1] * self.mean)
        value = np.where(self.is_labeled, labeled, np.log(unlabeled)).sum()
        falls = posterior * (1 - posterior) * (1 - missed) / unlabeled
        slope = np.where(self.is_labeled, 1 - posterior, -falls)
        return -float(value), -np.array([slope.sum(), slope @ self.mean])

    def have_positive(self, theta: Array, frequency: float) -> Array:
        """Return the probability of each group to be positive; 1 if one of its rows is labeled."""
        posterior = expit(theta[0] + theta[1] * self.mean)
        found = given_unlabeled(posterior, 1 - (1 - frequency) ** self.rows.size)
        return np.where(self.is_labeled, 1.0, found)


_Model = OneEffect | OneClass


def _by_evidence(models: tuple[_Model, ...], frequency: float) -> list[tuple[float, float, float]]:
    """Return expected number of groups, its variance and its weight, by each model."""
    found, evidence = [], []
    for model in models:
        fitted = minimize(
            model.loss,
            np.array(model.start),
            (frequency,),
            method="L-BFGS-B",
            jac=True,
            bounds=model.bounds,
        )
        parameters = 0.5 * len(model.start) * np.log(len(model.rows.size))
        evidence.append(-float(fitted.fun) - parameters)
        found.append(_count(model, np.asarray(fitted.x), frequency))
    weights = np.exp(np.array(evidence) - max(evidence))
    weights /= weights.sum()
    return [(*one, float(weight)) for one, weight in zip(found, weights, strict=True)]


def _count(model: _Model, theta: Array, frequency: float) -> tuple[float, float]:
    """Return the expected number of groups with a positive row, and its variance."""
    has_one = model.have_positive(theta, frequency)
    hessian, moves = np.empty((len(theta), len(theta))), np.empty(len(theta))
    for k, step in enumerate(_STEP * np.eye(len(theta))):
        ends = (theta + step, theta - step)
        after, before = (model.loss(end, frequency)[1] for end in ends)
        hessian[k] = (after - before) / (2 * _STEP)
        more, less = (model.have_positive(end, frequency).sum() for end in ends)
        moves[k] = (more - less) / (2 * _STEP)
    # Directions in which the likelihood does not fall end at a bound.
    values, vectors = np.linalg.eigh(0.5 * (hessian + hessian.T))
    falls = values > 1e-6 * values.max()
    of_model = float(np.sum((moves @ vectors[:, falls]) ** 2 / values[falls]))
    return float(has_one.sum()), float(np.sum(has_one * (1 - has_one))) + of_model


_POINTS, _WEIGHTS = hermegauss(_NODES)
_LOG_WEIGHTS = np.log(_WEIGHTS / _WEIGHTS.sum())
