"""Formulas in recall, share and class prior: identities, conventions, agreement with counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from unlabeled import rates

CORRECTED = (
    "precision",
    "accuracy",
    "balanced_accuracy",
    "mcc",
    "f1",
    "fowlkes_mallows",
)


@st.composite
def confusion_counts(draw):
    """True positives, false positives, false negatives, true negatives; no empty margin."""
    return tuple(draw(st.integers(1, 1000)) for _ in range(4))


def rates_of(tp, fp, fn, tn):
    n = tp + fp + fn + tn
    return tp / (tp + fn), (tp + fp) / n, (tp + fn) / n


@given(confusion_counts())
def test_every_formula_reproduces_the_confusion_table(counts):
    tp, fp, fn, tn = counts
    n = sum(counts)
    known = rates_of(*counts)
    expected = {
        "precision": tp / (tp + fp),
        "accuracy": (tp + tn) / n,
        "proxy_accuracy": (tp - fp) / n,
        "balanced_accuracy": (tp / (tp + fn) + tn / (tn + fp)) / 2,
        "mcc": (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "fowlkes_mallows": tp / math.sqrt((tp + fp) * (tp + fn)),
    }
    for name, value in expected.items():
        assert getattr(rates, name)(*known) == pytest.approx(value, abs=1e-9), name
    assert rates.fbeta(*known, beta=2) == pytest.approx(5 * tp / (5 * tp + 4 * fn + fp))
    cost = rates.cost(*known, miss=3, false_alarm=0.5)
    assert cost == pytest.approx((3 * fn + 0.5 * fp) / n)


@given(confusion_counts())
def test_f1_pu_is_squared_fowlkes_mallows_over_the_prior(counts):
    recall, share, prior = rates_of(*counts)
    index = rates.fowlkes_mallows(recall, share, prior)
    assert rates.f1_pu(recall, share) == pytest.approx(index**2 / prior)
    precision = rates.precision(recall, share, prior)
    assert rates.f1_pu(recall, share) == pytest.approx(precision * recall / prior)
    assert rates.lift(recall, share) == pytest.approx(precision / prior)


@given(confusion_counts())
def test_true_class_prior_never_exceeds_its_bound(counts):
    recall, share, prior = rates_of(*counts)
    assert prior <= rates.largest_class_prior(recall, share) + 1e-12


def test_bound_on_the_prior_is_where_a_cell_of_the_table_empties():
    recall, share = 0.8, 0.2
    bound = rates.largest_class_prior(recall, share)
    assert bound == pytest.approx(0.25)
    assert rates.precision(recall, share, bound) == pytest.approx(1)
    recall, share = 0.1, 0.7
    bound = rates.largest_class_prior(recall, share)
    assert 1 - bound - share + bound * recall == pytest.approx(0)  # no true negatives
    assert bound == pytest.approx(1 / 3)


def test_bound_on_the_prior_is_one_for_constant_predictions():
    assert list(rates.largest_class_prior(np.array([0.0, 1]), np.array([0.0, 1]))) == [1, 1]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("precision", 0), ("f1", 0), ("mcc", 0), ("fowlkes_mallows", 0), ("balanced_accuracy", 0.5)],
)
def test_predicting_nothing_positive(name, expected):
    assert getattr(rates, name)(0.0, 0.0, 0.3) == expected


def test_label_only_measures_of_predicting_nothing_are_zero():
    assert (rates.f1_pu(0.0, 0.0), rates.lift(0.0, 0.0)) == (0, 0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("precision", 0.3), ("mcc", 0), ("balanced_accuracy", 0.5), ("accuracy", 0.3)],
)
def test_predicting_everything_positive(name, expected):
    assert getattr(rates, name)(1.0, 1.0, 0.3) == pytest.approx(expected)
    assert (rates.f1_pu(1.0, 1.0), rates.lift(1.0, 1.0)) == (1, 1)


@pytest.mark.parametrize("name", CORRECTED)
def test_formulas_broadcast_over_cuts_and_priors(name):
    recall, share = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0])
    priors = np.array([[0.1], [0.3]])
    table = getattr(rates, name)(recall, share, priors)
    assert table.shape == (2, 3)
    single = getattr(rates, name)(0.5, 0.2, 0.3)
    assert np.ndim(single) == 0
    assert table[1, 1] == pytest.approx(single)


@pytest.mark.parametrize("name", ["balanced_accuracy", "mcc"])
def test_best_cut_by_balanced_accuracy_and_mcc_is_free_of_the_prior(name):
    recall = np.linspace(0, 1, 101)
    share = 0.2 * recall + 0.8 * recall**3
    best = {np.argmax(getattr(rates, name)(recall, share, a)) for a in (0.05, 0.2, 0.6)}
    assert len(best) == 1


def test_best_cut_by_f1_moves_with_the_prior():
    recall = np.linspace(0, 1, 101)
    share = 0.05 * recall + 0.95 * recall**3
    best = [int(np.argmax(rates.f1(recall, share, a))) for a in (0.01, 0.05, 0.5)]
    assert best == sorted(best)
    assert best[0] < best[-1]


def test_formulas_agree_with_scikit_learn_on_random_tables():
    rng = np.random.default_rng(0)
    y = rng.random(500) < 0.3
    y_pred = rng.random(500) < np.where(y, 0.7, 0.2)
    known = (y_pred[y].mean(), y_pred.mean(), y.mean())
    assert rates.precision(*known) == pytest.approx(sk.precision_score(y, y_pred))
    assert rates.fbeta(*known, beta=0.5) == pytest.approx(sk.fbeta_score(y, y_pred, beta=0.5))
    assert rates.mcc(*known) == pytest.approx(sk.matthews_corrcoef(y, y_pred))
