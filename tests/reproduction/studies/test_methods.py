"""The weighted classifier whose ridge is chosen by held-out risk."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.studies import Cell, Task
from reproduction.studies.draw import draw_sample
from reproduction.studies.methods import TunedWeightedLogistic
from unlabeled.codes import PUWarning


def sample_of(n, c):
    return draw_sample(Task("synthetic", Cell("paper_gaussian", "scar", n, c), 0))


def test_the_tuned_classifier_has_an_optimum_where_the_published_has_none():
    sample = sample_of(2000, 0.3)
    with pytest.warns(PUWarning, match="PU107"):
        tuned = TunedWeightedLogistic().fit(sample.X, sample.s)
    assert tuned.converged_
    assert tuned.C_ == pytest.approx(1 / (tuned.ridge_ * 2000))
    assert np.abs(tuned.coef_).max() < 10


@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_the_tuned_classifier_can_be_fitted_with_one_labeled_row():
    sample = sample_of(200, 0.5)
    s = np.zeros(200)
    s[np.flatnonzero(sample.s)[0]] = 1
    tuned = TunedWeightedLogistic(0.01).fit(sample.X, s)
    assert np.all(np.isfinite(tuned.coef_))
