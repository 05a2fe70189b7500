"""The cuts that a reader can choose from, with the recall and the rows of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import rates
from ...engine.sampling import Sampling
from ...inference import Interval, rate_interval
from ...thresholds import (
    Cuts,
    choose_cut,
    count_above,
    get_rule,
    shown_rules,
    with_enough_labeled,
)
from ._fit import TableFit

if TYPE_CHECKING:
    from ._record import FitRecord, Part

MOST_CUTS = 1000
"""About how many cuts of a curve are kept."""

_RATES = {"precision": rates.precision, "f1": rates.f1}
_HELD_OUT = "scores of held-out rows"
_SEEN = "scores of the training rows, on which recall is too large"


@dataclass(frozen=True)
class Curve:
    """Cuts of a score, in the order of decreasing thresholds.

    Attributes
    ----------
    source : str
        The scores from which recall and share are computed.
    honest : bool
        Whether these are scores of held-out rows.
    threshold, recall, share, posterior : ndarray of shape (n_cuts,)
        Rows with a score above `threshold` are predicted positive. Recall of the positives
        and fraction of rows are estimates for new rows; `posterior` is P(Y=1) at the threshold.
    selected, selected_unlabeled : ndarray of shape (n_cuts,)
        How many rows of this table have a score above the threshold, and how many of them are
        unlabeled.
    chosen : int
        Index of the classifier's cut.
    best : dict of str to int
        Index of the best cut for each rule; rules without one are left out.
    """

    source: str
    honest: bool
    threshold: np.ndarray
    recall: np.ndarray
    share: np.ndarray
    posterior: np.ndarray
    selected: np.ndarray
    selected_unlabeled: np.ndarray
    chosen: int
    best: dict[str, int]


def curve_of(fit: TableFit, most: int = MOST_CUTS) -> Curve:
    """Return the curve of a fitted classifier, thinned to about `most` cuts.

    The first and last cut, the classifier's cut and the best cut by each rule are always kept.

    Parameters
    ----------
    fit : TableFit
        A table and the classifier fitted to it.
    most : int, default=1000
        About how many cuts to keep.

    Returns
    -------
    curve : Curve
    """
    model, s = fit.classifier, fit.labels.s
    honest = hasattr(model, "cuts_")
    sampling = fit.labels.sampling
    cuts = model.cuts_ if honest else count_above(fit.scored.score, s, None, sampling)
    threshold, recall, share = _thresholds(cuts), cuts.recall, cuts.share
    chosen = _last_cut_above(cuts, model.threshold_)
    best = _best(cuts, getattr(model, "rule", None), model.class_prior_)
    if chosen < 0:  # the classifier selects no row, which is not a cut of a scan
        threshold, recall, share = (
            np.concatenate([[first], rest])
            for first, rest in ((0.0, threshold), (0.0, recall), (0.0, share))
        )
        chosen, best = 0, {name: place + 1 for name, place in best.items()}
    threshold[chosen] = model.threshold_
    kept = _thinned(share * cuts.total[-1], most, {chosen, *best.values()})
    place = {int(g): k for k, g in enumerate(kept)}
    of_all, of_unlabeled = (
        np.sort(fit.scored.score[rows]) for rows in (fit.labels.of_population, s == 0)
    )
    return Curve(
        source=_HELD_OUT if honest else _SEEN,
        honest=honest,
        threshold=threshold[kept],
        recall=recall[kept],
        share=share[kept],
        posterior=model.posterior_at(threshold[kept]),
        selected=_above(of_all, threshold[kept]),
        selected_unlabeled=_above(of_unlabeled, threshold[kept]),
        chosen=place[chosen],
        best={name: place[g] for name, g in best.items()},
    )


def rates_at(
    recall: float, share: float, class_prior: Part, n_labeled: float, known: float
) -> dict[str, float | None]:
    """Return precision and F1 at a cut, each with its ends.

    The ends follow from those of the class prior, and from the error of the recall.

    Parameters
    ----------
    recall, share : float
        Of the cut.
    class_prior : dict
        The part of a record.
    n_labeled : float
        How many independent labeled rows tell the recall.
    known : float
        The share of labeled rows among the selected: precision is at least that.

    Returns
    -------
    rates : dict
        ``precision``, ``f1``, and ``_lower`` and ``_upper`` of both; None where not known.
    """
    prior, lower, upper = (_finite(class_prior.get(end)) for end in ("estimate", "lower", "upper"))
    if prior is None:
        return dict.fromkeys(f"{name}{end}" for name in _RATES for end in ("", "_lower", "_upper"))
    interval = None
    if prior and lower is not None and upper is not None:
        level, method = class_prior.get("level") or 0.95, class_prior.get("method") or ""
        interval = Interval.around(prior, (lower, upper), level, method)
    found: dict[str, float | None] = {
        name: min(1.0, float(rate(recall, share, prior))) for name, rate in _RATES.items()
    }
    for name, least in (("precision", known), ("f1", 0.0)):
        ends: tuple[float | None, ...] = (None, None)
        if interval is not None:
            ends = tuple(
                max(end, least) for end in rate_interval(name, recall, share, interval, n_labeled)
            )
        found[f"{name}_lower"], found[f"{name}_upper"] = ends
    return found


def _finite(value: Any) -> float | None:
    """Return a number of a record; None for anything else."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def threshold_by(record: FitRecord, rule: str) -> float:
    """Choose a threshold by another rule, from the curve that a record of a fit holds.

    Parameters
    ----------
    record : FitRecord
        Its curve has about a thousand cuts.
    rule : str
        A rule, such as "f1" or "recall_at_least(0.9)".

    Returns
    -------
    threshold : float
        Rows with a larger score are predicted positive.

    Raises
    ------
    ValueError
        If the rule is unknown, or no cut satisfies it.
    """
    curve = record.curve
    threshold, recall, share = (np.array(curve[one]) for one in ("threshold", "recall", "share"))
    n_labeled, n_rows = record.label["labeled"], record.table["rows"]
    sampling = Sampling.ONE if record.label.get("cases") is None else Sampling.TWO
    below, total = np.append(threshold[1:], -np.inf), np.rint(n_rows * share)
    cuts = Cuts(threshold, below, n_labeled * recall, total, sampling)
    named = with_enough_labeled(get_rule(rule), n_labeled)
    return float(threshold[choose_cut(cuts, named, record.class_prior["estimate"]).index])


def _thresholds(cuts: Cuts) -> np.ndarray:
    """Return the middle between each cut's smallest score and the next one."""
    last = cuts.score[-1] - max(1.0, float(cuts.score[0] - cuts.score[-1]))
    below = np.append(cuts.next_score[:-1], last)
    threshold = below + 0.5 * (cuts.score - below)
    threshold[-1] = last
    return np.asarray(threshold)


def _last_cut_above(cuts: Cuts, threshold: float) -> int:
    """Return the last cut whose scores are all above a threshold; -1 if there is none."""
    return int(np.searchsorted(-cuts.score, -threshold, side="left")) - 1


def _best(cuts: Cuts, own: Any, class_prior: float) -> dict[str, int]:
    rules = dict.fromkeys([*shown_rules(), *([own] if isinstance(own, str) else [])])
    found = {}
    for name in rules:
        rule = with_enough_labeled(get_rule(name), cuts.labeled[-1])
        try:
            found[name] = choose_cut(cuts, rule, class_prior).index
        except ValueError:  # no cut satisfies it
            continue
    return found


def _thinned(rows: np.ndarray, most: int, needed: set[int]) -> np.ndarray:
    """Return cuts to keep: half evenly spaced in the number of rows, half in its logarithm."""
    if len(rows) <= most:
        return np.arange(len(rows))
    even = np.linspace(rows[0], rows[-1], most // 2)
    logarithmic = np.geomspace(max(rows[0], 1.0), rows[-1], most // 2)
    places = np.searchsorted(rows, np.concatenate([even, logarithmic]))
    return np.unique([*np.minimum(places, len(rows) - 1), 0, len(rows) - 1, *needed])


def _above(ascending: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    return len(ascending) - np.searchsorted(ascending, threshold, side="right")
