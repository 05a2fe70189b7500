"""F1_PU, recall and share at every cut of a score."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..labels import encode_labels, positive_class_of
from ..metrics import _from_rates as rates
from ..thresholds import ChosenCut, Cuts, choose_cut, f1_pu, scan_cuts

# Okabe and Ito's colours, told apart by the colour-blind and, with the dashes, in grey.
_F1_PU_COLOUR, _RECALL_COLOUR, _SHARE_COLOUR = "#0072B2", "#D55E00", "#555555"


class CutCurveDisplay:
    """F1_PU, recall and share predicted positive at every cut of a score.

    Make it with `from_estimator` or `from_predictions`.

    Parameters
    ----------
    cuts : Cuts
        Labelled and total counts above every distinct score.
    chosen : ChosenCut
        The cut with the largest F1_PU.
    threshold : float, optional
        A further cut to mark, such as the naive classifier's.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by `plot`.

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import CutCurveDisplay
    >>> data = make_paper_gaussian(n=1000, c=0.6, random_state=0)
    >>> model = EnhancedLogistic().fit(data.X, data.s)
    >>> display = CutCurveDisplay.from_estimator(model, data.X, data.s)
    >>> sorted(display.frame())
    ['f1_pu', 'recall', 'share', 'threshold']
    """

    def __init__(self, cuts: Cuts, chosen: ChosenCut, threshold: float | None = None) -> None:
        self.cuts = cuts
        self.chosen = chosen
        self.threshold = threshold

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, plot: bool = False
    ) -> CutCurveDisplay:
        """Scan the scores an estimator gives to labelled and unlabelled rows.

        Parameters
        ----------
        estimator : fitted classifier with `decision_function`
            Its score is taken without intercept where it has `coef_`.
        X : array-like of shape (n_rows, n_features)
            Feature rows.
        y : array-like of shape (n_rows,)
            Label column.
        ax : matplotlib axes, optional
            Where to draw.
        plot : bool, default=False
            Draw at once.

        Returns
        -------
        display : CutCurveDisplay
        """
        positive = positive_class_of(estimator)
        model = estimator[-1] if hasattr(estimator, "steps") else estimator
        sign = 1.0 if positive is None or positive == model.classes_[1] else -1.0
        shift = float(np.ravel(getattr(model, "intercept_", 0.0))[0])
        score = sign * (estimator.decision_function(X) - shift)
        naive = getattr(model, "naive_intercept_", None)
        return cls.from_predictions(
            y,
            score,
            positive_label=positive,
            threshold=None if naive is None else -sign * float(naive),
            ax=ax,
            plot=plot,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        score: Any,
        *,
        positive_label: Any = None,
        threshold: float | None = None,
        ax: Any = None,
        plot: bool = False,
    ) -> CutCurveDisplay:
        """Scan given scores.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Label column.
        score : array-like of shape (n_rows,)
            Score of each row, larger meaning more probably positive.
        positive_label : object, optional
            The value of y that marks labelled rows.
        threshold : float, optional
            A further cut to mark.
        ax : matplotlib axes, optional
            Where to draw.
        plot : bool, default=False
            Draw at once.

        Returns
        -------
        display : CutCurveDisplay
        """
        s, _ = encode_labels(y, positive_label)
        cuts = scan_cuts(np.asarray(score), s)
        display = cls(cuts, choose_cut(cuts, f1_pu()), threshold)
        return display.plot(ax) if plot or ax is not None else display

    def frame(self) -> dict[str, np.ndarray]:
        """Return the plotted numbers, a column a quantity, a row a cut."""
        return {
            "threshold": self.cuts.score,
            "f1_pu": rates.f1_pu(self.cuts.recall, self.cuts.share),
            "recall": self.cuts.recall,
            "share": self.cuts.share,
        }

    def plot(self, ax: Any = None) -> CutCurveDisplay:
        """Draw the curves and mark the chosen cut.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        display : CutCurveDisplay
            Itself, with `ax_` and `figure_`.
        """
        import matplotlib.pyplot as plt

        if ax is None:
            _, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
        numbers = self.frame()
        cut = numbers["threshold"]
        ax.plot(
            cut, numbers["f1_pu"], color=_F1_PU_COLOUR, lw=2, label="F1$_{PU}$ = recall² / share"
        )
        ax.plot(cut, numbers["recall"], "--", color=_RECALL_COLOUR, label="recall of labelled rows")
        ax.plot(cut, numbers["share"], ":", color=_SHARE_COLOUR, label="share predicted positive")
        best = f"largest F1$_{{PU}}$, {self.chosen.value:.2f}"
        ax.axvline(self.chosen.threshold, color=_F1_PU_COLOUR, lw=1)
        ax.plot(self.chosen.threshold, self.chosen.value, "o", color=_F1_PU_COLOUR, label=best)
        if self.threshold is not None:
            ax.axvline(self.threshold, color="black", ls="-.", lw=1, label="the naive cut")
        ax.set(xlabel="cut of the score", ylim=(0, None))
        ax.legend(loc="upper left", frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
