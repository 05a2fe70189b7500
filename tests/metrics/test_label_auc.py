"""The AUC of the labels: by counting pairs, and against the AUC of the classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from unlabeled import EnhancedLogistic
from unlabeled.metrics import label_auc_score, label_auc_scorer, make_pu_scorer

Y = np.array([1, 1, 1, 0, 0, 0, 0])
SCORE = np.array([3.0, 2.0, 0.5, 2.0, 1.0, 0.0, -1.0])


def by_counting(y, score, weight):
    above = np.sign(np.subtract.outer(score[y == 1], score[y == 0])) / 2 + 0.5
    pairs = np.outer(weight[y == 1], weight[y == 0])
    return (above * pairs).sum() / pairs.sum()


def test_it_counts_pairs_with_ties_as_half():
    assert label_auc_score(Y, SCORE) == pytest.approx((4 + 3.5 + 2) / 12)
    weight = np.random.default_rng(0).random(7)
    assert label_auc_score(Y, SCORE, sample_weight=weight) == pytest.approx(
        by_counting(Y, SCORE, weight)
    )


@pytest.mark.parametrize("c", [0.2, 0.9])
def test_it_is_the_stated_function_of_the_true_auc(c):
    """Scores N(1, 1) of positives and N(0, 1) of negatives: AUC = Phi(1/sqrt 2)."""
    rng, n, alpha = np.random.default_rng(1), 200_000, 0.4
    y_true = rng.random(n) < alpha
    score = rng.normal(size=n) + y_true
    s = (y_true & (rng.random(n) < c)).astype(int)
    known = 0.5 + (1 - alpha) / (1 - alpha * c) * (norm.cdf(1 / np.sqrt(2)) - 0.5)
    error = 0.5 / np.sqrt(s.sum())  # at least the standard error of an AUC
    assert label_auc_score(s, score) == pytest.approx(known, abs=4 * error)
    against_all = label_auc_score(np.repeat([1, 0], [s.sum(), n]), np.append(score[s == 1], score))
    known = 0.5 + (1 - alpha) * (norm.cdf(1 / np.sqrt(2)) - 0.5)
    assert against_all == pytest.approx(known, abs=4 * error)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": SCORE[:-1]}, "`score` must hold one number for each of the 7 rows"),
        ({"score": np.append(SCORE[:-1], np.nan)}, "`score` must hold finite numbers.*1 rows"),
        ({"y": np.ones(7)}, "`y` must have two classes"),
        ({"sample_weight": 1.0 - Y}, "`sample_weight` must be positive for some row of each"),
    ],
)
def test_bad_input_is_rejected(options, message):
    with pytest.raises(ValueError, match=message):
        label_auc_score(**({"y": Y, "score": SCORE} | options))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 2))
    return X, (rng.random(300) < 0.8 * expit(3 * X[:, 0])).astype(int)


@pytest.mark.parametrize(
    "model", [LogisticRegression(), RandomForestClassifier(10, random_state=0), EnhancedLogistic()]
)
def test_the_scorer_is_the_auc_of_the_score(rows, model):
    X, y = rows
    model.fit(X, y)
    score = model.predict_proba(X)[:, 1]
    weight = np.random.default_rng(8).random(len(y))
    assert label_auc_scorer(model, X, y) == pytest.approx(label_auc_score(y, score), abs=1e-12)
    assert label_auc_scorer(model, X, y, sample_weight=weight) == pytest.approx(
        label_auc_score(y, score, sample_weight=weight), abs=1e-12
    )


@pytest.mark.parametrize("labeled", ["a yes", "yes"])  # "none" sorts between them
def test_the_scorer_points_to_the_pos_label_of_either_order(rows, labeled):
    X, y = rows
    text = pd.Series(np.where(y == 1, labeled, "none"))
    known = cross_val_score(LogisticRegression(), X, y, scoring=label_auc_scorer, cv=3)
    assert known.min() > 0.7
    scorer = make_pu_scorer("label_auc", pos_label=labeled)
    found = cross_val_score(LogisticRegression(), X, text, scoring=scorer, cv=3)
    np.testing.assert_allclose(found, known, atol=1e-12)
    forest = RandomForestClassifier(10, random_state=0).fit(X, text)
    assert scorer(forest, X, text) > 0.9
    ours = make_pipeline(EnhancedLogistic(pos_label=labeled)).fit(X, text)
    assert label_auc_scorer(ours, X, text) == pytest.approx(
        label_auc_scorer(EnhancedLogistic().fit(X, y), X, y), abs=1e-6
    )
