"""The published test of SCAR, as a baseline for `scar_test`."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.utils import check_random_state

from ..engine.parameters import check_fraction, check_positive
from ..engine.rows import reject_chunks, reject_sparse, score_column, validate_rows

_FEWEST_ADDED = 10
_FOLDS = 5


@dataclass(frozen=True)
class PublishedScarTest:
    """Result of the published SCAR test.

    Attributes
    ----------
    statistic : float
        Kullback-Leibler divergence of the labelled rows from the rows assumed positive.
    null_statistics : ndarray of shape (n_resamples,)
        The same with labels drawn among the rows assumed positive.
    p_value : float
        Monte Carlo p-value; see the notes of `published_scar_test`.
    n_taken : int
        Number of rows assumed positive.
    """

    statistic: float
    null_statistics: np.ndarray
    p_value: float
    n_taken: int


def published_scar_test(
    X: Any,
    y: Any,
    label_frequency: float,
    *,
    score: Any = None,
    n_resamples: int = 200,
    positive_label: Any = None,
    random_state: Any = None,
) -> PublishedScarTest:
    r"""Test SCAR as published: labelled rows against rows that are assumed positive.

    A baseline; use `scar_test`. **It rejects far too often when classes overlap**, because the rows
    with the largest scores are not distributed like positives. On SCAR data of the paper's design,
    at a level of 5 % and with c estimated, it rejects about 60 % (1000 rows, c = .3) or over 90 %
    (c = .6) of the samples, and all of them with 5000 rows. The table is in the documentation,
    under "How sure, measured".

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Features, dense.
    y : array-like of shape (n_rows,)
        Label column.
    label_frequency : float
        The label frequency c, known or estimated.
    score : array-like of shape (n_rows,), optional
        P(S=1|x) by any classifier; if None, by five-fold logistic regression.
    n_resamples : int, default=200
        Number of label columns to draw.
    positive_label : object, optional
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Controls the folds and the drawn label columns; pass an int for reproducible output.

    Returns
    -------
    test : PublishedScarTest

    See Also
    --------
    unlabeled.diagnostics.scar_test : The test to use.

    Notes
    -----
    The :math:`\lfloor n(p_s/c - p_s)\rfloor` unlabelled rows with the largest scores, at least
    ten, are assumed positive, as are the labelled ones. The statistic is the divergence of normal
    distributions with independent features,

    .. math:: \tfrac12 \sum_j \Bigl(\frac{(\mu_{2j}-\mu_{1j})^2}{v_{2j}}
              + \frac{v_{1j}}{v_{2j}} - \log\frac{v_{1j}}{v_{2j}} - 1\Bigr),

    with index 1 for the labelled rows and 2 for the rows assumed positive. Constant features are
    left out. Under SCAR labels are drawn with probability c among the rows assumed positive. The
    p-value is (1 + draws at least as large) / (1 + draws), not the published fraction, which
    may be 0.

    References
    ----------
    P. Teisseyre, K. Furmańczyk, J. Mielniczuk (2024). Verifying the selected completely at random
    assumption in positive-unlabeled learning. ECAI.

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.diagnostics import published_scar_test
    >>> data = make_paper_gaussian(n=5000, c=0.3, random_state=0)
    >>> published_scar_test(data.X, data.s, 0.3, random_state=0).p_value < 0.05
    True
    """
    check_fraction("label_frequency", label_frequency)
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 1")
    reject_sparse(X, "published_scar_test")
    reject_chunks(X, "published_scar_test")
    rows = validate_rows(BaseEstimator(), X, y, positive_label=positive_label)
    rng = check_random_state(random_state)
    given = score is not None
    score = score_column(score, rows.s) if given else _out_of_fold(rows.X, rows.s, rng)
    taken = _taken_for_positive(score, rows.s, label_frequency)
    features = rows.X[taken].astype(np.float64)
    features = features[:, features.var(axis=0) > 0]
    statistic = _divergence(features, rows.s[taken] == 1)
    drawn = rng.uniform(size=(int(n_resamples), len(features))) < label_frequency
    null = np.array([_divergence(features, labelled) for labelled in drawn])
    p_value = (1 + np.sum(null >= statistic)) / (1 + len(null))
    return PublishedScarTest(statistic, null, float(p_value), len(features))


def _out_of_fold(X: np.ndarray, s: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=rng)
    model = LogisticRegression(max_iter=1000)
    return np.asarray(cross_val_predict(model, X, s, cv=folds, method="predict_proba")[:, 1])


def _taken_for_positive(score: np.ndarray, s: np.ndarray, c: float) -> np.ndarray:
    share = s.mean()
    n_added = max(_FEWEST_ADDED, int(np.floor(len(s) * (share / c - share))))
    unlabelled = np.flatnonzero(s == 0)
    best = unlabelled[np.argsort(-score[unlabelled], kind="stable")[:n_added]]
    return np.sort(np.concatenate([np.flatnonzero(s == 1), best]))


def _divergence(features: np.ndarray, labelled: np.ndarray) -> float:
    """Return the divergence of the labelled rows from all rows; infinite without spread."""
    own = features[labelled]
    if len(own) < 2:
        return np.inf
    variance, all_variance = own.var(axis=0), features.var(axis=0)
    ratio = variance / all_variance
    if not np.all(ratio > 0):
        return np.inf
    shift = (features.mean(axis=0) - own.mean(axis=0)) ** 2 / all_variance
    return float(0.5 * np.sum(shift + ratio - np.log(ratio) - 1))
