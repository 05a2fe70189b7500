"""What is measured: intervals, bootstrap intervals and the SCAR test, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from reproduction.studies.draw import seed_of
from unlabeled.datasets import DATASET_NAMES

from ..study import REPEAT, Key, Records, repeated
from . import intervals, peer, scar

SIZES, FREQUENCIES = (1000, 5000), (0.3, 0.6)
INTERVAL_DESIGNS = ("paper", "skewed")
MANY_FEATURES = ("ten", 2000, 0.5)
ALL_LABELED = ("paper", 1000, 1.0)
INTERVAL_REPEATS, BOOTSTRAP_REPEATS, PU_LOGISTIC_REPEATS, SCORE_REPEATS = 2000, 500, 200, 100
LEVEL_REPEATS, POWER_REPEATS, PEER_REPEATS = 1000, 200, 200
POWER_FREQUENCY, POWER_SIZE = 0.3, 5000
SLOPES = ("x1:0.5", "x1:1", "x1:1.5")
POWERS = ("y^1", "y^2")
POWER_SIZES = (1000, 2000, 5000)
REAL_FREQUENCY, REAL_REPEATS = 0.5, 50
REAL_PRIOR_REPEATS = dict.fromkeys(DATASET_NAMES, 100) | {"adult": 50, "musk": 50}

_OF_INTERVALS = ("design", "n", "c")
_OF_TESTS = (*_OF_INTERVALS, "mechanism")
_OF_SETS = ("dataset", "c")
_GRID = list(product(INTERVAL_DESIGNS, SIZES, FREQUENCIES))
_LEVEL = [
    *(("paper", n, c, "scar") for n, c in product(SIZES, FREQUENCIES)),
    (*MANY_FEATURES, "scar"),
    ("skewed", 5000, 0.3, "scar"),
]
_POWER = [
    ("paper", n, POWER_FREQUENCY, mechanism)
    for mechanism, n in [(slope, POWER_SIZE) for slope in SLOPES] + [*product(POWERS, POWER_SIZES)]
]


@dataclass(frozen=True)
class Seeded:
    """A measurement of a seed: that of the number of the repeat, and of a name for the cell."""

    function: Callable[..., Mapping[str, float]]
    names: tuple[str, ...]
    seeds: str

    def __call__(self, *key: object) -> Mapping[str, float]:
        """Measure a cell once."""
        *values, repeat = key
        arguments = dict(zip(self.names, values, strict=True))
        name = self.seeds.format(**arguments).replace(":", "").replace("^", "")
        return self.function(seed_of(name, repeat), **arguments)


def _records(
    name: str,
    function: Callable[..., Mapping[str, float]],
    names: tuple[str, ...],
    seeds: str,
    keys: Sequence[Key],
    needs: str | None = None,
) -> Records:
    measure = Seeded(function, names, seeds)
    return Records(f"{name}.csv", (*names, REPEAT), measure, lambda: keys, needs=needs)


def _of_intervals(
    name: str, function: Callable[..., Mapping[str, float]], cells: Sequence[Key], repeats: int
) -> Records:
    seeds = f"{name}-{{design}}-{{n}}-{{c:g}}"
    return _records(name, function, _OF_INTERVALS, seeds, repeated(cells, repeats))


def _of_tests(name: str, cells: Sequence[Key], repeats: int) -> Records:
    return _records(name, scar.measure, _OF_TESTS, _SCAR, repeated(cells, repeats))


_SCAR = "scar-{design}-{n}-{c:g}-{mechanism}"
INTERVALS = _of_intervals("intervals", intervals.measure, [*_GRID, ALL_LABELED], INTERVAL_REPEATS)
BOOTSTRAP = _of_intervals(
    "bootstrap", intervals.measure_bootstrap, [*_GRID, MANY_FEATURES], BOOTSTRAP_REPEATS
)
PU_LOGISTIC = _of_intervals(
    "pu_logistic", intervals.measure_pu_logistic, _GRID, PU_LOGISTIC_REPEATS
)
SCORES = _of_intervals("scores", intervals.measure_scores, [*_GRID, MANY_FEATURES], SCORE_REPEATS)
LEVEL = _of_tests("level", _LEVEL, LEVEL_REPEATS)
POWER = _of_tests("power", _POWER, POWER_REPEATS)
REAL = _records(
    "real",
    scar.measure_real,
    _OF_SETS,
    "real-{dataset}",
    repeated([(dataset, REAL_FREQUENCY) for dataset in DATASET_NAMES], REAL_REPEATS),
)
"""Rejections on the nine sets with SCAR labels; their posteriors need not be logistic."""
REAL_PRIORS = _records(
    "real_priors",
    intervals.measure_real_prior,
    _OF_SETS,
    "prior-{dataset}-{c:g}",
    [
        key
        for key in repeated(list(product(DATASET_NAMES, FREQUENCIES)), 100)
        if key[-1] < REAL_PRIOR_REPEATS[key[0]]
    ],
)
PEER = _records(
    "peer", peer.measure, _OF_TESTS, _SCAR, repeated([*_LEVEL, *_POWER], PEER_REPEATS), "pulearn"
)
"""Another package's check on the first of the same samples: the same names give the seeds."""

RECORDS = (INTERVALS, BOOTSTRAP, PU_LOGISTIC, SCORES, LEVEL, POWER, REAL, REAL_PRIORS, PEER)
