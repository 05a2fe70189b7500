"""Features that give the label away.

*Meaning.* In some region of one feature nearly all rows are labeled, and the region contains many
of the labeled rows. Under SCAR the share of labeled rows is at most :math:`c` everywhere. So
either nearly all positives are labeled, or the feature was recorded because of the label, like the
date of a treatment, and the classifier learns which rows were labeled. Missing values count as a
region. All features made from one column of a table are checked together.

It is only a note if the other features find such a region too. A region that holds all labeled
rows, ten at least, and no other is a warning, and serious from 22 labeled rows on: if c were .9, so
many rows would all be labeled with a probability below .1. With ten it is .35, with c = .75 .06.

``PULogistic``, ``PropensityLogistic``, ``PUEnsemble`` and ``PUThresholdClassifier`` warn of it too,
if their held-out scores nearly separate labeled rows from the others. They also warn if no single
column does it: then nearly every positive is labeled, or columns give the label away together.

The check does not see a leak that also fills in many unlabeled rows, or that needs several
features together, or with fewer than ten labeled rows (about thirty if the leak is imperfect). It
cannot tell a label frequency above .9 from a leak.

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.diagnostics import diagnose

   treated_on = np.where(s == 1, np.random.default_rng(0).integers(1, 31, len(s)), 0)
   finding = diagnose(PULogistic(), np.column_stack([X, treated_on]), s)["leakage"]

*Remedy.* Find out when the feature becomes known. If that is after a row is labeled, drop it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..engine.rows import design_effect, names_or_numbers
from ..linear_model import (
    PURE,
    Region,
    bound_of_others,
    purest_regions,
    state_of,
    suspects_among,
)
from ._case import Case, CheckResult, NotApplicable, direction_of_labels, listed

_MISSING = " is missing"


def check_leakage(case: Case) -> CheckResult:
    """Look for a region of one feature in which nearly all rows are labeled.

    Under SCAR P(S=1|x) is at most c. So if nearly all rows of a region are labeled, either c
    is near 1, or the feature was recorded after labeling.

    Regions are the lowest or highest values of a feature that hold 20, 30, ..., 100 % of the
    labeled rows, single values that hold 20 %, and missing values. Lower bounds of
    P(S=1|region) are Clopper and Pearson's, corrected for the number of regions and features.

    The state depends on the bound, and on the bound that the other features reach together:

    - Above 0.9: a warning, serious if the region holds half of the labeled rows. Under SCAR
      with c up to 0.9 this happens with probability at most 5 %, whatever the features.
    - Above 0.9, and the other features reach 0.8: a note, because c may be near 1.
    - Below 0.9, but 97 % of the rows in the region are labeled, and the other features do not
      reach 0.5: serious if the region holds half of the labeled rows, and so many would be
      labeled with a probability of at most .1 if c were .9. A perfect leak with 22 labeled rows is
      such a case. Otherwise a warning, if the region holds all labeled rows, at least ten, and no
      other, and a note if the bound is above 0.75.
    - Otherwise: fine.
    """
    columns = _columns(case)
    if not columns:
        raise NotApplicable("no feature is numeric")
    ranked = purest_regions(columns, case.s, case.groups)
    worst = ranked[0]
    facts: dict[str, Any] = {"feature": worst.feature, "region": worst.words, "bound": worst.bound}
    suspects = suspects_among(ranked, case.n_labeled)
    if not suspects:
        return CheckResult("fine", "No single feature gives the label away.", facts)
    facts["suspects"] = [region.feature for region in suspects]
    facts["columns"] = _sources(case, facts["suspects"])
    facts["bound_of_the_others"] = others = _bound_of_others(case, facts["suspects"], len(columns))
    return _judged(case, worst, others, facts)


def _judged(case: Case, worst: Region, others: float, facts: dict[str, Any]) -> CheckResult:
    n_labeled, effect = case.n_labeled, design_effect(case.s - case.s.mean(), case.groups)
    state = state_of(worst, n_labeled, others, effect)
    sentence = (
        f"Of {worst.rows} rows with {_where(worst)}, {worst.labeled} are labeled "
        f"({worst.labeled / n_labeled:.0%} of all labeled rows)."
    )
    column, *others_like_it = facts["columns"]
    if others_like_it:
        sentence += f" The same holds for {listed(others_like_it)}."
    advice = f"Find out whether {column!r} is known before a row is labeled. If not, drop it."
    if state == "fine":
        allows = "SCAR" if not case.labels_follow else "labeling that follows columns"
        return CheckResult(state, f"{sentence} That is many, but {allows} allows it.", facts)
    if worst.bound < PURE:
        said = f"{sentence} The other features do not show this. {advice}"
        return CheckResult(state, said, facts)
    if state == "note":
        return CheckResult(
            state,
            f"{sentence} The other features find such a region too. Either nearly every positive "
            f"is labeled, or several features give the label away. {advice}",
            facts,
        )
    return CheckResult(
        state,
        f"{sentence} The remaining features do not come close, so {column!r} may have been "
        f"recorded because of the label. {advice}",
        facts,
    )


def _where(region: Region) -> str:
    """Name the feature and its values; for an indicator of missing values, the column."""
    if region.feature.endswith(_MISSING):
        is_absent = region.words in (">= 1", "= 1")
        return f"{region.feature.removesuffix(_MISSING)!r} {'missing' if is_absent else 'present'}"
    return f"{region.feature!r} {region.words}"


def _sources(case: Case, features: list[str]) -> list[str]:
    """Return the columns of the user's table that features were made from, each once."""
    source_of = dict(zip(case.names, case.inner.sources, strict=True))
    sources = [source_of.get(name, name.removesuffix(_MISSING)) for name in features]
    return list(dict.fromkeys(sources))


def _columns(case: Case) -> dict[str, np.ndarray]:
    """Return features by name, and indicators for columns with missing values."""
    X = case.inner.X
    if sparse.issparse(X):
        raise NotApplicable("the features are a sparse matrix")
    columns: dict[str, np.ndarray] = {}
    if X.ndim == 2 and X.dtype.kind in "biuf":
        columns = {name: X[:, j].astype(np.float64) for j, name in enumerate(case.names)}
    for name, missing in _missing_columns(case.X).items():
        if not np.isnan(columns.get(name, np.zeros(1))).any():
            columns[f"{name}{_MISSING}"] = missing.astype(np.float64)
    return columns


def _missing_columns(X: Any) -> dict[str, np.ndarray]:
    """Return which cells are missing, for each column of the user's table with missing cells."""
    if sparse.issparse(X):
        return {}
    if hasattr(X, "iloc"):  # pandas needs no copy of the table as objects
        columns = {str(name): X.iloc[:, j].isna().to_numpy() for j, name in enumerate(X.columns)}
    else:
        names = getattr(X, "columns", None)
        values = np.asarray(X, dtype=object if names is not None else None)
        if values.ndim != 2 or values.dtype.kind not in "fO":
            return {}
        known = names_or_numbers(names, values.shape[1])
        columns = {name: _is_missing(values[:, j]) for j, name in enumerate(known)}
    return {name: missing for name, missing in columns.items() if 0 < missing.sum() < len(missing)}


def _is_missing(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([value is None or _differs_from_itself(value) for value in column], dtype=bool)


def _differs_from_itself(value: Any) -> bool:
    try:
        return bool(value != value)
    except TypeError:  # pandas' NA has no truth value
        return True


def _bound_of_others(case: Case, suspects: list[str], n_columns: int) -> float:
    """Return the bound of the purest region of a held-out score by the unsuspected features."""
    try:
        rows = case.rows
    except NotApplicable:
        return 0.0
    columns = _sources(case, suspects)
    kept = [j for j, source in enumerate(case.inner.sources) if source not in columns]
    if not kept:  # several columns, all suspect: that is what c near 1 looks like
        return float(len(set(case.inner.sources)) > 1)
    return bound_of_others(
        rows, kept, n_columns, lambda part: direction_of_labels(part, case.random_state)
    )
