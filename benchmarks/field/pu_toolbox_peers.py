"""How the classifiers of pu-toolbox 1.11.0 are used: as documented, all defaults.

Labels are 1 for labeled and 0 for unlabeled rows; the features are standardized. Methods that
need P(Y=1) get the estimate of the package's default estimator (pen-L1), or the true one.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def fit_auto(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """The one-call pipeline, which chooses the method."""
    from pu_toolbox import PUPipeline

    return PUPipeline(random_state=_small(seed)).fit_evaluate(X, s).final_model


def fit_elkan_noto(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Elkan and Noto's second method, weighted copies of the unlabeled rows."""
    from pu_toolbox import ElkanNotoClassifier

    return ElkanNotoClassifier(random_state=_small(seed)).fit(X, s)


def fit_upu(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Unbiased PU risk, by default squared loss, which has no intercept."""
    from pu_toolbox import UPUClassifier

    return UPUClassifier(_prior(X, s, prior), random_state=_small(seed)).fit(X, s)


def fit_nnpu(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Non-negative PU risk, by default of a linear torch model."""
    from pu_toolbox import NonNegativePUClassifier

    prior = _prior(X, s, prior)
    model = NonNegativePUClassifier(class_prior=prior, random_state=_small(seed), device="cpu")
    return model.fit(X, s)


def fit_pusb(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Ranking under selection bias, at its default threshold."""
    from pu_toolbox import PUSBClassifier

    return PUSBClassifier().fit(X, s)


def fit_lbe(X: np.ndarray, s: np.ndarray, seed: int, prior: float | None) -> Any:
    """Class and labeling bias estimated in turn."""
    from pu_toolbox import LBEClassifier

    return LBEClassifier().fit(X, s)


def _prior(X: np.ndarray, s: np.ndarray, handed: float | None) -> float:
    from pu_toolbox import ClassPriorEstimator

    return float(ClassPriorEstimator().fit(X, s).estimate()) if handed is None else handed


def _small(seed: int) -> int:
    return seed % 2**31
