"""A measure at every cut of a score, by checked rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..inference import Interval
from ._display import (
    BLACK,
    BLUE,
    GRAY,
    VERMILION,
    LineDisplay,
    changed_look,
    legend_above,
    shown_name,
)

_OF_THE_TABLE = ("count", "class_prior")


class AuditDisplay(LineDisplay):
    """A measure at every cut of a score, by checked rows, with pointwise intervals.

    The intervals need no assumption about how labels were given. If answers are missing, they take
    rows without one to be like the others with similar scores. At the cut that was judged, the
    display marks the estimate with its interval, and what the labels alone claimed. Make it with
    `from_result`.

    `to_frame` has one row per cut: threshold, share of rows above, estimate and ends. Cuts
    above which there is no row are left out.

    Parameters
    ----------
    curve : dict of str to ndarray
        Columns `threshold`, `share`, `estimate`, `lower` and `upper`, one entry per cut.
    measure : str
        Name of the measure.
    confidence_level : float, default=0.95
        Coverage of the intervals, cut by cut.
    judged : Interval, optional
        The measure at the judged cut.
    judged_share : float, optional
        Share of rows above the judged cut.
    claimed : float, optional
        What the labels alone, or the fit, said about `judged`.
    claimed_by : str
        Who said it, as `AuditResult.claimed_by`.

    Attributes
    ----------
    line_ : matplotlib line
        The curve of estimates.
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.audit.draw_audit : Draws the rows to check.
    unlabeled.plots.CutCurveDisplay : What the labels alone say at every cut.

    Examples
    --------
    >>> from unlabeled.audit import draw_audit
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import AuditDisplay
    >>> data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    >>> score = data.X @ [1, 1, 1]
    >>> audit = draw_audit(score, None, data.s, size=50, threshold=0, random_state=0)
    >>> result = audit.estimate(data.y_true[audit.rows])
    >>> display = AuditDisplay.from_result(result)
    >>> sorted(display.to_frame())
    ['estimate', 'lower', 'share', 'threshold', 'upper']
    """

    _size = (7.0, 4.6)

    def __init__(
        self,
        curve: dict[str, np.ndarray],
        measure: str,
        *,
        confidence_level: float = 0.95,
        judged: Interval | None = None,
        judged_share: float | None = None,
        claimed: float | None = None,
        claimed_by: str = "labels alone",
    ) -> None:
        self.curve = curve
        self.measure = measure
        self.confidence_level = confidence_level
        self.judged = judged
        self.judged_share = judged_share
        self.claimed = claimed
        self.claimed_by = claimed_by

    @classmethod
    def from_result(
        cls,
        result: Any,
        measure: str | Callable[[Any, Any, Any], Any] = "precision",
        *,
        ax: Any = None,
        plot: bool = True,
        **line_kwargs: Any,
    ) -> AuditDisplay:
        """Plot what checked rows say about a measure.

        Parameters
        ----------
        result : AuditResult
            As `Audit.estimate` returns.
        measure : str or callable, default="precision"
            As in `AuditResult.measure`; it must depend on the cut.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        **line_kwargs : dict
            Keyword arguments for the curve, passed to matplotlib's `plot`.

        Returns
        -------
        display : AuditDisplay
        """
        if not callable(getattr(result, "curve", None)):
            raise ValueError(
                f"`result` must be what `Audit.estimate` returns; got {type(result).__name__}. "
                "Answer the drawn rows first."
            )
        if measure in _OF_THE_TABLE:
            raise ValueError(
                "`measure` must depend on the cut, as precision, recall and F1 do; got "
                f"{measure!r}, which is one number: `result.{measure}`."
            )
        name = measure if isinstance(measure, str) else getattr(measure, "__name__", "measure")
        curve = result.curve(measure)
        some = curve["share"] > 0  # where no row is selected, precision has no meaning
        display = cls(
            {key: column[some] for key, column in curve.items()},
            name,
            confidence_level=result.confidence_level,
            claimed_by=result.claimed_by,
        )
        table = result.audits[0].table
        if table.n_predicted > 0:
            display.judged = result.measure(measure)
            display.judged_share = table.n_predicted / table.n_rows
            display.claimed = result.claimed.get(name)
        return display._drawn_if(plot, ax, **line_kwargs)

    def _columns(self) -> dict[str, np.ndarray]:
        return dict(self.curve)

    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        columns = self._columns()
        share, lower, upper = columns["share"], columns["lower"], columns["upper"]
        name = shown_name(self.measure)
        words = f"{self.confidence_level:.0%} interval at each cut"
        ax.fill_between(share, lower, upper, color=BLUE, alpha=0.18, lw=0, label=words)
        look = {"color": BLUE, "linewidth": 2, "label": f"{name} by the checked rows"}
        (self.line_,) = ax.plot(share, columns["estimate"], **changed_look(look, line_kwargs))
        values = [lower.min(), upper.max()]
        if self.judged is not None:
            values += self._draw_judged(ax, self.judged)
        ax.set(xlabel="Share of rows selected", ylabel=name, xlim=(-0.02, 1.02))
        bottom, top = min(0.0, *values), max(1.0, *values)
        legend_above(ax, bottom - 0.02 * (top - bottom), top + 0.03 * (top - bottom))

    def _draw_judged(self, ax: Any, judged: Interval) -> list[float]:
        """Mark the judged cut and the claim; return the values drawn."""
        share = self.judged_share
        ends = [[judged.estimate - judged.lower], [judged.upper - judged.estimate]]
        words = f"The cut that was judged: {judged.lower:.2f} to {judged.upper:.2f}"
        ax.axvline(share, color=GRAY, lw=0.8, ls=":", ymax=0.7)
        ax.errorbar(
            [share], [judged.estimate], ends, fmt="o", color=BLACK, capsize=4, lw=1.4, label=words
        )
        if self.claimed is None:
            return []
        look = {"ms": 7, "mec": VERMILION, "mfc": "white", "mew": 1.8}
        words = f"Claimed by {self.claimed_by}: {self.claimed:.2f}"
        ax.plot([share], [self.claimed], "s", color=VERMILION, label=words, **look)
        return [self.claimed]
