"""The label frequency from a logistic model of the out-of-fold score."""

import numpy as np
import pytest

from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import OneDimensionalJoint


def estimates(estimate, n, c, seeds):
    return [
        OneDimensionalJoint(estimate, random_state=0).fit(data.X, data.s).label_frequency_
        for data in (make_paper_gaussian(n, c, random_state=seed) for seed in seeds)
    ]


@pytest.mark.parametrize("estimate", ["mean", "mode"])
@pytest.mark.parametrize("c", [0.3, 0.6])
def test_it_finds_the_frequency_where_classes_overlap(estimate, c):
    # At n = 5000, c = .3 the sd is .053 in simulations, so .027 at 20000 rows; the mean of four
    # has .013 and is tried at three of them.
    assert np.mean(estimates(estimate, 20_000, c, range(4))) == pytest.approx(c, abs=0.04)


@pytest.mark.filterwarnings("ignore:.*PU106")
def test_with_few_labeled_rows_the_mean_is_closer_than_the_mode():
    # About 20 labeled rows of 1000. Twelve draws had root mean square errors .03 and .37.
    errors = {
        estimate: np.abs(np.subtract(estimates(estimate, 1000, 0.1, range(6)), 0.1))
        for estimate in ("mean", "mode")
    }
    assert errors["mean"].max() < 0.1
    assert errors["mean"].mean() < errors["mode"].mean()


def test_the_model_of_the_score_belongs_to_the_estimate():
    data = make_paper_gaussian(5000, 0.6, random_state=0)
    mode = OneDimensionalJoint("mode", random_state=0).fit(data.X, data.s)
    assert mode.class_prior_ == pytest.approx(mode.score_joint_.class_prior, rel=1e-5)
    mean = OneDimensionalJoint(random_state=0).fit(data.X, data.s)
    assert mean.score_joint_.label_frequency == mean.label_frequency_


def test_only_the_mode_estimates_one_when_all_positives_are_labeled(rng):
    y_true = (rng.random(800) < 0.5).astype(int)
    X = rng.normal(size=(800, 1)) + 2 * y_true[:, None]
    with pytest.warns(PUWarning, match="PU106"):
        model = OneDimensionalJoint("mode", random_state=0).fit(X, y_true)
    assert model.label_frequency_ == 1.0
    assert 0.8 < OneDimensionalJoint(random_state=0).fit(X, y_true).label_frequency_ < 1


def test_a_score_without_information_warns():
    X, s = np.zeros((40, 1)), np.arange(40) % 4 == 0
    with pytest.warns(PUWarning, match="PU111"):
        model = OneDimensionalJoint().fit(X, s)
    # Nothing known: the class prior is in the middle of what is possible.
    assert model.class_prior_ == pytest.approx((1 + 0.25) / 2)


def test_a_bad_variant_is_named(golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match="`variant` must be .*got 'best'"):
        OneDimensionalJoint("best").fit(data.X, data.s)
