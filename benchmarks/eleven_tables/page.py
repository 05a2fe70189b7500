"""From the records of the eleven tables to their page."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd

from reproduction.outcome import number

from ..pages import holds, mean_in_words
from ..targets import Section, Target, read_section, write_sections
from . import doubtful, nine_sets, study
from .study import TOP
from .tables import AT_RANDOM, TABLES

HOLDS, FEWEST = 0.93, 0.75
"""How often intervals should hold: over all tables with labels at random, and on each."""

CLAIM = 0.1
"""How far the mean chance of the first rows may lie from the truth, over all sets."""


def tables_section(folder: Path) -> Section:
    """Count and precision of the eleven tables."""
    found, section = _read(folder, study)
    if not section.done:
        return section
    held = {name: _held(found, name) for name in ("count", "precision")}
    lines = []
    for table in TABLES:
        of = found[found["table"] == table]
        if len(of):
            lines.append({"table": table, "what": TABLES[table].words, **_line(of)})
    section.tables["tables"] = pd.DataFrame(lines)
    for name, all_held in held.items():
        random = all_held[all_held["table"].isin(AT_RANDOM)].dropna()
        each = random.groupby("table")["held"].mean()
        section.targets.extend(
            [
                Target(
                    f"share of intervals of the {name} that hold, labels at random",
                    float(random["held"].mean()),
                    low=HOLDS,
                    allowed=2 * float(np.sqrt(0.95 * 0.05 / len(random))),
                ),
                Target(
                    f"the same on the worst of these tables, {name}",
                    float(each.min()),
                    low=FEWEST,
                    missed=tuple(
                        f"{table}, {name}: {number(value, 2)}"
                        for table, value in each.items()
                        if value < FEWEST
                    ),
                ),
            ]
        )
    return section


def top_section(folder: Path) -> Section:
    """The chances of the first hundred unlabeled rows of the nine sets."""
    found, section = _read(folder, nine_sets)
    if not section.done:
        return section
    lines = []
    for dataset, of in found.groupby("dataset"):
        lines.append(
            {
                "set": dataset,
                "draws": len(of),
                "labeled": f"{of['labeled'].mean():.0f}",
                "chance, mean": number(of["top"].mean(), 2),
                "positive": number(of["true_top"].mean(), 2),
                "chance minus truth": mean_in_words(of["top"] - of["true_top"], 2),
                "range holds": number(_inside(of, "top").mean(), 2),
                "count holds": number(_inside(of, "count").mean(), 2),
                "precision holds": number(_inside(of, "precision").mean(), 2),
            }
        )
    section.tables["top"] = pd.DataFrame(lines)
    off = (found["top"] - found["true_top"]).groupby(found["dataset"]).mean()
    ends = {"mean": off.mean(), "least": off.min(), "most": off.max()}
    section.words.update({name: number(value, 3, signed=True) for name, value in ends.items()})
    section.targets.extend(
        [
            Target(
                f"mean chance of the first {TOP} rows minus the share that is positive",
                float(off.mean()),
                -CLAIM,
                CLAIM,
            ),
            Target(
                f"share of ranges of the chance that hold the share of the first {TOP}",
                float(_inside(found, "top").mean()),
                low=HOLDS,
                allowed=2 * float(np.sqrt(0.95 * 0.05 / len(found))),
            ),
        ]
    )
    return section


def doubtful_section(folder: Path) -> Section:
    """What a fit and an audit say of tables in which something is wrong."""
    found, section = _read(folder, doubtful)
    if not section.done:
        return section
    of_fit, of_audit = [], []
    for table, kind in doubtful.TABLES.items():
        of = found[found["table"] == table]
        if not len(of):
            continue
        told = of[of["voided"] == 0]
        of_fit.append(
            {
                "table": table,
                "what": kind.words,
                "draws": str(len(of)),
                "no number": _times(of["voided"]),
                "asked": _times(of["asked"]),
                "count holds": _times(_inside(told, "count")),
                "precision holds": _times(_inside(told, "precision")),
                "recall minus truth": mean_in_words(told["recall"] - told["true_recall"], 2)
                if len(told)
                else "–",
                "listed labels, wrong": f"{of['listed'].sum():.0f}, {of['wrong_listed'].sum():.0f}",
            }
        )
        truths = of.assign(true_audit_count=of["true_count"], true_audit_recall=of["true_recall"])
        at_end = of[of["at_end"] > 0]
        of_audit.append(
            {
                "table": table,
                "count holds": _times(_inside(truths, "audit_count")),
                "recall holds": _times(_inside(truths, "audit_recall")),
                "wrong labels hold": _times(_inside(truths, "wrong")),
                "an estimate at an end": _times(of["at_end"] > 0),
                "explained": _times(at_end["explained"] > 0),
                "the date is shown": _times(of["leak_shown"]),
                "cut stays": _times(of["kept"]),
                "recall before, after": f"{number(of['true_recall'].mean(), 2)}, "
                f"{number(of['audited_recall'].mean(), 2)}",
            }
        )
    section.tables["fit"] = pd.DataFrame(of_fit)
    section.tables["audit"] = pd.DataFrame(of_audit)
    return section


def _times(happened: pd.Series) -> str:
    """Write how many times something happened, of how many."""
    known = happened.dropna()
    return f"{known.sum():.0f} of {len(known)}" if len(known) else "–"


def _read(folder: Path, of: ModuleType) -> tuple[pd.DataFrame, Section]:
    return read_section(of.RECORDS, folder, "fits")


def _inside(cells: pd.DataFrame, name: str) -> pd.Series:
    """Whether each interval holds the truth, to five digits; NaN if there is none."""
    lower, upper, truth = (cells[one] for one in (f"{name}_lower", f"{name}_upper", f"true_{name}"))
    return holds(lower - 1e-5, upper + 1e-5, truth).where(truth.notna())


def _held(cells: pd.DataFrame, name: str) -> pd.DataFrame:
    return pd.DataFrame({"table": cells["table"], "held": _inside(cells, name)})


def _line(of: pd.DataFrame) -> dict[str, str]:
    def share(name: str) -> str:
        held = _inside(of, name)
        return "no interval" if held.isna().all() else number(held.mean(), 2)

    length = (of["count_upper"] - of["count_lower"]) / of["true_count"]
    return {
        "draws": str(len(of)),
        "labeled": f"{of['labeled'].mean():.0f}",
        "positives": f"{of['true_count'].mean():.0f}",
        "count": f"{of['count'].mean():.0f}",
        "count holds": share("count"),
        "length / truth": "–" if length.isna().all() else number(length.median(), 2),
        "precision, true": f"{number(of['precision'].mean(), 2)}, "
        f"{number(of['true_precision'].mean(), 2)}",
        "precision holds": share("precision"),
        "doubted": number(of["doubted"].mean(), 2),
    }


SECTIONS = {"tables": tables_section, "doubtful": doubtful_section, "top": top_section}


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        frequency=number(nine_sets.FREQUENCY, 1),
        max_rows=nine_sets.MOST_ROWS,
        top=TOP,
        checked=doubtful.CHECKED,
        labeled=doubtful.LABELED,
    )
