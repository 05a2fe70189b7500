"""Designs that are hard to fit, and the codes of what a fit warns of."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.preprocessing import StandardScaler

from unlabeled.datasets import hide_labels, load_uci


def codes_of(caught):
    return {str(w.message)[1:6] for w in caught}


def fit_and_codes(model, X, s):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, s)
    assert all(type(w.message).__module__ == "unlabeled.codes" for w in caught)
    assert np.all(np.isfinite(model.coef_))
    return codes_of(caught)


def design(rng, n=400, p=3):
    X = rng.normal(size=(n, p))
    y = rng.random(n) < 1 / (1 + np.exp(-X @ np.ones(p)))
    return X, (y & (rng.random(n) < 0.5)).astype(int)


def standardized(name, data_home, c, seed=0):
    data = load_uci(name, data_home)
    X = StandardScaler().fit_transform(data.X)
    return X, hide_labels(data.y_true, c, random_state=seed)
