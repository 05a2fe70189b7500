"""Recall drawn towards what a model expects, where few labelled rows tell it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..blocks import Array
from ._cuts import Cuts, count_above

LABELLED_ROWS_A_MODEL_IS_WORTH = 300.0
"""With so many labelled rows, observed and expected recall count alike."""


def shrink_recall(
    cuts: Cuts,
    score: Array,
    posterior: Array,
    weight: Array | None = None,
    worth: float = LABELLED_ROWS_A_MODEL_IS_WORTH,
) -> Cuts:
    r"""Mix the observed recall above every cut with the recall that a posterior expects.

    Under SCAR labelled rows are distributed like positives, so recall above a
    cut is also the posterior's mass above it over its whole mass. With
    :math:`n_1` labelled rows of which :math:`\hat r` lie above,

    .. math:: \tilde r = \frac{n_1 \hat r + m\, \bar r}{n_1 + m}, \qquad
              \bar r = \sum_{t_i > z} p(t_i) \Big/ \sum_i p(t_i):

    the model counts as m labelled rows. One labelled row on top of a few
    others then wins no rule, and with thousands of them the model is as good
    as gone.

    Parameters
    ----------
    cuts : Cuts
        Of `score`.
    score, posterior : ndarray of shape (n_rows,)
        The score and P(Y=1) of each row, growing with the score.
    weight : ndarray of shape (n_rows,), optional
    worth : float
        m.

    Returns
    -------
    shrunk : Cuts
        With `labelled` replaced.
    """
    mass = count_above(score, posterior, np.ones_like(score) if weight is None else weight)
    n_labelled = float(cuts.labelled[-1])
    share = n_labelled / (n_labelled + worth)
    recall = share * cuts.recall + (1 - share) * mass.recall
    return replace(cuts, labelled=n_labelled * recall, total=cuts.total.astype(np.float64))
