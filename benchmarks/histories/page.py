"""From the records of label histories to their page."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from unlabeled.engine.files import write_whole

from ..pages import PAGE, rst_of, wrapped
from .designs import COLUMNS, DESIGNS, N_ROWS
from .study import FOREST, LABELS, LINE, PROPENSITY, RECORDS, SETS, keys, keys_of_sets

KINDS = {
    "dates": "Dates: ``LabelDates()``",
    "sources": "Sources: ``LabelSources([...])``",
    "chances": "Known chances: ``KnownChances()``",
}
BARS = {
    "dates": ("error", 0.07, 0.89),
    "sources": ("error", 0.15, 0.91),
    "chances": ("share", 0.04, 0.87),
}
"""What the line should reach where the assumptions hold: a largest error, and a coverage."""
_METHODS = {LINE: "a line", FOREST: "a forest", LABELS: "labels alone", PROPENSITY: "propensity"}
_MEASURES = ("error", "share", "holds", "length", "bias", "auc", "of_all", "PU126")


def summary(cells: pd.DataFrame, by: tuple[str, ...] = ("design", "method")) -> pd.DataFrame:
    """Return means and their standard errors, for each design and method."""
    counted = cells["counted"]
    away = cells["estimate"] - counted
    measured = cells.assign(
        error=away.abs() / counted,
        share=away.abs(),
        bias=away / counted,
        holds=((cells["lower"] <= counted) & (counted <= cells["upper"])).astype(float),
        length=(cells["upper"] - cells["lower"]) / counted,
        of_all=(cells["estimate"] - cells["positive"]) / cells["positive"],
    )
    grouped = measured.groupby(list(by), sort=False)[list(_MEASURES)]
    found = grouped.mean().join(grouped.sem().add_suffix("_error")).assign(tables=grouped.size())
    return found.reset_index()


def over_designs(found: pd.DataFrame, kind: str, method: str) -> pd.DataFrame:
    """Return the rows of a method on the designs of a kind whose assumptions hold."""
    right = [name for name, one in DESIGNS.items() if one.kind == kind and one.holds]
    return found[found["design"].isin(right) & (found["method"] == method)]


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    cells = RECORDS.read(folder)
    found = summary(cells)
    sections = [_TITLE, _in_words(found), *(_section(found, kind) for kind in KINDS)]
    of_sets = SETS.read(folder)
    if len(of_sets):
        sections.append(_section_of_sets(of_sets))
    n_cells, n_wanted = len(cells) + len(of_sets), len(keys()) + len(keys_of_sets())
    if n_cells < n_wanted:
        sections.append(
            f"The records are incomplete: {n_cells} of {n_wanted} fits. Each row above says how "
            "many tables it is from."
        )
    text = "\n\n".join(section.strip("\n") for section in sections if section) + "\n"
    write_whole(folder / PAGE, lambda file: file.write_text(text, encoding="utf-8"))


_TITLE = f"""
.. This page is made by `make study NAME=histories`; edit benchmarks/histories.

Label histories, measured
=========================

{
    wrapped(
        f"Tables have {N_ROWS} rows and the columns {', '.join(COLUMNS)}; a line separates the "
        "classes, as far as anything does, and about a third of the rows is positive. Labels come "
        "about in different ways, and the fit is told how (:doc:`/choose/label_history`). It goes "
        "along the score of a logistic regression, or of a forest of 100 extremely randomized "
        "trees, by five folds. Beside it: ``PULogistic``, which takes labels as random, and "
        "``PropensityLogistic``, which is told the column that labels follow, or the logarithm of "
        "the exposure. A program made the page from records; no number was typed."
    )
}

{
    wrapped(
        "``error``: how far the count is off, as a share of the truth, on average; ``bias``: the "
        "same with its sign. ``holds``: how often the 95 % interval holds. ``length``: its mean "
        "length, as a share of the truth. ``AUC``: how held-out scores rank the classes. Numbers "
        "behind ± are standard errors. The truth is what the history counts: with dates the rows "
        "that would be labeled within the horizon. Labels alone and the propensity aim at all "
        "positives; ``of all`` is their bias beside these. ``PU126``: how often it warns that rows "
        "of different exposure differ."
    )
}
"""


def _section(found: pd.DataFrame, kind: str) -> str:
    lines = []
    for design, one in DESIGNS.items():
        part = found[found["design"] == design] if one.kind == kind else found.iloc[:0]
        for method in _METHODS:
            for row in part[part["method"] == method].to_dict("records"):
                lines.append(
                    {
                        "labels": design if one.holds else f"{design} (assumption wrong)",
                        "along": _METHODS[method],
                        "tables": row["tables"],
                        "error": with_error(row, "error"),
                        "bias": f"{row['bias']:+.3f}".replace("0.", ".", 1),
                        "holds": with_error(row, "holds"),
                        "length": plain(row["length"]),
                        "of all": ""
                        if method in (LINE, FOREST)
                        else f"{row['of_all']:+.3f}".replace("0.", ".", 1),
                        "AUC": plain(row["auc"]),
                    }
                    | ({"PU126": plain(row["PU126"])} if kind == "dates" else {})
                )
    if not lines:
        return ""
    heading = KINDS[kind]
    about = "\n".join(
        f"- *{design}.* {one.about}" for design, one in DESIGNS.items() if one.kind == kind
    )
    return "\n".join([heading, "-" * len(heading), "", about, "", rst_of(pd.DataFrame(lines))])


def _section_of_sets(cells: pd.DataFrame) -> str:
    """Return what a history counts on real rows, by kind and set."""
    there = cells[cells["refused"] == 0]
    kind = there["design"].map({name: one.kind for name, one in DESIGNS.items()})
    there = there.assign(kind=kind)
    lines = []
    for of in ("kind", "dataset"):
        by = ("kind", "method") if of == "kind" else ("kind", "dataset", "method")
        for row in summary(there, by).sort_values(list(by)).to_dict("records"):
            if of == "dataset" and row["method"] != LINE:
                continue
            lines.append(
                {
                    "history": row["kind"],
                    "set": row.get("dataset", "all"),
                    "along": _METHODS[row["method"]],
                    "tables": row["tables"],
                    "error": with_error(row, "error"),
                    "error of share": plain(row["share"]),
                    "holds": with_error(row, "holds"),
                    "length": plain(row["length"]),
                }
            )
    heading, n_refused = "The nine sets", int((cells["refused"] == 1).sum())
    about = (
        f"At most {N_ROWS} rows of each of the paper's nine sets, with labels that come about by "
        "the designs whose assumptions hold. Labels follow the column that goes most with the "
        "class, and a middling one. The posterior of these rows is no line. A fit refused "
        f"{n_refused} of {len(cells)} tables, in which two sources share fewer than five rows."
    )
    table = rst_of(pd.DataFrame(lines))
    return "\n".join([heading, "-" * len(heading), "", wrapped(about), "", table])


def _in_words(found: pd.DataFrame) -> str:
    """Say whether the line reaches its bars, and what labels alone reach."""
    sentences = []
    for kind, (measure, most, least) in BARS.items():
        line, alone = (over_designs(found, kind, method) for method in (LINE, LABELS))
        if not len(line) or not len(alone):
            return ""
        of_line, of_alone = line[[measure, "holds"]].mean(), alone[[measure, "holds"]].mean()
        error = (line["holds_error"] ** 2).sum() ** 0.5 / len(line)
        what = "count" if measure == "error" else "share of positives"
        reached = of_line[measure] <= most and of_line["holds"] >= least
        sentences.append(
            f"{kind.capitalize()}: over the {len(line)} designs in which the assumptions hold, the "
            f"{what} along a line is off by {plain(of_line[measure])}, and its interval holds in "
            f"{plain(of_line['holds'])} ± {plain(error)} (wanted: at most {plain(most)}, and at "
            f"least {plain(least)}: {'reached' if reached else 'not reached'}). Labels alone are "
            f"off by {plain(of_alone[measure])}, and their interval holds in "
            f"{plain(of_alone['holds'])}."
        )
    return "\n".join(f"- {wrapped(one, 2)}" for one in sentences)


def with_error(row: dict[str, float], name: str) -> str:
    """Write a mean with its standard error."""
    return f"{plain(row[name])} ± {plain(row[f'{name}_error'])}"


def plain(value: float) -> str:
    """Write a number with three digits."""
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"
