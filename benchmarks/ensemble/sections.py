"""The sections of the page: tables and targets of each study, from its records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.outcome import number, with_error

from ..field.compare import Estimate, datasets_in, estimate, mean_and_error, mean_over_sets
from ..pages import frequency
from ..targets import Section, Target, read_section
from . import choices, cost, nine_sets, published
from .nine_sets import FREQUENCIES, TEN, TRUTH

MEASURES = {"f1": "F1", "balanced_accuracy": "balanced accuracy"}
"""The measures, each with the rule for it, and their names."""

AHEAD = {
    "f1": dict.fromkeys(FREQUENCIES, 0.02) | {0.1: 0.012},
    "balanced_accuracy": dict.fromkeys(FREQUENCIES, 0.012),
}
"""Targets of the mean lead over PULogistic, by measure and c."""

WITHOUT_BEST, WITHOUT_BEST_FROM = {"f1": 0.012, "balanced_accuracy": 0.008}, 0.3
"""Targets of the lead without the set that gains most, from this c on."""

BEHIND, STANDARD_ERRORS = 0.015, 2
"""No cell may be behind PULogistic by more than this and two standard errors."""

TOLD = 0.01
"""Target of what the true class prior is worth."""

GAP = {"f1": {0.1: 0.10, 0.3: 0.05}, "balanced_accuracy": {0.1: 0.07, 0.3: 0.03}}
"""Targets of the distance to the same ensemble on the true classes."""

SPAMBASE_TARGETS = {"f1": 0.905, "auc": 0.975}


def nine_set_scores(folder: Path) -> pd.DataFrame:
    """Read the records of the nine sets, indexed by set, c and repeat; with what pages compare.

    For each measure there are `lead` (over PULogistic), `lead_forest`, `told` (what the true prior
    is worth) and `gap` (to the true classes, in the repeats that have them).
    """
    cells = nine_sets.RECORDS.read(folder)
    if not len(cells):
        return cells
    cells = cells.set_index(list(nine_sets.RECORDS.names)).sort_index()
    is_truth = cells.index.get_level_values("c") == TRUTH
    truth = cells[is_truth].droplevel("c")
    cells = cells[~is_truth]
    split = cells.index.droplevel("c")
    columns = {}
    for one in MEASURES:
        own = cells[f"ensemble_{one}"]
        columns[f"lead_{one}"] = own - cells[f"line_{one}"]
        columns[f"lead_forest_{one}"] = own - cells[f"forest_{one}"]
        columns[f"told_lead_{one}"] = cells[f"told_{one}"] - own
        columns[f"truth_{one}"] = truth[f"ensemble_{one}"].reindex(split).to_numpy()
        columns[f"gap_{one}"] = columns[f"truth_{one}"] - own
    for who in ("ensemble", "line"):
        columns[f"{who}_error"] = (cells[f"{who}_class_prior"] - cells["class_prior"]).abs()
    return cells.assign(**columns)


def lead_section(folder: Path) -> Section:
    """The ensemble beside PULogistic and the forest, at each c."""
    wide, section = _nine_sets(folder)
    if not section.done:
        return section
    tables, targets = {}, []
    for one, name in MEASURES.items():
        lines = []
        for c in _frequencies_in(wide):
            lead, against = _mean(wide, f"lead_{one}", c), _mean(wide, f"lead_forest_{one}", c)
            best = most_gaining(wide, f"lead_{one}", c)
            rest = _mean(wide.drop(index=best, level="dataset"), f"lead_{one}", c)
            lines.append(
                {
                    "c": frequency(c),
                    "PULogistic": number(_mean(wide, f"line_{one}", c).value),
                    "forest": number(_mean(wide, f"forest_{one}", c).value),
                    "ensemble": number(_mean(wide, f"ensemble_{one}", c).value),
                    "lead over PULogistic": _signed(lead),
                    "over the forest": _signed(against),
                    "without the set that gains most": f"{_signed(rest)}, {best}",
                }
            )
            at = f"{name}, c = {frequency(c)}"
            targets += [
                Target(f"lead over PULogistic: {at}", lead.value, low=AHEAD[one][c]),
                Target(f"lead over the forest: {at}", against.value, low=0.0),
            ]
            if c >= WITHOUT_BEST_FROM:
                words = f"the same without the set that gains most: {at}"
                targets.append(Target(words, rest.value, low=WITHOUT_BEST[one]))
        tables[one] = pd.DataFrame(lines)
        tables[f"{one}_sets"] = by_set(wide, f"lead_{one}", FREQUENCIES)
        targets.append(_worst_cell(wide, one, name))
    return _filled(section, tables, targets)


def truth_section(folder: Path) -> Section:
    """What the true class prior and the true classes are worth."""
    wide, section = _nine_sets(folder)
    if not section.done:
        return section
    lines, targets = [], []
    for (one, name), c in ((pair, c) for pair in MEASURES.items() for c in FREQUENCIES):
        told, gap = _mean(wide, f"told_lead_{one}", c), _mean(wide, f"gap_{one}", c)
        lines.append(
            {
                "measure": name,
                "c": frequency(c),
                "ensemble": number(_mean(wide, f"ensemble_{one}", c).value),
                "told the prior": number(_mean(wide, f"told_{one}", c).value),
                "difference": _signed(told),
                "on the true classes": number(_mean(wide, f"truth_{one}", c).value),
                "gap": _signed(gap),
            }
        )
        at = f"{name}, c = {frequency(c)}"
        targets.append(Target(f"what the true prior is worth: {at}", told.value, high=TOLD))
        if c in GAP[one]:
            targets.append(Target(f"gap to the true classes: {at}", gap.value, high=GAP[one][c]))
    return _filled(section, {"truth": pd.DataFrame(lines)}, targets)


def prior_section(folder: Path) -> Section:
    """Error of the class prior, beside PULogistic's."""
    wide, section = _nine_sets(folder)
    if not section.done:
        return section
    lines = [
        {"c": _frequency(c)}
        | {
            name: mean_and_error(_mean(wide, f"{who}_error", c))
            for who, name in (("line", "PULogistic"), ("ensemble", "ensemble"))
        }
        for c in (TEN, *FREQUENCIES)
    ]
    tables = {
        "error": pd.DataFrame(lines),
        "error_sets": _beside(wide, "line_error", "ensemble_error", FREQUENCIES),
    }
    return _filled(section, tables, [])


def ten_section(folder: Path) -> Section:
    """Ten labeled rows."""
    wide, section = _nine_sets(folder)
    if not section.done:
        return section
    lines, targets = [], []
    for one, name in MEASURES.items():
        lead = _mean(wide, f"lead_{one}", TEN)
        values = {
            words: number(_mean(wide, f"{who}_{one}", TEN).value)
            for who, words in (
                ("line", "PULogistic"),
                ("forest", "forest"),
                ("ensemble", "ensemble"),
            )
        }
        lines.append({"measure": name} | values | {"lead over PULogistic": _signed(lead)})
        targets.append(
            Target(
                f"ten labeled rows, lead over PULogistic: {name}",
                lead.value,
                low=0.0,
                allowed=_two_errors(lead),
            )
        )
    return _filled(section, {"ten": pd.DataFrame(lines)}, targets)


def member_section(folder: Path) -> Section:
    """Weights and settings of the members."""
    wide, section = _nine_sets(folder)
    if not section.done:
        return section
    own = wide[wide.index.get_level_values("c") != TEN]
    names = ("line", "trees", "boosting")
    lines = [
        {"set": dataset}
        | {name: number(cells[f"{name}_weight"].mean(), 2) for name in names}
        | {
            "likeliest": _shares(
                cells[[f"{name}_probability" for name in names]]
                .idxmax(axis=1)
                .str.removesuffix("_probability"),
            ),
            "rows in a leaf": _shares(cells["trees_leaf"].astype(int)),
            "leaves of a boosted tree": _shares(cells["boosting_leaves"].astype(int)),
            "boosted trees": f"{cells['boosting_trees'].median():.0f}",
            "seconds": f"{cells['seconds'].mean():.1f}",
        }
        for dataset, cells in own.groupby(level="dataset")
    ]
    weights = [
        {"c": _frequency(c)}
        | {name: number(_mean(wide, f"{name}_weight", c).value, 2) for name in names}
        for c in (TEN, *FREQUENCIES)
    ]
    tables = {"members": pd.DataFrame(lines), "weights": pd.DataFrame(weights)}
    return _filled(section, tables, [])


def choice_section(folder: Path) -> Section:
    """Choices, each set's from the other eight."""
    cells, section = read_section(choices.RECORDS, folder, "cells")
    if not section.done:
        return section
    by_cell = choices.scores(cells)
    found = choices.leave_one_out(by_cell)
    by_set_lines = [
        {
            "set": dataset,
            "chosen on the other sets": choices.CHOICES[row["choice"]].words,
            "its score": number(row["chosen"]),
            "default": number(row["default"]),
            "difference": number(row["chosen"] - row["default"], signed=True),
        }
        for dataset, row in found.iterrows()
    ]
    means = by_cell.groupby(level="dataset").mean().mean()
    against = by_cell.sub(by_cell[choices.DEFAULT], axis=0)
    choice_lines = [
        {
            "choice": choices.CHOICES[name].words,
            "mean": number(means[name]),
            "against the default": "–"
            if name == choices.DEFAULT
            else _signed(mean_of_sets(against[name])),
        }
        for name in by_cell
    ]
    chosen = pd.concat(
        [
            by_cell.loc[[dataset], choice] - by_cell.loc[[dataset], choices.DEFAULT]
            for dataset, choice in found["choice"].items()
        ]
    )
    return replace(
        section,
        tables={"sets": pd.DataFrame(by_set_lines), "choices": pd.DataFrame(choice_lines)},
        words={
            "chosen": number(found["chosen"].mean()),
            "default": number(found["default"].mean()),
            "best": number(found["best"].mean()),
            "flatters": number((found["best"] - found["chosen"]).mean(), signed=True),
            "against": _signed(mean_of_sets(chosen)),
        },
    )


def published_section(folder: Path) -> Section:
    """Spambase and breast cancer beside numbers of others."""
    cells, section = read_section(published.RECORDS, folder, "fits")
    if not section.done:
        return section
    spam = cells[cells["dataset"] == published.SPAMBASE]
    cancer = cells[cells["dataset"] != published.SPAMBASE]
    return _filled(
        section,
        {
            "spambase": _spambase_table(spam),
            "spambase_frequencies": _spambase_by_frequency(spam),
            "cancer": _cancer_table(cancer),
        },
        [
            Target(
                f"Spambase: {_name(one)}, mean over c",
                _over_frequencies(spam, f"ensemble_{one}").value,
                low=low,
            )
            for one, low in SPAMBASE_TARGETS.items()
        ],
    )


def cost_section(folder: Path) -> Section:
    """Time and memory beside a forest of the same size."""
    cells, of = cost.RECORDS.read(folder), len(cost.SIZES) + len(cost.THREADS)
    if not len(cells):
        return Section(0, of, "lines")
    lines, targets = [], []
    for row in cells.itertuples(index=False):
        table = {cost.ADULT: "adult", cost.MADE: "made"}[row.table]
        fewer = row.forest_trees < cost.TREES
        lines.append(
            {
                "table": table,
                "rows": f"{row.rows:,}".replace(",", " "),
                "threads": row.threads,
                "ratio of times": f"{row.wall_ratio:.1f}",
                "of CPU times": f"{row.cpu_ratio:.1f}",
                "ensemble, s": f"{row.ensemble_wall:.1f}",
                "CPU s": f"{row.ensemble_cpu:.1f}",
                "forest, s": f"{row.forest_wall:.1f}" + (" †" if fewer else ""),
                "table, MB": f"{row.table_mb:.0f}",
                "ensemble adds, MB": f"{row.ensemble_mb:.0f}",
                "forest adds, MB": "†" if fewer else f"{row.forest_mb:.0f}",
            }
        )
        threads = "one thread" if row.threads == 1 else f"{row.threads} threads"
        words = f"time over that of a forest: {table}, {lines[-1]['rows']} rows, {threads}"
        targets.append(Target(words, row.wall_ratio, high=cost.AIM, digits=1))
    return Section(len(cells), of, "lines", {"cost": pd.DataFrame(lines)}, targets)


def most_gaining(wide: pd.DataFrame, column: str, c: float) -> str:
    """Return the set with the largest mean at c."""
    own = wide[wide.index.get_level_values("c") == c][column]
    return str(own.groupby(level="dataset").mean().idxmax())


def by_set(wide: pd.DataFrame, column: str, frequencies: tuple[float, ...]) -> pd.DataFrame:
    """Write the mean of every set and c, with its standard error."""
    found = {cell: estimate(own) for cell, own in wide[column].groupby(level=["dataset", "c"])}
    return pd.DataFrame(
        [
            {"set": dataset}
            | {
                f"c = {frequency(c)}": _signed(found[dataset, c]) if (dataset, c) in found else "–"
                for c in frequencies
            }
            for dataset in datasets_in(wide)
        ]
    )


def mean_of_sets(values: pd.Series) -> Estimate:
    """Mean over sets of a column indexed by set, c and repeat: all c together, sets held fixed."""
    frame = values.to_frame("value")
    return mean_over_sets(frame, "value", datasets_in(frame), None)


def _nine_sets(folder: Path) -> tuple[pd.DataFrame, Section]:
    wide = nine_set_scores(folder)
    return wide, read_section(nine_sets.RECORDS, folder, "fits")[1]


def _filled(section: Section, tables: dict[str, pd.DataFrame], targets: list[Target]) -> Section:
    return Section(section.done, section.of, section.unit, tables, targets)


def _frequencies_in(wide: pd.DataFrame) -> list[float]:
    there = set(wide.index.get_level_values("c"))
    return [c for c in FREQUENCIES if c in there]


def _mean(wide: pd.DataFrame, column: str, c: float) -> Estimate:
    """Mean over the sets at c; NaN unless every set has it."""
    own = wide.loc[wide.index.get_level_values("c") == c, column].dropna()
    there = set(own.index.get_level_values("dataset"))
    if there != set(datasets_in(wide)):
        return Estimate(math.nan, math.nan, 0)
    return mean_of_sets(own)


def _worst_cell(wide: pd.DataFrame, one: str, name: str) -> Target:
    """Target of the cells: none is clearly behind."""
    own = wide[wide.index.get_level_values("c") != TEN][f"lead_{one}"]
    found = {cell: estimate(values) for cell, values in own.groupby(level=["dataset", "c"])}
    upper = {cell: lead.value + _two_errors(lead) for cell, lead in found.items()}
    return Target(
        f"smallest lead of a cell plus two standard errors: {name}",
        min(upper.values(), default=math.nan),
        low=-BEHIND,
        missed=tuple(
            f"{name}, {dataset}, c = {frequency(c)}: {_signed(found[dataset, c])}"
            for (dataset, c), value in upper.items()
            if value < -BEHIND
        ),
    )


def _two_errors(one: Estimate) -> float:
    return STANDARD_ERRORS * one.se if math.isfinite(one.se) else 0.0


def _signed(one: Estimate) -> str:
    if not math.isfinite(one.value):
        return "–"
    return f"{number(one.value, signed=True)} ({number(one.se)})"


def _frequency(c: float) -> str:
    return "ten labels" if c == TEN else frequency(c)


def _name(measure: str) -> str:
    return {**MEASURES, "auc": "AUC"}[measure]


def _shares(values: pd.Series) -> str:
    """Write how often each value occurs, the most frequent first."""
    counts = values.value_counts(normalize=True)
    return ", ".join(f"{value}: {100 * share:.0f} %" for value, share in counts.items())


def _beside(
    wide: pd.DataFrame, first: str, second: str, frequencies: tuple[float, ...]
) -> pd.DataFrame:
    """Write two means of every set and c as "first / second"."""
    means = wide[[first, second]].groupby(level=["dataset", "c"]).mean()
    return pd.DataFrame(
        [
            {"set": dataset}
            | {
                f"c = {frequency(c)}": " / ".join(number(one) for one in means.loc[(dataset, c)])
                if (dataset, c) in means.index
                else "–"
                for c in frequencies
            }
            for dataset in datasets_in(wide)
        ]
    )


def _over_frequencies(spam: pd.DataFrame, column: str) -> Estimate:
    """Mean over c, and its error over the repeats; NaN if a c is missing."""
    by_repeat = spam.pivot(index="repeat", columns="c", values=column)
    if by_repeat.shape[1] < len(published.SPAMBASE_FREQUENCIES):
        return Estimate(np.nan, np.nan, 0)
    return estimate(by_repeat.mean(axis=1, skipna=False))


def _spambase_table(spam: pd.DataFrame) -> pd.DataFrame:
    ours = [
        {"method": words, "told the prior": "no"}
        | {
            name: mean_and_error(_over_frequencies(spam, f"{who}_{one}"))
            for one, name in (("f1", "F1"), ("auc", "AUC"))
        }
        for who, words in (("ensemble", "PUEnsemble"), ("line", "PULogistic"))
    ]
    others = [
        {"method": words, "told the prior": "mostly", "F1": number(f1), "AUC": number(auc)}
        for words, f1, auc in published.SPAMBASE_NUMBERS
    ]
    return pd.DataFrame(ours + others)


def _spambase_by_frequency(spam: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"c": frequency(c), "repeats": len(own)}
            | {
                f"{words}, {name}": mean_and_error(estimate(own[f"{who}_{one}"]))
                for who, words in (("ensemble", "PUEnsemble"), ("line", "PULogistic"))
                for one, name in (("f1", "F1"), ("auc", "AUC"))
            }
            for c, own in spam.groupby("c")
        ]
    )


def _cancer_table(cancer: pd.DataFrame) -> pd.DataFrame:
    """Ours first: F1 / balanced accuracy, each with the rule for it."""
    means = cancer.drop(columns=["c", "repeat"]).groupby("dataset")
    mean, error = means.mean(), means.sem()

    def of(who: str, dataset: str) -> str:
        if dataset not in mean.index:
            return "–"
        columns = (f"{who}_{one}" for one in MEASURES)
        return " / ".join(
            with_error(mean.loc[dataset, one], error.loc[dataset, one]) for one in columns
        )

    ours = [
        {"method": words, "needs the prior": "no"}
        | {name: of(who, dataset) for dataset, name in published.CANCERS.items()}
        for who, words in (("ensemble", "PUEnsemble"), ("line", "PULogistic"))
    ]
    others = [
        {"method": words, "needs the prior": needs}
        | {
            name: " / ".join(number(one) for one in pair)
            for name, pair in zip(published.CANCERS.values(), (benign, malignant), strict=True)
        }
        for words, needs, benign, malignant in published.CANCER_NUMBERS
    ]
    return pd.DataFrame(ours + others)


SECTIONS: dict[str, Callable[[Path], Section]] = {
    "lead": lead_section,
    "truth": truth_section,
    "ten": ten_section,
    "prior": prior_section,
    "members": member_section,
    "choices": choice_section,
    "published": published_section,
    "cost": cost_section,
}
"""How each section of the page is made from the folder of the records."""
