"""The studies: the nine sets, breast cancer with either positive class, ten labeled rows.

The paper's methods, `PULogistic` and `PUEnsemble` have records already: the reproduction fits them
to the same rows and labels. A plan without a reproduction fits them too.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd

from reproduction.studies import Cell, Plan, Study, read_records
from reproduction.studies.draw import BREAST_CANCER, BREAST_CANCER_BENIGN, TEN_LABELS
from reproduction.studies.methods import Key
from unlabeled.datasets import DATASET_NAMES

from .cast import CAST, FIELD, PEERS, ROLES

REAL, ENSEMBLE = "real", "ensemble"
"""Studies of the reproduction. "real" draws the splits and labels of all studies of the sets."""

FOREST, OTHERS = "real_forest", "real_others"
"""The forest, and the methods of other packages, on the same splits and labels."""

CANCER, TEN = "breast_cancer", "ten_labels"
FREQUENCIES = (0.1, 0.3, 0.5, 0.9)
REPEATS = {REAL: 50, ENSEMBLE: 20, FOREST: 50, OTHERS: 50, CANCER: 20, TEN: 20}
QUICK_REPEATS = 2
QUICK_DATASETS = ("breast-w", "haberman")

TEN_METHODS: tuple[Key, ...] = (
    ("oracle", "-"),
    ("enhanced", "-"),
    ("pu_logistic", "-"),
    ("pu_logistic_ba", "-"),
    ("pu_ensemble", "-"),
    ("pu_ensemble_ba", "-"),
)


def study_of(key: Key) -> str:
    """Return the study of the nine sets that fits a method."""
    if ROLES[key].side in PEERS:
        return OTHERS
    own = {"pu_ensemble": ENSEMBLE, "forest": FOREST}
    return own.get(key[0].removesuffix("_ba"), REAL)


def field_plan(
    repeats: int | None = None,
    others: int | None = None,
    *,
    quick: bool = False,
    data: bool = True,
    reproduced: bool = False,
) -> Plan:
    """Plan the studies.

    Parameters
    ----------
    repeats : int, optional
        Repeats of the nine sets, at most those in `REPEATS`, which are also the default.
    others : int, optional
        Repeats for other packages, as many as `repeats` if None.
    quick : bool, default=False
        Two small sets, two repeats.
    data : bool, default=True
        Whether the UCI sets are available; without them only breast cancer is run.
    reproduced : bool, default=False
        Whether the records of the reproduction are there, so that its methods are not fitted again.
    """
    datasets = () if not data else QUICK_DATASETS if quick else DATASET_NAMES
    given = repeats or (QUICK_REPEATS if quick else None)
    counts = {name: min(given or most, most) for name, most in REPEATS.items()}
    counts[OTHERS] = others or counts[OTHERS]
    real = tuple(Cell(name, "scar", 0, c) for name, c in product(datasets, FREQUENCIES))
    cancer = tuple(Cell(name, "scar", 0, 0.3) for name in (BREAST_CANCER_BENIGN, BREAST_CANCER))
    ten = tuple(Cell(name, TEN_LABELS, 0, 0.0) for name in datasets or (BREAST_CANCER,))
    of_sets = (FOREST, OTHERS) if reproduced else (REAL, ENSEMBLE, FOREST, OTHERS)
    studies = (
        *(_of_sets(name, real, counts[name]) for name in of_sets),
        Study(CANCER, cancer, tuple(FIELD), counts[CANCER], CAST),
        Study(TEN, ten, TEN_METHODS, counts[TEN], CAST),
    )
    return Plan(tuple(study for study in studies if study.cells))


def _of_sets(name: str, cells: tuple[Cell, ...], repeats: int) -> Study:
    methods = tuple(key for key in FIELD if study_of(key) == name)
    return Study(name, cells, methods, repeats, CAST, splits_of="" if name == REAL else REAL)


def field_records(folder: Path, reproduction: Path | None = None) -> pd.DataFrame:
    """Return the records of a folder and, at the same cells and repeats, of a reproduction.

    All studies of the nine sets are put together as "real", whose splits they share.
    """
    records = read_records(folder)
    if reproduction is not None:
        found = read_records(reproduction)
        found = found[found["study"].isin([REAL, ENSEMBLE]) & found["c"].round(9).isin(FREQUENCIES)]
        usual = found["repeat"] < found["study"].map(REPEATS)
        records = pd.concat([found[usual], records], ignore_index=True)
    return records.assign(study=records["study"].replace([ENSEMBLE, FOREST, OTHERS], REAL))
