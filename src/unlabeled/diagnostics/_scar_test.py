"""A test of labelling completely at random, with a level."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from ..engine.parameters import check_flag, check_positive
from ..engine.rows import names_or_numbers, reject_chunks, reject_sparse, validate_rows
from ..inference import frequency_interval
from ._double_logistic import NestedModels, NullFit, Reading

# What the SCAR test found.

_CAVEAT = (
    "SCAR is tested together with a logistic posterior: a small p-value says that one of the two "
    "does not hold."
)
_DOUBTFUL = 0.05
_MOST_NAMED = 5


@dataclass(frozen=True)
class ScarTest:
    """Result of the test of SCAR together with a logistic posterior; prints as text.

    Attributes
    ----------
    statistic : float
        Twice the log-likelihood that the double logistic model gains over JOINT.
    null_statistics : ndarray of shape (n_drawn,)
        The same for labels drawn from the fitted JOINT model.
    p_value : float
        How often drawn labels depart from JOINT at least as much.
    label_frequency : float
        The estimate of c that labels were drawn with.
    feature_names : tuple of str
    feature_statistic : ndarray of shape (n_features,)
        Twice the log-likelihood gained when this feature alone is let into the
        propensity; NaN for features that were not read.
    feature_slope : ndarray of shape (n_features,)
        Its slope there, for a standard deviation: positive where rows are
        labelled more often the larger it is.
    sensitivity : dict of float to float
        p-values under other label frequencies, if asked for.
    """

    statistic: float
    null_statistics: np.ndarray
    p_value: float
    label_frequency: float
    feature_names: tuple[str, ...]
    feature_statistic: np.ndarray
    feature_slope: np.ndarray
    sensitivity: dict[float, float] = field(default_factory=dict)

    @property
    def feature_p_value(self) -> np.ndarray:
        """How often drawn labels gain as much by all features as these do by one."""
        at_least = self.null_statistics[:, None] >= self.feature_statistic
        p_value = (1 + at_least.sum(axis=0)) / (1 + len(self.null_statistics))
        return np.where(np.isnan(self.feature_statistic), np.nan, p_value)

    def frame(self) -> dict[str, np.ndarray]:
        """Return the reading of each feature, a column a quantity, a row a feature.

        Returns
        -------
        columns : dict of str to ndarray
            As `pandas.DataFrame` takes it.
        """
        return {
            "feature": np.array(self.feature_names, dtype=object),
            "statistic": self.feature_statistic,
            "slope": self.feature_slope,
            "p_value": self.feature_p_value,
        }

    def __str__(self) -> str:
        lines = [
            "SCAR test: JOINT against the double logistic model",
            _CAVEAT,
            f"statistic {self.statistic:.2f}, p-value {self.p_value:.3g} "
            f"({len(self.null_statistics)} label columns drawn with c = "
            f"{self.label_frequency:.3f})",
        ]
        lines += [f"p-value if c were {c:.3f}: {p:.3g}" for c, p in self.sensitivity.items()]
        p_value = self.feature_p_value
        order = np.argsort(-np.nan_to_num(self.feature_statistic), kind="stable")
        doubtful = [j for j in order[:_MOST_NAMED] if p_value[j] <= _DOUBTFUL]
        lines += [self._reading(j) for j in doubtful]
        if not doubtful:
            lines.append("No single feature stands out.")
        return "\n".join(lines)

    def _reading(self, j: int) -> str:
        where = "large" if self.feature_slope[j] > 0 else "small"
        seems = f"Positives seem to be labelled more often where {self.feature_names[j]} is {where}"
        if len(self.feature_names) == 1:
            # Posterior and propensity could change places.
            seems = f"Labelling seems to depend on {self.feature_names[j]}"
        return (
            f"{seems}: alone it gains {self.feature_statistic[j]:.2f}, "
            f"adjusted p-value {self.feature_p_value[j]:.3g}."
        )


# Where the observed labels' fit of JOINT starts, as ways from the labelled share to 1, and where
# those of drawn labels do besides the observed labels' own fit.
_STARTS, _FURTHER_START = (0.1, 0.4, 0.8), (0.4,)
_LEVEL = 0.95
# The label frequency must stay above the labelled share, if only by this fraction of it.
_ABOVE_SHARE = 1e-3


def scar_test(
    X: Any,
    y: Any,
    *,
    n_resamples: int = 199,
    enough: int = 10,
    sensitivity: bool = False,
    n_features_read: int = 20,
    positive_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> ScarTest:
    r"""Test whether labelling depends on the features, given a logistic posterior.

    SCAR cannot be tested by itself: any :math:`P(S=1|x) \le c` is c times
    some posterior. It can be tested together with a model for the
    posterior, so what is tested here is **SCAR and a logistic posterior**, and
    a rejection may mean that either fails. JOINT,
    :math:`P(S=1|x) = c\,\sigma(x^Tb)`, is compared with the double logistic model
    :math:`\sigma(x^Tg)\,\sigma(x^Tb)`, in which labelling depends on x too.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_features)
        Features, dense.
    y : array-like of shape (n_rows,)
        Label column.
    n_resamples : int, default=199
        Label columns drawn from the fitted JOINT model, at most.
    enough : int, default=10
        The drawing ends when so many of them depart from JOINT at least as
        much as the labels do: the p-value is large then, and no more need be
        known. With 10 and 199 the decision at 5 % is that of all 199.
    sensitivity : bool, default=False
        Test also under the label frequencies at both ends of the
        profile-likelihood interval. Takes three times as long.
    n_features_read : int, default=20
        Features that are read one by one: those that stand out most.
    positive_label : object, optional
        The value of y that marks labelled rows; the larger one if None.
    n_jobs : int, optional
        Processes; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the label columns.

    Returns
    -------
    test : ScarTest
        p-value, statistic, its distribution under SCAR, and a reading of each
        feature; prints as text.

    See Also
    --------
    unlabeled.diagnostics.diagnose : All checks.
    unlabeled.diagnostics.published_scar_test : The test of the literature.
    unlabeled.plots.ScarTestDisplay : Draws the result.

    Notes
    -----
    The statistic is twice the gain in log-likelihood, both fits having a
    ridge of 1/10 on whitened slopes so that they exist. Its
    distribution under SCAR is that under labels drawn with the fitted
    :math:`\hat c\,\sigma(x^T\hat b)`, every step refitted; the chi-squared reference
    would reject honest data too often. With h = `enough` departures as large
    after l draws the p-value is h/l (Besag and Clifford), otherwise
    (1 + departures as large) / (1 + draws).

    Each feature's reading is the gain when this feature alone is let into the
    propensity, and its slope there. Such a gain is at most the whole one,
    but for local maxima, so its p-value, among the whole gains of the drawn columns, is
    adjusted for the number of features, and on the safe side. Its direction is
    that of the labelling only as far as the posterior depends on other
    features too: the two factors of the double logistic model could change places.

    **What breaks it:** a posterior that is not logistic in these features; no more
    labelled rows than features, or rows that are separated, where it rejects nothing;
    labelling that depends on x through the posterior alone, which hardly
    differs from another logistic posterior. Measured levels and power are in the
    documentation, under "How sure, measured".

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
    >>> data = make_paper_gaussian(n=500, c=0.6, random_state=0)
    >>> test = scar_test(data.X, data.s, n_resamples=39, random_state=0)
    >>> test.p_value > 0.05
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 1")
    check_positive("enough", enough, Integral, "a whole number of at least 1")
    check_flag("sensitivity", sensitivity)
    check_positive("n_features_read", n_features_read, Integral, "a whole number of at least 1")
    reject_sparse(X, "scar_test")
    reject_chunks(X, "scar_test")
    table = BaseEstimator()  # takes the names of the features
    rows = validate_rows(table, X, y, positive_label=positive_label)
    return run_test(
        NestedModels(rows.X),
        rows.s,
        names_or_numbers(getattr(table, "feature_names_in_", None), rows.X.shape[1]),
        int(n_resamples),
        int(enough),
        int(n_features_read),
        sensitivity=sensitivity,
        n_jobs=n_jobs,
        rng=check_random_state(random_state),
    )


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
    """Test on rows that have been checked."""
    null = models.fit_null(s, models.starts(s, _STARTS))
    seen = models.departure(s, null)
    sampling = _Sampling(models, s, n_resamples, enough, n_jobs, null, seen)
    drawn, p_value = sampling.draw(null, rng)
    others = _other_nulls(models, s, null) if sensitivity else []
    features = models.standing_out(s, null, n_features_read)
    readings = {int(j): models.read(s, null, int(j)) for j in features}
    return ScarTest(
        statistic=seen,
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
    seen: float

    def draw(self, truth: NullFit, rng: np.random.RandomState) -> tuple[np.ndarray, float]:
        """Departures of labels drawn under `truth`, until enough is known, and the p-value."""
        statistics, as_large = [], 0
        for departure in self._departures(truth, rng):
            statistics.append(departure)
            as_large += departure >= self.seen
            if as_large == self.enough:
                return np.array(statistics), float(as_large / len(statistics))
        return np.array(statistics), float((1 + as_large) / (1 + len(statistics)))

    def _departures(self, truth: NullFit, rng: np.random.RandomState) -> Iterator[float]:
        starts = [self.null.theta, *self.models.starts(self.s, _FURTHER_START)]
        probability = self.models.probability(truth)
        seeds = rng.randint(np.iinfo(np.int32).max, size=self.n_resamples)
        tasks = (delayed(_departure)(self.models, probability, starts, seed) for seed in seeds)
        with warnings.catch_warnings():
            # Tasks under way when enough is known are left, on purpose.
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed")
            yield from Parallel(self.n_jobs, return_as="generator")(tasks)


def _departure(
    models: NestedModels, probability: np.ndarray, starts: list[np.ndarray], seed: int
) -> float:
    s = (np.random.RandomState(seed).uniform(size=len(probability)) < probability).astype(float)
    if not 0 < s.sum() < len(s):
        return 0.0
    return models.departure(s, models.fit_null(s, starts))


def _other_nulls(models: NestedModels, s: np.ndarray, null: NullFit) -> list[NullFit]:
    """JOINT with the label frequencies at the ends of its interval."""

    def log_likelihood(c: float) -> float:
        return -models.fit_null_at(c, s, null).loss

    share = float(s.mean())
    interval = frequency_interval(log_likelihood, null.label_frequency, share, _LEVEL)
    ends = (max(interval.lower, share * (1 + _ABOVE_SHARE)), interval.upper)
    return [models.fit_null_at(c, s, null) for c in ends]
