"""One sample or two: which rows stand for the population.

In one sample, all rows do. In two samples, the labelled rows come from elsewhere and the unlabelled
rows are a sample of the population. Every method here fits the stacked rows, which are SCAR: the
labelled ones are a random part of all their positives. What is reported is the population's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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


def frequency_of_prior(class_prior: Any, labelled_share: float, two_samples: bool) -> Any:
    r"""Return the label frequency of all rows, given the class prior of the population.

    :math:`p/\alpha`, and in two samples :math:`p/(p + (1 - p)\alpha)`.
    """
    whole = stacked_prior(class_prior, labelled_share) if two_samples else class_prior
    return labelled_share / whole


def labelled_share_of(label_frequency: float, class_prior: float, two_samples: bool) -> float:
    """Return the share of labelled rows, from which the other two followed."""
    labelled = label_frequency * class_prior
    if not two_samples:
        return labelled
    whole = 1 - label_frequency + labelled
    return labelled / whole if whole > 0 else float("nan")  # no positives: any share will do


def stacked_posterior(unlabelled: Any, label_frequency: float) -> Any:
    """Turn P(Y=1|x, S=0) into P(Y=1|x) of all rows: its odds are larger by 1/(1 - c)."""
    missed = 1 - label_frequency
    return unlabelled / (unlabelled + (1 - unlabelled) * missed)


def unlabelled_logit(intercept: Any, label_frequency: float) -> Any:
    """Turn the logit of P(Y=1|x) into that of P(Y=1|x, S=0): it is smaller by -log(1 - c)."""
    return intercept + np.log(max(1 - label_frequency, np.finfo(np.float64).tiny))
