"""Labels that take time: rows that entered lately have not had the time to get one."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..codes import warn
from ..engine.parameters import check_positive
from ..scores import LabeledScore, Missed, OfRows
from ._chances import AlongChances, ExpectedChance, count_by_chances, density_of_counts
from ._delays import Delays
from ._labeling import Labeling, history_columns, reject_beside_history, rows_in_words

# So many labeled rows were observed for longer than the horizon.
_OUTLAST = 0.10
# Labels are still coming if more than this share of them comes in the last fifth of the horizon.
_STILL_COMING, _FIFTH = 0.10, 0.8
_FEW, _TOO_FEW = 30, 5
_WHY = {
    "checked": ", because an answer says whether a row is positive, not whether it would be labeled"
}


@dataclass(frozen=True)
class FoundByDates:
    """What dates say beside the count.

    Attributes
    ----------
    horizon : float
        H: counted are rows that would be labeled within H of entry.
    still_coming : float
        The share of these labels that comes in the last fifth of H.
    drift_weight : float
        Probability that the posterior follows the exposure, too: that cohorts differ, or that
        labeling became faster or slower.
    with_drift, without_drift : float
        Numbers of positives with and without that.
    family_weights : dict of str to float
        Probability of each family of delays.
    n_dated, n_undated, n_before, n_late : int
        Labeled rows whose delay was used, that have none, that were labeled at or before entry,
        and that were labeled after H.
    chance : ndarray of shape (n_rows,)
        The chance of each row to be labeled by now, if it would be within H.
    """

    horizon: float
    still_coming: float
    drift_weight: float
    with_drift: float
    without_drift: float
    family_weights: dict[str, float]
    n_dated: int
    n_undated: int
    n_before: int
    n_late: int
    chance: np.ndarray


class LabelDates(Labeling):
    r"""Labels come with time, and it is known when rows entered and when they were labeled.

    Use it for registers and cohorts: a diagnosis, a failure or a complaint follows some time after
    entry, and rows that entered lately have not had the time. Pass ``fit(X, s, history=frame)``
    with two columns in any unit of time:

    - ``exposure``: from entry to the end of observation. That is today for most rows, and the
      day on which a row left, died or was closed for the others: one date for all would make
      chances too large and the count too small.
    - ``delay``: from entry to the label; empty for unlabeled rows. A labeled row may have none.

    Dates do not belong into X.

    Assumes that delays do not depend on the features nor on the time of entry.

    Parameters
    ----------
    horizon : float or None, default=None
        H. Counted are rows that would be labeled within H of entry. None: the longest time that a
        tenth of the labeled rows outlast.

    Notes
    -----
    *Delays.* The delays of labeled rows are fitted given that the rows are labeled:
    :math:`\prod f(t)/F(\min(u, H))` with exposure u and delay t. There the class cancels, so no
    model of it matters. Exponential, Weibull, lognormal and log-logistic delays are averaged by
    their evidence. A row was labeled by now with chance :math:`e = F(\min(u, H))/F(H)` if it would
    be labeled within H.

    *Count.* As with `KnownChances`, for draws of these chances, but labels are not divided by
    their chances: those of short exposures are too small. What is counted are the rows that would
    be labeled within H, with those labeled before entry and after H. It is no total: nothing in
    the table says how many are labeled later, or never.

    *Drift.* The posterior may also follow the exposure, with a weight by the evidence of the
    labels (PU126). That moves the count and the rows of the table, not new rows.

    **What breaks it:** delays that depend on features (the interval was too short: .67 instead of
    .95), and labeling that became faster or slower.

    Examples
    --------
    >>> from unlabeled.labeling import LabelDates
    >>> LabelDates(horizon=24)
    LabelDates(horizon=24)
    """

    def __init__(self, horizon: float | None = None) -> None:
        self.horizon = horizon

    def missed(self, known: LabeledScore) -> Missed:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows, and the count; Y is to be labeled within H.

        Parameters
        ----------
        known : LabeledScore
            `history` has the columns ``exposure`` and ``delay``.

        Returns
        -------
        missed : Missed
        """
        reject_beside_history(known, type(self).__name__, _WHY)
        s = known.s.astype(np.float64)
        exposure, delay = _checked_times(known.history, s)
        before = (s == 1) & (delay <= 0)
        dated = (s == 1) & (delay > 0)
        if dated.sum() < _TOO_FEW:
            raise ValueError(
                f"`history` must have a delay above 0 for at least {_TOO_FEW} labeled rows; got "
                f"{dated.sum()}. Fit without labeling=LabelDates()."
            )
        horizon = self._checked_horizon(exposure[dated])
        late = dated & (delay > horizon)
        in_time = dated & ~late
        if in_time.sum() < _TOO_FEW:
            raise ValueError(
                f"`horizon` must be longer than the delays of at least {_TOO_FEW} labeled rows; "
                f"got {horizon:g}, with {in_time.sum()}. Use a larger one."
            )
        delays = Delays.fit(delay[in_time], exposure[in_time], horizon)
        draws = delays.within(exposure)
        chance, entered = draws.mean, ~before
        design = known.design(None)
        expected_by, expected = ExpectedChance.fit(design[entered], chance[entered])
        counted = count_by_chances(
            known.label_logit[entered],
            np.where(late, 0.0, s)[entered],
            draws.of_rows(entered),
            expected,
            drift=exposure[entered],
            by_times=False,
        )
        beside = float(before.sum() + late.sum())
        new_rows = AlongChances(counted.line, expected_by, None)
        both = [one.copy() for one in new_rows.at(known.label_logit, lambda _: design)]
        both[0][entered], both[1][entered] = counted.posterior, counted.missed
        found = FoundByDates(
            horizon,
            float(1 - delays.within(np.array([_FIFTH * horizon])).mean[0]),
            counted.drift_weight,
            counted.with_drift + beside,
            counted.without_drift + beside,
            delays.weights,
            int(in_time.sum()),
            int(((s == 1) & np.isnan(delay)).sum()),
            int(before.sum()),
            int(late.sum()),
            chance,
        )
        _warn(found)
        density = density_of_counts(counted, s[entered & ~late], len(s), beside=beside)
        return Missed(OfRows(*both), density, new_rows, _in_words(found, exposure), found)

    def _checked_horizon(self, exposure: np.ndarray) -> float:
        """Return the horizon; by default the longest time that a tenth of labeled rows outlast."""
        if self.horizon is None:
            return float(np.quantile(exposure, 1 - _OUTLAST, method="lower"))
        check_positive("horizon", self.horizon, Real, "None or a positive number")
        longest = float(exposure.max())
        if self.horizon > longest:
            raise ValueError(
                "`horizon` must be at most the longest exposure of a labeled row, "
                f"{longest:g}; got {self.horizon!r}. Nothing in the table says what comes later."
            )
        return float(self.horizon)


def _checked_times(history: Any, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return exposure and delay; reject what is impossible."""
    columns = history_columns(history, ["exposure", "delay"], len(s), "LabelDates")
    exposure, delay = columns["exposure"], columns["delay"]
    for wrong, must, advice in (
        (np.isnan(exposure), "an exposure for every row; got none in", "Drop these rows."),
        (
            exposure < 0,
            "exposures of at least 0; got less in",
            "Drop rows that enter after the end of observation.",
        ),
        (
            (s == 0) & ~np.isnan(delay),
            "a delay for labeled rows only; got one in",
            "Label these rows, or leave their delay empty.",
        ),
        (
            delay > exposure,
            "delays of at most the exposure; got more in",
            "Labels given after the end of observation are none: make such rows unlabeled.",
        ),
    ):
        if wrong.any():
            raise ValueError(f"`history` must hold {must} {rows_in_words(wrong)}. {advice}")
    return exposure, delay


def _warn(found: FoundByDates) -> None:
    if found.n_dated < _FEW:
        warn(
            "PU127",
            f"{found.n_dated} labels have a delay within the horizon, fewer than {_FEW}. How long "
            "labels take is hardly known, and neither is the count.",
        )
    if found.still_coming > _STILL_COMING:
        warn(
            "PU125",
            f"{found.still_coming:.0%} of the labels within {found.horizon:.4g} of entry come in "
            "the last fifth of that time. More come later, and are not counted.",
        )
    if found.drift_weight > 0.5:
        warn(
            "PU126",
            "rows of different exposure differ by more than the delays of their labels explain. "
            f"If early and late cohorts differ, there are {found.with_drift:.0f} positives; if "
            f"labeling became faster or slower, it may be {found.without_drift:.0f}, or neither.",
        )


def _in_words(found: FoundByDates, exposure: np.ndarray) -> tuple[str, ...]:
    words = [
        f"Counted are rows that would be labeled within {found.horizon:.4g} of entry; positives "
        "that are labeled later or never are not included."
    ]
    beside = [
        f"{number} {'row' if number == 1 else 'rows'} labeled {when}"
        for number, when in (
            (found.n_before, "at or before entry"),
            (found.n_late, "after that time"),
        )
        if number
    ]
    if beside:
        words.append(f"The count also has {' and '.join(beside)}.")
    if np.all(exposure >= found.horizon):
        words.append("Every row was observed for that long, so the count is that of the labels.")
    words.append(f"{found.still_coming:.0%} of these labels come in the last fifth of that time.")
    if found.drift_weight > 0.5:
        words.append(
            f"If cohorts do not differ, the count would be {found.without_drift:.0f} instead of "
            f"{found.with_drift:.0f}: dates cannot tell differing cohorts from labeling that "
            "became faster or slower."
        )
    return tuple(words)
