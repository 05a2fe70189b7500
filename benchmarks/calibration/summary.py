"""A method on a set, over all repeats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reproduction.studies.plan import PAPER_GAUSSIAN

from .measure import (
    BINS,
    C,
    Outcome,
    Priors,
    equal_mass_bins,
    error_by_chance,
    expected_calibration_error,
)

LIMIT = 0.03


@dataclass(frozen=True, eq=False)
class Summary:
    """A method on a set, over all repeats.

    `difference` is the mean posterior of the training rows minus their true class prior. `errors`
    are the calibration errors of single draws, and `chance` is their mean if posteriors are
    correct. `bins` hold the test rows of all draws. `times` is how often a row of the set was
    tested on average, 1 if test rows are fresh.
    """

    dataset: str
    method: str
    n_train: int
    repeats: int
    class_prior: float
    difference: float
    se: float
    rms: float
    errors: np.ndarray
    chance: float
    times: float
    bins: pd.DataFrame
    priors: Priors | None
    n_held: int

    @classmethod
    def of(cls, own: list[Outcome]) -> Summary:
        """Summarise the repeats."""
        first, alpha = own[0], np.array([one.class_prior for one in own])
        difference = np.array([one.mean_posterior for one in own]) - alpha
        tested = sum(len(one.y_test) for one in own)
        fresh = first.dataset == PAPER_GAUSSIAN
        n_rows = tested if fresh else first.n_train + len(first.y_test)
        errors = np.array(
            [expected_calibration_error(equal_mass_bins(one.predicted, one.y_test)) for one in own]
        )
        left = [one.priors for one in own if one.priors is not None]
        return cls(
            dataset=first.dataset,
            method=first.method,
            n_train=first.n_train,
            repeats=len(own),
            class_prior=float(alpha.mean()),
            difference=float(difference.mean()),
            se=error_of_mean(difference),
            rms=float(np.sqrt(np.mean(difference**2))),
            errors=errors,
            chance=float(np.mean([error_by_chance(one.predicted) for one in own])),
            times=max(1.0, tested / n_rows),
            bins=equal_mass_bins(
                np.concatenate([one.predicted for one in own]),
                np.concatenate([one.y_test for one in own]),
            ),
            priors=_mean_priors(left) if left else None,
            n_held=sum(
                one.priors.low <= one.class_prior <= one.priors.high
                for one in own
                if one.priors is not None
            ),
        )

    @property
    def name(self) -> str:
        """The set's name on the page."""
        return "synthetic" if self.dataset == PAPER_GAUSSIAN else self.dataset

    @property
    def is_within(self) -> bool:
        """Whether the mean difference is at most .03."""
        return abs(self.difference) <= LIMIT

    @property
    def ece(self) -> float:
        """Mean over the draws of the expected calibration error."""
        return float(self.errors.mean())

    @property
    def ece_se(self) -> float:
        """Its standard error."""
        return error_of_mean(self.errors)

    def numbers(self) -> dict[str, Any]:
        """Return the line of the CSV file."""
        line: dict[str, Any] = {
            "dataset": self.dataset,
            "method": self.method,
            "c": C,
            "repeats": self.repeats,
            "training_rows": self.n_train,
            "class_prior": self.class_prior,
            "difference": self.difference,
            "difference_se": self.se,
            "difference_rms": self.rms,
            "within_limit": self.is_within,
            "calibration_error": self.ece,
            "calibration_error_se": self.ece_se,
            "calibration_error_by_chance": self.chance,
            "prior_low": self.priors.low if self.priors else np.nan,
            "prior_high": self.priors.high if self.priors else np.nan,
            "prior_likeliest": self.priors.likeliest if self.priors else np.nan,
            "prior_taken": self.priors.taken if self.priors else np.nan,
            "prior_in_range": self.n_held if self.priors else np.nan,
        }
        for place in range(BINS):
            for column in ("predicted", "observed", "rows"):
                there = place < len(self.bins)
                value = self.bins[column].iloc[place] if there else np.nan
                line[f"bin_{place + 1}_{column}"] = value
        return line


def error_of_mean(values: np.ndarray) -> float:
    """Return the standard error of a mean over draws."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def _mean_priors(left: list[Priors]) -> Priors:
    rows = np.array([(one.low, one.high, one.likeliest, one.taken) for one in left])
    return Priors(*rows.mean(axis=0).tolist())


def summaries_of(outcomes: Iterable[Outcome]) -> list[Summary]:
    """Summarise every method on every set."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.dataset, outcome.method), []).append(outcome)
    return [Summary.of(own) for own in groups.values()]
