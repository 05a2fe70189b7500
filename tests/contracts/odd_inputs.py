"""What every classifier makes of odd input: right numbers, a refusal, or a warning.

Every odd input is given to every classifier, and the numbers are compared with those of the same
rows without the oddness. ``python -m tests.contracts.odd_inputs`` writes
``docs/choose/odd_inputs.csv``.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

import unlabeled
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian

FILE = Path(__file__).parents[2] / "docs" / "choose" / "odd_inputs.csv"
SAYS = "what it says"
N = 240
DATA = make_paper_gaussian(n=N, label_frequency=0.5, random_state=0)
X, S, Y_TRUE = DATA.X, DATA.s, DATA.y_true
NAMES = ["a", "b", "c"]
FRAME = pd.DataFrame(X, columns=NAMES)
ROWS = np.arange(N)

LINE = LogisticRegression(solver="newton-cholesky")
TREE = DecisionTreeClassifier(min_samples_leaf=15, random_state=0)
MEMBERS = [("line", LINE), ("tree", TREE)]
CLASSIFIERS = {
    "PULogistic": unlabeled.PULogistic(),
    "PUEnsemble": unlabeled.PUEnsemble(members=MEMBERS, grid={}, cv=3, random_state=0),
    "PUThresholdClassifier over a line": unlabeled.PUThresholdClassifier(
        LINE, cv=3, random_state=0
    ),
    "PUThresholdClassifier over a tree": unlabeled.PUThresholdClassifier(
        TREE, cv=3, random_state=0
    ),
    "PropensityLogistic": unlabeled.PropensityLogistic(propensity_features=[0]),
    "JointLogistic": unlabeled.JointLogistic(),
    "EnhancedLogistic": unlabeled.EnhancedLogistic(),
    "WeightedLogistic": unlabeled.WeightedLogistic(weighting="posterior"),
    "NaiveLogistic": unlabeled.NaiveLogistic(),
}


@dataclass(frozen=True, eq=False)
class Table:
    """What is fitted, which rows are scored, and their hidden class.

    `like` is the table without the oddness: the numbers must be those of a fit to it. They are
    the same up to rounding, or nearly the same if the table `is_other`. A table that `misleads`
    must be refused, or its numbers must come with a warning, unless they are as near to the truth
    as those of the plain table.
    """

    X: Any = field(default_factory=lambda: X)
    y: Any = field(default_factory=lambda: S)
    fit: dict[str, Any] = field(default_factory=dict)
    new: Any = None
    y_true: np.ndarray = field(default_factory=lambda: Y_TRUE)
    like: Table | None = None
    is_other: bool = False
    misleads: bool = False
    rounding: float = 1e-6

    @property
    def scored(self) -> Any:
        return self.X if self.new is None else self.new


PLAIN = Table()


class Numbers(NamedTuple):
    """What a user looks at: how well rows are ranked, how many are positive, how many chosen."""

    auc: float
    class_prior: float
    selected: float


# So far may the numbers of another table be away from those of the plain one: about three standard
# errors of each between two draws of the table.
NEAR = Numbers(auc=0.06, class_prior=0.15, selected=0.2)


class Found(NamedTuple):
    """One cell of the table: the word, what was said, and the numbers if there are some."""

    word: str
    says: str = ""
    numbers: Numbers | None = None


def other(rows: Any, labels: Any = None, **more: Any) -> Table:
    """Return a table that is another one than the plain one, in more than its form."""
    return Table(rows, S if labels is None else labels, is_other=True, **more)


def frame_of(*columns: Any) -> pd.DataFrame:
    return FRAME.assign(**dict(zip("de", columns, strict=False)))


def with_cell(value: float) -> np.ndarray:
    rows = X.copy()
    rows[np.flatnonzero(S == 0)[0], 1] = value
    return rows


def mapped() -> np.ndarray:
    with TemporaryFile() as file:
        np.save(file, X)
        file.flush()
        file.seek(0)
        start = file.seek(0, 2) - X.nbytes
        return np.memmap(file, X.dtype, "r", start, X.shape)


def doubled(share: float, groups: bool = False) -> Table:
    """Return the table with copies of a share of its rows."""
    index = np.concatenate([ROWS, ROWS[: int(share * N)]])
    more = {"groups": index} if groups else {}
    return other(X[index], S[index], fit=more, y_true=Y_TRUE[index])


def only(n_labeled: int) -> Table:
    """Return the table with the first labels alone."""
    return other(X, np.where(np.cumsum(S) <= n_labeled, S, 0))


def misleading(rows: Any, labels: Any = None) -> Table:
    return replace(other(rows, labels), misleads=True)


def draw(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def texts(unlabeled_rows: Any, labeled_rows: Any) -> Table:
    return Table(y=np.where(S == 1, labeled_rows, unlabeled_rows))


def rounded(dtype: Any, factor: float = 1.0, rounding: float = 1e-6) -> Table:
    """Return the table in a type, to compare with the same numbers in double precision."""
    rows = (X * factor).astype(dtype)
    return Table(rows, like=Table(rows.astype(np.float64)), rounding=rounding)


def weights(column: Any) -> Table:
    return other(X, fit={"sample_weight": column})


BALANCED = np.where(S == 1, N / (2 * S.sum()), N / (2 * (N - S.sum())))
INTEGERS = np.round(10 * X)
# The third of the positive rows that lies farthest from the others.
DIRECTION = X @ (X[Y_TRUE == 1].mean(axis=0) - X[Y_TRUE == 0].mean(axis=0))
SEPARATED = (DIRECTION > np.quantile(DIRECTION[Y_TRUE == 1], 2 / 3)).astype(int)
ODD_ROWS = ROWS % 2 == 1

ODD: dict[str, Callable[[], Table]] = {
    # Another form of the same numbers.
    "a frame": lambda: Table(FRAME),
    "a frame with names 0, 1, 2": lambda: Table(pd.DataFrame(X)),
    "a frame with names of two types": lambda: Table(FRAME.set_axis(["a", 1, 2.5], axis=1)),
    "a frame with one name twice": lambda: Table(FRAME.set_axis(["a", "a", "b"], axis=1)),
    "pandas' nullable numbers": lambda: Table(FRAME.convert_dtypes()),
    "pandas' numbers of Arrow": lambda: Table(FRAME.convert_dtypes(dtype_backend="pyarrow")),
    "a frame of Polars": lambda: Table(pl.DataFrame(X, schema=NAMES)),
    "a lazy frame of Polars": lambda: Table(pl.LazyFrame(X, schema=NAMES)),
    "a table of Arrow": lambda: Table(pa.table(dict(zip(NAMES, X.T, strict=True)))),
    "an array of Dask": lambda: Table(da.from_array(X, (100, 3)), da.from_array(S, 100)),
    "a list of lists": lambda: Table(X.tolist(), S.tolist()),
    "objects that are numbers": lambda: Table(X.astype(object)),
    "numbers as text": lambda: Table(X.astype(str)),
    "a memory map, read only": lambda: Table(mapped()),
    "columns one after the other (Fortran)": lambda: Table(np.asfortranarray(X)),
    "big-endian numbers": lambda: Table(X.astype(">f8")),
    "single precision": lambda: rounded(np.float32, rounding=1e-3),
    "half precision": lambda: rounded(np.float16),
    "whole numbers": lambda: Table(INTEGERS.astype(np.int64), like=Table(INTEGERS)),
    "int8": lambda: Table(INTEGERS.astype(np.int8), like=Table(INTEGERS)),
    "true and false": lambda: Table(X > 0, like=Table((X > 0).astype(float))),
    "a masked array": lambda: Table(np.ma.masked_array(X, np.zeros_like(X, dtype=bool))),
    "a masked array with masked cells": lambda: misleading(np.ma.masked_array(X, X > 1)),
    "a matrix of NumPy": lambda: Table(np.asmatrix(X)),
    "sparse, CSR": lambda: Table(sparse.csr_array(X)),
    "sparse, CSC": lambda: Table(sparse.csc_matrix(X)),
    "sparse, COO": lambda: Table(sparse.coo_array(X)),
    "sparse, lists (LIL)": lambda: Table(sparse.lil_matrix(X)),
    # Rows that cannot be fitted.
    "one dimension": lambda: Table(X[:, 0]),
    "three dimensions": lambda: Table(X[:, :, None]),
    "complex numbers": lambda: Table(X + 0j),
    "no rows": lambda: Table(X[:0], S[:0]),
    "no columns": lambda: Table(X[:, :0]),
    "one row": lambda: Table(X[:1], S[:1], y_true=Y_TRUE[:1]),
    "a missing cell": lambda: other(with_cell(np.nan)),
    "missing cells in one of ten rows": lambda: other(np.where(ROWS[:, None] % 10 == 3, np.nan, X)),
    "an infinite cell": lambda: other(with_cell(np.inf)),
    "a column of text": lambda: other(frame_of(np.where(ODD_ROWS, "u", "v"))),
    "a column of dates": lambda: other(
        frame_of(pd.Timestamp("2026-01-01") + pd.to_timedelta(ROWS, "D"))
    ),
    "a column of categories": lambda: other(frame_of(pd.Categorical(np.where(ROWS % 2, "u", "v")))),
    "a column of lists": lambda: other(frame_of([[1]] * N)),
    # Columns and rows that a fit takes.
    "a constant column": lambda: other(np.c_[X, np.full(N, 7.0)]),
    "a column twice": lambda: other(np.c_[X, X[:, 0]]),
    "more columns than rows": lambda: other(np.tile(X, 100)),
    "all rows equal": lambda: misleading(np.ones((N, 3))),
    "every row twice": lambda: doubled(1.0),
    "half of the rows twice": lambda: doubled(0.5),
    "every row twice, with groups": lambda: doubled(1.0, groups=True),
    "values of 1e12": lambda: other(X * 1e12),
    "values whose squares overflow": lambda: other(X * 1e200),
    "values of 1e-12": lambda: other(X * 1e-12),
    "a column far from 0": lambda: other(X + np.array([1e6, 0.0, 0.0])),
    "one absurd cell": lambda: other(with_cell(1e6)),
    "heavy tails": lambda: other(X**9),
    "a column that is the label": lambda: other(np.c_[X, S]),
    "a column that tells the label": lambda: other(np.c_[X, S + draw(1).normal(size=N) / 10]),
    # Labels.
    "labels False and True": lambda: Table(y=S == 1),
    "labels -1 and 1": lambda: Table(y=np.where(S == 1, 1, -1)),
    "labels 0.0 and 1.0": lambda: Table(y=S.astype(float)),
    "labels 1 and 2": lambda: Table(y=S + 1),
    "labels no and yes": lambda: texts("no", "yes"),
    "labels unlabeled and labeled": lambda: texts("unlabeled", "labeled"),
    "labels unknown and fraud": lambda: texts("unknown", "fraud"),
    "labels U and P": lambda: texts("U", "P"),
    "labels not tested and ill": lambda: texts("not tested", "ill"),
    "labels good and bad": lambda: texts("good", "bad"),
    "labels -1, 0 and 1": lambda: Table(y=np.where(S == 1, 1, np.where(ROWS % 3, 0, -1))),
    "fractional labels": lambda: Table(y=S * 0.5),
    "a missing label": lambda: Table(y=np.where(ROWS == 7, np.nan, S)),
    "labels of pandas with a missing one": lambda: Table(
        y=pd.Series(S).astype("Int64").where(ROWS != 7)
    ),
    "labels of pandas in another order of rows": lambda: Table(y=pd.Series(S, index=ROWS[::-1])),
    "labels as a column": lambda: Table(y=S[:, None]),
    "labels as two columns": lambda: Table(y=np.c_[1 - S, S]),
    "too few labels": lambda: Table(y=S[:-1]),
    "no labels at all": lambda: Table(y=None),
    "one class": lambda: Table(y=np.zeros(N)),
    "one labeled row": lambda: only(1),
    "two labeled rows": lambda: only(2),
    "nine labeled rows": lambda: only(9),
    "all rows labeled but one": lambda: misleading(
        X, (ROWS != np.flatnonzero(S == 0)[0]).astype(int)
    ),
    "labels the wrong way round": lambda: misleading(X, 1 - S),
    "labels that a line separates": lambda: misleading(X, SEPARATED),
    "labels that have nothing to do with X": lambda: misleading(X, draw(2).permutation(S)),
    # What comes beside rows and labels.
    "weights of 1": lambda: Table(fit={"sample_weight": np.ones(N)}),
    "one number as weight": lambda: Table(fit={"sample_weight": 1.0}),
    "weights of 100": lambda: weights(np.full(N, 100.0)),
    "weights of 1e8": lambda: weights(np.full(N, 1e8)),
    "weights of 1e300": lambda: weights(np.full(N, 1e300)),
    "weights that balance the labels": lambda: weights(BALANCED),
    "a weight of 0 for every second row": lambda: Table(
        fit={"sample_weight": ODD_ROWS.astype(float)}, like=Table(X[ODD_ROWS], S[ODD_ROWS], new=X)
    ),
    "weights of 0": lambda: weights(np.zeros(N)),
    "a negative weight": lambda: weights(np.where(ROWS == 7, -1.0, 1.0)),
    "a missing weight": lambda: weights(np.where(ROWS == 7, np.nan, 1.0)),
    "too few weights": lambda: weights(np.ones(N - 1)),
    "groups of one row": lambda: Table(fit={"groups": ROWS}, is_other=True),
    "one group": lambda: Table(fit={"groups": np.zeros(N)}, is_other=True),
    "a missing group": lambda: Table(fit={"groups": np.where(ROWS == 7, np.nan, ROWS // 2)}),
    "checked rows, all of them negative": lambda: other(
        X, fit={"checked": np.where((S == 0) & (Y_TRUE == 0) & (ROWS % 5 == 0), 0.0, np.nan)}
    ),
    # New rows.
    "new rows: columns in another order": lambda: Table(FRAME, new=FRAME[["c", "a", "b"]]),
    "new rows: a column less": lambda: Table(FRAME, new=FRAME[["a", "b"]]),
    "new rows: a column more": lambda: Table(FRAME, new=FRAME.assign(d=0.0)),
    "new rows: other names": lambda: Table(FRAME, new=FRAME.set_axis(["a", "b", "z"], axis=1)),
    "new rows: an array after a frame": lambda: Table(FRAME, new=X),
    "new rows: a frame after an array": lambda: Table(new=FRAME),
    "new rows: a column less, without names": lambda: Table(new=X[:, :2]),
    "new rows: sparse": lambda: Table(new=sparse.csr_array(X)),
    "new rows: a missing cell": lambda: other(X, new=with_cell(np.nan)),
    "new rows: an infinite cell": lambda: other(X, new=with_cell(np.inf)),
    "new rows: none": lambda: Table(new=X[:0], y_true=Y_TRUE[:0]),
    "new rows: one dimension": lambda: Table(new=X[0]),
}


def numbers_of(name: str, table: Table) -> tuple[Numbers, np.ndarray]:
    """Fit a classifier; return what its user looks at, and the scores of the rows."""
    model = clone(CLASSIFIERS[name]).fit(table.X, table.y, **table.fit)
    score = np.asarray(model.positive_score(table.scored))
    chosen = np.asarray(model.predict(table.scored)) == model.positive_class_
    prior = getattr(model, "class_prior_", None)
    if prior is None:
        prior = np.asarray(model.predict_proba(table.scored))[:, -1].mean()
    ranked = roc_auc_score(table.y_true, score) if len(set(table.y_true)) == 2 else np.nan
    return Numbers(float(ranked), float(prior), float(np.mean(chosen))), score


@cache
def plain(name: str, table: Table) -> tuple[Numbers, np.ndarray, frozenset[str]]:
    """Return numbers, scores and warnings of a table without oddness."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = numbers_of(name, table)
    return *found, frozenset(map(word_of, told))


def word_of(warning: warnings.WarningMessage) -> str:
    of_us = isinstance(warning.message, PUWarning)
    return warning.message.code if of_us else warning.category.__name__


def found(name: str, table: Table) -> Found:
    """Return what a classifier makes of a table."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            numbers, score = numbers_of(name, table)
        except Exception as error:
            return Found(*reason(error, name))
    known, known_score, usual = plain(name, table.like or PLAIN)
    words = sorted({word_of(one) for one in told} - usual)
    if table.misleads:
        right = is_as_true(numbers, known, table.y_true)
    else:
        right = is_right(table, numbers, score, known, known_score)
    if right:
        return Found("right" + (f" ({', '.join(words)})" if words else ""), numbers=numbers)
    return Found(", ".join(words) or "WRONG", numbers=numbers)


def is_as_true(numbers: Numbers, known: Numbers, y_true: np.ndarray) -> bool:
    """Whether a table misled nobody: its numbers are as near to the truth as the plain ones."""
    away, plainly = (np.abs(np.subtract(one[1:], y_true.mean())) for one in (numbers, known))
    return numbers.auc >= known.auc - NEAR.auc and bool(np.all(away <= plainly))


def is_right(
    table: Table, numbers: Numbers, score: np.ndarray, known: Numbers, known_score: np.ndarray
) -> bool:
    if table.is_other:
        away = np.abs(np.subtract(numbers, known))
        return bool(np.all(away <= NEAR))
    if len(score) != len(known_score):
        return False
    size = 1 + np.abs(known_score)
    same_scores = np.all(np.abs(score - known_score) <= table.rounding * size)
    return bool(same_scores and abs(numbers.class_prior - known.class_prior) <= table.rounding)


# Sentences of scikit-learn that say all that ours would.
_OF_SCIKIT_LEARN = (
    "Expected 2D array, got",
    "Found array with",
    "Found input variables with inconsistent numbers of samples",
    "Input X contains",
    "The feature names should match those that were passed during fit",
    "X has 2 features, but",
    "Feature names are only supported if all input features have string names",
    "np.matrix is not supported",
    "Complex data not supported",
)


def reason(error: Exception, name: str) -> tuple[str, str]:
    """Return who refused the table, and what the message asks for, without what it got.

    A threshold passes on rows as they are, and so the refusal of its estimator. Any other error
    without a sentence of ours, or of another type, is as wrong as a number that is off.
    """
    if not isinstance(error, ValueError | TypeError):
        return "WRONG", ""
    message = str(error)
    asked = re.split(r"; got |\. |\.?\n|: |, got ", message)[0]
    asked = re.sub(r" \(shape=.*| by \w+\.?$|^X has .* (?=is expecting)", "", asked)
    is_ours = re.search(r"`\w+` must |needs at least|requires y to be passed", message)
    if is_ours or message.startswith(_OF_SCIKIT_LEARN):
        return "refused", asked
    if name.startswith("PUThresholdClassifier"):
        return "refused by the estimator", ""
    return "WRONG", ""


def write() -> None:
    """Write the table: a line per odd input."""
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", *CLASSIFIERS, SAYS])
        for odd, make in ODD.items():
            writer.writerow(line_of(odd, make()))


def line_of(odd: str, table: Table) -> list[str]:
    cells = [found(name, table) for name in CLASSIFIERS]
    says = "; ".join(dict.fromkeys(one.says for one in cells if one.says))
    return [odd, *(one.word for one in cells), says]


if __name__ == "__main__":
    write()
