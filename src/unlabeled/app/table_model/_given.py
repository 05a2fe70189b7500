"""A model that was fitted in Python, described as the fit of a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ...audit import AuditedClassifier
from ...classifier import PUClassifier
from ...diagnostics import diagnose
from ...engine.estimators import (
    agreed_pos_label,
    fitted_model,
    reject_other_groups,
    reject_other_labels,
    reject_weighted_fit,
    rows_of_last_step,
)
from ...engine.rows import (
    LabelEncoding,
    Rows,
    encode_labels,
    fingerprint_rows,
    names_or_numbers,
    validate_groups,
)
from ...engine.sampling import Sampling
from ...thresholds import get_rule
from ..tables import Feature, Labels, Prepared, TableFeatures, Topic, count
from ._fit import TableFit
from ._record import FitRecord, record_of

MOST_DIAGNOSED = 20_000
"""The largest number of rows that the checks of a fit use."""

_UNITS = (
    "Steps before the classifier change the columns. Coefficients are per unit of what these steps "
    "make of them."
)


@dataclass(frozen=True, eq=False)
class GivenFit(TableFit):
    """A model that was fitted in Python, and its training rows.

    Attributes
    ----------
    given : (array or frame, array-like)
        The rows and their labels, as the classifier takes them.
    names : tuple of str
        Names of the features, unless the first step makes features of a table.
    """

    given: tuple[Any, Any] = (None, None)
    names: tuple[str, ...] = ()

    @property
    def classifier(self) -> Any:
        """The classifier, also at the end of a pipeline or inside a search."""
        return fitted_model(self.pipeline)

    @property
    def of_table(self) -> TableFeatures | None:
        """The step that makes features of the columns of a table, if there is one."""
        first = self.pipeline[0] if isinstance(self.pipeline, Pipeline) else None
        return first if isinstance(first, TableFeatures) else None

    @property
    def features(self) -> list[Feature]:
        """The features, each with its name and the column that it was made of."""
        if self.of_table is None:
            return [Feature(name, name, None) for name in self.names]
        return super().features

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return dict.fromkeys(self.names, "number") if self.of_table is None else super().kinds

    @property
    def topics(self) -> dict[str, Topic]:
        """Words that describe the features of columns of text."""
        return {} if self.of_table is None else super().topics

    @property
    def as_fitted(self) -> tuple[Any, Any]:
        """The rows and their labels, as the methods of the classifier take them."""
        return self.given


def given_fit(model: Any, X: Any, y: Any, *, checked: Any = None, groups: Any = None) -> GivenFit:
    """Return a model that was fitted in Python with its training rows, as the fit of a table.

    Parameters
    ----------
    model : classifier, pipeline or search
        Fitted; it ends in a classifier of this library.
    X : array or frame of shape (n_rows, n_columns)
        All rows of the fit.
    y : array-like of shape (n_rows,)
        Their labels.
    checked, groups : array-like of shape (n_rows,), optional
        As in the fit.

    Returns
    -------
    fit : GivenFit

    Raises
    ------
    ValueError
        If the model is none of ours or not fitted, or the rows are not those of its fit.
    """
    import pandas as pd

    classifier = fitted_model(model)
    if not isinstance(classifier, PUClassifier) or isinstance(classifier, AuditedClassifier):
        raise ValueError(
            "`model` must be a classifier of this library, or a pipeline that ends in one; got "
            f"{type(classifier).__name__}. PUThresholdClassifier makes one of any classifier."
        )
    if not hasattr(classifier, "classes_"):
        raise ValueError("`model` must be fitted; got one that is not. Call fit first.")
    if not isinstance(X, np.ndarray | pd.DataFrame | list):
        raise ValueError(
            f"`X` must be an array or a pandas frame in memory; got {type(X).__name__}. Convert it."
        )
    reject_other_labels(model, y)
    reject_weighted_fit(model, "a report")
    s, encoding = encode_labels(y, agreed_pos_label(model, None))
    last = rows_of_last_step(model, X)
    last = np.asarray(last) if isinstance(last, list) else last
    _check_rows(classifier, last, s)
    name = groups if isinstance(groups, str) else getattr(groups, "name", None)
    numbers = validate_groups(groups, len(s), X=last)
    reject_other_groups(classifier, None if numbers is None else len(np.unique(numbers)))
    X_numeric = np.asarray(pd.DataFrame(last).apply(pd.to_numeric, errors="coerce"), float)
    names = names_or_numbers(_names_of(model, X, last), X_numeric.shape[1])
    labels = _labels(y, s, encoding, classifier)
    first: Any = model[0] if isinstance(model, Pipeline) else None
    of_table = isinstance(first, TableFeatures)
    columns = X if of_table else pd.DataFrame(X_numeric, columns=list(names))
    changed = isinstance(model, Pipeline) and len(model) > 1 and not of_table
    prepared = Prepared(
        columns,
        labels.column,
        None,
        None,
        {},
        group=None if groups is None else str(name or "groups"),
        groups=numbers,
        doubts=(_UNITS,) if changed and hasattr(classifier, "coef_") else (),
    )
    checked = None if checked is None else np.asarray(checked, dtype=np.float64)
    sources = [one.source for one in first.features_] if of_table else list(names)
    follows = [sources[j] for j in getattr(classifier, "propensity_features_", ())]
    return GivenFit(
        model,
        prepared,
        labels,
        X_numeric,
        (),
        {},
        checked,
        tuple(dict.fromkeys(follows)),
        getattr(classifier, "labeling_said_", ()),
        given=(last, y),
        names=tuple(names),
    )


def record_of_given(
    fit: GivenFit, X: Any, *, checks: bool = True, random_state: int | None = 0
) -> FitRecord:
    """Describe a model that was fitted in Python, as `record_of` describes the fit of a table."""
    model, diagnosis = fit.classifier, None
    note: str | None = "not run: checks=False"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has told
        if checks:
            diagnosis, note = _diagnosis(fit, X, random_state)
        known = [getattr(model, name, None) for name in ("class_prior", "label_frequency")]
        is_given = any(isinstance(one, int | float) for one in known)
        rule = getattr(model, "rule", None)
        record = record_of(
            fit,
            None,
            method=type(model).__name__,
            made={
                "command": None,
                "at": datetime.now(UTC).isoformat(timespec="seconds"),
                "seed": random_state,
            },
            class_prior=float(model.class_prior_) if is_given else None,
            diagnosis=diagnosis,
            notes={"checks": note, "comparison": "not run: a report from Python has none"},
            costs=(1.0, 1.0) if rule is None else get_rule(rule).costs,
        )
    for one in (*record.findings, *record.warnings):
        one.pop("terminal", None)  # the reader has Python
    return record


def _check_rows(classifier: Any, last: Any, s: np.ndarray) -> None:
    """Reject rows that are not those of the fit, as far as the classifier knows them."""
    n_rows = len(last)
    if n_rows != len(s):
        raise ValueError(f"`y` must have a label for each of the {n_rows} rows; got {len(s)}.")
    fitted_to = getattr(classifier, "_fingerprint_", None)
    kept = getattr(classifier, "held_out_score_", None)
    other = kept is not None and len(kept) != n_rows
    if other or (fitted_to is not None and fingerprint_rows(last) != fitted_to):
        raise ValueError(
            f"`X` must be all training rows of `model`, in their order; got {count(n_rows)} other "
            "rows. A report is about the rows of a fit; `predict` scores new ones."
        )


def _names_of(model: Any, X: Any, last: Any) -> Any:
    """Return the names of the features that reach the classifier; None if nothing names them."""
    names = getattr(last, "columns", None)
    if names is None and isinstance(model, Pipeline) and len(model) > 1:
        try:
            names = model[:-1].get_feature_names_out()
        except (AttributeError, ValueError):
            return None
    return getattr(X, "columns", None) if names is None and last is X else names


def _labels(y: Any, s: np.ndarray, encoding: LabelEncoding, classifier: Any) -> Labels:
    """Describe labels that were given in Python."""
    other, positive = (str(value) for value in encoding.classes)
    cases = "the labeled rows" if Sampling.of_model(classifier).is_two else None
    return Labels(
        s.astype(np.int64),
        str(getattr(y, "name", None) or "y"),
        positive,
        {other: int(np.sum(s == 0))},
        0,
        negative=np.zeros(len(s), dtype=bool),
        cases=cases,
    )


def _diagnosis(fit: GivenFit, X: Any, seed: int | None) -> tuple[Any, str | None]:
    """Run the checks, on a random part of many rows; also return a note about that."""
    s, y, groups, note = fit.labels.s, np.asarray(fit.given[1]), fit.prepared.groups, None
    n_rows = len(s)
    if n_rows > MOST_DIAGNOSED:
        rows = Rows(fit.X_numeric, s, None, LabelEncoding(np.array([0, 1])))
        drawn = rows.sample(MOST_DIAGNOSED, seed).row_index
        X = X.iloc[drawn] if hasattr(X, "iloc") else np.asarray(X)[drawn]
        y, groups = y[drawn], None if groups is None else groups[drawn]
        note = f"on {count(len(drawn))} of the {count(n_rows)} rows, drawn at random"
        if not s[drawn].any():
            return None, "not run: no labeled row is among the rows drawn at random"
    return diagnose(fit.pipeline, X, y, random_state=seed, groups=groups), note
