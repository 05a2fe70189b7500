"""Arrays of other libraries: the sums, cuts and models of NumPy, and attributes on the host."""

import importlib
import importlib.util
import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.contracts.backends import data, fitted, rows_of
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    WeightedLogistic,
)
from unlabeled.engine.arrays import to_host
from unlabeled.engine.linear_fits import separating_columns
from unlabeled.engine.losses import KnownFrequencyLoss, LogisticLoss, ProductLoss
from unlabeled.engine.objective import (
    CONSTANT,
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Moments,
    Objective,
)
from unlabeled.engine.rows import _blocks
from unlabeled.label_frequency import ElkanNoto
from unlabeled.thresholds import choose_cut, summarize_score
from unlabeled.thresholds._rules import f1_pu

TIGHT = 1e-10
# The standard's own reference, which has nothing else; and torch, where it is installed.
LIBRARIES = ["array_api_strict", "torch"]
LIBRARIES = [name for name in LIBRARIES if importlib.util.find_spec(name)]
LOSSES = [
    (LogisticLoss(), (FEATURES,)),
    (LogisticLoss(), (FEATURES_WITHOUT_INTERCEPT,)),
    (KnownFrequencyLoss(0.6), (FEATURES,)),
    (ProductLoss(), (FEATURES, CONSTANT)),
]
MODELS = [
    NaiveLogistic(tol=TIGHT),
    EnhancedLogistic(C=1, tol=TIGHT, pos_label=1),
    EnhancedLogistic(tol=TIGHT, fit_intercept=False),
    JointLogistic(C=10, tol=TIGHT),
    JointLogistic(0.7, tol=TIGHT),
    JointLogistic(0.95, tol=TIGHT, C=1, fit_intercept=False, pos_label=0),
]
weighted_or_not = pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])


@pytest.fixture(params=LIBRARIES)
def xp(request):
    return importlib.import_module(request.param)


def there(xp, *arrays):
    return tuple(None if array is None else xp.asarray(array.copy()) for array in arrays)


def chosen(weighted):
    X, s, weight = data()
    return X, s, weight if weighted else None


def assert_same(found, expected, rtol=1e-11):
    for a, b in zip(found, expected, strict=True):
        assert isinstance(a, np.ndarray | float)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)


@weighted_or_not
@pytest.mark.parametrize("rows_in_a_block", [7, None])
def test_sums(xp, weighted, rows_in_a_block, monkeypatch):
    given = chosen(weighted)
    here, away = rows_of(*given), rows_of(*there(xp, *given))
    assert type(away.X) is type(there(xp, given[0])[0])
    if rows_in_a_block is not None:
        monkeypatch.setattr(_blocks, "rows_in_a_block", lambda X: rows_in_a_block)
    for loss, designs in LOSSES:
        objectives = [Objective(loss, designs, r.X, r.s, r.weight, 0.1) for r in (away, here)]
        theta = np.linspace(-0.5, 0.7, objectives[0].n_parameters)
        assert_same(*(objective.value_gradient(theta) for objective in objectives))
        assert_same(*(objective.value_gradient_hessian(theta) for objective in objectives))
    found, expected = (Moments.of(r.X, r.weight, True) for r in (away, here))
    assert_same((found.center, found.second), (expected.center, expected.second))
    assert away.labeled_share == pytest.approx(here.labeled_share, rel=1e-12)
    assert away.n_labeled == here.n_labeled


def test_columns_that_separate(xp):
    X, s, _ = data()
    X = np.column_stack([X[:, 0], s * (1 + X[:, 1] ** 2)])
    rows = rows_of(*there(xp, X, s))
    np.testing.assert_array_equal(separating_columns(rows.X, rows.s), [1])


@weighted_or_not
@pytest.mark.parametrize("kind", ["continuous", "tied", "heavy-tailed", "constant"])
def test_cuts(xp, kind, weighted):
    X, s, weight = data()
    score = {
        "continuous": X @ [1.0, -1.0, 0.5],
        "tied": np.round(X[:, 0]),
        "heavy-tailed": np.sinh(5 * X[:, 0]),
        "constant": np.ones(len(s)),
    }[kind]
    columns = (score, s.astype(float), weight + 1 if weighted else None)
    expected = choose_cut(summarize_score(*columns).cuts, f1_pu())
    summary = summarize_score(*there(xp, *columns))
    found = choose_cut(summary.cuts, f1_pu())
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    assert found.threshold == pytest.approx(expected.threshold, rel=1e-12)
    assert summary.bound == pytest.approx(expected.value, rel=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
@weighted_or_not
def test_models(xp, model, weighted):
    given = chosen(weighted)
    expected, codes = fitted(model, *given)
    away = there(xp, *given)
    before = [None if part is None else to_host(part).tobytes() for part in away]
    found, found_codes = fitted(model, *away)
    assert found_codes == codes
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-7, atol=1e-9)
    for method in ("predict", "decision_function", "positive_score", "predict_proba"):
        said = getattr(found, method)(away[0])
        assert type(said) is type(away[0])
        wanted = getattr(expected, method)(given[0])
        np.testing.assert_allclose(to_host(said), wanted, rtol=1e-6, atol=1e-7)
    score = found.positive_score(away[0])
    column = list(found.classes_).index(found.positive_class_)
    posterior = found.posterior_at(score)
    assert type(posterior) is type(score)
    said = to_host(found.predict_proba(away[0]))
    np.testing.assert_array_equal(to_host(posterior), said[:, column])
    assert found.score(*away) == pytest.approx(expected.score(*given), rel=1e-12)
    assert [None if part is None else to_host(part).tobytes() for part in away] == before
    assert_on_the_host(found)


def assert_on_the_host(model):
    for name, value in vars(model).items():
        assert type(value).__module__.partition(".")[0] not in LIBRARIES, name
    assert isinstance(model.coef_, np.ndarray)
    assert isinstance(model.classes_, np.ndarray)
    X, _, _ = data()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_single_precision(xp):
    X, s, weight = data()
    expected, _ = fitted(JointLogistic(0.7, C=1, tol=1e-6), X, s, weight)
    away, labels, mass = there(xp, X.astype(np.float32), s, weight)
    found, _ = fitted(JointLogistic(0.7, C=1, tol=1e-6), away, labels, mass)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-4, atol=1e-5)


def test_estimates_and_intervals(xp):
    X, s, weight = data()
    model = JointLogistic(C=10, weights="frequency").fit(X, s, weight + 1)
    away = there(xp, X, s, weight + 1)
    for kind in ("sandwich", "observed", "expected"):
        found = model.estimates(*away, kind=kind).covariance
        wanted = model.estimates(X, s, weight + 1, kind=kind).covariance
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-12)
    found, wanted = model.class_prior_interval(*away), model.class_prior_interval(X, s, weight + 1)
    assert (found.lower, found.upper) == pytest.approx((wanted.lower, wanted.upper), rel=1e-6)


@pytest.mark.parametrize(
    "model",
    [PropensityLogistic(propensity_features=[0]), WeightedLogistic(0.5), ElkanNoto(), PUEnsemble()],
    ids=str,
)
def test_others_reject_them(xp, model):
    X, s, _ = data()
    with pytest.raises(TypeError, match="`X` must be a NumPy array"):
        model.fit(*there(xp, X, s))


@pytest.mark.filterwarnings("ignore:.PU1")
@pytest.mark.parametrize("n_part", [60, 10_000], ids=["by passes", "few rows"])
@weighted_or_not
def test_pu_logistic_is_that_of_rows_in_memory(xp, n_part, weighted, monkeypatch):
    X, s, weight = data()
    weight = weight if weighted else None
    monkeypatch.setattr(PULogistic, "_subset_rows", n_part)
    wanted = PULogistic().fit(X, s, weight)
    found = PULogistic().fit(*there(xp, X, s, weight))
    predicted = to_host(found.predict(*there(xp, X)))
    assert hasattr(found, "held_out_score_") == (n_part > len(s))
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=1e-6)
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=1e-4)
    assert np.mean(predicted != wanted.predict(X)) < 0.02


@pytest.mark.filterwarnings("ignore:.PU1")
def test_an_ensemble_does_not_predict_them(xp):
    X, s, _ = data()
    model = PUEnsemble(members=[("bayes", GaussianNB())], cv=2, random_state=0).fit(X, s)
    with pytest.raises(TypeError, match="`X` must be a NumPy array .* for PUEnsemble"):
        model.predict(there(xp, X)[0])


def test_bad_input(xp):
    X, s, weight = data()
    row, column = divmod(5, X.shape[1])
    bad = {
        "`y` must.*got 3: 0, 1, 2": there(xp, X, np.arange(len(s)) % 3),
        f"NaN in 1 cell, the first in row {row}, column {column}": there(
            xp, np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X), s
        ),
        "inconsistent numbers of samples": there(xp, X, s[:-1]),
        "`sample_weight` must": there(xp, X, s, weight - 1),
    }
    for words, arrays in bad.items():
        with pytest.raises(ValueError, match=words):
            NaiveLogistic().fit(*arrays)
    with pytest.raises(ValueError, match="`solver` must be 'lbfgs'"):
        JointLogistic(solver="em").fit(*there(xp, X, s))
