"""Sparse rows give the model of dense rows, whatever their format, and are never made dense."""

import tracemalloc
import warnings
from copy import deepcopy
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

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
)
from unlabeled.comparison import compare_methods
from unlabeled.diagnostics import diagnose, scar_test
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import (
    ElkanNoto,
    KernelMean,
    TIcE,
)

TIGHT = 1e-9
SKLEARN = LogisticRegression(tol=1e-10, max_iter=10_000)
MEMBERS = [("tree", DecisionTreeClassifier(max_depth=2))]


def by_type(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=str)


CLASSIFIERS = [
    NaiveLogistic(tol=TIGHT),
    EnhancedLogistic(C=1, tol=TIGHT),
    JointLogistic(tol=TIGHT),
    JointLogistic(solver="mm", C=1, tol=TIGHT),
    JointLogistic(solver="em", C=1, tol=TIGHT),
    WeightedLogistic(0.5, C=1, tol=TIGHT),
    WeightedLogistic(ElkanNoto(), weighting="posterior", C=1, tol=TIGHT),
    PULogistic(tol=TIGHT),
    PULogistic(cv=3, random_state=0, tol=TIGHT),
    PropensityLogistic(propensity_features=[0], tol=TIGHT),
    PUThresholdClassifier(SKLEARN, random_state=0),
    PUThresholdClassifier(SKLEARN, cv="loo"),
    PUThresholdClassifier(
        EnhancedLogistic(C=1, tol=TIGHT), "f1", class_prior=ElkanNoto(C=1), random_state=0
    ),
    PUEnsemble(members=MEMBERS, cv=2, random_state=0),
]
OTHERS = [one for one in ESTIMATORS if one not in (ElkanNoto, KernelMean, TIcE)]
FREQUENCIES = [
    ElkanNoto(C=1, tol=TIGHT),
    *(one(tol=TIGHT, random_state=0) for one in OTHERS),
    KernelMean(max_rows=100, n_components=5, random_state=0),
    KernelMean(max_rows=100, n_components=None, random_state=0),
    TIcE(random_state=0),
    TIcE(random_state=0, honest=False, scale="none"),
]
# For rows that are wide and few: with a ridge, at the usual tolerance.
WIDE = [
    NaiveLogistic(),
    EnhancedLogistic(C=1),
    JointLogistic(C=1),
    JointLogistic(0.5, solver="mm", C=0.01, max_iter=30),
    WeightedLogistic(ElkanNoto(), weighting="posterior", C=0.1),
    PULogistic(random_state=0),
    PULogistic("recall_at_least(0.8)", direction="naive", C=0.01, cv=3, random_state=0),
    PUThresholdClassifier(LinearSVC(C=0.01), random_state=0),
    PUThresholdClassifier(EnhancedLogistic(C=0.1), cv=3, random_state=0),
    PUEnsemble(members=MEMBERS, cv=2, random_state=0),
    ElkanNoto(C=0.1),
    *(one(random_state=0, cv=3) for one in OTHERS),
    KernelMean(max_rows=200, random_state=0),
    KernelMean(max_rows=200, n_components=None, random_state=0),
    TIcE(random_state=0, cv=3),
]


@cache
def counts(n, p, density):
    """Return whole numbers like word counts, and labels of half of the positives."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, n, int(n * p * density)), rng.integers(0, p, int(n * p * density))
    values = rng.integers(1, 4, len(places[0])).astype(float)
    X = sparse.coo_matrix((values, places), shape=(n, p)).tocsr()
    score = np.asarray(X[:, : max(4, p // 50)].sum(axis=1)).ravel()
    y_true = rng.random(n) < 1 / (1 + np.exp(-1.5 * (score - score.mean())))
    return X, (y_true & (rng.random(n) < 0.5)).astype(int)


X, S = counts(300, 12, 0.3)
DENSE = X.toarray()


def unsorted(X):
    turned = [slice(start, end) for start, end in zip(X.indptr, X.indptr[1:], strict=False)]
    order = np.concatenate([np.arange(X.nnz)[part][::-1] for part in turned])
    return sparse.csr_matrix((X.data[order], X.indices[order], X.indptr), shape=X.shape)


def with_repeated_entries(X):
    """Every value as two entries of one place, a quarter and the rest, which add up to it."""
    data = np.column_stack([X.data / 4, X.data - X.data / 4]).ravel()
    return sparse.csr_matrix((data, np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


def with_explicit_zeros(X):
    more = sparse.coo_matrix(np.ones(X.shape))
    rows, columns = np.concatenate([[more.row, more.col], X.nonzero()], axis=1)
    values = np.concatenate([np.zeros(more.nnz), X.data])
    return sparse.coo_matrix((values, (rows, columns)), shape=X.shape).tocsr()


def with_long_indices(X):
    X = X.copy()
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def read_only(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    return X


FORMS = {
    "csr_array": sparse.csr_array,
    "int64 indices": with_long_indices,
    "unsorted": unsorted,
    "repeated": with_repeated_entries,
    "explicit zeros": with_explicit_zeros,
    "read-only": read_only,
    "whole numbers": lambda X: X.astype(np.int64),
    "csc_matrix": sparse.csc_matrix,
    "csc_array": sparse.csc_array,
    "coo_matrix": sparse.coo_matrix,
    "coo_array": sparse.coo_array,
    "lil_matrix": sparse.lil_matrix,
}


# The formats are told apart once, where rows are validated, and all estimators call that. Those
# that do something else with rows as well are fitted to each format; the others to these.
EVERY_FORMAT = (NaiveLogistic, PUThresholdClassifier, PUEnsemble, ElkanNoto, KernelMean, TIcE)
FOR_ALL = ("csr_array", "unsorted", "repeated", "whole numbers", "csc_matrix")


def fitted(estimator, X, s=S):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(X, s)


def numbers(model, X):
    """Return what a model predicts of every row, or its label frequency and class prior."""
    if not hasattr(model, "decision_function"):
        return np.array([model.label_frequency_, model.class_prior_])
    proba = model.predict_proba(X)[:, 1]
    return np.concatenate([model.decision_function(X), proba, [model.class_prior_]])


def parts(X):
    """Return the arrays that hold a sparse matrix, whatever its format."""
    names = ("data", "indices", "indptr", "row", "col", "rows")
    return [getattr(X, name) for name in names if hasattr(X, name)]


@by_type(CLASSIFIERS + FREQUENCIES)
def test_a_sparse_format_gives_the_model_of_dense_rows_and_rows_are_left_as_given(estimator):
    dense = fitted(estimator, DENSE)
    assert getattr(dense, "converged_", True)  # without an optimum rounding decides
    expected = numbers(dense, DENSE)
    for name in FORMS if isinstance(estimator, EVERY_FORMAT) else FOR_ALL:
        made = FORMS[name](X.copy())
        before = deepcopy(parts(made))
        found = numbers(fitted(estimator, made), made)
        np.testing.assert_allclose(found, expected, atol=1e-8, rtol=1e-8, err_msg=name)
        for old, new in zip(before, parts(made), strict=True):
            np.testing.assert_array_equal(old, new, err_msg=name)


@by_type(
    [
        NaiveLogistic(tol=1e-6),
        JointLogistic(0.6, C=1, tol=1e-6),
        WeightedLogistic(0.6, weighting="posterior", C=1, tol=1e-6),
        PULogistic(tol=1e-6),
        ElkanNoto(C=1, tol=1e-6),
        KernelMean(max_rows=100, n_components=5, random_state=0),
    ]
)
def test_single_precision_gives_nearly_the_model_of_dense_rows(estimator):
    expected = numbers(fitted(estimator, DENSE), DENSE)
    found = numbers(fitted(estimator, X.astype(np.float32)), X)
    np.testing.assert_allclose(found, expected, atol=1e-3)


@pytest.mark.parametrize("kind", ["sandwich", "observed", "expected"])
@by_type([CLASSIFIERS[0], CLASSIFIERS[1], CLASSIFIERS[2], CLASSIFIERS[7]])
def test_estimates_and_their_covariance_are_those_of_dense_rows(estimator, kind):
    model = fitted(estimator, DENSE)
    dense = model.estimates(DENSE, S, kind=kind)
    for form in (sparse.csr_array, with_repeated_entries, sparse.csc_matrix):
        found = model.estimates(form(X), S, kind=kind)
        np.testing.assert_allclose(found.covariance, dense.covariance, rtol=1e-6, atol=1e-10)
    assert str(model.summary(X, S)) == str(model.summary(DENSE, S))


def test_intervals_of_the_label_frequency_are_those_of_dense_rows():
    model = fitted(JointLogistic(tol=TIGHT), DENSE)
    for method in (model.label_frequency_interval, model.class_prior_interval):
        found, dense = method(with_repeated_entries(X), S), method(DENSE, S)
        ends = [found.lower, found.upper, dense.lower, dense.upper]
        np.testing.assert_allclose(ends[:2], ends[2:], atol=1e-6)


def test_the_bootstrap_is_that_of_dense_rows():
    model = EnhancedLogistic(C=1, tol=TIGHT)
    found = [
        bootstrap(model, rows, S, n_resamples=5, random_state=0).interval("recall")
        for rows in (DENSE, sparse.coo_array(X))
    ]
    assert found[0].lower == pytest.approx(found[1].lower, abs=1e-8)
    assert found[0].upper == pytest.approx(found[1].upper, abs=1e-8)


def test_a_comparison_is_that_of_dense_rows():
    models = {"naive": NaiveLogistic(C=1, tol=TIGHT), "enhanced": EnhancedLogistic(C=1, tol=TIGHT)}
    dense, found = (
        compare_methods(models, rows, S, n_repeats=3, random_state=0)
        for rows in (DENSE, with_repeated_entries(X))
    )
    np.testing.assert_allclose(found.mean("f1_pu"), dense.mean("f1_pu"), atol=1e-8)


def test_checks_that_take_sparse_rows_find_what_they_find_in_dense_ones():
    model = EnhancedLogistic(tol=TIGHT)
    dense, found = (
        diagnose(model, rows, S, random_state=0) for rows in (DENSE, with_repeated_entries(X))
    )
    applicable = [name for name in found.to_frame()["check"] if "sparse" not in found[name].message]
    assert {"fit", "labels", "separation", "identifiability"} <= set(applicable)
    for name in applicable:
        assert (found[name].state, found[name].message) == (dense[name].state, dense[name].message)


@pytest.mark.parametrize(
    ("call", "who", "instead"),
    [
        (lambda: scar_test(X, S), "scar_test", "TruncatedSVD"),
    ],
)
def test_estimators_that_need_dense_rows_name_an_alternative(call, who, instead):
    with pytest.raises(TypeError, match=rf"`X` must be dense for {who};.*{instead}"):
        call()


def test_square_matrices_of_very_many_features_are_rejected():
    wide, s = counts(60, 30_000, 0.001)
    model = fitted(EnhancedLogistic(C=1), wide, s)
    with pytest.raises(ValueError, match="`X` must.* 20000 features for a covariance.* 30000"):
        model.estimates(wide, s)
    loo = PUThresholdClassifier(LogisticRegression(), cv="loo")
    with pytest.raises(ValueError, match="`X` must.* 20000 features for cv='loo'.* 30000"):
        fitted(loo, wide, s)
    with pytest.raises(ValueError, match="`X` must.* 20000 features.* 30000.*'posterior'"):
        fitted(WeightedLogistic(0.3), wide, s)


@pytest.fixture
def nothing_large_is_made_dense(monkeypatch):
    """Matrices of rows by features cannot be made dense; products of a thousand rows can."""
    kinds = ("csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_matrix", "coo_array")
    for kind in (getattr(sparse, name) for name in kinds):

        def reject(self, *args, _original=kind.toarray, **kwargs):
            assert np.prod(self.shape, dtype=float) <= 1e6, f"{self.shape} made dense"
            return _original(self, *args, **kwargs)

        monkeypatch.setattr(kind, "toarray", reject)


@pytest.mark.usefixtures("nothing_large_is_made_dense")
@by_type(WIDE)
def test_wide_rows_are_never_made_dense(estimator):
    """Neither by asking for it, nor in any other way: 2100 x 20 000 dense take 336 MB."""
    wide, s = counts(2100, 20_000, 0.001)
    # A constant column, of which differences of squares would be noise, and an empty one.
    ones, nothing = np.full((2100, 1), 50.0), sparse.csr_matrix((2100, 1))
    wide = sparse.hstack([wide, ones, nothing], format="csr")
    tracemalloc.start()
    try:
        model = fitted(estimator, wide, s)
        if hasattr(model, "predict"):
            model.predict(wide)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6


@pytest.mark.usefixtures("nothing_large_is_made_dense")
@by_type([PULogistic(random_state=0), EnhancedLogistic(C=1), KernelMean(random_state=0)])
def test_rows_fewer_than_features_are_never_made_dense(estimator):
    wide, s = counts(300, 5000, 0.01)
    fitted(estimator, wide, s)


@pytest.mark.usefixtures("nothing_large_is_made_dense")
@by_type([*CLASSIFIERS, PULogistic(cv="loo")])
def test_long_rows_are_never_made_dense(estimator):
    rows, s = counts(60_000, 20, 0.2)
    fitted(clone(estimator).set_params(**_usual_tolerance(estimator)), rows, s)


def _usual_tolerance(estimator):
    names = [name for name in estimator.get_params() if name.endswith("tol")]
    return dict.fromkeys(names, 1e-4)


@pytest.mark.usefixtures("nothing_large_is_made_dense")
def test_diagnosing_a_wide_model_makes_nothing_dense():
    wide, s = counts(2100, 3000, 0.004)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        diagnosis = diagnose(EnhancedLogistic(C=1), wide, s, random_state=0)
        diagnose(NaiveLogistic(max_iter=50), wide, s, random_state=0)
    assert diagnosis["labels"].state != "not applicable"
