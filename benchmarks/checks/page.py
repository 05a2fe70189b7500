"""From records to rates, and to the page about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reproduction.outcome import number
from unlabeled.diagnostics import STATES

from ..audit.cells import LABEL_FREQUENCY, MECHANISMS
from ..pages import PAGE, Share, frequency, mean_in_words, render, rst_of, wrapped
from . import few_labeled, followed, inverted, wrong_labels
from .measure import FREQUENCIES, MEASURED, RECORDS

NUMBERS = "rates.csv"
NOTE, WARNING = STATES.index("note"), STATES.index("warning")
_NOT_APPLICABLE = STATES.index("not applicable")
FALSE_ALARMS = ("leakage", "label quality", "class prior", "inverted")


def write_page(folder: Path) -> None:
    """Write the page and its rates from the records in a folder."""
    rates = rates_of(RECORDS.read(folder))
    rates.to_csv(folder / NUMBERS, index=False, float_format="%.6g")
    text = render(
        Path(__file__).parent,
        draws=sorted({int(n) for n in rates["draws"]}),
        tables=[
            (frequency(c), *(rst_of(rate_table(rates, c, level)) for level in ("warning", "note")))
            for c in FREQUENCIES
        ],
        headlines=wrapped(headlines(rates)),
        inverted=inverted_words(inverted.RECORDS.read(folder)),
        few=few_labeled_table(few_labeled.RECORDS.read(folder)),
        few_rows=few_labeled.ROWS,
        wrong=wrong_labels_words(wrong_labels.RECORDS.read(folder)),
        followed=followed_words(followed.RECORDS.read(folder)),
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


def inverted_words(draws: pd.DataFrame) -> dict[str, object]:
    """Return how often the check asks about right labels and about inverted ones, in words."""
    if not len(draws):
        return {}
    n = len(draws)
    return {
        "draws": n,
        "asked": int(draws["asked"].sum()),
        "asked_inverted": int(draws["asked_inverted"].sum()),
        "rows": inverted.ROWS,
        "share": number(draws["labeled_share"].max(), 2),
    }


LEVEL = 0.05
_SCORES = {"line": "line", "ensemble": "ensemble"}


def followed_words(draws: pd.DataFrame) -> dict[str, object]:
    """Return how often the search speaks, and what its name is worth, as a table and in words."""
    if not len(draws):
        return {}
    draws = draws.assign(speaks=draws["p_value"] <= LEVEL, warns=draws["scar"] == WARNING)
    at_random = draws[draws["labeling"].isin(followed.AT_RANDOM)]
    lines = []
    for labeling in followed.LABELINGS:
        of = draws[draws["labeling"] == labeling]
        line = {"labels": _labels_in_words(labeling)}
        for score in _SCORES:
            own = of[of["score"] == score].dropna(subset="p_value")
            line |= {f"speaks, {score}": Share(own["speaks"].sum(), len(own)).in_words()}
            right = own[own["speaks"]]["right"].dropna()
            line |= {f"right, {score}": f"{right.sum():.0f} of {len(right)}" if len(right) else "–"}
        lines.append(line)
    return {
        "rows": followed.MOST_ROWS,
        "table": rst_of(pd.DataFrame(lines)),
        "level": {
            score: Share(own["speaks"].sum(), len(own)).in_words()
            for score, own in at_random.dropna(subset="p_value").groupby("score")
        },
        "draws": {score: len(own) for score, own in at_random.groupby("score")},
        "scar": _scar_words(at_random),
        "named": rst_of(_named_table(draws)),
        "seconds": number(draws["seconds"].median(), 2),
    }


def _labels_in_words(labeling: str) -> str:
    mechanism, _, frequency = labeling.partition(" ")
    return f"{MECHANISMS[mechanism]}, c = {frequency or LABEL_FREQUENCY}"


def _scar_words(at_random: pd.DataFrame) -> dict[str, str]:
    """Return how often PU201 rejects, and warns, for a line and labels at random."""
    applied = at_random[at_random["scar"] != _NOT_APPLICABLE]
    return {
        "rejects": Share((applied["scar"] >= NOTE).sum(), len(applied)).in_words(),
        "warns": Share((applied["scar"] >= WARNING).sum(), len(applied)).in_words(),
    }


def _named_table(draws: pd.DataFrame) -> pd.DataFrame:
    """Return class priors with and without the right name, where the search gave it."""
    right = draws[draws["speaks"] & (draws["right"] == 1)]
    lines = []
    for score, own in right.groupby("score"):
        holds = own["truth"].between(own["named_lower"], own["named_upper"])
        lines.append(
            {
                "score": score,
                "draws": str(len(own)),
                "error without the name": mean_in_words(
                    (own["unnamed_prior"] - own["truth"]).abs()
                ),
                "error with it": mean_in_words((own["named_prior"] - own["truth"]).abs()),
                "interval with it holds": Share(holds.sum(), len(own)).in_words(),
            }
        )
    return pd.DataFrame(lines)


def few_labeled_table(draws: pd.DataFrame) -> str:
    """Return what the interval of the class prior is worth, by the number of labeled rows."""
    if not len(draws):
        return ""
    lines = []
    for labeled, of_number in draws.groupby("labeled"):
        line = {"labeled rows": str(labeled)}
        for apart, of in of_number.groupby("apart"):
            place = f"{number(apart, 1)} apart"
            line |= {
                f"holds, {place}": Share(of["holds"].sum(), len(of)).in_words(),
                f"length, {place}": mean_in_words(of["length"]),
                f"recall, {place}": mean_in_words(of["recall"]),
                f"its middle 80 %, {place}": " to ".join(
                    number(end, 2) for end in of["recall"].quantile([0.1, 0.9])
                ),
            }
        lines.append(line)
    return rst_of(pd.DataFrame(lines))


def wrong_labels_words(draws: pd.DataFrame) -> dict[str, object]:
    """Return how much of the list of doubtful labels is wrong: by kind of labels, and by table."""
    if not len(draws):
        return {}
    told = draws[draws["state"] >= NOTE]
    told = told.assign(rate=told["wrong_listed"] / told["listed"])
    some = told[told["wrong"] != "none"]
    low, high = some["rate"].quantile([0.1, 0.9])
    return {
        "rows": wrong_labels.ROWS,
        "frequencies": " or ".join(frequency(c) for c in wrong_labels.FREQUENCIES),
        "draws": len(draws),
        "of": len(wrong_labels.RECORDS.plan()),
        "told": len(some),
        "mean": f"{100 * some['rate'].mean():.0f}",
        "error": f"{100 * some['rate'].std() / np.sqrt(len(some)):.1f}",
        "low": f"{100 * low:.0f}",
        "high": f"{100 * high:.0f}",
        "correlation": number(float(np.corrcoef(some["rate"], some["said"])[0, 1]), 2),
        "kinds": rst_of(pd.DataFrame([*map(_of_kind, *_by_kind(draws, told))])),
        "tables": rst_of(_by_table(told)),
    }


def _by_kind(draws: pd.DataFrame, told: pd.DataFrame) -> tuple[list[pd.DataFrame], ...]:
    kinds = [kind for kind in wrong_labels.WRONG if (draws["wrong"] == kind).any()]
    return tuple([one[one["wrong"] == kind] for kind in kinds] for one in (draws, told))


def _of_kind(draws: pd.DataFrame, told: pd.DataFrame) -> dict[str, str]:
    applied = draws[draws["state"] != _NOT_APPLICABLE]
    ends = told["rate"].quantile([0.1, 0.9]) if len(told) else []
    return {
        "labels": wrong_labels.WRONG[draws["wrong"].iloc[0]][1],
        "tables": str(len(applied)),
        "note": Share((applied["state"] == NOTE).sum(), len(applied)).in_words(),
        "warning": Share((applied["state"] == WARNING).sum(), len(applied)).in_words(),
        "listed": f"{told['listed'].mean():.0f}" if len(told) else "–",
        "wrong of these": mean_in_words(told["rate"]) if len(told) else "–",
        "middle 80 %": " to ".join(number(end, 2) for end in ends) or "–",
        "estimated": mean_in_words(told["said"]) if len(told) else "–",
    }


def _by_table(told: pd.DataFrame) -> pd.DataFrame:
    """Return the mean share of wrong labels in the list, one row per table."""
    lines = []
    for table, of in told.groupby("table", sort=False):
        line = {"table": table}
        for kind in wrong_labels.WRONG:
            own = of.loc[of["wrong"] == kind, "rate"]
            line[kind] = f"{number(own.mean(), 2)} of {len(own)}" if len(own) else "–"
        lines.append(line)
    return pd.DataFrame(lines)


def rates_of(draws: pd.DataFrame) -> pd.DataFrame:
    """Return how often each check fired when it applied, one row per set, frequency and check."""
    cells = draws.sort_values(["dataset", "c"], ascending=[True, False], kind="stable")
    lines = []
    for (dataset, c), own in cells.groupby(["dataset", "c"], sort=False):
        for check in (name for name in MEASURED if name in own):
            applied = own.loc[own[check] != _NOT_APPLICABLE, check]
            line = {"dataset": dataset, "c": c, "check": check}
            line |= {"draws": len(own), "applied": len(applied)}
            line |= {"note": (applied >= NOTE).mean(), "warning": (applied >= WARNING).mean()}
            lines.append(line)
    rates = pd.DataFrame(lines)
    for name in ("note", "warning"):
        rates[f"{name}_error"] = np.sqrt(rates[name] * (1 - rates[name]) / rates["applied"])
    return rates


def rate_table(rates: pd.DataFrame, c: float, level: str) -> pd.DataFrame:
    """Return rates at one label frequency, in percent of the draws it applied to, by set."""
    own = rates[rates["c"] == c]
    rows = []
    for dataset in own["dataset"].unique():
        of_set = own[own["dataset"] == dataset].set_index("check")
        cells = {check: _cell(of_set.loc[check], level) for check in MEASURED}
        rows.append({"Set": dataset, **cells})
    return pd.DataFrame(rows)


def _cell(line: pd.Series, level: str) -> str:
    if line["applied"] == 0:
        return "–"
    rate, error = 100 * line[level], 100 * line[f"{level}_error"]
    text = f"{rate:.0f} ({error:.0f})" if error else f"{rate:.0f}"
    return text if line["applied"] == line["draws"] else f"{text} of {line['applied']:.0f}"


def headlines(rates: pd.DataFrame) -> str:
    """Return how often the checks give false alarms, and where."""
    sentences = []
    for check in FALSE_ALARMS:
        own = rates[(rates["check"] == check) & (rates["applied"] > 0)]
        applied = own["applied"].sum()
        if not own["note"].any():
            sentences.append(f"``{check}`` has no note and no warning on any of {applied} draws.")
            continue
        sentences.append(f"``{check}`` applied to {applied} draws.")
        for level, verb in (("warning", "warned"), ("note", "had a note or warned")):
            mean = 100 * np.average(own[level], weights=own["applied"])
            sentences.append(
                f"It {verb} on {mean:.1f}\u00a0% of them, and on more than 5\u00a0% "
                f"{_places(own[own[level] > 0.05], level)}."
            )
    return " ".join(sentences)


def _places(fired: pd.DataFrame, level: str) -> str:
    """List the sets where a check fires often, the worst first."""
    if len(fired) == 0:
        return "nowhere"
    ordered = fired.sort_values(level, ascending=False, kind="stable").to_dict("records")
    return "of those of " + ", ".join(
        f"{one['dataset']} at c = {one['c']:g} ({100 * one[level]:.0f}\u00a0%{_of_few(one)})"
        for one in ordered
    )


def _of_few(line: dict[str, Any]) -> str:
    return "" if line["applied"] == line["draws"] else f" of {line['applied']}"
