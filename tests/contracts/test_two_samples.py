"""Two samples: what is reported is the population's, by the formulas worked by hand."""

import warnings

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.audit import draw_audit
from unlabeled.comparison import compare_methods
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import (
    ElkanNoto,
)
from unlabeled.metrics import f1_pu_score, f1_pu_scorer, make_pu_scorer

N_CASES, N_POPULATION = 600, 900


def _population(n, rng):
    X = rng.normal(size=(n, 3))
    return X, rng.uniform(size=n) < expit(-1.5 + X @ [2.0, -1.5, 1.0])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    everybody, positive = _population(8000, rng)
    population, truth = _population(N_POPULATION, rng)
    X = np.vstack([everybody[positive][:N_CASES], population])
    return X, np.repeat([1, 0], [N_CASES, N_POPULATION]), truth


def _fit(model, rows, sampling):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).set_params(sampling=sampling).fit(rows[0], rows[1])


def _by_hand(stacked):
    """Return the class prior of the population, by n_1, n_u and c of the stacked fit."""
    positives = N_CASES / stacked.label_frequency_
    return (positives - N_CASES) / N_POPULATION


def _population_posterior(stacked, X):
    """Return P(Y=1|x, S=0) of the stacked fit."""
    y, c = stacked.predict_proba(X)[:, 1], stacked.label_frequency_
    return (1 - c) * y / (1 - c * y)


LINEAR = [NaiveLogistic(), EnhancedLogistic(), JointLogistic(), WeightedLogistic(0.8)]
PRIORS = [one(random_state=0) for one in ESTIMATORS]


@pytest.mark.parametrize("model", LINEAR, ids=lambda model: type(model).__name__)
def test_a_stacked_fit_converted_by_hand_is_the_same(model, rows):
    stacked, two = (_fit(model, rows, sampling) for sampling in ("one-sample", "two-sample"))
    np.testing.assert_allclose(two.coef_, stacked.coef_, rtol=1e-12)
    assert two.label_frequency_ == pytest.approx(stacked.label_frequency_, rel=1e-12)
    # The class prior along a score is a mean posterior, p/c up to the solver's tolerance.
    assert two.class_prior_ == pytest.approx(_by_hand(stacked), rel=1e-6)
    np.testing.assert_allclose(
        two.predict_proba(rows[0])[:, 1], _population_posterior(stacked, rows[0]), rtol=1e-9
    )


@pytest.mark.parametrize("model", [JointLogistic(), WeightedLogistic(0.8)])
def test_classifiers_at_one_half_cut_at_one_half_of_the_population(model, rows):
    two = _fit(model, rows, "two-sample")
    np.testing.assert_array_equal(two.predict(rows[0]) == 1, two.predict_proba(rows[0])[:, 1] > 0.5)


@pytest.mark.parametrize("estimator", PRIORS, ids=lambda one: type(one).__name__)
def test_estimators_of_the_class_prior(estimator, rows):
    stacked, two = (_fit(estimator, rows, sampling) for sampling in ("one-sample", "two-sample"))
    assert two.label_frequency_ == stacked.label_frequency_
    assert two.class_prior_ == pytest.approx(_by_hand(stacked), rel=1e-9)


def _score_models():
    forest = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
    return {
        "line": PULogistic(),
        "logistic": PUThresholdClassifier(LogisticRegression(), "f1", random_state=0),
        "forest": PUThresholdClassifier(forest, "f1", cv="oob"),
        "ensemble": PUEnsemble(random_state=0),
    }


@pytest.mark.parametrize("name", ["line", "logistic", "forest", "ensemble"])
def test_classifiers_over_held_out_scores(name, rows):
    _, y, truth = rows
    two = _fit(_score_models()[name], rows, "two-sample")
    population = two.held_out_score_[y == 0]
    # The posterior has the class prior as its mean over the population sample.
    assert two.posterior_at(population).mean() == pytest.approx(two.class_prior_, abs=2e-3)
    # Recall is of the cases, share of the population.
    assert two.cut_.share == pytest.approx(np.mean(population > two.threshold_), abs=2e-3)
    labeled = N_CASES / two.label_frequency_ - N_CASES
    assert two.class_prior_ == pytest.approx(labeled / N_POPULATION, rel=1e-6)
    interval = two.class_prior_interval()
    assert interval.lower <= truth.mean() <= interval.upper
    ends = two.label_frequency_interval()
    for end, prior in ((ends.upper, interval.lower), (ends.lower, interval.upper)):
        assert end == pytest.approx(N_CASES / (N_CASES + N_POPULATION * prior), rel=1e-6)
    lower, upper = two.posterior_range(population)
    assert lower.mean() == pytest.approx(interval.lower, abs=0.01)
    assert upper.mean() == pytest.approx(interval.upper, abs=0.01)


@pytest.mark.parametrize("name", ["line", "forest"])
def test_the_class_prior_given_is_the_population_s(name, rows):
    model = _score_models()[name].set_params(class_prior=0.3)
    two = _fit(model, rows, "two-sample")
    assert two.class_prior_ == pytest.approx(0.3, rel=1e-9)
    assert two.label_frequency_ == pytest.approx(N_CASES / (N_CASES + 0.3 * N_POPULATION), rel=1e-6)
    # The share of labeled rows, .4, is no lower bound of it.
    with pytest.raises(ValueError, match="above 0 and below 1"):
        _fit(model.set_params(class_prior=0.0), rows, "two-sample")


def test_an_estimator_given_as_the_class_prior_is_told_of_two_samples(rows):
    own = _fit(ElkanNoto(), rows, "two-sample")
    two = _fit(PULogistic(class_prior=ElkanNoto()), rows, "two-sample")
    assert two.class_prior_ == pytest.approx(own.class_prior_, rel=1e-9)


def test_checked_rows(rows):
    X, y, truth = rows
    checked = np.full(len(y), np.nan)
    checked[N_CASES:] = truth
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = JointLogistic(sampling="two-sample").fit(X, y, checked=checked)
        line = PULogistic(sampling="two-sample").fit(X, y, checked=checked)
    # With every row of the population checked, its class prior is counted.
    assert joint.class_prior_ == pytest.approx(truth.mean(), abs=1e-6)
    assert line.class_prior_ == pytest.approx(truth.mean(), abs=0.01)
    assert line.predict_proba(X[y == 0])[:, 1].mean() == pytest.approx(truth.mean(), abs=0.02)


def test_the_interval_of_the_joint_model_is_shorter_than_that_of_one_sample(rows):
    X, y, _ = rows
    stacked, two = (_fit(JointLogistic(), rows, one) for one in ("one-sample", "two-sample"))
    of_c = stacked.label_frequency_interval(X, y)
    found = two.class_prior_interval(X, y)
    whole = [N_CASES * (1 / c - 1) / N_POPULATION for c in (of_c.upper, of_c.lower)]
    assert whole[0] < found.lower < two.class_prior_ < found.upper < whole[1]
    assert found.estimate == pytest.approx(two.class_prior_, rel=1e-9)


def test_resamples_keep_the_sizes_of_both_samples(rows):
    X, y, _ = rows
    model = _fit(EnhancedLogistic(), rows, "two-sample")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = bootstrap(model, X, y, n_resamples=5, random_state=0)
    own = found._rule.own
    np.testing.assert_array_equal(own[:, 1], N_CASES)
    np.testing.assert_array_equal(own[:, 3], N_POPULATION)
    share = np.mean(model.predict(X[y == 0]) == 1)
    assert found._rule.observed[2] == round(share * N_POPULATION)
    assert found.interval("precision").upper <= 1


def test_an_audit_is_about_the_population(rows):
    X, y, truth = rows
    model = _fit(PULogistic(), rows, "two-sample")
    audit = draw_audit(model, X, y, size=N_POPULATION, random_state=0)
    assert np.all(y[audit.rows] == 0)
    result = audit.estimate(np.concatenate([np.ones(N_CASES), truth])[audit.rows])
    found = model.held_out_score_[y == 0] > model.threshold_
    assert result.count.estimate == pytest.approx(truth.sum())
    assert result.precision.estimate == pytest.approx(truth[found].mean())
    assert result.recall.estimate == pytest.approx(found[truth].mean())
    assert audit.claimed["count"] == pytest.approx(model.class_prior_ * N_POPULATION)
    again = type(audit).from_dict(audit.to_dict())
    assert again.table.sampling.is_two
    with pytest.raises(ValueError, match="labeled_size"):
        draw_audit(model, X, y, size=20, labeled_size=5)
    with pytest.raises(ValueError, match="sampling"):
        draw_audit(model, X, y, size=20, sampling="one-sample")


def test_a_comparison_counts_the_population(rows):
    X, y, _ = rows
    models = {"line": EnhancedLogistic(sampling="two-sample")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_methods(models, X, y, class_prior=0.25, n_repeats=3, random_state=0)
        share = found.mean("share")[0]
        stacked = compare_methods(
            {"line": EnhancedLogistic()}, X, y, class_prior=0.5, n_repeats=3, random_state=0
        )
    assert share < stacked.mean("share")[0]
    recall, precision = found.mean("recall")[0], found.mean("precision")[0]
    assert precision == pytest.approx(0.25 * recall / share, rel=0.05)
    with pytest.raises(ValueError, match="`sampling` must be the same everywhere"):
        compare_methods(models | {"other": EnhancedLogistic()}, X, y)


def test_scores_and_scorers_take_the_sampling_of_the_classifier(rows):
    X, y, _ = rows
    model = _fit(EnhancedLogistic(), rows, "two-sample")
    predicted = model.predict(X)
    expected = f1_pu_score(y, predicted, sampling="two-sample")
    assert expected != pytest.approx(f1_pu_score(y, predicted))
    assert model.score(X, y) == expected
    assert f1_pu_scorer(model, X, y) == expected
    given = make_pu_scorer("f1_pu", sampling="one-sample")
    assert given(model, X, y) == f1_pu_score(y, predicted)
    forest = _fit(_score_models()["forest"], rows, "two-sample")
    assert forest.score(X, y) == f1_pu_score(y, forest.predict(X), sampling="two-sample")


def test_an_unknown_sampling_is_rejected(rows):
    for model in (PULogistic(), ElkanNoto(), PUThresholdClassifier(LogisticRegression())):
        with pytest.raises(ValueError, match="`sampling` must be"):
            model.set_params(sampling="both").fit(rows[0], rows[1])


def test_logits_of_the_population_are_lower_by_log_one_minus_c(rows):
    stacked, two = (_fit(JointLogistic(), rows, one) for one in ("one-sample", "two-sample"))
    lower = logit(stacked.predict_proba(rows[0])[:, 1]) - logit(two.predict_proba(rows[0])[:, 1])
    np.testing.assert_allclose(lower, -np.log1p(-stacked.label_frequency_), rtol=1e-6)


def test_a_mended_cut_is_of_the_population_too(rows):
    X, y, truth = rows
    model = _fit(PULogistic(), rows, "two-sample")
    audit = draw_audit(model, X, y, size=200, random_state=0)
    result = audit.estimate(np.concatenate([np.ones(N_CASES), truth])[audit.rows])
    mended = result.recut(model, rule="f1")
    posterior = mended.predict_proba(X)[:, 1]
    assert np.all(np.isfinite(posterior))
    assert posterior[y == 0].mean() == pytest.approx(truth.mean(), abs=0.08)
    assert mended.score(X, y) == f1_pu_score(y, mended.predict(X), sampling="two-sample")
    by_accuracy, known = (
        result.recut(model, rule=rule).threshold_ for rule in ("accuracy", "accuracy_if_unlabeled")
    )
    assert by_accuracy == known
    assert draw_audit(mended, X, y, size=50, random_state=0).table.sampling.is_two


def test_a_mended_cut_for_unlabeled_rows_of_one_sample():
    rng = np.random.default_rng(0)
    X, truth = _population(4000, rng)
    s = (truth & (rng.uniform(size=len(truth)) < 0.5)).astype(int)
    model = PULogistic().fit(X, s)
    audit = draw_audit(model, X, s, size=1500, random_state=0)
    result = audit.estimate(truth[audit.rows].astype(float))
    cuts = [
        result.recut(model, rule=one).threshold_ for one in ("accuracy", "accuracy_if_unlabeled")
    ]
    hidden = s == 0
    right = [np.mean((model.held_out_score_ > cut)[hidden] == truth[hidden]) for cut in cuts]
    assert right[1] > right[0]


@pytest.mark.parametrize("weight", [1.0, 1 / (N_CASES + N_POPULATION)])
def test_light_rows_are_rows(rows, weight):
    X, y, _ = rows
    each = np.full(len(y), weight)
    for model in (EnhancedLogistic(sampling="two-sample"), PULogistic(sampling="two-sample")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = clone(model).fit(X, y, sample_weight=each)
        assert 0 < np.mean(found.predict(X[y == 0])) < 0.9


def test_four_rows_of_the_population_are_enough_to_fit(rows):
    X, y, _ = rows
    few = np.concatenate([np.arange(N_CASES), np.arange(N_CASES, N_CASES + 4)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert PULogistic(sampling="two-sample").fit(X[few], y[few]).threshold_ < np.inf


@pytest.mark.parametrize("share", [0.02, 0.05, 0.3])
def test_a_share_that_is_asked_for_is_that_of_the_population(rows, share):
    model = _fit(PULogistic(f"share({share})", class_prior=0.5), rows, "two-sample")
    assert model.cut_.share == pytest.approx(share, abs=2 / N_POPULATION)


def test_an_estimator_inside_always_has_the_sampling_of_the_classifier(rows):
    own = _fit(PULogistic(class_prior=ElkanNoto(random_state=0)), rows, "one-sample")
    told = PULogistic(class_prior=ElkanNoto(random_state=0, sampling="two-sample"))
    assert _fit(told, rows, "one-sample").class_prior_ == own.class_prior_


@pytest.mark.parametrize("model", [ElkanNoto(), PUThresholdClassifier(LogisticRegression())])
def test_what_was_pickled_before_has_one_sample(model, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = model.fit(rows[0], rows[1])
    state = {name: value for name, value in fitted.__getstate__().items() if name != "sampling"}
    old = type(model).__new__(type(model))
    old.__setstate__(state)
    assert clone(old).sampling == "one-sample"


def test_the_intervals_of_c_and_of_the_class_prior_say_the_same(rows):
    X, y, _ = rows
    two = _fit(JointLogistic(), rows, "two-sample")
    of_c, prior = two.label_frequency_interval(X, y), two.class_prior_interval(X, y)
    for c, end in ((of_c.upper, prior.lower), (of_c.lower, prior.upper)):
        assert c == pytest.approx(N_CASES / (N_CASES + N_POPULATION * end), rel=1e-9)
    assert "intercept, both samples" in two.estimates(X, y).names
