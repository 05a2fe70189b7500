"""How many names a user may learn: `python -m benchmarks.house.surface`.

It counts the version that is imported, so PYTHONPATH=FOLDER/src counts another one.
"""

from __future__ import annotations

import importlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import unlabeled

# What 0.2.0 offered of its app. The paper is counted in no version: it is beside the library now.
_NOT_OFFERED = {"app", "ensemble", "linear_model", "meta", "paper"}
_OF_APP = ("check_page", "model_files", "report", "table_model", "tables")


def surface() -> dict[str, int]:
    """Return the numbers of names, of constructor parameters, and of fitted attributes."""
    classifiers = dict(_classifiers())
    parameters = set().union(*(model.get_params(deep=False) for model in classifiers.values()))
    found = {"public names": len(_names()), "constructor parameters": len(parameters)}
    per = {name: _fitted_attributes(model) for name, model in classifiers.items()}
    found["fitted attributes"] = len(set().union(*per.values()))
    return found | {f"... of {name}": len(attributes) for name, attributes in per.items()}


def _names() -> set[tuple[str, str]]:
    """Return the names that every module offers."""
    parts = set(dir(unlabeled)) - set(unlabeled.__all__) - _NOT_OFFERED
    modules = ["unlabeled", *(f"unlabeled.{part}" for part in parts)]
    if getattr(importlib.import_module("unlabeled.app"), "__all__", ()):
        modules.append("unlabeled.app")
    else:
        modules += [f"unlabeled.app.{part}" for part in _OF_APP]
    return {
        (module, name)
        for module in modules
        for name in set(importlib.import_module(module).__all__) - {"__version__"}
    }


def _classifiers() -> Iterator[tuple[str, Any]]:
    """Yield every classifier, fitted to a small table."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    s = ((X[:, 0] + rng.logistic(size=400) > 0) & (rng.random(400) < 0.5)).astype(int)
    for name in unlabeled.__all__:
        kind = getattr(unlabeled, name)
        if not inspect.isclass(kind) or not hasattr(kind, "predict_proba"):
            continue
        model = kind(LogisticRegression()) if name == "PUThresholdClassifier" else kind()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield name, model.fit(X, s)


def _fitted_attributes(model: Any) -> set[str]:
    """Return the public attributes that end in an underscore, also those that are computed."""
    return {
        name
        for name in dir(model)
        if name.endswith("_") and not name.startswith("_") and hasattr(model, name)
    }


if __name__ == "__main__":
    for what, number in surface().items():
        print(f"{number:5d}  {what}")
