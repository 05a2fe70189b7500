"""One run of the SCAR tests on simulated labels."""

from __future__ import annotations

import warnings

import numpy as np

from unlabeled.diagnostics import published_scar_test, scar_test

from .designs import draw


def measure(seed: int, *, design: str, n: int, c: float, mechanism: str) -> dict[str, float]:
    """Return p-values of our test, and of the published one with c estimated and known."""
    sample = draw(design, n, c, seed, mechanism)
    test = scar_test(sample.X, sample.s, random_state=seed % 2**31)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        published = [
            published_scar_test(sample.X, sample.s, frequency, random_state=seed % 2**31).p_value
            for frequency in (test.label_frequency, c)
        ]
    return {
        "p_value": test.p_value,
        "statistic": test.statistic,
        "label_frequency": test.label_frequency,
        "n_drawn": len(test.null_statistics),
        "first_named": float(test.feature_p_value[0] <= 0.05),
        "others_named": float(np.min(test.feature_p_value[1:]) <= 0.05),
        "first_largest": float(np.argmax(test.feature_statistic) == 0),
        "published": published[0],
        "published_true_c": published[1],
    }
