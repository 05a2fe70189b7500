"""Features that give the label away.

*Meaning.* In some region of one feature nearly all rows are labeled, and the region contains many
of the labeled rows. Under SCAR the share of labeled rows is at most :math:`c` everywhere. So
either nearly all positives are labeled, or the feature was recorded because of the label, like the
date of a treatment, and the classifier learns which rows were labeled. Missing values count as a
region. All features made from one column of a table are checked together.

It is only a note if the other features find such a region too, and if labeled rows are few: a
perfect leak with about 30 to 75 of them, or a region that holds all labeled rows, ten at least,
and no other. Do not take that note lightly.

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

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from ..engine.rows import design_effect, names_or_numbers
from ._case import Case, CheckResult, NotApplicable, direction_of_labels, listed

# Error probability of all bounds together.
_ERROR = 0.05
# Bounds of P(S=1|region) for a warning and for a note.
_PURE, _NEARLY_PURE = 0.9, 0.75
_ALMOST_ALL = 0.97
_OTHERS_TOO, _OTHERS_FAR_FROM_IT = 0.8, 0.5
_LARGE_COVER = 0.5
_FEWEST = 10
_MISSING = " is missing"
# Regions at either end of a feature hold these fractions of the labeled rows.
_COVERS = np.arange(2, 11) / 10
_SMALLEST_LEVEL = 0.2
# Largest number of regions per feature: nine from each end, five levels, missing and present.
_REGIONS = 25


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
    - Between 0.75 and 0.9, 97 % of the rows in the region are labeled, and the other features
      do not reach 0.5: a note. A perfect leak with about 30 to 75 labeled rows is such a case.
    - Below 0.75, but the region holds all labeled rows, at least ten, and no other row, and
      the other features do not reach 0.5: a note.
    - Otherwise: fine.
    """
    columns = _columns(case)
    if not columns:
        raise NotApplicable("no feature is numeric")
    error = _ERROR / len(columns)
    effect = design_effect(case.s - case.s.mean(), case.groups)
    regions = {
        name: purest_region(name, x, case.s, error, effect=effect) for name, x in columns.items()
    }
    ranked = sorted(regions.values(), key=lambda region: -region.bound)
    worst = ranked[0]
    facts: dict[str, Any] = {"feature": worst.feature, "region": worst.words, "bound": worst.bound}
    perfect = worst.labeled == worst.rows == case.n_labeled >= _FEWEST
    if worst.bound < _NEARLY_PURE and not perfect:
        return CheckResult("fine", "No single feature gives the label away.", facts)
    limit = _PURE if worst.bound >= _PURE else min(_NEARLY_PURE, worst.bound)
    suspects = [region for region in ranked if region.bound >= limit]
    facts["suspects"] = [region.feature for region in suspects]
    facts["columns"] = _sources(case, facts["suspects"])
    facts["bound_of_the_others"] = others = _bound_of_others(case, facts["suspects"], error)
    return _judged(case, suspects, others, facts)


def _judged(
    case: Case, suspects: list[Region], others: float, facts: dict[str, Any]
) -> CheckResult:
    worst, n_labeled = suspects[0], case.n_labeled
    sentence = (
        f"Of {worst.rows} rows with {_where(worst)}, {worst.labeled} are labeled "
        f"({worst.labeled / n_labeled:.0%} of all labeled rows)."
    )
    column, *others_like_it = facts["columns"]
    if others_like_it:
        sentence += f" The same holds for {listed(others_like_it)}."
    advice = f"Find out whether {column!r} is known before a row is labeled. If not, drop it."
    if worst.bound < _PURE:
        if worst.labeled < _ALMOST_ALL * worst.rows or others >= _OTHERS_FAR_FROM_IT:
            allows = "SCAR" if not case.labels_follow else "labeling that follows columns"
            return CheckResult("fine", f"{sentence} That is many, but {allows} allows it.", facts)
        return CheckResult(
            "note", f"{sentence} The other features do not show this. {advice}", facts
        )
    if others >= _OTHERS_TOO:
        return CheckResult(
            "note",
            f"{sentence} The other features find such a region too. Either nearly every positive "
            f"is labeled, or several features give the label away. {advice}",
            facts,
        )
    large = worst.labeled >= _LARGE_COVER * n_labeled
    return CheckResult(
        "serious" if large else "warning",
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


def _bound_of_others(case: Case, suspects: list[str], error: float) -> float:
    """Return the bound of the purest region of a held-out score by the unsuspected features."""
    try:
        rows = case.rows
    except NotApplicable:
        return 0.0
    columns = _sources(case, suspects)
    kept = [j for j, source in enumerate(case.inner.sources) if source not in columns]
    if not kept:  # several columns, all suspect: that is what c near 1 looks like
        return float(len(set(case.inner.sources)) > 1)
    others = replace(rows, X=rows.X[:, kept])
    score = direction_of_labels(others, case.random_state).point.score
    effect = design_effect(case.s - case.s.mean(), case.groups)
    return purest_region("score", score, case.s, error, True, effect).bound


@dataclass(frozen=True)
class Region:
    """A region of one feature.

    Attributes
    ----------
    feature : str
    words : str
        The values in it.
    labeled, rows : int
        Numbers of labeled rows and of all rows in it.
    bound : float
        Lower bound of P(S=1|region).
    """

    feature: str
    words: str
    labeled: int
    rows: int
    bound: float


def purest_region(
    name: str,
    x: np.ndarray,
    s: np.ndarray,
    error: float,
    upwards_only: bool = False,
    effect: float = 1.0,
) -> Region:
    """Return the region with the largest Clopper-Pearson bound of the labeled fraction.

    Parameters
    ----------
    name : str
    x : ndarray of shape (n_rows,)
        A feature; NaN means missing.
    s : ndarray of shape (n_rows,)
    error : float
        Error probability of all bounds of the feature together.
    upwards_only : bool
        Whether to look at large values only, as for a score.
    effect : float
        How many rows tell as much as one independent row.
    """
    present = ~np.isnan(x)
    labeled = np.sort(x[present & (s == 1)])
    everybody = np.sort(x[present])
    regions: list[tuple[str, int, int]] = []
    if not present.all():
        regions += [_count("missing", ~present, s), _count("present", present, s)]
    enough = np.ceil(_COVERS * s.sum()).astype(int)
    enough = enough[(enough >= 1) & (enough <= len(labeled))]
    regions += _above(labeled, everybody, enough)
    if not upwards_only:
        regions += _above(-labeled[::-1], -everybody[::-1], enough, sign=-1)
        regions += _levels(labeled, everybody, _SMALLEST_LEVEL * s.sum())
    if not regions:
        return Region(name, "", 0, 0, 0.0)
    each = error / _REGIONS
    bounds = [_bound(inside / effect, rows / effect, each) for _, inside, rows in regions]
    best = int(np.argmax(bounds))
    return Region(name, *regions[best], bounds[best])


def _above(
    labeled: np.ndarray, everybody: np.ndarray, enough: np.ndarray, sign: int = 1
) -> list[tuple[str, int, int]]:
    """Return the regions above the labeled values of certain ranks; both arrays are sorted."""
    edges = labeled[len(labeled) - enough]
    inside = len(labeled) - np.searchsorted(labeled, edges)
    rows = len(everybody) - np.searchsorted(everybody, edges)
    relation = ">=" if sign > 0 else "<="
    return [
        (f"{relation} {sign * edge:.4g}", int(count), int(total))
        for edge, count, total in zip(edges, inside, rows, strict=True)
    ]


def _levels(
    labeled: np.ndarray, everybody: np.ndarray, smallest: float
) -> list[tuple[str, int, int]]:
    values, counts = np.unique(labeled, return_counts=True)
    kept = counts >= max(smallest, 1)
    low, high = (np.searchsorted(everybody, values[kept], side=side) for side in ("left", "right"))
    return [
        (f"= {value:.4g}", int(count), int(total))
        for value, count, total in zip(values[kept], counts[kept], high - low, strict=True)
    ]


def _count(words: str, region: np.ndarray, s: np.ndarray) -> tuple[str, int, int]:
    return words, int(s[region].sum()), int(region.sum())


def _bound(labeled: float, rows: float, error: float) -> float:
    return float(betaincinv(labeled, rows - labeled + 1, error)) if labeled else 0.0
