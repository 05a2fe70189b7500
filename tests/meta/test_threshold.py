"""PU thresholds over scikit-learn's own classifiers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from unlabeled import (
    EnhancedLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.rows import fingerprint_rows
from unlabeled.label_frequency import ElkanNoto, TIcE
from unlabeled.thresholds import (
    choose_cut,
    count_above,
    get_rule,
    shrink_recall,
    with_enough_labeled,
)
from unlabeled.thresholds._rules import recall_at_least, share

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
TEXT = np.where(S == 1, "lab", "unl")
FOREST = RandomForestClassifier(50, min_samples_leaf=5, oob_score=True, random_state=0)
BASES = [
    FOREST,
    HistGradientBoostingClassifier(max_iter=30, random_state=0),
    SVC(class_weight="balanced"),
    make_pipeline(StandardScaler(), LogisticRegression()),
    NaiveLogistic(),
]


def threshold_of(estimator, y=S, **options):
    return PUThresholdClassifier(estimator, random_state=0, **options).fit(X, y).threshold_


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(2000, 0.4, random_state=3)


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
def test_any_classifier_becomes_a_pu_classifier(base, data):
    naive_f1 = f1_score(data.y_true, clone(base).fit(data.X, data.s).predict(data.X))
    model = PUThresholdClassifier(base, random_state=0).fit(data.X, data.s)
    test = make_paper_gaussian(5000, 0.4, random_state=4)
    assert f1_score(test.y_true, model.predict(test.X)) > max(0.45, naive_f1)
    proba = model.predict_proba(test.X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert np.all((proba >= 0) & (proba <= 1))
    if type(base) in (NaiveLogistic, Pipeline):
        # Only a score whose posterior is logistic, as here, is promised a calibrated one.
        assert proba[:, 1].mean() == pytest.approx(test.y_true.mean(), abs=0.06)
    np.testing.assert_array_equal(model.predict(test.X) == 1, model.decision_function(test.X) > 0)
    assert not hasattr(base, "classes_")


def test_training_scores_of_a_logistic_model_are_the_enhanced_classifier(data):
    enhanced = EnhancedLogistic().fit(data.X, data.s)
    model = PUThresholdClassifier(NaiveLogistic(), "f1_pu", cv="train").fit(data.X, data.s)
    np.testing.assert_array_equal(model.predict(data.X), enhanced.predict(data.X))
    assert model.cut_.value == pytest.approx(enhanced.f1_pu_)


def test_the_cut_is_the_best_one_on_the_smoothed_curve():
    model = PUThresholdClassifier(LogisticRegression(), "f1", random_state=0).fit(X, S)
    again = count_above(model.held_out_score_, S, None)
    np.testing.assert_array_equal(model.observed_cuts_.labeled, again.labeled)
    np.testing.assert_array_equal(model.observed_cuts_.total, again.total)
    assert model.observed_cuts_.labeled.dtype.kind == "i"
    # By hand: the recall of the labeled rows, and that of the posterior worth 300 of them.
    at = model.observed_cuts_.score
    posterior = model.held_out_posterior_
    expected = np.array([posterior[model.held_out_score_ >= z].sum() for z in at]) / posterior.sum()
    n_labeled = S.sum()
    mixed = (n_labeled * again.recall + 300 * expected) / (n_labeled + 300)
    np.testing.assert_allclose(model.cuts_.recall, mixed, rtol=1e-9)
    prior = model.class_prior_
    f1 = 2 * prior * mixed / (prior + model.cuts_.share)
    assert model.cut_.value == pytest.approx(f1[again.labeled >= 5].max())


def test_without_weight_the_model_leaves_the_observed_recall_as_it_is():
    model = PUThresholdClassifier(LogisticRegression(), random_state=0).fit(X, S)
    score, posterior = model.held_out_score_, model.held_out_posterior_
    plain = shrink_recall(model.observed_cuts_, score, posterior, None, 0.0)
    np.testing.assert_allclose(plain.recall, model.observed_cuts_.recall, rtol=1e-12)
    nearly = shrink_recall(model.observed_cuts_, score, posterior, None, 1e-9)
    for rule in ("f1", "f1_pu", "balanced_accuracy"):
        cuts = [choose_cut(one, rule, model.class_prior_) for one in (model.observed_cuts_, nearly)]
        assert cuts[0].threshold == cuts[1].threshold


@pytest.mark.filterwarnings("ignore:.*PU11")
def test_with_few_labeled_rows_the_smoothed_recall_finds_a_better_cut():
    """Over 60 samples with about 60 labeled rows: how far rules fall short of their best value."""
    names = ("f1", "f1_pu", "balanced_accuracy")
    gains = np.zeros((60, len(names)))
    for seed in range(60):
        data = make_paper_gaussian(1000, 0.3, random_state=seed)
        y = 1 / (1 + np.exp(-data.beta[0] - data.X @ data.beta[1:]))
        model = PUThresholdClassifier(LogisticRegression(), cv="loo").fit(data.X, data.s)
        score = model.positive_score(data.X)
        for k, name in enumerate(names):
            rule = with_enough_labeled(get_rule(name), data.s.sum())
            values = []
            for cuts in (model.observed_cuts_, model.cuts_):
                above = score > choose_cut(cuts, rule, model.class_prior_).threshold
                recall, share = y[above].sum() / y.sum(), above.mean()
                values.append(rule.criterion(np.array([recall]), np.array([share]), y.mean())[0])
            gains[seed, k] = values[1] - values[0]
    error = gains.std(axis=0, ddof=1) / np.sqrt(len(gains))
    assert np.all(gains.mean(axis=0) > 2 * error)


def test_prefit_model_keeps_its_fit_and_its_label_values(data):
    names = np.where(data.s == 1, "labeled", "unlabeled")
    base = LogisticRegression().fit(data.X, names)
    model = PUThresholdClassifier(base, "f1_pu", cv="prefit", pos_label="labeled")
    model.fit(data.X, names)
    assert model.estimator_ is base
    assert model.positive_class_ == "labeled"
    plain = PUThresholdClassifier(LogisticRegression(), "f1_pu", cv="train").fit(data.X, data.s)
    np.testing.assert_array_equal(model.predict(data.X) == "labeled", plain.predict(data.X) == 1)


@pytest.mark.parametrize("cv", [5, 3, "loo", "oob", "train", "prefit"])
def test_a_frozen_estimator_is_taken_as_fitted_before(cv):
    line = LogisticRegression().fit(X[:200], S[:200])
    frozen = FrozenEstimator(line)
    model = PUThresholdClassifier(frozen, cv=cv, random_state=0).fit(X[200:], S[200:])
    prefit = PUThresholdClassifier(line, cv="prefit").fit(X[200:], S[200:])
    for name in ("held_out_score_", "held_out_posterior_", "_fingerprint_", "_n_rows_searched_"):
        assert not hasattr(model, name)
    assert model.estimator_ is frozen
    assert model.class_prior_ == prefit.class_prior_
    assert model.threshold_ == prefit.threshold_
    np.testing.assert_array_equal(model.cuts_.recall, prefit.cuts_.recall)
    grouped = clone(model).fit(X[200:], S[200:], groups=np.arange(200) // 4)
    assert grouped.n_groups_ == 50


def test_a_frozen_estimator_survives_clones_where_prefit_does_not():
    line = LogisticRegression().fit(X[:200], S[:200])
    rows = X[200:], S[200:]
    scores = cross_val_score(PUThresholdClassifier(FrozenEstimator(line)), *rows, cv=3)
    assert np.isfinite(scores).all()
    prefit = PUThresholdClassifier(line, cv="prefit")
    with pytest.raises(NotFittedError, match=r"`estimator` must be fitted.*FrozenEstimator\(Log"):
        cross_val_score(prefit, *rows, cv=3, error_score="raise")
    with pytest.raises(NotFittedError, match="`estimator` must be fitted.*got LogisticRegression"):
        PUThresholdClassifier(FrozenEstimator(LogisticRegression())).fit(*rows)


def test_none_as_cv_is_rejected_because_it_is_five_folds_elsewhere():
    with pytest.raises(ValueError, match="`cv` must be.*got None. Use cv=5.*cv='train'"):
        PUThresholdClassifier(LogisticRegression(), cv=None).fit(X, S)


@pytest.mark.parametrize("estimator", [None, "x", 3.0, LogisticRegression, StandardScaler()])
def test_what_is_no_classifier_gets_one_sentence(estimator):
    model = PUThresholdClassifier(estimator)
    with pytest.raises(ValueError, match="`estimator` must be a classifier; got"):
        model.fit(X, S)
    assert "PUThresholdClassifier" in model._repr_html_()


def test_without_labels_it_says_so():
    with pytest.raises(ValueError, match="PUThresholdClassifier requires y to be passed"):
        PUThresholdClassifier(LogisticRegression()).fit(X, None)


def test_the_random_state_seeds_an_estimator_without_a_seed():
    unseeded = make_pipeline(StandardScaler(), RandomForestClassifier(5))
    seeded = make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=7))

    def fit(estimator, random_state, **parameters):
        model = PUThresholdClassifier(estimator, random_state=random_state, cv=3, **parameters)
        return model.fit(X, S)

    one, two = (fit(unseeded, 0) for _ in range(2))
    np.testing.assert_array_equal(one.held_out_score_, two.held_out_score_)
    np.testing.assert_array_equal(one.positive_score(X), two.positive_score(X))
    assert unseeded[-1].random_state is None
    # A seed of its own is kept, and then a given RandomState makes the same folds as before.
    assert fit(seeded, 0).estimator_[-1].random_state == 7
    rng = np.random.RandomState(0)
    fit(seeded, rng)
    own = np.random.RandomState(0)
    list(StratifiedKFold(3, shuffle=True, random_state=own).split(X, S))
    assert rng.randint(2**31) == own.randint(2**31)
    # Without a random state nothing is seeded.
    assert fit(unseeded, None).estimator_[-1].random_state is None
    priors = [fit(seeded, 0, class_prior=TIcE()).class_prior_ for _ in range(2)]
    assert priors[0] == priors[1]
    with pytest.raises(ValueError, match="`random_state` must be None.*; got 'nonsense'"):
        fit(seeded, "nonsense")


@pytest.mark.parametrize("cv", ["train", "prefit"])
def test_without_held_out_scores_there_are_no_held_out_attributes(cv):
    base = LogisticRegression()
    model = PUThresholdClassifier(base.fit(X, S) if cv == "prefit" else base, cv=cv).fit(X, S)
    assert not hasattr(model, "held_out_score_")
    with pytest.raises(AttributeError, match="`held_out_posterior_` needs .*`held_out_score_`"):
        model.held_out_posterior_  # noqa: B018
    # Rows of a model that was fitted before are not those that it was fitted to.
    assert hasattr(model, "_fingerprint_") is (cv == "train")
    assert model.observed_cuts_.labeled[-1] == S.sum()
    if cv == "train":
        np.testing.assert_array_equal(model.cuts_.labeled, model.observed_cuts_.labeled)


@pytest.mark.parametrize("cv", [3, "loo", "oob"])
def test_held_out_scores_belong_to_their_rows(cv):
    base = FOREST if cv == "oob" else LogisticRegression()
    model = PUThresholdClassifier(base, cv=cv, random_state=0).fit(X, S)
    assert model.held_out_score_.shape == (400,)
    own = model.positive_score(X)
    assert np.corrcoef(model.held_out_score_, own)[0, 1] > 0.8
    # The model has seen the labels.
    change = own - model.held_out_score_
    assert change[S == 1].mean() > change[S == 0].mean()
    np.testing.assert_array_equal(
        model.held_out_posterior_, model.posterior_at(model.held_out_score_)
    )
    turned = PUThresholdClassifier(base, cv=cv, random_state=0, pos_label=0).fit(X, 1 - S)
    np.testing.assert_allclose(turned.held_out_score_, model.held_out_score_, atol=1e-3)


def test_rows_of_weight_0_have_no_held_out_score():
    weight = (np.arange(400) % 4 > 0).astype(float)
    for model in (PUThresholdClassifier(LogisticRegression(), cv="loo"), PULogistic()):
        model.fit(X, S, sample_weight=weight)
        alone = clone(model).fit(X[weight > 0], S[weight > 0])
        for name in ("held_out_score_", "held_out_posterior_"):
            column = getattr(model, name)
            assert column.shape == (400,)
            np.testing.assert_array_equal(np.isnan(column), weight == 0)
            np.testing.assert_allclose(column[weight > 0], getattr(alone, name), atol=1e-3)
        # The table that was passed is recognized.
        assert model._fingerprint_ == fingerprint_rows(X)


def test_texts(rng):
    words = np.array(["fever", "cough", "rash", "well", "fine", "run"])
    y = rng.random(600) < 0.4
    weights = np.where(y[:, None], [4, 4, 4, 1, 1, 1], [1, 1, 1, 4, 4, 4]) / 15
    texts = [" ".join(rng.choice(words, 12, p=w)) for w in weights]
    s = (y & (rng.random(600) < 0.4)).astype(int)
    model = PUThresholdClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    assert f1_score(y, model.fit(texts, s).predict(texts)) > 0.9
    assert model._fingerprint_ == fingerprint_rows(np.array(texts, dtype=object))
    assert f1_score(y, model.held_out_score_ > model.threshold_) > 0.9


def test_frames_keep_their_names(data):
    table = pd.DataFrame(data.X, columns=["a", "b", "c"])
    model = PUThresholdClassifier(LogisticRegression(), random_state=0).fit(table, data.s)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a", "c"]])


def test_rules_hold_on_the_held_out_scores(data):
    model = PUThresholdClassifier(LogisticRegression(), recall_at_least(0.9), random_state=0)
    assert model.fit(data.X, data.s).cut_.recall >= 0.9
    model = PUThresholdClassifier(LogisticRegression(), share(0.25), random_state=0)
    assert model.fit(data.X, data.s).predict(data.X).mean() == pytest.approx(0.25, abs=0.02)


def test_a_prior_may_be_a_number_an_estimator_or_left_out(data):
    given = PUThresholdClassifier(LogisticRegression(), "f1", class_prior=0.2, random_state=0)
    assert given.fit(data.X, data.s).class_prior_ == 0.2
    estimated = PUThresholdClassifier(LogisticRegression(), "f1", random_state=0)
    assert estimated.fit(data.X, data.s).class_prior_ == pytest.approx(0.21, abs=0.08)
    with pytest.warns(PUWarning, match="PU113"):
        biased = PUThresholdClassifier(
            LogisticRegression(), "f1", class_prior=ElkanNoto(), random_state=0
        ).fit(data.X, data.s)
    assert biased.class_prior_ == ElkanNoto().fit(data.X, data.s).class_prior_


@pytest.mark.filterwarnings("ignore:.PU129")
def test_weights_are_counts_if_they_say_so(data):
    weight = np.random.default_rng(0).integers(1, 3, 2000)
    repeated = np.repeat(np.arange(2000), weight)
    one = PUThresholdClassifier(LogisticRegression(tol=1e-8), cv="train", weights="frequency")
    weighted = clone(one).fit(data.X, data.s, sample_weight=weight.astype(float))
    plain = clone(one).fit(data.X[repeated], data.s[repeated])
    assert weighted.threshold_ == pytest.approx(plain.threshold_, abs=1e-4)


def test_in_a_grid_search_over_the_inner_model(data):
    search = GridSearchCV(
        PUThresholdClassifier(LogisticRegression(), random_state=0),
        {"estimator__C": [0.01, 1.0], "rule": ["f1_pu", "mcc"]},
        cv=3,
    ).fit(data.X, data.s)
    assert search.best_score_ > 1.3


def test_one_labeled_row_on_top_does_not_win():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 1))
    s = np.zeros(2000, int)
    s[rng.choice(2000, 12, replace=False)] = 1
    s[np.argmax(X)] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        model = PUThresholdClassifier(NaiveLogistic(), cv="train").fit(X, s)
    assert s[model.predict(X) == 1].sum() >= 5


@pytest.mark.parametrize("class_prior", [None, 0.5])
def test_without_signal_the_posterior_is_the_class_prior_with_a_warning(noise, class_prior):
    X, s = noise
    with pytest.warns(PUWarning) as caught:
        model = PUThresholdClassifier(
            LogisticRegression(), class_prior=class_prior, random_state=0
        ).fit(X, s)
    assert "PU111" in {item.message.code for item in caught}
    assert class_prior in (None, model.class_prior_)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], model.class_prior_, rtol=1e-9)


def test_check_estimator():
    declared = {
        "check_classifiers_train": "the cut is not at posterior 1/2",
        "check_sample_weight_equivalence_on_dense_data": "folds are drawn",
        "check_sample_weight_equivalence_on_sparse_data": "folds are drawn",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            PUThresholdClassifier(LogisticRegression(), random_state=0),
            expected_failed_checks=declared,
            on_fail=None,
            on_skip=None,
        )
    assert [r["check_name"] for r in results if r["status"] == "failed"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": "fold"}, "`cv` must be .*got 'fold'"),
        ({"cv": 1}, "`cv` must be at least 2.*got 1"),
        ({"cv": "oob"}, "`estimator` must .*got LogisticRegression"),
        ({"rule": "f2"}, "`rule` must be .*got 'f2'"),
        ({"class_prior": 0.01}, r"`class_prior` must be .*got 0\.01"),
        ({"class_prior": 1.0}, r"`class_prior` must be .*got 1\.0"),
    ],
)
def test_bad_parameters_are_named(data, options, message):
    with pytest.raises(ValueError, match=message):
        PUThresholdClassifier(LogisticRegression(), **options).fit(data.X, data.s)


@pytest.mark.filterwarnings(r"ignore:\[PU114\]")
def test_a_score_is_needed():
    class Silent(Perceptron):
        decision_function = property()

    with pytest.raises(ValueError, match="`estimator` must have .*got Silent"):
        PUThresholdClassifier(Silent(), cv=2).fit(np.eye(4), [0, 1, 0, 1])


def test_another_kind_of_estimator_is_rejected():
    with pytest.raises(ValueError, match="`estimator` must be .*got IsolationForest"):
        PUThresholdClassifier(IsolationForest()).fit(X, S)


def test_the_inner_estimator_sees_the_label_values():
    weights = LogisticRegression(class_weight={"lab": 5, "unl": 1})
    model = PUThresholdClassifier(weights, pos_label="lab", random_state=0).fit(X, TEXT)
    np.testing.assert_array_equal(model.estimator_.classes_, model.classes_)
    plain = threshold_of(LogisticRegression(class_weight={1: 5, 0: 1}))
    assert model.threshold_ == pytest.approx(plain, abs=1e-3)


@pytest.mark.filterwarnings("ignore:.*PU106")
@pytest.mark.parametrize("given", [None, "lab"])
@pytest.mark.parametrize("kind", [EnhancedLogistic, WeightedLogistic])
def test_pu_classifiers_inside_take_the_outer_pos_label(kind, given):
    inner = {"label_frequency": 0.5} if kind is WeightedLogistic else {}
    named = threshold_of(kind(pos_label=given, **inner), TEXT, pos_label="lab", cv=3)
    assert named == pytest.approx(threshold_of(kind(**inner), cv=3))


@pytest.mark.filterwarnings("ignore:.*PU106")
def test_steps_of_a_pipeline_inside_take_the_outer_pos_label():
    inner = make_pipeline(StandardScaler(), NaiveLogistic())
    named = threshold_of(inner, TEXT, pos_label="lab")
    assert named == pytest.approx(threshold_of(inner))
    assert inner[-1].pos_label is None


@pytest.mark.parametrize("cv", [3, "train", "loo"])
def test_the_cut_is_the_same_where_the_smaller_value_is_labeled(cv):
    base = LogisticRegression(tol=1e-10)
    flipped = threshold_of(base, 1 - S, pos_label=0, cv=cv)
    assert flipped == pytest.approx(threshold_of(base, cv=cv), abs=1e-5)


@pytest.mark.parametrize("y", [pd.Series(TEXT), pd.Series(TEXT).astype("category"), TEXT])
def test_predictions_have_the_type_of_the_classes(y):
    model = PUThresholdClassifier(LogisticRegression(), pos_label="lab").fit(X, y)
    theirs = LogisticRegression().fit(X, y)
    assert model.predict(X).dtype == theirs.predict(X).dtype
    assert set(model.predict(X)) == {"lab", "unl"}


def test_log_probabilities_are_the_logarithms():
    model = PUThresholdClassifier(LogisticRegression(), pos_label="lab").fit(X, TEXT)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    assert np.exp(model.predict_log_proba(1e6 * X)).min() == 0


def test_a_prefit_estimator_must_know_the_same_classes():
    for labels, known in ((S + 1, r"\[1, 2\]"), (np.arange(400) % 3, r"\[0, 1, 2\]")):
        fitted = LogisticRegression().fit(X, labels)
        with pytest.raises(ValueError, match=rf"`estimator` must .*\[0, 1\]; .*{known}"):
            PUThresholdClassifier(fitted, cv="prefit").fit(X, S)


def test_a_frozen_estimator_is_cut_as_it_is():
    frozen = FrozenEstimator(LogisticRegression().fit(X, TEXT))
    model = PUThresholdClassifier(frozen, pos_label="lab", random_state=0).fit(X, TEXT)
    prefit = PUThresholdClassifier(frozen.estimator, cv="prefit", pos_label="lab")
    np.testing.assert_array_equal(model.predict(X), prefit.fit(X, TEXT).predict(X))
    with pytest.raises(ValueError, match=r"`estimator` must .*\['lab', 'unl'\]"):
        PUThresholdClassifier(frozen).fit(X, S)


@pytest.mark.filterwarnings("ignore:.PU110")
@pytest.mark.parametrize("cv", [3, "train", "prefit"])
def test_another_pos_label_inside_is_rejected(cv):
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    inner = PULogistic(pos_label=0)
    if cv == "prefit":
        inner.fit(data.X, 1 - data.s)
    with pytest.raises(ValueError, match="`pos_label` must be .* 0; got 1"):
        PUThresholdClassifier(inner, pos_label=1, cv=cv).fit(data.X, data.s)


def test_unseeded_folds_are_the_same_in_every_fit():
    one, two = (PUThresholdClassifier(LogisticRegression()).fit(X, S) for _ in range(2))
    np.testing.assert_array_equal(one.held_out_score_, two.held_out_score_)
    assert one.threshold_ == two.threshold_
    assert len(repr(one.cuts_)) < 200


class Selecting(ClassifierMixin, BaseEstimator):
    """Takes columns by position and looks at no names, as LightGBM does."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.inner_ = LogisticRegression().fit(np.asarray(X), y)
        return self

    def predict_proba(self, X):
        return self.inner_.predict_proba(np.asarray(X))


def test_names_of_columns_are_checked_before_an_estimator_that_does_not_look_at_them():
    model = PUThresholdClassifier(Selecting(), random_state=0).fit(FRAME, S)
    turned = FRAME[["c", "a", "b"]]
    silent = model.estimator_.predict_proba(turned) - model.estimator_.predict_proba(FRAME)
    assert np.abs(silent).max() > 0.1
    for rows in (turned, FRAME[["a", "b"]], FRAME.assign(d=0.0)):
        for ask in (model.predict, model.predict_proba, model.positive_score):
            with pytest.raises(ValueError, match="feature names should match"):
                ask(rows)
    with pytest.raises(
        ValueError, match="X has 2 features, but PUThresholdClassifier is expecting"
    ):
        PUThresholdClassifier(Selecting(), random_state=0).fit(X, S).predict(X[:, :2])


@pytest.mark.parametrize("inner", [Selecting(), LogisticRegression()], ids=repr)
def test_names_that_are_not_there_give_one_warning(inner):
    of_frame = PUThresholdClassifier(inner, random_state=0).fit(FRAME, S)
    of_array = PUThresholdClassifier(inner, random_state=0).fit(X, S)
    for model, rows in ((of_frame, X), (of_array, FRAME)):
        with pytest.warns(UserWarning, match="feature names") as told:
            model.predict(rows)
        assert len(told) == 1


def test_a_fitted_estimator_keeps_the_names_of_its_own_fit():
    model = LogisticRegression().fit(FRAME, S)
    for turned, cv in ((FRAME[["c", "a", "b"]], "prefit"), (FRAME[["a", "b"]], "prefit")):
        with pytest.raises(ValueError, match="feature names should match"):
            PUThresholdClassifier(model, cv=cv).fit(turned, S)
    with pytest.raises(ValueError, match="same order"):
        PUThresholdClassifier(FrozenEstimator(model)).fit(FRAME[["c", "a", "b"]], S)


def test_a_pipeline_that_chooses_columns_by_name_takes_them_in_any_order():
    chosen = make_column_transformer((StandardScaler(), ["a", "b"]))
    model = PUThresholdClassifier(make_pipeline(chosen, LogisticRegression()), random_state=0)
    model.fit(FRAME, S)
    turned = FRAME.assign(d=0.0)[["d", "b", "a"]]
    np.testing.assert_array_equal(model.positive_score(turned), model.positive_score(FRAME))
    with pytest.raises(ValueError, match="columns are missing"):
        model.predict(FRAME[["a", "c"]])
