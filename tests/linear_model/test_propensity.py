"""Labels that follow features: the likelihood, its solvers, the swap, and what is estimated."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder

from unlabeled import JointLogistic, PropensityLogistic, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity
from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import ProductLoss
from unlabeled.engine.objective import FEATURES, Design, Objective, WhitenedObjective
from unlabeled.engine.rows import LabelEncoding, Rows
from unlabeled.engine.solvers import minimize
from unlabeled.inference import bootstrap
from unlabeled.linear_model._direction import ComparableFeatures
from unlabeled.linear_model._propensity_fit import (
    AS_LIKELY,
    AlongPropensity,
    DoubleProblem,
    check_swap,
)
from unlabeled.linear_model._published import fit_sar_em
from unlabeled.scores import ScoredRows


@pytest.fixture(scope="module")
def data():
    """Labels by the second feature, two in five of the positives."""
    sample = make_paper_gaussian(n=4000, label_frequency=1.0, random_state=3)
    e = propensity("feature", sample.X, column=1, label_frequency=0.4, y_true=sample.y_true)
    s = hide_labels(sample.y_true, propensity=e, random_state=3)
    return sample.X, s, sample.y_true, e


@pytest.fixture(scope="module")
def fitted(data):
    X, s, _, _ = data
    return PropensityLogistic(propensity_features=[1]).fit(X, s)


def rows_of(X, s, checked=None, weight=None):
    return Rows(X, s.astype(float), weight, LabelEncoding(np.array([0, 1])), checked)


def double(X, s, columns, checked=None, solver="lbfgs", tol=1e-9, weight=None):
    rows = rows_of(X, s, checked, weight)
    features = ComparableFeatures.of(rows)
    return DoubleProblem.of(rows, features, columns, tol, 5000, solver, None), features


# The likelihood


def test_golden_values_of_the_likelihood():
    """A posterior of 3/4 and a propensity of 1/2, of the four kinds of rows."""
    X = np.array([[1.0, 0.0]] * 4)
    outcomes = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 1]], dtype=float)
    designs = (FEATURES, Design(True, True, (1,)))
    theta = np.array([np.log(3), 5.0, 0.0, 7.0, 0.0])  # the second feature is 0
    for row, chance in enumerate((3 / 8, 3 / 8, 1 / 4, 5 / 8)):
        objective = Objective(ProductLoss(), designs, X[[row]], outcomes[[row]])
        assert objective.value_gradient(theta)[0] == pytest.approx(-np.log(chance), rel=1e-14)


def test_the_gradient_has_the_published_form(data):
    """The derivatives are sums of (q - y) x and of q (s - e) x_e, with the E-step weight q."""
    X, s, _, _ = data
    designs = (FEATURES, Design(True, True, (1, 2)))
    objective = Objective(ProductLoss(), designs, X, rows_of(X, s).outcomes)
    theta = np.random.default_rng(0).normal(size=objective.n_parameters)
    y, e = expit(X @ theta[:3] + theta[3]), expit(X[:, [1, 2]] @ theta[4:6] + theta[6])
    q = s + (1 - s) * y * (1 - e) / (1 - y * e)
    with_one = np.column_stack([X, np.ones(len(s))])
    expected = [-(q - y) @ with_one, -(q * (s - e)) @ with_one[:, [1, 2, 3]]]
    found = objective.value_gradient(theta)[1] * len(s)
    np.testing.assert_allclose(found, np.concatenate(expected), rtol=1e-9, atol=1e-9)


def test_without_features_of_the_propensity_it_is_joint():
    sample = make_paper_gaussian(n=4000, label_frequency=0.5, random_state=0)
    X, s = sample.X, sample.s
    designs = (FEATURES, Design(True, True, ()))
    objective = Objective(ProductLoss(), designs, X, rows_of(X, s).outcomes)
    problem = WhitenedObjective(objective, LinearProblem.of(X, None).whitening)
    theta = problem.theta(minimize(problem, np.zeros(5), 1e-10, 2000, polish_tol=1e-10).z)
    joint = JointLogistic(tol=1e-9).fit(X, s)
    np.testing.assert_allclose(theta[:3], joint.coef_[0], atol=1e-6)
    assert expit(theta[-1]) == pytest.approx(joint.label_frequency_, abs=1e-6)


@pytest.mark.parametrize("with_answers", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_em_ends_where_lbfgs_does(data, with_answers, weighted):
    X, s, y_true, _ = data
    checked = np.where((s == 0) & (np.arange(len(s)) % 9 == 0), y_true, np.nan)
    weight = 1.0 + np.arange(len(s)) % 3 if weighted else None
    ends = []
    for solver in ("lbfgs", "em"):
        checked_rows = checked if with_answers else None
        problem, _ = double(X, s, (1,), checked_rows, solver, 1e-10, weight)
        ends.append(problem.fit(1.0, 1.0, [np.zeros(6)]).fit.theta)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-6)


def test_the_penalty_is_on_the_slopes_of_both_and_weakly_on_the_level(data):
    X, s, _, _ = data
    problem, _ = double(X, s, (1,))
    fit = problem.fit(0.5, 0.25, [np.zeros(6)]).fit
    strength = fit.problem.objective.ridge * len(s)
    np.testing.assert_allclose(strength, [2, 2, 2, 0, 4, 1 / 4], rtol=1e-12)


# The swap


def test_with_every_feature_in_both_the_swap_is_as_likely_and_found(data):
    """The likelihood does not change if posterior and propensity change places."""
    X, s, _, _ = data
    problem, _ = double(X, s, (0, 1, 2))
    start = np.concatenate([[-1.0, 1.0, 1.0, -1.0], [0.0, 2.0, 0.0, 0.0]])
    fit = problem.fit(1e4, 1e4, [start])
    kept, swap = check_swap(problem, fit)
    assert swap < AS_LIKELY
    # The one with the longer posterior is kept, from either side.
    other = problem.fit(1e4, 1e4, [problem.swapped(fit)])
    assert other.log_likelihood() == pytest.approx(fit.log_likelihood(), abs=0.5)
    np.testing.assert_allclose(
        check_swap(problem, other)[0].predictors[0], kept.predictors[0], atol=0.05
    )
    assert np.abs(kept.parts[0][:-1]).sum() >= np.abs(kept.parts[1][:-1]).sum()


def test_a_swapped_start_is_a_swap(data):
    X, s, _, _ = data
    problem, _ = double(X, s, (0, 1, 2))
    fit = problem.fit(1.0, 1.0, [np.zeros(8)])
    first, second = fit.parts
    np.testing.assert_array_equal(problem.swapped(fit), np.concatenate([second, first]))


def test_all_features_named_warn_that_labels_do_not_tell(data):
    X, s, _, _ = data
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PropensityLogistic(propensity_features=[0, 1, 2], propensity_C=10.0).fit(X, s)
    assert "PU122" in {one.message.code for one in caught}
    assert model._swap_ratio_ < AS_LIKELY


def test_a_named_feature_beside_others_breaks_the_tie(data):
    X, s, _, _ = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PropensityLogistic(propensity_features=[1]).fit(X, s)
    assert model._swap_ratio_ is None or model._swap_ratio_ > AS_LIKELY


# What is estimated


def test_told_the_feature_it_is_nearer_to_the_truth(data, fitted):
    X, s, y_true, e = data
    line = PULogistic().fit(X, s)
    assert abs(fitted.class_prior_ - y_true.mean()) < 0.5 * abs(line.class_prior_ - y_true.mean())
    assert roc_auc_score(y_true, fitted.positive_score(X)) > roc_auc_score(
        y_true, line.positive_score(X)
    )
    positive = y_true == 1
    by_line = np.full(len(s), line.label_frequency_)
    assert np.mean(np.abs(fitted.propensity(X) - e)[positive]) < 0.6 * np.mean(
        np.abs(by_line - e)[positive]
    )
    assert fitted.class_prior_interval().lower < y_true.mean() < fitted.class_prior_interval().upper


def test_as_many_labels_are_expected_as_there_are(data, fitted):
    X, s, _, _ = data
    expected = fitted.propensity(X) * fitted.posterior_at(fitted.held_out_score_)
    assert expected.mean() == pytest.approx(s.mean(), rel=1e-9)


def test_the_mean_posterior_is_the_class_prior(fitted):
    assert fitted.held_out_posterior_.mean() == pytest.approx(fitted.class_prior_, abs=1e-6)


def test_recall_counts_a_labeled_row_one_over_e_times(data, fitted):
    """Rarely labeled rows count more: the cut's recall is nearer to that of all positives."""
    X, s, y_true, _ = data
    score, labeled = fitted.held_out_score_, s == 1
    times = 1 / fitted.propensity(X)[labeled]
    along = AlongPropensity(ScoredRows.of(rows_of(X, s), score), fitted._tilt(X), 0.0)
    cuts = along.cuts(fitted.held_out_posterior_)
    for at in (10, 200, 900):
        above = score[labeled] >= cuts.score[at]
        assert cuts.recall[at] == pytest.approx(np.average(above, weights=times), rel=1e-9)
    assert cuts.labeled[-1] == pytest.approx(times.sum() ** 2 / (times**2).sum())
    middle = np.searchsorted(-cuts.score, -np.median(score))
    truth = np.mean(score[y_true == 1] >= cuts.score[middle])
    plain = fitted.observed_cuts_.recall[middle]
    assert abs(cuts.recall[middle] - truth) < abs(plain - truth)


def test_the_propensity_is_for_the_features_as_given(data):
    """Units do not matter: neither to the propensity nor to the posterior."""
    X, s, _, _ = data
    one = PropensityLogistic(propensity_features=[1]).fit(X, s)
    other = PropensityLogistic(propensity_features=[1]).fit(X * [1, 100, 1] + [0, 7, 0], s)
    np.testing.assert_allclose(
        one.propensity(X), other.propensity(X * [1, 100, 1] + [0, 7, 0]), rtol=1e-6
    )
    np.testing.assert_allclose(one.coef_[0], other.coef_[0] * [1, 100, 1], rtol=1e-5)


@pytest.mark.parametrize(
    ("kind", "solver", "shift"),
    [
        ("rows", "lbfgs", 0.0),
        ("rows", "em", 5.0),
        *((k, "lbfgs", 5.0) for k in ("rows", "weights", "answers", "folds")),
        ("more features than rows", "lbfgs", 5.0),
    ],
)
def test_sparse_rows_give_the_model_of_dense_ones_wherever_the_named_column_is(
    data, kind, solver, shift
):
    X, s, y_true, _ = (one[:600] for one in data)
    more, named, cv = {}, [1], "auto"
    if kind == "weights":
        more = {"sample_weight": 0.5 + np.arange(len(s)) % 3}
    elif kind == "answers":  # the ridge on the propensity of all features is chosen
        more, named = {"checked": np.where(np.arange(len(s)) % 5 == 0, y_true, np.nan)}, None
    elif kind == "folds":
        cv = 3
    elif kind == "more features than rows":
        wide = np.column_stack([X, np.random.default_rng(0).normal(size=(len(s), 400))])
        X, s = wide[:300], s[:300]
    model = PropensityLogistic(
        propensity_features=named, solver=solver, cv=cv, tol=1e-7, random_state=0
    )
    moved = sparse.csr_matrix(X + shift * (np.arange(X.shape[1]) == 1))
    dense, in_csr = clone(model).fit(X, s, **more), clone(model).fit(moved, s, **more)
    assert dense.converged_
    np.testing.assert_array_equal(in_csr.predict(moved), dense.predict(X))
    for of in ("decision_function", "predict_proba", "propensity"):
        found, expected = getattr(in_csr, of)(moved), getattr(dense, of)(X)
        np.testing.assert_allclose(found, expected, atol=1e-6, err_msg=of)
    assert in_csr.class_prior_ == pytest.approx(dense.class_prior_, abs=1e-6)
    found, expected = in_csr.estimates(moved, s, **more), dense.estimates(X, s, **more)
    slopes = ["intercept" not in name for name in expected.names]
    np.testing.assert_allclose(
        found.standard_error[slopes], expected.standard_error[slopes], rtol=1e-5
    )


@pytest.mark.parametrize("columns", [(1,), (0, 1, 2)])
def test_sparse_rows_have_the_starts_the_swap_and_the_left_out_likelihood_of_dense_ones(
    data, columns
):
    X, s, _, _ = (one[:600] for one in data)
    theta = np.array([1.0, -1.0, 0.5, -2.0])
    found = []
    for rows in (X, sparse.csr_matrix(X + np.array([3.0, 5.0, 0.0]))):
        problem, _ = double(rows, s, columns)
        start = theta - [0, 0, 0, theta[:3] @ problem.mean]  # the same predictor of every row
        starts = problem.starts(start, 0.4)
        fit = problem.fit(0.5, 0.25, starts[:1])
        of_rows = [problem.at(fit, one).predictors for one in (*starts, problem.swapped(fit))]
        found.append([*np.concatenate(of_rows), problem._left_out(fit, None)])
    np.testing.assert_allclose(found[1], found[0], atol=1e-8)


def test_more_features_than_rows(data):
    X, s, _, _ = data
    wide = np.column_stack([X, np.random.default_rng(0).normal(size=(len(X), 400))])[:300]
    model = PropensityLogistic(propensity_features=[1]).fit(wide, s[:300])
    assert model.coef_.shape == (1, 403)
    assert model.propensity_coef_.shape == (1,)
    assert np.all(np.isfinite(model.propensity(wide)))


def test_groups_and_folds(data):
    X, s, _, _ = data
    folds = PropensityLogistic(propensity_features=[1], cv=3, random_state=0).fit(X, s)
    grouped = PropensityLogistic(propensity_features=[1], random_state=0).fit(
        X, s, groups=np.arange(len(s)) // 2
    )
    assert grouped.n_groups_ == 2000
    assert folds.class_prior_ == pytest.approx(grouped.class_prior_, abs=0.05)


def test_a_given_class_prior_is_kept(data):
    X, s, _, _ = data
    model = PropensityLogistic(propensity_features=[1], class_prior=0.3).fit(X, s)
    assert model.class_prior_ == 0.3
    assert model.held_out_posterior_.mean() == pytest.approx(0.3, abs=1e-6)
    with pytest.raises(ValueError, match="class_prior"):
        model.class_prior_interval()


def test_posterior_range_holds_the_posterior(fitted):
    score = np.linspace(-3, 3, 7)
    lower, upper = fitted.posterior_range(score)
    middle = fitted.posterior_at(score)
    assert np.all((lower <= middle + 1e-12) & (middle <= upper + 1e-12))
    assert np.all(upper - lower > 0)


# Nothing named


def test_told_nothing_it_is_pu_logistic_and_says_so(data):
    X, s, _, _ = data
    with pytest.warns(PUWarning, match="PU121"):
        model = PropensityLogistic(random_state=0).fit(X, s)
    line = PULogistic(random_state=0).fit(X, s)
    np.testing.assert_array_equal(model.coef_, line.coef_)
    assert (model.class_prior_, model.threshold_) == (line.class_prior_, line.threshold_)
    np.testing.assert_array_equal(model.predict(X), line.predict(X))
    np.testing.assert_allclose(model.propensity(X[:3]), line.label_frequency_, rtol=1e-12)
    assert model.propensity_C_ == 0
    assert len(model.propensity_features_) == 0


def answers(s, y_true, size, seed=0):
    checked = np.full(len(s), np.nan)
    drawn = np.random.default_rng(seed).choice(np.flatnonzero(s == 0), size, replace=False)
    checked[drawn] = y_true[drawn]
    return checked


def test_answers_alone_find_what_the_labeling_followed(data):
    X, s, y_true, _ = data
    model = PropensityLogistic().fit(X, s, checked=answers(s, y_true, 200))
    assert model.propensity_C_ > 0
    assert np.argmax(np.abs(model.propensity_coef_)) == 1
    assert model.class_prior_ == pytest.approx(y_true.mean(), abs=0.04)
    assert set(model.propensity_scores_) == {0.0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0}


def test_answers_about_labels_at_random_leave_them_at_random(data):
    X, _, y_true, _ = data
    s = hide_labels(y_true, 0.4, random_state=1)
    model = PropensityLogistic().fit(X, s, checked=answers(s, y_true, 100))
    assert model.propensity_C_ == 0
    assert len(model.propensity_features_) == 0
    line = PULogistic().fit(X, s, checked=answers(s, y_true, 100))
    np.testing.assert_array_equal(model.coef_, line.coef_)
    assert model.class_prior_ == pytest.approx(line.class_prior_, abs=0.02)
    assert model.class_prior_interval().lower < y_true.mean() < model.class_prior_interval().upper
    assert len(model.propensity_scores_) == 7


def test_answers_of_every_row_give_the_truth(data):
    X, s, y_true, _ = data
    model = PropensityLogistic(propensity_features=[1]).fit(X, s, checked=y_true)
    assert model.class_prior_ == pytest.approx(y_true.mean(), abs=1e-3)


def test_the_order_of_names_does_not_matter(data):
    X, s, _, _ = data
    Z = X * [1.0, 10.0, 0.1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = (
            PropensityLogistic(propensity_features=named).fit(Z, s)
            for named in ([0, 1, 2], [2, 1, 0])
        )
        none_left = PropensityLogistic(propensity_features=list(range(60))).fit(
            np.random.default_rng(0).normal(size=(50, 60)), np.arange(50) % 2
        )
    np.testing.assert_array_equal(one.propensity(Z), other.propensity(Z))
    assert none_left.propensity_coef_.shape == (60,)


def test_a_weight_is_copies_where_fits_are_told_apart(data):
    """The likelihoods of a fit and of its swapped one are totals."""
    X, s, _, _ = data
    ratios = []
    for weight in (np.full(500, 3.0), None):
        rows = np.arange(500) if weight is not None else np.repeat(np.arange(500), 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = PropensityLogistic(
                propensity_features=[0, 1, 2], C=0.5, weights="frequency"
            ).fit(X[rows], s[rows], weight)
        ratios.append(model._swap_ratio_)
    assert None not in ratios
    assert ratios[0] == pytest.approx(ratios[1], rel=0.02, abs=1e-6)


def test_a_level_without_labels_warns(data):
    X, s, _, _ = data
    ward = (np.arange(len(s)) % 5 < 2).astype(float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        PropensityLogistic(propensity_features=[3]).fit(np.column_stack([X, ward]), s * (ward == 0))
    assert any("= 1 is known to be positive" in str(one.message) for one in caught)


def test_a_fit_that_did_not_converge_says_so(data):
    X, s, _, _ = data
    with pytest.warns(PUWarning, match="PU105"):
        model = PropensityLogistic(propensity_features=[1], max_iter=2).fit(X, s)
    assert not model.converged_


# Names


@pytest.mark.filterwarnings("ignore:.*PU122")
def test_names_of_columns_stand_for_what_became_of_them(data):
    X, s, _, _ = data
    names = ["age", "ward=A", "ward is missing"]
    frame = pd.DataFrame(X, columns=names)
    model = PropensityLogistic(propensity_features="ward").fit(frame, s)
    np.testing.assert_array_equal(model.propensity_features_, [1, 2])
    encoded = OneHotEncoder(sparse_output=False).fit(np.array([["A"], ["B"]], dtype=object))
    assert list(encoded.get_feature_names_out(["ward"])) == ["ward_A", "ward_B"]
    frame.columns = ["age", "onehot__ward_A", "ward_B"]
    model = PropensityLogistic(propensity_features=["ward", 0]).fit(frame, s)
    np.testing.assert_array_equal(model.propensity_features_, [0, 1, 2])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "at least one"),
        ([3], "from 0 to 2"),
        ([-1], "from 0 to 2"),
        ([1.5], "names of features"),
        (True, "names of features"),
        (["agee"], "Did you mean 'age'"),
    ],
)
def test_features_that_are_not_there(data, given, words):
    X, s, _, _ = data
    frame = pd.DataFrame(X, columns=["age", "ward", "dose"])
    with pytest.raises(ValueError, match=words):
        PropensityLogistic(propensity_features=given).fit(frame, s)


def test_a_name_needs_names(data):
    X, s, _, _ = data
    with pytest.raises(ValueError, match="positions if X has no feature names"):
        PropensityLogistic(propensity_features=["ward"]).fit(X, s)


@pytest.mark.parametrize(
    "setting",
    [
        {"propensity_C": 0},
        {"propensity_C": "one"},
        {"propensity_C": np.inf},
        {"settings": "sar-em", "cv": np.array([1, 2])},
        {"solver": "newton"},
        {"settings": "published"},
        {"settings": "sar-em", "C": 1.0},
        {"settings": "sar-em", "rule": "balanced_accuracy"},
    ],
)
def test_settings_that_are_rejected(data, setting):
    X, s, _, _ = data
    with pytest.raises(ValueError, match=f"`{list(setting)[-1]}` must"):
        PropensityLogistic(propensity_features=[1], **setting).fit(X, s)


def test_a_bootstrap_counts_labeled_rows_one_over_e_times(data, fitted):
    X, s, y_true, _ = data
    found = bootstrap(
        PropensityLogistic(propensity_features=[1]), X, s, n_resamples=9, random_state=0
    )
    recall = np.mean(fitted.predict(X)[y_true == 1])
    of_labeled = np.mean(fitted.predict(X)[s == 1])
    assert abs(found.interval("recall").estimate - recall) < abs(of_labeled - recall)


# Standard errors


def test_standard_errors_are_those_of_the_joint_likelihood(data, fitted):
    """The optimum is one: the gradient of the penalized likelihood is 0 there."""
    X, s, _, _ = data
    found = fitted.estimates(X, s)
    assert found.names == (
        "x0", "x1", "x2", "intercept", "propensity: x1", "propensity: intercept"
    )  # fmt: skip
    optimum = fitted._optimum(rows_of(X, s))
    gradient = optimum.objective.value_gradient(optimum.theta)[1]
    assert np.max(np.abs(gradient[:-1])) < 2e-4
    assert np.all(found.standard_error > 0)
    summary = str(fitted.summary(X, s))
    assert "labeling follows" in summary


# SAR-EM


def test_sar_em_is_found_again_by_its_formulas(data):
    """Its last fit is weighted by 1/e, and solves the equations of that ridge."""
    X, s, _, _ = data
    fit = fit_sar_em(rows_of(X, s), np.array([1]))
    assert fit.converged
    e = expit(X[:, 1] * fit.propensity_coef[0] + fit.propensity_intercept)
    y = expit(X @ fit.coef + fit.intercept)
    with_one = np.column_stack([X, np.ones(len(s))])
    theta = np.append(fit.coef, fit.intercept)
    np.testing.assert_allclose(with_one.T @ (s / e - y), theta, atol=1e-3)


def test_sar_em_stops_by_its_own_rule_and_predicts_at_one_half(data):
    X, s, y_true, _ = data
    model = PropensityLogistic(propensity_features=[1], settings="sar-em").fit(X, s)
    assert 10 < model.n_iter_ <= 500
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X)[:, 1] > 0.5)
    assert model.propensity_coef_[0] > 0
    for call in (
        lambda: model.class_prior_interval(),
        lambda: model.summary(X, s),
        lambda: PropensityLogistic(settings="sar-em").fit(X, s, checked=answers(s, y_true, 90)),
    ):
        with pytest.raises(ValueError, match="sar-em"):
            call()
