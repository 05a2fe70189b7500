"""What resamples tell."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..codes import warn
from ..parameters import check_choice
from ._deployed import NEED_PRIOR, SCALES, deployed_interval, with_prior_between
from ._interval import Interval, bca_interval, percentile_interval
from ._resample import PARAMETERS

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Bootstrap:
    """An estimator refitted to resamples; prints as a table of intervals.

    Attributes
    ----------
    names : tuple of str
        What there are intervals of.
    n_resamples, n_failed : int
        Resamples, and those whose fit raised an error; they are left out.
    codes : dict of str to int
        Warnings the refits gave, and how many gave them.
    values : dict of str to ndarray of shape (n_resamples,)
        Fitted label frequency and class prior of every resample.
    """

    names: tuple[str, ...]
    n_resamples: int
    n_failed: int
    codes: dict[str, int]
    values: dict[str, Array]
    _estimate: dict[str, float]
    _left_out: dict[str, Array]
    _observed: Array
    _own: Array
    _on_original: Array
    _class_prior: float | tuple[float, float] | None

    @classmethod
    def of(
        cls,
        table: tuple[Array, list[list[str]]],
        n_resamples: int,
        observed: Array,
        columns: tuple[str, ...],
        class_prior: float | tuple[float, float] | None,
    ) -> Bootstrap:
        """Sort the numbers of resamples, and of fits with a group of rows left out."""
        numbers, codes = table
        drawn, left_out = numbers[:n_resamples], numbers[n_resamples:]
        whole = ~np.isnan(drawn).any(axis=1)
        if not whole.any():
            reason = codes[0][0].removeprefix("failed: ")
            raise ValueError(f"`estimator` must fit resamples of the rows; no fit did: {reason}")
        n_failed = int(np.sum(~whole))
        if n_failed:
            warn(
                "PU115",
                f"{n_failed} of {n_resamples} resamples could not be fitted and are left out: "
                "intervals may be too short. Look at `codes` for the reason.",
            )
        parameters = [name for name in columns if name in PARAMETERS]
        place = {name: columns.index(name) for name in parameters}
        n_parameters = len(parameters)
        rule = [] if len(columns) == n_parameters else list(SCALES)
        if class_prior is None and "class_prior" not in parameters:
            rule = [name for name in rule if name not in NEED_PRIOR]
        return cls(
            names=(*parameters, *rule),
            n_resamples=n_resamples,
            n_failed=n_failed,
            codes=dict(Counter(code for one in codes[:n_resamples] for code in one)),
            values={name: drawn[whole, k] for name, k in place.items()},
            _estimate={name: float(observed[k]) for name, k in place.items()},
            _left_out={name: left_out[:, k] for name, k in place.items()},
            _observed=observed[n_parameters : n_parameters + 4],
            _own=drawn[whole, n_parameters : n_parameters + 4],
            _on_original=drawn[whole, n_parameters + 4 :],
            _class_prior=class_prior,
        )

    def interval(self, name: str, level: float = 0.95, method: str = "percentile") -> Interval:
        """Return an interval.

        Parameters
        ----------
        name : str
            One of `names`.
        level : float, default=0.95
        method : {"percentile", "bca"}, default="percentile"
            For the label frequency and the class prior; BCa needs
            ``acceleration=True``. Values of the rule have a method of their own.

        Returns
        -------
        interval : Interval
        """
        check_choice("name", name, self.names)
        check_choice("method", method, ("percentile", "bca"))
        if not 0 < level < 1:
            raise ValueError(f"`level` must be between 0 and 1; got {level!r}.")
        if name not in self._estimate:
            return self._of_rule(name, level)
        estimate, drawn = self._estimate[name], self.values[name]
        if method == "percentile":
            return percentile_interval(estimate, drawn, level)
        left_out = self._left_out[name]
        left_out = left_out[~np.isnan(left_out)]
        if len(left_out) < 2:
            raise ValueError(
                "`method` must be 'percentile' unless rows were left out in groups; got 'bca'. "
                "Call bootstrap with acceleration=True."
            )
        return bca_interval(estimate, drawn, left_out, level)

    def _of_rule(self, name: str, level: float) -> Interval:
        if isinstance(self._class_prior, tuple):
            low, high = self._class_prior
            return with_prior_between(name, lambda prior: self._at(name, level, prior), low, high)
        if self._class_prior is None and "class_prior" in self._estimate:
            drawn = self.values["class_prior"]
            return self._at(name, level, self._estimate["class_prior"], drawn)
        return self._at(name, level, np.nan if self._class_prior is None else self._class_prior)

    def _at(self, name: str, level: float, prior: float, drawn: Array | None = None) -> Interval:
        drawn = np.full(len(self._own), prior) if drawn is None else drawn
        return deployed_interval(
            name, self._observed, self._own, self._on_original, prior, drawn, level
        )

    def frame(self, level: float = 0.95) -> dict[str, Array]:
        """Return the intervals, a column a quantity, a row a name.

        Parameters
        ----------
        level : float, default=0.95
        """
        found = [self.interval(name, level) for name in self.names]
        return {
            "name": np.array(self.names, dtype=object),
            "estimate": np.array([one.estimate for one in found]),
            "lower": np.array([one.lower for one in found]),
            "upper": np.array([one.upper for one in found]),
            "method": np.array([one.method for one in found], dtype=object),
        }

    def __str__(self) -> str:
        columns = self.frame()
        lines = [
            f"{name:<16}{estimate:>9.4f}{lower:>10.4f}{upper:>9.4f}  {method}"
            for name, estimate, lower, upper, method in zip(*columns.values(), strict=True)
        ]
        head = f"{'':<16}{'estimate':>9}{'[0.025':>10}{'0.975]':>9}  method"
        title = f"Bootstrap of rows: {self.n_resamples - self.n_failed} resamples"
        told = [f"{code} in {n} of them" for code, n in sorted(self.codes.items())]
        return "\n".join([title, head, *lines, *(["warnings: " + "; ".join(told)] if told else [])])
