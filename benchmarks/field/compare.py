"""Means, paired differences and lost cells, from records and nothing else."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

import numpy as np
import pandas as pd

from reproduction.outcome import with_error
from reproduction.studies.methods import Key

from .cast import PEERS, ROLES
from .studies import REAL

MEASURES = {"f1": "F1", "balanced_accuracy": "Balanced accuracy"}
"""The measures compared, and their names."""

CELL = ["dataset", "c"]
ENHANCED: Key = ("enhanced", "-")
ALLOWED_BELOW_ENHANCED = 0.01

ENOUGH = 0.5
"""A method cannot win a cell if it failed in more than this share of the repeats."""


SUFFIXES = {"f1": "", "balanced_accuracy": "_ba"}


def ours(measure: str, name: str = "pu_logistic") -> Key:
    """Return PULogistic, or another classifier of ours, with the rule for the measure."""
    return (name + SUFFIXES[measure], "-")


@dataclass(frozen=True)
class Estimate:
    """A mean over repeats, its standard error (NaN for a single repeat) and their number."""

    value: float
    se: float
    repeats: int

    @property
    def is_above(self) -> bool:
        """Whether the mean is above 0 by more than two standard errors."""
        return math.isfinite(self.se) and self.value > 2 * self.se


def estimate(values: pd.Series) -> Estimate:
    """Mean of the values that are not NaN, and its standard error."""
    there = values.dropna()
    if there.empty:
        return Estimate(math.nan, math.nan, 0)
    se = there.std() / math.sqrt(len(there)) if len(there) > 1 else math.nan
    return Estimate(float(there.mean()), float(se), len(there))


def mean_and_error(one: Estimate, failed: int = 0) -> str:
    """Write a mean, its standard error in brackets, and how many fits are not in it."""
    return with_error(one.value, one.se) + (f" †{failed}" if failed else "")


def mostly_failed(records: pd.DataFrame, key: Key, cell: tuple[str, float]) -> bool:
    """Whether more than half of a method's fits in a cell of the nine sets failed."""
    method, setting = key
    dataset, c = cell
    own = records[
        (records["study"] == REAL)
        & (records["method"] == method)
        & (records["setting"] == setting)
        & (records["dataset"] == dataset)
        & np.isclose(records["c"], c)
    ]
    return bool((own["error"] != "").mean() > ENOUGH)


def scores(records: pd.DataFrame, measure: str, study: str = REAL) -> pd.DataFrame:
    """Return a study's scores: one row per data set, c and repeat, one column per method.

    Failed fits are NaN.
    """
    own = records[records["study"] == study].assign(c=records["c"].round(9))
    own[measure] = own[measure].mask(own["error"] != "")
    wide = own.pivot(index=[*CELL, "repeat"], columns=["method", "setting"], values=measure)
    return wide.reindex(columns=pd.MultiIndex.from_tuples(list(ROLES))).dropna(axis=1, how="all")


def paired(wide: pd.DataFrame, first: Key, second: Key) -> dict[tuple[str, float], Estimate]:
    """Estimate the difference of two methods in every cell, over repeats that have both."""
    if first not in wide or second not in wide:
        return {}
    by_cell = (wide[first] - wide[second]).groupby(level=CELL)
    return {cell: estimate(own) for cell, own in by_cell if own.notna().any()}


def mean_over_sets(wide: pd.DataFrame, key: Key, datasets: list[str], c: float | None) -> Estimate:
    """Estimate the mean over data sets of a method's mean at `c`, or at all c if None.

    Label frequencies share the split of a repeat, so they are averaged within it first; data
    sets are independent, so their variances add. NaN unless every set has scores at every c.
    """
    found = []
    for dataset in datasets:
        own = wide.loc[dataset, key].unstack("c")
        own = own if c is None else own[[c]]
        if own.notna().any().all():
            found.append(estimate(own.mean(axis=1, skipna=False)))
    if not found or len(found) < len(datasets) or any(one.repeats == 0 for one in found):
        return Estimate(math.nan, math.nan, 0)
    se = math.sqrt(sum(one.se**2 for one in found)) / len(found)
    repeats = min(one.repeats for one in found)
    return Estimate(float(np.mean([one.value for one in found])), se, repeats)


def datasets_in(wide: pd.DataFrame) -> list[str]:
    """Return the data sets, in alphabetical order."""
    return sorted(set(wide.index.get_level_values("dataset")))


def rivals(wide: pd.DataFrame, sides: tuple[str, ...] | None = None) -> list[Key]:
    """Return the methods that may beat PULogistic, of some sides or of all."""
    return [
        key
        for key in wide.columns
        if not key[0].startswith("pu_logistic")
        and ROLES[key].is_rival
        and (sides is None or ROLES[key].side in sides)
    ]


def losses(records: pd.DataFrame) -> pd.DataFrame:
    """List the cells of the nine sets where a method that is not handed the prior beats us.

    It beats us if its mean is above that of PULogistic by more than two standard errors of the
    paired difference, and it did not fail in most repeats.

    Returns
    -------
    DataFrame
        One row per cell: `measure`, `dataset`, `c`, `winners` (their number), whether a `peer` is
        among them, the `method` with the largest lead, its side, `lead`, `se`, `repeats`.
    """
    rows = []
    for measure in MEASURES:
        wide = scores(records, measure)
        leads: dict[tuple[str, float], list[tuple[Estimate, Key]]] = {}
        for key in rivals(wide):
            for cell, lead in paired(wide, key, ours(measure)).items():
                if lead.is_above and not mostly_failed(records, key, cell):
                    leads.setdefault(cell, []).append((lead, key))
        for (dataset, c), found in sorted(leads.items()):
            best, key = max(found, key=lambda pair: pair[0].value)
            role, peer = ROLES[key], any(ROLES[one].side in PEERS for _, one in found)
            rows.append(
                (measure, dataset, c, len(found), peer, role.name, role.side, *astuple(best))
            )
    columns = ["measure", "dataset", "c", "winners", "peer", "method", "side", "lead", "se"]
    return pd.DataFrame(rows, columns=[*columns, "repeats"])


def below_enhanced(records: pd.DataFrame) -> pd.DataFrame:
    """List the cells where PULogistic is below Enhanced by more than .01 and two errors."""
    rows = []
    for measure in MEASURES:
        wide = scores(records, measure)
        for (dataset, c), gap in paired(wide, ENHANCED, ours(measure)).items():
            if math.isfinite(gap.se) and gap.value > ALLOWED_BELOW_ENHANCED + 2 * gap.se:
                rows.append((measure, dataset, c, *astuple(gap)))
    return pd.DataFrame(rows, columns=["measure", "dataset", "c", "lead", "se", "repeats"])


def best_rival(
    records: pd.DataFrame, wide: pd.DataFrame, cell: tuple[str, float], sides: tuple[str, ...]
) -> Key | None:
    """Return the rival of some sides with the largest mean in a cell."""
    means = wide.loc[cell, rivals(wide, sides)].mean().dropna()
    means = means[[not mostly_failed(records, key, cell) for key in means.index]]
    return None if means.empty else means.idxmax()
