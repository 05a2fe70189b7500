"""The tables: claims, data sets, differences, times, counts, scores and ranks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from ..studies.paper_plans import STUDIES, STUDY_NAMES
from ._claim_types import COINCIDE, MARGINAL, ON_PAR, Part, Where, greater
from ._judge import VERDICTS, Judgment, find
from ._records import (
    COMPARED,
    COMPETITORS,
    COORDINATES,
    MEASURES,
    MECHANISMS,
    METHODS,
    ONE_SETTING,
    SETTINGS,
    SYNTHETIC,
    count_fits,
    in_order,
    method_name,
    repeats_by_study,
    setting_of,
)
from ._statistics import Estimate
from ._words import ABSENT, measured, number, subject, verdict_text, wanted, with_error

PAPER_TABLE = {
    "adult": (32561, 57, 0.24),
    "banknote": (1372, 4, 0.44),
    "breast-w": (699, 9, 0.34),
    "credit-a": (690, 38, 0.44),
    "diabetes": (768, 8, 0.35),
    "haberman": (306, 3, 0.26),
    "ionosphere": (351, 34, 0.36),
    "musk": (6598, 166, 0.15),
    "spambase": (4601, 57, 0.39),
}
"""The paper's table of data sets, as printed: rows, features, fraction of positives."""


@dataclass(frozen=True)
class Table:
    """A table for the page, Markdown and CSV: what is shown, and the numbers behind it.

    Attributes
    ----------
    slug : str
        File name without its extension.
    title, note : str
        Heading of the table, and the text below it.
    blocks : tuple of (str, DataFrame)
        Headings (may be empty) and the text shown under them.
    numbers : DataFrame
        The content of the CSV file.
    """

    slug: str
    title: str
    note: str
    blocks: tuple[tuple[str, pd.DataFrame], ...]
    numbers: pd.DataFrame

    def write(self, folder: Path) -> None:
        """Write the table as CSV and as Markdown."""
        self.numbers.to_csv(folder / f"{self.slug}.csv", index=False, float_format="%.8g")
        (folder / f"{self.slug}.md").write_text(self.markdown(), encoding="utf-8")

    def markdown(self) -> str:
        """Return the table in Markdown."""
        lines = [f"# {self.title}", "", self.note, ""]
        for heading, frame in self.blocks:
            lines += [f"## {_cell(heading)}", ""] if heading else []
            lines += [_row(frame.columns), _row("---" for _ in frame.columns)]
            lines += [_row(row) for row in frame.itertuples(index=False, name=None)]
            lines.append("")
        return "\n".join(lines)


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(cell: object) -> str:
    """Escape text that Markdown would split or read as HTML."""
    text = " ".join(str(cell).split())
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


RULE = (
    "Each number is a mean over complete repeats. Its standard error is that between repeats, "
    "because the methods and label frequencies of a repeat share a split. A claim holds if the "
    "number is inside the range by two standard errors (or Student's 97.5 % point with few "
    "repeats). It does not hold if the number is outside by as much. Otherwise the records do "
    "not decide it (cannot be told); the table then says about how many repeats would. A claim of "
    "several parts holds if all parts do. "
    f"On par: within ±{number(ON_PAR, 2)}. Marginally: by less "
    f"than {number(MARGINAL, 2)}. Angles coincide: within ±{COINCIDE:g}°."
)


def claim_table(judgments: tuple[Judgment, ...]) -> Table:
    """Make the table of the claims with their numbers and verdicts, one row per setting."""
    numbers = pd.DataFrame(row for judgment in judgments for row in _claim_rows(judgment))
    shown = pd.DataFrame(
        {
            "Claim": [judgment.claim.id for judgment in judgments],
            "The paper says": [judgment.claim.quotation for judgment in judgments],
            "Setting": [_setting(judgment) for judgment in judgments],
            "Measured": [_measured(judgment) for judgment in judgments],
            "Verdict": [verdict_text(judgment.verdict) for judgment in judgments],
        }
    )
    return Table("claims", "The paper's claims", RULE, (("", shown),), numbers)


def _setting(judgment: Judgment) -> str:
    return "" if judgment.setting == ONE_SETTING else judgment.setting


def _measured(judgment: Judgment) -> str:
    return "; ".join(
        f"{subject(finding.part, finding.cells)} is {measured(finding.part, finding.estimate)}"
        for finding in judgment.findings
    )


def _claim_rows(judgment: Judgment) -> list[dict[str, object]]:
    return [
        {
            "claim": judgment.claim.id,
            "setting": judgment.setting,
            "claim_verdict": judgment.verdict.word,
            "part": subject(finding.part, finding.cells),
            "wanted": wanted(finding.part),
            "value": finding.estimate.value,
            "se": finding.estimate.se,
            "repeats": finding.estimate.repeats,
            "verdict": finding.verdict.word,
            "repeats_that_would_tell": finding.verdict.repeats,
            "notes": "; ".join(finding.notes),
            "quotation": judgment.claim.quotation,
            "place": judgment.claim.place,
            "test": judgment.claim.test,
        }
        for finding in judgment.findings
    ]


def count_verdicts(judgments: tuple[Judgment, ...], setting: str) -> dict[str, int]:
    """Count the verdicts in one setting, including claims that have only one."""
    words = [j.verdict.word for j in judgments if j.setting in (setting, ONE_SETTING)]
    return {word: words.count(word) for word in VERDICTS}


def dataset_table(records: pd.DataFrame, manifest: dict[str, Any]) -> Table:
    """Make the paper's table of data sets, with those of the manifest beside it."""
    used = set(records.loc[records["study"] == "real", "dataset"])
    kinds = ["size", "features", "fraction"]
    own = manifest.get("datasets", {})
    rows = [
        (name, *printed, *(own.get(name, {}).get(kind) for kind in kinds), name in used)
        for name, printed in PAPER_TABLE.items()
    ]
    columns = ["name", *(f"paper_{k}" for k in kinds), *(f"our_{k}" for k in kinds), "in_records"]
    counts = {"our_size": "Int64", "our_features": "Int64", "our_fraction": float}
    numbers = pd.DataFrame(rows, columns=columns).astype(counts)
    shown = pd.DataFrame(
        {
            "Name": numbers["name"],
            "Size (paper)": numbers["paper_size"].astype(str),
            "Size (ours)": numbers["our_size"].astype("string").fillna(ABSENT),
            "Features (paper)": numbers["paper_features"].astype(str),
            "Features (ours)": numbers["our_features"].astype("string").fillna(ABSENT),
            "Positives (paper)": [number(value, 2) for value in numbers["paper_fraction"]],
            "Positives (ours)": [number(value, 4) for value in numbers["our_fraction"]],
            "In these records": ["yes" if here else "no" for here in numbers["in_records"]],
        }
    )
    note = "Rows, features and fraction of positives: the paper's, and ours after preparation."
    return Table("datasets", "Data sets", note, (("", shown),), numbers)


_DIFFERENCE_NOTE = (
    "Mean over c of Enhanced minus the competitor, on the same rows and labels (standard error "
    "over complete repeats). Above 0, Enhanced is better. If the sign differs between the two "
    "settings of a competitor, the optimizer decides it, not the method."
)


def difference_table(records: pd.DataFrame) -> Table | None:
    """Make the table of paired differences in the real study."""
    names = sorted(records.loc[records["study"] == "real", "dataset"].unique())
    rows = [
        _difference(records, measure, name, other, setting)
        for measure in ("f1", "balanced_accuracy")
        for name in names
        for other in COMPETITORS
        for setting in SETTINGS
    ]
    if not rows:
        return None
    numbers = pd.DataFrame(rows)
    blocks = tuple(
        (MEASURES[measure], _shown_difference(own))
        for measure, own in numbers.groupby("measure", sort=False)
    )
    return Table("differences", "Enhanced minus its competitors", _DIFFERENCE_NOTE, blocks, numbers)


def _difference(
    records: pd.DataFrame, measure: str, name: str, other: str, setting: str
) -> dict[str, object]:
    part = greater("enhanced", other, Where("real", (name,)), measure)
    estimate = find(records, part, setting).estimate
    return {
        "measure": measure,
        "dataset": name,
        "competitor": other,
        "setting": setting,
        "difference": estimate.value,
        "se": estimate.se,
        "repeats": estimate.repeats,
    }


def _shown_difference(numbers: pd.DataFrame) -> pd.DataFrame:
    texts = numbers.assign(
        column=[*map(method_name, numbers["competitor"], numbers["setting"])],
        text=[*map(_signed, numbers["difference"], numbers["se"])],
    )
    wide = texts.pivot(index="dataset", columns="column", values="text")
    return wide[list(dict.fromkeys(texts["column"]))].reset_index(names="Data set")


def _signed(value: float, se: float) -> str:
    text = number(value, signed=True)
    return text if text == ABSENT else f"{text} ({number(se)})"


PAPER_SECONDS = {
    "oracle": 0.05,
    "enhanced": 0.22,
    "joint": 0.23,
    "mm": 201.0,
    "en": 0.66,
    "tice": 0.9,
}


def time_table(records: pd.DataFrame) -> Table | None:
    """Make the paper's table of training times, as ratios to the oracle, with ours beside it."""
    timed = records[records["study"] == "timing"]
    if timed.empty:
        return None
    numbers = pd.DataFrame(
        _times(own, method, setting)
        for _, own in timed.groupby("dataset")
        for method in METHODS
        for setting in (ONE_SETTING, *SETTINGS)
        if ((own["method"] == method) & (own["setting"] == setting)).any()
    )
    blocks = tuple((name, _shown_times(own)) for name, own in numbers.groupby("dataset"))
    note = (
        "Mean training time and its ratio to the oracle's; standard errors in brackets, from "
        "paired repeats. The seconds come from different machines and programs: compare the "
        "ratios. The paper's are for adult."
    )
    return Table("times", "Training times", note, blocks, numbers)


def _shown_times(numbers: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Method": map(method_name, numbers["method"], numbers["setting"]),
            "Seconds (paper)": map(_plain, numbers["paper_seconds"]),
            "Ratio (paper)": map(_plain, numbers["paper_ratio"]),
            "Seconds (ours)": [
                with_error(mean, se, 4)
                for mean, se in zip(numbers["seconds"], numbers["seconds_se"], strict=True)
            ],
            "Ratio (ours)": map(_ratio, numbers["ratio"], numbers["ratio_se"]),
            "Fits": numbers["fits"].astype(str),
            "Failed": numbers["failed"].astype(str),
        }
    )


def _times(timed: pd.DataFrame, method: str, setting: str) -> dict[str, Any]:
    seconds = _measure(timed, "mean", (method,), setting)
    ratio = _measure(timed, "ratio", (method, "oracle"), setting)
    if method == "oracle":
        ratio = Estimate(1.0, 0.0, seconds.repeats)
    own = timed[(timed["method"] == method) & (timed["setting"] == setting)]
    paper = PAPER_SECONDS.get(method, math.nan)
    return {
        "dataset": own["dataset"].iloc[0],
        "method": method,
        "setting": setting,
        "paper_seconds": paper,
        "paper_ratio": paper / PAPER_SECONDS["oracle"],
        "seconds": seconds.value,
        "seconds_se": seconds.se,
        "ratio": ratio.value,
        "ratio_se": ratio.se,
        "fits": len(own),
        "failed": int(own["failed"].sum()),
    }


def _measure(
    timed: pd.DataFrame, statistic: str, methods: tuple[str, ...], setting: str
) -> Estimate:
    part = Part(statistic, methods, Where("timing"), measures=("fit_seconds",))
    return find(timed, part, setting).estimate


def _plain(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else ABSENT


def _ratio(value: float, se: float) -> str:
    return with_error(value, se, 2 if value < 10 else 1)


GROUP = ["study", "dataset", "method", "setting"]


def study_table(records: pd.DataFrame, manifest: dict[str, Any]) -> Table:
    """Make the table of the fits and repeats of each study, including missing studies."""
    numbers = repeats_by_study(records).set_index("study")
    names = [*STUDIES, *(name for name in numbers.index if name not in STUDIES)]
    numbers = numbers.reindex(names).astype(float).fillna(0).astype(int).reset_index()
    plans = manifest.get("studies", {})
    numbers["planned"] = [_planned(plans.get(name)) for name in numbers["study"]]
    shown = pd.DataFrame(
        {
            "Study": [
                STUDIES[name].title if name in STUDIES else name for name in numbers["study"]
            ],
            "Fits": numbers["fits"].astype(str),
            "Failed": numbers["failed"].astype(str),
            "Repeats": [str(count) if count else "missing" for count in numbers["repeats"]],
            "of them complete": numbers["complete_repeats"].astype(str),
            "planned": [str(count or "–") for count in numbers["planned"]],
        }
    )
    note = "A repeat is complete if every cell of the study has its fits (failed or not)."
    return Table("studies", "Studies in these records", note, (("", shown),), numbers)


def _planned(study: Any) -> int:
    return int(study["plan"]["repeats"]) if study else 0


def fit_table(records: pd.DataFrame) -> Table:
    """Make the table of failed and unconverged fits; only groups with such fits are shown."""
    numbers = count_fits(records, GROUP)
    bad = numbers[(numbers["failed"] > 0) | (numbers["not_converged"] > 0)]
    order = in_order(list(bad["study"]), STUDY_NAMES)
    blocks = tuple((study, _shown_fits(bad[bad["study"] == study])) for study in order)
    note = (
        f"{int(numbers['failed'].sum())} of {len(records)} fits failed; "
        f"{int(numbers['not_converged'].sum())} did not reach a finite optimum within their "
        "tolerance. The table shows the groups that have any; the CSV file has all groups."
    )
    return Table("fits", "Fits that failed or did not converge", note, blocks, numbers)


def _shown_fits(bad: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Data set": bad["dataset"],
            "Method": map(method_name, bad["method"], bad["setting"]),
            "Fits": bad["fits"].astype(str),
            "Failed": bad["failed"].astype(str),
            "Not converged": bad["not_converged"].astype(str),
            "Warning codes": bad["codes"],
            "First error": bad["first_error"],
        }
    )


SHOWN = {
    "synthetic": ("angle", "f1", "balanced_accuracy"),
    "real": ("f1", "balanced_accuracy"),
    "ensemble": ("f1", "balanced_accuracy"),
    "robustness": ("angle", "f1", "balanced_accuracy"),
}
DIGITS = {"angle": 2}
_SCORE_NOTE = (
    "Mean (standard error) over the repeats. †k: k fits of the cell failed and are left out."
)


def score_tables(summary: pd.DataFrame) -> list[Table]:
    """Make one table per study and measure, with one block per data set."""
    tables = []
    for study, measures in SHOWN.items():
        for measure in measures:
            own = summary[(summary["study"] == study) & (summary["measure"] == measure)]
            if own["repeats"].sum():
                tables.append(_score_table(own, study, measure))
    return tables


def _score_table(own: pd.DataFrame, study: str, measure: str) -> Table:
    blocks = tuple(
        (_heading(study, str(name)), _compact(block, DIGITS.get(measure, 3)))
        for name, block in own.groupby("dataset")
    )
    title = f"{MEASURES[measure]}, {study} study"
    return Table(f"{study}-{measure.replace('_', '-')}", title, _SCORE_NOTE, blocks, own)


def _heading(study: str, dataset: str) -> str:
    if dataset != SYNTHETIC:
        return dataset
    return "" if study == "synthetic" else "synthetic"


def _compact(block: pd.DataFrame, digits: int) -> pd.DataFrame:
    rows = [name for name in COORDINATES[1:] if block[name].nunique() > 1] or ["c"]
    texts = block.assign(text=[_entry(row, digits) for row in block.itertuples()])
    wide = texts.pivot(index=rows, columns=["method", "setting"], values="text").fillna("")
    shown = wide[_columns(block)]
    shown.columns = [method_name(*column) for column in shown.columns]
    shown = shown.reset_index()
    shown[rows] = shown[rows].map(_coordinate).astype(object)
    return shown


def _columns(block: pd.DataFrame) -> list[tuple[str, str]]:
    present = set(zip(block["method"], block["setting"], strict=True))
    methods = in_order(list(block["method"]), METHODS)
    order = [(method, setting) for method in methods for setting in (ONE_SETTING, *SETTINGS)]
    return [pair for pair in order if pair in present]


def _coordinate(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}".replace("0.", ".")
    return MECHANISMS.get(str(value), str(value))


def _entry(row: Any, digits: int) -> str:
    failed = f" †{row.failed}" if row.failed else ""
    return with_error(row.mean, row.se, digits) + failed


def rank_table(summary: pd.DataFrame) -> Table | None:
    """Make the table of mean ranks over data sets and c, among the methods that are compared."""
    rows = []
    for measure in SHOWN["real"]:
        for setting in SETTINGS:
            for method, rank, cells in _ranks(summary, measure, setting):
                rows.append((MEASURES[measure], setting, method, rank, cells))
    if not rows:
        return None
    numbers = pd.DataFrame(rows, columns=["measure", "setting", "method", "mean_rank", "cells"])
    shown = numbers.assign(
        column=numbers["measure"] + ", " + numbers["setting"],
        text=[number(rank, 2) for rank in numbers["mean_rank"]],
    ).pivot(index="method", columns="column", values="text")
    shown = shown.reindex([name for name in METHODS if name in shown.index]).fillna("")
    shown = shown[list(dict.fromkeys(numbers["measure"] + ", " + numbers["setting"]))]
    shown.insert(0, "Method", [method_name(name) for name in shown.index])
    cells = int(numbers["cells"].max())
    note = (
        f"Mean rank (1 is best) over {cells} cells (data set and c), among the paper's methods "
        "without the oracle."
    )
    return Table("ranks", "Mean ranks, real study", note, (("", shown),), numbers)


def _ranks(summary: pd.DataFrame, measure: str, setting: str) -> list[tuple[str, float, int]]:
    own = summary[
        (summary["study"] == "real")
        & (summary["measure"] == measure)
        & summary["setting"].isin(setting_of(setting))
        & summary["method"].isin(COMPARED)
    ]
    wide = own.pivot(index=COORDINATES, columns="method", values="mean").dropna()
    ranks = wide.rank(axis=1, ascending=False).mean()
    return [(method, rank, len(wide)) for method, rank in ranks.items()] if len(wide) else []
