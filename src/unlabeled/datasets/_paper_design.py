"""The paper's synthetic design, data only."""

from __future__ import annotations

import numpy as np

MEAN = np.array([1.0, 1.0, -1.0])
"""Mean of the three features."""

COVARIANCE = np.array([[1.0, 0.2, -0.2], [0.2, 1.0, 0.0], [-0.2, 0.0, 1.0]])
"""Covariance of the three features."""

BETA = np.array([-1.0, -1.0, 1.0, 1.0])
"""Coefficients of the logistic posterior, the intercept first."""
