"""Draws, fits, and the distance of posteriors from the true classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from reproduction.studies import Cell
from reproduction.studies.draw import draw_sample
from reproduction.studies.plan import PAPER_GAUSSIAN, Task
from unlabeled import JointLogistic, NaiveLogistic, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import DATASET_NAMES
from unlabeled.scores import ScoreProfile

SETS = (PAPER_GAUSSIAN, *DATASET_NAMES)
OURS, GIVEN = "PULogistic", "PULogistic, given α"
METHODS: dict[str, Callable[[float], Any]] = {
    OURS: lambda prior: PULogistic(),
    GIVEN: lambda prior: PULogistic(class_prior=prior),
    "NaiveLogistic": lambda prior: NaiveLogistic(),
    "JointLogistic": lambda prior: JointLogistic(),
}
C, ROWS, BINS, REPEATS = 0.5, 5000, 10, 20

_CONFIDENCE = 0.95
_Z = float(np.sqrt(chi2.ppf(_CONFIDENCE, 1)))
_PRIORS_TRIED = 400
_CLASSES_DRAWN = 100


@dataclass(frozen=True)
class Priors:
    """What the labels of a draw say about the class prior, if the model is right.

    The range they leave open, the likeliest prior, and the one taken.
    """

    low: float
    high: float
    likeliest: float
    taken: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """One fit to one draw: its mean posterior, and its posteriors of the test rows."""

    dataset: str
    method: str
    repeat: int
    n_train: int
    class_prior: float
    mean_posterior: float
    predicted: np.ndarray
    y_test: np.ndarray
    priors: Priors | None


@lru_cache(maxsize=1)
def outcomes_of(dataset: str, repeats: int) -> list[Outcome]:
    """Fit every method to every draw of a set; draws of UCI sets are the reproduction's."""
    study, n = ("synthetic", ROWS) if dataset == PAPER_GAUSSIAN else ("real", 0)
    outcomes = []
    for repeat in range(repeats):
        sample = draw_sample(Task(study, Cell(dataset, "scar", n, C), repeat))
        alpha = float(sample.y_true.mean())
        for method, make in METHODS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PUWarning)  # a posterior at a bound is a result
                model = make(alpha).fit(sample.X, sample.s)
            outcomes.append(
                Outcome(
                    dataset,
                    method,
                    repeat,
                    len(sample.s),
                    alpha,
                    float(model.predict_proba(sample.X)[:, 1].mean()),
                    model.predict_proba(sample.X_test)[:, 1],
                    sample.y_test,
                    plausible_priors(model) if method == OURS else None,
                )
            )
    return outcomes


def plausible_priors(model: PULogistic) -> Priors:
    """Return the priors that a test at 5 % along the held-out scores does not reject."""
    cuts = model.observed_cuts_
    total = np.diff(cuts.total, prepend=0)
    labeled = np.diff(cuts.labeled, prepend=0)
    profile = ScoreProfile.of(cuts.score, labeled / total, total.astype(np.float64))
    tried = np.linspace(profile.labeled_share, 1, _PRIORS_TRIED + 2)[1:-1]
    log_likelihood = profile.lines(tried).log_likelihood
    left = tried[log_likelihood >= log_likelihood.max() - _Z**2 / 2]
    likeliest = tried[np.argmax(log_likelihood)]
    return Priors(float(left[0]), float(left[-1]), float(likeliest), model.class_prior_)


def equal_mass_bins(predicted: np.ndarray, y_true: np.ndarray, n_bins: int = BINS) -> pd.DataFrame:
    """Sort rows into bins of equally many rows, by their predicted posterior.

    Equal posteriors stay in one bin, so bins may be fewer and larger.

    Examples
    --------
    >>> equal_mass_bins(np.array([0.1, 0.3, 0.6, 0.8]), np.array([0, 1, 0, 1]), 2).round(3)
       predicted  observed  rows
    0        0.2       0.5     2
    1        0.7       0.5     2
    """
    rows = pd.DataFrame({"predicted": predicted, "observed": y_true, "rows": 1})
    means = {"predicted": "mean", "observed": "mean", "rows": "sum"}
    return rows.groupby(_bin_of(predicted, n_bins)).agg(means).reset_index(drop=True)


def _bin_of(predicted: np.ndarray, n_bins: int) -> np.ndarray:
    levels = np.arange(1, n_bins) / n_bins
    edges = np.unique(np.quantile(predicted, levels, method="inverted_cdf"))
    return np.unique(np.searchsorted(edges, predicted), return_inverse=True)[1]


def expected_calibration_error(bins: pd.DataFrame) -> float:
    """Mean over the rows of |mean predicted - observed| in their bins."""
    return float(np.average((bins["predicted"] - bins["observed"]).abs(), weights=bins["rows"]))


def error_by_chance(predicted: np.ndarray, n_bins: int = BINS) -> float:
    """Expected calibration error of correct posteriors: that of classes drawn from them."""
    rng, cell = np.random.default_rng(0), _bin_of(predicted, n_bins)
    errors = []
    for _ in range(_CLASSES_DRAWN):
        surplus = np.bincount(cell, predicted - (rng.random(len(cell)) < predicted))
        errors.append(np.abs(surplus).sum() / len(cell))
    return float(np.mean(errors))


def wilson(share: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's 95 % interval of a share observed in n rows."""
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return middle - half, middle + half
