"""What LightGBM, XGBoost and CatBoost say themselves about the parts of their scores."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from ..engine.arrays import is_sparse
from ..engine.estimators import package_of
from ..engine.rows import check_features


def booster_values(model: Any, X: Any, positive: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-odds of `positive`, and their parts, one column per feature.

    XGBoost computes both in single precision, in which they are returned.
    """
    if hasattr(X, "columns") and hasattr(model, "feature_names_in_"):
        check_features(model, X)  # LightGBM would take the columns in any order
    score, parts = _OF_PACKAGE[package_of(model)](model, X)
    parts = parts.toarray() if is_sparse(parts) else np.asarray(parts)
    sign = 1 if positive == model.classes_[1] else -1
    return sign * score, sign * parts[:, :-1]  # the last part is the base


def _of_lightgbm(model: Any, X: Any) -> tuple[np.ndarray, Any]:
    return model.predict(X, raw_score=True), model.predict(X, pred_contrib=True)


def _of_xgboost(model: Any, X: Any) -> tuple[np.ndarray, Any]:
    settings = {name: getattr(model, name) for name in ("missing", "enable_categorical")}
    rows = import_module(package_of(model)).DMatrix(
        X, feature_types=model.feature_types, **settings
    )
    best = getattr(model, "best_iteration", None)  # after a fit that stopped early
    used = (0, 0 if best is None else best + 1)
    parts = model.get_booster().predict(rows, pred_contribs=True, iteration_range=used)
    return model.predict(X, output_margin=True), parts


def _of_catboost(model: Any, X: Any) -> tuple[np.ndarray, Any]:
    rows = import_module(package_of(model)).Pool(X, cat_features=model.get_cat_feature_indices())
    parts = model.get_feature_importance(rows, type="ShapValues")
    return model.predict(X, prediction_type="RawFormulaVal"), parts


_OF_PACKAGE = {"catboost": _of_catboost, "lightgbm": _of_lightgbm, "xgboost": _of_xgboost}
