"""Fit arrays of another library: as NumPy's."""

import array_api_strict as xp
import numpy as np
import sklearn

from unlabeled import EnhancedLogistic

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
s = (rng.random(600) < 0.5 / (1 + np.exp(-3 * X[:, 0]))).astype(int)

expected = EnhancedLogistic(C=1).fit(X, s)
with sklearn.config_context(array_api_dispatch=True):
    found = EnhancedLogistic(C=1).fit(xp.asarray(X), xp.asarray(s))
np.testing.assert_allclose(np.asarray(found.coef_), expected.coef_, rtol=1e-9)
