"""How good is PULogistic if its ridge, direction and c are chosen on a part of the rows."""

from __future__ import annotations

import warnings
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, f1_score

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic
from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci
from unlabeled.engine.files import write_whole

from .pages import PAGE, rst_of, wrapped
from .study import Key, Records, repeated

SIZES = (500, 1000, 2000, 4000, 8000, 16_000, 32_768)
ALL = 0
"""The size that stands for a search on all rows."""

TABLES: dict[str, tuple[int, int, float]] = {
    "normal, 50 features": (140_000, 50, 0.3),
    "skewed, 20 features": (140_000, 20, 0.2),
    "weak, 100 features": (140_000, 100, 0.3),
    "rare, 30 features": (140_000, 30, 0.01),
}
"""Generated tables: training rows, features and the share of positives."""

SWITCH = 2 * max(SIZES)
AT_THE_SWITCH = {f"{name}, at the switch": (SWITCH, *of_it) for name, (_, *of_it) in TABLES.items()}
"""The same with so few rows that with one row fewer all would be searched."""

FREQUENCIES, REPEATS, TARGET = (0.1, 0.3, 0.6), 10, 0.002


def draw(table: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    """Return rows, their classes, and how many of them are for training."""
    if table not in TABLES | AT_THE_SWITCH:
        data = load_uci(table)
        rows = rng.permutation(len(data.y_true))
        return np.asarray(data.X)[rows], data.y_true[rows], int(0.7 * len(rows))
    n_train, p, prior = (TABLES | AT_THE_SWITCH)[table]
    X = rng.normal(size=(n_train + 60_000, p))
    X[:, 1:] = 0.8 * X[:, 1:] + 0.6 * X[:, :-1]
    beta = rng.normal(size=p) / np.sqrt(p)
    if table.startswith("skewed"):
        X = np.exp(X)
    t = X @ beta
    t *= (0.7 if table.startswith("weak") else 2.0) / t.std()
    t -= np.quantile(t, 1 - prior)
    return X, rng.random(len(t)) < 1 / (1 + np.exp(-t)), n_train


def searching(rows: int) -> PULogistic:
    """Return a PULogistic that chooses on so many rows."""

    class Searching(PULogistic):
        _subset_rows = rows

    return Searching()


def measure(table: str, frequency: float, part: int, repeat: int) -> dict[str, float]:
    """Fit with a part of this size; compare with the classes of other rows."""
    seed = seed_of("part of rows", table, frequency, repeat)
    X, y, n = draw(table, np.random.default_rng(seed))
    s = hide_labels(y[:n].astype(int), frequency, random_state=seed % 2**31)
    rows = 10**9 if part == ALL else part
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = perf_counter()
        model = searching(rows).fit(X[:n], s)
        seconds = perf_counter() - start
    predicted = model.predict(X[n:])
    return {
        "rows": n,
        "searched": model._n_rows_searched_,
        "labeled": int(s.sum()),
        "f1": float(f1_score(y[n:], predicted)),
        "balanced_accuracy": float(balanced_accuracy_score(y[n:], predicted)),
        "C": model.C_,
        "class_prior": model.class_prior_,
        "truth": float(y[:n].mean()),
        "seconds": seconds,
    }


def keys() -> list[Key]:
    """Return the cells: sizes of which a table has at least twice as many rows, and all rows."""
    sizes = {name: _sizes(int(0.7 * len(load_uci(name).y_true))) for name in DATASET_NAMES}
    sizes |= {name: _sizes(n) for name, (n, _, _) in TABLES.items()}
    sizes |= {name: [max(SIZES)] for name in AT_THE_SWITCH}
    cells = [
        (table, frequency, part)
        for table, parts in sizes.items()
        for frequency in FREQUENCIES
        for part in (ALL, *parts)
        if len(parts)
    ]
    return repeated(cells, REPEATS)


def _sizes(n_rows: int) -> list[int]:
    return [size for size in SIZES if n_rows >= 2 * size]


def gaps(cells: pd.DataFrame) -> pd.DataFrame:
    """Return what each fit with a part gains over the search on all rows of the same table."""
    names = ["table", "frequency", "repeat"]
    whole = cells[cells["part"] == ALL].set_index(names)[["f1", "balanced_accuracy", "class_prior"]]
    parts = cells[cells["part"] != ALL].join(whole.add_suffix("_all"), on=names)
    return parts.dropna(subset="f1_all").assign(
        f1_gap=parts["f1"] - parts["f1_all"],
        accuracy_gap=parts["balanced_accuracy"] - parts["balanced_accuracy_all"],
        prior_gap=parts["class_prior"] - parts["class_prior_all"],
    )


def by_size(found: pd.DataFrame) -> pd.DataFrame:
    """Return the mean gaps of each size over tables and frequencies, with standard errors."""
    rows = []
    for size, part in found.groupby("part"):
        of_tables = part.groupby(["table", "frequency"])[["f1_gap", "accuracy_gap"]].mean()
        row = {"rows": size, "tables": part["table"].nunique(), "fits": len(part)}
        for name in ("f1_gap", "accuracy_gap"):
            error = part[name].std() / np.sqrt(len(part))
            row |= {name: part[name].mean(), f"{name}_error": error}
            row[f"{name}_worst"] = of_tables[name].min()
        rows.append(row | {"prior_gap": part["prior_gap"].abs().mean()})
    return pd.DataFrame(rows)


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    cells = RECORDS.read(folder)
    found = gaps(cells)
    at_switch = found["table"].isin(AT_THE_SWITCH)
    by_sizes = by_size(found[~at_switch])
    sections = [_TITLE, _in_words(by_sizes), _table(by_sizes)]
    if at_switch.any():
        sections.append(_switch_in_words(found[at_switch]))
    if len(cells) < len(keys()):
        sections.append(f"The records are incomplete: {len(cells)} of {len(keys())} fits.")
    text = "\n\n".join(section.strip("\n") for section in sections) + "\n"
    write_whole(folder / PAGE, lambda file: file.write_text(text, encoding="utf-8"))


_TITLE = f"""
.. This page is made by `make study NAME=part_of_rows`; edit benchmarks/part_of_rows.py.

Choosing on a part, measured
============================

{
    wrapped(
        "With many rows ``PULogistic`` chooses the ridge, the direction and the label frequency "
        "in it on a part of the rows, and fits, scores and cuts on all of them "
        "(:doc:`/scale`). Here the part has a given size, and each fit is compared with the one "
        "that chose on all rows of the same table, by F1 and balanced accuracy on other rows, "
        "whose classes are known. An eighth of the part is labeled, if there are so many labeled "
        "rows. The tables are those of the nine sets that have at least twice as many rows, and "
        f"{len(TABLES)} generated ones: {', '.join(TABLES)}. Of their positives "
        f"{', '.join(f'{one:g}' for one in FREQUENCIES)} are labeled, {REPEATS} times each. "
        "A program made the page from records; no number was typed."
    )
}
"""


def _in_words(found: pd.DataFrame) -> str:
    fine = found[(found["f1_gap"].abs() <= TARGET) & (found["accuracy_gap"].abs() <= TARGET)]
    used = found[found["rows"] == max(SIZES)]
    words = f"The target is a mean loss of at most {TARGET:g} in both."
    if len(fine):
        words += f" It is met from {fine['rows'].min():,} rows on."
    if len(used):
        one = used.iloc[0]
        words += (
            f" ``PULogistic`` chooses on {max(SIZES):,} rows, where the mean difference is "
            f"{one['f1_gap']:+.4f} in F1 and {one['accuracy_gap']:+.4f} in balanced accuracy."
        )
    return wrapped(words)


def _switch_in_words(found: pd.DataFrame) -> str:
    largest = found[["f1_gap", "accuracy_gap", "prior_gap"]].abs().max()
    mean = found[["f1_gap", "accuracy_gap", "prior_gap"]].mean()
    return wrapped(
        f"*At the switch.* A table of {SWITCH:,} rows is the smallest of which a part is searched. "
        f"{len(found)} such tables, fitted by both ways: F1 differs by {mean['f1_gap']:+.4f} on "
        f"the mean and by {largest['f1_gap']:.4f} at most, balanced accuracy by "
        f"{mean['accuracy_gap']:+.4f} and {largest['accuracy_gap']:.4f}, the class prior by "
        f"{mean['prior_gap']:+.4f} and {largest['prior_gap']:.4f}."
    )


def _table(found: pd.DataFrame) -> str:
    shown = pd.DataFrame(
        {
            "rows of the part": [f"{size:,}" for size in found["rows"]],
            "tables": found["tables"],
            "fits": found["fits"],
            **{
                f"{words}{kind}": [f"{value:+.4f}" for value in found[f"{name}{column}"]]
                for name, words in (("f1_gap", "F1"), ("accuracy_gap", "balanced accuracy"))
                for kind, column in (("", ""), (", s.e.", "_error"), (", worst cell", "_worst"))
            },
            "class prior, mean absolute": [f"{value:.4f}" for value in found["prior_gap"]],
        }
    )
    return rst_of(shown)


RECORDS = Records("parts.csv", ("table", "frequency", "part", "repeat"), measure, keys)
