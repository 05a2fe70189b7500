"""The cast: every method of the studies, in the settings it is shown in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..label_frequency import ElkanNoto, TIcE
from ..linear_model import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic
from .ridge import TunedWeightedLogistic

ORACLE_MOST_ITERATIONS = 3000
"""The paper's own script allows scikit-learn as many."""


@dataclass(frozen=True)
class Method:
    """A method in one setting.

    Attributes
    ----------
    name, setting : str
        As in the records; the setting is "-" where there is only one.
    make : callable
        Takes a seed, returns an unfitted estimator.
    sees_classes : bool
        Whether it is fitted to the true classes, as the oracle is.
    sees_prior : bool
        Whether `fit` is handed the fraction of positives among the training rows, as
        `class_prior`.
    """

    name: str
    setting: str
    make: Callable[[int], Any]
    sees_classes: bool = False
    sees_prior: bool = False


def _oracle(seed: int) -> Any:
    return LogisticRegression(C=np.inf, max_iter=ORACLE_MOST_ITERATIONS)


def _published_tice(seed: int) -> Any:
    return WeightedLogistic(TIcE(honest=False, scale="none", random_state=seed))


def _converged_tice(seed: int) -> Any:
    return TunedWeightedLogistic(TIcE(random_state=seed), random_state=seed)


_CAST = (
    Method("oracle", "-", _oracle, sees_classes=True),
    Method("naive", "-", lambda seed: NaiveLogistic()),
    Method("enhanced", "-", lambda seed: EnhancedLogistic()),
    Method("joint", "published", lambda seed: JointLogistic(settings="published")),
    Method("joint", "converged", lambda seed: JointLogistic()),
    Method("mm", "published", lambda seed: JointLogistic(solver="mm", settings="published")),
    Method("mm", "converged", lambda seed: JointLogistic(solver="mm", max_iter=300)),
    Method("en", "published", lambda seed: WeightedLogistic(ElkanNoto())),
    Method("en", "converged", lambda seed: TunedWeightedLogistic(ElkanNoto(), random_state=seed)),
    Method("tice", "published", _published_tice),
    Method("tice", "converged", _converged_tice),
)

METHODS: dict[tuple[str, str], Method] = {(method.name, method.setting): method for method in _CAST}
"""Every method by name and setting, the oracle first."""
