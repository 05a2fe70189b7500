"""What each classifier can: every combination is tried on a small table, and refusals are kept.

``python -m tests.contracts.abilities`` writes ``docs/choose/abilities.csv``.
"""

from __future__ import annotations

import csv
import inspect
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

import unlabeled
from unlabeled.app import ModelFileError, export_onnx, save_model, table_pipeline
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inspection import contributions

FILE = Path(__file__).parents[2] / "docs" / "choose" / "abilities.csv"
WHY = "why not"
DATA = make_paper_gaussian(n=200, label_frequency=0.5, random_state=0)
X, S = DATA.X, DATA.s
EVERY_THIRD = np.arange(len(S)) % 3 == 0
CHECKED = np.where((S == 0) & EVERY_THIRD, DATA.y_true, np.nan)
NEGATIVES = (S == 0) & (DATA.y_true == 0) & EVERY_THIRD
HOLED = np.where(EVERY_THIRD[:, None] & [True, False, False], np.nan, X)
TABLE = pd.DataFrame(X, columns=["a", "b", "c"])

MEMBERS = [
    ("line", LogisticRegression()),
    ("trees", ExtraTreesClassifier(10, bootstrap=True, oob_score=True)),
    ("boosting", HistGradientBoostingClassifier(max_iter=5)),
]
SPECIAL = {
    "PropensityLogistic": unlabeled.PropensityLogistic(propensity_features=[0]),
    "PUThresholdClassifier": unlabeled.PUThresholdClassifier(LogisticRegression(), random_state=0),
    "PUEnsemble": unlabeled.PUEnsemble(members=MEMBERS, grid={}, random_state=0),
    "WeightedLogistic": unlabeled.WeightedLogistic(weighting="posterior"),
}
ORDER = (
    "PULogistic PUEnsemble PUThresholdClassifier PropensityLogistic JointLogistic "
    "EnhancedLogistic WeightedLogistic NaiveLogistic"
)
CLASSIFIERS = {name: SPECIAL.get(name) or getattr(unlabeled, name)() for name in ORDER.split()}


class MissingNameError(Exception):
    """A class has no such parameter or method."""


def fit(model: Any, rows: Any = X, labels: Any = S, **more: Any) -> Any:
    return clone(model).fit(rows, labels, **more)


def fit_with(model: Any, **options: Any) -> Any:
    for name in options:
        if name not in model.get_params(deep=False):
            raise MissingNameError(f"no parameter `{name}`")
    return fit(clone(model).set_params(**options))


def interval(model: Any) -> None:
    if not hasattr(model, "class_prior_interval"):
        raise MissingNameError("no method `class_prior_interval`")
    fitted = fit(model)
    takes_rows = "X" in inspect.signature(fitted.class_prior_interval).parameters
    fitted.class_prior_interval(*((X, S) if takes_rows else ()))


def saved(model: Any) -> None:
    with TemporaryDirectory() as folder:
        save_model(table_pipeline(clone(model)).fit(TABLE, S), folder)


def as_onnx(model: Any) -> None:
    with TemporaryDirectory() as folder:
        export_onnx(table_pipeline(clone(model)).fit(TABLE, S), f"{folder}/model.onnx")


def in_chunks(model: Any) -> None:
    fit(model, da.from_array(X, chunks=(100, 3)), da.from_array(S, chunks=100))


ABILITIES: dict[str, Callable[[Any], Any]] = {
    "a rule that chooses the cut": lambda model: fit_with(model, rule="balanced_accuracy"),
    "a class prior that is known": lambda model: fit_with(model, class_prior=0.4),
    "a label frequency that is known": lambda model: fit_with(model, label_frequency=0.5),
    "checked rows": lambda model: fit(model, checked=CHECKED),
    "recorded negatives": lambda model: fit(model, negatives=NEGATIVES),
    "groups": lambda model: fit(model, groups=np.arange(len(S)) // 2),
    "row weights": lambda model: fit(model, sample_weight=1.0 + EVERY_THIRD),
    "two samples": lambda model: fit_with(model, sampling="two-sample"),
    "missing cells": lambda model: fit(model, HOLED),
    "sparse rows": lambda model: fit(model, sparse.csr_matrix(X)),
    "rows in chunks of Dask": in_chunks,
    "an interval of the class prior": interval,
    "contributions to the score": lambda model: contributions(fit(model), X[:2], background=X),
    "a safe file": saved,
    "ONNX": as_onnx,
}


class Answer(NamedTuple):
    """Whether a classifier has an ability, and if not, why: what the message asks for."""

    has: bool
    why: str = ""


def answer(name: str, model: Any) -> Answer:
    """Try an ability; an error that is not a refusal of ours, or scikit-learn's, is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ABILITIES[name](model)
        except (MissingNameError, ValueError, TypeError, ModelFileError) as error:
            return Answer(False, reason(error))
    return Answer(True)


def reason(error: Exception) -> str:
    """Return what a message asks for, without what it got."""
    message = str(error)
    is_ours = isinstance(error, MissingNameError) or re.match(r"`\w+` must ", message)
    if not is_ours and not message.startswith("Input X contains NaN"):
        raise error
    return re.split(r"; got |\. |\.?\n", message)[0]


def write() -> None:
    """Write the table: a line per ability, with the reasons of those that refuse."""
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", *CLASSIFIERS, WHY])
        for name in ABILITIES:
            found = [answer(name, model) for model in CLASSIFIERS.values()]
            why = "; ".join(dict.fromkeys(one.why for one in found if not one.has))
            writer.writerow([name, *("yes" if one.has else "no" for one in found), why])


if __name__ == "__main__":
    write()
