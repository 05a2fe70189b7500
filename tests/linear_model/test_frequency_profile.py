"""The profile likelihood of the label frequency in samples where it has local maxima."""

import warnings

import numpy as np
import pytest

from unlabeled import JointLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian


def fitted(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        return JointLogistic(**settings).fit(data.X, data.s)


@pytest.mark.parametrize(("seed", "c"), [(0, 0.3), (2, 0.9), (10, 0.6), (22, 0.6)])
def test_every_label_frequency_is_as_likely_as_a_fit_that_is_told_it(seed, c):
    """The estimate is a step here, from which fits with a larger c found no way back."""
    data = make_paper_gaussian(n=100, c=c, random_state=seed)
    share = data.s.mean()
    frequencies = share + (1 - share) * np.array([0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    _, found = fitted(data).label_frequency_profile(data.X, data.s, frequencies=frequencies)
    told = [fitted(data, label_frequency=one).mean_log_likelihood_ for one in frequencies]
    assert np.all(found >= len(data.s) * np.array(told) - 1e-3)


def test_without_an_intercept_the_naive_fit_is_a_start_as_it_is():
    data = make_paper_gaussian(n=300, c=0.6, random_state=0)
    share = data.s.mean()
    frequencies = share + (1 - share) * np.array([0.2, 0.5, 1.0])
    model = fitted(data, fit_intercept=False)
    _, found = model.label_frequency_profile(data.X, data.s, frequencies=frequencies)
    told = [
        fitted(data, fit_intercept=False, label_frequency=one).mean_log_likelihood_
        for one in frequencies
    ]
    assert np.all(found >= len(data.s) * np.array(told) - 1e-3)
