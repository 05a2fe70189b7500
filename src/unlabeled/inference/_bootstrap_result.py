"""The result of a bootstrap: intervals by name."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import warn
from ..engine.estimators import PARAMETERS
from ..engine.intervals import Interval
from ..engine.parameters import check_choice, check_level
from ..engine.result_table import ResultTable, TextTable
from ..engine.sampling import Sampling
from ..scores import PriorDensity
from ._interval import (
    METHOD,
    NEED_PRIOR,
    SCALES,
    Deployed,
    OnScale,
    Rates,
    over_priors,
    percentile_interval,
)
from ._resample import COUNTS, PLACES

Array = np.ndarray[Any, np.dtype[Any]]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Bootstrap(ResultTable):
    """An estimator refitted to resamples; prints as a table of intervals.

    `to_frame` has one row per name, at a confidence level of .95: name, estimate, lower, upper
    and method. `interval` takes another level.

    Attributes
    ----------
    names : tuple of str
        The quantities that have an interval.
    n_resamples, n_failed : int
        Number of resamples, and number of failed refits, which are ignored.
    codes : dict of str to int
        Number of refits that issued each warning.
    values : dict of str to ndarray of shape (n_successful,)
        Fitted label frequency and class prior of each resample whose refit succeeded.
    """

    names: tuple[str, ...]
    n_resamples: int
    n_failed: int
    codes: dict[str, int]
    values: dict[str, Array]
    _estimate: dict[str, float]
    _rule: Deployed | None
    _class_prior: float | Interval | None
    _density: PriorDensity | None = None
    _sampling: Sampling = Sampling.ONE

    @classmethod
    def _of(
        cls,
        table: tuple[Array, list[list[str]]],
        observed: dict[str, float],
        columns: tuple[str, ...],
        class_prior: float | Interval | None,
        density: PriorDensity | None = None,
        sampling: Sampling = Sampling.ONE,
    ) -> Bootstrap:
        """Make it from a table with one row per resample."""
        drawn, codes = table
        whole = ~np.isnan(drawn).any(axis=1)
        n_failed = int(np.sum(~whole))
        _report_failures(n_failed, int(whole.sum()), codes)
        place = {name: k for k, name in enumerate(columns)}
        parameters = [name for name in columns if name in PARAMETERS]
        names, rule = list(parameters), None
        if len(columns) > len(parameters):
            prior_is_known = class_prior is not None or "class_prior" in place
            names += [name for name in SCALES if prior_is_known or name not in NEED_PRIOR]
            rule = _deployed(observed, drawn[whole], place)
        return cls(
            names=tuple(names),
            n_resamples=len(drawn),
            n_failed=n_failed,
            codes=dict(Counter(code for one in codes for code in one)),
            values={name: drawn[whole, place[name]] for name in parameters},
            _estimate={name: observed[name] for name in parameters},
            _rule=rule,
            _class_prior=class_prior,
            _density=density,
            _sampling=sampling,
        )

    def interval(self, name: str, confidence_level: float = 0.95) -> Interval:
        """Return an interval.

        The label frequency and the class prior have percentiles of the resamples. A class prior
        that was averaged over curves, as that of `PULogistic`, has its own interval of the
        population. Recall, share, F1_PU, precision and F1 have that of the "deployed rule".

        Parameters
        ----------
        name : str
            One of `names`.
        confidence_level : float, default=0.95
            Confidence level.

        Returns
        -------
        interval : Interval
            The estimate and the ends of its interval.
        """
        check_choice("name", name, self.names)
        check_level(confidence_level)
        if name not in self._estimate:
            return self._of_rule(name, confidence_level)
        if self._density is not None:
            return self._averaged(name, confidence_level, self._density)
        return percentile_interval(self._estimate[name], self.values[name], confidence_level)

    def _of_rule(self, name: str, confidence_level: float) -> Interval:
        scale, given = SCALES[name], self._class_prior
        if name in NEED_PRIOR and self._predicts_nobody:
            return Interval(np.nan, np.nan, np.nan, confidence_level, METHOD)
        if isinstance(given, Interval):
            value, interval = self._over(name, confidence_level, given)
        elif given is None and self._density is not None and name in NEED_PRIOR:
            value, interval = self._over(
                name, confidence_level, self._averaged_prior(confidence_level, self._density)
            )
        else:
            one = self._at(name, given)
            value, interval = one.value, one.interval(scale, confidence_level)
        if value > scale.largest + _ROUNDING:
            warn(
                "PU112",
                f"{name} at the cut would be {scale.back(value):.3g}, above 1: the class prior is "
                "too large for the labels. The interval ends at 1. Use a smaller class prior.",
            )
        return interval

    def _averaged(self, name: str, confidence_level: float, density: PriorDensity) -> Interval:
        """Return the interval of the class prior, or of the label frequency, of the population."""
        prior = self._averaged_prior(confidence_level, density)
        if name == "class_prior":
            return prior
        frequency = self._estimate["label_frequency"]
        share = self._sampling.labeled_share(frequency, prior.estimate)
        found = prior.map(lambda end: min(1.0, self._sampling.label_frequency(end, share)))
        return found.with_estimate(frequency)

    def _averaged_prior(self, confidence_level: float, density: PriorDensity) -> Interval:
        return density.interval(confidence_level, "population").with_estimate(
            self._estimate["class_prior"]
        )

    def _over(self, name: str, confidence_level: float, prior: Interval) -> tuple[float, Interval]:
        """Return the interval for a class prior with an interval, whose error is independent."""
        assert self._rule is not None
        value, error = self._at(name, prior.estimate)
        rates = Rates(*self._rule.corrected(), prior.estimate)
        return value, over_priors(SCALES[name], rates, error, prior, confidence_level)

    @property
    def _predicts_nobody(self) -> bool:
        """Whether the fitted classifier predicts no row positive: it then has no precision."""
        return self._rule is not None and self._rule.observed[2] == 0

    def _at(self, name: str, prior: float | None) -> OnScale:
        assert self._rule is not None
        n_drawn = len(self._rule.own)
        if prior is not None:
            return self._rule.on_scale(name, prior, np.full(n_drawn, prior))
        if "class_prior" in self._estimate:
            return self._rule.on_scale(
                name, self._estimate["class_prior"], self.values["class_prior"]
            )
        return self._rule.on_scale(name, np.nan, np.full(n_drawn, np.nan))

    def _columns(self) -> dict[str, Array]:
        intervals = [self.interval(name) for name in self.names]
        columns = {
            name: np.array([getattr(one, name) for one in intervals])
            for name in ("estimate", "lower", "upper")
        }
        methods = np.array([one.method for one in intervals], dtype=object)
        return {"name": np.array(self.names, dtype=object), **columns, "method": methods}

    def _tables(self) -> list[TextTable]:
        heading = ["", "estimate", "[0.025", "0.975]", "method"]
        rows = [
            [name, *(f"{number:.4f}" for number in numbers), method]
            for name, *numbers, method in zip(*self._columns().values(), strict=True)
        ]
        title = f"Bootstrap of rows: {self.n_resamples - self.n_failed} resamples"
        codes = "; ".join(f"{code} in {n} of them" for code, n in sorted(self.codes.items()))
        notes = [f"warnings: {codes}"] if codes else []
        return [TextTable(title, [heading, *rows], notes, left=(0, 4))]


def _deployed(observed: dict[str, float], drawn: Array, place: dict[str, int]) -> Deployed:
    """Collect the counts of the fitted classifier, and of the refitted ones on all three sets."""
    fitted = np.array([observed[f"{PLACES[0]}.{name}"] for name in COUNTS])
    refitted = (drawn[:, [place[f"{where}.{name}"] for name in COUNTS]] for where in PLACES)
    return Deployed(fitted, *refitted)


def _report_failures(n_failed: int, n_left: int, codes: list[list[str]]) -> None:
    """Warn of failed refits; raise if more failed than succeeded."""
    failures = [code for one in codes for code in one if code.startswith("failed: ")]
    if n_left < 2 or n_left < n_failed:
        reason = failures[0].removeprefix("failed: ")
        raise ValueError(
            f"Only {n_left} of {n_left + n_failed} bootstrap fits of `estimator` succeeded. The "
            f"first error: {reason}"
        )
    if n_failed:
        warn(
            "PU115",
            f"{n_failed} refits to resamples failed. The intervals use the others and may be too "
            f"narrow. The first error: {failures[0].removeprefix('failed: ')}",
        )
