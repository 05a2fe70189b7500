"""A table of patients, and classifiers fitted to it."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.app.table_model import fit_table
from unlabeled.app.tables import Table, label_column, prepare

CLASSIFIERS = {
    "pu-logistic": lambda: PULogistic(random_state=0),
    "enhanced": EnhancedLogistic,
    "joint": JointLogistic,
    "naive": NaiveLogistic,
    "threshold": lambda: PUThresholdClassifier(NaiveLogistic(), rule="f1", random_state=0),
}


@pytest.fixture(scope="session")
def patients() -> Table:
    rng, n = np.random.default_rng(2), 600
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:04d}" for i in range(n)],
            "age": rng.normal(55, 12, n).round(1),
            "sex": rng.choice(["female", "male"], n),
            "bmi": rng.normal(27, 4, n).round(2),
        }
    )
    eta = -1 + 0.1 * (frame["age"] - 55) + 0.3 * (frame["bmi"] - 27) + (frame["sex"] == "male")
    ill = rng.random(n) < 1 / (1 + np.exp(-eta))
    frame.loc[rng.random(n) < 0.1, "bmi"] = np.nan
    frame["diagnosis"] = np.where(ill & (rng.random(n) < 0.5), "yes", None)
    return Table(frame, Path("patients.csv"))


@pytest.fixture(scope="session")
def fit_of(patients):
    """Return a function from the name of a classifier to its fit."""

    @cache
    def fit(name):
        prepared = prepare(patients, "diagnosis", id="patient")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit_table(CLASSIFIERS[name](), prepared, label_column(patients, "diagnosis"))

    return fit
