"""From the share of positives among unlabelled rows to the label frequency."""

from __future__ import annotations


def frequency_of_share(unlabelled_share: float, labelled_share: float) -> float:
    r"""Label frequency when `unlabelled_share` of the unlabelled rows are positive.

    With :math:`p_s = P(S=1)` and :math:`\alpha_u = P(Y=1|S=0)` the class prior of
    the whole sample is :math:`\alpha = p_s + (1-p_s)\,\alpha_u`, and
    :math:`c = p_s/\alpha`. A cut of a score with recall r among the labelled rows,
    share q among all and :math:`q_u` among the unlabelled ones has
    :math:`q/r = p_s + (1-p_s)\,q_u/r`, so both samples give the same bound.
    """
    return labelled_share / (labelled_share + (1 - labelled_share) * unlabelled_share)
