"""PU thresholds over scikit-learn's own classifiers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from unlabeled import EnhancedLogistic, NaiveLogistic, PUThresholdClassifier
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto
from unlabeled.thresholds import recall_at_least, share

FOREST = RandomForestClassifier(50, min_samples_leaf=5, oob_score=True, random_state=0)
BASES = [
    FOREST,
    HistGradientBoostingClassifier(max_iter=30, random_state=0),
    SVC(class_weight="balanced"),
    make_pipeline(StandardScaler(), LogisticRegression()),
    NaiveLogistic(),
]


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
    model = PUThresholdClassifier(NaiveLogistic(), cv=None).fit(data.X, data.s)
    np.testing.assert_array_equal(model.predict(data.X), enhanced.predict(data.X))
    assert model.cut_.value == pytest.approx(enhanced.f1_pu_)


@pytest.mark.parametrize("base", [LogisticRegression(C=1.0), NaiveLogistic(C=1.0), BASES[3]])
def test_leave_one_out_is_near_many_folds(base, data):
    X, s = data.X[:400], data.s[:400]
    closed = PUThresholdClassifier(base, cv="loo").fit(X, s)
    folds = PUThresholdClassifier(base, cv=KFold(20, shuffle=True, random_state=0)).fit(X, s)
    assert closed.cut_.recall == pytest.approx(folds.cut_.recall, abs=0.03)
    assert closed.cut_.share == pytest.approx(folds.cut_.share, abs=0.03)


def test_out_of_bag_scores_of_forests(data):
    for kind in (RandomForestClassifier, ExtraTreesClassifier):
        forest = kind(60, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=0)
        model = PUThresholdClassifier(forest, cv="oob").fit(data.X, data.s)
        test = make_paper_gaussian(5000, 0.4, random_state=4)
        assert f1_score(test.y_true, model.predict(test.X)) > 0.5


def test_prefit_model_keeps_its_fit_and_its_label_values(data):
    names = np.where(data.s == 1, "labeled", "unlabeled")
    base = LogisticRegression().fit(data.X, names)
    model = PUThresholdClassifier(base, cv="prefit", positive_label="labeled")
    model.fit(data.X, names)
    assert model.estimator_ is base
    assert model.positive_class_ == "labeled"
    plain = PUThresholdClassifier(LogisticRegression(), cv=None).fit(data.X, data.s)
    np.testing.assert_array_equal(model.predict(data.X) == "labeled", plain.predict(data.X) == 1)


def test_texts(rng):
    words = np.array(["fever", "cough", "rash", "well", "fine", "run"])
    y = rng.random(600) < 0.4
    weights = np.where(y[:, None], [4, 4, 4, 1, 1, 1], [1, 1, 1, 4, 4, 4]) / 15
    texts = [" ".join(rng.choice(words, 12, p=w)) for w in weights]
    s = (y & (rng.random(600) < 0.4)).astype(int)
    model = PUThresholdClassifier(make_pipeline(TfidfVectorizer(), LogisticRegression()))
    assert f1_score(y, model.fit(texts, s).predict(texts)) > 0.9


def test_frames_keep_their_names(data):
    table = pd.DataFrame(data.X, columns=["a", "b", "c"])
    model = PUThresholdClassifier(LogisticRegression(), random_state=0).fit(table, data.s)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a", "c"]])


def test_rules_are_obeyed_on_the_honest_scores(data):
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


def test_weights_are_counts(data):
    weight = np.random.default_rng(0).integers(1, 3, 2000)
    repeated = np.repeat(np.arange(2000), weight)
    one = PUThresholdClassifier(LogisticRegression(tol=1e-8), cv=None)
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


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"cv": "fold"}, "'loo', 'oob', 'prefit' or None; got 'fold'"),
        ({"cv": 1}, "`cv` must be at least 2"),
        ({"cv": "oob"}, "must have out-of-bag scores.*oob_score=True"),
        ({"rule": "f2"}, "`rule` must be one of"),
        (
            {"class_prior": 0.01},
            "at least the share of labelled rows .* and below 1; got",
        ),
        (
            {"class_prior": 1.0},
            "at least the share of labelled rows .* and below 1; got",
        ),
    ],
)
def test_bad_parameters_get_one_sentence(data, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        PUThresholdClassifier(LogisticRegression(), **options).fit(data.X, data.s)


def test_loo_needs_a_logistic_model(data):
    with pytest.raises(ValueError, match="must be a logistic regression.*got SVC"):
        PUThresholdClassifier(SVC(kernel="linear"), cv="loo").fit(data.X, 1 - data.s)


def test_a_score_is_needed():
    class Silent(Perceptron):
        decision_function = property()

    with pytest.raises(ValueError, match="must have `decision_function` or `predict_proba`"):
        PUThresholdClassifier(Silent(), cv=2).fit(np.eye(4), [0, 1, 0, 1])


def test_one_labelled_row_on_top_does_not_win():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 1))
    s = np.zeros(2000, int)
    s[rng.choice(2000, 12, replace=False)] = 1
    s[np.argmax(X)] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        model = PUThresholdClassifier(NaiveLogistic(), cv=None).fit(X, s)
    assert s[model.predict(X) == 1].sum() >= 5


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


class CountingFits(LogisticRegression):
    """A logistic regression that counts the fits of all its copies."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


@pytest.fixture
def count_fits(monkeypatch):
    """Return what fits to a number of labelled of 40 rows, and counts the fits out of fold."""

    def fit(n_labelled, **options):
        monkeypatch.setattr(CountingFits, "fits", 0)
        X = np.random.default_rng(0).normal(size=(40, 2))
        s = (np.arange(40) < n_labelled).astype(int)
        PUThresholdClassifier(CountingFits(), random_state=0, **options).fit(X, s)
        return CountingFits.fits - 1

    return fit


@pytest.mark.filterwarnings("ignore:.*PU11[01]")
@pytest.mark.parametrize(("n_labelled", "folds"), [(2, 2), (3, 3), (4, 4), (37, 3)])
def test_with_fewer_rows_of_a_kind_than_folds_there_are_as_many_folds(
    count_fits, n_labelled, folds
):
    with pytest.warns(PUWarning, match="PU118") as caught:
        assert count_fits(n_labelled) == folds
    (told,) = (str(one.message) for one in caught if one.message.code == "PU118")
    for number in ("5 folds", f"{n_labelled} rows are labelled", f"{folds} folds were used"):
        assert number in told


@pytest.mark.filterwarnings("ignore:.*PU11[01]")
def test_with_enough_rows_the_number_of_folds_stays_and_nothing_is_said(count_fits):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*PU118")
        assert count_fits(5) == count_fits(35) == 5
        assert count_fits(3, cv=3) == 3


@pytest.mark.parametrize(("n_labelled", "n_unlabelled"), [(1, 39), (39, 1)])
def test_one_row_of_a_kind_cannot_be_scored_out_of_fold(count_fits, n_labelled, n_unlabelled):
    told = f"at least 2 .*; got {n_labelled} labelled and {n_unlabelled} unlabelled. .*cv=None"
    with pytest.raises(ValueError, match=told):
        count_fits(n_labelled)


@pytest.mark.filterwarnings("ignore:.*PU11[01]", "ignore:The least populated class")
def test_a_splitter_with_too_many_folds_is_used_as_it_is(count_fits):
    assert count_fits(3, cv=StratifiedKFold(5)) == 5


@pytest.mark.parametrize("class_prior", [None, 0.5])
def test_without_signal_the_posterior_is_the_class_prior_and_that_is_told(noise, class_prior):
    X, s = noise
    with pytest.warns(PUWarning) as caught:
        model = PUThresholdClassifier(
            LogisticRegression(), class_prior=class_prior, random_state=0
        ).fit(X, s)
    assert "PU111" in {item.message.code for item in caught}
    assert class_prior in (None, model.class_prior_)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], model.class_prior_, rtol=1e-9)
