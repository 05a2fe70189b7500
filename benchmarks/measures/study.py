"""Every metric with its interval on draws from known populations, in one sample and in two."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np

from reproduction.studies.draw import seed_of
from unlabeled.inference import Interval, metric_interval
from unlabeled.metrics import METRICS

from ..study import Records, repeated
from .populations import LABELED, POPULATIONS, scores

SAMPLINGS = ("one-sample", "two-sample")
REPEATS, N_ROWS, N_LABELED, K, N_RESAMPLES = 200, 2000, 200, 200, 199
SPREAD = 0.08
"""The standard error of the logarithm of an uncertain class prior."""
WITH_PRIOR = ("precision", "f1", "accuracy", "auc", "average_precision", "precision_at_k")
"""The metrics that are also measured with an uncertain class prior."""


def measure(name: str, sampling: str, repeat: int) -> dict[str, float]:
    """Draw rows; return every metric, its interval, and that with an uncertain class prior."""
    of, seed = scores(name), seed_of("measures", name, sampling, repeat)
    rng = np.random.default_rng(seed)
    score, y_true = of.draw(N_ROWS, rng)
    s = (y_true & (rng.random(N_ROWS) < LABELED)).astype(int)
    if sampling == "two-sample":
        score = np.append(of.draw_positives(N_LABELED, rng), score)
        s = np.repeat([1, 0], [N_LABELED, N_ROWS])
    guess = of.class_prior * np.exp(SPREAD * rng.normal())
    ends = guess * np.exp(1.959964 * SPREAD * np.array([-1, 1]))
    uncertain = Interval.around(guess, ends, 0.95, "")
    numbers: dict[str, float] = {}
    for metric, known in METRICS.items():
        predicted = score if known.of_score else (score > of.cut).astype(int)
        priors = {"": of.class_prior, "_prior": uncertain} if known.needs_prior else {"": None}
        for ending, prior in priors.items():
            if ending and metric not in WITH_PRIOR:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = metric_interval(
                    metric,
                    s,
                    predicted,
                    class_prior=prior,
                    sampling=sampling,
                    n_resamples=N_RESAMPLES,
                    random_state=seed % 2**31,
                    **({"k": K} if metric == "precision_at_k" else {}),
                )
            numbers[f"{metric}{ending}"] = found.estimate
            numbers[f"{metric}{ending}_lower"] = found.lower
            numbers[f"{metric}{ending}_upper"] = found.upper
    return numbers


RECORDS = Records(
    "draws.csv",
    ("population", "sampling", "repeat"),
    measure,
    lambda: repeated(list(product(POPULATIONS, SAMPLINGS)), REPEATS),
)
