"""PU thresholds over scikit-learn's own classifiers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, IsolationForest, RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from unlabeled import EnhancedLogistic, NaiveLogistic, PUThresholdClassifier, WeightedLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto
from unlabeled.thresholds import recall_at_least, share

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
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
    model = PUThresholdClassifier(NaiveLogistic(), cv=None).fit(data.X, data.s)
    np.testing.assert_array_equal(model.predict(data.X), enhanced.predict(data.X))
    assert model.cut_.value == pytest.approx(enhanced.f1_pu_)


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
    model = PUThresholdClassifier(weights, positive_label="lab", random_state=0).fit(X, TEXT)
    np.testing.assert_array_equal(model.estimator_.classes_, model.classes_)
    plain = threshold_of(LogisticRegression(class_weight={1: 5, 0: 1}))
    assert model.threshold_ == pytest.approx(plain, abs=1e-3)


@pytest.mark.filterwarnings("ignore:.*PU106")
@pytest.mark.parametrize("given", [None, "lab"])
@pytest.mark.parametrize("kind", [EnhancedLogistic, WeightedLogistic])
def test_pu_classifiers_inside_take_the_outer_positive_label(kind, given):
    inner = {"label_frequency": 0.5} if kind is WeightedLogistic else {}
    named = threshold_of(kind(positive_label=given, **inner), TEXT, positive_label="lab", cv=3)
    assert named == pytest.approx(threshold_of(kind(**inner), cv=3))


@pytest.mark.filterwarnings("ignore:.*PU106")
def test_steps_of_a_pipeline_inside_take_the_outer_positive_label():
    inner = make_pipeline(StandardScaler(), NaiveLogistic())
    named = threshold_of(inner, TEXT, positive_label="lab")
    assert named == pytest.approx(threshold_of(inner))
    assert inner[-1].positive_label is None


@pytest.mark.parametrize("cv", [3, None, "loo"])
def test_the_cut_is_the_same_where_the_smaller_value_is_labelled(cv):
    base = LogisticRegression(tol=1e-10)
    flipped = threshold_of(base, 1 - S, positive_label=0, cv=cv)
    assert flipped == pytest.approx(threshold_of(base, cv=cv), abs=1e-5)


@pytest.mark.parametrize("y", [pd.Series(TEXT), pd.Series(TEXT).astype("category"), TEXT])
def test_predictions_have_the_type_of_the_classes(y):
    model = PUThresholdClassifier(LogisticRegression(), positive_label="lab").fit(X, y)
    theirs = LogisticRegression().fit(X, y)
    assert model.predict(X).dtype == theirs.predict(X).dtype
    assert set(model.predict(X)) == {"lab", "unl"}


def test_log_probabilities_are_the_logarithms():
    model = PUThresholdClassifier(LogisticRegression(), positive_label="lab").fit(X, TEXT)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))
    assert np.exp(model.predict_log_proba(1e6 * X)).min() == 0


def test_a_prefit_estimator_must_know_the_same_classes():
    for labels, known in ((S + 1, r"\[1, 2\]"), (np.arange(400) % 3, r"\[0, 1, 2\]")):
        fitted = LogisticRegression().fit(X, labels)
        with pytest.raises(ValueError, match=rf"`estimator` must .*\[0, 1\]; .*{known}"):
            PUThresholdClassifier(fitted, cv="prefit").fit(X, S)


def test_a_frozen_estimator_is_cut_as_it_is():
    frozen = FrozenEstimator(LogisticRegression().fit(X, TEXT))
    model = PUThresholdClassifier(frozen, positive_label="lab", random_state=0).fit(X, TEXT)
    prefit = PUThresholdClassifier(frozen.estimator, cv="prefit", positive_label="lab")
    np.testing.assert_array_equal(model.predict(X), prefit.fit(X, TEXT).predict(X))
    with pytest.raises(ValueError, match=r"`estimator` must .*\['lab', 'unl'\]"):
        PUThresholdClassifier(frozen).fit(X, S)
