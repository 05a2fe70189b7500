"""A logistic line along a score, with a normal prior of intercept and slope."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit, logit

from unlabeled.scores import fit_line, penalized_line

CENTER, PRECISION = (0.0, 1.0), (1 / 9, 4.0)


def minus_log_density(a, b, z, share, weight):
    t = a + b * z
    prior = a**2 / 18 + (b - 1) ** 2 / (2 * 0.25)
    return np.sum(weight * (np.logaddexp(0, t) - share * t)) + prior


def test_the_line_has_the_largest_density():
    rng = np.random.default_rng(0)
    z, weight = rng.normal(size=80), rng.exponential(size=80)
    share = (rng.random(80) < expit(0.7 + 1.4 * z)).astype(float)
    line = np.array(penalized_line(z, share, weight, CENTER, PRECISION))
    best = minus_log_density(*line, z, share, weight)
    for step in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3)):
        assert best < minus_log_density(*(line + step), z, share, weight)


def test_the_line_is_found_where_the_model_is_almost_a_step():
    """Steps of plain Newton would run away: almost all curvatures are 0 at the start."""
    z = np.repeat([-12.0, -6.0, 12.0], 30)
    share = np.repeat([0.0, 1.0, 1.0], 30)
    intercept, slope = penalized_line(z, share, np.ones(90), CENTER, PRECISION)
    assert intercept - 6 * slope > 1
    assert intercept - 12 * slope < -1


def test_a_line_does_not_fall_and_then_has_the_best_intercept():
    z, weight = np.linspace(-2, 2, 50), np.ones(50)
    intercept, slope = penalized_line(z, (z < 0.5).astype(float), weight, CENTER, (0.0, 1e-9))
    assert slope == 0
    assert intercept == pytest.approx(logit(np.mean(z < 0.5)))


def test_few_labels_leave_a_logit_nearly_as_it_is():
    rng = np.random.default_rng(1)
    raw = rng.normal(size=40)
    few = fit_line(raw, (rng.random(40) < expit(raw)).astype(float), np.ones(40))
    assert few.slope == pytest.approx(1, abs=0.3)
    many = np.tile(raw, 500)
    s = (np.random.default_rng(2).random(len(many)) < expit(3 * many + 1)).astype(float)
    line = fit_line(many, s, np.ones(len(many)))
    assert (line.intercept, line.slope) == pytest.approx((1, 3), abs=0.15)
