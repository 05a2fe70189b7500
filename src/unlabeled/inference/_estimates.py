"""Estimates and their covariance: standard errors, tests, intervals, a printed summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, Literal, get_args

import numpy as np
from scipy import linalg, stats

from ..engine.arrays import namespace_of
from ..engine.intervals import Intervals
from ..engine.losses import RowLoss
from ..engine.objective import Objective
from ..engine.parameters import check_level, check_square_matrix
from ..engine.result_table import ResultTable, TextTable

Array = np.ndarray[Any, np.dtype[Any]]
Entries = Callable[[tuple[Array, ...], Array], tuple[Array, ...]]

CovarianceKind = Literal["sandwich", "observed", "expected"]
COVARIANCES = get_args(CovarianceKind)
"""The kinds of covariance: White's sandwich, inverse observed and inverse expected information."""

# Eigenvalues of the scaled information below this fraction of the largest count as 0.
_FLAT = 1e-10


@dataclass(frozen=True)
class Estimates:
    """Parameter estimates with names and a covariance matrix; approximately normal.

    Attributes
    ----------
    names : tuple of str
    value : ndarray of shape (n_estimates,)
    covariance : ndarray of shape (n_estimates, n_estimates)
    """

    names: tuple[str, ...]
    value: Array
    covariance: Array

    @property
    def standard_error(self) -> Array:
        """Standard error of each estimate; NaN if the rows do not determine it."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def p_value(self) -> Array:
        """Two-sided p-value of the hypothesis that the estimated parameter is 0."""
        return np.asarray(2 * stats.norm.sf(np.abs(self.value) / self.standard_error))

    def interval(self, confidence_level: float = 0.95) -> Intervals:
        """Return normal intervals.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Coverage of each single interval.

        Returns
        -------
        intervals : Intervals
            One per estimate.
        """
        check_level(confidence_level)
        half = stats.norm.ppf(0.5 + confidence_level / 2) * self.standard_error
        return Intervals(
            self.value, self.value - half, self.value + half, confidence_level, "normal"
        )


def covariance(
    objective: Objective,
    theta: Array,
    kind: str = "sandwich",
    unit: Any = None,
    groups: Array | None = None,
) -> Array:
    r"""Covariance of the parameters at the optimum `theta` of a sum of losses.

    Let :math:`\ell_i` be minus the log-likelihood of row i, A the sum of the second
    derivatives of :math:`\ell_i`, and B the sum of
    :math:`\partial\ell_i\,\partial\ell_i^T`. "sandwich" is :math:`A^{-1}BA^{-1}`, which
    is valid even if the model is wrong, as the naive one is. "observed" is :math:`A^{-1}`.
    "expected" replaces A by its mean under the model. A ridge adds its curvature to A. A row of
    weight k counts as k rows.

    With a `unit` the row is :math:`k/u` rows of weight u. B then has the factor
    :math:`k u` instead of k, and so has the variance of the score that the model expects,
    which stands in the middle of a sandwich for the other kinds, too.

    Parameters
    ----------
    objective : Objective
    theta : ndarray of shape (n_parameters,)
    kind : {"sandwich", "observed", "expected"}, default="sandwich"
    unit : column of shape (n_rows,), optional
        The weight of one independent row; 1 if None.
    groups : ndarray of shape (n_rows,), optional
        The group of each row, of a sandwich of rows in memory. With :math:`u_g` the sum of
        :math:`k_i\,\partial\ell_i` over the rows of group g, B is :math:`\sum_g u_g u_g^T`, times
        G / (G - 1) for G groups.

    Returns
    -------
    covariance : ndarray of shape (n_parameters, n_parameters)
        NaN in the rows and columns of parameters that the data do not
        determine, such as those of linearly dependent features.
    """
    instead = "Fit fewer columns, or use `bootstrap` for recall, precision and F1."
    check_square_matrix(objective.X.shape[1], "a covariance", instead)
    second = _second(objective.loss, kind == "expected")
    bread, penalty = objective.cross_products(theta, second), objective.penalty_curvature()
    inverse, determined = _inverse(bread + penalty)
    if kind == "sandwich" and groups is not None:
        of_groups = objective.gradients_of_groups(theta, groups)
        factor = len(of_groups) / max(len(of_groups) - 1, 1)
        inverse = factor * (inverse @ (of_groups.T @ of_groups) @ inverse)
    elif kind == "sandwich":
        outer = objective.cross_products(theta, _outer(objective.loss), unit)
        inverse = inverse @ outer @ inverse
    elif unit is not None:
        # Of checked rows the model does not say how they were chosen.
        is_told = objective.target.ndim == 1
        of_score = _second(objective.loss, True) if is_told else _outer(objective.loss)
        inverse = inverse @ (objective.cross_products(theta, of_score, unit) + penalty) @ inverse
    inverse[~determined, :] = inverse[:, ~determined] = np.nan
    return inverse


def _second(loss: RowLoss, expected: bool) -> Entries:
    def observed(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        return loss.derivatives(predictors, target, second=True).hessian

    def mean(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        xp = namespace_of(target)
        labeled = loss.derivatives(predictors, xp.ones_like(target), second=True)
        other = loss.derivatives(predictors, xp.zeros_like(target), second=True)
        probability = xp.exp(-labeled.value)
        pairs = zip(labeled.hessian, other.hessian, strict=True)
        return tuple(probability * one + (1 - probability) * zero for one, zero in pairs)

    return mean if expected else observed


def _outer(loss: RowLoss) -> Entries:
    def outer(predictors: tuple[Array, ...], target: Array) -> tuple[Array, ...]:
        gradient = loss.derivatives(predictors, target, second=False).gradient
        return tuple(a * b for a, b in combinations_with_replacement(gradient, 2))

    return outer


def _inverse(information: Array) -> tuple[Array, Array]:
    """Return a generalized inverse, and which parameters are determined."""
    scale = np.sqrt(np.abs(np.diag(information)))
    scale[scale == 0] = 1.0
    values, vectors = linalg.eigh(information / np.outer(scale, scale))
    flat = np.abs(values) <= _FLAT * np.max(np.abs(values))
    determined = np.sum(vectors[:, flat] ** 2, axis=1) < _FLAT
    kept = vectors[:, ~flat]
    inverse = (kept / values[~flat]) @ kept.T
    return inverse / np.outer(scale, scale), determined


@dataclass(frozen=True)
class Summary(ResultTable):
    """Facts about a fit and a table of its estimates; a notebook shows it as HTML.

    `to_frame` has one row per estimate: name, estimate, standard_error, z, p_value, lower and
    upper.

    Attributes
    ----------
    title : str
    facts : tuple of (str, str)
        The lines above the table.
    estimates : Estimates
    confidence_level : float
        Level of the intervals.
    """

    title: str
    facts: tuple[tuple[str, str], ...]
    estimates: Estimates
    confidence_level: float = 0.95

    def _columns(self) -> dict[str, np.ndarray]:
        estimates, interval = self.estimates, self.estimates.interval(self.confidence_level)
        return {
            "name": np.array(estimates.names, dtype=object),
            "estimate": estimates.value,
            "standard_error": estimates.standard_error,
            "z": estimates.value / estimates.standard_error,
            "p_value": estimates.p_value,
            "lower": interval.lower,
            "upper": interval.upper,
        }

    def _tables(self) -> list[TextTable]:
        tail = (1 - self.confidence_level) / 2
        heading = ["", "estimate", "std. error", "z", "P>|z|", f"[{tail:.3g}", f"{1 - tail:.3g}]"]
        rows = [
            [name, *(f"{number:.{2 if j == 2 else 4}f}" for j, number in enumerate(numbers))]
            for name, *numbers in zip(*self._columns().values(), strict=True)
        ]
        return [TextTable(self.title, [heading, *rows], facts=self.facts)]
