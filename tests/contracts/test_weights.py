"""Row weights: what they mean, and that only their ratios matter unless they are counts."""

import warnings
from functools import partial

import dask.array as da
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUWarning
from unlabeled.comparison import compare_methods
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import diagnose
from unlabeled.engine.rows import Effects, RowWeights, effects_on_share
from unlabeled.engine.sampling import Sampling
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import ElkanNoto, PriorBound, class_prior_density

DATA = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
X, S = DATA.X, DATA.s
WEIGHT = np.exp(np.random.default_rng(0).normal(size=600))
MEMBERS = [("line", LogisticRegression()), ("trees", ExtraTreesClassifier(10, random_state=0))]
CLASSIFIERS = [
    PULogistic(),
    PULogistic(C=0.5),
    PULogistic(cv=3, random_state=0),
    PUThresholdClassifier(LogisticRegression(), random_state=0),
    PUThresholdClassifier(LogisticRegression(), cv="loo"),
    PUEnsemble(members=MEMBERS, cv=3, random_state=0),
    PropensityLogistic(propensity_features=[0]),
    JointLogistic(),
    EnhancedLogistic(),
    NaiveLogistic(),
    WeightedLogistic(ElkanNoto(), weighting="posterior"),
]
KEPT = ("class_prior_", "label_frequency_", "threshold_", "posterior_line_")


def fit(model, weight=None, rows=slice(None)):
    more = {} if weight is None else {"sample_weight": weight}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X[rows], S[rows], **more)


def told(model, weight=None, rows=slice(None)):
    """What a fit says: its numbers, intervals and coefficients."""
    fitted = fit(model, weight, rows)
    found = [getattr(fitted, name) for name in KEPT]
    found.append(fitted.positive_score(X[:5]))
    joint = isinstance(fitted, JointLogistic)
    again = (X[rows], S[rows], weight)
    if joint or getattr(fitted, "class_prior_density_", None) is not None:
        found.append([*fitted.class_prior_interval(*(again if joint else ()), of="population")])
    if hasattr(fitted, "estimates"):
        estimates = fitted.estimates(*again)
        found += [estimates.value, estimates.standard_error]
    return np.concatenate([np.ravel(one) for one in found])


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_multiplying_all_weights_changes_nothing(model):
    once = told(model, WEIGHT)
    np.testing.assert_allclose(told(model, 128 * WEIGHT), once, rtol=1e-9)
    np.testing.assert_allclose(told(model, 100 * WEIGHT), once, rtol=1e-4)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_equal_weights_are_no_weights(model):
    np.testing.assert_array_equal(told(model, np.full(600, 100.0)), told(model))


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_a_row_of_weight_0_is_absent(model):
    weight, rows = WEIGHT.copy(), np.arange(100, 600)
    weight[:100] = 0
    fitted, without = fit(model, weight), fit(model, WEIGHT[rows], rows)
    for name in KEPT:
        np.testing.assert_allclose(getattr(fitted, name), getattr(without, name), rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_c_of_the_papers_classifiers_counts_the_sum_of_the_weights_as_scikit_learn_does(scale):
    for ours in (NaiveLogistic(C=0.01, tol=1e-9), EnhancedLogistic(C=0.01, tol=1e-9)):
        theirs = LogisticRegression(C=0.01, tol=1e-10).fit(X, S, scale * WEIGHT)
        np.testing.assert_allclose(fit(ours, scale * WEIGHT).coef_, theirs.coef_, rtol=1e-4)


def test_c_of_pu_logistic_is_for_weights_with_mean_1():
    chosen = fit(PULogistic(), 100 * WEIGHT)
    again = fit(PULogistic(C=chosen.C_), 100 * WEIGHT)
    np.testing.assert_allclose(again.coef_, chosen.coef_, rtol=1e-3)


# Certainty.


def test_design_effects_of_weights_in_closed_form():
    rng = np.random.default_rng(1)
    s, w, r = (rng.random(200) < 0.3).astype(float), rng.random(200), rng.normal(size=200)
    found = Effects.of(r, s, w, None, w)
    assert found.label == pytest.approx(np.sum(w**2 * r**2) / np.sum(w * r**2))
    assert found.labeled == pytest.approx(np.sum(w**2 * s) / np.sum(w * s))
    one_group = Effects.of(r, s, w, np.arange(200) // 2, w)
    pairs = (w * r).reshape(-1, 2).sum(axis=1)
    assert one_group.label == pytest.approx(max(np.sum(pairs**2) / np.sum(w * r**2), found.label))
    share = np.average(s, weights=w)
    assert effects_on_share(s, w, w).label == pytest.approx(
        Effects.of(s - share, s, w, None, w).label
    )


def test_the_design_effect_on_the_population_is_that_of_a_weighted_mean():
    """All positives weigh 3 and all negatives 0.5; labels are a random part of the positives."""
    y = np.arange(4000) < 800
    s, w = (y & (np.arange(4000) % 2 == 0)).astype(float), np.where(y, 3.0, 0.5)
    w = w / w.mean()
    prior, share = np.average(y, weights=w), np.average(s, weights=w)
    found = effects_on_share(s, w, w).population(prior, share)
    variance = np.sum(w**2 * (y - prior) ** 2) / w.sum() ** 2
    assert found == pytest.approx(variance * w.sum() / (prior * (1 - prior)))


def test_uneven_weights_tell_less_and_counts_tell_more():
    score = fit(PULogistic()).held_out_score_
    lengths = [
        np.ptp([*class_prior_density(S, score, weight, weights=word).interval()])
        for weight, word in (
            (WEIGHT, "sampling"),
            (None, "sampling"),
            (np.full(600, 4.0), "frequency"),
        )
    ]
    assert lengths[0] > lengths[1] > lengths[2]


def test_a_bound_is_wider_with_uneven_weights():
    bounds = [fit(PriorBound(random_state=0), one).class_prior_ for one in (WEIGHT, None)]
    assert bounds[0] > bounds[1]


def test_the_sandwich_has_the_squares_of_the_weights():
    model = fit(NaiveLogistic(tol=1e-10), 7 * WEIGHT)
    found = model.estimates(X, S, 7 * WEIGHT)
    Z = np.column_stack([X, np.ones(600)])
    p = 1 / (1 + np.exp(-Z @ found.value))
    A = np.linalg.inv((Z * (WEIGHT * p * (1 - p))[:, None]).T @ Z)
    scores = Z * (WEIGHT * (S - p))[:, None]
    B = scores.T @ scores
    np.testing.assert_allclose(found.covariance, A @ B @ A, rtol=1e-5)
    squares = (Z * (WEIGHT**2 * p * (1 - p))[:, None]).T @ Z
    observed = model.estimates(X, S, 7 * WEIGHT, kind="observed")
    np.testing.assert_allclose(observed.covariance, A @ squares @ A, rtol=1e-5)


@pytest.mark.parametrize("model", [PULogistic(), JointLogistic()], ids=repr)
def test_counts_give_the_intervals_of_repeated_rows(model):
    count = np.random.default_rng(0).integers(1, 4, 600)
    again = np.repeat(np.arange(600), count)
    counted, repeated = (
        fit(clone(model).set_params(weights="frequency"), count),
        fit(model, None, again),
    )
    joint = isinstance(model, JointLogistic)
    one = counted.class_prior_interval(*((X, S, count) if joint else ()))
    other = repeated.class_prior_interval(*((X[again], S[again]) if joint else ()))
    np.testing.assert_allclose([*one], [*other], rtol=0.03)
    errors = [
        counted.estimates(X, S, count).standard_error,
        repeated.estimates(X[again], S[again]).standard_error,
    ]
    np.testing.assert_allclose(*errors, rtol=0.03)


@pytest.mark.parametrize("form", ["chunks", "sparse"])
@pytest.mark.parametrize("model", [PULogistic(), JointLogistic(), NaiveLogistic()], ids=repr)
def test_rows_elsewhere_say_the_same(model, form):
    here = fit(model, WEIGHT)
    columns = (X, S, 3 * WEIGHT)
    rows = (sparse.csr_matrix(X), *columns[1:])
    if form == "chunks":
        rows = tuple(da.from_array(one, chunks=(250, *one.shape[1:])) for one in columns)
    elsewhere = clone(model).fit(*rows)
    np.testing.assert_allclose(elsewhere.coef_, here.coef_, rtol=1e-3)
    found, wanted = elsewhere.estimates(*rows), here.estimates(X, S, WEIGHT)
    np.testing.assert_allclose(found.standard_error, wanted.standard_error, rtol=1e-2)


@pytest.mark.parametrize("in_chunks", [False, True])
def test_many_rows_have_the_design_effect_of_all(in_chunks):
    data = make_paper_gaussian(n=6000, label_frequency=0.5, random_state=0)
    weight = np.exp(np.random.default_rng(0).normal(size=6000))
    model = PULogistic(random_state=0)
    whole = clone(model).fit(data.X, data.s, weight)

    class Small(PULogistic):
        _subset_rows = 2000

    rows = (data.X, data.s, weight)
    if in_chunks:
        rows = tuple(da.from_array(one, chunks=(1500, *one.shape[1:])) for one in rows)
    part = Small(random_state=0).fit(*rows)
    assert part._n_rows_searched_ < 6000
    assert part._design_effect_ == pytest.approx(whole._design_effect_, rel=0.3)
    assert part.class_prior_density_.n_rows == pytest.approx(
        whole.class_prior_density_.n_rows, rel=0.3
    )


# Weights that look as if they meant something else.


def warned(weight, weights="sampling", sampling=Sampling.ONE):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        RowWeights.of(weight, S, weights, sampling)
    return [one.message.code for one in caught if isinstance(one.message, PUWarning)]


def test_weights_that_look_like_copies_and_counts_that_are_none_are_doubted():
    copies = np.random.default_rng(0).integers(1, 4, 600).astype(float)
    assert warned(copies) == ["PU130"]
    assert warned(copies, "frequency") == []
    assert warned(WEIGHT, "frequency") == ["PU130"]
    assert warned(WEIGHT) == []
    assert warned(np.full(600, 100.0)) == []


def test_weights_that_balance_the_classes_are_doubted():
    for heavy in (600 / (2 * S.sum()), 5.0):
        light = 600 / (2 * (600 - S.sum())) if heavy != 5.0 else 1.0
        assert warned(np.where(S == 1, heavy, light)) == ["PU130"]
        assert warned(np.where(S == 1, heavy, light), sampling=Sampling.TWO) in ([], ["PU130"])
    assert warned(np.where(S == 1, 1.0, 4.3)) == []  # unlabeled rows were drawn less often


def test_a_word_that_is_none_is_rejected():
    with pytest.raises(ValueError, match="`weights` must be"):
        PULogistic(weights="counts").fit(X, S)


# Weights and pipelines.


def test_a_pipeline_passes_weights_to_its_last_step():
    line = LogisticRegression()
    alone = PUThresholdClassifier(line, random_state=0).fit(X, S, sample_weight=WEIGHT)
    for piped in (
        make_pipeline(line),
        make_pipeline(make_pipeline(line)),
        GridSearchCV(make_pipeline(line), {"logisticregression__C": [1.0]}, cv=2),
    ):
        model = PUThresholdClassifier(piped, random_state=0).fit(X, S, sample_weight=WEIGHT)
        assert model.threshold_ == pytest.approx(alone.threshold_)
    scaled = make_pipeline(StandardScaler(), line)
    weighted = PUThresholdClassifier(scaled, random_state=0).fit(X, S, sample_weight=WEIGHT)
    by_hand = clone(scaled).fit(X, S, logisticregression__sample_weight=WEIGHT / WEIGHT.mean())
    np.testing.assert_allclose(weighted.estimator_[-1].coef_, by_hand[-1].coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "estimator", [KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())]
)
def test_an_estimator_that_takes_no_weights_is_named(estimator):
    model = PUThresholdClassifier(estimator, random_state=0)
    with pytest.raises(ValueError, match="`sample_weight` must be None.*KNeighborsClassifier"):
        model.fit(X, S, sample_weight=WEIGHT)


# Functions around a fit.


def test_a_bootstrap_with_weights_is_that_of_their_ratios():
    found = [
        bootstrap(
            EnhancedLogistic(), X, S, n_resamples=19, random_state=0, sample_weight=scale * WEIGHT
        )
        for scale in (1.0, 128.0)
    ]
    for name in ("recall", "class_prior"):
        np.testing.assert_allclose(
            [*found[1].interval(name)], [*found[0].interval(name)], rtol=1e-6
        )
    fitted = fit(EnhancedLogistic(), WEIGHT)
    above = fitted.positive_score(X) > fitted.threshold_
    share = np.average(above, weights=WEIGHT)
    assert found[0].interval("share").estimate == pytest.approx(share, abs=0.05)
    even = bootstrap(EnhancedLogistic(), X, S, n_resamples=19, random_state=0)
    lengths = [np.ptp([*one.interval("share")]) for one in (found[0], even)]
    assert lengths[0] > lengths[1]


def test_a_bootstrap_of_counts_draws_each_copy():
    count = np.random.default_rng(0).integers(1, 3, 600)
    again = np.repeat(np.arange(600), count)
    options = {"n_resamples": 9, "random_state": 0}
    model = EnhancedLogistic(weights="frequency")
    counted = bootstrap(model, X, S, sample_weight=count, **options)
    repeated = bootstrap(model, X[again], S[again], **options)
    wanted = [*repeated.interval("share")]
    np.testing.assert_allclose([*counted.interval("share")], wanted, rtol=1e-4)
    with (
        pytest.warns(PUWarning, match="PU130"),
        pytest.raises(ValueError, match="`sample_weight` must hold whole numbers"),
    ):
        bootstrap(model, X, S, sample_weight=WEIGHT, **options)


def test_a_comparison_weighs_fits_and_measures():
    models = {"naive": EnhancedLogistic(), "line": LogisticRegression(C=1e6)}
    compare = partial(compare_methods, models, X, S, n_repeats=2, random_state=0)
    found, scaled = compare(sample_weight=WEIGHT), compare(sample_weight=128 * WEIGHT)
    for measure in ("recall", "share", "label_auc"):
        np.testing.assert_allclose(scaled.mean(measure), found.mean(measure), rtol=1e-6)
    assert not np.allclose(found.mean("label_auc"), compare().mean("label_auc"))
    few = np.where(np.arange(600) < 300, WEIGHT, 0)
    assert compare(sample_weight=few).rows.n_used == 300
    with pytest.raises(ValueError, match="`sample_weight` must be None.*KNeighborsClassifier"):
        compare_methods({"near": KNeighborsClassifier()}, X, S, sample_weight=WEIGHT)


def test_a_diagnosis_of_weighted_rows_skips_tests_of_equally_sure_ones():
    checks = ["labels", "class prior", "scar", "separation"]
    look = partial(diagnose, EnhancedLogistic(), X, S, checks=checks, random_state=0)
    found = {one.check: one for one in look(sample_weight=WEIGHT)}
    assert found["scar"].state == "not applicable"
    assert "weights" in str(found["scar"].message)
    bounds = [
        {one.check: one for one in look(sample_weight=weight)}["class prior"].facts["bound"]
        for weight in (WEIGHT, 128 * WEIGHT, None)
    ]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6)
    assert bounds[0] != pytest.approx(bounds[2])


def test_weighted_fits_are_known_where_weights_are_missing():
    for word in ("sampling", "frequency"):
        model = fit(PULogistic(weights=word), WEIGHT)
        for call in (bootstrap, diagnose):
            with pytest.raises(ValueError, match="`estimator` must be fitted without `sample_"):
                call(model, X, S)
