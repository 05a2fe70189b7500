"""Rows that somebody checked, in the likelihood: what is exact, and what is rejected."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import JointLogistic, NaiveLogistic, PropensityLogistic, PULogistic
from unlabeled.audit import chosen_beforehand
from unlabeled.codes import PUWarning
from unlabeled.comparison import compare_methods
from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity
from unlabeled.inference import bootstrap
from unlabeled.scores import PriorDensity, fit_checked_score
from unlabeled.thresholds import Cuts


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=1500, label_frequency=0.4, random_state=0)


def answers_of(data, size, seed=0):
    """Answers about unlabeled rows drawn at random."""
    drawn = np.random.RandomState(seed).choice(np.flatnonzero(data.s == 0), size, replace=False)
    checked = np.full(len(data.s), np.nan)
    checked[drawn] = data.y_true[drawn]
    return checked


def state_of(model):
    """Fitted attributes; those of cuts and of a density one by one."""
    state = {name: value for name, value in vars(model).items() if name.endswith("_")}
    for name in [name for name, one in state.items() if isinstance(one, Cuts | PriorDensity)]:
        state |= {f"{name}.{key}": value for key, value in vars(state.pop(name)).items()}
    return state


def assert_same_bits(one, other):
    one, other = state_of(one), state_of(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_equal(other[name], value, err_msg=name)


# JOINT


@pytest.mark.parametrize("weighted", [False, True])
def test_joint_with_nothing_checked_is_the_fit_without_the_argument(data, weighted):
    weight = 1 + np.arange(len(data.s)) % 3 if weighted else None
    counts = JointLogistic(weights="frequency")
    plain = clone(counts).fit(data.X, data.s, weight)
    for checked in (np.full(len(data.s), np.nan), np.where(data.s == 1, 1.0, np.nan)):
        assert_same_bits(plain, clone(counts).fit(data.X, data.s, weight, checked=checked))
    assert plain.n_checked_ == 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_joint_with_everything_checked_is_the_logistic_regression_of_the_truth(data, fit_intercept):
    y = data.y_true
    joint = JointLogistic(tol=1e-7, fit_intercept=fit_intercept).fit(data.X, data.s, checked=y)
    truth = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000, fit_intercept=fit_intercept)
    truth.fit(data.X, y)
    np.testing.assert_allclose(joint.coef_, truth.coef_, rtol=1e-6)
    np.testing.assert_allclose(joint.intercept_, truth.intercept_, rtol=1e-6)
    assert joint.class_prior_ == pytest.approx(y.mean(), abs=1e-12)
    assert joint.label_frequency_ == pytest.approx(data.s.sum() / y.sum(), rel=1e-6)
    assert joint.n_checked_ == np.sum(data.s == 0)


def test_joint_with_everything_checked_and_weighted_is_the_weighted_logistic_regression(data):
    y, weight = data.y_true, 1.0 + np.arange(len(data.s)) % 3
    joint = JointLogistic(C=0.5, tol=1e-7, weights="frequency").fit(
        data.X, data.s, weight, checked=y
    )
    truth = LogisticRegression(C=0.5, tol=1e-10, max_iter=1000).fit(data.X, y, weight)
    np.testing.assert_allclose(joint.coef_, truth.coef_, rtol=1e-6)
    assert joint.class_prior_ == pytest.approx(np.average(y, weights=weight), abs=1e-12)


def test_a_weight_of_two_is_two_checked_rows(data):
    checked = answers_of(data, 200)
    numbers = np.arange(len(data.s))
    weight = 1 + (numbers % 4 == 0)
    twice = np.repeat(numbers, weight)
    one = JointLogistic(tol=1e-7, weights="frequency")
    one.fit(data.X, data.s, weight, checked=checked)
    other = JointLogistic(tol=1e-7).fit(data.X[twice], data.s[twice], checked=checked[twice])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-4)
    assert one.label_frequency_ == pytest.approx(other.label_frequency_, rel=1e-4)
    assert one.class_prior_ == pytest.approx(other.class_prior_, rel=1e-5)


def test_the_class_prior_is_the_labeled_share_over_c_where_c_is_free(data):
    joint = JointLogistic(tol=1e-7).fit(data.X, data.s, checked=answers_of(data, 150))
    assert joint.class_prior_ == pytest.approx(data.s.mean() / joint.label_frequency_, rel=1e-6)


def test_the_class_prior_counts_answers_where_c_is_known(data):
    y, s = data.y_true, data.s
    checked = answers_of(data, 150)
    joint = JointLogistic(0.4).fit(data.X, s, checked=checked)
    posterior = joint.predict_proba(data.X)[:, 1]
    expected = 0.6 * posterior / (1 - 0.4 * posterior)  # P(Y=1|S=0,x)
    expected = np.where(np.isnan(checked), expected, checked)
    assert joint.class_prior_ == pytest.approx(np.mean(np.where(s == 1, 1.0, expected)), rel=1e-12)
    everything = JointLogistic(0.4).fit(data.X, s, checked=y)
    assert everything.class_prior_ == pytest.approx(y.mean(), abs=1e-12)


def test_checking_the_top_of_the_list_is_ignorable():
    """The rows a naive fit ranks highest are checked: c and the coefficients stay consistent."""
    data = make_paper_gaussian(n=40_000, label_frequency=0.4, random_state=1)
    X, s, y = data.X, data.s, data.y_true
    score = LogisticRegression().fit(X, s).decision_function(X)
    top = np.argsort(np.where(s == 1, -np.inf, score))[-4000:]
    checked = np.full(len(s), np.nan)
    checked[top] = y[top]
    joint = JointLogistic().fit(X, s, checked=checked)
    found = joint.estimates(X, s, checked=checked)
    error = np.abs(found.value - [*data.beta[1:], data.beta[0], np.log(0.4 / 0.6)])
    assert np.all(error < 3.5 * found.standard_error)
    # Positives found and marked as labeled would not be a random sample of the positives.
    relabeled = JointLogistic().fit(X, np.where(checked == 1, 1, s))
    prior = y.mean()
    assert abs(joint.class_prior_ - prior) < 0.1 * abs(relabeled.class_prior_ - prior)


def test_answers_shorten_the_intervals_and_agree_with_their_standard_error(data):
    X, s = data.X, data.s
    before = JointLogistic().fit(X, s).class_prior_interval(X, s)
    checked = answers_of(data, 300)
    joint = JointLogistic().fit(X, s, checked=checked)
    after = joint.class_prior_interval(X, s, checked=checked)
    assert after.upper - after.lower < 0.6 * (before.upper - before.lower)
    assert after.lower < joint.class_prior_ < after.upper
    c = joint.label_frequency_interval(X, s, checked=checked)
    logit = joint.estimates(X, s, kind="observed", checked=checked)
    half = (np.log(c.upper / (1 - c.upper)) - np.log(c.lower / (1 - c.lower))) / 2
    assert half == pytest.approx(1.96 * logit.standard_error[-1], rel=0.1)


def test_intervals_with_everything_checked_are_those_of_proportions(data):
    X, s, y = data.X, data.s, data.y_true
    joint = JointLogistic().fit(X, s, checked=y)
    prior = joint.class_prior_interval(X, s, checked=y)
    half = stats.norm.ppf(0.975) * np.sqrt(1 / y.sum() - 1 / len(y))  # of the log of a proportion
    assert np.log(prior.upper / prior.estimate) == pytest.approx(half, rel=0.01)
    assert np.log(prior.estimate / prior.lower) == pytest.approx(half, rel=0.01)
    # The likelihood of c is binomial: s labeled of y positives.
    c = joint.label_frequency_interval(X, s, checked=y)
    labeled, missed = s.sum(), y.sum() - s.sum()

    def log_likelihood(c):
        return labeled * np.log(c) + missed * np.log(1 - c)

    for end in (c.lower, c.upper):
        drop = 2 * (log_likelihood(labeled / y.sum()) - log_likelihood(end))
        assert drop == pytest.approx(stats.chi2.ppf(0.95, 1), abs=0.01)
    _, profile = joint.label_frequency_profile(X, s, frequencies=[0.5, 1.0], checked=y)
    assert profile[1] == -np.inf
    with pytest.raises(ValueError, match="`kind` .* got 'expected'"):
        joint.estimates(X, s, kind="expected", checked=y)


def test_the_summary_counts_checked_rows(data):
    checked = answers_of(data, 120)
    joint = JointLogistic().fit(data.X, data.s, checked=checked)
    assert "checked rows          120" in str(joint.summary(data.X, data.s, checked=checked))
    plain = JointLogistic().fit(data.X, data.s)
    assert "checked" not in str(plain.summary(data.X, data.s))


@pytest.mark.parametrize("method", ["estimates", "summary", "class_prior_interval"])
def test_other_answers_than_those_of_the_fit_are_rejected(data, method):
    checked = answers_of(data, 120)
    joint = JointLogistic().fit(data.X, data.s, checked=checked)
    with pytest.raises(ValueError, match="`checked` .* 120 about unlabeled rows; got 0"):
        getattr(joint, method)(data.X, data.s)
    with pytest.raises(ValueError, match="`checked` .* 120 about unlabeled rows; got 50"):
        getattr(joint, method)(data.X, data.s, checked=answers_of(data, 50))


@pytest.mark.parametrize(
    "settings",
    [{"solver": "mm"}, {"solver": "em"}, {"settings": "published"}],
    ids=["mm", "em", "published"],
)
def test_other_solvers_reject_checked_rows(data, settings):
    with pytest.raises(ValueError, match="`solver` must be 'lbfgs'.* for checked rows"):
        JointLogistic(**settings).fit(data.X, data.s, checked=answers_of(data, 10))


def test_a_positive_found_among_unlabeled_rows_rules_out_that_all_are_labeled(data):
    checked = answers_of(data, 200)
    with pytest.raises(ValueError, match="`label_frequency` must be below 1"):
        JointLogistic(1.0).fit(data.X, data.s, checked=checked)
    joint = JointLogistic().fit(data.X, data.s, checked=checked)
    assert 1.0 not in joint.label_frequency_interval(data.X, data.s, checked=checked)


def test_negatives_alone_may_leave_the_optimum_at_the_boundary(data):
    """All positives are labeled: c = 1, and the fit is the logistic regression of the labels."""
    y = data.y_true
    checked = np.where(y == 1, np.nan, 0.0)
    with pytest.warns(UserWarning, match="PU106"):
        joint = JointLogistic(tol=1e-7).fit(data.X, y, checked=checked)
    assert joint.at_boundary_
    assert joint.class_prior_ == y.mean()
    truth = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(data.X, y)
    np.testing.assert_allclose(joint.coef_, truth.coef_, rtol=1e-6)


def test_an_answer_ends_the_separation_that_the_labels_alone_show(recwarn):
    """A dummy is 0 in all labeled rows; one row with 1 is found positive, some negative."""
    rng = np.random.RandomState(0)
    n = 1000
    dummy, x = rng.random(n) < 0.3, rng.normal(size=n)
    y = rng.random(n) < 1 / (1 + np.exp(-x))
    s = y & (rng.random(n) < 0.5) & ~dummy
    X = np.column_stack([x, dummy])
    checked = np.where(dummy & (np.arange(n) % 2 == 0), y, np.nan)
    with pytest.warns(UserWarning, match="PU103"):
        assert not JointLogistic().fit(X, s).converged_
    recwarn.clear()
    joint = JointLogistic().fit(X, s, checked=checked)
    assert joint.converged_
    assert not [one for one in recwarn if "PU103" in str(one.message)]
    assert np.isfinite(joint.estimates(X, s, checked=checked).standard_error).all()


# PULogistic


@pytest.mark.parametrize("parameters", [{}, {"C": 0.1, "cv": 3, "random_state": 0}])
def test_pu_logistic_with_nothing_checked_is_the_fit_without_the_argument(data, parameters):
    plain = PULogistic(**parameters).fit(data.X, data.s)
    for checked in (np.full(len(data.s), np.nan), np.where(data.s == 1, 1.0, np.nan)):
        assert_same_bits(plain, PULogistic(**parameters).fit(data.X, data.s, checked=checked))
    assert plain.n_checked_ == 0


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("cv", ["loo", 3])
def test_pu_logistic_with_everything_checked_is_the_ridge_of_the_truth(data, cv, kind):
    X, y = data.X if kind == "dense" else sparse.csr_matrix(data.X), data.y_true
    model = PULogistic(C=0.1, cv=cv, tol=1e-8, random_state=0).fit(X, data.s, checked=y)
    scale = data.X.std(axis=0)
    truth = LogisticRegression(C=0.1, tol=1e-10, max_iter=1000).fit(data.X / scale, y)
    np.testing.assert_allclose(model.coef_, truth.coef_ / scale, rtol=1e-6)
    assert model.class_prior_ == pytest.approx(y.mean(), abs=1e-12)
    assert model.label_frequency_ == pytest.approx(data.s.sum() / y.sum(), rel=1e-12)
    assert model.held_out_posterior_.mean() == pytest.approx(y.mean(), abs=1e-4)


def test_with_everything_checked_the_cut_is_the_best_one_for_the_truth(data):
    y = data.y_true
    model = PULogistic(C=0.1).fit(data.X, data.s, checked=y)
    score = model.held_out_score_
    hits = np.cumsum(y[np.argsort(-score)])
    best = np.max(2 * hits / (y.sum() + np.arange(1, len(y) + 1)))
    assert model.cut_.value == pytest.approx(best, rel=1e-12)
    assert f1_score(y, score > model.threshold_) == pytest.approx(best, rel=1e-12)


def test_with_everything_checked_and_weighted_the_prior_is_the_weighted_share(data):
    y, weight = data.y_true, 1.0 + np.arange(len(data.s)) % 3
    model = PULogistic(C=0.1, weights="frequency").fit(data.X, data.s, weight, checked=y)
    assert model.class_prior_ == pytest.approx(np.average(y, weights=weight), abs=1e-12)


def test_answers_mend_the_prior_where_labeling_follows_the_posterior():
    """Labels alone see few positives; a hundred answers show that there are more."""
    data = make_paper_gaussian(n=3000, label_frequency=1.0, random_state=3)
    posterior = 1 / (1 + np.exp(-(data.beta[0] + data.X @ data.beta[1:])))
    e = propensity("posterior", posterior, label_frequency=0.25, power=2, y_true=data.y_true)
    s = hide_labels(data.y_true, propensity=e, random_state=0)
    before = PULogistic().fit(data.X, s)
    drawn = np.random.RandomState(0).choice(np.flatnonzero(s == 0), 100, replace=False)
    checked = np.full(len(s), np.nan)
    checked[drawn] = data.y_true[drawn]
    after = PULogistic().fit(data.X, s, checked=checked)
    prior = data.y_true.mean()
    assert abs(after.class_prior_ - prior) < 0.5 * abs(before.class_prior_ - prior)
    expected = f1_score(data.y_true, after.predict(data.X))
    assert expected > f1_score(data.y_true, before.predict(data.X)) + 0.02
    # The held-out posterior counts as many positives as the class prior says.
    assert after.held_out_posterior_.mean() == pytest.approx(after.class_prior_, abs=1e-3)


def test_the_class_prior_comes_from_the_held_out_scores_of_the_labels_and_the_answers(data):
    checked = answers_of(data, 100)
    plain = PULogistic().fit(data.X, data.s)
    model = PULogistic().fit(data.X, data.s, checked=checked)
    curve = fit_checked_score(plain.held_out_score_, data.s.astype(float), checked)
    assert model.class_prior_ == pytest.approx(curve.class_prior, rel=1e-6)
    assert model.class_prior_ != pytest.approx(plain.class_prior_, rel=1e-3)


def test_a_class_prior_given_beside_answers_is_kept(data):
    checked = answers_of(data, 100)
    model = PULogistic(class_prior=0.3).fit(data.X, data.s, checked=checked)
    assert model.class_prior_ == 0.3
    assert model.held_out_posterior_.mean() == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("prior", [0.1, 0.95])
def test_a_class_prior_that_the_answers_rule_out_is_rejected(data, prior):
    checked = np.where(np.arange(len(data.s)) % 2 == 0, data.y_true, np.nan)
    checked[data.s == 1] = np.nan
    known = np.mean((checked == 1) | (data.s == 1))
    assert data.s.mean() < 0.1 < known
    with pytest.raises(ValueError, match=f"`class_prior` .* {known:.4g}, .* got {prior}"):
        PULogistic(class_prior=prior).fit(data.X, data.s, checked=checked)


def test_the_ridge_is_chosen_by_held_out_labels_and_answers(data):
    checked = answers_of(data, 300)
    model = PULogistic().fit(data.X, data.s, checked=checked)
    at_best = PULogistic(C=model.C_).fit(data.X, data.s, checked=checked)
    np.testing.assert_allclose(at_best.coef_, model.coef_, rtol=1e-2)
    assert model.direction_ == "joint"
    # The mean log-likelihood of four outcomes, by hand, at the scores of the chosen fit.
    c, intercept, _ = at_best._ridge_fit_
    y = 1 / (1 + np.exp(-(at_best.held_out_score_ + intercept)))
    likelihood = np.select(
        [data.s == 1, checked == 1, checked == 0], [c * y, (1 - c) * y, 1 - y], 1 - c * y
    )
    assert at_best.scores_[0] == pytest.approx(np.log(likelihood).mean(), rel=1e-9)


def test_estimates_of_pu_logistic_take_the_answers_again(data):
    y = data.y_true
    model = PULogistic(C=1e6).fit(data.X, data.s, checked=y)
    joint = JointLogistic().fit(data.X, data.s, checked=y)
    ours, theirs = (
        {
            kind: one.estimates(data.X, data.s, checked=y, kind=kind).standard_error[:4]
            for kind in ("observed", "sandwich")
        }
        for one in (model, joint)
    )
    np.testing.assert_allclose(ours["observed"], theirs["observed"], rtol=1e-3)
    # No standard error is below that of the information.
    larger = np.maximum(theirs["sandwich"], theirs["observed"])
    np.testing.assert_allclose(ours["sandwich"], larger, rtol=1e-3)
    assert "checked rows" in str(model.summary(data.X, data.s, checked=y))
    with pytest.raises(ValueError, match="`checked` .* got 0"):
        model.estimates(data.X, data.s)


def test_intervals_along_scores_do_not_use_answers_and_say_so(data):
    model = PULogistic().fit(data.X, data.s, checked=answers_of(data, 50))
    for method in (model.class_prior_interval, model.label_frequency_interval):
        with pytest.raises(ValueError, match=r"50 checked rows.*draw_audit"):
            method()


def test_the_naive_direction_ignores_answers_but_the_cut_does_not(data):
    plain = PULogistic(direction="naive").fit(data.X, data.s)
    checked = PULogistic(direction="naive").fit(data.X, data.s, checked=data.y_true)
    np.testing.assert_array_equal(checked.coef_, plain.coef_)
    assert checked.class_prior_ == pytest.approx(data.y_true.mean(), abs=1e-12)
    assert np.isfinite(checked.estimates(data.X, data.s, checked=data.y_true).value).all()


def test_all_positives_labeled_and_all_negatives_checked(data):
    """No positive is left among unlabeled rows: the labels are the truth."""
    y = data.y_true
    model = PULogistic(C=0.1, tol=1e-8).fit(data.X, y, checked=np.where(y == 1, np.nan, 0.0))
    assert model.class_prior_ == pytest.approx(y.mean(), abs=1e-12)
    scale = data.X.std(axis=0)
    truth = LogisticRegression(C=0.1, tol=1e-10, max_iter=1000).fit(data.X / scale, y)
    np.testing.assert_allclose(model.coef_, truth.coef_ / scale, rtol=1e-6)


def test_classifiers_of_labels_alone_reject_answers(rng):
    X = rng.normal(size=(60, 2))
    s = (X[:, 0] + rng.normal(size=60) > 0.5).astype(int)
    model = NaiveLogistic().fit(X, s)
    for method in (model.estimates, model.summary):
        with pytest.raises(ValueError, match=r"`checked` must be None for NaiveLogistic"):
            method(X, s, checked=np.full(60, np.nan))


@pytest.mark.parametrize("classifier", [PULogistic(), JointLogistic()])
def test_ten_checked_rows_that_are_all_negative_warn(classifier):
    data = make_paper_gaussian(n=800, label_frequency=0.5, random_state=0)
    negatives = np.flatnonzero(data.y_true == 0)
    for n_checked, warns in ((9, False), (10, True)):
        checked = np.full(800, np.nan)
        checked[negatives[:n_checked]] = 0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            clone(classifier).fit(data.X, data.s, checked=chosen_beforehand(checked))
        assert ("PU123" in {getattr(w.message, "code", None) for w in caught}) == warns
    checked[np.flatnonzero((data.y_true == 1) & (data.s == 0))[0]] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(classifier).fit(data.X, data.s, checked=checked)
    assert "PU123" not in {getattr(w.message, "code", None) for w in caught}


def test_a_record_of_negatives_alone_makes_the_class_prior_too_small():
    data = make_paper_gaussian(n=4000, label_frequency=0.5, random_state=0)
    recorded = (data.y_true == 0) & (np.random.default_rng(0).random(4000) < 0.4)
    answers = chosen_beforehand(np.where(recorded, 0.0, np.nan))
    with pytest.warns(PUWarning, match="PU123"):
        biased = PULogistic().fit(data.X, data.s, checked=answers)
    without = PULogistic().fit(data.X, data.s)
    truth = data.y_true.mean()
    assert biased.class_prior_ < 0.8 * truth
    assert abs(without.class_prior_ - truth) < abs(biased.class_prior_ - truth)


@pytest.mark.parametrize("classifier", [PULogistic(), JointLogistic(), PropensityLogistic()])
@pytest.mark.parametrize("n_checked", [1, 5, 36])
def test_answers_that_are_all_negative_are_rejected_with_a_question(classifier, n_checked):
    """SURFACE, A 1: on breast cancer 0.2.0 took five recorded negatives in silence, .63 -> .45."""
    X, benign = load_breast_cancer(return_X_y=True)
    s = hide_labels(benign, 0.3, random_state=0)
    checked = np.full(len(s), np.nan)
    checked[np.flatnonzero(benign == 0)[:n_checked]] = 0
    said = f"`checked` must hold.*got {n_checked} answers, all negative. Were these rows chosen"
    with pytest.raises(ValueError, match=said) as error:
        clone(classifier).fit(X, s, checked=checked)
    assert "leave `checked` out" in str(error.value)
    assert "chosen_beforehand(checked)" in str(error.value)


@pytest.mark.parametrize("classifier", [PULogistic(), JointLogistic()])
def test_twelve_rows_that_were_drawn_and_are_negative_need_one_word(classifier):
    data = make_paper_gaussian(n=800, label_frequency=0.5, random_state=0)
    drawn = np.flatnonzero((data.s == 0) & (data.y_true == 0))[:12]
    checked = np.full(800, np.nan)
    checked[drawn] = 0
    warnings.filterwarnings("ignore", message=r"\[PU106\]")
    for word in (chosen_beforehand(checked), chosen_beforehand(pd.Series(checked))):
        with pytest.warns(PUWarning, match="PU123"):
            model = clone(classifier).fit(data.X, data.s, checked=word)
        assert model.n_checked_ == 12
    with pytest.warns(PUWarning, match="PU123"):
        piped = make_pipeline(StandardScaler(), clone(classifier)).fit(
            data.X, data.s, **{f"{type(classifier).__name__.lower()}__checked": word}
        )
    assert piped[-1].n_checked_ == 12


def test_folds_and_resamples_do_not_ask_again_where_one_answer_is_positive():
    data = make_paper_gaussian(n=400, label_frequency=0.5, random_state=0)
    checked = np.full(400, np.nan)
    checked[np.flatnonzero((data.s == 0) & (data.y_true == 0))[:3]] = 0
    checked[np.flatnonzero((data.s == 0) & (data.y_true == 1))[:1]] = 1
    found = bootstrap(
        JointLogistic(), data.X, data.s, n_resamples=8, random_state=0, checked=checked
    )
    assert found.n_failed == 0
    models = {"joint": JointLogistic(C=1.0)}
    compare_methods(models, data.X, data.s, n_repeats=4, random_state=0, checked=checked)
    with pytest.raises(ValueError, match="recorded because they are negative"):
        compare_methods(models, data.X, data.s, checked=np.where(checked == 1, np.nan, checked))


def test_if_every_unlabeled_row_was_checked_it_does_not_matter_how_rows_were_chosen():
    data = make_paper_gaussian(n=400, label_frequency=1.0, random_state=0)
    checked = np.where(data.s == 1, np.nan, 0.0)
    assert PULogistic(C=1.0).fit(data.X, data.s, checked=checked).n_checked_ == (data.s == 0).sum()
