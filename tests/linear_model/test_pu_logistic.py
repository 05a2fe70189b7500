"""The classifier that chooses everything by itself."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reproduction.theory import direction_angle
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.codes import PUWarning
from unlabeled.datasets import hide_labels, make_paper_gaussian
from unlabeled.label_frequency import DEDPUL, BestBin
from unlabeled.thresholds import Rule, choose_cut, count_above
from unlabeled.thresholds._rules import f1, recall_at_least, share


@pytest.fixture(scope="module")
def sample():
    return make_paper_gaussian(n=2000, label_frequency=0.5, random_state=1)


@pytest.fixture(scope="module")
def model(sample):
    return PULogistic().fit(sample.X, sample.s)


def wide(rng, n=150, p=400):
    """More features than rows; the first five tell the class."""
    y_true = (rng.random(n) < 0.4).astype(int)
    X = rng.normal(size=(n, p))
    X[:, :5] += 2 * y_true[:, None]
    return X * 10.0 ** rng.uniform(-2, 2, p) + 3, y_true


def test_the_naive_direction_is_a_ridge_fit_on_standardized_features(sample):
    X = sample.X * [1.0, 100.0, 0.01] + [0, 5, -3]
    model = PULogistic(direction="naive", tol=1e-8).fit(X, sample.s)
    scaler = StandardScaler().fit(X)
    ridge = LogisticRegression(C=model.C_, tol=1e-10, max_iter=1000)
    ridge.fit(scaler.transform(X), sample.s)
    np.testing.assert_allclose(model.coef_, ridge.coef_ / scaler.scale_, rtol=1e-5)


def test_jointly_fitted_the_direction_solves_the_likelihood_equations(sample):
    model = PULogistic(tol=1e-8, C=0.3, class_prior=0.2).fit(sample.X, sample.s)
    scaler = StandardScaler().fit(sample.X)
    X = scaler.transform(sample.X)
    w = model.coef_[0] * scaler.scale_
    c = sample.s.mean() / 0.2

    def residual(b):
        t = X @ w + b
        y = 1 / (1 + np.exp(-t))
        return y - (sample.s + (1 - sample.s) * y * (1 - c) / (1 - c * y))

    # The fit's own intercept is not kept: it is the one that makes the residuals vanish.
    low, high = -10.0, 10.0
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if residual(middle).sum() < 0 else (low, middle)
    np.testing.assert_allclose(X.T @ residual(low) + w / 0.3, 0, atol=1e-4)


def test_a_table_wider_than_long_is_fitted_as_if_it_were_not_rotated(rng):
    X, y_true = wide(rng)
    s = hide_labels(y_true, 0.5, random_state=0)
    model = PULogistic(direction="naive", C=0.01, tol=1e-8).fit(X, s)
    scale = np.maximum(X.std(axis=0), 0.03 * np.ptp(X, axis=0))
    # Centering changes the intercept only, and lets scikit-learn's solver arrive.
    ridge = LogisticRegression(C=0.01, tol=1e-10, max_iter=5000)
    ridge.fit((X - X.mean(axis=0)) / scale, s)
    np.testing.assert_allclose(model.coef_, ridge.coef_ / scale, rtol=1e-4, atol=1e-8)


def test_wide_data_are_classified(rng):
    X, y_true = wide(rng)
    s = hide_labels(y_true, 0.5, random_state=0)
    X_new, y_new = wide(np.random.default_rng(5), n=1000)
    scale = X.std(axis=0)
    model = PULogistic().fit(X / scale, s)
    # Each table has features of its own units, so standardized they are alike.
    proba = model.predict_proba(StandardScaler().fit_transform(X_new))[:, 1]
    assert roc_auc_score(y_new, proba) > 0.8


def test_sparse_text_is_never_made_dense(rng, monkeypatch):
    n, p = 2500, 5000
    y_true = (rng.random(n) < 0.3).astype(int)
    words = sparse.random(n, p, density=0.004, format="csr", random_state=0)
    topic = sparse.random(n, 50, density=0.1, format="csr", random_state=1)
    X = sparse.hstack([words, topic.multiply(y_true[:, None] * 0.9 + 0.1)]).tocsr()
    s = hide_labels(y_true, 0.4, random_state=0)

    def reject(self, *args, **kwargs):
        assert self.shape[0] * self.shape[1] < 1e6, f"{self.shape} made dense"
        return original(self, *args, **kwargs)

    original = sparse.csr_matrix.toarray
    monkeypatch.setattr(sparse.csr_matrix, "toarray", reject)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PULogistic("balanced_accuracy", random_state=0).fit(X[:2200], s[:2200])
    assert balanced_accuracy_score(y_true[2200:], model.predict(X[2200:])) > 0.7


@pytest.mark.filterwarnings("ignore:.PU110")  # the features say nothing
def test_sparse_and_dense_give_one_model_where_rows_are_few(rng):
    X = rng.normal(size=(100, 300)) * (rng.random((100, 300)) < 0.2)
    y_true = (X[:, :20].sum(axis=1) > 0.5).astype(int)
    s = hide_labels(y_true, 0.6, random_state=0)
    dense = PULogistic(tol=1e-8).fit(X, s)
    in_csr = PULogistic(tol=1e-8).fit(sparse.csr_matrix(X), s)
    np.testing.assert_allclose(dense.coef_, in_csr.coef_, rtol=1e-5, atol=1e-9)


def test_what_it_chose_is_on_the_object(model, sample):
    assert model.C_ in model.Cs_
    assert len(model.Cs_) == len(model.scores_) >= 3
    assert np.all(np.diff(model.Cs_) > 0)
    # The strongest ridge as good as the best one: never a weaker one than that.
    assert model.C_ <= model.Cs_[np.argmax(model.scores_)]
    assert model.direction_ == "joint"
    assert model.threshold_ == -model.intercept_[0]
    assert model.cut_.threshold == model.threshold_
    again = choose_cut(model.cuts_, f1(), model.class_prior_)
    assert again.threshold == pytest.approx(model.threshold_)
    assert model.observed_cuts_.labeled[-1] == sample.s.sum()
    assert model.label_frequency_ == pytest.approx(sample.s.mean() / model.class_prior_)


def test_held_out_scores_follow_their_rows_and_react_against_their_labels(model, sample):
    order = np.random.default_rng(0).permutation(len(sample.s))
    again = PULogistic().fit(sample.X[order], sample.s[order])
    np.testing.assert_allclose(again.held_out_score_, model.held_out_score_[order], atol=1e-6)
    # A fit without a labeled row scores it lower, and one without an unlabeled row higher.
    change = model.held_out_score_ - model.positive_score(sample.X)
    assert np.all(change[sample.s == 1] < 1e-9)
    assert np.all(change[sample.s == 0] > -1e-9)


def test_held_out_posteriors_are_on_the_curve_of_predict_proba(model, sample):
    np.testing.assert_array_equal(
        model.held_out_posterior_, model.posterior_at(model.held_out_score_)
    )
    assert np.corrcoef(model.held_out_score_, model.positive_score(sample.X))[0, 1] > 0.99
    again = count_above(model.held_out_score_, sample.s, None)
    np.testing.assert_array_equal(again.labeled, model.observed_cuts_.labeled)


def test_held_out_scores_point_to_the_positive_class_whatever_its_value(model, sample):
    turned = PULogistic(pos_label=0).fit(sample.X, 1 - sample.s)
    np.testing.assert_allclose(turned.held_out_score_, model.held_out_score_)


def test_probabilities_are_calibrated_at_half_labeled():
    """Ten samples: their mean posterior is off by .03 at most, on average by less."""
    errors = []
    for seed in range(10):
        data = make_paper_gaussian(n=3000, label_frequency=0.5, random_state=seed)
        proba = PULogistic().fit(data.X, data.s).predict_proba(data.X)[:, 1]
        errors.append(proba.mean() - data.y_true.mean())
    # The sd of one is about .04; the mean of ten is tried at .03, the contract's bar.
    assert abs(np.mean(errors)) < 0.03


def test_few_labels_and_many_features_are_no_disaster():
    """Enhanced memorizes its labeled rows; the ridge and the held-out cut do not."""
    gains = []
    for seed in range(5):
        data = make_paper_gaussian(
            n=500, label_frequency=0.3, n_noise_features=20, random_state=seed
        )
        fresh = make_paper_gaussian(
            n=5000, label_frequency=1.0, n_noise_features=20, random_state=100 + seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ours, published = (
                f1_score(fresh.y_true, kind().fit(data.X, data.s).predict(fresh.X))
                for kind in (PULogistic, EnhancedLogistic)
            )
        gains.append(ours - published)
    assert np.mean(gains) > 0.05


def test_where_ruud_s_condition_fails_joint_points_the_right_way():
    """Skewed features: the naive direction is biased, JOINT's is not."""
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(20_000, 3)) ** 1.5
    beta = np.array([1.0, -1.0, 0.5])
    y_true = (rng.random(20_000) < 1 / (1 + np.exp(1 - X @ beta))).astype(int)
    s = hide_labels(y_true, 0.3, random_state=0)
    naive = PULogistic(direction="naive").fit(X, s)
    joint = PULogistic().fit(X, s)
    assert direction_angle(joint.coef_[0], beta) < 0.5 * direction_angle(naive.coef_[0], beta)


@pytest.mark.parametrize("n_labeled", [1, 2, 5, 9])
def test_few_labeled_rows_are_reported_and_fitted(sample, n_labeled):
    s = sample.s * (np.cumsum(sample.s) <= n_labeled)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = PULogistic().fit(sample.X, s)
    assert any(f"[PU114] only {n_labeled} of 2000 rows" in str(item.message) for item in caught)
    predicted = model.predict(sample.X).mean()
    assert predicted > 0.005
    assert predicted < 1 or any("PU110" in str(item.message) for item in caught)


@pytest.mark.filterwarnings("ignore:.PU131")
def test_one_labeled_row_far_out_does_not_decide(sample):
    X = np.vstack([sample.X, [[50.0, 50.0, 50.0]]])
    s = np.append(sample.s, 1)
    model = PULogistic("f1_pu").fit(X, s)
    assert model.predict(sample.X).mean() > 0.05


def test_no_signal_is_reported():
    rng = np.random.default_rng(3)
    X, s = rng.normal(size=(300, 2)), (np.arange(300) % 5 == 0).astype(int)
    with pytest.warns(PUWarning) as caught:
        PULogistic().fit(X, s)
    assert {item.message.code for item in caught} & {"PU110", "PU111"}


@pytest.mark.parametrize("class_prior", [None, 0.5])
def test_without_signal_the_posterior_is_the_class_prior(noise, class_prior):
    X, s = noise
    with pytest.warns(PUWarning) as caught:
        model = PULogistic(class_prior=class_prior).fit(X, s)
    assert "PU111" in {item.message.code for item in caught}
    assert class_prior in (None, model.class_prior_)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], model.class_prior_, rtol=1e-9)


def test_all_positives_labeled_is_logistic_regression():
    data = make_paper_gaussian(n=5000, label_frequency=1.0, random_state=0)
    model = PULogistic(class_prior=data.s.mean()).fit(data.X, data.s)
    assert model.direction_ == "naive"
    assert model.label_frequency_ == 1.0
    plain = LogisticRegression().fit(data.X, data.s)
    ours = model.predict_proba(data.X)[:, 1]
    np.testing.assert_allclose(ours, plain.predict_proba(data.X)[:, 1], atol=0.02)


def test_rules_and_priors(sample):
    wanted = PULogistic(recall_at_least(0.9)).fit(sample.X, sample.s)
    assert wanted.cut_.recall >= 0.9
    tenth = PULogistic(share(0.1)).fit(sample.X, sample.s)
    assert tenth.predict(sample.X).mean() == pytest.approx(0.1, abs=0.01)
    own = Rule("youden", False, lambda r, q, prior: r - q, "the class prior")
    balanced = PULogistic("balanced_accuracy").fit(sample.X, sample.s)
    assert PULogistic(own).fit(sample.X, sample.s).threshold_ == balanced.threshold_
    given = PULogistic(class_prior=0.25).fit(sample.X, sample.s)
    assert given.class_prior_ == 0.25
    estimator = DEDPUL(random_state=0)
    estimated = PULogistic(class_prior=estimator).fit(sample.X, sample.s)
    assert estimated.class_prior_ == estimator.fit(sample.X, sample.s).class_prior_
    with pytest.warns(PUWarning, match="PU113"):
        PULogistic(class_prior=0.95).fit(sample.X, sample.s)


def test_folds_instead_of_leaving_one_out(sample, model):
    folds = PULogistic(cv=5, random_state=0).fit(sample.X, sample.s)
    agree = np.mean(folds.predict(sample.X) == model.predict(sample.X))
    assert agree > 0.95
    assert folds.class_prior_ == pytest.approx(model.class_prior_, abs=0.05)


def test_constant_columns_and_dummies_of_rare_levels(sample):
    rare = np.zeros((2000, 1))
    rare[np.flatnonzero(sample.s)[0]] = 1.0
    table = np.hstack([sample.X, np.full((2000, 1), 7.0), rare])
    model = PULogistic().fit(table, sample.s)
    assert model.coef_[0, 3] == pytest.approx(0, abs=1e-9)
    # A level that one labeled row has must not be worth more than that row.
    assert abs(model.coef_[0, 4]) < 5 * np.abs(model.coef_[0, :3] * sample.X.std(axis=0)).sum()


def test_values_whose_squares_vanish_count_as_constant(sample):
    with pytest.warns(PUWarning, match="PU110|PU111"):
        model = PULogistic().fit(sample.X * 1e-200, sample.s)
    np.testing.assert_allclose(model.coef_, 0, atol=1e-100)
    assert len(np.unique(model.predict_proba(sample.X * 1e-200)[:, 1])) == 1


def test_a_frame_keeps_its_names(sample):
    table = pd.DataFrame(sample.X, columns=["age", "dose", "weight"])
    model = PULogistic().fit(table, sample.s)
    assert list(model.feature_names_in_) == ["age", "dose", "weight"]


def test_folds_that_cannot_be_used_are_rejected(sample):
    rows = np.arange(2000)
    labeled = np.flatnonzero(sample.s)
    with pytest.raises(ValueError, match="`cv` must leave labeled"):
        PULogistic(cv=[(np.setdiff1d(rows, labeled), labeled)]).fit(sample.X, sample.s)
    with pytest.raises(ValueError, match="`cv` must put every row"):
        PULogistic(cv=[(rows[:1000], rows[1000:])]).fit(sample.X, sample.s)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "best"}, "`rule` must be.*'best'"),
        ({"C": 0}, "`C` must be 'auto'.*got 0"),
        ({"C": np.inf}, "`C` must be 'auto'.*inf"),
        ({"C": "large"}, "`C` must be 'auto'.*'large'"),
        ({"direction": "auto"}, "`direction` must be.*got 'auto'"),
        ({"cv": "oob"}, "`cv` must be.*'auto' or 'loo'.*'oob'"),
        ({"class_prior": 0.01}, "`class_prior` must be.*0.01"),
        ({"class_prior": "half"}, "`class_prior` must be.*'half'"),
    ],
)
def test_bad_parameters_are_named(sample, options, message):
    with pytest.raises(ValueError, match=message):
        PULogistic(**options).fit(sample.X, sample.s)


def test_the_threshold_is_read_from_the_intercept(sample):
    model = PULogistic().fit(sample.X, sample.s)
    model.intercept_ = model.intercept_ - 5
    assert model.threshold_ == -model.intercept_[0]
    with pytest.raises(AttributeError):
        model.threshold_ = 0.0


def test_columns_far_from_0_give_the_same_fit(sample):
    near = PULogistic().fit(sample.X, sample.s)
    far = PULogistic().fit(sample.X + 1e8, sample.s)
    assert far.C_ == pytest.approx(near.C_, rel=0.01)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-3)
    np.testing.assert_array_equal(far.predict(sample.X + 1e8), near.predict(sample.X))


def test_intervals_may_be_asked_for_with_the_rows_of_the_fit(sample):
    model = PULogistic().fit(sample.X, sample.s)
    for interval in (model.class_prior_interval, model.label_frequency_interval):
        assert interval(sample.X, sample.s) == interval()
        with pytest.raises(ValueError, match="`X` and `y` must be.*1999.*2000"):
            interval(sample.X[1:], sample.s[1:])


def test_a_summary_after_a_fit_with_groups_is_by_group():
    data = make_paper_gaussian(400, 0.5, random_state=0)
    groups = np.arange(400) // 4
    model = PULogistic(random_state=0).fit(data.X, data.s, groups=groups)
    text = str(model.summary(data.X, data.s, groups=groups))
    assert "sandwich, 100 groups" in text


def test_the_random_state_seeds_an_estimator_of_the_class_prior_without_a_seed():
    data = make_paper_gaussian(400, 0.5, random_state=0)

    def prior(random_state, estimator):
        model = PULogistic(class_prior=estimator, random_state=random_state)
        return model.fit(data.X, data.s).class_prior_

    frequency = BestBin(cv=3)
    assert prior(0, frequency) == prior(0, frequency) != prior(1, frequency)
    assert prior(0, BestBin(cv=3, random_state=2)) == prior(1, BestBin(cv=3, random_state=2))


def test_a_bad_random_state_is_rejected_even_if_nothing_is_drawn():
    data = make_paper_gaussian(100, 0.5, random_state=0)
    with pytest.raises(ValueError, match="`random_state` must be None.*; got 'nonsense'"):
        PULogistic(random_state="nonsense").fit(data.X, data.s)


def test_more_folds_than_labeled_rows_are_lowered():
    data = make_paper_gaussian(200, 0.5, random_state=0)
    n_labeled = int(data.s.sum())
    with pytest.warns(PUWarning, match=f"PU118.*{n_labeled} folds were used"):
        lowered = PULogistic(cv=500, random_state=0).fit(data.X, data.s)
    most = PULogistic(cv=n_labeled, random_state=0).fit(data.X, data.s)
    np.testing.assert_array_equal(lowered.coef_, most.coef_)


@pytest.mark.parametrize(
    "kind",
    [
        PULogistic,
        lambda: PropensityLogistic(propensity_features=[0]),
        JointLogistic,
        NaiveLogistic,
        EnhancedLogistic,
    ],
)
def test_a_summary_of_other_rows_is_rejected(kind):
    data = make_paper_gaussian(400, 0.5, random_state=0)
    other = make_paper_gaussian(400, 0.5, random_state=1)
    rng = np.random.default_rng(0)
    model = kind().fit(data.X, data.s)
    order = rng.permutation(400)
    wrong = {
        "got 399 rows": (data.X[1:], data.s[1:]),
        "got other features, labels or weights": (data.X, rng.permutation(data.s)),
        "got other features, labels": (data.X[order], data.s),
        "got other features": (data.X + 0.01, data.s),
        "got": (other.X, other.s),
        "got 800 rows": (data.X, data.s, np.full(400, 2.0)),
    }
    for words, rows in wrong.items():
        for method in (model.estimates, model.summary):
            with pytest.raises(ValueError, match=f"must be the rows of the fit; {words}.*`fit`"):
                method(*rows)
        if not hasattr(model, "class_prior_interval"):
            continue
        with pytest.raises(ValueError, match=f"must be the rows of the fit; {words}.*(fit|out)"):
            model.class_prior_interval(*rows)
    # The rows of the fit are known in any form and order.
    same = [(data.X[order], data.s[order]), (data.X.astype(np.float32), data.s)]
    for rows in (*same, (sparse.csr_matrix(data.X), data.s)):
        found, wanted = model.estimates(*rows).value, model.estimates(data.X, data.s).value
        np.testing.assert_allclose(found, wanted, rtol=1e-3)


def test_rows_of_the_fit_are_known_with_weights_in_a_pipeline_and_with_many_rows():
    data = make_paper_gaussian(400, 0.5, random_state=0)
    weight = (np.arange(400) % 3).astype(float)
    model = PULogistic(weights="frequency").fit(data.X, data.s, weight)
    assert model.estimates(data.X, data.s, weight).names[0] == "x0"
    with pytest.raises(ValueError, match="must be the rows of the fit"):
        model.estimates(data.X, data.s, weight[::-1])
    # `transform` rounds in another way than `fit_transform`.
    pipe = make_pipeline(PCA(3), PULogistic()).fit(data.X, data.s)
    pipe[-1].summary(pipe[:-1].transform(data.X), data.s)
    many = make_paper_gaussian(70_000, 0.5, random_state=0)
    model = PULogistic(C=1.0).fit(many.X, many.s)
    model.estimates(many.X, many.s)
    with pytest.raises(ValueError, match="must be the rows of the fit; got other features"):
        model.estimates(many.X, np.random.default_rng(0).permutation(many.s))


@pytest.mark.filterwarnings("ignore:.PU130")
@pytest.mark.parametrize("kind", [PULogistic, PUEnsemble, PUThresholdClassifier])
def test_weights_that_make_labeled_rows_few_are_announced(kind):
    data = make_paper_gaussian(300, 0.5, random_state=0)
    own = {"members": [("line", PULogistic())]} if kind is PUEnsemble else {}
    model = kind(LogisticRegression()) if kind is PUThresholdClassifier else kind(**own)
    model.set_params(weights="frequency")
    with pytest.warns(PUWarning, match="PU114.*labeled rows add up to 0.0633"):
        model.fit(data.X, data.s, np.ones(300) / 300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(data.X, data.s, np.ones(300))
        model.set_params(weights="sampling").fit(data.X, data.s, np.ones(300) / 300)
    few = np.where(data.s == 1, 0.05, 1.0)
    few[np.flatnonzero(data.s)[:3]] = 5.0
    effective = few[data.s == 1].sum() ** 2 / np.sum(few[data.s == 1] ** 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(data.X, data.s, few)
    told = [str(one.message) for one in caught if "PU114" in str(one.message)]
    assert [f"tell as much as {effective:.3g}" in one for one in told] == [True]


def test_max_iter_limits_the_last_steps_too():
    data = make_paper_gaussian(300, 0.5, random_state=0)
    with pytest.warns(PUWarning, match="PU105.*Raise `max_iter`[.]$"):
        model = PULogistic(max_iter=1, C=100.0).fit(data.X, data.s)
    assert model.n_iter_ <= 2
    assert not model.converged_
