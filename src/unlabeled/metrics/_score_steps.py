"""The order of a score: the weights of labeled rows and of the population at each distinct score.

Every measure of a score is a function of these two distributions: rows with equal scores are one
step, copies of a row are its weight, and the unit of the weights does not matter. Rows in chunks
are counted in bins of the score, and the rows of a bin are one step.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import to_host
from ..engine.rows import (
    LabelEncoding,
    chunks_of_columns,
    encode_labels,
    encoding_of,
    labels_in,
    reject_bad_weight,
    reject_one_class,
    score_column,
    validate_weight,
)
from ..engine.sampling import ONE_SAMPLE, Sampling
from ..engine.score_bins import ScoreBins, bin_chunks

Numbers = NDArray[np.float64]

# So few distinct scores are added up by a product of matrices.
_FEW = 20


@dataclass(frozen=True)
class ScoreSteps:
    """Distinct scores in rising order, with two weights each.

    Attributes
    ----------
    value : ndarray of shape (n_steps,)
        The scores.
    labeled, population : ndarray of shape (..., n_steps)
        Total weight of the labeled rows, and of the population's rows, with that score.
    """

    value: Numbers
    labeled: Numbers
    population: Numbers

    def lines(self) -> Iterator[ScoreSteps]:
        """Yield the steps of each line of weights."""
        for labeled, population in zip(self.labeled, self.population, strict=True):
            yield ScoreSteps(self.value, labeled, population)

    def above_population(self) -> Any:
        """P(a labeled row scores above a row of the population); ties count half."""
        below = np.cumsum(self.population, axis=-1) - 0.5 * self.population
        pairs = self.labeled.sum(axis=-1) * self.population.sum(axis=-1)
        return (self.labeled * below).sum(axis=-1) / pairs

    def average_precision(self, class_prior: float) -> Any:
        """Precision, averaged over the labeled rows; see `corrected_average_precision_score`."""
        gained, rows = _from_the_top(self.labeled), _from_the_top(self.population)
        recall, share = np.cumsum(gained, axis=-1), np.cumsum(rows, axis=-1)
        # A cut lies at a row of the population: at the next one, if there is none with its score.
        at_rows = np.where(rows > 0, share, 1.0)
        share = np.minimum.accumulate(at_rows[..., ::-1], axis=-1)[..., ::-1]
        too_many = np.maximum(class_prior * gained - rows, 0)
        positives = class_prior * recall - (1 - recall) * too_many
        return (gained * positives / share).sum(axis=-1)

    def recall_of_highest(self, share: float) -> Any:
        """Recall of the rows with the highest scores, a share of the population.

        The rows at the last score count in proportion.
        """
        gained, rows = self.labeled[..., ::-1], self.population[..., ::-1]
        recalled, above = np.cumsum(gained, axis=-1), np.cumsum(rows, axis=-1)
        wanted = share * above[..., -1]
        # The first step that reaches it, whatever the rounding.
        last = np.argmax(above >= wanted[..., None] * (1 - 1e-12), axis=-1)[..., None]
        so_far, above, here, rows = (
            np.take_along_axis(of, last, axis=-1)[..., 0] for of in (recalled, above, gained, rows)
        )
        return (so_far - (above - wanted) / rows * here) / recalled[..., -1]

    def labeled_below(self) -> tuple[Numbers, Numbers]:
        """Return nodes of the share of labeled rows as a function of that of the population.

        It is a line within a step. Labeled rows between two rows of the population belong half
        to each, and those at an end to that end. For one line of weights.
        """
        kept = self.population > 0
        labeled_so_far = np.cumsum(self.labeled)
        after = labeled_so_far[kept]
        # Labeled rows that lie between a row of the population and the next one.
        until_next = np.append(labeled_so_far[:-1][kept[1:]], labeled_so_far[-1])[-len(after) :]
        middle = (after + until_next) / 2
        middle[-1] = labeled_so_far[-1]
        share = np.cumsum(self.population[kept])
        return np.append(0, share / share[-1]), np.append(0, middle / labeled_so_far[-1])


def _from_the_top(weight: Numbers) -> Numbers:
    """Return weights as shares of their total, the highest score first."""
    return weight[..., ::-1] / weight.sum(axis=-1, keepdims=True)


@dataclass(frozen=True)
class OrderedRows:
    """Label, weight and step of every row, the lowest score first.

    Attributes
    ----------
    labeled : ndarray of bool, shape (n_rows,)
    value : ndarray of shape (n_steps,)
        Distinct scores, rising.
    step : ndarray of int, shape (n_rows,)
        Number of each row's score in `value`.
    weight : ndarray of shape (n_rows,)
    sampling : Sampling
        Whether the unlabeled rows alone are the population.
    order : ndarray of int, shape (n_rows,)
        Where each of these rows was among those given.
    """

    labeled: NDArray[np.bool_]
    value: Numbers
    step: NDArray[np.intp]
    weight: Numbers
    sampling: Sampling
    order: NDArray[np.intp]

    @classmethod
    def read(
        cls,
        y: Any,
        score: Any,
        pos_label: Any = None,
        sample_weight: Any = None,
        sampling: str = ONE_SAMPLE,
    ) -> OrderedRows:
        """Check the columns and sort the score.

        Of columns in chunks two rows represent each bin of the score.
        """
        how = Sampling.of(sampling)
        chunks = chunks_of_columns(y, score, sample_weight)
        if chunks is not None:
            scored = chunks.then(_ScoreOfChunk(encoding_of(y, pos_label)))
            column, s, weight = _representatives(bin_chunks(scored))
        else:
            y, score, sample_weight = (to_host(one) for one in (y, score, sample_weight))
            s, _ = encode_labels(y, pos_label)
            column = score_column(score, s)
            given = validate_weight(sample_weight, len(s))
            weight = np.ones(len(s)) if given is None else given
        reject_one_class(s, weight)
        order = np.argsort(column, kind="stable")
        value, step = np.unique(column[order], return_inverse=True)
        labeled, weight = s[order] == 1, weight[order]
        return cls(labeled, value.astype(np.float64), step, weight, how, order)

    def steps(self, times: Numbers | None = None) -> ScoreSteps:
        """Add up the weights at each score.

        A row counts as often as `times` says, or once. `times` may have several lines, one for
        each resample, and so have the weights then.
        """
        weight = self.weight if times is None else self.weight * times
        labeled, unlabeled = (self._added(weight * of) for of in (self.labeled, ~self.labeled))
        population = unlabeled if self.sampling.is_two else labeled + unlabeled
        return ScoreSteps(self.value, labeled, population)

    def _added(self, weight: Numbers) -> Numbers:
        if len(self.value) <= _FEW:
            return np.asarray(weight @ (self.step[:, None] == np.arange(len(self.value))))
        if len(self.value) == len(self.step):
            return weight
        begins = np.searchsorted(self.step, np.arange(len(self.value)))
        return np.asarray(np.add.reduceat(weight, begins, axis=-1))


def _representatives(bins: ScoreBins) -> tuple[Numbers, Numbers, Numbers]:
    """Return score, label and weight of two rows per bin."""
    filled = np.flatnonzero(bins.total > 0)
    mean_score, labeled = bins.mean_score[filled], bins.labeled[filled].astype(np.float64)
    label = np.repeat([1.0, 0.0], len(filled))
    return np.tile(mean_score, 2), label, np.append(labeled, bins.unlabeled[filled])


@dataclass(frozen=True)
class _ScoreOfChunk:
    """Checks a loaded chunk; returns score, label and weight of its rows of positive weight."""

    encoding: LabelEncoding

    def __call__(self, parts: tuple[Any, ...]) -> tuple[Any, Any, Any]:
        s = labels_in(parts[0], self.encoding).astype(np.float64)
        score = np.asarray(parts[1])
        if len(s):
            score = score_column(score, s)
        score = score.astype(np.float64)
        if len(parts) == 2:
            return score, s, None
        weight = np.asarray(parts[2], dtype=np.float64).ravel()
        reject_bad_weight(weight)
        kept = weight > 0
        return score[kept], s[kept], weight[kept]
