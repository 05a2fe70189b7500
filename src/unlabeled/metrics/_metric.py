"""Every metric by name. A decorator registers it beside its function, with all that others need."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit, logit

from ..engine.parameters import listed

_Function = TypeVar("_Function", bound=Callable[..., float])
_SCALES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "log": (np.log, np.exp),
    "logit": (logit, expit),
    "plain": (np.asarray, np.asarray),
}
_OF_EVERY_METRIC = frozenset({"class_prior", "sampling", "pos_label", "sample_weight"})


@dataclass(frozen=True)
class Metric:
    """A metric, and what a scorer, an interval and an audit compute it from.

    Attributes
    ----------
    name : str
    function : callable
        What users call. Its parameters say whether it takes a `score`, and needs a `class_prior`.
    formula : callable or None
        The metric as a function of recall and share, and of the class prior if it needs it.
    recall, share : callable or None
        Of a score: recall as a function of its steps and the share, and share as a function of the
        population's total weight and the metric's own options. None for predictions.
    of_steps : callable or None
        Of a score that has no such formula: the value, from steps, class prior and own options.
    scale : {"log", "logit", "plain"}
        Where its error is nearly normal.
    lowest, highest : float
        The values that it can have.
    is_biased : bool
        Whether its values in resamples lie to one side of that of the rows; its interval is then
        symmetric around it.
    of_unlabeled : bool
        Whether it compares labeled rows with unlabeled ones, in one sample too.
    ranks : bool
        Whether larger is better, so that a scorer makes sense.
    title : str
        Its name in a table, if that is not `name` with blanks.
    """

    name: str
    function: Callable[..., float]
    formula: Callable[..., Any] | None = None
    recall: Callable[..., Any] | None = None
    share: Callable[..., Any] | None = None
    of_steps: Callable[..., Any] | None = None
    scale: str = "plain"
    lowest: float = 0.0
    highest: float = 1.0
    is_biased: bool = False
    of_unlabeled: bool = False
    ranks: bool = True
    title: str = ""

    @property
    def shown(self) -> str:
        """Its name in a table."""
        return self.title or self.name.replace("_", " ")

    @cached_property
    def _parameters(self) -> dict[str, inspect.Parameter]:
        return dict(inspect.signature(self.function).parameters)

    @property
    def needs_prior(self) -> bool:
        """Whether it needs the class prior."""
        return "class_prior" in self._parameters

    @property
    def of_score(self) -> bool:
        """Whether it takes a score, and not predictions."""
        return "score" in self._parameters

    @property
    def has_sampling(self) -> bool:
        """Whether it differs between one sample and two."""
        return "sampling" in self._parameters

    def of_rates(self, recall: Any, share: Any, class_prior: Any) -> Any:
        """Return the value at these rates; the class prior counts only where it is needed."""
        assert self.formula is not None
        given = (recall, share, class_prior) if self.needs_prior else (recall, share)
        return self.formula(*given)

    def on_scale(self, value: Any) -> Any:
        """Return values on the scale where their error is nearly normal."""
        return _SCALES[self.scale][0](value)

    def back(self, value: Any) -> Any:
        """Return the values at places of that scale."""
        return _SCALES[self.scale][1](value)

    def check_options(self, options: dict[str, Any]) -> None:
        """Reject an argument that the metric does not have, or the lack of one it needs."""
        own = {
            name: parameter.default is parameter.empty
            for name, parameter in self._parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name not in _OF_EVERY_METRIC
        }
        for name in options:
            if name not in own:
                allowed = f"one of {listed(own)}" if own else "left out"
                raise ValueError(
                    f"`{name}` must be {allowed} for the metric {self.name!r}; got a value."
                )
        for name, is_needed in own.items():
            if is_needed and name not in options:
                raise ValueError(f"`{name}` must be given for the metric {self.name!r}; got none.")


METRICS: dict[str, Metric] = {}
"""Every metric by name."""


def metric(name: str, **how: Any) -> Callable[[_Function], _Function]:
    """Register the function below under a name; see `Metric` for the rest."""

    def register(function: _Function) -> _Function:
        METRICS[name] = Metric(name, function, **how)
        return function

    return register


def metric_of(given: Any) -> Metric | None:
    """Return the metric with this name or function; None if it is none of ours."""
    for metric in METRICS.values():
        if given is metric.function or (isinstance(given, str) and given == metric.name):
            return metric
    return None
