"""The line that moves the posterior along the score is the optimum, however far it lies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from unlabeled.audit._recut import _map_line


@pytest.mark.parametrize("seed", range(20))
def test_shift_and_slope_maximise_the_posterior_density(seed):
    """Whole Newton steps swing around the optimum if the answers refute the model."""
    rng = np.random.default_rng(seed)
    at = rng.normal(-6, 3, 140)
    answer = (rng.random(140) < expit(2 + 0.5 * at)).astype(float)

    def minus_log_density(theta):
        logit = theta[0] + theta[1] * at
        prior = theta[0] ** 2 / (2 * 2.0**2) + (theta[1] - 1) ** 2 / (2 * 0.5**2)
        return np.sum(np.logaddexp(0, logit) - answer * logit) + prior

    best = minimize(minus_log_density, [0.0, 1.0], method="Nelder-Mead", tol=1e-10)
    np.testing.assert_allclose(_map_line(at, answer, np.ones(140), 0.5), best.x, atol=1e-4)
