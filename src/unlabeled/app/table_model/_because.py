"""Why a row has its score: the columns that moved it most, in a few words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...inspection import contributions
from ._fit import TableFit

MOST_EXPLAINED = 2000
"""The largest number of rows that get reasons: the unlabelled ones with the highest scores."""

_UP, _DOWN = 3, 1
# A reason must move the score by at least this share of the row's strongest one.
_LEAST = 0.1
_LONGEST_LEVEL = 30
_WORDS = {"number": ("low", "high"), "date": ("early", "late"), "true/false": ("no", "yes")}


def because(fit: TableFit, most: int = MOST_EXPLAINED) -> list[str | None]:
    """Say why rows have their scores, by the columns of the table.

    Parameters
    ----------
    fit : TableFit
        A classifier fitted to a table.
    most : int, default=2000
        The largest number of rows to explain: the unlabelled rows with the highest scores.

    Returns
    -------
    because : list of str or None
        One per row of the table, None for rows that are not explained. A text such as "age high,
        sex male; less: bmi low" names the at most three columns that raised the score most, the
        strongest first, and after "less" the one that lowered it most. A column is named only if
        it moved the score by at least a tenth of what the strongest column of the row did.

    Notes
    -----
    The contributions of `inspection.contributions` to the score of the fitted model are added up
    by the column that the features come from. A line starts from the mean of the table, trees from
    the mean of their training rows. "high" and "low", "late" and "early" mean above and below the
    mean of the column.

    Examples
    --------
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.app.table_model import because, fit_table
    >>> from unlabeled.app.tables import Table, label_column, prepare
    >>> age, rng = np.tile(np.arange(40.0, 60.0), 20), np.random.default_rng(0)
    >>> ill = rng.random(400) < 1 / (1 + np.exp(-(age - 50)))
    >>> told = np.where(ill & (rng.random(400) < 0.5), "yes", None)
    >>> table = Table(pd.DataFrame({"age": age, "told": told}), Path("ward.csv"))
    >>> fit = fit_table(EnhancedLogistic(), prepare(table, "told"), label_column(table, "told"))
    >>> {one for one in because(fit, most=50)} - {None}
    {'age high'}
    """
    unlabelled = np.flatnonzero(fit.labels.s == 0)
    rows = unlabelled[np.argsort(-fit.scored.score[unlabelled], kind="stable")[:most]]
    reasons: list[str | None] = [None] * len(fit.labels.s)
    if not len(rows):
        return reasons
    features = fit.pipeline[0].features_
    source = {f"x{j}": one.source for j, one in enumerate(features)}
    found = contributions(fit.classifier, fit.numbers[rows], background=fit.numbers)
    by_column = found.summed_by(source)
    words = {name: _words(fit, name, rows) for name in by_column.feature_names}
    of_columns = [words[name] for name in by_column.feature_names]
    for k, values in enumerate(by_column.values):
        reasons[rows[k]] = _reason([column[k] for column in of_columns], values)
    return reasons


def _reason(words: list[str], values: np.ndarray) -> str | None:
    """Name the columns that raised the score, and the one that lowered it."""
    order = np.argsort(-np.abs(values), kind="stable")
    least = _LEAST * np.abs(values).max()
    up = [words[j] for j in order if values[j] > 0 and values[j] >= least][:_UP]
    down = [words[j] for j in order if values[j] < 0 and -values[j] >= least][:_DOWN]
    parts = [", ".join(up)] * bool(up) + [f"less: {', '.join(down)}"] * bool(down)
    return "; ".join(parts) or None


def _words(fit: TableFit, name: str, rows: np.ndarray) -> list[str]:
    """Describe the cells of a column in some rows: its name, and high, low, or the level."""
    features = fit.pipeline[0]
    cells = fit.prepared.X[name].iloc[rows]
    missing = cells.isna().to_numpy()
    kind = features.kinds_[name]
    if kind == "category":
        of_cells = [str(cell)[:_LONGEST_LEVEL] for cell in cells]
    elif kind in _WORDS:
        of_cells = _above_or_below(fit, name, rows, _WORDS[kind])
    else:
        of_cells = [""] * len(rows)
    return [
        f"{name} missing" if gap else f"{name} {word}".rstrip()
        for gap, word in zip(missing, of_cells, strict=True)
    ]


def _above_or_below(fit: TableFit, name: str, rows: Any, words: tuple[str, str]) -> list[str]:
    for j, one in enumerate(fit.pipeline[0].features_):
        if one.source == name and not one.indicates_missing:
            column = fit.numbers[:, j]
            return [words[int(cell > column.mean())] for cell in column[rows]]
    return ["present"] * len(rows)  # only whether the cell is missing is a feature
