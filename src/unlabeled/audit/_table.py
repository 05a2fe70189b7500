"""What an audit keeps of a table: its strata, and its scores in at most a thousand cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.special import expit

from .. import rates
from ..engine.sampling import Sampling
from ..metrics import METRICS
from ._design import Design, design_rows, size_of_rows, tilts

if TYPE_CHECKING:
    from ._audit import Audit, Drawn
    from ._predictions import TablePredictions

Array = np.ndarray[Any, np.dtype[Any]]

# Up to this many distinct scores each has a cell of its own.
_MOST_CELLS = 1000
# Cuts whose numbers of rows above are kept, per stratum.
_MOST_CUTS = 300

LABELS: Literal["labels"] = "labels"
"""Stands for a cut above which lie the labeled rows, and no other."""

Cut = float | Literal["labels"] | None
"""A cut of the score, the judged one (None), or `LABELS`."""

HEADLINES = ("count", "class_prior", "precision", "recall", "f1")
"""The measures that a result has as attributes."""


def _balanced_accuracy(recall: Any, share: Any, class_prior: Any) -> Any:
    """As in `rates`; without negatives their share that is predicted right is 0."""
    found = rates.balanced_accuracy(recall, share, class_prior)
    return np.where(np.asarray(class_prior) < 1, found, np.asarray(recall) / 2)


MEASURES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "class_prior": lambda recall, share, prior: prior,
    "recall": METRICS["recall"].of_rates,
    **{
        name: metric.of_rates
        for name, metric in METRICS.items()
        if metric.needs_prior and not metric.of_score
    },
    "balanced_accuracy": _balanced_accuracy,
}
"""Measures by name, as functions of recall, share and class prior."""


def measure_of(
    name: str | Callable[[Any, Any, Any], Any], n_rows: int, n_predicted: int
) -> Callable[[Array, Array], Any]:
    """Return a measure as a function of the positives above and below the cut."""
    if name == "count":
        return lambda above, below: above + below
    function = name if callable(name) else MEASURES.get(name)
    if function is None:
        known = ", ".join(("count", *MEASURES))
        raise ValueError(
            f"`measure` must be one of {known}, or a function of recall, share and class prior; "
            f"got {name!r}."
        )

    def measure(above: Array, below: Array) -> Any:
        above = np.clip(above, 0.0, n_predicted)
        positives = above + np.clip(below, 0.0, n_rows - n_predicted)
        recall = np.divide(above, positives, out=np.zeros_like(positives), where=positives != 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = function(recall, n_predicted / n_rows, positives / n_rows)
        # Ratios without a denominator are 0, as in `rates`.
        return np.where(np.isfinite(found), found, 0.0) + 0.0 * positives

    return measure


def is_above(audit: Audit, cut: Cut) -> Array:
    """Return whether each drawn row lies above a cut."""
    if cut is None or isinstance(cut, str):
        which = "predicted" if cut is None else "labeled"
        return np.asarray(audit.strata[which][audit.stratum])
    return np.asarray(audit.score > audit.table.at_cut(cut)[0])


def missed_positives(audits: Sequence[Audit], answers: Sequence[Array]) -> set[int]:
    """Return the positions of unlabeled rows that were found to be positive."""
    return {
        int(row)
        for audit, given in zip(audits, answers, strict=True)
        for row in audit.rows[(given == 1) & ~audit.strata["labeled"][audit.stratum]]
    }


@dataclass(frozen=True)
class Strata:
    """The strata of a table.

    Attributes
    ----------
    of_row : ndarray of shape (n_rows,)
        Number of the stratum of each row; -1 for labeled rows of which none is drawn.
    table : dict of str to ndarray
        See `Audit.strata`.
    """

    of_row: Array
    table: dict[str, Array]

    @classmethod
    def of(cls, parts: list[Drawn], labeled: Array, score: Array, predicted: Array) -> Strata:
        """Number the strata of several designs one after the other."""
        of_row = np.full(len(score), -1)
        drawn: list[int] = []
        for part in parts:
            of_row[part.of] = part.design.stratum + len(drawn)
            drawn.extend(part.design.drawn.tolist())
        inside = [np.flatnonzero(of_row == number) for number in range(len(drawn))]
        table = {
            "lower": np.array([score[rows].min() for rows in inside]),
            "upper": np.array([score[rows].max() for rows in inside]),
            "predicted": np.array([bool(predicted[rows[0]]) for rows in inside]),
            "labeled": np.array([bool(labeled[rows[0]]) for rows in inside]),
            "rows": np.array([len(rows) for rows in inside]),
            "drawn": np.array(drawn),
        }
        return cls(of_row, table)


@dataclass(frozen=True)
class TableScores:
    """The scores of all rows of a table, in cells of the score and at cuts.

    Attributes
    ----------
    low, high : ndarray of shape (n_cells,)
        Smallest and largest score in each cell, rising.
    logit : ndarray of shape (n_cells,) or None
        Mean logit of P(Y=1|x, S=0) in each cell.
    counts : ndarray of shape (4, n_cells)
        Rows in each cell: unlabeled and predicted negative, unlabeled and predicted positive,
        and the same two of labeled rows.
    cuts : ndarray of shape (n_cuts,)
        Scores, falling. A cut predicts positive the rows above it.
    above : ndarray of shape (n_cuts, n_strata)
        Rows of each stratum above each cut.
    labeled_above : ndarray of shape (n_cuts,)
        Labeled rows above each cut.
    labeled_in_strata : bool
        Whether labeled rows have strata of their own.
    sampling : Sampling
        Whether the unlabeled rows alone are a sample of the population. Labeled rows then count
        neither as rows nor as positives.
    """

    low: Array
    high: Array
    logit: Array | None
    counts: Array
    cuts: Array
    above: Array
    labeled_above: Array
    labeled_in_strata: bool
    sampling: Sampling = Sampling.ONE

    @classmethod
    def of(cls, judged: TablePredictions, strata: Strata) -> TableScores:
        """Count the rows."""
        cell, n_cells = _cells(judged.score)
        kind = judged.predicted.astype(np.int64) + 2 * judged.labeled
        counts = np.stack([np.bincount(cell[kind == k], minlength=n_cells) for k in range(4)])
        low, high = np.full(n_cells, np.inf), np.full(n_cells, -np.inf)
        np.minimum.at(low, cell, judged.score)
        np.maximum.at(high, cell, judged.score)
        logits = None
        if judged.logit is not None:
            logits = np.bincount(cell, judged.logit, n_cells) / np.bincount(cell, minlength=n_cells)
        cuts = _cuts(judged.score, judged.threshold)
        n_strata = len(strata.table["rows"])
        above = np.stack(
            [_above(judged.score[strata.of_row == h], cuts) for h in range(n_strata)], axis=1
        )
        labeled_above = _above(judged.score[judged.labeled], cuts)
        has_strata = bool(strata.table["labeled"].any())
        return cls(
            low,
            high,
            logits,
            counts,
            cuts,
            above,
            labeled_above,
            has_strata,
            judged.sampling,
        )

    @property
    def known_counts(self) -> Array:
        """Rows in each cell that count as known positives: predicted negative, and positive."""
        return 0 * self.counts[2:] if self.sampling.is_two else self.counts[2:]

    @property
    def rows(self) -> Array:
        """Rows in each cell that count."""
        return self.counts[:2].sum(axis=0) + self.known_counts.sum(axis=0)

    @property
    def n_rows(self) -> int:
        """Number of rows that count."""
        return int(self.rows.sum())

    @property
    def n_predicted(self) -> int:
        """Number of them that are predicted positive."""
        return int(self.counts[1].sum() + self.known_counts[1].sum())

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows."""
        return int(self.counts[:2].sum())

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows."""
        return int(self.counts[2:].sum())

    def known(self) -> tuple[float, float]:
        """Known positives that are predicted positive and negative."""
        return float(self.known_counts[1].sum()), float(self.known_counts[0].sum())

    def designed(self, size: int) -> tuple[Design, Array, Array]:
        """Divide the unlabeled rows for another size; also return expected shares, and sides.

        The shares of positives, one row per distortion of `tilts`, are mean posteriors with their
        logits shifted and stretched. Without a posterior half of the rows are positive.
        """
        n_cells = len(self.low)
        place = np.repeat(np.arange(2 * n_cells), self.counts[:2].ravel())
        cell, predicted = place % n_cells, place >= n_cells
        logits = None if self.logit is None else self.logit[cell]
        design = design_rows(self.low[cell], size_of_rows(logits, len(cell)), predicted, size)
        known = np.zeros(len(cell)) if logits is None else logits
        shares = [
            np.bincount(design.stratum, expit(shift + slope * known)) / design.rows
            for shift, slope in tilts()
        ]
        return design, np.stack(shares), np.bincount(design.stratum, predicted) > 0

    def at_cut(self, threshold: float) -> tuple[float, Array, tuple[float, float]]:
        """Return the kept cut nearest to a threshold: its score, rows above, known positives."""
        place = int(np.argmin(np.abs(self.cuts - threshold)))
        labeled = 0 if self.sampling.is_two else int(self.labeled_above[place])
        known = float(labeled), float(sum(self.known()) - labeled)
        return float(self.cuts[place]), self.above[place], known

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists."""
        found = {one.name: getattr(self, one.name) for one in fields(self)}
        found["two_samples"] = found.pop("sampling").is_two  # as in files
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in found.items()
        }

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> TableScores:
        """Make it again from `to_dict`."""
        columns: dict[str, Any] = {
            name: np.array(value) if isinstance(value, list) else value
            for name, value in found.items()
        }
        sampling = Sampling.TWO if columns.pop("two_samples", False) else Sampling.ONE
        return cls(**columns, sampling=sampling)


def _cells(score: Array) -> tuple[Array, int]:
    """Cell of every row: one per distinct score, or ranges with about equal numbers of rows."""
    distinct, place = np.unique(score, return_inverse=True)
    if len(distinct) <= _MOST_CELLS:
        return place, len(distinct)
    edges = np.unique(np.quantile(score, np.arange(1, _MOST_CELLS) / _MOST_CELLS))
    cell = np.searchsorted(edges, score, side="right")
    _, cell = np.unique(cell, return_inverse=True)
    return cell, int(cell.max()) + 1


def _cuts(score: Array, threshold: float | None) -> Array:
    """Cuts between distinct scores, falling, the judged one among them."""
    distinct = np.unique(score)
    cuts = 0.5 * (distinct[1:] + distinct[:-1])
    cuts = np.concatenate([[distinct[0] - 1.0], cuts, [distinct[-1] + 1.0]])
    if len(cuts) > _MOST_CUTS:
        wanted = np.quantile(score, np.linspace(0, 1, _MOST_CUTS))
        near = np.clip(np.searchsorted(cuts, wanted), 0, len(cuts) - 1)
        cuts = cuts[np.unique([0, *near, len(cuts) - 1])]
    if threshold is not None:
        cuts = np.unique(np.append(cuts, threshold))
    return cuts[::-1].copy()


def _above(score: Array, cuts: Array) -> Array:
    return len(score) - np.searchsorted(np.sort(score), cuts, side="right")
