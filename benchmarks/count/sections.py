"""The sections of the page: tables and targets, from the records."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.outcome import number
from unlabeled.datasets import DATASET_NAMES

from ..pages import Share, frequency
from ..targets import Section, Target, read_section
from . import nine_sets, populations
from .nine_sets import BY_FREQUENCY, FREQUENCIES, STATES

LEAST_CELL, LEAST_MEAN, LEAST_LINE, LEAST_RARE = 0.90, 0.94, 0.90, 0.92
LONGER = 1.8
POPULATION = (0.94, 0.995)
LONGER_IN_POPULATION = {1000: 1.3, 2000: 1.5, 5000: 1.5}
WELL = {"error": 0.015, "relative": 0.15, "near": 0.9, "said": 0.15}
NEAR, FAR, MOST_FAR = 0.04, 0.1, 0.08
"""The targets."""

WELL_LENGTHS, WELL_RELATIVE, UNKNOWN_LENGTHS = (
    (0.08, 0.1, 0.12, 0.14),
    (0.3, 0.4, 0.5),
    (0.3, 0.4, 0.5),
)
"""Lengths of an interval that were compared for the words; .12, .4 and .4 are in use."""


def with_outcome(cells: pd.DataFrame, name: str, aim: str = "truth") -> pd.DataFrame:
    """Return whether an interval holds the truth, its length and the error of its mean."""
    lower, upper, truth = cells[f"{name}lower"], cells[f"{name}upper"], cells[aim]
    estimate = f"{name.removeprefix('population_')}estimate"
    return pd.DataFrame(
        {
            "holds": ((lower <= truth) & (truth <= upper)).astype(float),
            "length": upper - lower,
            "error": (cells[estimate] - truth).abs(),
        }
    )


def nine_set_section(folder: Path) -> Section:
    """Line, trees and boosting averaged, on the sets in full."""
    cells, section = read_section(nine_sets.FULL, folder, "draws")
    if not section.done:
        return section
    by = [cells["dataset"], cells["c"]]
    ours, line, before = (
        with_outcome(cells, name).groupby(by).mean() for name in ("", "line_", "before_")
    )
    held = with_outcome(cells, "").groupby(by)["holds"]
    share = held.mean()
    lines = [
        {
            "set": dataset,
            "c": frequency(c),
            "truth": number(cells["truth"][cells["dataset"] == dataset].iloc[0]),
            "draws": int(held.count()[dataset, c]),
            "holds": number(ours["holds"][dataset, c]),
            "0.1.0": number(before["holds"][dataset, c]),
            "line alone": number(line["holds"][dataset, c]),
            "error": number(ours["error"][dataset, c]),
            "error, 0.1.0": number(before["error"][dataset, c]),
            "length": number(ours["length"][dataset, c]),
            "length, 0.1.0": number(before["length"][dataset, c]),
            "well / roughly / not at all": _states(
                cells[(cells["dataset"] == dataset) & (cells["c"] == c)]
            ),
        }
        for dataset, c in ours.index
    ]
    gain = before["error"] - ours["error"]
    section.tables["cells"] = pd.DataFrame(lines)
    section.targets.extend(
        [
            Target(
                "Least coverage of a cell",
                float(share.min()),
                low=LEAST_CELL,
                missed=_cells_below(share, LEAST_CELL),
            ),
            Target("Mean coverage", float(ours["holds"].mean()), low=LEAST_MEAN),
            Target("Mean error less than that of 0.1.0, by", float(gain.mean()), low=0, digits=4),
            Target("The same without haberman", float(_others(gain).mean()), low=0, digits=4),
            Target(
                "Mean length over that of 0.1.0",
                float(ours["length"].mean() / before["length"].mean()),
                high=LONGER,
                digits=2,
            ),
        ]
    )
    ratio = ours["length"] / before["length"]
    longest = ratio.sort_values(ascending=False)[:5]
    section.words.update(
        {
            "mean": number(ours["holds"].mean()),
            "ratio": number(float(ratio.median()), 2),
            "before": number(before["holds"].mean()),
            "line": number(line["holds"].mean()),
            "error": number(ours["error"].mean()),
            "error_before": number(before["error"].mean()),
            "error_others": number(_others(ours["error"]).mean()),
            "error_before_others": number(_others(before["error"]).mean()),
            "longest": "; ".join(
                f"{dataset} at c = {frequency(c)} ({number(ours['length'][dataset, c])}, "
                f"{value:.1f} times)"
                for (dataset, c), value in longest.items()
            ),
        }
    )
    return section


def line_section(folder: Path) -> Section:
    """PULogistic alone: on at most 3000 rows, and what it says where it fails in full."""
    cells, section = read_section(nine_sets.SMALL, folder, "draws")
    if not section.done:
        return section
    by = [cells["dataset"], cells["c"]]
    line, before = (with_outcome(cells, name).groupby(by).mean() for name in ("line_", "before_"))
    section.tables["cells"] = pd.DataFrame(
        [
            {
                "set": dataset,
                **{
                    f"{what}, c = {frequency(c)}": number(of["holds"][dataset, c])
                    for c, (what, of) in product(FREQUENCIES, (("holds", line), ("0.1.0", before)))
                },
            }
            for dataset in line.index.unique("dataset")
        ]
    )
    section.targets.append(
        Target("Mean coverage on at most 3000 rows", float(line["holds"].mean()), low=LEAST_LINE)
    )
    full = nine_sets.FULL.read(folder)
    if len(full):
        held = with_outcome(full, "line_").groupby([full["dataset"], full["c"]])["holds"]
        short = held.agg(lambda one: Share(one.sum(), len(one)).is_below(LEAST_CELL))
        is_well = (full["line_state"] == STATES.index("well")).groupby([full["dataset"], full["c"]])
        section.words["short"] = ", ".join(
            f"{dataset} at c = {frequency(c)} ({number(held.mean()[dataset, c])})"
            for dataset, c in short.index[short]
        )
        section.targets.append(
            Target(
                '"well" said by the line in cells of the full sets where it falls short',
                float(is_well.mean()[short].max()) if short.any() else 0.0,
                high=0.0,
            )
        )
    return section


def population_section(folder: Path) -> Section:
    """PULogistic on tables from populations with a logistic posterior."""
    cells, section = read_section(populations.RECORDS, folder, "tables")
    if not section.done:
        return section
    by = [cells["design"], cells["n"], cells["c"]]
    table = with_outcome(cells, "").groupby(by).mean()
    whole = with_outcome(cells, "population_", "population").groupby(by).mean()
    before = with_outcome(cells, "before_", "population").groupby(by).mean()
    ratio = table["length"] / before["length"]
    section.tables["cells"] = pd.DataFrame(
        [
            {
                "design": design,
                "n": n,
                "c": frequency(c),
                "holds the table's share": number(table["holds"][design, n, c]),
                "holds the population's": number(whole["holds"][design, n, c]),
                "0.1.0": number(before["holds"][design, n, c]),
                "length over 0.1.0": number(ratio[design, n, c], 2),
                "population's": number(
                    whole["length"][design, n, c] / before["length"][design, n, c], 2
                ),
            }
            for design, n, c in table.index
        ]
    )
    low, high = POPULATION
    is_rare = table.index.get_level_values("design") == populations.RARE
    usual, of_all, ratio = table[~is_rare], whole[~is_rare], ratio[~is_rare]
    section.targets.extend(
        [
            Target("Mean coverage of the table's share", float(usual["holds"].mean()), low, high),
            Target("Mean coverage of the population's", float(of_all["holds"].mean()), low, high),
        ]
    )
    if is_rare.any():
        least = min(table["holds"][is_rare].min(), whole["holds"][is_rare].min())
        section.targets.append(
            Target("Least coverage where positives are rare", float(least), low=LEAST_RARE)
        )
    for n, most in LONGER_IN_POPULATION.items():
        of_size = ratio[ratio.index.get_level_values("n") == n]
        if n in (1000, 5000) and len(of_size):
            section.targets.append(
                Target(
                    f"Largest length over 0.1.0 at n = {n}",
                    float(of_size.max()),
                    high=most,
                    digits=2,
                )
            )
    return section


def state_section(folder: Path) -> Section:
    """Whether "well" is right, over the draws of both studies; each cell weighs the same."""
    full, section = read_section(nine_sets.FULL, folder, "draws")
    tables = populations.RECORDS.read(folder)
    if not section.done:
        return section
    of_sets = _draws(full, ("dataset", "c"))
    draws = pd.concat([of_sets, _draws(tables, ("design", "n", "c"))])
    section.tables["states"] = _state_table(draws)
    section.tables["states of sets"] = _state_table(of_sets)
    well, known = draws[draws["state"] == STATES.index("well")], draws[draws["state"] > 0]
    far = of_sets.assign(far=of_sets["error"] > FAR, dataset=full["dataset"].to_numpy())
    far = far[far["state"] > 0].groupby("dataset")["far"].mean().sort_values(ascending=False)
    section.words["far"] = ", ".join(f"{name} ({number(one, 2)})" for name, one in far[:3].items())
    section.targets.extend(
        [
            Target(
                'Mean error where "well" is said', _mean(well, well["error"]), high=WELL["error"]
            ),
            Target(
                "The same, relative to the share",
                _mean(well, well["error"] / well["truth"]),
                high=WELL["relative"],
            ),
            Target("Within .04", _mean(well, well["error"] <= NEAR), low=WELL["near"]),
            Target(
                '"well" is said',
                float(well["weight"].sum() / draws["weight"].sum()),
                low=WELL["said"],
            ),
            Target(
                'Error above .1 outside "not at all"',
                _mean(known, known["error"] > FAR),
                high=MOST_FAR,
            ),
        ]
    )
    return section


def _state_table(draws: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for state in reversed(STATES):
        said = draws[draws["state"] == STATES.index(state)]
        lines.append(
            {
                "said": state,
                "of the draws": number(said["weight"].sum() / draws["weight"].sum()),
                "mean error": number(_mean(said, said["error"])),
                "relative": number(_mean(said, said["error"] / said["truth"])),
                "error at most .04": number(_mean(said, said["error"] <= NEAR)),
                "error above .1": number(_mean(said, said["error"] > FAR)),
                "interval holds": number(_mean(said, said["holds"])),
            }
        )
    return pd.DataFrame(lines)


def choice_section(folder: Path) -> Section:
    """Every constant chosen on these sets: chosen on eight, scored on the ninth."""
    cells, section = read_section(nine_sets.FULL, folder, "draws")
    if not section.done:
        return section
    scores = pd.DataFrame({part: _interval_score(cells, f"all_{part:g}_") for part in BY_FREQUENCY})
    by_set = scores.groupby([cells["dataset"], cells["c"]]).mean().groupby("dataset").mean()
    chosen = {left_out: by_set.drop(left_out).mean().idxmin() for left_out in by_set.index}
    section.tables["counts"] = pd.DataFrame(
        [
            {
                "weight of the second count": frequency(part) if part else "0",
                "interval score": number(by_set[part].mean()),
                "coverage": number(
                    with_outcome(cells, f"all_{part:g}_")["holds"]
                    .groupby([cells["dataset"], cells["c"]])
                    .mean()
                    .mean()
                ),
                "chosen without": ", ".join(k for k, one in chosen.items() if one == part) or "—",
            }
            for part in BY_FREQUENCY
        ]
    )
    section.words["score"] = number(np.mean([by_set[chosen[k]][k] for k in by_set.index]))
    section.words["default"] = number(by_set[0.5].mean())
    section.tables["words"] = _words_table(cells)
    return section


def _others(by_cell: pd.Series) -> pd.Series:
    """Leave out the set whose labels hardly tell anything."""
    return by_cell.drop("haberman", level=0, errors="ignore")


def _interval_score(cells: pd.DataFrame, name: str) -> pd.Series:
    """Length, plus 40 times the distance of a truth outside (Gneiting and Raftery 2007)."""
    lower, upper, truth = cells[f"{name}lower"], cells[f"{name}upper"], cells["truth"]
    outside = (lower - truth).clip(lower=0) + (truth - upper).clip(lower=0)
    return upper - lower + 40 * outside


def _words_table(cells: pd.DataFrame) -> pd.DataFrame:
    """The longest "well" and "roughly" that keep the targets on eight sets, and on the ninth."""
    draws = _draws(cells, ("dataset", "c")).assign(
        length=(cells["upper"] - cells["lower"]).to_numpy(),
        estimate=cells["estimate"].to_numpy(),
        dataset=cells["dataset"].to_numpy(),
    )
    lines = []
    for left_out in DATASET_NAMES:
        eight, ninth = (
            draws[draws["dataset"] != left_out],
            draws[draws["dataset"] == left_out],
        )
        well = max(
            product(WELL_LENGTHS, WELL_RELATIVE),
            key=lambda most: _worth(eight, *most),
            default=None,
        )
        unknown = max(
            (most for most in UNKNOWN_LENGTHS if _far(eight, most) <= MOST_FAR),
            default=min(UNKNOWN_LENGTHS),
        )
        is_well = _is_well(ninth, *well)
        lines.append(
            {
                "left out": left_out,
                '"well" up to': f"{number(well[0], 2)}, {number(well[1], 1)} of the estimate",
                "said of the ninth": number(float(is_well.mean())),
                "mean error there": number(_mean(ninth[is_well], ninth["error"][is_well])),
                '"roughly" up to': number(unknown, 1),
                "error above .1 there": number(_far(ninth, unknown)),
            }
        )
    return pd.DataFrame(lines)


def _is_well(draws: pd.DataFrame, most: float, relative: float) -> pd.Series:
    return (draws["length"] <= most) & (draws["length"] <= relative * draws["estimate"])


def _worth(draws: pd.DataFrame, most: float, relative: float) -> float:
    """How often "well" is said, if it is right often enough; else below 0."""
    said = draws[_is_well(draws, most, relative)]
    if not len(said):
        return 0.0
    is_right = (
        _mean(said, said["error"]) <= WELL["error"]
        and _mean(said, said["error"] <= NEAR) >= WELL["near"]
    )
    share = float(said["weight"].sum() / draws["weight"].sum())
    return share if is_right else -share


def _far(draws: pd.DataFrame, most: float) -> float:
    known = draws[draws["length"] <= most]
    return _mean(known, known["error"] > FAR)


def _draws(cells: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return error, coverage and state of every draw; each cell has weight 1."""
    if not len(cells):
        return pd.DataFrame()
    found = with_outcome(cells, "").assign(state=cells["state"], truth=cells["truth"])
    size = cells.groupby(list(names))["truth"].transform("size")
    return found.assign(weight=1 / size)


def _mean(draws: pd.DataFrame, values: pd.Series) -> float:
    return float(np.average(values, weights=draws["weight"])) if len(draws) else np.nan


def _states(cells: pd.DataFrame) -> str:
    parts = [(cells["state"] == STATES.index(state)).mean() for state in reversed(STATES)]
    return " / ".join(number(part, 2) for part in parts)


def _cells_below(share: pd.Series, least: float) -> tuple[str, ...]:
    return tuple(f"{dataset} at c = {frequency(c)}" for dataset, c in share.index[share < least])


SECTIONS: dict[str, Callable[[Path], Section]] = {
    "nine_sets": nine_set_section,
    "line": line_section,
    "populations": population_section,
    "states": state_section,
    "choices": choice_section,
}
"""The sections by name."""
