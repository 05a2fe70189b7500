"""What is measured: intervals, bootstrap intervals and the SCAR test, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from benchmarks.replications import Replication
from unlabeled.datasets import DATASET_NAMES

SIZES, FREQUENCIES = (1000, 5000), (0.3, 0.6)
INTERVAL_DESIGNS = ("paper", "skewed")
MANY_FEATURES = ("ten", 2000, 0.5)
ALL_LABELLED = ("paper", 1000, 1.0)
INTERVAL_REPEATS, BOOTSTRAP_REPEATS, PU_LOGISTIC_REPEATS = 2000, 500, 200
LEVEL_REPEATS, POWER_REPEATS, PEER_REPEATS = 1000, 200, 200
POWER_FREQUENCY, POWER_SIZE = 0.3, 5000
SLOPES = ("x1:0.5", "x1:1", "x1:1.5")
POWERS = ("y^1", "y^2")
POWER_SIZES = (1000, 2000, 5000)
REAL_FREQUENCY = 0.5
REAL_PRIOR_REPEATS = {"adult": 50, "musk": 50}
REAL_REPEATS = 50


def level_studies() -> list[Replication]:
    """Level of the SCAR tests if SCAR and a logistic posterior hold."""
    cells = [("paper", n, c) for n, c in product(SIZES, FREQUENCIES)]
    cells += [MANY_FEATURES, ("skewed", 5000, 0.3)]
    return [_scar(design, n, c, "scar", LEVEL_REPEATS) for design, n, c in cells]


def power_studies() -> list[Replication]:
    """Power of the SCAR tests if labelling depends on the features."""
    cells = [(slope, POWER_SIZE) for slope in SLOPES] + list(product(POWERS, POWER_SIZES))
    return [_scar("paper", n, POWER_FREQUENCY, how, POWER_REPEATS) for how, n in cells]


def real_studies() -> list[Replication]:
    """Rejections on the nine sets with SCAR labels; their posteriors need not be logistic."""
    return [
        Replication(
            f"real-{dataset}",
            "benchmarks.coverage.scar:measure_real",
            REAL_REPEATS,
            {"dataset": dataset, "c": REAL_FREQUENCY},
            5,
        )
        for dataset in DATASET_NAMES
    ]


def real_prior_studies() -> list[Replication]:
    """Coverage of PULogistic's class prior on the nine sets, logistic or not."""
    return [
        Replication(
            f"prior-{dataset}-{c:g}",
            "benchmarks.coverage.intervals:measure_real_prior",
            REAL_PRIOR_REPEATS.get(dataset, 100),
            {"dataset": dataset, "c": c},
            5,
        )
        for dataset in DATASET_NAMES
        for c in FREQUENCIES
    ]


def peer_studies() -> list[Replication]:
    """Another package's check on the first of the same samples: names give the seeds."""
    ours = [*level_studies(), *power_studies()]
    function = "benchmarks.coverage.peer:measure"
    return [replace(one, function=function, repeats=PEER_REPEATS) for one in ours]


def _scar(design: str, n: int, c: float, mechanism: str, repeats: int) -> Replication:
    arguments = {"design": design, "n": n, "c": c, "mechanism": mechanism}
    word = mechanism.replace(":", "").replace("^", "")
    name = f"scar-{design}-{n}-{c:g}-{word}"
    return Replication(name, "benchmarks.coverage.scar:measure", repeats, arguments)


def interval_studies() -> list[Replication]:
    """Coverage of intervals from the likelihood, also if every positive is labelled."""
    cells = [*_cells(), ALL_LABELLED]
    return [_interval("intervals", "measure", INTERVAL_REPEATS, 20, *cell) for cell in cells]


def bootstrap_studies() -> list[Replication]:
    """Coverage of intervals from the bootstrap."""
    cells = [*_cells(), MANY_FEATURES]
    return [_interval("bootstrap", "measure_bootstrap", BOOTSTRAP_REPEATS, 5, *c) for c in cells]


def pu_logistic_studies() -> list[Replication]:
    """Coverage of intervals from the bootstrap, for PULogistic."""
    return [
        _interval("pu_logistic", "measure_pu_logistic", PU_LOGISTIC_REPEATS, 2, *cell)
        for cell in _cells()
    ]


def score_studies() -> list[Replication]:
    """Coverage of PULogistic's intervals without resamples."""
    cells = [*_cells(), MANY_FEATURES]
    return [_interval("scores", "measure_scores", INTERVAL_REPEATS, 20, *cell) for cell in cells]


def _cells() -> list[tuple[str, int, float]]:
    return list(product(INTERVAL_DESIGNS, SIZES, FREQUENCIES))


def _interval(
    study: str, function: str, repeats: int, batch: int, design: str, n: int, c: float
) -> Replication:
    arguments = {"design": design, "n": n, "c": c}
    place = f"benchmarks.coverage.intervals:{function}"
    return Replication(f"{study}-{design}-{n}-{c:g}", place, repeats, arguments, batch)


PEER = "peer"
"""The study that needs another package."""

STUDIES = {
    "intervals": interval_studies,
    "bootstrap": bootstrap_studies,
    "pu_logistic": pu_logistic_studies,
    "scores": score_studies,
    "level": level_studies,
    "power": power_studies,
    "real": real_studies,
    "real_priors": real_prior_studies,
    PEER: peer_studies,
}
"""The studies, by name."""
