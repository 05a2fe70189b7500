"""F1_PU, recall and fraction predicted positive at every cut of a score, and the best cuts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import rates
from ..engine.estimators import fitted_model
from ..engine.parameters import check_fraction
from ..engine.rows import encode_labels, score_column
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord
from ..thresholds import (
    ChosenCut,
    Cuts,
    Rule,
    choose_cut,
    count_above,
    get_rule,
    shown_rules,
    with_enough_labeled,
)
from ._display import (
    BLACK,
    BLUE,
    GRAY,
    PALE,
    SMALL,
    VERMILION,
    LineDisplay,
    changed_look,
    known_fraction,
    legend_above,
    legend_room,
    scored_rows,
    shown_name,
    sign_toward,
    size_of,
)

_ROW = 0.17  # height of a row of marks, in inches
_LEGEND_ENTRIES = 6
_LEAST_FOR_CURVES = 0.2


class CutCurveDisplay(LineDisplay):
    """F1_PU, recall and fraction predicted positive at every cut of a score, and the best cuts.

    Recall is the recall of the labeled rows. Under SCAR it estimates the recall of
    the positives. Below the curves a mark shows where each rule of `thresholds`
    would cut. Rules that need the class prior are left out if it is not known.
    Make it with `from_estimator` or `from_predictions`.

    `to_frame` has one row per cut: threshold, f1_pu, recall and share.

    Parameters
    ----------
    cuts : Cuts
        Labeled and total counts above every distinct score.
    chosen : ChosenCut
        The cut with the largest F1_PU.
    threshold : float, optional
        A further cut to mark, such as the naive classifier's.
    threshold_name : str, default="A given cut"
        Name of `threshold` in the legend.
    best : dict of str to ChosenCut, optional
        The cuts to mark, by rule.
    source : str, default=""
        Description of the scores in the axis label.

    Attributes
    ----------
    line_ : matplotlib line
        The curve of F1_PU.
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.plots.RecallShareDisplay : Several models.
    unlabeled.thresholds.scan_cuts : The counts behind it.

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import CutCurveDisplay
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.6, random_state=0)
    >>> model = EnhancedLogistic().fit(data.X, data.s)
    >>> display = CutCurveDisplay.from_estimator(model, data.X, data.s)
    >>> sorted(display.to_frame())
    ['f1_pu', 'recall', 'share', 'threshold']
    >>> display.best_cuts()["rule"][:3].tolist()
    ['f1_pu', 'balanced_accuracy', 'mcc']
    """

    _size = (7.0, 5.2)

    def __init__(
        self,
        cuts: Cuts,
        chosen: ChosenCut,
        threshold: float | None = None,
        *,
        threshold_name: str = "A given cut",
        best: dict[str, ChosenCut] | None = None,
        source: str = "",
    ) -> None:
        self.cuts = cuts
        self.chosen = chosen
        self.threshold = threshold
        self.threshold_name = threshold_name
        self.best = {} if best is None else best
        self.source = source

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        class_prior: float | None = None,
        rules: Iterable[str | Rule] | None = None,
        pos_label: Any = None,
        ax: Any = None,
        plot: bool = True,
        **line_kwargs: Any,
    ) -> CutCurveDisplay:
        """Plot the cuts of an estimator's scores of `X`, or of the held-out scores it stored.

        Scores of the rows an estimator was fitted to are optimistic: labeled
        rows score higher than new ones would. `PULogistic` and
        `PUThresholdClassifier` store the held-out scores on which they chose the
        cut; omit `X` and `y` to see these.

        Parameters
        ----------
        estimator : fitted classifier
            With `decision_function` or `predict_proba`. The score of a linear
            classifier is taken without intercept.
        X : array-like of shape (n_rows, n_features), optional
            Feature rows.
        y : array-like of shape (n_rows,), optional
            Label column. Every row counts once, also if the fit had weights.
        class_prior : float, optional
            P(Y=1) in the whole sample, for the rules that need it. If None, the
            estimator's `class_prior_`, if it has one.
        rules : iterable of str or Rule, optional
            Rules to mark; if None, those of `thresholds.RULES` that are `shown`.
        pos_label : object, optional
            The value of y that marks labeled rows, if the estimator does not
            know it.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        **line_kwargs : dict
            Keyword arguments for the curve of F1_PU, passed to matplotlib's `plot`.

        Returns
        -------
        display : CutCurveDisplay
        """
        check_is_fitted(estimator)
        prior = known_fraction("class_prior", class_prior, estimator)
        model = fitted_model(estimator)
        kept = X is None or y is None
        if kept:
            cuts, source = _kept_cuts(model, X, y)
            threshold = model.cut_.threshold
        else:
            s, score, threshold, _, how = scored_rows(estimator, X, y, pos_label)
            cuts, source = count_above(score, s, None, how), "scores of the rows given"
        name = "The classifier's cut"
        if hasattr(model, "naive_intercept_"):
            sign = sign_toward(model, model.positive_class_)
            name, threshold = "The naive cut", -sign * model.naive_intercept_
        best = _best_cuts(cuts, rules, prior, held_out=kept)
        chosen = _best_cuts(cuts, ["f1_pu"], None, held_out=kept)["f1_pu"]
        display = cls(cuts, chosen, threshold, threshold_name=name, best=best, source=source)
        return display._drawn_if(plot, ax, **line_kwargs)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        score: Any,
        *,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        threshold: float | None = None,
        class_prior: float | None = None,
        rules: Iterable[str | Rule] | None = None,
        ax: Any = None,
        plot: bool = True,
        **line_kwargs: Any,
    ) -> CutCurveDisplay:
        """Plot the cuts of given scores.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Label column.
        score : array-like of shape (n_rows,)
            Score of each row, larger meaning more probably positive.
        pos_label : object, optional
            The value of y that marks labeled rows.
        sampling : {"one-sample", "two-sample"}, default="one-sample"
            "two-sample" if the unlabeled rows alone are a sample of the population.
        threshold : float, optional
            A further cut to mark.
        class_prior : float, optional
            P(Y=1) in the whole sample, for the rules that need it.
        rules : iterable of str or Rule, optional
            Rules to mark; if None, those of `thresholds.RULES` that are `shown`.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        **line_kwargs : dict
            Keyword arguments for the curve of F1_PU, passed to matplotlib's `plot`.

        Returns
        -------
        display : CutCurveDisplay
        """
        check_fraction("class_prior", class_prior, none_allowed=True)
        s, _ = encode_labels(y, pos_label)
        cuts = count_above(score_column(score, s), s, None, Sampling.of(sampling))
        best = _best_cuts(cuts, rules, class_prior, held_out=False)
        chosen = _best_cuts(cuts, ["f1_pu"], None, held_out=False)["f1_pu"]
        return cls(cuts, chosen, threshold, best=best)._drawn_if(plot, ax, **line_kwargs)

    def _columns(self) -> dict[str, np.ndarray]:
        return {
            "threshold": self.cuts.score,
            "f1_pu": rates.f1_pu(self.cuts.recall, self.cuts.share),
            "recall": self.cuts.recall,
            "share": self.cuts.share,
        }

    def best_cuts(self) -> dict[str, np.ndarray]:
        """Return the marked cuts, one row per rule; `value` is what the rule maximizes.

        Returns
        -------
        columns : dict of str to ndarray
            Ready for `pandas.DataFrame`.
        """
        cuts = self.best.values()
        fields = ("threshold", "recall", "share", "value")
        columns = {name: np.array([getattr(cut, name) for cut in cuts]) for name in fields}
        return {"rule": np.array(list(self.best)), **columns}

    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        columns, value = self._columns(), self.chosen.value
        cut, top = columns["threshold"], 1.05 * max(1.0, float(np.max(columns["f1_pu"])))
        look = {"color": BLUE, "linewidth": 2, "label": "F1$_{PU}$ = recall² / share"}
        (self.line_,) = ax.plot(cut, columns["f1_pu"], **changed_look(look, line_kwargs))
        ax.plot(cut, columns["recall"], "--", color=VERMILION, label="Recall of labeled rows")
        ax.plot(cut, columns["share"], ":", color=GRAY, lw=1.8, label="Share predicted positive")
        best = f"Largest F1$_{{PU}}$, {value:.2f}"
        ax.plot([self.chosen.threshold], [value], "o", color=BLUE, label=best)
        bottom = _draw_marks(ax, self.best, top) if self.best else 0.0
        if self.threshold is not None:
            ends = [bottom, top]
            ax.plot([self.threshold] * 2, ends, "-.", color=BLACK, lw=1, label=self.threshold_name)
        ax.set(xlabel="Cut of the score" + f" ({self.source})" * bool(self.source))
        legend_above(ax, bottom, top)


def _best_cuts(
    cuts: Cuts, rules: Iterable[str | Rule] | None, class_prior: float | None, held_out: bool
) -> dict[str, ChosenCut]:
    """Return the best cut of each rule; rules that need an unknown class prior are left out.

    With `held_out` a ratio needs five labeled rows above its cut, as in classifiers that choose
    a cut on held-out scores.
    """
    best = {}
    for rule in [get_rule(given) for given in (shown_rules() if rules is None else rules)]:
        if rule.needs_class_prior and class_prior is None:
            if rules is not None:
                raise ValueError(
                    f"`class_prior` must be a number in (0, 1] for the rule {rule.name}; got None. "
                    "Pass it, or drop the rule."
                )
            continue
        used = with_enough_labeled(rule, cuts.labeled[-1]) if held_out else rule
        best[rule.name] = choose_cut(cuts, used, class_prior)
    return best


def _kept_cuts(model: Any, X: Any, y: Any) -> tuple[Cuts, str]:
    """Return the cuts that a classifier stored in `fit`, and a description of their scores."""
    if (X is None) != (y is None) or not hasattr(model, "cuts_"):
        given = "one of them" if (X is None) != (y is None) else "neither"
        raise ValueError(
            f"`X` and `y` must both be given for {type(model).__name__}; got {given}. Pass rows "
            "with their labels; only classifiers with `cuts_` keep the scores of their fit."
        )
    cv = getattr(model, "cv", "")
    seen = "training" if isinstance(cv, str) and cv == "train" else "held-out"
    return model.cuts_, f"{seen} scores kept by {type(model).__name__}"


def _draw_marks(ax: Any, best: dict[str, ChosenCut], top: float) -> float:
    """Mark each rule's cut in a separate row below 0; return where the strip ends."""
    strip = _ROW * (len(best) + 0.5) / size_of(ax)[1]
    curves = max(_LEAST_FOR_CURVES, 1 - strip - legend_room(ax, _LEGEND_ENTRIES)[1])
    bottom = -top * strip / curves
    ax.axhspan(bottom, 0, color=PALE, alpha=0.45, lw=0, zorder=0)
    heights = [bottom * (k + 0.75) / (len(best) + 0.5) for k in range(len(best))]
    for height, (name, cut) in zip(heights, best.items(), strict=True):
        ax.plot([cut.threshold] * 2, [height, cut.recall], color=GRAY, lw=0.7, ls=":", zorder=1)
        ax.plot(cut.threshold, height, "D", color=BLUE if name == "f1_pu" else BLACK, ms=5)
    ax.plot([], [], "D", color=BLACK, ms=5, label="Best cut for a rule")
    ticks = [tick for tick in ax.get_yticks() if 0 <= tick <= top]
    names = [shown_name(name) for name in best]
    ax.set_yticks([*heights, *ticks], [*names, *(f"{tick:g}" for tick in ticks)])
    for label in ax.get_yticklabels()[: len(best)]:
        label.set_fontsize(SMALL)
    return bottom
