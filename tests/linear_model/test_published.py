"""The published optimizers and their loss."""

import numpy as np
import pytest

from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import LogisticLoss
from unlabeled.linear_model._published import ClippedLogisticLoss, published_weighted_risk


def test_published_optimizer_stops_on_a_bounded_point(golden):
    """The risk has no minimum with c = e1: BFGS stops where clipping stops it, not at infinity."""
    data = golden(label_frequency=0.6)
    problem = LinearProblem.of(data.X, None).objective(ClippedLogisticLoss(), data.s / 0.26067)
    result = published_weighted_risk(problem.objective)
    assert not result.converged
    assert 5 < np.max(np.abs(result.z)) < 20


def test_clipped_loss_is_the_logistic_loss_where_nothing_is_clipped(rng):
    t, d = rng.normal(size=20), rng.choice([0.0, 1.0, 3.5], size=20)
    clipped = ClippedLogisticLoss().derivatives((t,), d, second=False)
    plain = LogisticLoss().derivatives((t,), d, second=False)
    np.testing.assert_allclose(clipped.value, plain.value, atol=1e-13)
    np.testing.assert_array_equal(clipped.gradient, plain.gradient)
    far = ClippedLogisticLoss().derivatives((np.array([-800.0]),), np.array([1.0]), second=False)
    assert far.value[0] == pytest.approx(-np.log(1e-15))
