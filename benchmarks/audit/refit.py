"""The class prior from a hundred checked rows, at the top of the list or drawn by an audit.

Labels are drawn as in the other studies of the audit; the sets are the paper's nine, with all of
their rows. Needs the UCI sets, in the folder named by UNLABELED_DATA.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic
from unlabeled.audit import draw_audit
from unlabeled.datasets import DATASET_NAMES
from unlabeled.scores import fit_checked_score

from ..study import Records, repeated
from .cells import MECHANISMS, Cell, draw_cell

CHECKED = 100
REPEATS = 6
AUDITS = 4
"""Draws of the audit per draw of the labels."""

WAYS = {
    "top": "top of the list",
    "audit": "an audit's own rows",
    "relabeled": "marked as labeled",
}
"""How the checked rows were chosen and used; the last are those of the first, and a new fit."""


def measure(dataset: str, mechanism: str, repeat: int) -> Mapping[str, float]:
    """Estimate the class prior of one draw of the labels, with and without checked rows."""
    seed = seed_of(f"refit-{dataset}-{mechanism}", repeat)
    cell = draw_cell(dataset, mechanism, seed)
    model = cell.fit()
    truth = float(cell.y_true.mean())
    top = highest_unlabeled(model.positive_score(cell.X), cell.s, CHECKED)
    drawn = [
        draw_audit(model, cell.X, cell.s, CHECKED, random_state=seed + k).rows
        for k in range(AUDITS)
    ]
    found = {
        "labels": model.class_prior_ - truth,
        "top": refit(model, cell, top) - truth,
        "relabeled": relabel(cell, top) - truth,
    }
    errors = {name: abs(error) for name, error in found.items()}
    errors["audit"] = float(np.mean([abs(refit(model, cell, rows) - truth) for rows in drawn]))
    return errors | {f"{name} bias": error for name, error in found.items()}


def highest_unlabeled(score: np.ndarray, s: np.ndarray, size: int) -> np.ndarray:
    """Positions of the unlabeled rows with the highest scores."""
    unlabeled = np.flatnonzero(s == 0)
    return unlabeled[np.argsort(-score[unlabeled], kind="stable")[:size]]


def refit(model: PULogistic, cell: Cell, rows: np.ndarray) -> float:
    """Class prior along the model's held-out score after these rows were checked."""
    checked = np.full(len(cell.s), np.nan)
    checked[rows] = cell.y_true[rows]
    score = np.asarray(model.held_out_score_, dtype=np.float64)
    return fit_checked_score(score, cell.s.astype(np.float64), checked).class_prior


def relabel(cell: Cell, rows: np.ndarray) -> float:
    """Class prior of a fit to labels to which the positives among these rows were added."""
    s = cell.s.copy()
    s[rows] = np.maximum(s[rows], cell.y_true[rows])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return PULogistic(random_state=0).fit(cell.X, s).class_prior_


def read_errors(folder: Path) -> pd.DataFrame:
    """Mean error of every way, one row per mechanism and data set."""
    found = RECORDS.read(folder)
    if not len(found):
        return found
    means = found.drop(columns="repeat").groupby(["mechanism", "dataset"]).mean()
    order = [key for key in product(MECHANISMS, DATASET_NAMES) if key in means.index]
    return means.loc[order]


RECORDS = Records(
    "refit_draws.csv",
    ("dataset", "mechanism", "repeat"),
    measure,
    lambda: repeated(list(product(DATASET_NAMES, MECHANISMS)), REPEATS),
)
