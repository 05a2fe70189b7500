"""One run of the SCAR tests on simulated labels."""

from __future__ import annotations

import warnings

import numpy as np

from unlabeled.datasets import hide_labels, load_uci
from unlabeled.diagnostics import scar_test

from .designs import draw
from .published_scar_test import published_scar_test


def measure(seed: int, *, design: str, n: int, c: float, mechanism: str) -> dict[str, float]:
    """Return p-values of our test, and of the published one with c estimated and known."""
    sample = draw(design, n, c, seed, mechanism)
    test = scar_test(sample.X, sample.s, random_state=seed % 2**31)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        published = [
            published_scar_test(sample.X, sample.s, frequency, random_state=seed % 2**31)
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


def measure_real(seed: int, *, dataset: str, c: float) -> dict[str, float]:
    """Return the p-value of our test on a real set whose labels are SCAR.

    With 19 draws the test rejects at 5 % if none is as large as the observed statistic.
    """
    rows = load_uci(dataset)
    s = hide_labels(rows.y_true, c, random_state=seed % 2**31)
    test = scar_test(
        rows.X, s, n_resamples=19, enough=1, n_features_read=1, random_state=seed % 2**31
    )
    return {
        "p_value": test.p_value,
        "statistic": test.statistic,
        "label_frequency": test.label_frequency,
    }
