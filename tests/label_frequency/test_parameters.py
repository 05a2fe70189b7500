"""Bad parameters of the label-frequency estimators and functions, results out of range."""

import warnings

import numpy as np
import pytest

from unlabeled.label_frequency import (
    ElkanNoto,
    TIcE,
    class_prior_density,
)
from unlabeled.scores import fit_checked_score, fit_score_joint, mean_class_prior, propensity_prior

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


SCORE = X[:, 0] + S
CHECKED = np.where(np.arange(30) % 3 == 1, SCORE > 0, np.nan)
FUNCTIONS = {
    "density": lambda score, s, **more: (
        class_prior_density(s, score, weights="frequency", **more).mean
    ),
    "joint": lambda score, s, **more: fit_score_joint(score, s, **more).class_prior,
    "mean": mean_class_prior,
    "checked": lambda score, s, **more: fit_checked_score(score, s, CHECKED, **more).class_prior,
    "propensity": lambda score, s, **more: (
        propensity_prior(
            score, np.zeros(len(score)), [[one, 0, 1 - one] for one in s], **more
        ).density.mean
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_scores_take_lists(name):
    call, s = FUNCTIONS[name], S.astype(float)
    known = call(SCORE, s)
    assert call(SCORE.tolist(), S.astype(int).tolist()) == known
    weighted = call(SCORE, s, sample_weight=[2] * 30)
    assert weighted == call(SCORE, s, sample_weight=np.full(30, 2.0))


def test_fitted_curves_take_lists():
    for fit in (fit_score_joint(SCORE, S), fit_checked_score(SCORE, S, CHECKED)):
        np.testing.assert_array_equal(fit.posterior(SCORE.tolist()), fit.posterior(SCORE))


@pytest.mark.parametrize(
    ("score", "s", "more", "message"),
    [
        (np.where(S, np.nan, SCORE), S, {}, "`score` must.*NaN.*10 rows"),
        (SCORE[:-1], S, {}, "`score` must.*30 rows.*29"),
        (SCORE, np.zeros(30), {}, "`s` must.*0 labeled rows of 30"),
        (SCORE, np.ones(30), {}, "`s` must.*30 labeled rows of 30"),
        (SCORE, S + 1, {}, "`s` must be 1.*got 2"),
        (SCORE, np.where(S, 1, np.nan), {}, "`s` must be 1.*got nan"),
        (SCORE, np.where(S, "yes", "no"), {}, "`s` must hold one number.*type <U3"),
        (SCORE, S, {"sample_weight": S * 1.0}, "`s` must.*10 labeled rows of 10"),
        (SCORE, S, {"sample_weight": -np.ones(30)}, "`sample_weight` must.*-1"),
    ],
)
@pytest.mark.parametrize("name", ["density", "joint", "mean", "checked"])
def test_bad_rows_of_functions_of_scores_are_named(name, score, s, more, message):
    with pytest.raises(ValueError, match=message):
        FUNCTIONS[name](score, s, **more)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_score_joint(SCORE, S, label_frequency=1.2), "`label_frequency` must.*1.2"),
        (lambda: fit_score_joint(SCORE, S, label_frequency=0), "`label_frequency` must.*got 0"),
        (lambda: class_prior_density(S, SCORE, sampling=True), "`sampling` must.*True"),
        (lambda: class_prior_density(S, SCORE, by_frequency=2), "`by_frequency` must.*2"),
        (lambda: class_prior_density(S, SCORE, groups=[1, 2]), "30 rows.*2 in `groups`"),
        (lambda: fit_checked_score(SCORE, S, SCORE), "`checked` must hold 1"),
        (lambda: propensity_prior(SCORE, SCORE, S), r"`outcomes` must.*\(30,\)"),
        (lambda: propensity_prior(SCORE, SCORE, np.ones((30, 3))), "`outcomes` must.*one 1"),
        (lambda: propensity_prior(SCORE, S[:9], np.eye(3)[S * 2]), "`tilt` must.*30 rows"),
    ],
)
def test_bad_arguments_of_functions_of_scores_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
