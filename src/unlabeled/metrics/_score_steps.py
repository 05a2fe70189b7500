"""The order of a score: the weights of labelled rows and of the population at each distinct score.

Every measure of a score is a function of these two distributions: rows with equal scores are one
step, copies of a row are its weight, and the unit of the weights does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.rows import (
    encode_labels,
    is_on_device,
    reject_chunks,
    reject_one_class,
    score_column,
    to_host,
    validate_weight,
)
from ..engine.sampling import ONE_SAMPLE, has_two_samples

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class ScoreSteps:
    """Distinct scores in rising order, with two weights each.

    Attributes
    ----------
    value : ndarray of shape (n_steps,)
        The scores.
    labelled, population : ndarray of shape (n_steps,)
        Total weight of the labelled rows, and of the population's rows, with that score.
    """

    value: Numbers
    labelled: Numbers
    population: Numbers

    def above_population(self) -> float:
        """P(a labelled row scores above a row of the population); ties count half."""
        below = np.cumsum(self.population) - 0.5 * self.population
        return float(self.labelled @ below / (self.labelled.sum() * self.population.sum()))

    def average_precision(self, class_prior: float) -> float:
        """Precision, averaged over the labelled rows; see `corrected_average_precision_score`."""
        gained = self.labelled[::-1] / self.labelled.sum()
        rows = self.population[::-1] / self.population.sum()
        found, share = np.cumsum(gained), np.cumsum(rows)
        # A cut lies at a row of the population: at the next one, if there is none with its score.
        following = np.minimum.accumulate(np.where(rows > 0, share, np.inf)[::-1])[::-1]
        share = np.where(np.isfinite(following), following, share)
        too_many = np.maximum(class_prior * gained - rows, 0)
        positives = class_prior * found - (1 - found) * too_many
        return float(gained @ (positives / share))

    def recall_of_highest(self, share: float) -> float:
        """Recall of the rows with the highest scores, a share of the population.

        The rows at the last score count in proportion.
        """
        rows = self.population[::-1] / self.population.sum()
        found, above = np.cumsum(self.labelled[::-1]), np.cumsum(rows)
        last = min(int(np.searchsorted(above, share * (1 - 1e-12))), len(rows) - 1)
        here = self.labelled[::-1][last]
        part = (share - (above[last] - rows[last])) / rows[last]
        return float((found[last] - (1 - part) * here) / found[-1])

    def labelled_below(self) -> tuple[Numbers, Numbers]:
        """Return nodes of the share of labelled rows as a function of that of the population.

        It is a line within a step. Labelled rows between two rows of the population belong half
        to each, and those at an end to that end.
        """
        kept = self.population > 0
        found = np.cumsum(self.labelled)
        after = found[kept]
        # Labelled rows that lie between a row of the population and the next one.
        until_next = np.append(found[:-1][kept[1:]], found[-1])[-len(after) :]
        middle = (after + until_next) / 2
        middle[-1] = found[-1]
        share = np.cumsum(self.population[kept])
        return np.append(0, share / share[-1]), np.append(0, middle / found[-1])


@dataclass(frozen=True)
class ScoredRows:
    """Label, weight and place in the order of the score of every row.

    Attributes
    ----------
    labelled : ndarray of bool, shape (n_rows,)
    value : ndarray of shape (n_steps,)
        Distinct scores, rising.
    place : ndarray of int, shape (n_rows,)
        Number of each row's score in `value`.
    weight : ndarray of shape (n_rows,)
    two_samples : bool
        Whether the unlabelled rows alone are the population.
    """

    labelled: NDArray[np.bool_]
    value: Numbers
    place: NDArray[np.intp]
    weight: Numbers
    two_samples: bool

    @classmethod
    def read(
        cls,
        y: Any,
        score: Any,
        positive_label: Any = None,
        sample_weight: Any = None,
        sampling: str = ONE_SAMPLE,
        who: str = "metrics of a score",
    ) -> ScoredRows:
        """Check the columns and sort the score."""
        two_samples = has_two_samples(sampling)
        for column in (y, score, sample_weight):
            reject_chunks(column, who)
        y, score, sample_weight = (
            to_host(column) if is_on_device(column) else column
            for column in (y, score, sample_weight)
        )
        s, _ = encode_labels(y, positive_label)
        column = score_column(score, s)
        weight = validate_weight(sample_weight, len(s))
        if weight is None:
            weight = np.ones(len(s))
        reject_one_class(s, weight)
        value, place = np.unique(column, return_inverse=True)
        return cls(s == 1, value.astype(np.float64), place, weight, two_samples)

    def steps(self, times: Numbers | None = None) -> ScoreSteps:
        """Add up the weights at each score; a row counts as often as `times` says, or once."""
        weight = self.weight if times is None else self.weight * times
        of_labelled = weight * self.labelled
        labelled, unlabelled = (
            np.asarray(np.bincount(self.place, of, len(self.value)), dtype=np.float64)
            for of in (of_labelled, weight - of_labelled)
        )
        population = unlabelled if self.two_samples else labelled + unlabelled
        return ScoreSteps(self.value, labelled, population)
