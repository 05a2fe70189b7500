"""Records as they come in, their words, and their summary by cell."""

from __future__ import annotations

import numpy as np
import pandas as pd

# The words of the records, data only: studies, methods, settings, measures, mechanisms.

STUDIES: dict[str, str] = {
    "synthetic": "Synthetic data (figure 1)",
    "real": "Nine real data sets (figures 2 and 3)",
    "timing": "Training times on adult (last table)",
    "robustness": "Labels that are not selected completely at random (the paper's future work)",
}

METHODS: dict[str, str] = {
    "oracle": "Oracle",
    "naive": "Naive",
    "enhanced": "Enhanced",
    "joint": "JOINT",
    "mm": "MM",
    "en": "EN",
    "tice": "TIcE",
}
COMPETITORS = ("joint", "mm", "en", "tice")
COMPARED = ("naive", "enhanced", *COMPETITORS)

SETTINGS: dict[str, str] = {
    "published": (
        "As published: the laboratory's optimiser settings and in-sample e1; MM with its own outer "
        "iterates and stopping rule, the inner problem solved exactly; EN and TIcE at the "
        "published optimiser's stopping point."
    ),
    "converged": (
        "Converged: JOINT from several starts; EN and TIcE with a ridge chosen by "
        "cross-validated PU risk, since unpenalised they have no optimum."
    ),
}
ONE_SETTING = "-"
SETTING_WORDS = {"published": "as published", "converged": "converged"}

MEASURES: dict[str, str] = {
    "f1": "F1",
    "balanced_accuracy": "Balanced accuracy",
    "angle": "Angle to β (degrees)",
    "label_frequency": "Estimated label frequency",
    "class_prior": "Estimated class prior",
    "fit_seconds": "Training time (s)",
}

MECHANISMS: dict[str, str] = {
    "scar": "SCAR",
    "posterior": "e ∝ y(x)",
    "posterior_squared": "e ∝ y(x)²",
    "logistic": "e logistic in x",
}

SYNTHETIC = "paper_gaussian"
DISCUSSED = ("adult", "banknote", "credit-a", "diabetes", "musk", "spambase")
"""The six sets the paper's text and figures discuss; its table lists nine."""

PLACE = ["dataset", "mechanism", "n", "c"]
CELL = ["study", *PLACE, "method", "setting"]


def method_name(method: str, setting: str = ONE_SETTING) -> str:
    """Return a method's name as printed, with its setting where it has more than one."""
    name = METHODS.get(method, method)
    return name if setting == ONE_SETTING else f"{name}, {setting}"


def in_order(found: list[str], known: dict[str, str]) -> list[str]:
    """Return the distinct names found, known ones in the known order, others after them."""
    names = set(found)
    return [name for name in known if name in names] + sorted(names - set(known))


def setting_of(records_setting: str) -> tuple[str, str]:
    """Return the values of `setting` that a reader of one setting wants to see."""
    return (records_setting, ONE_SETTING)


# Records as they come in: checked once, at the border.

COLUMNS = [*CELL, "repeat", *MEASURES, "converged", "warning_codes", "error"]


def check_records(records: pd.DataFrame) -> pd.DataFrame:
    """Return the records with plain types and the scores of failed fits blanked.

    Parameters
    ----------
    records : DataFrame
        One row a fit.

    Returns
    -------
    DataFrame
        A copy of the columns used here and a column `failed`.
    """
    missing = [column for column in COLUMNS if column not in records.columns]
    if missing:
        raise ValueError(f"`records` must have a column for {', '.join(missing)}; got none.")
    table = records[COLUMNS].copy()
    table["error"] = table["error"].astype(object).where(table["error"].notna(), "").astype(str)
    table["failed"] = table["error"] != ""
    table["warning_codes"] = [_codes(value) for value in table["warning_codes"]]
    table["n"] = pd.to_numeric(table["n"]).fillna(0).astype(int)
    # .1 + .2 and .3 are one label frequency.
    table["c"] = pd.to_numeric(table["c"]).astype(float).round(9)
    for measure in MEASURES:
        table[measure] = pd.to_numeric(table[measure]).astype(float).mask(table["failed"])
    for column in ("study", "dataset", "mechanism", "method", "setting"):
        table[column] = table[column].astype(str)
    table["n"] = _known_sizes(table)
    _reject_repeated(table)
    return table


def _known_sizes(table: pd.DataFrame) -> pd.Series:
    """Return n, with that of the other repeats where a fit failed before its rows were drawn."""
    largest = table.groupby(["study", "dataset"])["n"].transform("max")
    return table["n"].where(table["n"] > 0, largest)


def _codes(value: object) -> str:
    """Return warning codes as one string, whatever they were kept as."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, float):
        return ""
    return " ".join(str(code) for code in value)  # type: ignore[attr-defined]


def _reject_repeated(table: pd.DataFrame) -> None:
    repeated = table.duplicated([*CELL, "repeat"])
    if repeated.any():
        first = table.loc[repeated, [*CELL, "repeat"]].iloc[0].to_dict()
        raise ValueError(
            f"`records` must hold every fit once; got {int(repeated.sum())} of them again, "
            f"the first {first}. Remove the repeated rows."
        )


# Means, standard errors and counts of every cell of the studies.


def summarise(records: pd.DataFrame) -> pd.DataFrame:
    r"""Mean and standard error of every measure in every cell, with the fits that failed.

    The standard error is :math:`s/\sqrt{m}` with the sample standard deviation s (divisor
    m - 1) of the m fits that have the measure; of one fit it is not a number.

    Parameters
    ----------
    records : DataFrame
        Checked records.

    Returns
    -------
    DataFrame
        One row a cell and measure: the cell, `measure`, `mean`, `se`, `repeats` (fits that
        have the measure), `fits` and `failed`.
    """
    long = records.melt([*CELL, "repeat"], list(MEASURES), "measure", "value")
    groups = long.groupby([*CELL, "measure"], dropna=False)["value"]
    table = groups.agg(mean="mean", sd="std", repeats="count").reset_index()
    table["se"] = table.pop("sd") / np.sqrt(table["repeats"].where(table["repeats"] > 1))
    table = table.merge(count_fits(records, CELL)[[*CELL, "fits", "failed"]], on=CELL)
    measured = (table["repeats"] > 0) | (table["measure"].isin(["f1", "balanced_accuracy"]))
    columns = [*CELL, "measure", "mean", "se", "repeats", "fits", "failed"]
    return table.loc[measured, columns].reset_index(drop=True)


def count_fits(records: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Count the fits, those that failed, did not converge or gave a warning.

    Parameters
    ----------
    records : DataFrame
        Checked records.
    by : list of str
        Columns that name a group.

    Returns
    -------
    DataFrame
        The groups and `fits`, `failed`, `not_converged`, `warned`, `codes`, `first_error`.
    """
    stopped_early = records["converged"].astype("boolean").eq(False).fillna(False)
    marked = records.assign(
        not_converged=stopped_early.astype(bool) & ~records["failed"],
        warned=records["warning_codes"] != "",
    )
    return (
        marked.groupby(by, dropna=False)
        .agg(
            fits=("failed", "size"),
            failed=("failed", "sum"),
            not_converged=("not_converged", "sum"),
            warned=("warned", "sum"),
            codes=("warning_codes", _distinct_codes),
            first_error=("error", lambda errors: next((e for e in errors if e), "")),
        )
        .reset_index()
    )


def _distinct_codes(codes: pd.Series) -> str:
    words = {word for text in codes for word in text.replace(",", " ").split()}
    return " ".join(sorted(words))


def repeats_by_study(records: pd.DataFrame) -> pd.DataFrame:
    """Fits, failures and repeats of each study; complete ones have all cells."""
    rows = []
    for study, own in records.groupby("study"):
        cells = own.groupby("repeat").size()
        complete = int((cells == len(own[CELL].drop_duplicates())).sum())
        rows.append((study, len(own), int(own["failed"].sum()), len(cells), complete))
    return pd.DataFrame(rows, columns=["study", "fits", "failed", "repeats", "complete_repeats"])
