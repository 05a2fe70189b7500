"""The tables of the page: scores by set, lost cells, ten labels, failures, times."""

from __future__ import annotations

from dataclasses import astuple

import pandas as pd

from reproduction.outcome import Table, number, with_error
from reproduction.studies.methods import Key

from ..pages import frequency
from .cast import ROLES
from .compare import (
    MEASURES,
    Estimate,
    below_enhanced,
    datasets_in,
    estimate,
    losses,
    mean_and_error,
    mean_over_sets,
    scores,
)
from .studies import CANCER, REAL, TEN
from .ten import ten_shown, ten_summary, ten_verdicts

SE = "In brackets: the standard error over splits and labels, with the sets held fixed."
FAILED = " †k: k fits failed and are not in the mean."
_ESTIMATE = ["mean", "se", "repeats"]


def all_tables(records: pd.DataFrame) -> dict[str, Table]:
    """Make every table that the records allow, by file name."""
    present = set(records["study"])
    tables: list[Table] = []
    if REAL in present:
        tables += [mean_table(records, measure) for measure in MEASURES]
        tables += [set_table(records, measure) for measure in MEASURES]
        tables += [loss_table(records), enhanced_table(records), time_table(records)]
    if CANCER in present:
        tables.append(cancer_table(records))
    if TEN in present:
        tables.append(ten_table(records))
    tables.append(failure_table(records))
    return {table.slug: table for table in tables}


def mean_table(records: pd.DataFrame, measure: str) -> Table:
    """Means over the sets at every c: over all sets, and over those with scores of all methods."""
    wide = scores(records, measure)
    sets = datasets_in(wide)
    lacking = [name for name in sets if wide.loc[name].isna().all().any()]
    groups = {f"All {len(sets)} sets": sets}
    if lacking and len(lacking) < len(sets):
        shared = [name for name in sets if name not in lacking]
        groups[f"The {len(shared)} sets without {', '.join(lacking)}"] = shared
    blocks, numbers = [], []
    for heading, chosen in groups.items():
        means = _means(wide, chosen)
        failed = count_failed(records, REAL, chosen)
        blocks.append((heading, _shown(means, failed)))
        numbers += [
            (len(chosen), ROLES[key].name, ROLES[key].side, frequency(c), *astuple(one))
            for key, of_method in means.items()
            for c, one in of_method.items()
        ]
    note = f"Means over data sets, each with equal weight. {SE} A method that was fitted only on "
    note += "some sets has no mean over all of them. Not fitted: fits that failed or exceeded a "
    note += "limit; they are not in the means."
    slug, title = f"means-{measure.replace('_', '-')}", f"{MEASURES[measure]}: means over the sets"
    frame = pd.DataFrame(numbers, columns=["sets", "method", "side", "c", *_ESTIMATE])
    return Table(slug, title, note, tuple(blocks), frame)


def _means(wide: pd.DataFrame, sets: list[str]) -> dict[Key, dict[float | None, Estimate]]:
    frequencies = [*sorted(set(wide.index.get_level_values("c"))), None]
    return {
        key: {c: mean_over_sets(wide, key, sets, c) for c in frequencies} for key in wide.columns
    }


def _shown(means: dict[Key, dict[float | None, Estimate]], failed: dict[Key, int]) -> pd.DataFrame:
    lines = [
        {
            "Method": ROLES[key].name,
            **{frequency(c): mean_and_error(one) for c, one in of_method.items()},
            "Repeats": str(max(one.repeats for one in of_method.values())),
            "Not fitted": str(failed.get(key, 0)),
        }
        for key, of_method in means.items()
    ]
    return pd.DataFrame(lines)


def set_table(records: pd.DataFrame, measure: str) -> Table:
    """Means of every method on every set, one block per c."""
    wide = scores(records, measure)
    numbers, blocks = [], []
    for c, own in wide.groupby(level="c"):
        lines = {key: {"Method": ROLES[key].name} for key in wide.columns}
        for dataset in datasets_in(own):
            failed = count_failed(records, REAL, [dataset], c)
            for key, line in lines.items():
                one, lost = estimate(own.loc[dataset, key]), failed.get(key, 0)
                line[dataset] = mean_and_error(one, lost)
                numbers.append((dataset, c, ROLES[key].name, *astuple(one), lost))
        blocks.append((f"c = {frequency(c)}", pd.DataFrame(list(lines.values()))))
    frame = pd.DataFrame(numbers, columns=["dataset", "c", "method", *_ESTIMATE, "failed"])
    slug, title = f"sets-{measure.replace('_', '-')}", f"{MEASURES[measure]}: every set"
    return Table(slug, title, f"Means over the repeats. {SE}{FAILED}", tuple(blocks), frame)


def cancer_table(records: pd.DataFrame) -> Table:
    """Scikit-learn's breast cancer data, with either class as the positive one."""
    lines: dict[Key, dict[str, str]] = {}
    numbers = []
    for dataset, way in {"breast_cancer_benign": "Benign", "breast_cancer": "Malignant"}.items():
        failed = count_failed(records, CANCER, [dataset])
        for measure, name in MEASURES.items():
            wide = scores(records, measure, CANCER)
            for key in wide.columns:
                one, lost = estimate(wide.loc[dataset, key]), failed.get(key, 0)
                line = lines.setdefault(key, {"Method": ROLES[key].name})
                line[f"{way}: {name}"] = mean_and_error(one, lost)
                numbers.append((dataset, measure, ROLES[key].name, *astuple(one), lost))
    columns = ["dataset", "measure", "method", *_ESTIMATE, "failed"]
    note = f"The positive class is named before the measure. {SE}{FAILED}"
    shown, frame = pd.DataFrame(list(lines.values())), pd.DataFrame(numbers, columns=columns)
    return Table("breast-cancer", "Breast cancer, both ways round", note, (("", shown),), frame)


def count_failed(
    records: pd.DataFrame, study: str, datasets: list[str], c: float | None = None
) -> dict[Key, int]:
    """Count the failed fits of each method on some sets, at one c or at all."""
    own = records[(records["study"] == study) & (records["error"] != "")]
    own = own[own["dataset"].isin(datasets) & ((own["c"] - (c or 0)).abs().lt(1e-9) | (c is None))]
    counts: dict[Key, int] = own.groupby(["method", "setting"]).size().to_dict()
    return counts


def loss_table(records: pd.DataFrame) -> Table:
    """Cells in which a method that is not handed the prior beats PULogistic."""
    numbers = losses(records)
    shown = _cells(numbers).assign(
        **{
            "Beaten by": numbers["winners"].astype(str),
            "Most by": numbers["method"],
            "Lead": _leads(numbers),
        }
    )
    note = "Beaten by: number of methods. Lead: the largest mean paired difference and its error."
    return Table("losses", "Where we lose", note, (("", shown),), numbers)


def enhanced_table(records: pd.DataFrame) -> Table:
    """Cells in which PULogistic is clearly below Enhanced."""
    numbers = below_enhanced(records)
    shown = _cells(numbers).assign(**{"Enhanced − PULogistic": _leads(numbers)})
    note = "Clearly: by more than .01 and two standard errors of the paired difference."
    return Table("below-enhanced", "Below Enhanced", note, (("", shown),), numbers)


def _cells(numbers: pd.DataFrame) -> pd.DataFrame:
    columns = {
        "Measure": numbers["measure"].map(MEASURES),
        "Set": numbers["dataset"],
        "c": [frequency(c) for c in numbers["c"]],
    }
    return pd.DataFrame(columns)


def _leads(numbers: pd.DataFrame) -> list[str]:
    return [with_error(row.lead, row.se) for row in numbers.itertuples()]


def ten_table(records: pd.DataFrame) -> Table:
    """Ten labeled rows on every set, with a verdict."""
    numbers, verdicts = ten_summary(records), ten_verdicts(records)
    note = (
        "Means over the draws, and in brackets their standard errors. All or none: draws in "
        "which every test row, or no test row, is predicted positive. Warnings: codes, and the "
        "number of draws. Verdict: on PULogistic's balanced accuracy, by two standard errors."
    )
    shown = ten_shown(numbers, verdicts)
    numbers = numbers.assign(verdict=numbers["dataset"].map(verdicts))
    return Table("ten-labels", "Ten labeled rows", note, (("", shown),), numbers)


def failure_table(records: pd.DataFrame) -> Table:
    """Fits that failed or were not made, with the reason."""
    lost = records[records["error"] != ""]
    groups = lost.groupby(["method", "setting", "dataset", "error"])
    numbers = groups.agg(fits=("error", "size"), c=("c", _frequencies)).reset_index()
    keys = zip(numbers["method"], numbers["setting"], strict=True)
    shown = pd.DataFrame(
        {
            "Method": [ROLES[key].name for key in keys],
            "Set": numbers["dataset"],
            "c": numbers["c"],
            "Fits": numbers["fits"].astype(str),
            "Why": numbers["error"],
        }
    )
    note = "Limits are ours; every other reason is the error message of the package."
    return Table("failures", "Fits that failed or were not made", note, (("", shown),), numbers)


def _frequencies(column: pd.Series) -> str:
    return ", ".join(frequency(c) for c in sorted(set(column.round(9))) if c > 0)


def time_table(records: pd.DataFrame) -> Table:
    """Mean seconds per fit, by method and set, over all c."""
    done = records[(records["error"] == "") & (records["study"] == REAL)]
    means = done.groupby(["method", "setting", "dataset"])["fit_seconds"].mean()
    wide = means.unstack("dataset")
    lines = [
        {"Method": role.name, **{name: number(value, 2) for name, value in wide.loc[key].items()}}
        for key, role in ROLES.items()
        if key in wide.index
    ]
    note = "Means, each fit on one core while other fits ran: a guide, not a benchmark."
    shown = pd.DataFrame(lines)
    return Table("times", "Seconds per fit", note, (("", shown),), means.reset_index())
