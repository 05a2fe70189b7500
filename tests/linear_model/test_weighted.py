"""WeightedLogistic: risks without a minimum, and bad parameters."""

import warnings

import numpy as np
import pytest

from tests.linear_model.designs import design, fit_and_codes
from unlabeled import WeightedLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto, OneDimensionalJoint


def test_a_penalty_that_alone_sets_the_coefficients_is_reported(golden):
    """The risk is unbounded with c = e1: under a ridge, coefficients grow with C."""
    data = golden(label_frequency=0.6)
    sizes = []
    for C in (1.0, 100.0):
        with pytest.warns(UserWarning, match="PU107.*`C`"):
            model = WeightedLogistic(ElkanNoto(), C=C).fit(data.X, data.s)
        assert model.converged_
        sizes.append(np.linalg.norm(model.coef_))
    assert sizes[1] > 50 * sizes[0]


def test_frequency_equal_to_the_labeled_share(rng):
    """Every row would be positive: the intercept runs away, with a ridge too."""
    X, s = design(rng)
    for rows, weighting in ((X, "risk"), (np.ones((400, 1)), "posterior")):
        for C in (np.inf, 1.0):
            model = WeightedLogistic(s.mean(), weighting=weighting, C=C)
            assert "PU107" in fit_and_codes(model, rows, s)
            assert not model.converged_
            assert abs(model.intercept_[0]) < 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label_frequency": 0}, "`label_frequency` must be.*got 0"),
        ({"label_frequency": "EN"}, "`label_frequency` must be.*'EN'"),
        ({"label_frequency": 0.05}, r"`label_frequency` must be at least.*0\.05"),
        ({"weighting": "both"}, "`weighting` must be.*'both'"),
    ],
)
def test_bad_parameters_are_named(options, message, rng):
    X, s = design(rng)
    with pytest.raises(ValueError, match=message):
        WeightedLogistic(**options).fit(X, s)


@pytest.mark.parametrize("label_frequency", [0.3, 0.5, 0.9])
def test_the_default_converges_where_the_papers_does_not(label_frequency):
    """SURFACE, A 5: 0.2.0 took ElkanNoto(), which is far too low, and had no optimum."""
    data = make_paper_gaussian(1000, label_frequency, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = WeightedLogistic().fit(data.X, data.s)
    assert model.converged_
    assert isinstance(model.label_frequency_estimator_, OneDimensionalJoint)
    with pytest.warns(PUWarning, match="PU107"):
        published = WeightedLogistic(ElkanNoto()).fit(data.X, data.s)
    assert not published.converged_
    off, far_off = (abs(one.label_frequency_ - label_frequency) for one in (model, published))
    assert off < 0.5 * far_off
    again = WeightedLogistic().fit(data.X, data.s)
    assert again.label_frequency_ == model.label_frequency_  # unseeded folds are the same


@pytest.mark.filterwarnings("ignore:.PU109")
def test_labels_the_wrong_way_round_are_reported():
    """The cut is 1/2: nearly every row is predicted positive."""
    data = make_paper_gaussian(500, 0.5, random_state=0)
    model = WeightedLogistic(weighting="posterior")
    with pytest.warns(PUWarning, match="PU110.*posterior of 1/2"):
        model.fit(data.X, 1 - data.s)
    assert model.predict(data.X).mean() >= 0.95
