"""The sections of the page: tables and targets of each study, from its records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.outcome import number, with_error

from ..pages import Share, mean_in_words
from ..targets import Section, Target, read_section
from . import coverage, cut, few_yes, refit, scar
from .cells import DATASETS, MECHANISMS

MEASURES = {"count": "count", "precision": "precision", "recall": "recall", "f1": "F1"}
RULES = {"f1": "F1", "balanced_accuracy": "balanced accuracy"}

PLAIN, HOSTILE, MEAN = 0.93, 0.92, (0.945, 0.98)
"""Targets of coverage: of a plain cell, of a hostile cell, of the mean over plain cells."""

RATIO, LARGEST_RATIO = {50: 0.86, 100: 0.80, 200: 0.74}, 1.05
"""Targets of the count's length over Wilson's: means by size, and of a cell."""

RECALL_LENGTH = {50: 0.28, 100: 0.20, 200: 0.13}
DISTANCE, LOSS = 0.015, 0.005
"""Targets of the audited cut: distance to every truth, and loss where labels are random."""

REFIT_RATIO, REFIT_MEAN, REFIT_WORSE, REFIT_AUDIT = 0.75, 0.55, 0.035, 0.035
REFIT_SETS, REFIT_CELLS = 6, 38
"""Targets of the class prior: ratios of the error to that of labels alone, and what gets better."""

TEST_SIZE = (0.03, 0.08)
STANDARD_ERRORS = 2


def coverage_section(folder: Path) -> Section:
    """How often the intervals hold the truth, by table and size."""
    cells, section = _coverage_cells(folder)
    if not section.done:
        return section
    part = cells[cells["drawn_share"] < 1]
    table = [
        {"table": words, "rows checked": size, "cells": len(own)}
        | {name: _lowest_and_mean(own[f"{measure}_covered"]) for measure, name in MEASURES.items()}
        for (kind, words), size in product(coverage.TABLES.items(), coverage.SIZES)
        if len(own := part[(part["table"] == kind) & (part["size"] == size)])
    ]
    error = float(np.sqrt(PLAIN * (1 - PLAIN) / coverage.DRAWS))
    plain, hostile = part[part["table"] == "plain"], part[part["table"] != "plain"]
    lowest = _lowest("lowest coverage of a plain table", plain, PLAIN, STANDARD_ERRORS * error)
    covered = [f"{measure}_covered" for measure in MEASURES]
    means = [
        f"{name} {number(plain[column].mean())}"
        for name, column in zip(MEASURES.values(), covered, strict=True)
    ]
    return Section(
        section.done,
        section.of,
        section.unit,
        {"coverage": pd.DataFrame(table)},
        [
            lowest,
            Target("mean coverage of plain tables", plain[covered].stack().mean(), *MEAN),
            _lowest("lowest coverage of a hostile table", hostile, HOSTILE),
        ],
        {
            "error": number(float(np.sqrt(0.95 * 0.05 / coverage.DRAWS))),
            "allowed": number(error, 4),
            "left_out": str(len(cells) - len(part)),
            "means": ", ".join(means),
            "slightly_below": "; ".join(
                cell for cell in _below(plain, PLAIN) if cell not in lowest.missed
            ),
        },
    )


def length_section(folder: Path) -> Section:
    """How long the intervals are, on plain tables, and how much shorter than Wilson's."""
    cells, section = _coverage_cells(folder)
    if section.done:
        cells = cells[(cells["table"] == "plain") & (cells["drawn_share"] < 1)]
    if not len(cells):
        return Section(0, section.of, section.unit)
    cells = cells.assign(ratio=cells["count_length"] / cells["wilson_length"])
    half = cells[cells["drawn_share"] <= 0.5]
    by_size, targets = [], []
    for size in coverage.SIZES:
        own = cells[cells["size"] == size]
        ratio, recall = own["ratio"].mean(), own["recall_length"].mean()
        by_size.append(
            {
                "rows checked": size,
                "cells": len(own),
                "count, over Wilson's": number(ratio),
                "largest": number(half.loc[half["size"] == size, "ratio"].max()),
                "precision": number(own["precision_length"].mean()),
                "recall": number(recall),
                "F1": number(own["f1_length"].mean()),
            }
        )
        targets += [
            Target(
                f"length of the count over Wilson's, {size} rows, mean", ratio, high=RATIO[size]
            ),
            Target(f"length of recall, {size} rows, mean", recall, high=RECALL_LENGTH[size]),
        ]
    long = half[half["ratio"] > LARGEST_RATIO]
    targets.append(
        Target(
            "largest length of the count over Wilson's, at most half of the rows checked",
            half["ratio"].max(),
            high=LARGEST_RATIO,
            missed=tuple(
                f"{_place(line)}: {number(line.ratio)}" for line in long.itertuples(index=False)
            ),
        )
    )
    means = cells.pivot_table(values="ratio", index="dataset", columns="size", aggfunc="mean")
    return Section(
        section.done,
        section.of,
        section.unit,
        {"size": pd.DataFrame(by_size), "dataset": _by_dataset(means)},
        targets,
    )


def cut_section(folder: Path) -> Section:
    """The audited cut on test rows, by mechanism."""
    cells, section = read_section(cut.RECORDS, folder, "cells")
    if not section.done:
        return section
    means, tables, targets = cut.summarize(cells), section.tables, section.targets
    for rule, name in RULES.items():
        before, after, every = (
            means[f"{rule}_{which}"] for which in ("before", "after", "every_truth")
        )
        distance, loss = every - after, before - after
        tables[rule] = pd.DataFrame(
            {
                "labeling": [MECHANISMS[mechanism] for mechanism in means.index],
                "before": before.map(number).to_numpy(),
                "after": after.map(number).to_numpy(),
                "with every truth": every.map(number).to_numpy(),
                "distance": distance.map(number).to_numpy(),
            }
        )
        far = distance[distance > DISTANCE]
        targets += [
            Target(
                f"{name}: largest distance to the cut with every truth",
                distance.max(),
                high=DISTANCE,
                missed=tuple(
                    f"{name}, labeling {MECHANISMS[one]}: {number(value)}"
                    for one, value in far.items()
                ),
            ),
            Target(
                f"{name}: loss where labels are given at random",
                loss.get("random", np.nan),
                high=LOSS,
            ),
        ]
    return section


def few_yes_section(folder: Path) -> Section:
    """The audited cut by the number of positives that the checked rows have."""
    cells, section = read_section(few_yes.RECORDS, folder, "audits")
    if not section.done:
        return section
    ends = [-1, 0, 1, 2, 3, 4, 9, 24, np.inf]
    names = ["0", "1", "2", "3", "4", "5 to 9", "10 to 24", "25 and more"]
    group = pd.cut(cells["yes"], ends, labels=names)
    for rule in few_yes.RULES:
        lines = []
        for name, of in cells.groupby(group, observed=True):
            gain = of[f"{rule}_after"] - of[f"{rule}_before"]
            recall = {when: of[f"{rule}_recall_{when}"] for when in ("before", "after")}
            halved = recall["after"] < 0.5 * recall["before"]
            lines.append(
                {
                    "positive": name,
                    "audits": len(of),
                    "of the fit": number(of[f"{rule}_before"].mean()),
                    "gain": mean_in_words(gain),
                    "loses .005": Share((gain < -0.005).sum(), len(of)).in_words(2),
                    "gain of recall": mean_in_words(recall["after"] - recall["before"]),
                    "recall halved": Share(halved.sum(), len(of)).in_words(2),
                }
            )
        section.tables[rule] = pd.DataFrame(lines)
    return section


def refit_section(folder: Path) -> Section:
    """Error of the class prior before and after the check, by mechanism."""
    _, section = read_section(refit.RECORDS, folder, "draws of the labels")
    if not section.done:
        return section
    errors = refit.read_errors(folder)[["labels", *refit.WAYS]].dropna()
    by_mechanism = errors.groupby(level="mechanism", sort=False)
    means, sets = by_mechanism.mean(), by_mechanism.size()
    ratios = means.div(means["labels"], axis=0)
    is_better = errors.lt(errors["labels"], axis=0)
    better = is_better.groupby(level="mechanism", sort=False).sum()
    worse = errors["top"] - errors["labels"]
    labeling = {"labeling": [MECHANISMS[mechanism] for mechanism in means.index]}
    section.tables["error"] = pd.DataFrame(
        labeling
        | {
            words: means[way].map(number).to_numpy()
            for way, words in {"labels": "labels alone", **refit.WAYS}.items()
        }
    )
    section.tables["ratio"] = pd.DataFrame(
        labeling
        | {
            words: [
                f"{number(ratios.loc[one, way])}, {better.loc[one, way]} of {sets[one]}"
                for one in means.index
            ]
            for way, words in refit.WAYS.items()
        }
    )
    top = "top of the list"
    section.targets.extend(
        [
            Target(
                f"{top}: largest ratio of the errors, by labeling",
                ratios["top"].max(),
                high=REFIT_RATIO,
                missed=_named(ratios["top"], REFIT_RATIO),
            ),
            Target(f"{top}: mean ratio over the labelings", ratios["top"].mean(), high=REFIT_MEAN),
            Target(
                f"{top}: sets that get better, fewest by labeling",
                better["top"].min(),
                low=REFIT_SETS,
                digits=0,
            ),
            Target(f"{top}: cells that get better", better["top"].sum(), low=REFIT_CELLS, digits=0),
            Target(
                f"{top}: most by which a cell gets worse",
                worse.max(),
                high=REFIT_WORSE,
                missed=_named(worse, REFIT_WORSE),
            ),
            Target("an audit's own rows: mean error", means["audit"].mean(), high=REFIT_AUDIT),
        ]
    )
    return section


def scar_section(folder: Path) -> Section:
    """Size and power of the direct test of SCAR."""
    _, section = read_section(scar.RECORDS, folder, "draws of the labels")
    if not section.done:
        return section
    cells = scar.table(folder)
    size = cells[cells["mechanism"] == "random"].set_index("dataset")
    tested = size[size["tests"] > 0]
    shares = {
        "the mean over all tests": _pooled(tested),
        **{one: (row["rejected"], row["error"], row["tests"]) for one, row in tested.iterrows()},
    }
    targets = [
        Target(f"share of honest tests that reject: {name}", share, *TEST_SIZE)
        for name, (share, _, _) in shares.items()
    ]
    clearly = [
        f"{name}: {with_error(share, error)}"
        for name, (share, error, tests) in shares.items()
        if _clearly_outside(share, error, tests)
    ]
    tables = {
        "size": pd.DataFrame([_test_line({"set": one}, row) for one, row in size.iterrows()]),
        "power": pd.DataFrame(
            [
                _test_line({"labeling": words}, _mean_over_sets(own))
                for one, words in MECHANISMS.items()
                if len(own := cells[(cells["mechanism"] == one) & (cells["tests"] > 0)])
            ]
        ),
    }
    words = {"clearly": "; ".join(clearly)}
    return replace(section, tables=tables, targets=targets, words=words)


def refit_cells(folder: Path) -> pd.DataFrame:
    """Every number of the refit: mean errors and biases, one row per cell."""
    return refit.read_errors(folder).dropna().reset_index()


def scar_cells(folder: Path) -> pd.DataFrame:
    """Every number of the direct test, one row per cell."""
    return scar.table(folder).assign(scores="loo")


def _coverage_cells(folder: Path) -> tuple[pd.DataFrame, Section]:
    return read_section(coverage.RECORDS, folder, "cells")


def _lowest_and_mean(covered: pd.Series) -> str:
    return f"{number(covered.min())} / {number(covered.mean())}"


def _lowest(words: str, cells: pd.DataFrame, low: float, allowed: float = 0.0) -> Target:
    """Return the target of the lowest coverage, with each cell that misses it."""
    lowest = cells[[f"{measure}_covered" for measure in MEASURES]].min().min()
    missed = tuple(_below(cells, low - allowed))
    return Target(words, lowest, low=low, allowed=allowed, missed=missed)


def _below(cells: pd.DataFrame, low: float) -> list[str]:
    """Name each cell and measure with a smaller coverage."""
    return [
        f"{name}, {_place(line)}: {number(value)}"
        for line in cells.itertuples(index=False)
        for measure, name in MEASURES.items()
        if (value := getattr(line, f"{measure}_covered")) < low
    ]


def _place(cell: Any) -> str:
    """Name a cell of the coverage study."""
    place = f"{cell.dataset}, labeling {MECHANISMS[cell.mechanism]}, {cell.size} rows"
    return place if cell.table == "plain" else f"{place}, {coverage.TABLES[cell.table]}"


def _by_dataset(means: pd.DataFrame) -> pd.DataFrame:
    """Ratios by data set, in the order of the sets."""
    means = means.reindex([one for one in DATASETS if one in means.index])
    columns = {f"{size} rows": means[size].map(number).to_numpy() for size in means.columns}
    return pd.DataFrame({"set": means.index, **columns})


def _named(values: pd.Series, high: float) -> tuple[str, ...]:
    """Name the cells, or mechanisms, above a limit."""
    return tuple(
        (f"{key[1]}, labeling {MECHANISMS[key[0]]}" if isinstance(key, tuple) else MECHANISMS[key])
        + f": {number(value)}"
        for key, value in values[values > high].items()
    )


def _pooled(cells: pd.DataFrame) -> tuple[float, float, float]:
    """Share of all tests that reject, its error over labels, and their number."""
    tests = cells["tests"].sum()
    error = np.sqrt(np.sum((cells["tests"] * cells["error"]) ** 2)) / tests
    return float(cells["tests"] @ cells["rejected"] / tests), float(error), float(tests)


def _clearly_outside(share: float, error: float, tests: float) -> bool:
    """Say whether a share is outside its range by more than two standard errors.

    The error over labels is 0 if no test rejects. It counts as no smaller than that of as many
    independent tests at the limit.
    """
    return any(
        far > STANDARD_ERRORS * max(error, np.sqrt(limit * (1 - limit) / tests))
        for limit, far in zip(TEST_SIZE, (TEST_SIZE[0] - share, share - TEST_SIZE[1]), strict=True)
    )


def _mean_over_sets(cells: pd.DataFrame) -> pd.Series:
    """Means over the sets, each counted once; all tests."""
    means = cells[["found", "rejected", "smallest"]].mean()
    error = float(np.sqrt(np.sum(cells["error"] ** 2))) / len(cells)
    return pd.concat([means, pd.Series({"tests": cells["tests"].sum(), "error": error})])


def _test_line(name: dict[str, str], row: pd.Series) -> dict[str, str]:
    return name | {
        "tests": f"{row['tests']:.0f}",
        "positives found": f"{row['found']:.1f}",
        "rejects": with_error(row["rejected"], row["error"]),
        "smallest difference": number(row["smallest"]),
    }


SECTIONS: dict[str, Callable[[Path], Section]] = {
    "coverage": coverage_section,
    "length": length_section,
    "cut": cut_section,
    "few_yes": few_yes_section,
    "refit": refit_section,
    "scar": scar_section,
}
