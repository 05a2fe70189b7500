"""Features that give the label away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import betaincinv

from ..engine.rows import LabelledRows
from ._case import (
    Case,
    Check,
    CheckResult,
    NotApplicable,
    held_out_direction,
    listed,
    missing_columns,
)

# Regions of one feature in which nearly all rows are labelled.

# Regions hold these parts of the labelled rows, from either end of the feature.
_COVERS = np.arange(2, 11) / 10
_SMALLEST_LEVEL = 0.2
# Regions of a feature, at most: nine from each end, five levels, missing and present.
_REGIONS = 25


@dataclass(frozen=True)
class Region:
    """A region of one feature.

    Attributes
    ----------
    feature : str
    words : str
        Which values it holds.
    labelled, rows : int
        Labelled rows, and all rows, in it.
    bound : float
        Lower bound of P(S=1|region).
    """

    feature: str
    words: str
    labelled: int
    rows: int
    bound: float


def purest_region(
    name: str, x: np.ndarray, s: np.ndarray, error: float, upwards_only: bool = False
) -> Region:
    """Return the region with the largest Clopper-Pearson bound of the share of labelled rows.

    Parameters
    ----------
    name : str
    x : ndarray of shape (n_rows,)
        A feature; NaN is missing.
    s : ndarray of shape (n_rows,)
    error : float
        Of all bounds of the feature together.
    upwards_only : bool
        Whether only large values are a region, as for a score.
    """
    present = ~np.isnan(x)
    labelled = np.sort(x[present & (s == 1)])
    everybody = np.sort(x[present])
    found: list[tuple[str, int, int]] = []
    if not present.all():
        found += [_count("missing", ~present, s), _count("present", present, s)]
    enough = np.ceil(_COVERS * s.sum()).astype(int)
    enough = enough[(enough >= 1) & (enough <= len(labelled))]
    found += _above(labelled, everybody, enough)
    if not upwards_only:
        found += _above(-labelled[::-1], -everybody[::-1], enough, sign=-1)
        found += _levels(labelled, everybody, _SMALLEST_LEVEL * s.sum())
    if not found:
        return Region(name, "", 0, 0, 0.0)
    words, inside, rows = max(found, key=lambda one: _bound(one[1], one[2], error / _REGIONS))
    return Region(name, words, inside, rows, _bound(inside, rows, error / _REGIONS))


def _above(
    labelled: np.ndarray, everybody: np.ndarray, enough: np.ndarray, sign: int = 1
) -> list[tuple[str, int, int]]:
    """Regions above the labelled values of certain ranks, both arrays being sorted."""
    edges = labelled[len(labelled) - enough]
    inside = len(labelled) - np.searchsorted(labelled, edges)
    rows = len(everybody) - np.searchsorted(everybody, edges)
    relation = ">=" if sign > 0 else "<="
    return [
        (f"{relation} {sign * edge:.4g}", int(count), int(total))
        for edge, count, total in zip(edges, inside, rows, strict=True)
    ]


def _levels(
    labelled: np.ndarray, everybody: np.ndarray, smallest: float
) -> list[tuple[str, int, int]]:
    values, counts = np.unique(labelled, return_counts=True)
    kept = counts >= max(smallest, 1)
    low, high = (np.searchsorted(everybody, values[kept], side=side) for side in ("left", "right"))
    return [
        (f"= {value:.4g}", int(count), int(total))
        for value, count, total in zip(values[kept], counts[kept], high - low, strict=True)
    ]


def _count(words: str, region: np.ndarray, s: np.ndarray) -> tuple[str, int, int]:
    return words, int(s[region].sum()), int(region.sum())


def _bound(labelled: int, rows: int, error: float) -> float:
    return float(betaincinv(labelled, rows - labelled + 1, error)) if labelled else 0.0


_ERROR = 0.05
_PURE, _NEARLY_PURE = 0.9, 0.75
_ALMOST_ALL = 0.97
_OTHERS_TOO, _OTHERS_FAR_FROM_IT = 0.8, 0.5
_LARGE_COVER = 0.5
_FEWEST = 10
_MISSING = " is missing"


def look(case: Case) -> CheckResult:
    """Look for a feature with a region, of many labelled rows, in which nearly all are labelled.

    Under SCAR P(S=1|x) is at most c, so a region where nearly all rows are labelled
    says that c is near 1, or that the feature was written down because of the label.
    Regions are ends of a feature that hold 20, 30, ..., 100 % of the labelled rows,
    single values that hold 20 %, and missing values. Bounds of P(S=1|region) are
    Clopper and Pearson's, corrected for the number of regions and features. One
    above 0.9 is a warning, and serious if the region holds half of the labelled
    rows; under SCAR with c up to 0.9 that happens in one sample in twenty at the
    most, whatever the features. If the other features together find such a region
    too (bound 0.8), c may be near 1, and it is a note. A bound between 0.75 and
    0.9, as for a perfect leak with about 30 to 75 labelled rows, is a note if 97 % of the rows
    there are labelled and the other features are far from it (bound below 0.5); so is a
    region of all labelled rows and no other, if they are ten at least.
    """
    columns = _columns(case)
    if not columns:
        raise NotApplicable("no feature is a number")
    error = _ERROR / len(columns)
    regions = {name: purest_region(name, x, case.s, error) for name, x in columns.items()}
    ranked = sorted(regions.values(), key=lambda region: -region.bound)
    worst = ranked[0]
    facts: dict[str, Any] = {"feature": worst.feature, "region": worst.words, "bound": worst.bound}
    perfect = worst.labelled == worst.rows == case.n_labelled >= _FEWEST
    if worst.bound < _NEARLY_PURE and not perfect:
        return CheckResult("fine", "No feature by itself says who is labelled.", facts)
    limit = _PURE if worst.bound >= _PURE else min(_NEARLY_PURE, worst.bound)
    suspects = [region for region in ranked if region.bound >= limit]
    facts["suspects"] = [region.feature for region in suspects]
    facts["columns"] = _sources(case, facts["suspects"])
    facts["bound_of_the_others"] = others = _bound_of_others(case, facts["suspects"], error)
    return _judged(suspects, others, case.n_labelled, facts)


def _judged(
    suspects: list[Region], others: float, n_labelled: int, facts: dict[str, Any]
) -> CheckResult:
    worst = suspects[0]
    seen = (
        f"Of {worst.rows} rows with {_where(worst)}, {worst.labelled} are labelled "
        f"({worst.labelled / n_labelled:.0%} of all labelled rows)"
    )
    others_like_it = facts["columns"][1:]
    if others_like_it:
        seen += f"; so with {listed(others_like_it)}"
    advice = (
        f"Find out whether {facts['columns'][0]!r} is known before a row is labelled; if not, "
        "drop it."
    )
    if worst.bound < _PURE:
        if worst.labelled < _ALMOST_ALL * worst.rows or others >= _OTHERS_FAR_FROM_IT:
            return CheckResult("fine", f"{seen}: many, but not more than SCAR allows.", facts)
        return CheckResult("note", f"{seen}, which the other features cannot tell. {advice}", facts)
    if others >= _OTHERS_TOO:
        return CheckResult(
            "note",
            f"{seen}. The other features find such a region too, so perhaps nearly every positive "
            f"is labelled. Otherwise several features give the label away. {advice}",
            facts,
        )
    large = worst.labelled >= _LARGE_COVER * n_labelled
    return CheckResult(
        "serious" if large else "warning",
        f"{seen}, which no other feature comes near to: it may be written down because of the "
        f"label. {advice}",
        facts,
    )


def _where(region: Region) -> str:
    """The feature and its values; of an indicator of missing values, its column."""
    if region.feature.endswith(_MISSING):
        is_absent = region.words in (">= 1", "= 1")
        return f"{region.feature.removesuffix(_MISSING)!r} {'missing' if is_absent else 'present'}"
    return f"{region.feature!r} {region.words}"


def _sources(case: Case, features: list[str]) -> list[str]:
    """Columns of the user's table that features were made from, each once, in the same order."""
    source_of = dict(zip(case.names, case.seen.sources, strict=True))
    found = [source_of.get(one, one.removesuffix(_MISSING)) for one in features]
    return list(dict.fromkeys(found))


def _columns(case: Case) -> dict[str, np.ndarray]:
    """Features by name, and for columns that have missing values whether they are missing."""
    X = case.seen.X
    if sparse.issparse(X):
        raise NotApplicable("the features are a sparse matrix")
    columns: dict[str, np.ndarray] = {}
    if X.ndim == 2 and X.dtype.kind in "biuf":
        columns = {name: X[:, j].astype(np.float64) for j, name in enumerate(case.names)}
    for name, missing in missing_columns(case.X).items():
        if not np.isnan(columns.get(name, np.zeros(1))).any():
            columns[f"{name}{_MISSING}"] = missing.astype(np.float64)
    return columns


def _bound_of_others(case: Case, suspects: list[str], error: float) -> float:
    """Bound of the purest region of a score by the features that are not under suspicion."""
    try:
        rows = case.rows
    except NotApplicable:
        return 0.0
    columns = _sources(case, suspects)
    kept = [j for j, source in enumerate(case.seen.sources) if source not in columns]
    if not kept:  # all of several columns tell: that is what c near 1 looks like
        return float(len(set(case.seen.sources)) > 1)
    others = LabelledRows(rows.X[:, kept], rows.s, None, rows.encoding)
    score = held_out_direction(others, case.random_state).point.score
    return purest_region("score", score, case.s, error, upwards_only=True).bound


leakage = Check("leakage", "PU204", look)
