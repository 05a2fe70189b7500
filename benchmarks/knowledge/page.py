"""From the records of answers to their page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.outcome import number, with_error

from ..pages import Share, mean_in_words
from ..targets import Section, Target, read_section, write_sections
from . import answers, cost
from .answers import WAYS
from .scores import SCORES, SIZES
from .tables import CASES, LABELINGS, MOST_ROWS, RARE_SHARE, TOLD

FAR, WORSE, ERRORS = -0.03, 0.005, 3.0
"""The lowest per cent of AUC differences; how far a cell may fall, and so many standard errors."""

LINEAR, BEHIND_LINE, BEYOND_LINE = 0.01, 0.01, 0.05
"""A line fits a set if it reaches the ensemble's AUC, labels at random, less this; how far
behind the line with answers to be at most there, and how far beyond it at least elsewhere."""

LOSS, GAIN, LEAST_F1, PRIOR_ERROR, COVERAGE = 0.003, 0.04, 0.78, 0.03, 0.90
"""With a hundred answers and `PUEnsemble`, as means over the sets."""

_BY = {
    "labels": "labels",
    "answers": "answers",
    "recut": "recut",
    "line": "line",
    "propensity": "true chances",
}

BY_COLUMN = ("middling", "strongest")
SAFE = ("random", "posterior")
MOST_SECONDS = 1.0
ROOM = 0.02
"""Tenths of r with fewer rows than this share are not judged."""


def answers_section(folder: Path) -> Section:
    """What answers add, by score, number of answers and labeling."""
    cells, section = read_section(answers.RECORDS, folder, "cells")
    if not section.done:
        return section
    cells = _with_differences(cells)
    drawn = cells[cells["labeling"] != TOLD]
    section.tables["scores"] = _by_score(drawn)
    principal = cells[cells["score"] == answers.PRINCIPAL]
    for size in SIZES:
        own = principal[principal["size"] == size]
        section.tables[f"labelings {size}"] = _by_labeling(own, _lines(own, "labeling", LABELINGS))
    section.tables["ways"] = _by_labeling(
        principal[principal["size"] == SIZES[1]],
        _lines(principal[principal["size"] == SIZES[1]], "way", WAYS),
    )
    hundred = principal[(principal["size"] == SIZES[1]) & (principal["labeling"] != TOLD)]
    section.tables["sets"] = _by_set(hundred)
    section.targets.extend(_never_worse(cells))
    section.targets.extend(_of_a_hundred(hundred))
    section.targets.extend(_beside_line(drawn, hundred))
    section.words["draws"] = _draws(cells)
    return section


def _with_differences(cells: pd.DataFrame) -> pd.DataFrame:
    """Add what answers add, and whether the intervals hold the truth."""
    cells = cells.assign(
        gain_auc=cells["answers_auc"] - cells["labels_auc"],
        gain_f1=cells["answers_f1"] - cells["labels_f1"],
    )
    for name in ("labels", "answers", "recut"):
        if f"{name}_prior" not in cells:
            continue
        lower, upper = cells[f"{name}_lower"], cells[f"{name}_upper"]
        truth = cells["truth"]
        held = ((lower <= truth) & (truth <= upper)).astype(float)
        cells[f"{name}_held"] = held.where(lower.notna())
        cells[f"{name}_length"] = upper - lower
        cells[f"{name}_error"] = (cells[f"{name}_prior"] - truth).abs()
    if "line_prior" in cells:
        cells["line_error"] = (cells["line_prior"] - cells["truth"]).abs()
    return cells


def _draws(cells: pd.DataFrame) -> str:
    """Say how often a table was drawn."""
    drawn = cells.groupby(["dataset", "labeling"])["repeat"].nunique()
    low, high = int(drawn.min()), int(drawn.max())
    return "once" if high == 1 else f"{high} times" if low == high else f"{low} to {high} times"


def of_sets(cells: pd.DataFrame, column: str) -> tuple[float, float]:
    """Mean over sets of a column, each set counted once, and its standard error.

    The error is that of the draws; the sets are fixed. It is NaN if a set has a single draw.
    """
    values = cells[["dataset", "repeat", column]].dropna()
    by_draw = values.groupby(["dataset", "repeat"])[column].mean().groupby(level="dataset")
    error = np.sqrt((by_draw.var() / by_draw.count()).sum(skipna=False)) / max(by_draw.ngroups, 1)
    return float(by_draw.mean().mean()), float(error)


def _shown(cells: pd.DataFrame, column: str) -> str:
    if column not in cells or not cells[column].notna().any():
        return ""
    mean, error = of_sets(cells, column)
    return with_error(mean, error) if np.isfinite(error) else number(mean)


def _lines(
    cells: pd.DataFrame, column: str, words: dict[str, str]
) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
    heading = {"labeling": "labels", "way": "checked rows", "case": "table"}[column]
    for name, said in words.items():
        own = cells[cells[column] == name]
        if len(own):
            yield {heading: said}, own


def _by_score(cells: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for score, words in SCORES.items():
        for size in SIZES:
            own = cells[(cells["score"] == score) & (cells["size"] == size)]
            if len(own):
                lines.append(
                    {
                        "score": words.strip("`"),
                        "answers": size,
                        "AUC, labels": _shown(own, "labels_auc"),
                        "added": _shown(own, "gain_auc"),
                        "F1, labels": _shown(own, "labels_f1"),
                        "F1 added": _shown(own, "gain_f1"),
                        "lowest 1 %": number(own["gain_auc"].quantile(0.01)),
                    }
                )
    return pd.DataFrame(lines)


def _by_labeling(
    cells: pd.DataFrame, lines: Iterator[tuple[dict[str, str], pd.DataFrame]]
) -> pd.DataFrame:
    found = []
    for line, own in lines:
        for name, words in _BY.items():
            if f"{name}_auc" not in own or not own[f"{name}_auc"].notna().any():
                continue
            found.append(
                line
                | {
                    "by": words,
                    "AUC": _shown(own, f"{name}_auc"),
                    "unlabeled AUC": _shown(own, f"{name}_hidden_auc"),
                    "F1": _shown(own, f"{name}_f1"),
                    "prior error": _shown(own, f"{name}_error"),
                    "holds": _coverage(own, f"{name}_held"),
                    "length": _shown(own, f"{name}_length"),
                }
            )
    return pd.DataFrame(found)


def _coverage(cells: pd.DataFrame, column: str) -> str:
    if column not in cells or not cells[column].notna().any():
        return ""
    held = cells[column].dropna()
    return Share(held.sum(), len(held)).in_words()


def _by_set(cells: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for dataset, own in cells.groupby("dataset"):
        at_random = own[own["labeling"] == "random"]
        lines.append(
            {
                "set": dataset,
                "AUC, labels": mean_in_words(own["labels_auc"]),
                "answers": mean_in_words(own["answers_auc"]),
                "line": mean_in_words(own["line_auc"]),
                "added at random": mean_in_words(at_random["gain_auc"]),
                "prior error": mean_in_words(own["answers_error"]),
                "holds": Share(own["answers_held"].sum(), len(own)).in_words(),
            }
        )
    return pd.DataFrame(lines)


def _never_worse(cells: pd.DataFrame) -> list[Target]:
    """Return the bars that hold for every score and every number of answers."""
    targets = []
    for score, words in SCORES.items():
        own = cells[cells["score"] == score]
        for size in SIZES:
            of_size = own[own["size"] == size]
            if len(of_size):
                mean, _ = of_sets(of_size, "gain_auc")
                name = f"{words.strip('`')}, {size} answers"
                targets.append(Target(f"AUC added, {name}", mean, low=0.0))
                lowest = float(of_size["gain_auc"].quantile(0.01))
                targets.append(Target(f"lowest per cent of AUC added, {name}", lowest, low=FAR))
    by_cell = cells.groupby(["dataset", "labeling", "score", "size"])["gain_auc"]
    mean, error = by_cell.mean(), by_cell.std() / np.sqrt(by_cell.count())
    below = mean + WORSE + ERRORS * error
    worse = below[below < 0]
    targets.append(
        Target(
            "cells whose AUC falls by more than .005 and 3 standard errors, of "
            f"{int(error.count())} with several draws",
            float(len(worse)),
            high=0.0,
            digits=0,
            missed=tuple(
                f"{dataset}, labels {LABELINGS[labeling]}, {SCORES[score].strip('`')}, "
                f"{size} answers: {with_error(mean[key], error[key])}"
                for key in worse.index
                for dataset, labeling, score, size in [key]
            ),
        )
    )
    return targets


def _of_a_hundred(cells: pd.DataFrame) -> list[Target]:
    """Return the bars of a hundred answers to `PUEnsemble`."""
    targets = []
    for labeling in dict.fromkeys(cells["labeling"]):
        own, words = cells[cells["labeling"] == labeling], f"labels {LABELINGS[labeling]}"
        low = GAIN if labeling in BY_COLUMN else -LOSS if labeling in SAFE else 0.0
        targets += [
            Target(f"100 answers, {words}: AUC added", of_sets(own, "gain_auc")[0], low=low),
            Target(f"100 answers, {words}: F1", of_sets(own, "answers_f1")[0], low=LEAST_F1),
            Target(
                f"100 answers, {words}: prior error",
                of_sets(own, "answers_error")[0],
                high=PRIOR_ERROR,
            ),
            Target(
                f"100 answers, {words}: the interval holds",
                of_sets(own, "answers_held")[0],
                low=COVERAGE,
            ),
        ]
    return targets


def _beside_line(drawn: pd.DataFrame, cells: pd.DataFrame) -> list[Target]:
    """Return the distance to the line with answers: on sets that a line fits, and on others."""
    at_random = drawn[drawn["labeling"] == "random"]
    by_labels = at_random.pivot_table(index="dataset", columns="score", values="labels_auc")
    if "line" not in by_labels or answers.PRINCIPAL not in by_labels:
        return []
    is_fit = by_labels["line"] >= by_labels[answers.PRINCIPAL] - LINEAR
    behind = (cells["line_auc"] - cells["answers_auc"]).groupby(cells["dataset"]).mean()
    linear, other = behind[is_fit.reindex(behind.index)], behind[~is_fit.reindex(behind.index)]
    return [
        Target(
            "100 answers, sets that a line fits: AUC behind the line with answers, largest",
            float(linear.max()),
            high=BEHIND_LINE,
            missed=tuple(f"{one}: {number(v)}" for one, v in linear.items() if v > BEHIND_LINE),
        ),
        Target(
            "100 answers, other sets: AUC beyond the line with answers, mean",
            -float(other.mean()),
            low=BEYOND_LINE,
        ),
    ]


def hard_section(folder: Path) -> Section:
    """Rare positives, few labels, answers at the top of the list alone, and wrong answers."""
    cells, section = read_section(answers.HARD, folder, "cells")
    if not section.done:
        return section
    cells = _with_differences(cells)
    lines = []
    kinds = [("case", one, CASES[one]) for one in CASES if one != "plain"]
    kinds += [("way", one, WAYS[one]) for one in ("top", "wrong")]
    for column, name, words in kinds:
        for size in SIZES[:2]:
            own = cells[(cells[column] == name) & (cells["size"] == size)]
            if not len(own):
                continue
            for of in ("labels", "answers", "line"):
                lines.append(
                    {
                        "what": words,
                        "answers": size,
                        "runs": len(own),
                        "by": _BY[of],
                        "AUC": _shown(own, f"{of}_auc"),
                        "F1": _shown(own, f"{of}_f1"),
                        "prior error": _shown(own, f"{of}_error"),
                        "holds": _coverage(own, f"{of}_held"),
                        "lowest 1 % of AUC added": number(own["gain_auc"].quantile(0.01))
                        if of == "answers"
                        else "",
                    }
                )
    section.tables["hard"] = pd.DataFrame(lines)
    return section


def calibration_section(folder: Path) -> Section:
    """The share of positives beside r, in tenths of r."""
    cells, section = read_section(answers.CALIBRATION, folder, "cells")
    if not section.done:
        return section
    cells = cells[cells["labeling"] != TOLD]
    lines = []
    for k in range(answers.TENTHS):
        line = {"r": f"{number(k / 10, 1)} to {number((k + 1) / 10, 1)}"}
        for labeling, words in LABELINGS.items():
            own = cells[cells["labeling"] == labeling]
            if len(own):
                line[words] = _true_beside_said(own, k)
        lines.append(line)
    section.tables["calibration"] = pd.DataFrame(lines)
    return section


def _true_beside_said(cells: pd.DataFrame, k: int) -> str:
    """Return said and true share in one tenth of r, if it has enough rows."""
    count, total = cells[f"n_{k}"].sum(), sum(cells[f"n_{j}"].sum() for j in range(answers.TENTHS))
    if count < ROOM / 10 * total:
        return "–"
    said, true = cells[f"said_{k}"].sum() / count, cells[f"true_{k}"].sum() / count
    return f"{number(said, 2)}: {number(true, 2)}"


def cost_section(folder: Path) -> Section:
    """CPU seconds beyond the fit to labels."""
    cells, section = read_section(cost.RECORDS, folder, "cells")
    if not section.done:
        return section
    section.tables["cost"] = pd.DataFrame(
        [
            {"rows": int(n), "answers": int(size), "seconds": number(own["seconds"].median(), 2)}
            for (n, size), own in cells.groupby(["rows", "size"])
        ]
    )
    section.words["repeats"] = str(cost.REPEATS)
    own = cells[(cells["rows"] == MOST_ROWS) & (cells["size"] == SIZES[1])]
    section.targets.append(
        Target(
            f"CPU seconds, {MOST_ROWS} rows of adult, 100 answers",
            float(own["seconds"].median()) if len(own) else np.nan,
            high=MOST_SECONDS,
            digits=2,
        )
    )
    return section


SECTIONS = {
    "answers": answers_section,
    "hard": hard_section,
    "calibration": calibration_section,
    "cost": cost_section,
}


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        sizes=SIZES,
        max_rows=MOST_ROWS,
        rare=f"{RARE_SHARE:.0%}".replace("%", " %"),
        far=number(-FAR, 2),
    )
