"""An estimate inside its interval; and many of them, one per coefficient, cut or sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .result_table import Columns

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Interval:
    """An estimate inside its interval, which unpacks as ``lower, upper = interval``.

    ``value in interval`` says whether the interval holds a value, and ``print`` shows it in short.

    Attributes
    ----------
    estimate, lower, upper : float
        The estimate, and the lower and upper end. `lower` <= `estimate` <= `upper`; NaN if
        there is none.
    confidence_level : float
        Confidence level.
    method : str
        How the interval was computed.
    without_upper : bool
        Whether `upper` itself is no part of the interval, although all smaller values are. A label
        frequency of 1 lies at the edge of what is possible, where a test has a smaller critical
        value. So it can be ruled out while all values just below it are not.
    """

    estimate: float
    lower: float
    upper: float
    confidence_level: float
    method: str
    without_upper: bool = False

    def __post_init__(self) -> None:
        _reject_disorder(self.lower, self.estimate, self.upper)

    @classmethod
    def around(
        cls,
        estimate: float,
        ends: Iterable[float],
        confidence_level: float,
        method: str,
        without_upper: bool = False,
    ) -> Interval:
        """Make one whose ends are moved out to the estimate where they lie beyond it.

        Parameters
        ----------
        estimate : float
        ends : pair of float
        confidence_level : float
        method : str
        without_upper : bool, default=False
        """
        lower, upper = _moved_out(estimate, ends)
        return cls(estimate, float(lower), float(upper), confidence_level, method, without_upper)

    def with_estimate(self, estimate: float) -> Interval:
        """Return the interval with another estimate, which it is widened to hold.

        Parameters
        ----------
        estimate : float
        """
        return self.around(estimate, self, self.confidence_level, self.method, self.without_upper)

    def map(self, function: Callable[[float], float]) -> Interval:
        """Return the interval of a function of the estimated number.

        Parameters
        ----------
        function : callable
            It only rises, or only falls.
        """
        estimate = float(function(self.estimate))
        return self.around(
            estimate, sorted(map(function, self)), self.confidence_level, self.method
        )

    def to_dict(self) -> dict[str, float]:
        """Return estimate and ends, for a file."""
        return {name: getattr(self, name) for name in ("estimate", "lower", "upper")}

    def __str__(self) -> str:
        estimate, lower, upper = map(_shown, (self.estimate, *self))
        edge = ", without the upper end" if self.without_upper else ""
        return f"{estimate}, {lower} to {upper} ({self.confidence_level:.0%} confidence{edge})"

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))

    def __contains__(self, value: float) -> bool:
        inside = self.lower <= value <= self.upper
        return bool(inside and not (self.without_upper and value == self.upper))


@dataclass(frozen=True, eq=False)
class Intervals(Columns):
    """Intervals at one confidence_level: a sequence of `Interval`, kept as columns.

    `to_frame` has one row per interval: estimate, lower and upper.

    Attributes
    ----------
    estimate, lower, upper : ndarray of shape (n_intervals,)
        The estimates, and the lower and upper ends.
    confidence_level : float
        Confidence level of each interval.
    method : str
        How the intervals were computed.
    """

    estimate: Array
    lower: Array
    upper: Array
    confidence_level: float
    method: str

    def __post_init__(self) -> None:
        _reject_disorder(self.lower, self.estimate, self.upper)

    @classmethod
    def around(
        cls, estimate: Array, ends: Iterable[Array], confidence_level: float, method: str
    ) -> Intervals:
        """Make them with ends that are moved out to the estimate where they lie beyond it.

        Parameters
        ----------
        estimate : ndarray of shape (n_intervals,)
        ends : pair of ndarray
        confidence_level : float
        method : str
        """
        lower, upper = _moved_out(estimate, ends)
        return cls(estimate, lower, upper, confidence_level, method)

    def map(self, function: Callable[[Array], Array]) -> Intervals:
        """Return the intervals of a function of the estimated numbers.

        Parameters
        ----------
        function : callable
            It only rises, or only falls.
        """
        ends = np.sort([function(self.lower), function(self.upper)], axis=0)
        return self.around(function(self.estimate), ends, self.confidence_level, self.method)

    def __len__(self) -> int:
        return len(self.estimate)

    def __getitem__(self, which: Any) -> Any:
        """Return one interval by its position, or the intervals of a slice or an array."""
        estimate, lower, upper = self.estimate[which], self.lower[which], self.upper[which]
        if np.ndim(estimate):
            return Intervals(estimate, lower, upper, self.confidence_level, self.method)
        return Interval(
            float(estimate), float(lower), float(upper), self.confidence_level, self.method
        )

    def __iter__(self) -> Iterator[Interval]:
        return (self[k] for k in range(len(self)))

    def _columns(self) -> dict[str, Array]:
        return {"estimate": self.estimate, "lower": self.lower, "upper": self.upper}


def _moved_out(estimate: Any, ends: Iterable[Any]) -> tuple[Any, Any]:
    """Move lower and upper end out to the estimate; NaN stays."""
    lower, upper = ends
    return np.where(estimate < lower, estimate, lower), np.where(estimate > upper, estimate, upper)


def _shown(value: float) -> str:
    """Write a number with three digits, or all of its whole ones."""
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def _reject_disorder(lower: Any, estimate: Any, upper: Any) -> None:
    """Raise unless lower <= estimate <= upper, where they are numbers."""
    if np.any((lower > estimate) | (estimate > upper) | (lower > upper)):
        raise ValueError(
            "An interval must have its lower end first, and its estimate between the ends; got "
            f"estimate {estimate!r}, lower {lower!r}, upper {upper!r}."
        )
