"""The SCAR check of another package, on the same samples."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from .designs import draw


def measure(seed: int, *, design: str, n: int, c: float, mechanism: str) -> dict[str, float]:
    """Whether pulearn's check flags a violation of SCAR, given out-of-fold scores."""
    from pulearn import scar_sanity_check

    sample = draw(design, n, c, seed, mechanism)
    model = LogisticRegression(max_iter=1000)
    score = cross_val_predict(model, sample.X, sample.s, cv=5, method="predict_proba")[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scar_sanity_check(
            sample.s.astype(np.int64), s_proba=score, X=sample.X, random_state=0
        )
    return {"flagged": float(found.violates_scar)}
