"""Make positive-unlabelled data of classified data: hide labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ._arguments import check_classes, check_frequency, check_probabilities


def hide_labels(
    y_true: Any,
    c: float | None = None,
    *,
    propensity: Any = None,
    random_state: int | np.random.RandomState | None = None,
) -> np.ndarray:
    r"""Label some of the positives and hide all other classes.

    With `c`, positives are labelled completely at random (SCAR), each with the same
    probability. With `propensity`, labelling depends on the features (SAR): row i is labelled
    with probability e(x_i) if it is positive. A negative row is never labelled.

    .. math:: s_i = y_i \cdot 1\{u_i < e(x_i)\}, \quad u_i \sim U(0, 1), \quad e \equiv c
        \text{ under SCAR}

    What breaks it: the realised share of labelled positives is random with mean `c`; with few
    positives there may be no labelled row at all, and then no method can be fitted.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        The classes, 0 or 1.
    c : float, optional
        Label frequency P(S=1|Y=1), in (0, 1]. Give either this or `propensity`.
    propensity : array-like of shape (n,), optional
        e(x_i) = P(S=1|Y=1, x_i) of every row, in [0, 1]; see `logistic_propensity` and
        `posterior_propensity`.
    random_state : int, RandomState or None, default=None
        Seed of the draw. One seed gives labels that only grow with `c`.

    Returns
    -------
    s : ndarray of shape (n,), int
        1 for labelled rows, 0 for the others.

    See Also
    --------
    unlabeled.datasets.make_paper_gaussian : Features and labels together.
    unlabeled.datasets.logistic_propensity : A labelling that is not at random.

    Examples
    --------
    >>> from unlabeled.datasets import hide_labels
    >>> hide_labels([1, 1, 1, 1, 0, 0], 0.6, random_state=0).tolist()
    [1, 0, 0, 1, 0, 0]
    """
    classes = check_classes(y_true)
    if (c is None) == (propensity is None):
        raise ValueError(
            "`hide_labels` must be given either `c` or `propensity`; got "
            f"{'neither' if c is None else 'both'}. Pass `c` for labels that are missing "
            "completely at random, `propensity` otherwise."
        )
    if propensity is None:
        probability = np.full(len(classes), check_frequency(c, "c"))
    else:
        probability = check_probabilities(propensity, "propensity", len(classes))
    drawn = check_random_state(random_state).random_sample(len(classes)) < probability
    return np.where(drawn, classes, 0)
