"""c = 1 is logistic regression; the penalty is scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unlabeled import JointLogistic, NaiveLogistic, WeightedLogistic

MODELS = [NaiveLogistic, JointLogistic, WeightedLogistic]


def as_logistic_regression(kind):
    return kind() if kind is NaiveLogistic else kind(1.0)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("C", [0.01, 1.0, 1e6])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_frequency_one_is_logistic_regression(kind, C, fit_intercept, golden, rng):
    data = golden(label_frequency=0.6)
    weight = rng.random(2000)
    ours = as_logistic_regression(kind).set_params(C=C, fit_intercept=fit_intercept, tol=1e-11)
    ours.fit(data.X, data.s, sample_weight=weight)
    theirs = LogisticRegression(
        C=C, fit_intercept=fit_intercept, solver="newton-cholesky", tol=1e-12, max_iter=1000
    ).fit(data.X, data.s, sample_weight=weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)


def test_penalized_joint_has_a_zero_gradient(golden):
    """Finite differences of the penalized likelihood vanish at the fit."""
    data, C = golden(label_frequency=0.6), 1.0
    joint = JointLogistic(C=C, tol=1e-10).fit(data.X, data.s)

    def objective(theta):
        t, c = data.X @ theta[:3] + theta[3], theta[4]
        p = c / (1 + np.exp(-t))
        loss = -np.sum(np.where(data.s == 1, np.log(p), np.log(1 - p)))
        return C * loss + 0.5 * theta[:3] @ theta[:3]

    theta = np.r_[joint.coef_[0], joint.intercept_, joint.label_frequency_]
    for k in range(5):
        h = 1e-4 * (np.arange(5) == k)
        slope = (objective(theta + h) - objective(theta - h)) / 2e-4
        assert abs(slope) < 1e-5 * C * 2000
