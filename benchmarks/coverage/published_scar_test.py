"""The published test of SCAR, measured beside `scar_test`.

P. Teisseyre, K. Furmańczyk, J. Mielniczuk (2024). Verifying the selected completely at random
assumption in positive-unlabeled learning. ECAI.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import check_random_state

_FEWEST_ADDED = 10
_FOLDS = 5


def published_scar_test(
    X: np.ndarray,
    s: np.ndarray,
    label_frequency: float,
    *,
    score: np.ndarray | None = None,
    n_resamples: int = 200,
    random_state: Any = None,
) -> float:
    """Compare labeled rows with rows that are assumed positive; return a Monte Carlo p-value.

    The unlabeled rows with the largest scores, n(p_s/c - p_s) and at least ten, are assumed
    positive, as are the labeled ones. The statistic is the divergence of normal distributions
    with independent features. Under SCAR labels are drawn with probability c among the rows
    assumed positive. The p-value is (1 + draws at least as large) / (1 + draws), not the published
    fraction, which may be 0. The test rejects far too often where classes overlap, because rows
    with the largest scores are not distributed like positives. The score is P(S=1|x) of any
    classifier; by default of a logistic regression in five folds.
    """
    rng = check_random_state(random_state)
    if score is None:
        score = _out_of_fold(X, s, rng)
    taken = _taken_for_positive(score, s, label_frequency)
    features = X[taken].astype(np.float64)
    features = features[:, features.var(axis=0) > 0]
    statistic = _divergence(features, s[taken] == 1)
    drawn = rng.uniform(size=(n_resamples, len(features))) < label_frequency
    null = np.array([_divergence(features, labeled) for labeled in drawn])
    return float((1 + np.sum(null >= statistic)) / (1 + len(null)))


def _out_of_fold(X: np.ndarray, s: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=rng)
    model = LogisticRegression(max_iter=1000)
    return np.asarray(cross_val_predict(model, X, s, cv=folds, method="predict_proba")[:, 1])


def _taken_for_positive(score: np.ndarray, s: np.ndarray, c: float) -> np.ndarray:
    share = s.mean()
    n_added = max(_FEWEST_ADDED, int(np.floor(len(s) * (share / c - share))))
    unlabeled = np.flatnonzero(s == 0)
    best = unlabeled[np.argsort(-score[unlabeled], kind="stable")[:n_added]]
    return np.sort(np.concatenate([np.flatnonzero(s == 1), best]))


def _divergence(features: np.ndarray, labeled: np.ndarray) -> float:
    """Return the divergence of the labeled rows from all rows; infinite without spread."""
    own = features[labeled]
    if len(own) < 2:
        return np.inf
    variance, all_variance = own.var(axis=0), features.var(axis=0)
    ratio = variance / all_variance
    if not np.all(ratio > 0):
        return np.inf
    shift = (features.mean(axis=0) - own.mean(axis=0)) ** 2 / all_variance
    return float(0.5 * np.sum(shift + ratio - np.log(ratio) - 1))
