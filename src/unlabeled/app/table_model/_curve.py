"""The cuts that a reader can choose from: what each finds, and what it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...thresholds import RULES, Cuts, choose_cut, count_above, get_rule, with_enough_labelled
from ._fit import TableFit

MOST_CUTS = 1000
"""About so many cuts are kept of a curve."""

_LEFT_OUT = "scores of rows left out of the fit"
_OWN = "scores of the rows of the fit, which it has seen: recall is too large"


@dataclass(frozen=True)
class Curve:
    """Cuts of a score, from the fewest rows to all.

    Attributes
    ----------
    source : str
        Which scores recall and share come from.
    honest : bool
        Whether they are those of rows left out of the fit.
    threshold, recall, share, posterior : ndarray of shape (n_cuts,)
        Rows with a score above `threshold` are decided positive; recall of positives and share
        of rows, as they are expected in new rows; P(Y=1) of a row at the threshold.
    selected, selected_unlabelled : ndarray of shape (n_cuts,)
        How many rows of this table, and unlabelled ones, have a score above the threshold.
    chosen : int
        The classifier's own cut.
    best : dict of str to int
        The best cut of every rule that has one.
    """

    source: str
    honest: bool
    threshold: np.ndarray
    recall: np.ndarray
    share: np.ndarray
    posterior: np.ndarray
    selected: np.ndarray
    selected_unlabelled: np.ndarray
    chosen: int
    best: dict[str, int]


def curve_of(fit: TableFit, most: int = MOST_CUTS) -> Curve:
    """Return the curve of a fitted classifier, thinned to about `most` cuts.

    The ends, the classifier's cut and the best cut of every rule are always kept.

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
    cuts = model.cuts_ if honest else count_above(fit.scored.score, s)
    threshold, recall, share = _thresholds(cuts), cuts.recall, cuts.share
    chosen = _own_cut(cuts, model.threshold_)
    best = _best(cuts, getattr(model, "rule", None), model.class_prior_)
    if chosen < 0:  # the classifier selects nobody: that is no cut of a scan
        threshold, recall, share = (
            np.concatenate([[first], rest])
            for first, rest in ((0.0, threshold), (0.0, recall), (0.0, share))
        )
        chosen, best = 0, {name: place + 1 for name, place in best.items()}
    threshold[chosen] = model.threshold_
    kept = _thinned(share * cuts.total[-1], most, {chosen, *best.values()})
    place = {int(g): k for k, g in enumerate(kept)}
    of_all, of_unlabelled = np.sort(fit.scored.score), np.sort(fit.scored.score[s == 0])
    return Curve(
        source=_LEFT_OUT if honest else _OWN,
        honest=honest,
        threshold=threshold[kept],
        recall=recall[kept],
        share=share[kept],
        posterior=model.posterior_at(threshold[kept]),
        selected=_above(of_all, threshold[kept]),
        selected_unlabelled=_above(of_unlabelled, threshold[kept]),
        chosen=place[chosen],
        best={name: place[g] for name, g in best.items()},
    )


def _thresholds(cuts: Cuts) -> np.ndarray:
    """The middle between a cut's smallest score and the next one, as a cut is chosen."""
    last = cuts.score[-1] - max(1.0, float(cuts.score[0] - cuts.score[-1]))
    below = np.append(cuts.next_score[:-1], last)
    threshold = below + 0.5 * (cuts.score - below)
    threshold[-1] = last
    return np.asarray(threshold)


def _own_cut(cuts: Cuts, threshold: float) -> int:
    """The last cut whose scores are all above a threshold; -1 if there is none."""
    return int(np.searchsorted(-cuts.score, -threshold, side="left")) - 1


def _best(cuts: Cuts, own: Any, class_prior: float) -> dict[str, int]:
    rules = dict.fromkeys([*RULES, *([own] if isinstance(own, str) else [])])
    found = {}
    for name in rules:
        rule = with_enough_labelled(get_rule(name), cuts.labelled[-1])
        try:
            found[name] = choose_cut(cuts, rule, class_prior).index
        except ValueError:  # no cut satisfies it
            continue
    return found


def _thinned(rows: np.ndarray, most: int, needed: set[int]) -> np.ndarray:
    """Cuts, half of them even in the number of rows, half in its logarithm."""
    if len(rows) <= most:
        return np.arange(len(rows))
    even = np.linspace(rows[0], rows[-1], most // 2)
    logarithmic = np.geomspace(max(rows[0], 1.0), rows[-1], most // 2)
    places = np.searchsorted(rows, np.concatenate([even, logarithmic]))
    return np.unique([*np.minimum(places, len(rows) - 1), 0, len(rows) - 1, *needed])


def _above(ascending: np.ndarray, threshold: np.ndarray) -> np.ndarray:
    return len(ascending) - np.searchsorted(ascending, threshold, side="right")
