"""From the records about labels not at random to their page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.outcome import number, with_error

from ..audit.cells import MECHANISMS
from ..targets import Section, Target, read_section, write_sections
from . import checked, splits
from .checked import MEASURES
from .splits import LABELINGS, METRICS

GAP = {"auc": 0.5, "f1": 0.4, "ba": 0.4}
"""Least part of the gap between line and oracle that a name closes."""

WORSE_STRONGEST, WORSE_RANDOM = 0.01, 0.015


def names_section(folder: Path) -> Section:
    """What a name is worth, by labeling and measure."""
    cells, section = read_section(splits.RECORDS, folder, "splits")
    if not section.done:
        return section
    lines = []
    for labeling, words in LABELINGS.items():
        of_labeling = cells[cells["labeling"] == labeling]
        for metric, name in METRICS.items():
            line, named, oracle = (
                _of_sets(of_labeling, f"{method}_{metric}")
                for method in ("line", "named", "oracle")
            )
            gain = _of_sets(of_labeling, f"named_{metric}", f"line_{metric}")
            gap = oracle[0] - line[0]
            lines.append(
                {
                    "labels": words,
                    "measure": name,
                    "PULogistic": with_error(*line),
                    "told the feature": with_error(*named),
                    "true classes": with_error(*oracle),
                    "gain": with_error(*gain),
                    "part of the gap": "" if labeling == "random" else number(gain[0] / gap, 2),
                }
            )
            _judge(section, labeling, metric, gain[0], gap)
    section.tables["names"] = pd.DataFrame(lines)
    section.tables["by set"] = _by_set(cells)
    section.tables["prior"] = _priors(cells)
    return section


def _judge(section: Section, labeling: str, metric: str, gain: float, gap: float) -> None:
    name = METRICS[metric]
    if labeling == "middling":
        target = Target(
            f"{name}: part of the gap that the name closes", gain / gap, low=GAP[metric]
        )
    else:
        high = WORSE_STRONGEST if labeling == "strongest" else WORSE_RANDOM
        words = LABELINGS[labeling]
        target = Target(f"{name}, labels {words}: behind PULogistic", max(0.0, -gain), high=high)
    section.targets.append(target)


def _by_set(cells: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (labeling, dataset), of_cell in cells.groupby(["labeling", "dataset"]):
        line = {"labels": LABELINGS[labeling], "set": dataset, "splits": len(of_cell)}
        for metric, name in METRICS.items():
            line[f"gain in {name}"] = with_error(*_mean(of_cell, metric))
        line["PU122"] = number(of_cell["warned"].mean(), 2)
        lines.append(line)
    return pd.DataFrame(lines)


def _mean(cells: pd.DataFrame, metric: str) -> tuple[float, float]:
    gain = cells[f"named_{metric}"] - cells[f"line_{metric}"]
    return float(gain.mean()), float(gain.std() / np.sqrt(len(gain)))


def _priors(cells: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for labeling, words in LABELINGS.items():
        own = cells[cells["labeling"] == labeling]
        truth = own["truth"]
        held = (own["named_lower"] <= truth) & (truth <= own["named_upper"])
        lines.append(
            {
                "labels": words,
                "PULogistic, error": number((own["line_prior"] - truth).abs().mean()),
                "told the feature, error": number((own["named_prior"] - truth).abs().mean()),
                "interval holds": number(held.mean()),
                "on the worst set": _worst(held, own),
                "its length": number((own["named_upper"] - own["named_lower"]).mean()),
                "PU122 raised": number(own["warned"].mean(), 2),
            }
        )
    return pd.DataFrame(lines)


def _worst(held: pd.Series, cells: pd.DataFrame) -> str:
    """Name the set on which intervals held least often."""
    by_set = held.groupby(cells["dataset"]).mean()
    return f"{number(by_set.min())}, {by_set.idxmin()}"


def checked_section(folder: Path) -> Section:
    """A hundred checked rows, by mechanism and classifier."""
    cells, section = read_section(checked.RECORDS, folder, "draws")
    if not section.done:
        return section
    for measure, name in MEASURES.items():
        lines = []
        for mechanism, words in MECHANISMS.items():
            own = cells[cells["labeling"] == mechanism]
            line = {"labels": words}
            for method in checked.METHODS:
                column = f"{method}_{measure}"
                known = own[column].notna().any()
                line[checked.METHODS[method]] = with_error(*_of_sets(own, column)) if known else ""
            lines.append(line)
        section.tables[name] = pd.DataFrame(lines)
    lines = []
    for mechanism, words in MECHANISMS.items():
        line = {"labels": words}
        for method in ("unnamed", "named"):
            own = cells[(cells["labeling"] == mechanism) & cells[f"{method}_lower"].notna()]
            held = (own[f"{method}_lower"] <= own["truth"]) & (
                own["truth"] <= own[f"{method}_upper"]
            )
            line[checked.METHODS[method]] = number(held.mean()) if len(own) else ""
            line[f"{checked.METHODS[method]}, worst set"] = _worst(held, own) if len(own) else ""
        lines.append(line)
    section.tables["intervals"] = pd.DataFrame(lines)
    return section


def _of_sets(cells: pd.DataFrame, column: str, less: str | None = None) -> tuple[float, float]:
    """Mean over sets of a column, or of a difference, and its standard error with sets fixed."""
    values = cells[column] - (0.0 if less is None else cells[less])
    by_set = values.groupby(cells["dataset"])
    variance = by_set.var() / by_set.count()
    return float(by_set.mean().mean()), float(np.sqrt(variance.sum()) / len(variance))


SECTIONS = {"names": names_section, "checked": checked_section}


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        repeats=splits.REPEATS,
        checked=checked.CHECKED,
        max_rows=splits.MOST_ROWS,
        most_checked_rows=checked.MOST_ROWS,
    )
