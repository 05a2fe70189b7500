"""Recall and share of a label column and predictions, validated once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..codes import warn
from ..engine.arrays import to_host
from ..engine.rows import (
    LabelEncoding,
    chunks_of_columns,
    encode_labels,
    encode_predictions,
    encoding_of,
    labels_in,
    reject_bad_weight,
    validate_weight,
)
from ..engine.sampling import ONE_SAMPLE, ROUNDING, Sampling, SamplingWord, check_class_prior
from ..rates import largest_class_prior


def sample_rates(
    y: Any,
    y_pred: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    sampling: SamplingWord = ONE_SAMPLE,
) -> tuple[float, float]:
    """Return weighted recall r among labeled rows and share q among the population's rows."""
    how = Sampling.of(sampling)
    chunks = chunks_of_columns(y, y_pred, sample_weight)
    if chunks is not None:
        of_chunk = _CountsOfChunk(encoding_of(y, pos_label), how)
        counted = np.sum(chunks.each([of_chunk] * len(chunks)), axis=0)
    else:
        # Three columns are cheap to fetch from a device, and text cannot be on one.
        y, y_pred, sample_weight = (to_host(column) for column in (y, y_pred, sample_weight))
        check_consistent_length(y, y_pred, sample_weight)
        _require_two_values(y)
        s, encoding = encode_labels(y, pos_label)
        positive = encode_predictions(y_pred, encoding)
        counted = counts(s, positive, _weight(sample_weight, len(s)), how)
    recalled, labeled, predicted, population = counted.tolist()
    _reject_no_weight(labeled, population)
    return recalled / labeled, predicted / population


def corrected_rates(
    y: Any,
    y_pred: Any,
    class_prior: Any,
    pos_label: Any,
    sample_weight: Any,
    sampling: SamplingWord = ONE_SAMPLE,
) -> tuple[float, float, float]:
    """Return recall, share and the validated class prior; PU112 if they contradict each other."""
    prior = check_class_prior(class_prior, sampling)
    recall, share = sample_rates(y, y_pred, pos_label, sample_weight, sampling)
    warn_of_contradiction(recall, share, prior)
    return recall, share, prior


def warn_of_contradiction(recall: float, share: float, prior: float) -> None:
    """Warn with PU112 if a class prior is too large for a recall and a share."""
    bound = float(largest_class_prior(recall, share))
    if prior > bound + ROUNDING:
        warn_of_prior(
            prior,
            bound,
            f"for a recall of {recall:.4g} on the labeled rows and a predicted share of "
            f"{share:.4g}",
        )


def warn_of_prior(prior: float, bound: float, what: str) -> None:
    """Warn with PU112: the class prior is too large for `what`, which allows `bound`."""
    warn(
        "PU112",
        f"the class prior {prior:.4g} is too large {what}; these allow at most {bound:.4g}. The "
        "metric is not clipped and may lie outside its range. With few labeled rows this can "
        "happen by chance; otherwise lower `class_prior`.",
    )


def _require_two_values(y: Any) -> None:
    values = np.asarray(y).ravel()
    if len(values) and np.all(values == values[0]):
        value = values.tolist()[0]
        raise ValueError(
            "`y` must hold both labeled and unlabeled rows; got only the value "
            f"{value!r}. Hold out more rows, or stratify the folds by the label column."
        )


def _weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    weight = None if sample_weight is None else column_or_1d(sample_weight)
    checked = validate_weight(weight, n_rows)
    return np.ones(n_rows) if checked is None else checked


def _reject_no_weight(labeled: float, population: float) -> None:
    """Raise if the labeled rows, or the rows of the population, have a total weight of 0."""
    if not labeled > 0:
        raise ValueError(
            "`sample_weight` must be positive for some labeled row; got a total of 0 for the "
            "labeled rows. Recall is not defined without them."
        )
    if not population > 0:  # in one sample the labeled rows are part of the population
        raise ValueError(
            "`sample_weight` must be positive for some unlabeled row; got a total of 0 for the "
            "unlabeled rows. In two samples they are the population, and the share counts them."
        )


def counts(
    s: np.ndarray, positive: np.ndarray, weight: np.ndarray, sampling: Sampling
) -> NDArray[np.float64]:
    """Return four weights: labeled rows predicted positive, labeled rows, and both of all rows.

    All rows are those of the population: in two samples the unlabeled ones.
    """
    labeled = weight * s
    population = weight - labeled if sampling.is_two else weight
    return np.array(
        [labeled @ positive, labeled.sum(), population @ positive, population.sum()],
        dtype=np.float64,
    )


@dataclass(frozen=True)
class _CountsOfChunk:
    """`counts` of a loaded chunk."""

    encoding: LabelEncoding
    sampling: Sampling

    def __call__(self, parts: tuple[Any, ...]) -> NDArray[np.float64]:
        s = labels_in(parts[0], self.encoding)
        if len(s) == 0:
            return np.zeros(4)
        weight = np.ones(len(s))
        if len(parts) > 2:
            weight = np.asarray(parts[2], dtype=np.float64).ravel()
            reject_bad_weight(weight)
        return counts(s, encode_predictions(parts[1], self.encoding), weight, self.sampling)
