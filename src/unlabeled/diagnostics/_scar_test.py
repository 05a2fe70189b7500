"""A test of SCAR together with a logistic posterior, by redrawn labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ..engine.parallel import delayed, in_parallel
from ..engine.parameters import check_flag, check_positive
from ..engine.result_table import ResultTable, TextTable
from ..engine.rows import (
    DIAGNOSED_ROWS,
    names_or_numbers,
    reject_sparse,
    sample_chunks,
    validate_rows,
)
from ..inference import frequency_interval
from ._double_logistic import NestedModels, NullFit, Reading

_CAVEAT = (
    "The test assumes a logistic posterior. A small p-value means that SCAR or this assumption "
    "does not hold."
)
_DOUBTFUL = 0.05
_MOST_NAMED = 5
# Starting values of c in the fits of JOINT, as fractions of the way from the labeled share to
# 1: for the observed labels, and for drawn labels, which also start from the fit to the
# observed ones.
_STARTS, _FURTHER_START = (0.1, 0.4, 0.8), (0.4,)
_LEVEL = 0.95
# c must stay above the labeled share by at least this fraction of it.
_ABOVE_SHARE = 1e-3


@dataclass(frozen=True)
class ScarTest(ResultTable):
    """Result of the test of SCAR together with a logistic posterior; prints as text.

    `to_frame` has one row per feature: feature, statistic, slope and p_value.

    Attributes
    ----------
    statistic : float
        Twice the gain in log-likelihood of the double logistic model over JOINT.
    null_statistics : ndarray of shape (n_drawn,)
        The same for labels drawn from the fitted JOINT model.
    p_value : float
        Monte Carlo p-value; see the notes of `scar_test`.
    label_frequency : float
        The estimate of c; drawn labels use it.
    feature_names : tuple of str
        Names of the features.
    feature_statistic : ndarray of shape (n_features,)
        Twice the gain in log-likelihood if this feature alone enters the
        propensity; NaN for features that were not tested.
    feature_slope : ndarray of shape (n_features,)
        The feature's slope in the propensity, per standard deviation. It is positive if
        rows with larger values are labeled more often.
    sensitivity : dict of float to float
        Maps the label frequencies at the ends of the profile interval to p-values; empty unless
        ``sensitivity=True``.
    note : str or None
        Which rows were tested, if not all of them.
    """

    statistic: float
    null_statistics: np.ndarray
    p_value: float
    label_frequency: float
    feature_names: tuple[str, ...]
    feature_statistic: np.ndarray
    feature_slope: np.ndarray
    sensitivity: dict[float, float] = field(default_factory=dict)
    note: str | None = None

    @property
    def feature_p_value(self) -> np.ndarray:
        """Adjusted p-value of each feature.

        The Monte Carlo p-value for the gain of this feature alone, compared with the gain of all
        features together on the drawn label columns.
        """
        at_least = self.null_statistics[:, None] >= self.feature_statistic
        p_value = (1 + at_least.sum(axis=0)) / (1 + len(self.null_statistics))
        return np.where(np.isnan(self.feature_statistic), np.nan, p_value)

    def _columns(self) -> dict[str, np.ndarray]:
        return {
            "feature": np.array(self.feature_names, dtype=object),
            "statistic": self.feature_statistic,
            "slope": self.feature_slope,
            "p_value": self.feature_p_value,
        }

    def _tables(self) -> list[TextTable]:
        title = "SCAR test: constant label frequency against one that depends on the features"
        lines = [
            _CAVEAT,
            f"statistic {self.statistic:.2f}, p-value {self.p_value:.3g} "
            f"({len(self.null_statistics)} simulated label columns, label frequency "
            f"{self.label_frequency:.3f})",
        ]
        lines += [
            f"p-value if the label frequency were {c:.3f}: {p:.3g}"
            for c, p in self.sensitivity.items()
        ]
        p_value = self.feature_p_value
        order = np.argsort(-np.nan_to_num(self.feature_statistic), kind="stable")
        doubtful = [j for j in order[:_MOST_NAMED] if p_value[j] <= _DOUBTFUL]
        lines += [self._reading(j) for j in doubtful]
        if not doubtful:
            lines.append("No single feature stands out.")
        if self.note is not None:
            lines.append(f"Tested {self.note}.")
        return [TextTable(title, notes=lines)]

    def _reading(self, j: int) -> str:
        where = "large" if self.feature_slope[j] > 0 else "small"
        seems = f"Positives seem to be labeled more often where {self.feature_names[j]} is {where}"
        if len(self.feature_names) == 1:
            # With one feature, posterior and propensity are interchangeable.
            seems = f"Labeling seems to depend on {self.feature_names[j]}"
        return (
            f"{seems} (this feature alone: statistic {self.feature_statistic[j]:.2f}, "
            f"adjusted p-value {self.feature_p_value[j]:.3g})."
        )


def scar_test(
    X: Any,
    y: Any,
    *,
    n_resamples: int = 199,
    enough: int = 10,
    sensitivity: bool = False,
    n_features_read: int = 20,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    max_rows: int = DIAGNOSED_ROWS,
) -> ScarTest:
    r"""Test whether labeling depends on the features, given a logistic posterior.

    SCAR cannot be tested alone: any :math:`P(S=1|x) \le c` is c times some posterior. It can
    be tested together with a model for the posterior. This test is of **SCAR and a logistic
    posterior**; a rejection means that at least one of the two fails. JOINT,
    :math:`P(S=1|x) = c\,\sigma(x^Tb)`, is compared with the double logistic model
    :math:`\sigma(x^Tg)\,\sigma(x^Tb)`, in which labeling depends on x too.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Features, dense. Of rows in chunks of Dask a random part is tested, see `max_rows`.
    y : array-like of shape (n_rows,)
        Label column. There are no weights: labels are drawn as if all rows were equally sure.
    n_resamples : int, default=199
        Largest number of label columns to draw from the fitted JOINT model.
    enough : int, default=10
        Stop early once this many draws reach the observed statistic, because the p-value is
        then clearly large. With the defaults, stopping early never changes
        the decision at 5 %.
    sensitivity : bool, default=False
        Also test under the label frequencies at both ends of the
        profile-likelihood interval. This takes three times as long.
    n_features_read : int, default=20
        Number of features that are tested individually, those with the largest score statistics
        first.
    pos_label : object, optional
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    n_jobs : int, optional
        Number of parallel processes. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Controls the drawn label columns, and which rows in chunks are tested; pass an int for
        reproducible output.
    max_rows : int, default=20000
        The most rows in chunks to test, with the labeled share of all; `ScarTest.note` then says
        so. Rows in memory are all tested.

    Returns
    -------
    test : ScarTest
        p-value, statistic, its distribution under SCAR, and the gain of each
        feature alone. Prints as text.

    See Also
    --------
    unlabeled.diagnostics.diagnose : All checks.
    unlabeled.plots.ScarTestDisplay : Draws the result.

    Notes
    -----
    The statistic is twice the gain in log-likelihood. Both fits have a ridge of 1/10 on
    whitened slopes, so that their optimum exists. The distribution under SCAR comes from labels
    drawn with the fitted :math:`\hat c\,\sigma(x^T\hat b)`, with both models refitted to each;
    the chi-squared reference would reject too often under SCAR. If h = `enough` of the first l
    draws reach the statistic, the p-value is h/l (Besag and Clifford). Otherwise it is (1 +
    draws that reach it) / (1 + draws).

    For each feature the result has the gain when labeling depends on this feature alone, and the
    slope of the feature then. The gain of one feature cannot exceed the gain of all (apart from
    local maxima). The p-value of a feature is the share of redrawn label columns on which
    the *full* model, with all features, gains at least as much as this feature gains on the real
    labels. This adjusts for multiple testing,
    conservatively. The sign of the slope can be interpreted only if the posterior also depends on
    other features, because the two factors of the double logistic model are interchangeable.

    **What breaks it:**

    - A posterior that is not logistic in these features.
    - Rows in groups, such as several of one person: label columns are redrawn row by row.
    - As many features as labeled rows, or separable rows: the test then has no power.
    - Labeling that depends on x only through the posterior: the label probability then looks
      almost as under SCAR with another logistic posterior.

    Measured levels and power are in the documentation, under "How sure, measured".

    References
    ----------
    K. Furmańczyk, J. Mielniczuk, W. Rejchel, P. Teisseyre (2023). Joint
    estimation of posterior probability and propensity score function for
    positive and unlabelled data. ECAI. https://arxiv.org/abs/2209.07787

    J. Besag, P. Clifford (1991). Sequential Monte Carlo p-values. Biometrika
    78, 301-304. https://doi.org/10.1093/biomet/78.2.301

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.diagnostics import scar_test
    >>> data = make_paper_gaussian(n=500, label_frequency=0.6, random_state=0)
    >>> test = scar_test(data.X, data.s, n_resamples=39, random_state=0)
    >>> test.p_value > 0.05
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 1")
    check_positive("enough", enough, Integral, "a whole number of at least 1")
    check_flag("sensitivity", sensitivity)
    check_positive("n_features_read", n_features_read, Integral, "a whole number of at least 1")
    rng, note = check_random_state(random_state), None
    sample = sample_chunks(X, y, max_rows, rng, pos_label)
    if sample is not None:
        X, y, note = sample.rows.X, sample.rows.labels, sample.note
    reject_sparse(X, "scar_test")
    table = BaseEstimator()  # keeps the names of the features
    rows = validate_rows(table, X, y, pos_label=pos_label)
    test = run_test(
        NestedModels(rows.X),
        rows.s,
        names_or_numbers(getattr(table, "feature_names_in_", None), rows.X.shape[1]),
        int(n_resamples),
        int(enough),
        int(n_features_read),
        sensitivity=sensitivity,
        n_jobs=n_jobs,
        rng=rng,
    )
    return replace(test, note=note)


def run_test(
    models: NestedModels,
    s: np.ndarray,
    names: tuple[str, ...],
    n_resamples: int,
    enough: int,
    n_features_read: int,
    *,
    sensitivity: bool = False,
    n_jobs: int | None = None,
    rng: np.random.RandomState,
) -> ScarTest:
    """Run the test on validated rows."""
    null = models.fit_null(s, models.starts(s, _STARTS))
    observed = models.departure(s, null)
    sampling = _Sampling(models, s, n_resamples, enough, n_jobs, null, observed)
    drawn, p_value = sampling.draw(null, rng)
    others = _other_nulls(models, s, null) if sensitivity else []
    features = models.standing_out(s, null, n_features_read)
    readings = {int(j): models.read(s, null, int(j)) for j in features}
    return ScarTest(
        statistic=observed,
        null_statistics=drawn,
        p_value=p_value,
        label_frequency=null.label_frequency,
        feature_names=names,
        feature_statistic=_column(readings, "statistic", len(names)),
        feature_slope=_column(readings, "slope", len(names)),
        sensitivity={fit.label_frequency: sampling.draw(fit, rng)[1] for fit in others},
    )


def _column(readings: dict[int, Reading], name: str, n_features: int) -> np.ndarray:
    column = np.full(n_features, np.nan)
    for j, reading in readings.items():
        column[j] = getattr(reading, name)
    return column


@dataclass(frozen=True)
class _Sampling:
    models: NestedModels
    s: np.ndarray
    n_resamples: int
    enough: int
    n_jobs: int | None
    null: NullFit
    observed: float

    def draw(self, truth: NullFit, rng: np.random.RandomState) -> tuple[np.ndarray, float]:
        """Return the statistics of labels drawn under `truth`, and the p-value."""
        statistics, as_large = [], 0
        for departure in self._departures(truth, rng):
            statistics.append(departure)
            as_large += departure >= self.observed
            if as_large == self.enough:
                return np.array(statistics), float(as_large / len(statistics))
        return np.array(statistics), float((1 + as_large) / (1 + len(statistics)))

    def _departures(self, truth: NullFit, rng: np.random.RandomState) -> Iterator[float]:
        starts = [self.null.theta, *self.models.starts(self.s, _FURTHER_START)]
        probability = self.models.probability(truth)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_resamples)
        tasks = (delayed(_departure)(self.models, probability, starts, seed) for seed in seeds)
        with warnings.catch_warnings():
            # Tasks still running after an early stop are dropped on purpose.
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
            yield from in_parallel(tasks, self.n_jobs)


def _departure(
    models: NestedModels, probability: np.ndarray, starts: list[np.ndarray], seed: int
) -> float:
    s = (np.random.RandomState(seed).uniform(size=len(probability)) < probability).astype(float)
    if not 0 < s.sum() < len(s):
        return 0.0
    return models.departure(s, models.fit_null(s, starts))


def _other_nulls(models: NestedModels, s: np.ndarray, null: NullFit) -> list[NullFit]:
    """Fit JOINT with the label frequencies at both ends of its interval."""

    def log_likelihood(c: float) -> float:
        return -models.fit_null_at(c, s, null).loss

    share = float(s.mean())
    interval = frequency_interval(log_likelihood, null.label_frequency, share, _LEVEL)
    ends = (max(interval.lower, share * (1 + _ABOVE_SHARE)), interval.upper)
    return [models.fit_null_at(c, s, null) for c in ends]
