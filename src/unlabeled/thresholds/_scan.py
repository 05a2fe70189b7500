"""The cuts of a user's score."""

from __future__ import annotations

from typing import Any

from ..labels import encode_labels, score_column, validate_weight
from ._cuts import Cuts, count_above


def scan_cuts(score: Any, y: Any, sample_weight: Any = None, *, positive_label: Any = None) -> Cuts:
    """Count labelled and all rows above every distinct score.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        Larger for rows that look more positive.
    y : array-like of shape (n_rows,)
        Two values; by default the larger marks labelled rows.
    sample_weight : array-like of shape (n_rows,), optional
        Without weights the counts are exact integers; rows of weight zero
        leave the scan.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.

    Returns
    -------
    cuts : Cuts
        Scores, counts, recall and share, the highest cut first.

    See Also
    --------
    unlabeled.thresholds.choose_cut : Chooses one of them.
    unlabeled.plots.CutCurveDisplay : Draws them.

    Examples
    --------
    >>> from unlabeled.thresholds import scan_cuts
    >>> cuts = scan_cuts([5.0, 4.0, 4.0, 2.0], [1, 0, 1, 0])
    >>> cuts.score.tolist(), cuts.labelled.tolist(), cuts.total.tolist()
    ([5.0, 4.0, 2.0], [1, 2, 2], [1, 3, 4])
    """
    s, _ = encode_labels(y, positive_label)
    weight = validate_weight(sample_weight, len(s))
    return count_above(score_column(score, s), s, weight)
