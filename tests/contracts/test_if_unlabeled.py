"""P(Y=1|x, unlabeled) of every classifier: of new rows, and of rows of the fit."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from tests.contracts.backends import data, in_chunks
from tests.contracts.test_public_state import LINEAR, OVER_OTHERS
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.audit import draw_audit
from unlabeled.datasets import make_paper_gaussian

pytestmark = pytest.mark.filterwarnings("ignore:.PU1")
every_classifier = pytest.mark.parametrize("model", [*LINEAR, *OVER_OTHERS], ids=str)


@every_classifier
def test_every_classifier_says_it_by_bayes_rule(model):
    X, s, _ = data()
    model = clone(model).fit(X, s)
    y = model.posterior_at(model.positive_score(X))
    c = model.propensity(X) if hasattr(model, "propensity") else model.label_frequency_
    found = model.posterior_if_unlabeled(X)
    assert found.shape == (len(X),)
    np.testing.assert_allclose(found, (1 - c) * y / (1 - c * y), rtol=1e-12, atol=1e-15)
    assert np.all(found <= y)
    if hasattr(model, "held_out_score_"):
        c = model.propensity(X) if hasattr(model, "propensity") else None
        np.testing.assert_array_equal(
            model.held_out_posterior_if_unlabeled_,
            model.posterior_if_unlabeled_at(model.held_out_score_, c),
        )


@every_classifier
def test_rows_in_chunks_get_the_same(model):
    X, s, _ = data()
    model = clone(model).fit(X, s)
    lazy = model.posterior_if_unlabeled(in_chunks(X, 100))
    np.testing.assert_allclose(lazy.compute(), model.posterior_if_unlabeled(X), rtol=1e-12)


def test_a_propensity_that_was_given_is_used_and_its_limits_hold():
    X, s, _ = data()
    model = EnhancedLogistic().fit(X, s)
    score = model.positive_score(X)
    y = model.posterior_at(score)
    np.testing.assert_array_equal(model.posterior_if_unlabeled_at(score, 0.0), y)
    assert not model.posterior_if_unlabeled_at(score, np.ones(len(X))).any()
    for wrong in (-0.1, 1.1, np.nan):
        with pytest.raises(ValueError, match="`propensity`"):
            model.posterior_if_unlabeled_at(score, wrong)
    named = PropensityLogistic(propensity_features=[0]).fit(X, s)
    with pytest.raises(ValueError, match="`propensity`"):
        named.posterior_if_unlabeled_at(score)


def test_the_mean_over_unlabeled_rows_is_what_the_class_prior_leaves():
    sample = make_paper_gaussian(n=20_000, label_frequency=0.5, random_state=0)
    model = PULogistic(class_prior=float(sample.y_true.mean())).fit(sample.X, sample.s)
    share = sample.s.mean()
    hidden = (model.class_prior_ - share) / (1 - share)
    found = model.held_out_posterior_if_unlabeled_[sample.s == 0]
    assert found.mean() == pytest.approx(hidden, abs=0.005)
    # and it is right in every tenth of the rows: known truth
    truth, order = sample.y_true[sample.s == 0], np.argsort(found)
    for part in np.array_split(order, 10):
        error = np.sqrt(0.25 / len(part))
        assert truth[part].mean() == pytest.approx(found[part].mean(), abs=4 * error)


def test_in_two_samples_it_is_the_posterior_of_the_population():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 2))
    y_true = rng.random(6000) < expit(2 * X[:, 0] - 1)
    cases = np.flatnonzero(y_true[:3000])[:600]
    stacked, s = np.vstack([X[cases], X[3000:]]), np.repeat([1, 0], [len(cases), 3000])
    for model in (
        PULogistic(sampling="two-sample"),
        JointLogistic(sampling="two-sample"),
        PUThresholdClassifier(LogisticRegression(), sampling="two-sample", random_state=0),
        PUEnsemble(members=[("line", PULogistic())], sampling="two-sample", random_state=0),
    ):
        model.fit(stacked, s)
        found = model.posterior_if_unlabeled(stacked)
        np.testing.assert_array_equal(found, model.posterior_at(model.positive_score(stacked)))
        assert found[s == 0].mean() == pytest.approx(model.class_prior_, abs=0.02)
        with pytest.raises(ValueError, match="two samples"):
            model.posterior_if_unlabeled_at(0.0, 0.3)


def test_answers_say_what_unlabeled_rows_are_and_not_the_label_frequency():
    """The clearest positives are labeled: unlabeled ones lie further down."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6000, 2))
    y = expit(3 * X[:, 0] - 0.5)
    y_true = rng.random(6000) < y
    e = expit(2 * X[:, 0] - 1)
    s = (y_true & (rng.random(6000) < e)).astype(int)
    checked = np.where((s == 0) & (rng.random(6000) < 0.2), y_true, np.nan)
    model = PULogistic().fit(X, s, checked=checked)
    truth = (1 - e) * y / (1 - e * y)
    found, by_frequency = (
        model.posterior_if_unlabeled(X),
        model.posterior_if_unlabeled_at(model.positive_score(X), model.label_frequency_),
    )
    unknown = (s == 0) & np.isnan(checked)
    assert found[unknown].mean() == pytest.approx(y_true[unknown].mean(), abs=0.03)
    error, other = (np.abs(one - truth)[unknown].mean() for one in (found, by_frequency))
    assert error < 0.5 * other
    again = model.fit(X, s)  # without answers it is the label frequency again
    assert again._missed_along_ is None


def test_a_named_propensity_says_what_unlabeled_rows_are():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8000, 2))
    y = expit(2 * X[:, 0] + 0.2)
    e = expit(1.5 * X[:, 1] - 0.5)
    y_true = rng.random(8000) < y
    s = (y_true & (rng.random(8000) < e)).astype(int)
    model = PropensityLogistic(propensity_features=[1], class_prior=float(y_true.mean())).fit(X, s)
    truth = (1 - e) * y / (1 - e * y)
    assert np.abs(model.posterior_if_unlabeled(X) - truth).mean() < 0.08
    found = model.held_out_posterior_if_unlabeled_[s == 0]
    assert found.mean() == pytest.approx(y_true[s == 0].mean(), abs=0.03)


def test_an_audited_classifier_says_what_its_answers_say():
    sample = make_paper_gaussian(n=4000, label_frequency=0.5, random_state=0)
    model = PULogistic().fit(sample.X, sample.s)
    audit = draw_audit(model, sample.X, sample.s, size=200, random_state=0)
    audited = audit.estimate(sample.y_true[audit.rows]).recut(model)
    found = audited.posterior_if_unlabeled(sample.X)[sample.s == 0]
    assert found.mean() == pytest.approx(sample.y_true[sample.s == 0].mean(), abs=0.05)


def test_many_rows_in_chunks_have_it_by_the_score_that_leaves_each_out(monkeypatch):
    monkeypatch.setattr(PULogistic, "_subset_rows", 500)
    sample = make_paper_gaussian(n=2000, label_frequency=0.5, random_state=0)
    model = PULogistic().fit(in_chunks(sample.X, 700), sample.s)
    with pytest.raises(AttributeError, match="held_out_scores"):
        model.held_out_posterior_if_unlabeled_  # noqa: B018
    score = model.held_out_scores(sample.X, sample.s)
    found = model.posterior_if_unlabeled_at(score)
    assert found[sample.s == 0].mean() < model.posterior_at(score)[sample.s == 0].mean()
