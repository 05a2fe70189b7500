"""What the SCAR test found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

_CAVEAT = (
    "SCAR is tested together with a logistic posterior: a small p-value says that one of the two "
    "does not hold."
)
_LEVEL = 0.05
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
        doubtful = [j for j in order[:_MOST_NAMED] if p_value[j] <= _LEVEL]
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
