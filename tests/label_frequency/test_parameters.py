"""Bad parameters of the label-frequency estimators, failed fits, results out of range."""

import warnings

import numpy as np
import pytest

from unlabeled.label_frequency import ElkanNoto, TIcE

X = np.random.default_rng(0).normal(size=(30, 2))
S = np.arange(30) % 3 == 0


def test_estimates_outside_their_range_are_announced(rng):
    X = rng.normal(size=(50, 1))
    s = (X[:, 0] > 1).astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ElkanNoto("e3", quantile=0.01).fit(X, s)
    assert "PU108" in {item.message.code for item in caught}
    assert model.label_frequency_ == s.mean()


def test_a_failed_refit_of_a_frequency_estimator_leaves_the_fit_before():
    estimator = ElkanNoto().fit(X, S)
    before = estimator.label_frequency_
    with pytest.raises(ValueError, match="`cv` must be"):
        estimator.set_params(cv="x").fit(X[:, :1], S)
    assert (estimator.n_features_in_, estimator.label_frequency_) == (2, before)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (ElkanNoto("e4"), "`variant` must be.*'e4'"),
        (ElkanNoto(C=-1), "`C` must be.*-1"),
        (ElkanNoto(cv="x"), "`cv` must be.*'x'"),
        (ElkanNoto(cv=11), r"`cv` must be.*10.*got 11"),
        (ElkanNoto("e3", quantile=0), "`quantile` must be.*got 0"),
        (TIcE(honest="no"), "`honest` must be.*'no'"),
        (TIcE(cv="x"), "`cv` must be.*'x'"),
        (TIcE(cv=1), "`cv` must be at least 2"),
        (TIcE(scale="std"), "`scale` must be.*'std'"),
        (TIcE(delta=2), "`delta` must be.*got 2"),
        (TIcE(max_splits=0), "`max_splits` must be.*got 0"),
    ],
)
def test_bad_parameters_are_named(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, S)
