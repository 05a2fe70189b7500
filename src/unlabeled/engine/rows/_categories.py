"""Columns of pandas' category dtype, for estimators that take them as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import get_tags

Categories = Mapping[str, Any]


def categories_to_keep(estimator: Any, X: Any, reset: bool) -> Categories:
    """Return the dtype of each column whose categories an estimator sees; {} if none.

    In a fit those are the columns with categories of a pandas frame, if the estimator's tags say
    that it takes them. Later they are those of the fit.
    """
    if not reset:
        known: Categories = getattr(estimator, "categories_", {})
        if known and not hasattr(X, "iloc"):
            raise ValueError(
                "`X` must be a pandas frame, because the fit saw columns with categories; got "
                f"{type(X).__name__}. Pass the columns of the fit."
            )
        return known
    if not hasattr(X, "iloc") or not get_tags(estimator).input_tags.categorical:
        return {}
    return {name: dtype for name, dtype in X.dtypes.items() if str(dtype) == "category"}


def as_codes(X: Any, categories: Categories) -> Any:
    """Return a frame with the number of each category, counted from 0; NaN where it is missing.

    Without categories X is returned.
    """
    if not categories:
        return X
    frame = X.copy(deep=False)
    for name, dtype in categories.items():
        if name not in frame.columns:
            continue  # which is said where names are checked
        column = frame[name]
        present = column.dropna().unique()
        new = [value for value in present if value not in dtype.categories]
        if new:
            raise ValueError(
                f"`X` must have the categories of the fit in column {name!r}; got {new[0]!r}, "
                "which is none. Make such cells missing, or add the category before the fit."
            )
        codes = column.astype(object).astype(dtype).cat.codes.to_numpy()
        frame[name] = np.where(codes < 0, np.nan, codes)
    return frame


def with_categories(X: Any, matrix: np.ndarray, categories: Categories) -> Any:
    """Return a frame like X, with the categories of the fit, and numbers that NumPy knows.

    Without categories the matrix is returned.
    """
    if not categories:
        return matrix
    frame = X.copy(deep=False)
    for j, (name, dtype) in enumerate(X.dtypes.items()):
        if name in categories:
            frame[name] = X[name].astype(object).astype(categories[name])
        elif not isinstance(dtype, np.dtype) or dtype.kind not in "biuf":
            frame[name] = matrix[:, j]
    return frame
