"""The null distribution of a test of SCAR and the observed statistic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._display import BLACK, GRAY, ORANGE, PALE, Display, legend_above

_BINS = 30


class ScarTestDisplay(Display):
    """Null distribution of a test of SCAR, and the observed statistic.

    Large statistics are evidence against SCAR. Draws at least as large as the
    observed one are hatched; their fraction is about the p-value. Make it with
    `from_test`.

    `to_frame` has one row per bar: left, right, and the draws in it below the statistic
    (smaller) and at or above it (as_large).

    Parameters
    ----------
    statistic : float
        The observed statistic.
    null_statistics : ndarray of shape (n_draws,)
        Statistics drawn under SCAR.
    p_value : float
        The p-value of the test.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.diagnostics.scar_test : The test.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from unlabeled.plots import ScarTestDisplay
    >>> null = np.random.default_rng(0).chisquare(3, 199)
    >>> test = SimpleNamespace(statistic=6.0, null_statistics=null, p_value=0.1)
    >>> numbers = ScarTestDisplay.from_test(test).to_frame()
    >>> int(numbers["smaller"].sum() + numbers["as_large"].sum())
    199
    """

    def __init__(self, statistic: float, null_statistics: np.ndarray, p_value: float) -> None:
        self.statistic = statistic
        self.null_statistics = null_statistics
        self.p_value = p_value

    @classmethod
    def from_test(cls, result: Any, *, ax: Any = None, plot: bool = True) -> ScarTestDisplay:
        """Plot the result of a test.

        Parameters
        ----------
        result : object with `statistic`, `null_statistics` and `p_value`
            As `diagnostics.scar_test` returns.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : ScarTestDisplay
        """
        missing = [
            name
            for name in ("statistic", "null_statistics", "p_value")
            if getattr(result, name, None) is None
        ]
        if missing:
            raise ValueError(
                "`result` must have `statistic`, `null_statistics` and `p_value`; got "
                f"{type(result).__name__} without {', '.join(missing)}. Pass what "
                "`diagnostics.scar_test` returns."
            )
        null = np.asarray(result.null_statistics, dtype=np.float64).ravel()
        if len(null) == 0 or not np.all(np.isfinite(null)):
            raise ValueError(
                f"`null_statistics` must hold finite numbers; got {len(null)} draws, "
                f"{int(np.sum(~np.isfinite(null)))} of them not finite. Draw more."
            )
        return cls(float(result.statistic), null, float(result.p_value))._drawn_if(plot, ax)

    def _columns(self) -> dict[str, np.ndarray]:
        edges = np.histogram_bin_edges(np.append(self.null_statistics, self.statistic), _BINS)
        large = self.null_statistics >= self.statistic
        return {
            "left": edges[:-1],
            "right": edges[1:],
            "smaller": np.histogram(self.null_statistics[~large], edges)[0],
            "as_large": np.histogram(self.null_statistics[large], edges)[0],
        }

    def _draw(self, ax: Any) -> None:
        columns = self._columns()
        smaller, as_large = columns["smaller"], columns["as_large"]
        top = 1.05 * (smaller + as_large).max()
        bars = {"width": columns["right"][0] - columns["left"][0], "align": "edge", "lw": 0.7}
        words = f"{len(self.null_statistics)} draws under SCAR"
        ax.bar(columns["left"], smaller, color=PALE, edgecolor=GRAY, label=words, **bars)
        words = f"At least as large, {as_large.sum()} of them"
        bars |= {"color": "white", "edgecolor": ORANGE, "hatch": "////", "label": words}
        some = as_large > 0
        if some.any():
            ax.bar(columns["left"][some], as_large[some], bottom=smaller[some], **bars)
        observed = f"Observed {self.statistic:.3g}, p = {self.p_value:.2g}"
        ax.plot([self.statistic] * 2, [0, top], color=BLACK, lw=2, label=observed)
        ax.set(xlabel="Statistic", ylabel="Number of draws")
        ax.yaxis.get_major_locator().set_params(integer=True)
        legend_above(ax, 0, top)
