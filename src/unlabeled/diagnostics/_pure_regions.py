"""Regions of one feature in which nearly all rows are labelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

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
