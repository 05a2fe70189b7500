"""A method on a set, over all repeats: its numbers, which are its record, and the record read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from reproduction.studies.plan import PAPER_GAUSSIAN

from ..study import Records
from .measure import (
    BINS,
    METHODS,
    OURS,
    REPEATS,
    SETS,
    C,
    Outcome,
    Priors,
    equal_mass_bins,
    error_by_chance,
    expected_calibration_error,
    outcomes_of,
)

LIMIT = 0.03
_OF_PRIORS = ("low", "high", "likeliest", "taken")


def measure(dataset: str, method: str) -> dict[str, float]:
    """Return the numbers of a method on the draws of a set."""
    outcomes = outcomes_of(dataset, REPEATS)
    own, ours = ([one for one in outcomes if one.method == name] for name in (method, OURS))
    return numbers_of(own, ours)


def numbers_of(own: list[Outcome], ours: list[Outcome]) -> dict[str, float]:
    """Return the numbers of the fits of a method, given those of `PULogistic` to the same draws.

    The calibration error `by_chance` is the mean over the draws if posteriors are correct, and
    `lead` that of `PULogistic` minus this one. Bins hold the test rows of all draws.
    """
    alpha = np.array([one.class_prior for one in own])
    difference = np.array([one.mean_posterior for one in own]) - alpha
    errors, of_ours = _errors(own), _errors(ours)
    chance = np.mean([error_by_chance(one.predicted) for one in own])
    numbers = {
        "c": C,
        "repeats": len(own),
        "training_rows": own[0].n_train,
        "class_prior": alpha.mean(),
        "difference": difference.mean(),
        "difference_se": error_of_mean(difference),
        "difference_rms": np.sqrt(np.mean(difference**2)),
        "within_limit": abs(difference.mean()) <= LIMIT,
        "calibration_error": errors.mean(),
        "calibration_error_se": error_of_mean(errors),
        "calibration_error_by_chance": chance,
        "calibration_error_lead": (of_ours - errors).mean(),
        "calibration_error_lead_se": error_of_mean(of_ours - errors),
    }
    priors = [one.priors for one in own if one.priors is not None]
    for name in _OF_PRIORS:
        values = [getattr(one, name) for one in priors]
        numbers[f"prior_{name}"] = np.mean(values) if values else np.nan
    held = [
        one.priors.low <= one.class_prior <= one.priors.high
        for one in own
        if one.priors is not None
    ]
    numbers["prior_in_range"] = sum(held) if held else np.nan
    bins = equal_mass_bins(
        np.concatenate([one.predicted for one in own]), np.concatenate([one.y_test for one in own])
    )
    for place, column in product(range(BINS), bins):
        value = bins[column].iloc[place] if place < len(bins) else np.nan
        numbers[f"bin_{place + 1}_{column}"] = value
    return {name: float(value) for name, value in numbers.items()}


def _errors(own: list[Outcome]) -> np.ndarray:
    """Return the calibration error of each draw."""
    return np.array(
        [expected_calibration_error(equal_mass_bins(one.predicted, one.y_test)) for one in own]
    )


def error_of_mean(values: np.ndarray) -> float:
    """Return the standard error of a mean over draws."""
    return float(values.std(ddof=1) / np.sqrt(len(values)))


RECORDS = Records(
    "calibration.csv", ("dataset", "method"), measure, lambda: list(product(SETS, METHODS))
)


@dataclass(frozen=True, eq=False)
class Summary:
    """A method on a set, over all repeats.

    `difference` is the mean posterior of the training rows minus their true class prior. `ece` is
    the mean calibration error of single draws, `chance` that if posteriors are correct, and `lead`
    that of `PULogistic` minus this one, each with its standard error. `bins` hold the test rows of
    all draws.
    """

    dataset: str
    method: str
    n_train: int
    repeats: int
    class_prior: float
    difference: float
    se: float
    rms: float
    ece: float
    ece_se: float
    chance: float
    lead: float
    lead_se: float
    bins: pd.DataFrame
    priors: Priors | None
    n_held: int

    @classmethod
    def of(cls, dataset: str, method: str, record: Mapping[str, Any]) -> Summary:
        """Read a record."""
        bins = [
            {name: record[f"bin_{k}_{name}"] for name in ("predicted", "observed", "rows")}
            for k in range(1, BINS + 1)
        ]
        priors = [record[f"prior_{name}"] for name in _OF_PRIORS]
        known = not np.isnan(priors).any()
        return cls(
            dataset=dataset,
            method=method,
            n_train=int(record["training_rows"]),
            repeats=int(record["repeats"]),
            class_prior=record["class_prior"],
            difference=record["difference"],
            se=record["difference_se"],
            rms=record["difference_rms"],
            ece=record["calibration_error"],
            ece_se=record["calibration_error_se"],
            chance=record["calibration_error_by_chance"],
            lead=record["calibration_error_lead"],
            lead_se=record["calibration_error_lead_se"],
            bins=pd.DataFrame(bins).dropna(),
            priors=Priors(*priors) if known else None,
            n_held=int(record["prior_in_range"]) if known else 0,
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
    def times(self) -> float:
        """How often a row of the set was tested on average, 1 if test rows are fresh."""
        if self.dataset == PAPER_GAUSSIAN:
            return 1.0
        tested = self.bins["rows"].sum()
        return max(1.0, tested / (self.n_train + tested / self.repeats))


def summaries_in(records: pd.DataFrame) -> list[Summary]:
    """Read the records, in the order of the sets and methods."""
    rows = records.set_index(list(RECORDS.names)).to_dict("index") if len(records) else {}
    return [Summary.of(*key, rows[key]) for key in RECORDS.plan() if key in rows]
