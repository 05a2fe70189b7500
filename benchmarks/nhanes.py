"""Diabetes among 10 697 fasting adults of NHANES: labels that nobody made, and the truth.

The file ``nhanes.csv.gz`` is read from the folder named by UNLABELED_DATA.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from unlabeled.datasets import DatasetError

_FILE = "nhanes.csv.gz"
_NUMBERS = (
    "age",
    "waist_cm",
    "bmi",
    "height_cm",
    "systolic",
    "diastolic",
    "cholesterol",
    "hdl",
    "active",
)
_CATEGORIES = (
    "sex",
    "ethnicity",
    "education",
    "born_in_usa",
    "told_hypertension",
    "parent_or_sibling_diabetic",
    "smoker",
)


class Nhanes(NamedTuple):
    """The rows of NHANES.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        Numbers, missing ones filled with the median, and 0/1 columns of the categories.
    y_true : ndarray of shape (n,), int
        1 for a person whose blood says diabetes, or whom a doctor had told so.
    told : ndarray of shape (n,), int
        1 for a person whom a doctor had told so.
    """

    X: np.ndarray
    y_true: np.ndarray
    told: np.ndarray


@cache
def load_nhanes() -> Nhanes:
    """Load and prepare the table."""
    folder = os.environ.get("UNLABELED_DATA")
    path = None if folder is None else Path(folder) / _FILE
    if path is None or not path.exists():
        raise DatasetError(f"`UNLABELED_DATA` must name a folder with {_FILE}; got {folder!r}.")
    table = pd.read_csv(path, keep_default_na=False, na_values=[""])
    numbers = table[list(_NUMBERS)].copy()
    numbers["diastolic"] = numbers["diastolic"].replace(0, np.nan)  # cannot be measured as 0
    numbers = numbers.fillna(numbers.median())
    categories = table[list(_CATEGORIES)].fillna("?")
    indicators = pd.get_dummies(categories, drop_first=True, dtype=float)
    X = np.column_stack([numbers.to_numpy(np.float64), indicators.to_numpy(np.float64)])
    told = (table["told_diabetes"] == "yes").to_numpy(np.int64)
    return Nhanes(X, table["diabetes"].to_numpy(np.int64), told)
