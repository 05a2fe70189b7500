"""What a classifier says about its class prior, and what follows for its posterior.

The class prior comes from held-out scores: see `label_frequency.class_prior_density`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..engine.intervals import Interval
from ..engine.losses import softplus_and_sigmoid
from ..engine.parameters import check_fraction
from ..engine.rows import Rows, reject_matrix
from ..engine.sampling import Sampling
from ..scores import (
    Line,
    PriorDensity,
    ResolvedPrior,
    ScoreProfile,
    report_flat,
    report_prior_above_bound,
)
from ..thresholds import Cuts


class PriorFromScores:
    """Base class of classifiers that estimate the class prior from held-out scores.

    A fitted one has `observed_cuts_`, `design_effect_`, `class_prior_`, and
    `class_prior_density_`, which is None if the class prior was given as a number or by an
    estimator, or if rows were checked.
    """

    observed_cuts_: Cuts
    design_effect_: float
    class_prior_: float
    label_frequency_: float
    class_prior_density_: PriorDensity | None
    class_prior: Any

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
        found = PriorFromScores.class_prior_interval(self, level=level)
        sampling = Sampling.of_model(self)
        share = sampling.labelled_share(self.label_frequency_, self.class_prior_)
        found = found.map(lambda end: min(1.0, sampling.label_frequency(end, share)))
        return found.with_estimate(self.label_frequency_)

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
        found = PriorFromScores.class_prior_interval(self, level=level)
        place = self._known_scores(score)
        lower, upper = (self._posterior_given(place, end) for end in found)
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

    def _take_prior(self, prior: ResolvedPrior, rows: Rows) -> None:
        """Set the class prior and the posterior; compare a given prior with its bound."""
        if prior.estimator is not None:
            self.class_prior_estimator_ = prior.estimator
        self.class_prior_ = float(rows.population_prior(prior.value))
        self.class_prior_density_ = prior.density
        if prior.density is None:
            report_prior_above_bound(self.class_prior_, self.observed_cuts_, self.design_effect_)
        self.label_frequency_ = min(1.0, self.observed_cuts_.labelled_share / prior.value)
        line = self._calibrated_line(self.class_prior_)
        self.posterior_line_ = (line.intercept, line.slope)
        report_flat(line)

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

    def _place(self, score: np.ndarray, label_frequency: float) -> np.ndarray:
        """Return the scale on which the logit of the posterior is a line, for a label frequency."""
        return score

    def _calibrated_line(self, class_prior: float) -> Line:
        """Return the likeliest line of the posterior whose mean is the class prior."""
        cuts = self.observed_cuts_
        labelled, unlabelled = (
            np.diff(one, prepend=0).astype(np.float64) for one in (cuts.labelled, cuts.unlabelled)
        )
        total = labelled + unlabelled
        frequency = self._frequency_given(class_prior)
        profile = ScoreProfile.of(self._place(cuts.score, frequency), labelled / total, total)
        return profile.calibrated_line(cuts.labelled_share / frequency, sampling=cuts.sampling)

    def _frequency_given(self, class_prior: float) -> float:
        cuts = self.observed_cuts_
        return min(1.0, float(cuts.sampling.label_frequency(class_prior, cuts.labelled_share)))

    def _posterior_given(self, score: np.ndarray, class_prior: float) -> np.ndarray:
        line = self._calibrated_line(class_prior)
        place = self._place(score, self._frequency_given(class_prior))
        return softplus_and_sigmoid(line.logit(place))[1]
