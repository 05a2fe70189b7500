"""One sample or two: which rows stand for the population.

In one sample, all rows do. In two samples, the labeled rows come from elsewhere and the unlabeled
rows are a sample of the population. Every method here fits the stacked rows, which are SCAR: the
labeled ones are a random part of all their positives. What is reported is the population's.
"""

from __future__ import annotations

from enum import StrEnum
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np

from .parameters import check_choice

SamplingWord = Literal["one-sample", "two-sample"]
ONE_SAMPLE: SamplingWord
TWO_SAMPLES: SamplingWord
ONE_SAMPLE, TWO_SAMPLES = get_args(SamplingWord)

ROUNDING = 1e-9
"""So far rounding may put a class prior beyond its bound."""


class Sampling(StrEnum):
    """How rows were sampled: the values of a parameter `sampling`."""

    ONE = ONE_SAMPLE
    TWO = TWO_SAMPLES

    @classmethod
    def of(cls, given: Any) -> Sampling:
        """Return a parameter `sampling`, checked."""
        check_choice("sampling", given, get_args(SamplingWord))
        return cls(given)

    @classmethod
    def of_model(cls, model: Any) -> Sampling:
        """Return how the rows of a classifier were sampled: as one, unless it says otherwise."""
        return cls.of(getattr(model, "sampling", ONE_SAMPLE))

    @property
    def is_two(self) -> bool:
        """Whether the unlabeled rows alone are a sample of the population."""
        return self is Sampling.TWO

    def population(self, s: Any, weight: Any = None) -> Any:
        """Return the weight with which each row stands for the population."""
        everyone = 0 * s + 1 if weight is None else weight
        return everyone * (1 - s) if self.is_two else everyone

    def population_prior(self, rows_prior: Any, labeled_share: float) -> Any:
        """Turn P(Y=1) of all rows into that of the population."""
        return unlabeled_prior(rows_prior, labeled_share) if self.is_two else rows_prior

    def rows_prior(self, population_prior: Any, labeled_share: float) -> Any:
        """Turn P(Y=1) of the population into that of all rows."""
        if not self.is_two:
            return population_prior
        return labeled_share + (1 - labeled_share) * population_prior

    def population_logit(self, logit: Any, label_frequency: float) -> Any:
        """Turn the logit of P(Y=1|x) of all rows into the population's.

        Of two samples that is the logit of P(Y=1|x, S=0), smaller by -log(1 - c).
        """
        if not self.is_two:
            return logit
        return logit + np.log(max(1 - label_frequency, np.finfo(np.float64).tiny))

    def rows_posterior(self, posterior: Any, label_frequency: float) -> Any:
        """Turn P(Y=1|x) of the population into that of all rows."""
        if not self.is_two:
            return posterior
        return posterior / (posterior + (1 - posterior) * (1 - label_frequency))

    def label_frequency(self, population_prior: Any, labeled_share: float) -> Any:
        r"""Return the label frequency of all rows, given the class prior of the population.

        :math:`p/\alpha`, and in two samples :math:`p/(p + (1 - p)\alpha)`.
        """
        return labeled_share / self.rows_prior(population_prior, labeled_share)

    def labeled_share(self, label_frequency: float, population_prior: float) -> float:
        """Return the share of labeled rows, from which the other two followed."""
        labeled = label_frequency * population_prior
        if not self.is_two:
            return labeled
        whole = 1 - label_frequency + labeled
        return labeled / whole if whole > 0 else float("nan")  # no positives: any share will do


def unlabeled_prior(class_prior: Any, labeled_share: float) -> Any:
    r"""Return P(Y=1|S=0), the share of positives among the unlabeled rows.

    :math:`(\alpha - p)/(1 - p)`, with the class prior :math:`\alpha` of all rows, and the share
    p of labeled rows, all of which are positive.
    """
    return (class_prior - labeled_share) / (1 - labeled_share)


def check_class_prior(
    class_prior: Any, sampling: str = ONE_SAMPLE, *, or_end: bool = False
) -> float:
    """Return the class prior as a float; it must lie strictly between 0 and 1.

    With `or_end` it may be 0 or 1, up to rounding, as an estimate may.
    """
    is_number = isinstance(class_prior, Real) and not isinstance(class_prior, bool)
    prior = float(class_prior) if is_number else -1.0
    if or_end:
        where, is_allowed = "from 0 to 1", -2 * ROUNDING <= prior <= 1 + 2 * ROUNDING
    else:
        where, is_allowed = "strictly between 0 and 1", 0 < prior < 1
    if not is_allowed:
        meant = (
            "the population, which the unlabeled rows are a sample of"
            if Sampling.of(sampling).is_two
            else "the whole sample, labeled and unlabeled rows together"
        )
        raise ValueError(
            f"`class_prior` must be a number {where}; got {class_prior!r}. Pass P(Y=1) in {meant}."
        )
    return prior
