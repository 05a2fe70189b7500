"""The records: the names of what is in them, their validation, and their summary by cell."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

METHODS: dict[str, str] = {
    "oracle": "Oracle",
    "naive": "Naive",
    "enhanced": "Enhanced",
    "enhanced_ba": "Enhanced, BA rule",
    "joint": "JOINT",
    "mm": "MM",
    "en": "EN",
    "tice": "TIcE",
    "pu_logistic": "PULogistic",
    "pu_logistic_ba": "PULogistic, BA rule",
    "pu_ensemble": "PUEnsemble",
    "pu_ensemble_ba": "PUEnsemble, BA rule",
}
"""Printed names. The BA rule puts the threshold where balanced accuracy is largest."""
COMPETITORS = ("joint", "mm", "en", "tice")
COMPARED = ("naive", "enhanced", *COMPETITORS)

SETTINGS: dict[str, str] = {
    "published": (
        "As published: the laboratory's optimizer settings and in-sample e1; MM with its own outer "
        "iterates and stopping rule, the inner problem solved exactly; EN and TIcE at the "
        "published optimizer's stopping point."
    ),
    "converged": (
        "Converged: JOINT from several starts; EN and TIcE with a ridge chosen by "
        "cross-validated PU risk, since unpenalized they have no optimum."
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
"""The six sets that the paper's text and figures discuss; its table lists nine."""

COORDINATES = ["dataset", "mechanism", "n", "c"]
CELL = ["study", *COORDINATES, "method", "setting"]


def method_name(method: str, setting: str = ONE_SETTING) -> str:
    """Return a method's printed name, with its setting if it has more than one."""
    name = METHODS.get(method, method)
    return name if setting == ONE_SETTING else f"{name}, {setting}"


_BA_RULE = tuple(method for method in METHODS if method.endswith("_ba"))
_NOT_DRAWN = {
    "f1": _BA_RULE,
    "angle": _BA_RULE,
    "balanced_accuracy": ("pu_logistic", "pu_ensemble"),
}


def drawn(means: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return the rows of a measure, without methods whose threshold is for the other measure.

    The paper's methods all stay; the tables have every method.
    """
    hidden = means["method"].isin(_NOT_DRAWN[measure])
    return means[(means["measure"] == measure) & ~hidden]


def in_order(given: list[str], known: Iterable[str]) -> list[str]:
    """Return the distinct names given: known ones in the known order, then the others."""
    names = set(given)
    return [name for name in known if name in names] + sorted(names.difference(known))


def setting_of(setting: str) -> tuple[str, str]:
    """Return the values of the column `setting` to select for a setting of the competitors.

    For "converged" these are "converged" and "-", the value of methods without settings.
    """
    return (setting, ONE_SETTING)


COLUMNS = [*CELL, "repeat", *MEASURES, "converged", "warning_codes", "error"]


def check_records(records: pd.DataFrame) -> pd.DataFrame:
    """Validate records; return them with plain types, without the scores of failed fits.

    Parameters
    ----------
    records : DataFrame
        One row per fit.

    Returns
    -------
    DataFrame
        A copy of the columns used here and a column `failed`.
    """
    missing = [column for column in COLUMNS if column not in records.columns]
    if missing:
        raise ValueError(
            f"`records` must have the columns of `Record`; {', '.join(missing)} are missing. "
            "Read them with `read_records`."
        )
    table = records[COLUMNS].copy()
    table["error"] = table["error"].astype(object).where(table["error"].notna(), "").astype(str)
    table["failed"] = table["error"] != ""
    table["warning_codes"] = [_codes(value) for value in table["warning_codes"]]
    table["n"] = pd.to_numeric(table["n"]).fillna(0).astype(int)
    # .1 + .2 and .3 are the same label frequency.
    table["c"] = pd.to_numeric(table["c"]).astype(float).round(9)
    for measure in MEASURES:
        table[measure] = pd.to_numeric(table[measure]).astype(float).mask(table["failed"])
    for column in ("study", "dataset", "mechanism", "method", "setting"):
        table[column] = table[column].astype(str)
    table["n"] = _known_sizes(table)
    _reject_repeated(table)
    return table


def _known_sizes(table: pd.DataFrame) -> pd.Series:
    """Return n; fits that failed before their rows were drawn get the n of other repeats."""
    largest = table.groupby(["study", "dataset"])["n"].transform("max")
    return table["n"].where(table["n"] > 0, largest)


def _codes(value: object) -> str:
    """Return warning codes as one string, from a string, a list or nothing."""
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
            f"`records` must have one row per fit; got {int(repeated.sum())} repeated rows, the "
            f"first {first}. Remove them."
        )


def summarize(records: pd.DataFrame) -> pd.DataFrame:
    r"""Return mean and standard error of every measure in every cell, and count its fits.

    The standard error is :math:`s/\sqrt{m}` with the sample standard deviation s (divisor
    m - 1) of the m fits that have the measure. For one fit it is NaN.

    Parameters
    ----------
    records : DataFrame
        Checked records.

    Returns
    -------
    DataFrame
        One row per cell and measure: the cell, `measure`, `mean`, `se`, `repeats` (fits that
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
    """Count the fits, and those that failed, did not converge or warned.

    Parameters
    ----------
    records : DataFrame
        Checked records.
    by : list of str
        Columns that identify a group.

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
    """Count fits, failures and repeats of each study; a complete repeat has all cells."""
    rows = []
    for study, own in records.groupby("study"):
        cells = own.groupby("repeat").size()
        complete = int((cells == len(own[CELL].drop_duplicates())).sum())
        rows.append((study, len(own), int(own["failed"].sum()), len(cells), complete))
    return pd.DataFrame(rows, columns=["study", "fits", "failed", "repeats", "complete_repeats"])
