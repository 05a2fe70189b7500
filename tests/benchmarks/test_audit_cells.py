"""The cells of the audit's studies: their labels, their propensities, their fit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from benchmarks.audit.cells import (
    DATASETS,
    LABEL_FREQUENCY,
    MECHANISMS,
    RARE,
    draw_cell,
    feature_of,
)


@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("dataset", [RARE, pytest.param("haberman", marks=pytest.mark.needs_data)])
def test_positives_have_the_label_frequency_and_negatives_no_label(dataset, mechanism):
    cell = draw_cell(dataset, mechanism)
    among_positives = cell.propensity[cell.y_true == 1]
    assert cell.label_frequency == LABEL_FREQUENCY
    assert among_positives.mean() == pytest.approx(LABEL_FREQUENCY, abs=1e-9)
    assert cell.s[cell.y_true == 0].sum() == 0
    error = np.sqrt(np.sum(among_positives * (1 - among_positives)))
    assert abs(cell.s.sum() - among_positives.sum()) < 4 * error


def test_a_cell_is_reproducible_and_its_repeats_differ():
    first, again, other = (draw_cell(RARE, "product", repeat) for repeat in (0, 0, 1))
    np.testing.assert_array_equal(first.s, again.s)
    assert np.any(first.s != other.s)
    np.testing.assert_array_equal(first.propensity, other.propensity)
    assert first.name == "rare-product"


def test_the_generated_set_has_two_percent_positives():
    cell = draw_cell(RARE, "random")
    assert cell.X.shape == (20_000, 10)
    assert abs(cell.y_true.mean() - 0.02) < 4 * np.sqrt(0.02 * 0.98 / 20_000)


def test_features_that_drive_the_labels_are_the_median_and_the_strongest():
    # Absolute coefficients of the generated set fall from the first feature to the last.
    assert feature_of(RARE, "strongest") == 0
    assert feature_of(RARE, "middling") in (4, 5)
    cell = draw_cell(RARE, "strongest")
    shift = logit(cell.propensity) - 2 * cell.X[:, 0]
    np.testing.assert_allclose(shift, shift[0], atol=1e-8)


@pytest.mark.needs_data
def test_every_set_has_every_mechanism():
    for dataset in DATASETS:
        rows = {len(draw_cell(dataset, mechanism).s) for mechanism in MECHANISMS}
        assert len(rows) == 1


def test_a_cell_is_fitted_without_warnings():
    model = draw_cell(RARE, "random").fit()
    assert model.coef_.shape == (1, 10)
