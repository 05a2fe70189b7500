"""The studies: the nine sets, breast cancer with either positive class, ten labelled rows."""

from __future__ import annotations

from itertools import product

from unlabeled.datasets import DATASET_NAMES
from unlabeled.paper.studies import Cell, Plan, Study
from unlabeled.paper.studies.draw import BREAST_CANCER, BREAST_CANCER_BENIGN, TEN_LABELS
from unlabeled.paper.studies.methods import Key

from .cast import CAST, FIELD, ROLES

REAL = "real"
"""The name of the reproduction's study. It sets the splits and labels: they are the same."""

OTHERS = "real_others"
"""The slow methods, on the same splits, in a study that may have fewer repeats."""

CANCER, TEN = "breast_cancer", "ten_labels"
FREQUENCIES = (0.1, 0.3, 0.5, 0.9)
REPEATS = {REAL: 50, OTHERS: 50, CANCER: 20, TEN: 20}
QUICK_REPEATS = 2
QUICK_DATASETS = ("breast-w", "haberman")

TEN_METHODS: tuple[Key, ...] = (
    ("oracle", "-"),
    ("enhanced", "-"),
    ("pu_logistic", "f1"),
    ("pu_logistic", "balanced_accuracy"),
)


def field_plan(
    repeats: int | None = None,
    others: int | None = None,
    *,
    quick: bool = False,
    data: bool = True,
) -> Plan:
    """Plan the three studies.

    Parameters
    ----------
    repeats : int, optional
        Repeats of the nine sets, 50 if None; the other studies are repeated 20 times at most.
    others : int, optional
        Repeats for the forest and for other packages, as many as `repeats` if None.
    quick : bool, default=False
        Two small sets, two repeats.
    data : bool, default=True
        Whether the UCI sets are available; without them only breast cancer is run.
    """
    datasets = () if not data else QUICK_DATASETS if quick else DATASET_NAMES
    given = repeats or (QUICK_REPEATS if quick else None)
    counts = {name: min(given or most, most) for name, most in REPEATS.items()}
    counts[REAL] = given or REPEATS[REAL]
    counts[OTHERS] = others or counts[REAL]
    quickly = tuple(key for key in FIELD if ROLES[key].is_quick)
    slowly = tuple(key for key in FIELD if not ROLES[key].is_quick)
    real = tuple(Cell(name, "scar", 0, c) for name, c in product(datasets, FREQUENCIES))
    cancer = tuple(Cell(name, "scar", 0, 0.3) for name in (BREAST_CANCER_BENIGN, BREAST_CANCER))
    ten = tuple(Cell(name, TEN_LABELS, 0, 0.0) for name in datasets or (BREAST_CANCER,))
    studies = (
        Study(REAL, real, quickly, counts[REAL], CAST),
        Study(OTHERS, real, slowly, counts[OTHERS], CAST, splits_of=REAL),
        Study(CANCER, cancer, tuple(FIELD), counts[CANCER], CAST),
        Study(TEN, ten, TEN_METHODS, counts[TEN], CAST),
    )
    return Plan(tuple(study for study in studies if study.cells))
