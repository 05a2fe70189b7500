"""Copied rows: intervals of the share of positives, and how often the code says it."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled.codes import PUWarning
from unlabeled.engine.files import write_whole
from unlabeled.engine.rows import LabelEncoding, Rows

from .groups import CLASS_PRIOR, FEATURES, FREQUENCY, classifier, draw
from .pages import PAGE, Share, holds, rst_of, wrapped
from .study import Key, Records, repeated

CODE = "PU129"
METHODS = ("PULogistic", "forest", "PUEnsemble")
PERCENT = (0, 25, 50, 100)
"""How many percent of the distinct rows are in the table a second time."""

ROWS, TABLES = 500, 400
BAR = 0.92

KINDS = ("normal", "rounded", "mixed", "counts", "one-hot", "few levels", "square", "heavy tail")
"""Kinds of tables on which the code is judged alone; the last five are whole numbers."""

SIZES, BATCHES, TABLES_OF_A_BATCH = (500, 2000), 20, 50
_SETTLED = 100


def copy_some(n_rows: int, percent: int, rng: np.random.Generator) -> np.ndarray:
    """Return row numbers: every row once, and some of them, drawn at random, a second time."""
    return np.append(np.arange(n_rows), rng.permutation(n_rows)[: n_rows * percent // 100])


def measure(method: str, percent: int, says: int, repeat: int) -> dict[str, float]:
    """Fit to a table with copies, with or without the word for them."""
    rng = np.random.default_rng(seed_of("copies", repeat))
    X, y, s, _ = draw("alike", ROWS, 1, rng)
    found = copy_some(ROWS, percent, rng)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = classifier(method, repeat).fit(
            X[found], s[found], groups="copies" if says else None
        )
    interval = model.class_prior_interval()
    codes = [one.message.code for one in caught if isinstance(one.message, PUWarning)]
    return {
        "truth": float(y.mean()),
        "truth_of_rows": float(y[found].mean()),
        "estimate": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "warned": float(CODE in codes),
    }


def table(kind: str, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a table of one kind without copies."""
    numbers = rng.normal(size=(n_rows, 5))
    counts = rng.poisson(3, size=(n_rows, 5))
    if kind == "normal":
        return numbers
    if kind == "rounded":
        return numbers.round(1)
    if kind == "mixed":
        return np.column_stack([numbers[:, 0], counts[:, 1:]])
    if kind == "counts":
        return counts.astype(float)
    if kind == "one-hot":
        return np.hstack([np.eye(4)[rng.choice(4, n_rows, p=(0.4, 0.3, 0.2, 0.1))] for _ in "abcd"])
    if kind == "few levels":  # alike, as grades of one patient
        common = rng.normal(size=(n_rows, 1))
        return np.clip(np.floor(2 * common + numbers), -2, 4)
    one = np.floor(np.exp(2 * numbers[:, 0])) if kind == "heavy tail" else counts[:, 0] + 10.0
    return np.column_stack([one, one**2, np.log1p(one)])


def judge(kind: str, n_rows: int, percent: int, repeat: int) -> dict[str, float]:
    """Say of which share of a batch of tables the code would warn."""
    first = repeat * TABLES_OF_A_BATCH
    tables = range(first, first + TABLES_OF_A_BATCH)
    found = pd.DataFrame([judge_one(kind, n_rows, percent, one) for one in tables])
    return {name: float(mean) for name, mean in found.mean().items()}


def judge_one(kind: str, n_rows: int, percent: int, repeat: int) -> dict[str, float]:
    """Say whether the code would warn of a table with random labels."""
    rng = np.random.default_rng(seed_of("copies judged", kind, n_rows, repeat))
    X = table(kind, n_rows, rng)
    s = (rng.uniform(size=n_rows) < CLASS_PRIOR * FREQUENCY).astype(float)
    found = copy_some(n_rows, percent, rng)
    rows = Rows(X[found], s[found], None, LabelEncoding(np.array([0, 1])))
    number = rows.distinct_row
    distinct = len(found) if number is None else len(np.unique(number))
    return {"distinct": distinct / len(found), "warned": float(rows.copies is not None)}


def keys() -> list[Key]:
    """Return the fits of the study, those of the quicker methods first."""
    cells = list(product(PERCENT, (1, 0)))
    return [(method, *key) for method in METHODS for key in repeated(cells, TABLES)]


def judged_keys() -> list[Key]:
    """Return the batches of tables that are only judged."""
    return repeated(list(product(KINDS, SIZES, PERCENT)), BATCHES)


RECORDS = Records("fits.csv", ("method", "percent", "says", "repeat"), measure, keys)
CODE_ALONE = Records("code.csv", ("kind", "rows", "percent", "repeat"), judge, judged_keys)


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Return coverage, length and how often the code warned, of each method and share of copies."""
    cells = cells.assign(
        holds=holds(cells["lower"], cells["upper"], cells["truth"]),
        holds_of_rows=holds(cells["lower"], cells["upper"], cells["truth_of_rows"]),
        length=cells["upper"] - cells["lower"],
        error=(cells["estimate"] - cells["truth"]).abs(),
    )
    by = cells.groupby(list(RECORDS.names[:3]), sort=False)
    means = by[["holds", "holds_of_rows", "length", "error", "warned"]].mean()
    found = means.assign(tables=by.size()).reset_index()
    return found.sort_values("method", key=lambda one: one.map(METHODS.index), kind="stable")


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    fits, judged = RECORDS.read(folder), CODE_ALONE.read(folder)
    sections = [_TITLE]
    if len(fits):
        found = summary(fits)
        sections += [_in_words(found), _of_fits(found)]
    if len(judged):
        sections.append(_of_code(judged))
    missing = len(keys()) + len(judged_keys()) - len(fits) - len(judged)
    if missing:
        sections.append(f"The records are incomplete: {missing} cells are missing.")
    text = "\n\n".join(section.strip("\n") for section in sections) + "\n"
    write_whole(folder / PAGE, lambda file: file.write_text(text, encoding="utf-8"))


_TITLE = f"""
.. This page is made by `make study NAME=copies`; edit benchmarks/copies.py.

Copied rows, measured
=====================

{
    wrapped(
        f"A table has {ROWS} rows that differ, of {FEATURES} normal features. The share of "
        f"positives is {CLASS_PRIOR:g}, and {FREQUENCY:g} of them are labeled. Some rows, drawn at "
        "random, are in the table a second time, with their labels. The forest is a "
        "``PUThresholdClassifier`` over 50 extremely randomized trees, with five folds. "
        "A program made the page from records; no number was typed."
    )
}
"""


def _share(mean: float, of: int) -> str:
    return Share(mean * of, of).in_words()


def _in_words(found: pd.DataFrame) -> str:
    """Say whether coverage and code are what they should be."""
    found = found[found["tables"] >= min(_SETTLED, found["tables"].max())]
    said, unsaid = (found[(found["says"] == one) & (found["percent"] > 0)] for one in (1, 0))
    below = [
        f"{row.method} at {row.percent} %"
        for row in found[found["says"] == 1].itertuples()
        if Share(row.holds * row.tables, row.tables).is_below(BAR)
    ]
    clean = found[(found["percent"] == 0) | (found["says"] == 1)]
    verdict = f"below {BAR:g} by more than two standard errors: {', '.join(below) or 'none'}"
    return wrapped(
        "Over the methods with the most tables: where the user says "
        '``groups="copies"``, the 95 % interval holds the share among the '
        f"distinct rows in {_number(said['holds'].min())} to {_number(said['holds'].max())} of the "
        f"tables; {verdict}. Without the word it does in {_number(unsaid['holds'].min())} to "
        f"{_number(unsaid['holds'].max())}, and :ref:`{CODE}` warns in "
        f"{_number(unsaid['warned'].min())} or more of them. Of tables without copies, or where "
        f"the user has said the word, it warns in {_number(clean['warned'].max())} at most."
    )


def _of_fits(found: pd.DataFrame) -> str:
    shown = pd.DataFrame(
        {
            "method": found["method"],
            "copied, %": found["percent"],
            "groups": np.where(found["says"] == 1, '"copies"', "none"),
            "tables": found["tables"],
            "holds": [_share(*one) for one in zip(found["holds"], found["tables"], strict=True)],
            "of all rows": [_number(one) for one in found["holds_of_rows"]],
            "length": [_number(one) for one in found["length"]],
            "error": [_number(one) for one in found["error"]],
            "warned": [_number(one) for one in found["warned"]],
        }
    )
    words = wrapped(
        "``holds``: how often the interval holds the share of positives among the distinct rows, "
        "with its standard error; ``of all rows``: the share among all rows of the table, copies "
        f"counted. ``warned``: how often :ref:`{CODE}` does."
    )
    heading = "Intervals"
    return "\n".join([heading, "-" * len(heading), "", words, "", rst_of(shown)])


def _of_code(judged: pd.DataFrame) -> str:
    by = judged.groupby(["kind", "rows"], sort=False)
    rates = judged.pivot_table("warned", ["kind", "rows"], "percent", sort=False)
    distinct = judged[judged["percent"] == 0].groupby(["kind", "rows"], sort=False)["distinct"]
    shown = pd.DataFrame({"table": [one for one, _ in rates.index]})
    shown["rows"] = [n for _, n in rates.index]
    shown["distinct rows"] = [f"{one:.0%}" for one in distinct.mean().reindex(rates.index)]
    for percent in PERCENT:
        if percent in rates:
            shown[f"{percent} % copied"] = [_number(one) for one in rates[percent]]
    batches = int(by.size().min() // judged["percent"].nunique())
    words = wrapped(
        f"How often the code warns of a table, of {batches * TABLES_OF_A_BATCH} tables or more in "
        "each cell. Whole "
        "numbers, levels and rounded numbers coincide without copies. ``square`` and ``heavy "
        "tail`` have one column of whole numbers, its square and its logarithm: such a table is "
        "one column, where ties say little."
    )
    heading = "The code alone"
    return "\n".join([heading, "-" * len(heading), "", words, "", rst_of(shown)])


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"
