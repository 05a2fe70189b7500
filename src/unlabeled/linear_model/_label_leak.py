"""Labels that a column, or the score, gives away: regions in which nearly all rows are labeled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.special import bdtr, betaincinv

from ..codes import Message, warn
from ..engine.arrays import is_sparse, to_host
from ..engine.linear_fits import separating_columns
from ..engine.rows import Rows, design_effect, quoted_column
from ..thresholds import Cuts
from ._direction import held_out_direction
from ._far_cells import is_mapped

# Error probability of all bounds together.
_ERROR = 0.05
# Bounds of P(S=1|region) for a warning and for a note.
PURE, NEARLY_PURE = 0.9, 0.75
_ALMOST_ALL = 0.97
OTHERS_TOO, OTHERS_FAR_FROM_IT = 0.8, 0.5
LARGE_COVER = 0.5
_FEWEST = 10
# Few labeled rows are enough if so many of them are there with this probability where c is .9.
_BY_CHANCE = 0.1
# Regions at either end of a feature hold these fractions of the labeled rows.
_COVERS = np.arange(2, 11) / 10
_SMALLEST_LEVEL = 0.2
# Largest number of regions per feature: nine from each end, five levels, missing and present.
_REGIONS = 25
# Of more rows, a part shows a column that gives labels away.
_MOST_ROWS = 2**15


def purest_regions(
    columns: Mapping[str, np.ndarray], s: np.ndarray, groups: np.ndarray | None
) -> list[Region]:
    """Return the purest region of every column, the purest of all first."""
    error, effect = _ERROR / len(columns), design_effect(s - s.mean(), groups)
    regions = [purest_region(name, x, s, error, effect=effect) for name, x in columns.items()]
    return sorted(regions, key=lambda region: -region.bound)


def suspects_among(ranked: list[Region], n_labeled: int) -> list[Region]:
    """Return the regions that may give labels away: none if the purest is not pure enough."""
    worst = ranked[0]
    if worst.bound < NEARLY_PURE and not worst.is_perfect(n_labeled):
        return []
    limit = PURE if worst.bound >= PURE else min(NEARLY_PURE, worst.bound)
    return [region for region in ranked if region.bound >= limit]


def state_of(worst: Region, n_labeled: int, others: float, effect: float = 1.0) -> str:
    """Return how serious a region is: "fine", "note", "warning" or "serious".

    `others` is the bound that the columns without such regions reach together.
    """
    if worst.bound < PURE:
        if not worst.is_almost_pure or others >= OTHERS_FAR_FROM_IT:
            return "fine"
        if worst.is_no_accident(n_labeled, effect):
            return "serious"
        return "warning" if worst.is_perfect(n_labeled) else "note"
    if others >= OTHERS_TOO:
        return "note"
    return "serious" if worst.is_large(n_labeled) else "warning"


def bound_of_others(
    rows: Rows, kept: list[int], n_columns: int, direction: Callable[[Rows], Any]
) -> float:
    """Return the bound of the purest region of a held-out score by the columns `kept`."""
    score = direction(replace(rows, X=rows.X[:, kept])).point.score
    effect = design_effect(rows.s - rows.s.mean(), rows.groups)
    return purest_region("score", score, rows.s, _ERROR / n_columns, True, effect).bound


def report_label_leak(
    rows: Rows, cuts: Cuts, names: Any, random_state: Any, effect: float = 1.0
) -> bool:
    """Warn if held-out scores nearly separate labels, and name the column that gives them away.

    Return whether it warned.

    Parameters
    ----------
    rows : Rows
    cuts : Cuts
        Those of the held-out scores. Most fits are seen to be harmless by them alone.
    names : sequence of str or None
        Names of the columns.
    random_state : object
        Controls folds, and the draw of many rows.
    effect : float
        Design effect of groups.
    """
    # Of two samples, any share of the rows may be labeled where positives are.
    if cuts.sampling.is_two or cuts.labeled[-1] < _FEWEST:
        return False
    by_score = _regions_of_cuts(cuts, effect)
    n_labeled = by_score[-1].labeled
    large = [one for one in by_score if one.is_large(n_labeled)]
    # A tree with large leaves does not show what a column does.
    if not any(one.labeled >= PURE * one.rows for one in large) and not _a_column_separates(rows):
        return False
    told = _leak_of_a_column(rows, names, random_state)
    if told is None and any(_is_sure(one, n_labeled, effect) for one in large):
        best = max(large, key=lambda one: one.bound)
        told = (
            f"of the {best.rows} rows with the highest held-out scores, {best.labeled} are labeled "
            f"({best.labeled / n_labeled:.0%} of all labeled rows). Either nearly every "
            "positive is labeled, or columns give the label away together. Find out which columns "
            "are known before a row is labeled, and drop the others."
        )
    if told is not None:
        warn("PU204", Message(told))
    return told is not None


def _regions_of_cuts(cuts: Cuts, effect: float) -> list[Region]:
    """Return the highest scores that hold certain shares of the labeled rows; all, last."""
    first = np.searchsorted(cuts.recall, _COVERS * (1 - 1e-9))
    labeled, rows = cuts.labeled[first], (cuts.labeled + cuts.unlabeled)[first]
    return [
        Region("score", "", round(float(k)), round(float(n)), _bound(k / effect, n / effect, each))
        for k, n, each in zip(labeled, rows, [_ERROR / len(_COVERS)] * len(first), strict=True)
    ]


def _is_sure(region: Region, n_labeled: int, effect: float) -> bool:
    """Whether so many labeled rows would be rare in a region if c were .9."""
    perfect = region.is_perfect(n_labeled) and PURE ** (n_labeled / effect) <= _ERROR
    return region.bound >= PURE or perfect


def _a_column_separates(rows: Rows) -> bool:
    """Whether all labeled rows lie on one side of all others in some column, and few others there.

    Of text, most columns have nothing but zeros in labeled rows, and in nearly all others.
    """
    if rows.in_chunks or is_mapped(rows.X):
        return False
    X = _numbers_in(rows)
    if X is None:
        return False
    is_labeled = to_host(rows.s) == 1
    n_labeled, found = int(is_labeled.sum()), separating_columns(X, to_host(rows.s))
    if is_sparse(X):
        enough, X = min(n_labeled, len(is_labeled) - n_labeled / PURE), X.tocsc()
        found = found[np.diff(X.indptr)[found] >= enough]
    return any(
        n_labeled >= PURE * np.sum((x >= x[is_labeled].min()) & (x <= x[is_labeled].max()))
        for x in _Cells(X, found.tolist()).values()
    )


@dataclass(frozen=True, eq=False)
class _Cells(Mapping[str, np.ndarray]):
    """The columns of a matrix by their numbers; of sparse rows one at a time is dense."""

    X: Any
    columns: Sequence[int]

    @cached_property
    def _by_column(self) -> Any:
        return self.X.tocsc() if is_sparse(self.X) else self.X

    def __getitem__(self, name: str) -> np.ndarray:
        cells = self._by_column[:, [int(name)]]
        return np.asarray(cells.toarray() if is_sparse(cells) else cells, np.float64).ravel()

    def __iter__(self) -> Iterator[str]:
        return map(str, self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def _numbers_in(rows: Rows) -> Any:
    """Return X as a matrix of numbers in memory; None if it is none."""
    X: Any = rows.X if is_sparse(rows.X) else np.asarray(to_host(rows.X))
    return X if X.ndim == 2 and X.shape[1] and X.dtype.kind in "biuf" else None


def _leak_of_a_column(rows: Rows, names: Any, random_state: Any) -> str | None:
    """Say which column gives the labels away, if one does."""
    if rows.s.shape[0] > _MOST_ROWS:
        rows = rows.sample(_MOST_ROWS, 0, _MOST_ROWS // 8).rows
    rows = replace(rows.to_host(), weight=None)
    X = _numbers_in(rows)
    if X is None:
        return None
    n_columns = X.shape[1]
    columns = _Cells(X, range(n_columns))
    n_labeled = rows.n_labeled
    suspects = suspects_among(purest_regions(columns, rows.s, rows.groups), n_labeled)
    if not suspects:
        return None
    blamed = {int(one.feature) for one in suspects}
    kept = [j for j in range(n_columns) if j not in blamed]
    others = float(n_columns > 1)  # several columns, all suspect: c is near 1
    if kept:
        X = X if X.dtype.kind == "f" else X.astype(np.float64)
        if not is_sparse(X) and np.isnan(X).any():
            known = ~np.isnan(X)
            means = np.where(known, X, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            X = np.where(known, X, means)
        direction = partial(held_out_direction, random_state=random_state)
        others = bound_of_others(replace(rows, X=X), kept, n_columns, direction)
    worst, effect = suspects[0], design_effect(rows.s - rows.s.mean(), rows.groups)
    if state_of(worst, n_labeled, others, effect) not in ("warning", "serious"):
        return None
    column = quoted_column(names, int(worst.feature))
    return (
        f"of {worst.rows} rows with column {column} {worst.words}, {worst.labeled} are labeled "
        f"({worst.labeled / n_labeled:.0%} of all labeled rows), and the other columns do not come "
        f"close: column {column} may have been recorded because of the label. Find out whether it "
        "is known before a row is labeled. If not, drop it."
    )


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

    @property
    def is_almost_pure(self) -> bool:
        """Whether nearly all of its rows are labeled."""
        return self.labeled >= _ALMOST_ALL * self.rows

    def is_large(self, n_labeled: int) -> bool:
        """Whether it holds half of the labeled rows."""
        return self.labeled >= LARGE_COVER * n_labeled

    def is_perfect(self, n_labeled: int) -> bool:
        """Whether it holds all labeled rows, ten at least, and no other."""
        return self.labeled == self.rows == n_labeled >= _FEWEST

    def is_no_accident(self, n_labeled: int, effect: float) -> bool:
        """Whether so many labeled rows would be rare if c were .9, in a large region."""
        rows, others = self.rows / effect, (self.rows - self.labeled) / effect
        chance = bdtr(np.floor(others), int(np.ceil(rows)), 1 - PURE)
        return self.is_large(n_labeled) and self.is_almost_pure and bool(chance <= _BY_CHANCE)


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
