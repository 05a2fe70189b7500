"""What the estimator inside PUThresholdClassifier sees, and which ones are refused."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.ensemble import IsolationForest, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from unlabeled import EnhancedLogistic, NaiveLogistic, PUThresholdClassifier, WeightedLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
TEXT = np.where(S == 1, "lab", "unl")


def threshold_of(estimator, y=S, **options):
    return PUThresholdClassifier(estimator, random_state=0, **options).fit(X, y).threshold_


def test_the_inner_estimator_sees_the_label_values():
    weights = LogisticRegression(class_weight={"lab": 5, "unl": 1})
    model = PUThresholdClassifier(weights, positive_label="lab", random_state=0).fit(X, TEXT)
    np.testing.assert_array_equal(model.estimator_.classes_, model.classes_)
    plain = threshold_of(LogisticRegression(class_weight={1: 5, 0: 1}))
    assert model.threshold_ == pytest.approx(plain, abs=1e-3)


@pytest.mark.filterwarnings("ignore:.*PU106")
@pytest.mark.parametrize("told", [None, "lab"])
@pytest.mark.parametrize("kind", [EnhancedLogistic, WeightedLogistic])
def test_pu_classifiers_inside_take_the_outer_positive_label(kind, told):
    inner = {"label_frequency": 0.5} if kind is WeightedLogistic else {}
    named = threshold_of(kind(positive_label=told, **inner), TEXT, positive_label="lab", cv=3)
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


def test_out_of_bag_scores_are_those_of_the_positive_label():
    forest = RandomForestClassifier(50, oob_score=True, random_state=0)
    named = PUThresholdClassifier(forest, cv="oob", positive_label="lab").fit(X, TEXT)
    votes = named.estimator_.oob_decision_function_[:, 0]
    np.testing.assert_array_equal(named.cuts_.score, np.unique(votes)[::-1])


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
        with pytest.raises(ValueError, match=rf"values of `y`, \[0, 1\]; .* fitted to {known}"):
            PUThresholdClassifier(fitted, cv="prefit").fit(X, S)


def test_a_frozen_estimator_is_cut_as_it_is():
    frozen = FrozenEstimator(LogisticRegression().fit(X, TEXT))
    model = PUThresholdClassifier(frozen, positive_label="lab", random_state=0).fit(X, TEXT)
    prefit = PUThresholdClassifier(frozen.estimator, cv="prefit", positive_label="lab")
    np.testing.assert_array_equal(model.predict(X), prefit.fit(X, TEXT).predict(X))
    with pytest.raises(ValueError, match=r"fitted to \['lab', 'unl'\]"):
        PUThresholdClassifier(frozen).fit(X, S)


def test_what_is_no_classifier_is_refused():
    with pytest.raises(ValueError, match="`estimator` must be a classifier; got IsolationForest"):
        PUThresholdClassifier(IsolationForest()).fit(X, S)


L1 = (
    {"penalty": "l1"}
    if sklearn.utils.fixes.parse_version(sklearn.__version__).release < (1, 8)
    else {"l1_ratio": 1.0}
)


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        LogisticRegression(solver="saga", max_iter=2000, **L1),
        LogisticRegression(solver="liblinear"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegressionCV(cv=2, **({"l1_ratios": (0.0,)} if "l1_ratio" in L1 else {})),
        WeightedLogistic(0.5),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_leave_one_out_refuses_models_without_its_closed_form(model):
    with pytest.raises(ValueError, match="must be a logistic regression with a ridge or no"):
        PUThresholdClassifier(model, cv="loo").fit(X, S)


def test_leave_one_out_without_a_penalty_is_without_one():
    free = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    plain = NaiveLogistic(tol=1e-8)
    assert threshold_of(free, cv="loo") == pytest.approx(threshold_of(plain, cv="loo"), abs=1e-4)


def test_leave_one_out_looks_through_pipelines_of_any_length():
    alone = threshold_of(LogisticRegression(), cv="loo")
    assert threshold_of(make_pipeline(LogisticRegression()), cv="loo") == alone
    nested = make_pipeline(make_pipeline(LogisticRegression()))
    assert threshold_of(nested, cv="loo") == alone


def test_a_whole_number_of_any_type_is_a_number_of_folds():
    assert threshold_of(LogisticRegression(), cv=np.int64(5)) == threshold_of(LogisticRegression())
    with pytest.warns(PUWarning, match="PU118"):
        threshold_of(LogisticRegression(), cv=np.int64(399))
    with pytest.raises(ValueError, match=r"a list of \(train, test\) row numbers, 'loo'.*got 5\.0"):
        threshold_of(LogisticRegression(), cv=5.0)


def test_a_row_must_be_in_a_test_part():
    first = [(np.arange(200), np.arange(200, 400))]
    with pytest.raises(ValueError, match="every row into the test part"):
        threshold_of(LogisticRegression(), cv=first)


def test_folds_at_the_same_time_give_the_same_cut():
    assert threshold_of(LogisticRegression(), n_jobs=2) == threshold_of(LogisticRegression())


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_extra_arguments_need_metadata_routing():
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        PUThresholdClassifier(LogisticRegression()).fit(X, S, groups=np.arange(400))


@pytest.mark.usefixtures("routing")
def test_groups_reach_the_splitter():
    groups = np.arange(400) // 10
    model = PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3))
    by_hand = PUThresholdClassifier(
        LogisticRegression(), cv=list(GroupKFold(3).split(X, S, groups))
    )
    assert model.fit(X, S, groups=groups).threshold_ == by_hand.fit(X, S).threshold_


@pytest.mark.usefixtures("routing")
def test_weights_reach_the_step_that_asks_for_them():
    weight = np.random.default_rng(0).integers(0, 3, 400).astype(float)
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    base = LogisticRegression().set_fit_request(sample_weight=True)
    alone = PUThresholdClassifier(base, cv=folds).fit(X, S, sample_weight=weight)
    piped = PUThresholdClassifier(make_pipeline(base), cv=folds).fit(X, S, sample_weight=weight)
    assert piped.threshold_ == alone.threshold_
    repeated = np.repeat(np.arange(400), weight.astype(int))
    whole = clone(base).fit(X[repeated], S[repeated])
    np.testing.assert_allclose(alone.estimator_.coef_, whole.coef_, atol=1e-3)


@pytest.mark.usefixtures("routing")
def test_rows_of_weight_0_leave_with_their_groups():
    weight, groups = np.ones(400), np.arange(400) // 10
    weight[:100] = 0
    model = PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3))
    model.estimator.set_fit_request(sample_weight=False)
    weighted = clone(model).fit(X, S, sample_weight=weight, groups=groups)
    fewer = clone(model).fit(X[100:], S[100:], groups=groups[100:])
    assert weighted.threshold_ == fewer.threshold_


def test_weights_without_routing_go_to_the_estimator_and_zeros_leave():
    weight = np.ones(400)
    weight[:100] = 0
    model = PUThresholdClassifier(LogisticRegression(), random_state=0)
    weighted = clone(model).fit(X, S, sample_weight=weight)
    assert weighted.threshold_ == clone(model).fit(X[100:], S[100:]).threshold_
