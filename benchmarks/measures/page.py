"""From the records of the study to the page about metrics and their intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.outcome import number, with_error
from unlabeled.metrics import METRICS

from ..pages import PAGE, render
from ..targets import Section, Target, read_section, verdict_on
from . import study
from .populations import LABELED, POPULATIONS, scores, truths

BIASED, MOST_BIASED = 2.0, 0.10
"""Standard errors of a bias, and the share of cells that may have more (.05 by chance)."""
COVERAGE, LEAST_BOYCE = (0.92, 0.98), 0.92
"""The share of intervals that must hold the truth."""
_ERRORS = 2
_BOYCE = "boyce"
_ENDINGS = ("", "_prior")


def outcomes(draws: pd.DataFrame) -> pd.DataFrame:
    """Return bias, its standard error and the coverage of every metric in every cell."""
    rows = []
    for (name, sampling), of in draws.groupby(["population", "sampling"], sort=False):
        truth = truths(name, sampling, study.K / study.N_ROWS)
        # In the order of the records, whatever the order in which metrics are registered.
        endings = [(metric, ending) for metric in of if metric in METRICS for ending in _ENDINGS]
        for metric, ending in endings:
            column = f"{metric}{ending}"
            if column not in of:
                continue
            values = of[column].to_numpy()
            held = (of[f"{column}_lower"] <= truth[metric]) & (
                truth[metric] <= of[f"{column}_upper"]
            )
            rows.append(
                {
                    "population": name,
                    "sampling": sampling,
                    "metric": metric,
                    "prior": "uncertain" if ending else "known",
                    "truth": truth[metric],
                    "bias": values.mean() - truth[metric],
                    "spread": values.std(ddof=1),
                    "error": values.std(ddof=1) / np.sqrt(len(values)),
                    "coverage": held.mean(),
                    "length": (of[f"{column}_upper"] - of[f"{column}_lower"]).mean(),
                    "draws": len(values),
                }
            )
    return pd.DataFrame(rows)


def section_of(folder: Path) -> Section:
    """Return tables and targets."""
    draws, section = read_section(study.RECORDS, folder, "draws")
    found = outcomes(draws)
    others = found[found["metric"] != _BOYCE]
    known, uncertain = (others[others["prior"] == one] for one in ("known", "uncertain"))
    for sampling, short in zip(study.SAMPLINGS, ("one", "two"), strict=True):
        here = found[found["sampling"] == sampling]
        certain = here[here["prior"] == "known"]
        section.tables[f"bias_{short}"] = _table(certain, _bias)
        section.tables[f"coverage_{short}"] = _table(certain, lambda row: number(row["coverage"]))
        section.tables[f"prior_{short}"] = _table(
            here[here["prior"] == "uncertain"], lambda row: number(row["coverage"])
        )
    section.tables["control"], spread = _control(known)
    section.words["ratio"] = number(spread, 2)
    section.words["ratio_errors"] = number((spread - 1) * np.sqrt(2 * study.REPEATS), 1)
    far = known[(known["bias"].abs() / known["error"]) > BIASED]
    largest = (known["bias"].abs() / known["spread"]).max()
    boyce = found[found["metric"] == _BOYCE]
    section.targets.extend(
        [
            Target(
                "Cells with a bias of more than two standard errors (.05 by chance)",
                len(far) / len(known),
                high=MOST_BIASED,
                missed=tuple(
                    f"{_cell(row)}: bias {number(row['bias'], 4)}, "
                    f"{row['bias'] / row['error']:.1f} standard errors"
                    for _, row in far.iterrows()
                ),
            ),
            Target("Largest bias, in standard deviations of one draw", float(largest), high=0.3),
            *_coverage_targets(known, "class prior known"),
            *_coverage_targets(uncertain, "class prior with an interval"),
            Target(
                "Least coverage of the Boyce index, plus two standard errors",
                float((boyce["coverage"] + _allowed(boyce)).min()),
                low=LEAST_BOYCE,
                missed=tuple(
                    f"{_cell(row)}: {number(row['coverage'])}"
                    for _, row in boyce[
                        boyce["coverage"] + _allowed(boyce) < LEAST_BOYCE
                    ].iterrows()
                ),
            ),
        ]
    )
    section.words["metrics"] = str(known["metric"].nunique())
    section.words["metrics_prior"] = str(uncertain["metric"].nunique())
    same = known[known["metric"].isin(uncertain["metric"])]
    section.words["same"] = number(same["coverage"].mean())
    for sampling, short in zip(study.SAMPLINGS, ("one", "two"), strict=True):
        section.words[f"held_{short}"] = _held(draws, known[known["sampling"] == sampling])
    for _, row in boyce[boyce["sampling"] == "one-sample"].iterrows():
        section.words[f"boyce_{row['population']}"] = number(row["truth"] + row["bias"])
        section.words[f"boyce_truth_{row['population']}"] = number(row["truth"])
    return section


def _held(draws: pd.DataFrame, found: pd.DataFrame) -> str:
    """Write the mean coverage, with its error over draws: metrics of a draw go together."""
    held = []
    for (name, sampling), cells in found.groupby(["population", "sampling"]):
        of = draws[(draws["population"] == name) & (draws["sampling"] == sampling)]
        truth = cells.set_index("metric")["truth"]
        inside = [
            (of[f"{metric}_lower"] <= truth[metric]) & (truth[metric] <= of[f"{metric}_upper"])
            for metric in truth.index
        ]
        held.append(np.mean(inside, axis=0))
    if not held:
        return number(math.nan)
    error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in held)) / len(held)
    return with_error(float(np.mean([one.mean() for one in held])), float(error))


def _control(known: pd.DataFrame) -> tuple[pd.DataFrame, float]:
    """Compare the spread of recall and share over the draws with a binomial's; the largest."""
    lines, ratios = [], []
    for (name, sampling), of in known.groupby(["population", "sampling"], sort=False):
        cell = of.set_index("metric")
        one = sampling == study.SAMPLINGS[0]
        expected = study.N_ROWS * LABELED * scores(name).class_prior if one else study.N_LABELED
        sizes = {"recall": expected, "share": study.N_ROWS}
        line = {"population": name, "sampling": sampling}
        for metric, size in sizes.items():
            truth = cell["truth"][metric]
            ratios.append(cell["spread"][metric] / np.sqrt(truth * (1 - truth) / size))
            line[f"spread of {metric} over binomial"] = number(ratios[-1], 2)
        lines.append(line | {"coverage of recall": number(cell["coverage"]["recall"])})
    return pd.DataFrame(lines), float(max(ratios))


def _coverage_targets(found: pd.DataFrame, what: str) -> list[Target]:
    low, high = COVERAGE
    outside = found[
        (found["coverage"] + _allowed(found) < low) | (found["coverage"] - _allowed(found) > high)
    ]
    return [
        Target(f"Mean coverage, {what}", float(found["coverage"].mean()), low=low, high=high),
        Target(
            f"Cells whose coverage is outside by more than two standard errors, {what}",
            len(outside) / len(found) if len(found) else math.nan,
            high=0.0,
            missed=tuple(
                f"{_cell(row)}, {what}: {number(row['coverage'])}" for _, row in outside.iterrows()
            ),
        ),
    ]


def _allowed(found: pd.DataFrame) -> pd.Series:
    """Return two Monte-Carlo standard errors of a coverage of .95."""
    return _ERRORS * np.sqrt(0.95 * 0.05 / found["draws"])


def _cell(row: pd.Series) -> str:
    return f"{row['metric']}, {row['population']}, {row['sampling']}"


def _bias(row: pd.Series) -> str:
    return f"{row['truth']:.3f} {row['bias']:+.4f} ({row['bias'] / row['error']:+.1f})"


def _table(found: pd.DataFrame, write: Callable[[pd.Series], str]) -> pd.DataFrame:
    """One line per metric, one column per population."""
    lines = []
    for metric, of in found.groupby("metric", sort=False):
        cells = {row["population"]: write(row) for _, row in of.iterrows()}
        lines.append({"metric": metric, **{name: cells.get(name, "–") for name in POPULATIONS}})
    return pd.DataFrame(lines)


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    section = section_of(folder)
    text = render(
        Path(__file__).parent,
        measures=section.rendered(),
        **verdict_on([section]),
        study=study,
        labeled=number(LABELED, 1),
        populations=[(name, scores(name)) for name in POPULATIONS],
        prior=lambda of: number(of.class_prior),
    )
    (folder / PAGE).write_text(text, encoding="utf-8")
