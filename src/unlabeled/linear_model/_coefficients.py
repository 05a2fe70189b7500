"""Coefficients of the posterior: without shrinkage, averaged over the label frequency."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..engine.linear_fits import LinearProblem
from ..engine.losses import KnownFrequencyLoss, ProductLoss, RowLoss
from ..engine.objective import CONSTANT, Design, Objective
from ..engine.rows import Rows
from ..engine.solvers import minimize
from ..inference import Estimates
from ._joint_fit import FrequencyProfile
from ._likelihood import Optimum, penalized_objective

WIDE = 25.0
"""C of a ridge that hardly shrinks a feature of unit spread: a prior of standard deviation 5."""

LABELED_PER_FEATURE = 5
"""With fewer labeled rows per feature, intervals of coefficients without shrinkage fail."""

# Fits at label frequencies that differ by a larger factor than this are not interpolated.
_STEP = 1.2
_MOST_FITS = 9
_TAIL = 0.005
_BELOW_ONE = 1 - 1e-6


class Frequencies(NamedTuple):
    """What is known of the label frequency: values in rising order, and their probabilities."""

    value: np.ndarray
    probability: np.ndarray

    @classmethod
    def of(cls, value: np.ndarray, probability: np.ndarray) -> Frequencies:
        """Sort the values; those above 1 are 1."""
        value = np.minimum(value, 1.0)
        order = np.argsort(value, kind="stable")
        return cls(value[order], probability[order] / probability.sum())

    def knots(self) -> np.ndarray:
        """Return the values to fit at: evenly spaced logarithms that span nearly all of them."""
        middle = np.cumsum(self.probability) - 0.5 * self.probability
        low, high = np.log(np.interp((_TAIL, 1 - _TAIL), middle, self.value))
        number = 1 + int(np.ceil((high - low) / np.log(_STEP)))
        return np.unique(np.exp(np.linspace(low, high, min(max(number, 3), _MOST_FITS))))

    def hats(self, knots: np.ndarray) -> np.ndarray:
        """Return the weight of each knot in the linear interpolation at each value."""
        each = np.eye(len(knots))
        return np.column_stack([np.interp(self.value, knots, hat) for hat in each])


class Coefficients:
    r"""The posterior's coefficients for a known label frequency, and averaged over it.

    Given c, the likelihood is maximized with a ridge that hardly shrinks, so the coefficients
    :math:`\beta(c)` are normal around the true ones, with the covariance V(c). Averaged over
    what the labels say about c, their mean is :math:`E\,\beta(c)`, and their covariance is
    :math:`E\,V(c) + \mathrm{Var}\,\beta(c)`. Between the knots, both are interpolated linearly.

    Parameters
    ----------
    rows : Rows
        In memory, in chunks or on a device.
    scale : ndarray of shape (n_features,)
        Divided by it, features have unit spread.
    theta : ndarray of shape (n_features + 1,)
        Coefficients to start from, the intercept last.
    tol, max_iter : float, int
        Tolerance and maximum number of iterations of each fit.
    """

    def __init__(
        self,
        rows: Rows,
        scale: np.ndarray,
        theta: np.ndarray,
        tol: float,
        max_iter: int,
    ) -> None:
        self._rows, self._scale, self._theta = rows, scale, theta
        self._tol, self._max_iter = tol, max_iter
        self._linear = LinearProblem.of(rows.X, rows.weight, WIDE, True, scale=scale)

    def averaged(
        self,
        at: float,
        frequencies: Frequencies,
        names: tuple[str, ...],
        factor: np.ndarray,
        kind: str,
    ) -> Estimates:
        """Return the average over label frequencies; the start is near the optimum `at` one."""
        knots, start = frequencies.knots(), (at, self._theta)
        profile = FrequencyProfile(self._linear, self._rows, self._tol, self._max_iter, start)
        found = []
        for c in knots:
            objective = self._objective(KnownFrequencyLoss(c))
            optimum = Optimum(objective, profile.theta(c), names, factor, self._rows)
            found.append(_at_least_observed(optimum, kind))
        values = np.array([one.value for one in found])
        hats = frequencies.hats(knots)
        weight = frequencies.probability @ hats
        mean = weight @ values
        between = (hats @ (values - mean)) * np.sqrt(frequencies.probability)[:, None]
        within = np.einsum("k,kij->ij", weight, np.array([one.covariance for one in found]))
        return Estimates(names, mean, within + between.T @ between)

    def with_answers(
        self, at: float, names: tuple[str, ...], factor: np.ndarray, kind: str
    ) -> Estimates:
        """Return the coefficients if checked rows tell the label frequency with the labels."""
        whole = self._linear.objective(ProductLoss(), self._rows.target, CONSTANT)
        at = min(at, _BELOW_ONE)
        start = whole.coordinates(np.append(self._theta, np.log(at) - np.log1p(-at)))
        theta = whole.theta(minimize(whole, start, self._tol, self._max_iter).z)
        objective = self._objective(ProductLoss(), CONSTANT)
        all_names, factor = (*names, "logit c"), np.append(factor, 1.0)
        both = Optimum(objective, theta, all_names, factor, self._rows)
        found = _at_least_observed(both, kind)
        return Estimates(names, found.value[:-1], found.covariance[:-1, :-1])

    def _objective(self, loss: RowLoss, *further: Design) -> Objective:
        return penalized_objective(loss, self._rows, WIDE, True, *further, scale=self._scale)


def _at_least_observed(optimum: Optimum, kind: str) -> Estimates:
    """Return the estimates with standard errors that are at least those of the information.

    If no row with a rare level is labeled, all of these rows agree with the fit. The sandwich
    takes that for certainty.
    """
    found = optimum.estimates(kind)
    if kind != "sandwich":
        return found
    ratio = optimum.estimates("observed").standard_error / found.standard_error
    larger = np.fmax(ratio, 1.0)
    return Estimates(found.names, found.value, found.covariance * np.outer(larger, larger))
