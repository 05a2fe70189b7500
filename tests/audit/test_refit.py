"""A fitted classifier that follows the answers of an audit: what a fit with them would be."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.audit import draw_audit


def drawn(tilt):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 3))
    y_true = rng.random(900) < expit(2 * X[:, 0] - 0.5)
    s = (y_true & (rng.random(900) < expit(tilt * X[:, 1] - 0.5))).astype(int)
    return SimpleNamespace(X=X, s=s, y_true=y_true)


@pytest.fixture(scope="module")
def table():
    """Labels that follow a column which says nothing of the class."""
    return drawn(2.0)


def threshold(**parameters):
    return PUThresholdClassifier(LogisticRegression(), cv=3, random_state=0, **parameters)


def answered(model, table, size=150):
    audit = draw_audit(model, table.X, table.s, size=size, random_state=0)
    return audit.estimate(table.y_true[audit.rows])


def checked_by(result, table):
    checked = np.full(len(table.s), np.nan)
    for audit in result.audits:
        checked[audit.rows] = table.y_true[audit.rows]
    checked[table.s == 1] = np.nan
    return checked


@pytest.mark.parametrize("kind", ["threshold", "ensemble"])
def test_it_is_the_fit_with_the_same_answers(table, kind):
    members = [("line", LogisticRegression())]
    model = (
        threshold() if kind == "threshold" else PUEnsemble(members=members, cv=3, random_state=0)
    )
    model.fit(table.X, table.s)
    before = model.positive_score(table.X)
    result = answered(model, table)
    found = result.refit(model, table.X, table.s)
    whole = type(model)(**model.get_params(deep=False))
    whole.fit(table.X, table.s, checked=checked_by(result, table))
    np.testing.assert_allclose(
        found.model.positive_score(table.X), whole.positive_score(table.X), rtol=1e-6
    )
    assert found.model.threshold_ == pytest.approx(whole.threshold_, rel=1e-6)
    assert found.model.class_prior_ == pytest.approx(whole.class_prior_, rel=1e-6)
    np.testing.assert_array_equal(model.positive_score(table.X), before)
    assert not model.is_mended


def test_answers_that_gain_something_change_the_model_and_say_so(table):
    model = threshold().fit(table.X, table.s)
    found = answered(model, table).refit(model, table.X, table.s)
    assert found.is_better
    assert found.gain > 2 * found.gain_error
    assert "The model follows 150 answers" in str(found)
    hidden = table.s == 0
    before, after = (
        roc_auc_score(table.y_true[hidden], one.held_out_score_[hidden])
        for one in (model, found.model)
    )
    assert after > before + 0.05


def test_answers_that_gain_nothing_leave_the_model(table):
    model = threshold().fit(table.X, table.s)
    result = answered(model, table)
    (audit,) = result.audits
    r = model.held_out_posterior_if_unlabeled_[audit.rows]
    coins = np.random.default_rng(3).random(len(r)) < r
    found = audit.estimate(coins).refit(model, table.X, table.s)
    assert found.gain <= 0
    assert found.model is model
    assert "The model stays" in str(found)


def test_a_pipeline_keeps_its_other_steps(table):
    pipeline = make_pipeline(StandardScaler(), threshold()).fit(table.X, table.s)
    found = answered(pipeline, table).refit(pipeline, table.X, table.s)
    assert found.model[0] is pipeline[0]
    assert found.model[-1].is_mended
    assert not pipeline[-1].is_mended
    assert found.model.predict_proba(table.X[:5]).shape == (5, 2)


def test_other_models_and_rows_are_refused(table):
    line = PULogistic().fit(table.X, table.s)
    with pytest.raises(ValueError, match="must be a PUEnsemble or a PUThresholdClassifier"):
        answered(line, table).refit(line, table.X, table.s)
    model = threshold().fit(table.X, table.s)
    result = answered(model, table)
    with pytest.raises(ValueError, match="`X` and `y` must be the rows of the fit"):
        result.refit(model, table.X + 1, table.s)
    with pytest.raises(ValueError, match="must be the classifier that was audited"):
        result.refit(threshold(rule="balanced_accuracy").fit(table.X, table.s), table.X, table.s)
    again = result.refit(model, table.X, table.s).model
    with pytest.raises(ValueError, match="fitted to labels alone"):
        answered(again, table).refit(again, table.X, table.s)
