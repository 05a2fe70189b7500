"""The picture of a sensitivity to the labeling."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled import PULogistic
from unlabeled.inference import labeling_sensitivity
from unlabeled.plots import LabelingSensitivityDisplay


@pytest.fixture(scope="module")
def fitted(golden):
    data = golden(label_frequency=0.6)
    return PULogistic().fit(data.X, data.s), data.X, data.s


def test_its_lines_are_the_numbers_in_the_order_of_k(fitted):
    display = LabelingSensitivityDisplay.from_estimator(*fitted, features=0, times=[3, 1, 0.5])
    found = labeling_sensitivity(*fitted, 0, times=[3, 1, 0.5])
    share, precision = display.ax_.get_lines()[:2]
    np.testing.assert_array_equal(share.get_xdata(), [0.5, 1, 3])
    np.testing.assert_array_equal(share.get_ydata(), found.class_prior.estimate[::-1])
    np.testing.assert_array_equal(precision.get_ydata(), found.precision[::-1])
    (band,) = display.ax_.collections
    edges = band.get_paths()[0].vertices[:, 1]
    assert edges.min() == found.class_prior.lower.min()
    assert edges.max() == found.class_prior.upper.max()
    assert display.ax_.get_xscale() == "log"
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["1/2", "1", "3"]


def test_the_frame_has_all_features(fitted):
    display = LabelingSensitivityDisplay.from_estimator(
        *fitted, features=[1, 0], times=[1, 2], plot=False
    )
    frame = display.to_frame()
    assert frame["feature"].tolist() == ["x1", "x1", "x0", "x0"]
    assert frame["times"].tolist() == [1, 2, 1, 2]
    assert all(text.startswith("x0 above") for text in frame["group"][2:])


@pytest.mark.parametrize("given", [[], "x0", [1]])
def test_what_is_no_sensitivity_is_rejected(given):
    with pytest.raises(ValueError, match="`sensitivities` must be what .*; got"):
        LabelingSensitivityDisplay.from_sensitivity(given)
