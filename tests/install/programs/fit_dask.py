"""Fit rows in chunks, and predict them lazily: as rows in memory."""

import dask.array as da
import numpy as np

from unlabeled import EnhancedLogistic

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
s = (rng.random(600) < 0.5 / (1 + np.exp(-3 * X[:, 0]))).astype(int)

expected = EnhancedLogistic(C=1).fit(X, s)
found = EnhancedLogistic(C=1).fit(da.from_array(X, chunks=(250, 3)), da.from_array(s, chunks=250))
np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9)
predicted = found.predict(da.from_array(X, chunks=(250, 3)))
np.testing.assert_array_equal(predicted.compute(), expected.predict(X))
