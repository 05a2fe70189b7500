"""How the classifiers of pulearn 0.2.0 are used: as documented, with its defaults.

Labels are 1 for labeled and 0 for unlabeled rows. A base classifier, if needed, is
scikit-learn's logistic regression with its default ridge; the features are standardized.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

BAGS = 100


def fit_elkan_noto(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Elkan and Noto's first method, a tenth of the rows held out, the default."""
    from pulearn import ElkanotoPuClassifier

    return ElkanotoPuClassifier(_base(), random_state=seed).fit(X, s)


def fit_weighted_elkan_noto(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """The weighted method, given the numbers of labeled and unlabeled training rows."""
    from pulearn import WeightedElkanotoPuClassifier

    labeled = int(s.sum())
    model = WeightedElkanotoPuClassifier(_base(), labeled, len(s) - labeled, random_state=seed)
    return model.fit(X, s)


def fit_bagging(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """A hundred bags, each with as many unlabeled as labeled rows, as in its paper.

    With the default, bags of all unlabeled rows, hardly any row is predicted positive.
    """
    from pulearn import BaggingPuClassifier

    labeled = int(s.sum())
    size = min(labeled, len(s) - labeled)
    return BaggingPuClassifier(_base(), BAGS, max_samples=size, random_state=seed).fit(X, s)


def fit_nnpu(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Linear nnPU with P(Y=1) as handed, or as estimated by pulearn's EM.

    Its docstring asks for the fraction of positives among the unlabeled rows. With P(Y=1),
    which pulearn's estimators give, it does better if labels are many, and as well if few.
    """
    from pulearn import NNPUClassifier, ScarEMPriorEstimator

    if prior is None:
        prior = float(ScarEMPriorEstimator().fit(X, s).result_.pi)
    return NNPUClassifier(prior, random_state=seed).fit(X, s)


def fit_naive_bayes(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Positive naive Bayes."""
    from pulearn import PositiveNaiveBayesClassifier

    return PositiveNaiveBayesClassifier().fit(X, s)


def fit_weighted_naive_bayes(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Naive Bayes with features weighted by mutual information."""
    from pulearn import WeightedNaiveBayesClassifier

    return WeightedNaiveBayesClassifier().fit(X, s)


def fit_tan(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Positive tree-augmented naive Bayes."""
    from pulearn import PositiveTANClassifier

    return PositiveTANClassifier().fit(X, s)


def fit_weighted_tan(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Tree-augmented naive Bayes with weighted features."""
    from pulearn import WeightedTANClassifier

    return WeightedTANClassifier().fit(X, s)


def _base() -> LogisticRegression:
    return LogisticRegression(max_iter=1000)
