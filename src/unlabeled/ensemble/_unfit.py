"""Which rows a member can take: sparse ones, missing cells, categories, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..engine.arrays import is_sparse
from ..engine.estimators import package_of
from ..engine.rows import Rows


def why_unfit(estimator: Any, rows: Rows) -> str | None:
    """Say in words why a member cannot take these rows; None if it can."""
    X = rows.X
    if is_sparse(X) and not takes_sparse(estimator):
        return "it cannot take sparse rows"
    if hasattr(X, "iloc"):
        why = why_no_categories(estimator)
        names = [*X.columns[X.dtypes == "category"]]
        if why is not None or not _are_named(estimator, names, list(X.columns)):
            return why or f"its `cat_features` must be the columns with categories, {names}"
    if not get_tags(estimator).input_tags.allow_nan and _has_missing_cells(X):
        return "it cannot take missing cells"
    if rows.weight is not None and not has_fit_parameter(estimator, "sample_weight"):
        return "its fit takes no `sample_weight`"
    return None


def _has_missing_cells(X: Any) -> bool:
    if hasattr(X, "iloc"):
        return bool(X.isna().to_numpy().any())
    return bool(np.isnan(X.data if is_sparse(X) else X).any())


def takes_sparse(estimator: Any) -> bool:
    """Whether a classifier takes sparse rows."""
    # In scikit-learn 1.6 the tags of trees and forests do not say so.
    kinds = (DecisionTreeClassifier, ExtraTreesClassifier, RandomForestClassifier)
    return isinstance(estimator, kinds) or bool(get_tags(estimator).input_tags.sparse)


def why_no_categories(estimator: Any) -> str | None:
    """Say why a classifier cannot take columns with categories; None if it can.

    Those that can are boosting, and a pipeline whose first step encodes or chooses columns.
    """
    first = _first(estimator)
    package, settings = package_of(first), first.get_params(deep=False)
    if isinstance(first, HistGradientBoostingClassifier):
        return _unless("categorical_features", "from_dtype", settings)
    if package == "xgboost":
        return _unless("enable_categorical", True, settings)
    is_encoder = first is not estimator and get_tags(first).input_tags.categorical
    if package in ("catboost", "lightgbm") or is_encoder or isinstance(first, ColumnTransformer):
        return None
    return "it cannot take columns with categories"


def _unless(name: str, needed: Any, settings: dict[str, Any]) -> str | None:
    given = settings.get(name)
    is_needed = isinstance(given, type(needed)) and given == needed
    return None if is_needed else f"it takes columns with categories only if {name}={needed!r}"


def _are_named(estimator: Any, names: list[Any], columns: list[Any]) -> bool:
    """Whether CatBoost is told of all columns with categories; others find them."""
    first = _first(estimator)
    if package_of(first) != "catboost":
        return True
    given = first.get_params(deep=False).get("cat_features") or []
    told = {columns[one] if isinstance(one, int) and one not in columns else one for one in given}
    return told == set(names)


def _first(estimator: Any) -> Any:
    """Return what sees the rows first: the first step, or the classifier inside a wrapper."""
    while True:
        steps = getattr(estimator, "steps", None)
        inner = steps[0][1] if steps else getattr(estimator, "estimator", None)
        if inner is None:
            return estimator
        estimator = inner
