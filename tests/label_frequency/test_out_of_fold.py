"""Scores of rows by fits that did not see them."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import BestBin, ElkanNoto
from unlabeled.label_frequency._out_of_fold import NaiveFit, naive_scores

FIT = NaiveFit(C=1.0, fit_intercept=True, tol=1e-9, max_iter=1000)


@pytest.fixture
def rows(golden):
    data = golden(label_frequency=0.6)
    return validate_rows(ElkanNoto(), data.X[:400], data.s[:400])


def test_scores_are_those_of_scikit_learn_fitted_fold_by_fold(rows):
    scores = naive_scores(rows, FIT, 4, random_state=3)
    expected = np.empty(400)
    for train, test in StratifiedKFold(4, shuffle=True, random_state=3).split(rows.X, rows.s):
        model = LogisticRegression(tol=1e-10, max_iter=1000).fit(rows.X[train], rows.s[train])
        expected[test] = model.decision_function(rows.X[test])
    np.testing.assert_allclose(scores.values, expected, atol=1e-5)
    assert scores.converged


def test_without_folds_one_fit_scores_the_rows_it_saw(rows):
    model = LogisticRegression(tol=1e-10, max_iter=1000).fit(rows.X, rows.s)
    expected = model.decision_function(rows.X)
    np.testing.assert_allclose(naive_scores(rows, FIT, None, 0).values, expected, atol=1e-5)


def test_a_row_scored_several_times_gets_the_mean(rows):
    splitter = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    splits = list(splitter.split(rows.X, rows.s))
    both = naive_scores(rows, FIT, splits, 0).values
    one, other = (naive_scores(rows, FIT, part, 0).values for part in (splits[:3], splits[3:]))
    np.testing.assert_allclose(both, (one + other) / 2, rtol=1e-12)


def test_a_split_in_any_order_of_rows_scores_the_same(rows):
    order = np.random.default_rng(0).permutation(400)
    everything = [(order, order[:150]), (order[::-1], order[150:])]
    expected = naive_scores(rows, FIT, None, 0).values
    np.testing.assert_allclose(naive_scores(rows, FIT, everything, 0).values, expected, atol=1e-6)


def test_a_row_never_scored_is_an_error(rows):
    with pytest.raises(ValueError, match="`cv` must .*every row"):
        naive_scores(rows, FIT, [(np.arange(200, 400), np.arange(200))], 0)


def test_a_split_without_labeled_rows_to_fit_is_an_error(rows):
    unlabeled = np.flatnonzero(rows.s == 0)
    with pytest.raises(ValueError, match="`cv` must leave labeled and unlabeled"):
        naive_scores(rows, FIT, [(unlabeled, np.arange(400))], 0)


def test_automatic_folds_shrink_with_the_labeled_rows(rng):
    X, s = rng.normal(size=(60, 2)), np.repeat([1, 0], [3, 57])
    automatic = BestBin(random_state=0).fit(X, s).label_frequency_
    assert automatic == BestBin(cv=3, random_state=0).fit(X, s).label_frequency_
    s[1:3] = 0
    with pytest.raises(ValueError, match="BestBin .* got 1 labeled of 60"):
        BestBin().fit(X, s)
