"""Ruud's theorem in numbers: what a logistic fit to the labels estimates."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import quad_vec
from scipy.special import expit

from ._normal import Vector, finite_number, index_variance, normal_density, normal_nodes


class RuudProjection(NamedTuple):
    r"""The limit of the naive logistic fit, as a function of the true linear predictor.

    Attributes
    ----------
    intercept : float
        :math:`\beta_0^*`; 0 when no intercept is fitted.
    slope : float
        :math:`\eta`, the factor by which every true slope is multiplied.
    """

    intercept: float
    slope: float


def ruud_projection(
    beta0: float,
    mean: float,
    var: float,
    c: float | None = None,
    *,
    fit_intercept: bool = True,
    propensity: Callable[[Any], Any] | None = None,
) -> RuudProjection:
    r"""Compute the intercept and slope factor that a naive logistic fit converges to.

    Assumes a logistic posterior :math:`\sigma(\beta_0 + T)` whose index
    :math:`T = \tilde x^T \beta_{-0}` is normal, as it is when x is, and a
    propensity that depends on x only through the posterior (SCAR: constant).
    Then the slopes of the fit to the labels tend to
    :math:`\eta\,\beta_{-0}`: the direction is right, the length is not.

    Parameters
    ----------
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).
    c : float in (0, 1], optional
        Label frequency :math:`P(S=1|Y=1)`. Give this or `propensity`.
    fit_intercept : bool
        Whether the fitted model has an intercept.
    propensity : callable, optional
        Propensity as a vectorized function of the posterior: it maps an array of
        numbers in (0, 1) to numbers in [0, 1]. Replaces `c`.

    Returns
    -------
    RuudProjection
        The pair (:math:`\beta_0^*`, :math:`\eta`), accurate to about 1e-10 or better.

    See Also
    --------
    reproduction.theory.optimal_cut : The best cut in the population.

    Notes
    -----
    With :math:`q(T) = e(\sigma(\beta_0+T))\,\sigma(\beta_0+T)` the pair solves

    .. math:: E\,\sigma(\beta_0^* + \eta T) = E\,q(T), \qquad
              E\,T\sigma(\beta_0^* + \eta T) = E\,T q(T),

    the normal equations of a convex problem; without intercept the second one
    alone, with :math:`\beta_0^* = 0`. For SCAR the solution satisfies
    :math:`\eta/c = E\sigma'(\beta_0+T) / E\sigma'(\beta_0^*+\eta T)`
    (Theorem 2 of [2]_), and :math:`c \le 1/2` gives :math:`\beta_0^* < 0` when
    T has mean zero. The bound :math:`\eta \le c` holds without intercepts only.

    **What breaks it:** if the index is not normal, the numbers are wrong; if x is not
    elliptical, even the direction is wrong. The direction is also wrong if the
    propensity depends on x other than through the posterior.

    References
    ----------
    .. [1] P. A. Ruud (1983). Sufficient conditions for the consistency of maximum
       likelihood estimation despite misspecification of distribution in multinomial
       discrete choice models. Econometrica 51(1). doi:10.2307/1912257
    .. [2] M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
       unlabeled data based on logistic regression approach. FedCSIS 2023.
       doi:10.15439/2023F1402

    Examples
    --------
    >>> from reproduction.theory import ruud_projection
    >>> intercept, slope = ruud_projection(-1, mean=-1, var=3, c=0.3)
    >>> round(intercept, 6), round(slope, 6)
    (-2.582201, 0.65196)
    """
    beta0, mean = finite_number("beta0", beta0), finite_number("mean", mean)
    var = index_variance(var)
    if (c is None) == (propensity is None):
        raise ValueError(
            "`c` or `propensity` must be given, not both; "
            f"got {'neither' if c is None else 'both'}."
        )
    if propensity is None:
        _check_frequency(c)
    law = _label_law(beta0, c if propensity is None else propensity)
    nodes, weights = normal_nodes(mean, var)
    center, scale = (mean, math.sqrt(var)) if fit_intercept else (0.0, math.hypot(mean, var**0.5))

    def design(t: Vector) -> Vector:
        index = (t - center) / scale
        return np.column_stack([np.ones_like(t), index] if fit_intercept else [index])

    masses = [weights @ probability for probability in law(nodes)]
    rare = int(masses[1] < masses[0])  # solve for the rarer label to avoid cancellation

    def target(t: Vector) -> Vector:
        return design(t) * law(t)[rare][:, np.newaxis]

    moments = weights @ target(nodes) if c else _adaptive_mean(target, mean, var)
    theta = (-1) ** rare * _minimize(design(nodes), weights, moments)
    slope = float(theta[-1]) / scale
    return RuudProjection(float(theta[0]) - slope * center if fit_intercept else 0.0, slope)


def _check_frequency(c: Any) -> None:
    if not isinstance(c, Real) or not 0 < float(c) <= 1:
        raise ValueError(f"`c` must be in (0, 1]; got {c!r}.")


def _label_law(beta0: float, propensity: Any) -> Callable[[Vector], tuple[Vector, Vector]]:
    """Return the function from T to P(S=1|T), P(S=0|T); a number is the label frequency."""

    def law(t: Vector) -> tuple[Vector, Vector]:
        posterior, complement = expit(beta0 + t), expit(-beta0 - t)
        constant = not callable(propensity)
        e = propensity if constant else _propensity_values(propensity, posterior)
        return e * posterior, complement + (1 - e) * posterior

    return law


def _adaptive_mean(function: Callable[[Vector], Vector], mean: float, var: float) -> Vector:
    """Return E f(T) by adaptive quadrature, for functions that may have kinks and jumps."""
    sd = math.sqrt(var)

    def integrand(t: float) -> Vector:
        point = np.array([t])
        return np.asarray(normal_density(point, mean, sd) * function(point)[0])

    ends = mean - 38 * sd, mean + 38 * sd
    breaks = [mean + sd * step for step in (-16, -8, -4, 0, 4, 8, 16)]
    value = quad_vec(integrand, *ends, epsabs=1e-15, epsrel=1e-13, points=breaks, norm="max")[0]
    return np.asarray(value, dtype=np.float64)


def _propensity_values(propensity: Callable[[Any], Any], posterior: Vector) -> Vector:
    values = np.asarray(propensity(posterior), dtype=np.float64)
    if values.shape not in ((), posterior.shape):
        raise ValueError(
            "`propensity` must be a vectorized function, one value per posterior; got shape "
            f"{values.shape} for an input of shape {posterior.shape}. Use NumPy operations in it."
        )
    if not np.all((values >= 0) & (values <= 1)):
        wrong = values[~((values >= 0) & (values <= 1))]
        raise ValueError(
            f"`propensity` must have values in [0, 1]; got {wrong.flat[0]}. "
            "Scale the function so that it is a probability for every posterior."
        )
    return np.broadcast_to(values, posterior.shape)


_MAX_ITER = 200
_TOL = 1e-13


def _minimize(design: Vector, weights: Vector, moments: Vector) -> Vector:
    r"""Minimize :math:`\sum_k w_k\,\mathrm{softplus}(d_k^T\theta) - m^T\theta` from zero.

    Its gradient vanishes where the model's moments are m. The problem is
    convex; steps are halved until they descend.
    """
    theta = np.zeros(design.shape[1])
    for _ in range(_MAX_ITER):
        index = design @ theta
        probability = expit(index)
        gradient = design.T @ (weights * probability) - moments
        curvature = weights * probability * expit(-index)
        hessian = design.T @ (curvature[:, np.newaxis] * design)
        step = -np.asarray(np.linalg.lstsq(hessian, gradient, rcond=None)[0], dtype=np.float64)
        size = float(np.max(np.abs(step)) / (1 + np.max(np.abs(theta))))
        if size > 1e-6:  # closer in, rounding hides the descent and full steps are safe
            step = _descending(design, weights, moments, theta, step, float(gradient @ step))
        theta = theta + step
        if size <= _TOL:
            return theta
    if size <= 1e-9:  # rounding keeps the last digits moving
        return theta
    raise ValueError(
        "The index, `beta0` and the propensity must leave both labels possible; got a label "
        "probability that is 0 or 1 to machine precision. Move `beta0` toward -`mean`."
    )


def _descending(
    design: Vector, weights: Vector, moments: Vector, theta: Vector, step: Vector, slope: float
) -> Vector:
    start = _value(design, weights, moments, theta)
    for _ in range(60):
        if _value(design, weights, moments, theta + step) <= start + 1e-4 * slope:
            break
        step, slope = step / 2, slope / 2
    return step


def _value(design: Vector, weights: Vector, moments: Vector, theta: Vector) -> float:
    return float(weights @ np.logaddexp(0, design @ theta) - moments @ theta)
