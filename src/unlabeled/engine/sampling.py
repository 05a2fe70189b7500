"""One sample or two: which rows stand for the population.

In one sample, all rows do. In two samples, the labelled rows come from elsewhere and the unlabelled
rows are a sample of the population. Every method here fits the stacked rows, which are SCAR: the
labelled ones are a random part of all their positives. What is reported is the population's.
"""

from __future__ import annotations

from typing import Any

from .parameters import check_choice

ONE_SAMPLE, TWO_SAMPLES = "one-sample", "two-sample"


def has_two_samples(sampling: Any) -> bool:
    """Whether a parameter `sampling` says that the unlabelled rows alone are the population."""
    check_choice("sampling", sampling, (ONE_SAMPLE, TWO_SAMPLES))
    return bool(sampling == TWO_SAMPLES)


def unlabelled_prior(class_prior: Any, labelled_share: float) -> Any:
    r"""Return P(Y=1|S=0), the share of positives among the unlabelled rows.

    :math:`(\alpha - p)/(1 - p)`, with the class prior :math:`\alpha` of all rows, and the share
    p of labelled rows, all of which are positive.
    """
    return (class_prior - labelled_share) / (1 - labelled_share)


def stacked_prior(unlabelled: Any, labelled_share: float) -> Any:
    """Return P(Y=1) of all rows, given the share of positives among the unlabelled ones."""
    return labelled_share + (1 - labelled_share) * unlabelled
