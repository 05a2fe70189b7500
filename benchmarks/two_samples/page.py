"""From the records of two samples to their page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr

from reproduction.outcome import number

from ..pages import holds, mean_in_words
from ..targets import Section, Target, read_section, write_sections
from . import populations
from .populations import CELLS, RULES

COVERAGE = (0.93, 0.97)
CUT = 0.01
_ERRORS = 2
_BY = list(populations.RECORDS.names[:3])


def prior_section(folder: Path) -> Section:
    """Class prior, mean posterior and interval, by cell."""
    cells, section = _read(folder)
    lines, bias, coverage = [], {}, {}
    for key, of_cell in cells.groupby(_BY):
        prevalence, of_line = key[0], of_cell["line"]
        n = len(of_cell)
        joint, mean = (of_cell[name] - prevalence for name in ("joint", "joint_mean"))
        held = {name: _held(of_cell, name, prevalence) for name in ("joint", "line")}
        bias[key] = max(abs(one.mean()) / (one.std() / np.sqrt(n)) for one in (joint, mean))
        coverage[key] = held["joint"]
        lines.append(
            {
                **_cell_words(key),
                "draws": n,
                "JOINT, bias": mean_in_words(joint, 4),
                "mean posterior, bias": mean_in_words(mean, 4),
                "interval holds": number(held["joint"]),
                "PULogistic, bias": mean_in_words(of_line - prevalence, 4),
                "interval holds ": number(held["line"]),
                "at c = 1": number(float(np.mean(of_cell["joint"] <= 0))),
            }
        )
    error = _ERRORS * np.sqrt(0.95 * 0.05 / min(len(one) for _, one in cells.groupby(_BY)))
    section.tables["prior"] = pd.DataFrame(lines)
    section.targets.extend(
        [
            Target(
                "largest bias of JOINT's class prior or mean posterior, in standard errors",
                max(bias.values()),
                high=2.0,
                missed=_missed(bias, lambda value: value > 2),
            ),
            Target(
                "smallest share of JOINT's intervals that hold, by cell",
                min(coverage.values()),
                low=COVERAGE[0],
                allowed=error,
                missed=_missed(coverage, lambda value: value < COVERAGE[0] - error),
            ),
            Target(
                "mean share of JOINT's intervals that hold",
                float(np.mean(list(coverage.values()))),
                *COVERAGE,
            ),
        ]
    )
    return section


def cut_section(folder: Path) -> Section:
    """F1 and balanced accuracy of the cut, beside one sample and the uncorrected stack."""
    cells, section = _read(folder)
    cells = cells.dropna(subset=[f"{rule}_one" for rule in RULES])
    section = Section(
        len(cells), len(CELLS) * populations.ONE_SAMPLE_REPEATS, "draws with one sample beside"
    )
    if not section.done:
        return section
    lines, behind = [], {rule: {} for rule in RULES}
    for key, of_cell in cells.groupby(_BY):
        line = {**_cell_words(key), "draws": len(of_cell)}
        for rule in RULES:
            two, one, stacked = (of_cell[f"{rule}_{name}"] for name in ("two", "one", "stacked"))
            behind[rule][key] = float((one - two).mean())
            name = "F1" if rule == "f1" else "balanced accuracy"
            line |= {
                f"{name}, best": number(of_cell[f"{rule}_best"].iloc[0]),
                f"{name}, two samples": number(two.mean()),
                f"{name}, one sample": number(one.mean()),
                f"{name}, stack": number(stacked.mean()),
            }
        lines.append(line)
    section.tables["cut"] = pd.DataFrame(lines)
    for rule in RULES:
        name = "F1" if rule == "f1" else "balanced accuracy"
        section.targets.append(
            Target(
                f"{name}: furthest that two samples fall behind one sample with as many labels",
                max(behind[rule].values()),
                high=CUT,
                missed=_missed(behind[rule], lambda value: value > CUT),
            )
        )
    return section


def _read(folder: Path) -> tuple[pd.DataFrame, Section]:
    return read_section(populations.RECORDS, folder, "draws")


def _held(cells: pd.DataFrame, name: str, truth: float) -> float:
    return float(holds(cells[f"{name}_lower"], cells[f"{name}_upper"], truth).mean())


def _cell_words(key: tuple[float, int, int]) -> dict[str, str]:
    prevalence, n_cases, n_population = key
    return {
        "prevalence": number(prevalence, 2),
        "cases": f"{int(n_cases)}",
        "population": f"{int(n_population)}",
    }


def _missed(values: dict, misses) -> tuple[str, ...]:
    return tuple(
        f"prevalence {number(key[0], 2)}, {int(key[1])} cases, {int(key[2])} rows: {number(value)}"
        for key, value in values.items()
        if misses(value)
    )


SECTIONS = {"prior": prior_section, "cut": cut_section}


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        frequency=number(populations.ONE_SAMPLE_FREQUENCY, 1),
        cells=len(CELLS),
        by_chance=number(1 - (2 * ndtr(2.0) - 1) ** len(CELLS), 2),
    )
