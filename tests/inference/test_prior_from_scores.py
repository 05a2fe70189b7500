"""The class prior of a classifier that averages over curves: interval, ranges, who may give it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import ElkanNoto, PriorDensity

FOREST = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
MODELS = {
    "line": PULogistic(),
    "linear score": PUThresholdClassifier(LogisticRegression(), random_state=0),
    "forest": PUThresholdClassifier(FOREST, cv="oob"),
    "ensemble": PUEnsemble(
        members=[("line", PULogistic()), ("trees", FOREST)], grid={}, random_state=0
    ),
}


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=1500, label_frequency=0.5, random_state=0)


@pytest.fixture(scope="module", params=MODELS)
def model(request, data):
    return MODELS[request.param].fit(data.X, data.s)


def test_the_interval_is_that_of_the_density_around_its_mean(model):
    density = model.class_prior_density_
    assert model.class_prior_ == density.mean
    found = model.class_prior_interval(confidence_level=0.9)
    assert [*found] == [*density.interval(0.9)]
    assert (found.estimate, found.confidence_level) == (density.mean, 0.9)
    of_all = model.class_prior_interval(confidence_level=0.9, of="population")
    rng = np.random.RandomState(0)
    drawn = rng.choice(density.class_prior, 100_000, p=density.probability)
    drawn += rng.normal(size=100_000) * np.sqrt(drawn * (1 - drawn) / density.n_rows)
    expected = np.quantile(drawn, [0.05, 0.95])
    without_profile = replace(density, profile=np.empty((2, 0))).interval(0.9, "population")
    assert [*without_profile] == pytest.approx([*expected], abs=2e-3)
    assert [*of_all] == [*density.interval(0.9, "population")]
    assert of_all.lower <= without_profile.lower
    assert of_all.upper == without_profile.upper > found.upper


def test_the_label_frequency_is_the_labeled_share_over_the_class_prior(model, data):
    prior, frequency = model.class_prior_interval(), model.label_frequency_interval()
    share = data.s.mean()
    assert frequency.estimate == pytest.approx(share / prior.estimate)
    assert frequency.lower == pytest.approx(share / prior.upper)
    assert frequency.upper == pytest.approx(min(1.0, share / prior.lower))


def test_the_mean_posterior_of_held_out_rows_is_the_class_prior(model):
    assert model.held_out_posterior_.mean() == pytest.approx(model.class_prior_, abs=2e-3)


def test_the_range_of_the_posterior_has_the_ends_of_the_interval_as_means(model):
    prior = model.class_prior_interval()
    lower, upper = model.posterior_range(model.held_out_score_)
    assert np.all(lower <= upper)
    assert lower.mean() == pytest.approx(prior.lower, abs=5e-3)
    assert upper.mean() == pytest.approx(prior.upper, abs=5e-3)


def test_the_posterior_for_a_class_prior_has_it_as_its_mean(model):
    for prior in model.class_prior_density_.points(3):
        posterior = model.posterior_given(model.held_out_score_, prior)
        assert posterior.mean() == pytest.approx(prior, abs=5e-3)
    own = model.posterior_given(model.held_out_score_, model.class_prior_)
    np.testing.assert_allclose(own, model.held_out_posterior_, atol=1e-9)


def test_bad_scores_and_class_priors_are_named(model):
    score = model.held_out_score_[:3]
    np.testing.assert_array_equal(
        model.posterior_given(score.tolist(), 0.3), model.posterior_given(score, 0.3)
    )
    for prior in (0, -0.1, 1.5, np.nan, "half"):
        with pytest.raises(ValueError, match=f"`class_prior` must be.*{prior}"):
            model.posterior_given(score, prior)
    for call in (
        lambda: model.posterior_given([np.nan], 0.3),
        lambda: model.posterior_range(["a"]),
    ):
        with pytest.raises(ValueError, match="`score` must hold finite numbers"):
            call()


def test_points_stand_for_equally_probable_parts():
    density = PriorDensity(np.linspace(0, 1, 101), np.full(101, 1 / 101), 100.0)
    np.testing.assert_allclose(density.points(4), [0.125, 0.375, 0.625, 0.875], atol=6e-3)
    assert density.points(1)[0] == pytest.approx(0.5)
    assert density.points(9).mean() == pytest.approx(density.mean)


def test_a_density_given_as_class_prior_also_gives_the_interval(model, data):
    given = PULogistic(class_prior=model.class_prior_density_).fit(data.X, data.s)
    assert given.class_prior_ == model.class_prior_
    assert given.class_prior_interval().upper == model.class_prior_interval().upper
    assert given.class_prior_density_ is model.class_prior_density_


@pytest.mark.filterwarnings("ignore:.PU113")
@pytest.mark.parametrize("prior", [0.4, ElkanNoto()])
def test_a_class_prior_that_was_given_has_no_interval(data, prior):
    model = PULogistic(class_prior=prior).fit(data.X, data.s)
    assert model.class_prior_density_ is None
    for method in (model.class_prior_interval, model.label_frequency_interval):
        with pytest.raises(ValueError, match="`class_prior` must be None"):
            method()


def test_a_density_below_the_labeled_share_is_rejected(data):
    impossible = PriorDensity(np.array([0.01, 0.02]), np.array([0.5, 0.5]), 100.0)
    with pytest.raises(ValueError, match="`class_prior` must be"):
        PULogistic(class_prior=impossible).fit(data.X, data.s)


def test_a_classifier_that_was_read_from_a_file_has_its_interval_but_no_range(data):
    model = PULogistic().fit(data.X, data.s)
    del model.observed_cuts_  # as in a model file
    assert model.class_prior_interval().lower < model.class_prior_
    with pytest.raises(AttributeError, match="needs a PULogistic with `observed_cuts_`"):
        model.posterior_range([0.0])


def test_the_bootstrap_takes_the_class_prior_from_the_density(data):
    model = PULogistic().fit(data.X, data.s)
    drawn = bootstrap(model, data.X, data.s, n_resamples=5, random_state=0)
    wanted = model.class_prior_interval(of="population")
    found = drawn.interval("class_prior")
    assert (found.lower, found.estimate, found.upper) == (
        wanted.lower,
        wanted.estimate,
        wanted.upper,
    )
    frequency = drawn.interval("label_frequency")
    assert frequency.lower == pytest.approx(data.s.mean() / wanted.upper)
    told = bootstrap(model, data.X, data.s, n_resamples=5, random_state=0, class_prior=0.3)
    for name in ("precision", "f1"):
        free, fixed = drawn.interval(name), told.interval(name)
        assert np.log(free.upper / free.lower) > np.log(fixed.upper / fixed.lower)
    assert drawn.interval("recall") == told.interval("recall")


@pytest.mark.parametrize("level", ["a", None, 95])
def test_a_level_that_is_no_fraction_is_named(model, level):
    with pytest.raises(ValueError, match="`confidence_level` must be between 0 and 1; got"):
        model.class_prior_interval(confidence_level=level)
