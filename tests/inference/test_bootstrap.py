"""The bootstrap of rows: what is resampled, how intervals are made, and that nothing is lost."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import bootstrap
from unlabeled.inference._deployed import deployed_interval
from unlabeled.inference._interval import bca_interval, percentile_interval, pivot_interval
from unlabeled.inference._resample import Rows, counts, draw_multiplicity, refit
from unlabeled.label_frequency import ElkanNoto

pytestmark = pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(600, c=0.6, random_state=3)


@pytest.fixture(scope="module")
def found(data):
    return bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=30, random_state=1)


def test_a_resample_has_as_many_rows_and_some_of_each_kind():
    s = np.zeros(300)
    s[:3] = 1
    for seed in range(50):
        multiplicity = draw_multiplicity(s, 300, seed)
        assert multiplicity.sum() == 300
        assert 2 <= multiplicity @ s <= 298


def test_a_refit_with_weights_is_the_refit_with_copied_rows(data):
    multiplicity = draw_multiplicity(data.s, len(data.s), 0)
    rows = Rows(data.X, data.s, data.s)
    model, _ = refit(EnhancedLogistic(), rows, multiplicity)
    copied = np.repeat(np.arange(len(data.s)), multiplicity)
    other = EnhancedLogistic().fit(data.X[copied], data.s[copied])
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-6)
    assert model.label_frequency_ == pytest.approx(other.label_frequency_, rel=1e-6)


def test_counts_are_of_labelled_and_all_rows_as_often_as_drawn():
    positive = np.array([True, True, False, True])
    s, multiplicity = np.array([1, 0, 1, 0]), np.array([2, 0, 1, 3])
    np.testing.assert_array_equal(counts(positive, s, multiplicity), [2, 3, 5, 6])


def test_the_values_are_those_of_refits_by_hand(data, found):
    seeds = np.random.RandomState(1).randint(np.iinfo(np.int32).max, size=31)
    multiplicity = draw_multiplicity(data.s, len(data.s), seeds[4])
    rows = np.repeat(np.arange(len(data.s)), multiplicity)
    model = EnhancedLogistic().fit(data.X[rows], data.s[rows])
    assert found.values["label_frequency"][4] == pytest.approx(model.label_frequency_, rel=1e-6)


def test_percentile_ends_are_quantiles_of_the_values(found):
    interval = found.interval("class_prior", level=0.8)
    expected = np.quantile(found.values["class_prior"], [0.1, 0.9])
    assert (interval.lower, interval.upper) == pytest.approx(tuple(expected))
    assert interval.method == "percentile"


def test_bca_without_bias_or_skew_is_the_percentile_interval():
    drawn = stats.norm.ppf(np.arange(1, 1000) / 1000)
    plain = percentile_interval(0.0, drawn, 0.9)
    corrected = bca_interval(0.0, drawn, np.array([-1.0, 0.0, 1.0]), 0.9)
    assert (corrected.lower, corrected.upper) == pytest.approx((plain.lower, plain.upper))


def test_bca_agrees_with_scipy_on_a_mean():
    rng = np.random.default_rng(0)
    sample = rng.exponential(size=40)
    drawn = np.array([rng.choice(sample, 40).mean() for _ in range(4000)])
    left_out = np.array([np.delete(sample, k).mean() for k in range(40)])
    ours = bca_interval(sample.mean(), drawn, left_out, 0.95)
    theirs = stats.bootstrap((sample,), np.mean, n_resamples=4000, rng=1).confidence_interval
    assert ours.lower == pytest.approx(theirs.low, abs=0.03)
    assert ours.upper == pytest.approx(theirs.high, abs=0.05)


def test_a_pivot_takes_the_optimism_off_and_ends_at_the_bound():
    differences = np.array([0.1, 0.3])
    estimate, lower, upper = pivot_interval(1.0, differences, 0.95)
    half = stats.norm.ppf(0.975) * differences.std(ddof=1)
    assert (estimate, lower, upper) == pytest.approx((0.8, 0.8 - half, 0.8 + half))
    assert pivot_interval(1.0, differences, 0.95, 0.9)[2] == 0.9


def test_the_deployed_recall_is_below_the_apparent_one_where_refits_overrate_themselves():
    observed = np.array([60.0, 100.0, 200.0, 1000.0])
    own = np.tile([60.0, 100.0, 200.0, 1000.0], (5, 1))
    original = np.tile([50.0, 100.0, 200.0, 1000.0], (5, 1))
    interval = deployed_interval("recall", observed, own, original, np.nan, np.full(5, np.nan), 0.9)
    assert interval.estimate == pytest.approx(0.5, abs=0.01)
    share = deployed_interval("share", observed, own, original, np.nan, np.full(5, np.nan), 0.9)
    assert share.estimate == pytest.approx(0.2, abs=0.001)


@pytest.mark.parametrize(
    ("name", "value"),
    [("f1_pu", 0.6**2 / 0.2), ("precision", 0.3 * 0.6 / 0.2), ("f1", 2 * 0.3 * 0.6 / 0.5)],
)
def test_values_follow_from_recall_share_and_prior(name, value):
    counted = np.array([60_000.0, 100_000.0, 200_000.0, 1_000_000.0])
    same = np.tile(counted, (3, 1))
    interval = deployed_interval(name, counted, same, same, 0.3, np.full(3, 0.3), 0.95)
    assert interval.estimate == pytest.approx(value, rel=1e-4)
    assert interval.upper - interval.lower < 1e-6


def test_precision_ends_at_one():
    counted = np.array([90.0, 100.0, 100.0, 1000.0])
    own = np.array([[90, 100, 100, 1000], [80, 100, 100, 1000]], dtype=float)
    interval = deployed_interval("precision", counted, own, own, 0.11, np.array([0.1, 0.14]), 0.95)
    assert interval.upper == 1.0


def test_an_uncertain_prior_widens_precision_and_leaves_recall(data):
    model = EnhancedLogistic().fit(data.X, data.s)
    known, between = (
        bootstrap(model, data.X, data.s, n_resamples=20, class_prior=prior, random_state=0)
        for prior in (0.2, (0.1, 0.4))
    )
    width = {
        name: [b.interval(name).upper - b.interval(name).lower for b in (known, between)]
        for name in ("recall", "precision", "f1")
    }
    assert width["recall"][0] == width["recall"][1]
    assert width["precision"][1] > 1.2 * width["precision"][0]
    assert width["f1"][1] > 1.2 * width["f1"][0]


def test_the_result_does_not_depend_on_the_number_of_processes(data, found):
    again = bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=30, random_state=1, n_jobs=2)
    np.testing.assert_array_equal(again.values["class_prior"], found.values["class_prior"])
    assert again.interval("recall") == found.interval("recall")


def test_a_stopped_bootstrap_goes_on_from_its_file(data, found, tmp_path):
    path = tmp_path / "resamples.json"
    seen = []

    def stop_at(done, total):
        seen.append(done)
        if done == 25:
            raise KeyboardInterrupt

    call = {"n_resamples": 30, "random_state": 1, "checkpoint": path}
    with pytest.raises(KeyboardInterrupt):
        bootstrap(EnhancedLogistic(), data.X, data.s, progress=stop_at, **call)
    seen.clear()
    again = bootstrap(
        EnhancedLogistic(), data.X, data.s, progress=lambda n, total: seen.append(n), **call
    )
    assert seen[0] == 20
    np.testing.assert_array_equal(again.values["class_prior"], found.values["class_prior"])


def test_a_file_of_another_call_is_refused(data, tmp_path):
    path = tmp_path / "resamples.json"
    call = {"n_resamples": 2, "checkpoint": path}
    bootstrap(NaiveLogistic(), data.X, data.s, random_state=1, **call)
    with pytest.raises(ValueError, match="must be of the same call"):
        bootstrap(NaiveLogistic(), data.X, data.s, random_state=2, **call)
    with pytest.raises(ValueError, match="must be a whole number with `checkpoint`"):
        bootstrap(NaiveLogistic(), data.X, data.s, **call)
    path.write_text("not a file of ours")
    with pytest.raises(ValueError, match="is damaged"):
        bootstrap(NaiveLogistic(), data.X, data.s, random_state=1, **call)


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (PULogistic(), {"label_frequency", "class_prior", "recall", "precision"}),
        (JointLogistic(), {"label_frequency", "class_prior", "recall", "f1"}),
        (ElkanNoto(), {"label_frequency", "class_prior"}),
        (LogisticRegression(), {"recall", "share", "f1_pu"}),
        (make_pipeline(StandardScaler(), EnhancedLogistic()), {"class_prior", "recall"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_kind_of_estimator_is_resampled(estimator, names, data):
    result = bootstrap(estimator, data.X, data.s, n_resamples=3, random_state=0)
    assert names <= set(result.names)
    assert ("recall" in result.names) == hasattr(estimator, "predict")
    assert ("precision" in result.names) == ("class_prior" in result.names and "recall" in names)
    assert "Bootstrap of rows: 3 resamples" in str(result)


def test_text_labels_and_frames_give_the_same_intervals(data, found):
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    y = np.where(data.s == 1, "ill", "unknown")
    model = EnhancedLogistic(positive_label="ill")
    other = bootstrap(model, frame, y, n_resamples=30, random_state=1)
    assert other.interval("recall").lower == pytest.approx(found.interval("recall").lower)
    assert not hasattr(model, "coef_")


def test_bca_needs_rows_left_out(data, found):
    with pytest.raises(ValueError, match="acceleration=True"):
        found.interval("label_frequency", method="bca")
    result = bootstrap(
        NaiveLogistic(), data.X, data.s, n_resamples=20, acceleration=True, random_state=0
    )
    interval = result.interval("class_prior", method="bca")
    assert interval.lower < interval.upper
    assert len(result.values["class_prior"]) == 20


def test_warnings_of_refits_are_counted(data):
    few = data.s * (np.cumsum(data.s) <= 12)
    result = bootstrap(JointLogistic(), data.X, few, n_resamples=10, random_state=0)
    assert sum(result.codes.values()) > 0
    assert "warnings: " in str(result)


class FailsOnSome(NaiveLogistic):
    """Refuses resamples in which the first row came twice or more."""

    def fit(self, X, y, sample_weight=None):
        if sample_weight is not None and sample_weight[0] > 1:
            raise ValueError("the first row came twice")
        return super().fit(X, y, sample_weight)


@pytest.mark.filterwarnings("always::unlabeled.codes.PUWarning")
def test_resamples_that_cannot_be_fitted_are_counted_and_announced(data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = bootstrap(FailsOnSome(), data.X, data.s, n_resamples=40, random_state=0)
    assert 0 < result.n_failed < 40
    assert len(result.values["class_prior"]) == 40 - result.n_failed
    assert "PU115" in {w.message.code for w in caught if isinstance(w.message, PUWarning)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 1}, "`n_resamples` must be at least 2; got 1"),
        ({"class_prior": 1.5}, r"`class_prior` must be in \(0, 1\]; got 1.5"),
        ({"class_prior": (0.4, 0.2)}, "the smaller first"),
        ({"acceleration": 2}, "`acceleration` must be True or False"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, data):
    with pytest.raises(ValueError, match=message):
        bootstrap(NaiveLogistic(), data.X, data.s, **arguments)


def test_an_unknown_name_or_level_is_named(found):
    with pytest.raises(ValueError, match="`name` must be one of 'label_frequency'"):
        found.interval("accuracy")
    with pytest.raises(ValueError, match="`level` must be between 0 and 1"):
        found.interval("recall", level=95)
