"""Recall against the fraction predicted positive, of several models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import auc

from ..engine.rows import encode_labels, score_column
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord
from ..thresholds import Cuts, count_above
from ._display import GRAY, LINES, SMALL, Display, legend, scored_rows

_F1_PU_LEVELS = (1.0, 2.0, 4.0, 8.0)


class RecallShareDisplay(Display):
    r"""Recall of the labeled rows against the fraction predicted positive, per model.

    A counterpart of the ROC curve for unknown classes. Higher is better, for every
    class prior. Under SCAR, recall r of the labeled rows estimates the recall of the
    positives, and the slope is proportional to the posterior at the cut. The area under
    the curve is then a linear function of the area under the ROC curve. A score without
    information stays on the diagonal. No curve rises faster than 1 over the
    class prior.
    Faint lines join points of equal :math:`F1_{PU} = r^2/q`, with q the fraction
    predicted positive. Make it with `from_estimators` or `from_predictions`.

    `to_frame` has all curves one below the other, from no row predicted positive to all rows:
    model, threshold, share and recall.

    Parameters
    ----------
    cuts : dict of str to Cuts
        Every cut of each model's score on the same rows.
    marked : dict of str to float, optional
        Threshold to mark on the curve of each model, by name.
    f1_pu_lines : bool, default=True
        Whether to draw lines of equal F1_PU.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.plots.CutCurveDisplay : One model, cut by cut.

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import RecallShareDisplay
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.6, random_state=0)
    >>> scores = {"all features": data.X @ [-1, 1, 1], "the last": data.X[:, 2]}
    >>> display = RecallShareDisplay.from_predictions(data.s, scores)
    >>> {name: round(area, 2) for name, area in display.areas().items()}
    {'all features': 0.77, 'the last': 0.69}
    """

    _size = (5.6, 5.2)

    def __init__(
        self,
        cuts: dict[str, Cuts],
        marked: Mapping[str, float] | None = None,
        *,
        f1_pu_lines: bool = True,
    ) -> None:
        self.cuts = cuts
        self.marked = {} if marked is None else dict(marked)
        self.f1_pu_lines = f1_pu_lines
        unknown = [name for name in self.marked if name not in cuts]
        if unknown:
            raise ValueError(
                f"`marked` must have names of the models, {', '.join(map(repr, cuts))}; "
                f"got {', '.join(map(repr, unknown))}. Use the same names."
            )

    @classmethod
    def from_estimators(
        cls,
        estimators: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        pos_label: Any = None,
        f1_pu_lines: bool = True,
        ax: Any = None,
        plot: bool = True,
    ) -> RecallShareDisplay:
        """Plot the curves of fitted classifiers, and mark the threshold of each.

        Parameters
        ----------
        estimators : dict of str to fitted classifier
            Fitted classifiers by name.
        X : array-like of shape (n_rows, n_features)
            Feature rows, preferably not training rows of any estimator: curves of
            training rows are optimistic.
        y : array-like of shape (n_rows,)
            Label column. Every row counts once, also if the fit had weights.
        pos_label : object, optional
            The value of y that marks labeled rows, if an estimator does not
            know it.
        f1_pu_lines : bool, default=True
            Whether to draw lines of equal F1_PU.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : RecallShareDisplay
        """
        _check_named("estimators", estimators)
        scored = {name: scored_rows(each, X, y, pos_label) for name, each in estimators.items()}
        positive = {rows.positive for rows in scored.values()}
        if len(positive) > 1:
            raise ValueError(
                "`estimators` must agree on the positive class; got "
                f"{', '.join(sorted(map(repr, positive)))}. Fit them with one `pos_label`."
            )
        cuts = {
            name: count_above(rows.score, rows.s, None, rows.sampling)
            for name, rows in scored.items()
        }
        marked = {name: rows.cut for name, rows in scored.items()}
        return cls(cuts, marked, f1_pu_lines=f1_pu_lines)._drawn_if(plot, ax)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        scores: Mapping[str, Any],
        *,
        marked: Mapping[str, float] | None = None,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        f1_pu_lines: bool = True,
        ax: Any = None,
        plot: bool = True,
    ) -> RecallShareDisplay:
        """Plot the curves of given scores.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Label column.
        scores : dict of str to array-like of shape (n_rows,)
            Each model's score of each row, larger meaning more probably positive.
        marked : dict of str to float, optional
            Threshold to mark on the curve of each model, by name.
        pos_label : object, optional
            The value of y that marks labeled rows.
        sampling : {"one-sample", "two-sample"}, default="one-sample"
            "two-sample" if the unlabeled rows alone are a sample of the population.
        f1_pu_lines : bool, default=True
            Whether to draw lines of equal F1_PU.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : RecallShareDisplay
        """
        _check_named("scores", scores)
        s, _ = encode_labels(y, pos_label)
        cuts = {
            name: count_above(score_column(score, s, name), s, None, Sampling.of(sampling))
            for name, score in scores.items()
        }
        return cls(cuts, marked, f1_pu_lines=f1_pu_lines)._drawn_if(plot, ax)

    def _columns(self) -> dict[str, np.ndarray]:
        curves, pieces = [self._curve(name) for name in self.cuts], self.cuts.values()
        return {
            "model": np.repeat(list(self.cuts), [len(cuts.score) + 1 for cuts in pieces]),
            "threshold": np.concatenate([np.append(np.inf, cuts.score) for cuts in pieces]),
            "share": np.concatenate([share for share, _ in curves]),
            "recall": np.concatenate([recall for _, recall in curves]),
        }

    def areas(self) -> dict[str, float]:
        """Return the area under each curve; 1/2 for a score without information.

        Returns
        -------
        areas : dict of str to float
        """
        return {name: float(auc(*self._curve(name))) for name in self.cuts}

    def _curve(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        cuts = self.cuts[name]
        return np.append(0.0, cuts.share), np.append(0.0, cuts.recall)

    def _draw(self, ax: Any) -> None:
        ax.plot([0, 1], [0, 1], color=GRAY, ls=(0, (4, 2)), lw=1, label="No information")
        if self.f1_pu_lines:
            _draw_f1_pu_lines(ax)
        for k, name in enumerate(self.cuts):
            look = dict(LINES[k % len(LINES)])
            marker, (share, recall) = look.pop("marker"), self._curve(name)
            ax.plot(share, recall, lw=1.8, **look)
            at = {}
            if name in self.marked:
                index = int(np.sum(self.cuts[name].score > self.marked[name]))
                at = {"marker": marker, "ms": 8, "markeredgecolor": "white"}
                ax.plot(
                    share[index], recall[index], **{**look, **at, "linestyle": "none"}, zorder=4
                )
            ax.plot([], [], lw=1.8, label=name, **look, **at)
        ax.set(xlim=(0, 1.02), ylim=(0, 1.08), aspect="equal")
        ax.set(xlabel="Share predicted positive", ylabel="Recall of labeled rows")
        title = "Marks: the model's cut" if self.marked else None
        legend(ax, "best", title=title, title_fontsize=SMALL, alignment="left")


def _draw_f1_pu_lines(ax: Any) -> None:
    for level in _F1_PU_LEVELS:
        share = np.linspace(0, 1 / level, 100)
        ax.plot(share, np.sqrt(level * share), color=GRAY, lw=0.6, alpha=0.5, zorder=0)
        words = "F1$_{PU}$ = 1" if level == 1 else f"{level:g}"
        side = "right" if level == 1 else "center"
        ax.text(1 / level, 1.01, words, fontsize=7, color=GRAY, ha=side, va="bottom")


def _check_named(name: str, given: Any) -> None:
    if not isinstance(given, Mapping) or not given:
        got = "an empty one" if isinstance(given, Mapping) else type(given).__name__
        raise ValueError(
            f"`{name}` must be a dictionary with one entry per model; got {got}. "
            "Give each model a name."
        )
