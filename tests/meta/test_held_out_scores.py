"""Held-out scores: out of fold, leave-one-out in closed form, out of bag."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn
from joblib import parallel_config
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import f1_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from unlabeled import NaiveLogistic, PUThresholdClassifier, WeightedLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.meta._fit_arguments import fit_arguments
from unlabeled.meta._held_out_scores import _scores_of_fold

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
L1 = (
    {"penalty": "l1"}
    if sklearn.utils.fixes.parse_version(sklearn.__version__).release < (1, 8)
    else {"l1_ratio": 1.0}
)


def threshold_of(estimator, y=S, **options):
    return PUThresholdClassifier(estimator, random_state=0, **options).fit(X, y).threshold_


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(2000, 0.4, random_state=3)


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(C=1.0),
        NaiveLogistic(C=1.0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    ],
)
def test_leave_one_out_is_near_many_folds(base, data):
    X, s = data.X[:400], data.s[:400]
    closed = PUThresholdClassifier(base, cv="loo").fit(X, s)
    folds = PUThresholdClassifier(base, cv=KFold(20, shuffle=True, random_state=0)).fit(X, s)
    assert closed.cut_.recall == pytest.approx(folds.cut_.recall, abs=0.03)
    assert closed.cut_.share == pytest.approx(folds.cut_.share, abs=0.03)


def test_leave_one_out_without_a_penalty_is_without_one():
    free = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000)
    plain = NaiveLogistic(tol=1e-8)
    assert threshold_of(free, cv="loo") == pytest.approx(threshold_of(plain, cv="loo"), abs=1e-4)


def test_leave_one_out_looks_through_pipelines_of_any_length():
    alone = threshold_of(LogisticRegression(), cv="loo")
    assert threshold_of(make_pipeline(LogisticRegression()), cv="loo") == alone
    nested = make_pipeline(make_pipeline(LogisticRegression()))
    assert threshold_of(nested, cv="loo") == alone


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(),
        SVC(kernel="linear"),
        LogisticRegression(solver="saga", max_iter=2000, **L1),
        LogisticRegression(solver="liblinear"),
        LogisticRegression(class_weight="balanced"),
        LogisticRegressionCV(cv=2, **({"l1_ratios": (0.0,)} if "l1_ratio" in L1 else {})),
        WeightedLogistic(0.5),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_leave_one_out_rejects_models_without_its_closed_form(model):
    with pytest.raises(ValueError, match=f"`estimator` must .*got {type(model).__name__}"):
        PUThresholdClassifier(model, cv="loo").fit(X, S)


def test_out_of_bag_scores_of_forests(data):
    for kind in (RandomForestClassifier, ExtraTreesClassifier):
        forest = kind(60, min_samples_leaf=5, bootstrap=True, oob_score=True, random_state=0)
        model = PUThresholdClassifier(forest, "f1", cv="oob").fit(data.X, data.s)
        test = make_paper_gaussian(5000, 0.4, random_state=4)
        assert f1_score(test.y_true, model.predict(test.X)) > 0.5


def test_out_of_bag_scores_are_those_of_the_pos_label():
    forest = RandomForestClassifier(50, oob_score=True, random_state=0)
    named = PUThresholdClassifier(forest, cv="oob", pos_label="lab").fit(
        X, np.where(S == 1, "lab", "unl")
    )
    votes = named.estimator_.oob_decision_function_[:, 0]
    np.testing.assert_array_equal(named.cuts_.score, np.unique(votes)[::-1])


@pytest.mark.filterwarnings("ignore:.*PU11", "ignore:Some inputs do not have OOB")
@pytest.mark.parametrize(
    "ensemble", [RandomForestClassifier(3), BaggingClassifier(n_estimators=3)], ids=str
)
def test_a_row_that_every_member_has_seen_has_no_out_of_bag_score(ensemble):
    ensemble.set_params(oob_score=True, random_state=0)
    with np.errstate(invalid="ignore"):
        model = PUThresholdClassifier(ensemble, cv="oob").fit(X, S)
    members = model.estimator_.estimators_
    drawn = model.estimator_.estimators_samples_
    seen_by_all = set.intersection(*(set(np.asarray(one).tolist()) for one in drawn))
    assert 0 < len(seen_by_all) < len(X)
    assert set(np.flatnonzero(np.isnan(model.held_out_score_))) == seen_by_all
    assert set(np.flatnonzero(np.isnan(model.held_out_posterior_))) == seen_by_all
    assert model.observed_cuts_.total[-1] == len(X) - len(seen_by_all)
    # A row that all members but one have seen has the score of that one.
    alone = next(
        row for row in range(len(X)) if sum(row not in np.asarray(one) for one in drawn) == 1
    )
    (member,) = (m for m, one in zip(members, drawn, strict=True) if alone not in np.asarray(one))
    assert model.held_out_score_[alone] == member.predict_proba(X[[alone]])[0, 1]


def test_a_whole_number_of_any_type_is_a_number_of_folds():
    assert threshold_of(LogisticRegression(), cv=np.int64(5)) == threshold_of(LogisticRegression())
    with pytest.warns(PUWarning, match="PU118"):
        threshold_of(LogisticRegression(), cv=np.int64(399))
    with pytest.raises(ValueError, match=r"`cv` must be .*got 5\.0"):
        threshold_of(LogisticRegression(), cv=5.0)


def test_a_row_must_be_in_a_test_part():
    first = [(np.arange(200), np.arange(200, 400))]
    with pytest.raises(ValueError, match="`cv` must .*every row"):
        threshold_of(LogisticRegression(), cv=first)


def test_folds_at_the_same_time_give_the_same_cut():
    with parallel_config(backend="threading"):
        together = threshold_of(LogisticRegression(), n_jobs=2)
    assert together == threshold_of(LogisticRegression())


def test_what_a_fold_needs_can_be_sent_to_another_process():
    model = PUThresholdClassifier(LogisticRegression())
    passed = fit_arguments(model, X, S, np.ones(400), None, {})
    work = (_scores_of_fold, model.estimator, passed, np.arange(300), np.arange(300, 400), False)
    of_fold, *arguments = pickle.loads(pickle.dumps(work))
    np.testing.assert_array_equal(of_fold(*arguments)[0], _scores_of_fold(*work[1:])[0])


class CountingFits(LogisticRegression):
    """A logistic regression that counts the fits of all its copies."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        type(self).fits += 1
        return super().fit(X, y, sample_weight)


@pytest.fixture
def count_fits(monkeypatch):
    """Return a function that fits to 40 rows and counts the fits of the folds."""

    def fit(n_labeled, **options):
        monkeypatch.setattr(CountingFits, "fits", 0)
        X = np.random.default_rng(0).normal(size=(40, 2))
        s = (np.arange(40) < n_labeled).astype(int)
        PUThresholdClassifier(CountingFits(), random_state=0, **options).fit(X, s)
        return CountingFits.fits - 1

    return fit


@pytest.mark.filterwarnings("ignore:.*PU11[01]")
@pytest.mark.parametrize(("n_labeled", "folds"), [(2, 2), (3, 3), (4, 4), (37, 3)])
def test_with_fewer_rows_of_a_kind_than_folds_there_are_as_many_folds(count_fits, n_labeled, folds):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert count_fits(n_labeled) == folds
    (text,) = (str(one.message) for one in caught if "PU118" in str(one.message))
    for number in ("5 folds", f"{n_labeled} rows are labeled", f"{folds} folds were used"):
        assert number in text


@pytest.mark.filterwarnings("ignore:.*PU11[014]")
@pytest.mark.filterwarnings("ignore:.*PU106")  # 35 of 40 rows are labeled
def test_with_enough_rows_the_number_of_folds_stays_without_a_warning(count_fits):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*PU118")
        assert count_fits(5) == count_fits(35) == 5
        assert count_fits(3, cv=3) == 3


@pytest.mark.filterwarnings("ignore:.*PU114")
@pytest.mark.parametrize(("n_labeled", "n_unlabeled"), [(1, 39), (39, 1)])
def test_one_row_of_a_kind_cannot_be_scored_out_of_fold(count_fits, n_labeled, n_unlabeled):
    numbers = f"at least 2 .*got {n_labeled} labeled and {n_unlabeled} unlabeled"
    with pytest.raises(ValueError, match=numbers):
        count_fits(n_labeled)


@pytest.mark.filterwarnings("ignore:.*PU11[014]", "ignore:The least populated class")
def test_a_splitter_with_too_many_folds_is_used_as_it_is(count_fits):
    assert count_fits(3, cv=StratifiedKFold(5)) == 5
