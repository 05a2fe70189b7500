"""Notice that positives found through a fit were marked as labeled, and the fit made again."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from ...codes import warn
from ..tables import count

# With fewer rows on either side, nothing can be told.
_FEWEST = 5
_LEVEL = 0.001
# How often a new label must score above an old one; a smaller difference does little harm.
_AT_THE_TOP = 0.6


def report_relabeled(
    score: Any,
    before: Any,
    now: Any,
    positives: tuple[dict[str, Any], dict[str, Any]] | None = None,
) -> None:
    """Warn (PU119) if the rows labeled since an earlier fit were found through that fit.

    Under SCAR the rows labeled later have the same scores as those labeled before. If somebody
    checked the top of the list and marked the positives there as labeled, they score higher
    (Mann-Whitney test, one-sided, at level .001). Or the number of positives falls, although
    more rows are labeled.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        Scores of the earlier fit, preferably held-out ones; a larger score means more probably
        positive.
    before, now : array-like of shape (n_rows,)
        1 for rows that were labeled in the earlier fit, and for rows that are labeled now.
    positives : (dict, dict), optional
        The number of positives by the earlier fit and by the present one: ``estimate``,
        ``lower`` and ``upper``, which may be None.
    """
    score, old = np.asarray(score, dtype=np.float64), np.asarray(before) == 1
    new = (np.asarray(now) == 1) & ~old
    if min(new.sum(), old.sum()) < _FEWEST:
        return
    test = mannwhitneyu(score[new], score[old], alternative="greater")
    above = test.statistic / (int(new.sum()) * int(old.sum()))
    start = f"{count(int(new.sum()))} rows were labeled since the earlier fit, and "
    meaning = (
        "Positives that are found through a fit and marked as labeled are not a random sample "
        "of the positives, and make the number of positives too low."
    )
    if test.pvalue < _LEVEL and above > _AT_THE_TOP:
        warn(
            "PU119",
            f"{start}they lie at the top of its list: a row labeled since scores above one "
            f"labeled before with probability {above:.0%} (p = {test.pvalue:.1g}). {meaning}",
        )
    elif positives is not None and _fell(*positives):
        earlier, later = (_written(one) for one in positives)
        warn(
            "PU119",
            f"{start}the estimated number of positives fell from {earlier} to {later}. {meaning}",
        )


def _fell(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Return whether the interval of the present fit lies below that of the earlier one."""
    upper, lower = later.get("upper"), earlier.get("lower")
    return upper is not None and lower is not None and upper < lower


def _written(three: dict[str, Any]) -> str:
    estimate, lower, upper = (count(round(three[end])) for end in ("estimate", "lower", "upper"))
    return f"{estimate} ({lower} to {upper})"
