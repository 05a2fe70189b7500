"""The studies: the paper's own, robustness, which its conclusion asks for, and the ensemble.

Our own methods are fitted beside the paper's. `PUEnsemble` takes fifty times as long, so it has a
study of its own on the rows and labels of "real", with fewer label frequencies and repeats.

To add one, name it in `STUDIES` and give it cells in `paper_plan` and `quick_plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from unlabeled.datasets import DATASET_NAMES

from .draw import ADULT_STAND_IN, BREAST_CANCER, MECHANISMS
from .methods import METHODS, Key
from .plan import PAPER_GAUSSIAN, Cell, Plan, Study


class Outline(NamedTuple):
    """What the page calls a study, and how often it is repeated, also in a quick run."""

    title: str
    repeats: int
    quick_repeats: int


STUDIES = {
    "synthetic": Outline("Synthetic data (figure 1)", 200, 5),
    "real": Outline("Nine real data sets (figures 2 and 3)", 200, 5),
    "ensemble": Outline("PUEnsemble on the rows and labels of the real data sets", 20, 1),
    "timing": Outline("Training times on adult (last table)", 20, 3),
    "robustness": Outline(
        "Labels that are not selected completely at random (the paper's future work)", 50, 3
    ),
}
"""The studies, in the order they run."""

STUDY_NAMES = tuple(STUDIES)
"""The names of the studies, in the order they run."""

FREQUENCIES = tuple(round(0.1 * k, 1) for k in range(1, 10))
"""Label frequencies of the paper's figures 2 and 3."""

ENSEMBLE_FREQUENCIES = (0.1, 0.3, 0.5, 0.9)
"""Label frequencies at which `PUEnsemble` is compared."""

SIZES = (500, 1000, 2000, 3000, 4000, 5000)
"""Training rows of the paper's figure 1."""

# diabetes: few continuous features, overlapping classes; credit-a: mixed features with dummies;
# spambase: many skewed features. Not used: banknote, breast-w (nearly separated, so a propensity
# that grows with the posterior is nearly constant), haberman (hardly any signal), musk (rows of
# one molecule are on both sides of a split), adult (takes longer than all the others together).
ROBUSTNESS_DATASETS = ("diabetes", "credit-a", "spambase")
"""Real sets of the robustness study."""

_QUICK_DATASETS = ("breast-w", "diabetes", "haberman")
_MEAN_FREQUENCIES = (0.3, 0.6)


def paper_plan(studies: Sequence[str] = STUDY_NAMES, repeats: int | None = None) -> Plan:
    """Plan studies as the paper has them.

    Parameters
    ----------
    studies : sequence of str
        Some of `STUDY_NAMES`.
    repeats : int, optional
        Repeats of each study, those in `STUDIES` if None. In a plan of several studies, ensemble,
        timing and robustness get at most these.

    Returns
    -------
    plan : Plan
    """
    return _plan(
        studies,
        {
            "synthetic": _synthetic(SIZES),
            "real": _cells(DATASET_NAMES, ("scar",), FREQUENCIES),
            "ensemble": _cells(DATASET_NAMES, ("scar",), ENSEMBLE_FREQUENCIES),
            "timing": (Cell("adult", "scar", 0, 0.5),),
            "robustness": _robustness(ROBUSTNESS_DATASETS),
        },
        _repeats(studies, repeats, {name: study.repeats for name, study in STUDIES.items()}),
    )


def quick_plan(
    studies: Sequence[str] = STUDY_NAMES, repeats: int | None = None, *, data: bool
) -> Plan:
    """Plan a small version of the studies, to try them out.

    Parameters
    ----------
    studies : sequence of str
        Some of `STUDY_NAMES`.
    repeats : int, optional
        Repeats of each study, those of a quick run in `STUDIES` if None.
    data : bool
        Whether the UCI sets are available. If not, one of scikit-learn's sets and simulated
        data replace them.

    Returns
    -------
    plan : Plan
    """
    sets = _QUICK_DATASETS if data else (BREAST_CANCER,)
    return _plan(
        studies,
        {
            "synthetic": _synthetic((500, 2000, 5000)),
            "real": _cells(sets, ("scar",), FREQUENCIES[::2]),
            "ensemble": _cells(sets, ("scar",), ENSEMBLE_FREQUENCIES),
            "timing": (Cell("adult" if data else ADULT_STAND_IN, "scar", 0, 0.5),),
            "robustness": _robustness(("diabetes",) if data else (BREAST_CANCER,)),
        },
        _repeats(studies, repeats, {name: study.quick_repeats for name, study in STUDIES.items()}),
    )


def _plan(
    studies: Sequence[str], cells: dict[str, tuple[Cell, ...]], repeats: dict[str, int]
) -> Plan:
    return Plan(
        tuple(
            Study(
                name,
                cells[name],
                _methods(name),
                repeats[name],
                splits_of="real" if name == "ensemble" else "",
            )
            for name in STUDY_NAMES
            if name in studies
        )
    )


def _methods(study: str) -> tuple[Key, ...]:
    """Return the methods of a study: the ensemble has its own, timing has none that share a fit."""
    of_ensemble = [key for key in METHODS if key[0].startswith("pu_ensemble")]
    if study == "ensemble":
        return tuple(of_ensemble)
    others = [key for key in METHODS if key not in of_ensemble]
    return tuple(key for key in others if study != "timing" or METHODS[key].fit_of is None)


def _repeats(studies: Sequence[str], repeats: int | None, usual: dict[str, int]) -> dict[str, int]:
    if repeats is None:
        return usual
    if len(studies) == 1:
        return dict.fromkeys(usual, repeats)
    capped = {name: min(repeats, usual[name]) for name in ("ensemble", "timing", "robustness")}
    return {**dict.fromkeys(usual, repeats), **capped}


def _synthetic(sizes: tuple[int, ...]) -> tuple[Cell, ...]:
    return tuple(Cell(PAPER_GAUSSIAN, "scar", n, c) for n, c in product(sizes, _MEAN_FREQUENCIES))


def _cells(
    datasets: Sequence[str], mechanisms: Sequence[str], frequencies: Sequence[float], n: int = 0
) -> tuple[Cell, ...]:
    return tuple(
        Cell(dataset, mechanism, n, c)
        for dataset, mechanism, c in product(datasets, mechanisms, frequencies)
    )


def _robustness(datasets: tuple[str, ...]) -> tuple[Cell, ...]:
    simulated = _cells((PAPER_GAUSSIAN,), MECHANISMS, _MEAN_FREQUENCIES, n=2000)
    return simulated + _cells(datasets, MECHANISMS, _MEAN_FREQUENCIES)
