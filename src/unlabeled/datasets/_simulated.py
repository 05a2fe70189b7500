"""Simulated data: the paper's synthetic design, random or quasirandom."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import expit, ndtri
from sklearn.utils import check_random_state

from ..engine.parameters import check_fraction, check_positive
from ._labels import hide_labels

_MEAN = np.array([1.0, 1.0, -1.0])
"""Mean of the three features."""

_COVARIANCE = np.array([[1.0, 0.2, -0.2], [0.2, 1.0, 0.0], [-0.2, 0.0, 1.0]])
"""Covariance of the three features."""

_BETA = np.array([-1.0, -1.0, 1.0, 1.0])
"""Coefficients of the logistic posterior, the intercept first."""


@dataclass(frozen=True, eq=False)
class SimulatedSample:
    """A simulated positive-unlabeled sample, with the classes that a real one hides.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        Features, without a constant column.
    s : ndarray of shape (n,), int
        The observed label: 1 for labeled rows (all of them positive), 0 for the others.
    y_true : ndarray of shape (n,), int
        The hidden class.
    beta : ndarray of shape (p + 1,), float64
        Coefficients of the true posterior P(Y=1|x), the intercept first.
    """

    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    beta: np.ndarray


def make_paper_gaussian(
    n: int,
    label_frequency: float,
    random_state: int | np.random.RandomState | None = None,
    *,
    n_noise_features: int = 0,
) -> SimulatedSample:
    r"""Draw the paper's synthetic data: three correlated normal features, a logistic class.

    Labels are selected completely at random (SCAR). Features are normal, so Ruud's condition
    holds: the naive logistic fit of s on x has the direction of the true coefficients. Use it
    to study an estimator where the theory applies.

    .. math::
        x \sim N((1, 1, -1), \Sigma), \quad
        P(Y=1|x) = \sigma(-1 - x_1 + x_2 + x_3), \quad P(S=1|Y=1, x) = c

    with unit variances, :math:`\Sigma_{12}=.2`, :math:`\Sigma_{13}=-.2`,
    :math:`\Sigma_{23}=0`. The class prior is .2064803545.

    Note: the design favors methods that need normal features or a linear logit. Real data
    rarely have either (see `load_uci`).

    Parameters
    ----------
    n : int
        Number of rows.
    label_frequency : float
        c = P(S=1|Y=1), in (0, 1].
    random_state : int, RandomState or None, default=None
        Controls the draw; pass an int for reproducible output. One seed gives the same X and
        y_true for every `label_frequency`; a larger one keeps all labels and adds more.
    n_noise_features : int, default=0
        Independent N(0, 1) features without effect, added as last columns. They change
        neither the first three columns nor the labels.

    Returns
    -------
    sample : SimulatedSample
        With the fields X, s, y_true and beta (intercept first; zeros for noise features).

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> sample = make_paper_gaussian(1000, label_frequency=0.6, random_state=0)
    >>> sample.X.shape, sample.beta.tolist()
    ((1000, 3), [-1.0, -1.0, 1.0, 1.0])
    >>> bool((sample.s <= sample.y_true).all())
    True
    """
    _check_design(n, label_frequency)
    is_count = isinstance(n_noise_features, Integral) and not isinstance(n_noise_features, bool)
    if not is_count or n_noise_features < 0:
        raise ValueError(
            f"`n_noise_features` must be a whole number of at least 0; got {n_noise_features!r}."
        )
    rng = check_random_state(random_state)
    features = _MEAN + rng.standard_normal((n, len(_MEAN))) @ np.linalg.cholesky(_COVARIANCE).T
    posterior = expit(_BETA[0] + features @ _BETA[1:])
    y_true = (rng.random_sample(n) < posterior).astype(np.int64)
    s = hide_labels(y_true, label_frequency, random_state=rng)
    noise = rng.standard_normal((n, n_noise_features))
    beta = np.concatenate([_BETA, np.zeros(n_noise_features)])
    return SimulatedSample(np.hstack([features, noise]), s, y_true, beta)


_PRIMES = np.array([2.0, 3.0, 5.0, 7.0, 11.0])


def make_quasirandom_gaussian(n: int = 2000, label_frequency: float = 0.6) -> SimulatedSample:
    r"""Make the paper's synthetic data from a quasi-random sequence.

    The numbers are the same on every machine and in every language, so published fits can be
    compared digit by digit. The rows are evenly spread, not independent: use
    `make_paper_gaussian` if sampling error matters (intervals, tests, repetitions).

    .. math::
        u_{ij} = \mathrm{frac}((i - 1/2)\sqrt{p_j}), \quad p = (2, 3, 5, 7, 11), \quad
        x_i = m + L\,\Phi^{-1}(u_{i,1..3}),

    with the mean m and the Cholesky factor L of the paper's covariance; then
    :math:`y_i = 1\{u_{i4} < \sigma(-1 - x_{i1} + x_{i2} + x_{i3})\}` and
    :math:`s_i = y_i 1\{u_{i5} < c\}`.

    Note: standard errors have no meaning here, because nothing is drawn.

    Parameters
    ----------
    n : int, default=2000
        Number of rows. A shorter sample is the beginning of a longer one.
    label_frequency : float, default=0.6
        c = P(S=1|Y=1), in (0, 1]. Only s depends on it.

    Returns
    -------
    sample : SimulatedSample
        With the fields X, s, y_true and beta (intercept first).

    Examples
    --------
    >>> from unlabeled.datasets import make_quasirandom_gaussian
    >>> sample = make_quasirandom_gaussian()
    >>> print(f"{sample.X.sum():.6f}", sample.y_true.sum(), sample.s.sum())
    1993.084955 406 241
    """
    _check_design(n, label_frequency)
    u = np.outer(np.arange(1, n + 1) - 0.5, np.sqrt(_PRIMES)) % 1.0
    X = _MEAN + ndtri(u[:, :3]) @ np.linalg.cholesky(_COVARIANCE).T
    y_true = (u[:, 3] < expit(_BETA[0] + X @ _BETA[1:])).astype(np.int64)
    s = y_true * (u[:, 4] < label_frequency)
    return SimulatedSample(X, s.astype(np.int64), y_true, _BETA.copy())


def _check_design(n: Any, label_frequency: Any) -> None:
    check_positive("n", n, Integral, "a whole number of at least 1")
    check_fraction("label_frequency", label_frequency)
