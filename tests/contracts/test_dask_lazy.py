"""Dask: predictions are lazy, and rows are never gathered."""

import inspect

import dask
import dask.array as da
import dask.local
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tests.contracts.backends import PLACES, UNEVEN, data, in_chunks
from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
    metrics,
)
from unlabeled.comparison import compare_methods
from unlabeled.diagnostics import diagnose, scar_test
from unlabeled.inference import bootstrap
from unlabeled.plots import CoefficientDisplay, ScoreDistributionDisplay

READS_CHUNKS = [NaiveLogistic(), EnhancedLogistic(C=1), JointLogistic(0.7, C=1)]
LINEAR = [*READS_CHUNKS, JointLogistic(C=1), PULogistic(), WeightedLogistic(0.7, C=1)]
FITTED_TO_A_PART = [
    PUThresholdClassifier(LogisticRegression()),
    PUEnsemble(members=[("line", PULogistic()), ("logistic", LogisticRegression())]),
]
NEEDS_MEMORY = [
    PropensityLogistic(propensity_features=[0]),
    WeightedLogistic(0.5),
    *(one() for one in ESTIMATORS),
]
IN_MEMORY = "`X` must be in memory.* Dask"
pytestmark = pytest.mark.filterwarnings("ignore:.PU1")


def never(*args, **options):
    raise AssertionError("something was computed")


class Counted:
    """A scheduler that notes how many bytes come back from each call."""

    def __init__(self):
        self.sizes = []

    def __call__(self, graph, keys, **options):
        answer = dask.local.get_sync(graph, keys, **options)
        self.sizes.append(size_of(answer))
        return answer


def size_of(answer):
    if isinstance(answer, list | tuple):
        return sum(size_of(part) for part in answer)
    return getattr(answer, "nbytes", 8)


def in_dask():
    return [in_chunks(part, UNEVEN) for part in data()]


@pytest.mark.parametrize("model", [*LINEAR, *FITTED_TO_A_PART], ids=str)
def test_predictions_are_lazy(model, tmp_path):
    X, s, _ = data()
    model = clone(model).fit(X, s)
    chunks, _, _ = in_dask()
    columns = ("predict", "decision_function", "positive_score")
    for method, beside in (*((name, ()) for name in columns), ("predict_proba", (2,))):
        with dask.config.set(scheduler=never):
            lazy = getattr(model, method)(chunks)
            assert isinstance(lazy, da.Array)
            assert lazy.shape == (len(s), *beside)
            assert lazy.chunks[0] == UNEVEN
        wanted = getattr(model, method)(X)
        assert lazy.dtype == wanted.dtype
        np.testing.assert_allclose(lazy.compute(scheduler="sync"), wanted, rtol=1e-12)


def test_the_posterior_of_a_lazy_score_is_lazy():
    X, s, _ = data()
    model = EnhancedLogistic(pos_label=0).fit(X, s)
    with dask.config.set(scheduler=never):
        lazy = model.posterior_at(model.positive_score(in_dask()[0]))
        assert isinstance(lazy, da.Array)
        assert (lazy.chunks[0], lazy.dtype) == (UNEVEN, np.float64)
    posterior = lazy.compute(scheduler="sync")
    np.testing.assert_allclose(posterior, model.predict_proba(X)[:, 0], rtol=1e-12)


def test_predictions_of_a_frame_have_unknown_sizes_and_its_partitions(tmp_path):
    X, s, _ = data()
    frame, labels, _ = PLACES["frame"](X, s, None, tmp_path)
    model = NaiveLogistic().fit(frame, labels)
    with dask.config.set(scheduler=never):
        lazy = model.predict(frame)
    assert len(lazy.chunks[0]) == frame.npartitions
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), model.predict(frame.compute()))


def test_a_fit_gathers_nothing():
    rng = np.random.default_rng(0)
    n = 60_000
    X = da.from_array(rng.normal(size=(n, 4)), chunks=(10_000, 4))
    s = (X[:, 0] > rng.normal(size=n)).astype(int)
    for model in READS_CHUNKS:
        counted = Counted()
        with dask.config.set(scheduler=counted):
            model.fit(X, s)
        assert max(counted.sizes) < 8 * n  # less than one column, of four
        assert sum(counted.sizes) < 4 * 8 * n
        counted.sizes.clear()
        with dask.config.set(scheduler=counted):
            model.score(X, s)
            model.estimates(X, s)
        assert sum(counted.sizes) < 5000


@pytest.mark.parametrize("model", FITTED_TO_A_PART, ids=str)
def test_a_fit_to_a_part_gathers_the_part_and_counts(model):
    rng = np.random.default_rng(0)
    n, most = 60_000, 2000
    X = da.from_array(rng.normal(size=(n, 4)), chunks=(10_000, 4))
    s = (X[:, 0] > rng.normal(size=n)).astype(int)
    counted = Counted()
    with dask.config.set(scheduler=counted):
        clone(model).set_params(max_rows=most).fit(X, s)
    bins = 5 * 4 * 8 * 8194  # sums in the bins of at most four scores
    assert max(counted.sizes) < max(8 * 6 * most, bins)
    assert len(counted.sizes) <= 6


@pytest.mark.parametrize("model", NEEDS_MEMORY, ids=str)
def test_others_reject_chunks_before_they_are_read(model):
    X, s, _ = in_dask()
    with dask.config.set(scheduler=never), pytest.raises(TypeError, match=IN_MEMORY):
        model.fit(X, s)


@pytest.mark.parametrize("call", [lambda X, s: bootstrap(NaiveLogistic(), X, s)], ids=["bootstrap"])
def test_functions_reject_chunks_before_they_are_read(call):
    X, s, _ = in_dask()
    with dask.config.set(scheduler=never), pytest.raises(TypeError, match=IN_MEMORY):
        call(X, s)


@pytest.mark.parametrize(
    "call",
    [
        lambda X, s: diagnose(NaiveLogistic(), X, s, groups=np.arange(9)),
        lambda X, s: diagnose(PULogistic(), X, s, checked=np.arange(9)),
        lambda X, s: diagnose(NaiveLogistic(), X, s, max_rows=0),
        lambda X, s: diagnose(NaiveLogistic(), X, s, checks="luck"),
        lambda X, s: scar_test(X, s, max_rows=0),
        lambda X, s: compare_methods({"naive": NaiveLogistic()}, X, s, groups=np.arange(9)),
        lambda X, s: compare_methods({"naive": NaiveLogistic()}, X, s, checked=np.arange(9)),
        lambda X, s: compare_methods({"naive": NaiveLogistic()}, X, s, max_rows=0),
    ],
)
def test_functions_that_use_a_part_reject_bad_input_before_it_is_drawn(call):
    X, s, _ = in_dask()
    sentence = "`(groups|checked|max_rows|checks)` must be"
    with dask.config.set(scheduler=never), pytest.raises((TypeError, ValueError), match=sentence):
        call(X, s)


def test_plots_load_no_features():
    X, s, _ = in_dask()
    model = NaiveLogistic().fit(*data()[:2])
    counted = Counted()
    with dask.config.set(scheduler=counted):
        CoefficientDisplay.from_estimator(model, X, s)
        ScoreDistributionDisplay.from_estimator(model, X, s)
    assert max(counted.sizes) <= 8 * len(s)
    with pytest.raises(TypeError, match=IN_MEMORY), dask.config.set(scheduler="sync"):
        CoefficientDisplay.from_estimator(model, X, s, standardized=True)
    plt.close("all")


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["uneven chunks", "unknown sizes", "labels here", "frame"])
def test_scores_are_sums_over_chunks(name, weighted, tmp_path):
    X, s, weight = data()
    weight = weight if weighted else None
    model = EnhancedLogistic(C=1).fit(X, s)
    chunks, labels, mass = PLACES[name](X, s, weight, tmp_path)
    if name == "frame":
        model = EnhancedLogistic(C=1).fit(chunks, labels)
        X = chunks.compute()
    counted = Counted()
    with dask.config.set(scheduler=counted):
        assert model.score(chunks, labels, mass) == pytest.approx(model.score(X, s, weight))
        for metric in metrics.__all__:
            function = getattr(metrics, metric)
            if not metric.endswith("_score"):
                continue
            takes = inspect.signature(function).parameters
            if "score" in takes:  # counted in bins: tests/metrics/test_in_chunks.py
                continue
            options = {"class_prior": 0.3} if "class_prior" in takes else {}
            found = function(labels, model.predict(chunks), sample_weight=mass, **options)
            wanted = function(s, model.predict(X), sample_weight=weight, **options)
            assert found == pytest.approx(wanted, rel=1e-12)
    assert max(counted.sizes) < 500


def test_estimates_and_intervals_are_those_of_rows_in_memory():
    X, s, weight = data()
    model = JointLogistic(C=10, tol=1e-8).fit(X, s, weight)
    with dask.config.set(scheduler="sync"):
        for kind in ("sandwich", "observed", "expected"):
            found = model.estimates(*in_dask(), kind=kind)
            wanted = model.estimates(X, s, weight, kind=kind)
            np.testing.assert_allclose(found.covariance, wanted.covariance, rtol=1e-8, atol=1e-12)
        interval = model.class_prior_interval(*in_dask())
    expected = model.class_prior_interval(X, s, weight)
    assert (interval.lower, interval.upper) == pytest.approx((expected.lower, expected.upper))
