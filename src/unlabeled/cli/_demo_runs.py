"""The fits of `unlabeled demo`: data whose classes are known, and every method on them."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from .. import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic
from ..codes import PUWarning
from ..datasets import hide_labels, make_paper_gaussian
from ..label_frequency import ElkanNoto, TIcE

LABEL_FREQUENCY = 0.3
SEED = 0


@dataclass(frozen=True)
class DemoData:
    """Rows split in two, with the classes that the methods do not see."""

    name: str
    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class DemoRow:
    """One line of the table."""

    data: str
    method: str
    f1: float
    balanced_accuracy: float
    label_frequency: float
    class_prior: float
    milliseconds: float
    notes: str


METHODS: dict[str, Callable[[], Any]] = {
    "Oracle": lambda: LogisticRegression(C=np.inf, max_iter=1000),
    "Naive": NaiveLogistic,
    "Enhanced": EnhancedLogistic,
    "PULogistic": PULogistic,
    "JOINT": JointLogistic,
    "MM": lambda: JointLogistic(solver="mm"),
    "EN": lambda: WeightedLogistic(ElkanNoto()),
    "TIcE": lambda: WeightedLogistic(TIcE(random_state=SEED)),
}


def breast_cancer() -> DemoData:
    """Malignant among benign tumours, 30 standardised features."""
    X, benign = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return _split("breast cancer, malignant positive (569 rows, 30 features)", X, 1 - benign)


def paper_design() -> DemoData:
    """Three normal features and a logistic posterior."""
    sample = make_paper_gaussian(10_000, LABEL_FREQUENCY, random_state=SEED)
    return _split("the paper's synthetic design (10 000 rows, 3 features)", sample.X, sample.y_true)


def _split(name: str, X: np.ndarray, y_true: np.ndarray) -> DemoData:
    s = hide_labels(y_true, LABEL_FREQUENCY, random_state=SEED)
    X, X_test, s, _, y_true, y_test = train_test_split(
        X, s, y_true, test_size=0.3, random_state=SEED
    )
    return DemoData(name, X, s, y_true, X_test, y_test)


def run_method(data: DemoData, method: str) -> DemoRow:
    """Fit one method and score it on the held-out rows."""
    model = METHODS[method]()
    target = data.y_true if method == "Oracle" else data.s
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model.fit(data.X, target)
        elapsed = time.perf_counter() - start
    predicted = model.predict(data.X_test)
    codes = sorted({w.message.code for w in caught if isinstance(w.message, PUWarning)})
    return DemoRow(
        data=data.name,
        method=method,
        f1=float(f1_score(data.y_test, predicted)),
        balanced_accuracy=float(balanced_accuracy_score(data.y_test, predicted)),
        label_frequency=float(getattr(model, "label_frequency_", np.nan)),
        class_prior=float(getattr(model, "class_prior_", np.nan)),
        milliseconds=1000 * elapsed,
        notes=" ".join(codes),
    )
