"""Scores of labeled and unlabeled rows, and the positives among the latter."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, get_args

import numpy as np

from ..engine.estimators import fitted_model
from ..engine.parameters import check_choice, check_fraction, check_positive
from ..engine.rows import encode_labels, score_column
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord, unlabeled_prior
from ._display import (
    BLACK,
    BLUE,
    GRAY,
    ORANGE,
    PALE,
    Display,
    known_fraction,
    legend_above,
    posterior_of,
    scored_rows,
)

# Labels of the axis.
ResponseMethod = Literal["auto", "decision_function", "predict_proba"]
_RESPONSES: dict[ResponseMethod, str] = {
    "auto": "Score",
    "decision_function": "Score",
    "predict_proba": "Posterior",
}


class ScoreDistributionDisplay(Display):
    r"""Densities of the score among labeled and among unlabeled rows.

    Let :math:`\alpha` be the class prior and :math:`c` the label frequency. Under SCAR
    labeled rows are distributed like all positives, so the density of the unlabeled
    rows contains a scaled copy of the density of the labeled rows,

    .. math:: \frac{\alpha(1-c)}{1-\alpha c}\, f_{labeled}(t) \le f_{unlabeled}(t),

    which represents the unlabeled positives. If the copy exceeds the density of the
    unlabeled rows, the class prior is too large or labeling depends on the features.
    Make it with `from_estimator` or
    `from_predictions`.

    `to_frame` has one row per bin: left, right, and the densities labeled and unlabeled; and
    hidden_positive, if the class prior is known.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of bins of equal width.
    labeled, unlabeled : ndarray of shape (n_bins,)
        Numbers of labeled and unlabeled rows per bin.
    class_prior : float, optional
        P(Y=1) in the whole sample.
    threshold : float, optional
        A threshold to mark.
    name : str, default="Score"
        Label of the axis.
    sampling : {"one-sample", "two-sample"}
        Whether the unlabeled rows alone are a sample of the population. `class_prior` is then
        theirs.

    Attributes
    ----------
    hidden_share : float or None
        Fraction of positives among the unlabeled rows, :math:`\alpha(1-c)/(1-\alpha c)`.
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.plots.ReliabilityDisplay : Whether the posterior is calibrated.

    Examples
    --------
    >>> from unlabeled import PULogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import ScoreDistributionDisplay
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.6, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> display = ScoreDistributionDisplay.from_estimator(model, data.X, data.s, n_bins=20)
    >>> list(display.to_frame())
    ['left', 'right', 'labeled', 'unlabeled', 'hidden_positive']
    """

    def __init__(
        self,
        edges: np.ndarray,
        labeled: np.ndarray,
        unlabeled: np.ndarray,
        *,
        class_prior: float | None = None,
        threshold: float | None = None,
        name: str = "Score",
        sampling: Sampling = Sampling.ONE,
    ) -> None:
        self.edges = edges
        self.labeled = labeled
        self.unlabeled = unlabeled
        self.class_prior = class_prior
        self.threshold = threshold
        self.name = name
        self.hidden_share = None
        if class_prior is not None:
            share = labeled.sum() / (labeled.sum() + unlabeled.sum())
            hidden = class_prior if sampling.is_two else unlabeled_prior(class_prior, share)
            self.hidden_share = float(max(0.0, hidden))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        response_method: ResponseMethod = "auto",
        n_bins: int = 30,
        class_prior: float | None = None,
        pos_label: Any = None,
        ax: Any = None,
        plot: bool = True,
    ) -> ScoreDistributionDisplay:
        """Plot the distributions of an estimator's scores or posteriors.

        Parameters
        ----------
        estimator : fitted classifier
            Scores of the rows it was fitted to are optimistic.
        X : array-like of shape (n_rows, n_features)
            Feature rows.
        y : array-like of shape (n_rows,)
            Label column. Every row counts once, also if the fit had weights.
        response_method : {"auto", "decision_function", "predict_proba"}, default="auto"
            `decision_function` without intercept, or `predict_proba`; "auto" takes the first
            that the classifier has.
        n_bins : int, default=30
            Number of bins of equal width.
        class_prior : float, optional
            P(Y=1) in the whole sample. If None, the estimator's `class_prior_`, if it has one.
        pos_label : object, optional
            The value of y that marks labeled rows, if the estimator does not
            know it.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : ScoreDistributionDisplay
        """
        check_choice("response_method", response_method, get_args(ResponseMethod))
        s, score, cut, positive, how = scored_rows(estimator, X, y, pos_label)
        marked: float | None = cut
        _reject_no_decision_function(estimator, response_method)
        if response_method == "predict_proba":
            predicted, score = score > cut, posterior_of(estimator, X, positive)
            marked = _between(score[~predicted], score[predicted])
        display = cls.from_predictions(
            s,
            score,
            n_bins=n_bins,
            class_prior=known_fraction("class_prior", class_prior, estimator),
            sampling=how.value,
            threshold=marked,
            plot=False,
        )
        display.name = f"{_RESPONSES[response_method]} by {type(fitted_model(estimator)).__name__}"
        return display._drawn_if(plot, ax)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        score: Any,
        *,
        n_bins: int = 30,
        class_prior: float | None = None,
        threshold: float | None = None,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        ax: Any = None,
        plot: bool = True,
    ) -> ScoreDistributionDisplay:
        """Plot the distributions of given scores or posteriors.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Label column.
        score : array-like of shape (n_rows,)
            Score of each row.
        n_bins : int, default=30
            Number of bins of equal width.
        class_prior : float, optional
            P(Y=1) in the whole sample.
        threshold : float, optional
            A threshold to mark.
        pos_label : object, optional
            The value of y that marks labeled rows.
        sampling : {"one-sample", "two-sample"}, default="one-sample"
            "two-sample" if the unlabeled rows alone are a sample of the population.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : ScoreDistributionDisplay
        """
        check_fraction("class_prior", class_prior, none_allowed=True)
        check_positive("n_bins", n_bins, Integral, "a whole number of at least 1")
        s, _ = encode_labels(y, pos_label)
        score = score_column(score, s)
        edges = np.histogram_bin_edges(score, n_bins)
        counts = [np.histogram(score[s == label], edges)[0] for label in (1, 0)]
        how = Sampling.of(sampling)
        display = cls(edges, *counts, class_prior=class_prior, threshold=threshold, sampling=how)
        return display._drawn_if(plot, ax)

    def _columns(self) -> dict[str, np.ndarray]:
        width = np.diff(self.edges)
        labeled = self.labeled / self.labeled.sum() / width
        columns = {
            "left": self.edges[:-1],
            "right": self.edges[1:],
            "labeled": labeled,
            "unlabeled": self.unlabeled / self.unlabeled.sum() / width,
        }
        if self.hidden_share is not None:
            columns["hidden_positive"] = self.hidden_share * labeled
        return columns

    def _draw(self, ax: Any) -> None:
        columns, edges = self._columns(), self.edges
        look = {"fill": True, "facecolor": PALE, "edgecolor": GRAY, "lw": 1.2}
        ax.stairs(columns["unlabeled"], edges, label="Unlabeled rows", **look)
        if self.hidden_share is not None:
            words = f"Positives among them, {self.hidden_share:.0%}"
            look |= {"facecolor": "none", "edgecolor": ORANGE, "hatch": "////"}
            ax.stairs(columns["hidden_positive"], edges, label=words, **look)
        ax.stairs(columns["labeled"], edges, color=BLUE, lw=2, ls="--", label="Labeled rows")
        top = 1.05 * max(columns["labeled"].max(), columns["unlabeled"].max())
        if self.threshold is not None:
            ax.plot([self.threshold] * 2, [0, top], "-.", color=BLACK, lw=1, label="The cut")
        ax.set(xlabel=self.name, ylabel="Density")
        legend_above(ax, 0, top)


def _reject_no_decision_function(estimator: Any, response_method: str) -> None:
    if response_method == "decision_function" and not hasattr(estimator, response_method):
        raise ValueError(
            f"`response_method` must be 'auto' or 'predict_proba' for "
            f"{type(fitted_model(estimator)).__name__}, which has no `decision_function`; "
            f"got {response_method!r}. Use 'predict_proba'."
        )


def _between(below: np.ndarray, above: np.ndarray) -> float | None:
    """Return the middle between rows predicted negative and positive; None if they overlap."""
    if len(below) == 0 or len(above) == 0 or below.max() >= above.min():
        return None
    return float(below.max() + above.min()) / 2
