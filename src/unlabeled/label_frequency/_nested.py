"""An estimator of the label frequency, given to a classifier and fitted within its fit."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from ..labels import LabelledRows, label_folds
from ..solvers import NOBODY, Watch
from ._base import fit_watched

# How far below the share of labelled rows a number may be by rounding.
_ROUNDING = 1e-9


def fit_nested(given: Any, rows: LabelledRows, parameter: str, watch: Watch = NOBODY) -> Any:
    """Fit a clone of an estimator to checked rows; refuse a result that labels rule out.

    Parameters
    ----------
    given : label-frequency estimator
        With `fit`, which sets the attribute named `parameter` with an underscore.
    rows : LabelledRows
        Rows of weight zero have left; s is 0 and 1 whatever the labels were.
    parameter : {"label_frequency", "class_prior"}
        Under which name the classifier was given it.
    watch : Watch
        Sees its fits.
    """
    estimator = _for_rows(clone(given), rows)
    weight = {} if rows.weight is None else {"sample_weight": rows.weight}
    fit_watched(estimator, watch, rows.X, rows.s, **weight)
    _check_found(estimator, parameter, rows.labelled_share)
    return estimator


def _for_rows(estimator: Any, rows: LabelledRows) -> Any:
    """Set what an estimator was told of the user's rows to what it is for checked ones."""
    parameters = estimator.get_params(deep=False)
    if "positive_label" in parameters:
        estimator.set_params(positive_label=None)  # the labels are 0 and 1 from here on
    cv = parameters.get("cv")
    if rows.kept is not None and np.iterable(cv) and not isinstance(cv, str):
        estimator.set_params(cv=label_folds(rows, cv))  # in the rows that are left
    return estimator


def _check_found(estimator: Any, parameter: str, labelled_share: float) -> None:
    name = type(estimator).__name__
    found = getattr(estimator, f"{parameter}_", None)
    if not isinstance(found, Real) or not labelled_share * (1 - _ROUNDING) <= found <= 1:
        what = f"{name} has none" if found is None else f"{name} set it to {found!r}"
        raise ValueError(
            f"`{parameter}` must be a number, or an estimator such as ElkanNoto() whose fit sets "
            f"`{parameter}_` between the share of labelled rows ({labelled_share:.4g}) and 1; "
            f"{what}."
        )
