"""Choices chosen on eight sets and scored on the ninth: how far the defaults flatter."""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from reproduction.studies import Cell
from reproduction.studies.draw import Sample, draw_sample, seed_of
from reproduction.studies.plan import Task
from unlabeled import PUEnsemble, PULogistic
from unlabeled.datasets import DATASET_NAMES
from unlabeled.engine.rows import fingerprint_rows

from ..study import Records, repeated
from .nine_sets import RULES, judged

FREQUENCIES, REPEATS, MOST_ROWS = (0.1, 0.5), 3, 2000

DEFAULT = "default"


@dataclass(frozen=True)
class Choice:
    """One choice of members, of the ridge of the weights and of leaf sizes to try."""

    words: str
    members: tuple[str, ...] = ("line", "trees", "boosting")
    ridge: float = 30.0
    leaves: tuple[int, ...] = (2, 5, 15)


CHOICES: dict[str, Choice] = {
    DEFAULT: Choice("default: all three members, ridge 30, leaves of 2, 5 or 15 rows"),
    "line_trees": Choice("line and trees", ("line", "trees")),
    "line_boosting": Choice("line and boosting", ("line", "boosting")),
    "trees_boosting": Choice("trees and boosting", ("trees", "boosting")),
    "ridge_3": Choice("ridge 3", ridge=3.0),
    "ridge_300": Choice("ridge 300", ridge=300.0),
    "leaves_2": Choice("leaves of 2 rows", leaves=(2,)),
    "leaves_5": Choice("leaves of 5 rows", leaves=(5,)),
    "leaves_15": Choice("leaves of 15 rows", leaves=(15,)),
    "leaves_from_15": Choice("leaves of 15, 5 or 2 rows, 15 preferred", leaves=(15, 5, 2)),
}
"""The choices, fixed before the run; those that are not named are as in the default."""

_fits: dict[Any, dict[str, Any]] = {}


class _Remembers:
    """A member whose fit is made once per cell: choices that share it get copies."""

    def fit(self, X: Any, y: Any) -> Any:
        """Fit, or copy an earlier fit with the same parameters to the same rows."""
        parameters = tuple(sorted((name, repr(one)) for name, one in self.get_params().items()))
        key = (type(self), parameters, fingerprint_rows(X), y.tobytes())
        if key in _fits:
            vars(self).update(copy.deepcopy(_fits[key]))
        else:
            super().fit(X, y)
            # The copy stays as it is when a member with `warm_start` grows on.
            _fits[key] = copy.deepcopy(vars(self))
        return self


class RememberedLine(_Remembers, PULogistic):
    """The line."""


class RememberedTrees(_Remembers, ExtraTreesClassifier):
    """The trees."""


class RememberedBoosting(_Remembers, HistGradientBoostingClassifier):
    """The boosting."""


def ensemble_of(choice: Choice, seed: int) -> PUEnsemble:
    """Return the ensemble of a choice, with members that remember their fits."""
    members = {
        "line": RememberedLine(),
        "trees": RememberedTrees(300, bootstrap=True, oob_score=True),
        "boosting": RememberedBoosting(max_iter=250, early_stopping=False),
    }
    grid = {
        "trees": [{"min_samples_leaf": leaf} for leaf in choice.leaves],
        "boosting": [{"max_leaf_nodes": leaves} for leaves in (4, 8, 16)],
    }
    return PUEnsemble(
        members=[(name, members[name]) for name in choice.members],
        grid={name: one for name, one in grid.items() if name in choice.members},
        ridge=choice.ridge,
        random_state=seed,
    )


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Fit every choice to at most 2000 rows of one split; judge it by both rules."""
    sample = draw(dataset, c, repeat)
    seed = seed_of("choices", dataset, repeat)
    found: dict[str, float] = {}
    try:
        for name, choice in CHOICES.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = ensemble_of(choice, seed).fit(sample.X, sample.s)
            score = model.positive_score(sample.X_test)
            found |= judged(name, model.cuts_, model.class_prior_, score, sample)
    finally:
        forget()
    return found


def forget() -> None:
    """Forget the fits of a cell."""
    _fits.clear()


def draw(dataset: str, c: float, repeat: int) -> Sample:
    """Draw a split that no other study has, and at most 2000 of its training rows."""
    sample = draw_sample(Task("choices", Cell(dataset, "scar", 0, c), repeat))
    n_rows = len(sample.s)
    if n_rows <= MOST_ROWS:
        return sample
    rng = np.random.RandomState(seed_of("part", "choices", dataset, repeat))
    part = rng.choice(n_rows, MOST_ROWS, replace=False)
    return Sample(
        sample.X[part],
        sample.s[part],
        sample.y_true[part],
        sample.X_test,
        sample.y_test,
        sample.scale,
        sample.direction,
    )


def scores(cells: pd.DataFrame) -> pd.DataFrame:
    """Mean of F1 and balanced accuracy, each with its rule: one row per cell, a column per choice.

    The index is the set, c and the repeat.
    """
    cells = cells.set_index(list(RECORDS.names)).sort_index()
    columns = {
        name: cells[[f"{name}_{rule}" for rule in RULES]].mean(axis=1)
        for name in CHOICES
        if f"{name}_f1" in cells
    }
    return pd.DataFrame(columns)


def leave_one_out(by_cell: pd.DataFrame) -> pd.DataFrame:
    """Choose on the other sets; one row per set.

    Returns
    -------
    DataFrame
        `choice`, and the mean score on the left-out set: `chosen`, `default`, and `best`, that of
        the choice that is best over all sets.
    """
    by_set = by_cell.groupby(level="dataset").mean()
    over_all = by_set.mean().idxmax()
    rows = {}
    for dataset in by_set.index:
        choice = by_set.drop(index=dataset).mean().idxmax()
        own = by_set.loc[dataset]
        rows[dataset] = (choice, own[choice], own[DEFAULT], own[over_all])
    return pd.DataFrame.from_dict(rows, "index", columns=["choice", "chosen", "default", "best"])


RECORDS = Records(
    "choices.csv",
    ("dataset", "c", "repeat"),
    measure,
    lambda: repeated(list(product(DATASET_NAMES, FREQUENCIES)), REPEATS),
)
