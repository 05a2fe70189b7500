"""Standard errors of a comparison against the spread over new tables."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import EnhancedLogistic, WeightedLogistic
from unlabeled.comparison import compare_methods
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto

N_TABLES = 150
MEASURES = ("f1_pu", "recall", "share", "gain", "label_frequency", "class_prior")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_errors_are_near_the_spread_over_other_tables():
    models = {"enhanced": EnhancedLogistic(), "weighted": WeightedLogistic(ElkanNoto())}
    means, errors = [], []
    for k in range(N_TABLES):
        data = make_paper_gaussian(n=1500, label_frequency=0.6, random_state=1000 + k)
        found = compare_methods(models, data.X, data.s, n_repeats=10, random_state=k)
        apart = found.differences(to="enhanced")
        means.append([*(found.mean(one) for one in MEASURES), apart["difference"]])
        errors.append([*(found.error(one) for one in MEASURES), apart["error"]])
    spread = np.std(means, axis=0, ddof=1)
    reported = np.sqrt(np.mean(np.square(errors), axis=0))
    spread[-1, 0] = reported[-1, 0] = 1  # the difference of a method to itself
    ratio = reported / spread
    assert ((ratio > 0.6) & (ratio < 1.7)).all(), ratio
    # Without the correction all of them would be far too small.
    uncorrected = np.sqrt((1 / 10) / (1 / 10 + 3 / 7))
    assert (uncorrected * ratio[:4] < 0.75).all()
