"""What is measured: intervals, bootstrap intervals and the SCAR test, cell by cell."""

from __future__ import annotations

from itertools import product

from unlabeled.experiments.replications import Replication

SIZES, FREQUENCIES = (1000, 5000), (0.3, 0.6)
INTERVAL_DESIGNS = ("paper", "skewed")
LEVEL_REPEATS, POWER_REPEATS = 1000, 400
POWER_FREQUENCY, POWER_SIZE = 0.3, 5000
SLOPES = ("x1:0.5", "x1:1", "x1:1.5")
POWERS = ("y^1", "y^2")
POWER_SIZES = (1000, 2000, 5000, 10_000)


def scar_studies() -> list[Replication]:
    """Level of the SCAR tests where SCAR and a logistic posterior hold, and power where not."""
    level = [("paper", n, c) for n, c in product(SIZES, FREQUENCIES)]
    level += [("ten", 2000, 0.5), ("skewed", 5000, 0.3)]
    power = [(slope, POWER_SIZE) for slope in SLOPES] + list(product(POWERS, POWER_SIZES))
    return [
        *(_scar(design, n, c, "scar", LEVEL_REPEATS) for design, n, c in level),
        *(_scar("paper", n, POWER_FREQUENCY, how, POWER_REPEATS) for how, n in power),
    ]


def _scar(design: str, n: int, c: float, mechanism: str, repeats: int) -> Replication:
    arguments = {"design": design, "n": n, "c": c, "mechanism": mechanism}
    word = mechanism.replace(":", "").replace("^", "")
    name = f"scar-{design}-{n}-{c:g}-{word}"
    return Replication(name, "benchmarks.coverage.scar:measure", repeats, arguments)


STUDIES = {"scar": scar_studies}
"""The studies, by name."""
