r"""P(Y=1|x, S=0) from P(Y=1|x): that a row has no label is evidence against a positive."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.arrays import Array, namespace_of

# An estimated label frequency of 1 leaves no positive among the unlabeled rows, and a logit of
# -inf, which no answer of a checked row could move. So at least this share is taken as missed.
_LEAST_MISSED = 1e-3


def given_unlabeled(posterior: Any, label_frequency: Any) -> Any:
    r"""Turn P(Y=1|x) into :math:`P(Y=1|x, S=0) = (1-c)\,y/(1-c\,y)`.

    Parameters
    ----------
    posterior : float or array
        y = P(Y=1|x).
    label_frequency : float or array
        c, or the propensity P(S=1|Y=1,x) of each row.

    Returns
    -------
    missed : float or array

    Examples
    --------
    >>> given_unlabeled(np.array([0.8, 0.5]), 0.6).round(3)
    array([0.615, 0.286])
    """
    return share_of_missed((1 - label_frequency) * posterior, 1 - posterior)


def share_of_missed(missed: Any, negative: Any) -> Any:
    """Return the share of missed positives, P(Y=1, S=0), among them and the negatives.

    It is 0 where there are neither: there, all rows are labeled.
    """
    total = missed + negative
    xp = namespace_of(total)
    return missed / xp.where(total > 0, total, xp.ones_like(total))


def logit_given_unlabeled(logit: Array, label_frequency: Any) -> Array:
    """Return the logit of `given_unlabeled` for that of the posterior; finite at c = 1."""
    return logit + np.log(np.maximum(1 - np.asarray(label_frequency), _LEAST_MISSED))
