"""The paper's synthetic design without a random generator: the same numbers everywhere."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, ndtri

from ._arguments import check_count, check_frequency
from ._paper_design import BETA, COVARIANCE, MEAN
from ._simulated import SimulatedSample

_PRIMES = np.array([2.0, 3.0, 5.0, 7.0, 11.0])


def make_quasirandom_gaussian(n: int = 2000, c: float = 0.6) -> SimulatedSample:
    r"""Make the paper's synthetic data from a quasi-random sequence.

    The same numbers on every machine and in every language, so published fits of them can be
    compared digit by digit. The rows are evenly spread, not independent: use
    `make_paper_gaussian` where sampling error matters (intervals, tests, repetitions).

    .. math::
        u_{ij} = \mathrm{frac}((i - 1/2)\sqrt{p_j}), \quad p = (2, 3, 5, 7, 11), \quad
        x_i = m + L\,\Phi^{-1}(u_{i,1..3}),

    with the mean m and the Cholesky factor L of the paper's covariance; then
    :math:`y_i = 1\{u_{i4} < \sigma(-1 - x_{i1} + x_{i2} + x_{i3})\}` and
    :math:`s_i = y_i 1\{u_{i5} < c\}`.

    What breaks it: standard errors mean nothing here, since nothing was drawn.

    Parameters
    ----------
    n : int, default=2000
        Number of rows. Fewer rows are the first ones of a longer sample.
    c : float, default=0.6
        Label frequency, in (0, 1]. Only s depends on it.

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
    n = check_count(n, "n", least=1)
    c = check_frequency(c, "c")
    u = np.outer(np.arange(1, n + 1) - 0.5, np.sqrt(_PRIMES)) % 1.0
    X = MEAN + ndtri(u[:, :3]) @ np.linalg.cholesky(COVARIANCE).T
    y_true = (u[:, 3] < expit(BETA[0] + X @ BETA[1:])).astype(np.int64)
    s = y_true * (u[:, 4] < c)
    return SimulatedSample(X, s.astype(np.int64), y_true, BETA.copy())
