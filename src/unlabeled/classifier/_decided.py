"""A classifier that decides by held-out scores: its class prior, and what depends on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine.intervals import Interval
from ..engine.parameters import check_fraction
from ..engine.rows import reject_matrix
from ..engine.sampling import Sampling
from ..scores import (
    Decision,
    PriorDensity,
    ScoredRows,
    calibrated_line,
    frequency_given,
    posterior_along,
)
from ..thresholds import ChosenCut, Cuts
from ._pu_classifier import PUClassifier


class DecidedClassifier(PUClassifier):
    """Base class: a subclass makes held-out scores, and keeps the `Decision` that follows.

    `class_prior_density_` is None if the class prior was given as a number or by an estimator, or
    if rows were checked.
    """

    class_prior: Any
    class_prior_: float
    class_prior_density_: PriorDensity | None
    design_effect_: float
    observed_cuts_: Cuts
    cuts_: Cuts
    cut_: ChosenCut
    held_out_score_: np.ndarray

    def _keep(self, decision: Decision) -> None:
        """Set what a decision says."""
        if decision.prior.estimator is not None:
            self.class_prior_estimator_ = decision.prior.estimator
        self.class_prior_, self.label_frequency_ = decision.class_prior, decision.label_frequency
        self.class_prior_density_ = decision.prior.density
        self.design_effect_ = decision.design_effect
        # A plain tuple, for model files.
        self.posterior_line_ = (float(decision.line.intercept), float(decision.line.slope))
        self.observed_cuts_, self.cuts_ = decision.scored.cuts, decision.cuts
        self.cut_ = decision.cut

    def class_prior_interval(self, *, level: float = 0.95, of: str = "table") -> Interval:
        """Compute an interval of the share of positive rows.

        Assumes SCAR. The interval is as long as the curves along the held-out scores disagree.
        Its lower end reaches down to the smallest share that the labels do not reject; see
        `label_frequency.class_prior_density`.

        Parameters
        ----------
        level : float, default=0.95
            Coverage of the interval.
        of : {"table", "population"}, default="table"
            Whether the interval is about the rows of the fit, or about the population that they
            were drawn from at random.

        Returns
        -------
        interval : Interval
            An interval around `class_prior_`.
        """
        return self._estimated_density().interval(level, of).with_estimate(self.class_prior_)

    def label_frequency_interval(self, *, level: float = 0.95) -> Interval:
        """Compute an interval of the label frequency: the labelled share of the positive rows.

        Parameters
        ----------
        level : float, default=0.95
            Coverage of the interval.

        Returns
        -------
        interval : Interval
            The labelled share over the ends of `class_prior_interval`.
        """
        of_prior = DecidedClassifier.class_prior_interval(self, level=level)
        sampling = Sampling.of_model(self)
        share = sampling.labelled_share(self.label_frequency_, self.class_prior_)
        interval = of_prior.map(lambda end: min(1.0, sampling.label_frequency(end, share)))
        return interval.with_estimate(self.label_frequency_)

    def posterior_range(self, score: Any, *, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Estimate P(Y=1|score) for the ends of the interval of the class prior.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`.
        level : float, default=0.95
            Coverage of the interval of the class prior.

        Returns
        -------
        lower, upper : ndarray of the shape of `score`
            What `posterior_at` would be with the smallest and with the largest class prior. It
            is not an interval for the posterior of one row, which also depends on the curve.
        """
        interval = DecidedClassifier.class_prior_interval(self, level=level)
        score = self._known_scores(score)
        lower, upper = (self._posterior_given(score, end) for end in interval)
        return np.minimum(lower, upper), np.maximum(lower, upper)

    def posterior_given(self, score: Any, class_prior: float) -> np.ndarray:
        """Estimate P(Y=1|score) for a class prior.

        Parameters
        ----------
        score : float or array-like of shape (n_rows,)
            Values of `positive_score`.
        class_prior : float
            The share of positives.

        Returns
        -------
        posterior : ndarray of the shape of `score`
            What `posterior_at` would be with this class prior.
        """
        check_fraction("class_prior", class_prior)
        return self._posterior_given(self._known_scores(score), class_prior)

    def _known_scores(self, score: Any) -> np.ndarray:
        """Check scores that another class prior is asked for."""
        check_is_fitted(self)
        if "observed_cuts_" not in vars(self):
            raise AttributeError(
                f"Another class prior needs a {type(self).__name__} with `observed_cuts_`; got one "
                "without. A fit has them, a model file does not."
            )
        reject_matrix(score)
        known = np.asarray(score)
        if known.dtype.kind not in "fiu" or not np.all(np.isfinite(known)):
            raise ValueError(
                "`score` must hold finite numbers; got NaN, inf or something else. Pass values of "
                "`positive_score`."
            )
        return known.astype(np.float64)

    def _posterior_given(self, score: np.ndarray, class_prior: float) -> np.ndarray:
        cuts, scale = self.observed_cuts_, self.posterior_scale
        frequency = frequency_given(cuts, class_prior)
        line = calibrated_line(ScoredRows.of_cuts(cuts), scale, frequency)
        return posterior_along(line, scale, score, frequency)

    def _estimated_density(self) -> PriorDensity:
        """Return the distribution of the class prior; reject a fit that has none."""
        check_is_fitted(self)
        if self.class_prior_density_ is not None:
            return self.class_prior_density_
        n_checked = getattr(self, "n_checked_", 0)
        if n_checked and self.class_prior is None:
            raise ValueError(
                "An interval from held-out scores needs a fit without `checked`; this one had "
                f"{n_checked} checked rows. Draw rows by `unlabeled.audit.draw_audit` for "
                "intervals from checked rows, or use JointLogistic."
            )
        raise ValueError(
            "`class_prior` must be None for an interval of it; it was given as "
            f"{self.class_prior!r}. Fit without it."
        )

    @property
    def held_out_posterior_(self) -> np.ndarray:
        """P(Y=1|x) of every training row, by a fit without that row."""
        check_is_fitted(self, "threshold_")
        if "held_out_score_" not in vars(self):
            raise AttributeError(
                f"`held_out_posterior_` needs a {type(self).__name__} with `held_out_score_`; got "
                "one without. A fit with held-out scores has it; a model file and a fit to many "
                "rows do not: use `posterior_at` of `left_out_score` where there is one."
            )
        return self.posterior_at(self.held_out_score_)
