"""One resample: rows are drawn, an estimator is refitted, rows are counted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from unlabeled import (
    EnhancedLogistic,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.rows import LabelEncoding, Rows
from unlabeled.engine.sampling import Sampling
from unlabeled.inference._resample import draw_multiplicity, refit
from unlabeled.metrics import counts


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(600, label_frequency=0.6, random_state=3)


def test_a_resample_has_as_many_rows_and_some_of_each_kind():
    s = np.zeros(300)
    s[:3] = 1
    for seed in range(50):
        multiplicity = draw_multiplicity(s, seed)
        assert multiplicity.sum() == 300
        assert 2 <= multiplicity @ s <= 298


def test_a_refit_with_weights_is_the_refit_with_copied_rows(data):
    multiplicity = draw_multiplicity(data.s, 0)
    rows = Rows(data.X, data.s, None, LabelEncoding(np.array([0, 1])))
    model, _ = refit(EnhancedLogistic(), rows, multiplicity)
    copied = np.repeat(np.arange(len(data.s)), multiplicity)
    other = EnhancedLogistic().fit(data.X[copied], data.s[copied])
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-6)
    assert model.label_frequency_ == pytest.approx(other.label_frequency_, rel=1e-6)


def test_counts_are_of_labeled_and_all_rows_as_often_as_drawn():
    positive = np.array([True, True, False, True])
    s, multiplicity = np.array([1, 0, 1, 0]), np.array([2, 0, 1, 3])
    np.testing.assert_array_equal(counts(s, positive, multiplicity, Sampling.ONE), [2, 3, 5, 6])


def test_a_refit_says_that_weights_are_copies_also_to_what_is_inside(data):
    class Told(PULogistic):
        def _fit_rows(self, rows, watch):
            super()._fit_rows(rows, watch)
            self.told_ = rows.are_copies

    rows = Rows(data.X, data.s, None, LabelEncoding(np.array([0, 1])))
    multiplicity = draw_multiplicity(data.s, 0)
    over = PUThresholdClassifier(Told(), cv=2, random_state=0)
    search = GridSearchCV(Told(), {"C": [1.0]}, cv=2)
    models = (Told(), make_pipeline(FunctionTransformer(), Told()), over, search)
    alone, piped, inside, best = (refit(model, rows, multiplicity)[0] for model in models)
    told = (alone.told_, piped[-1].told_, inside.estimator_.told_, best.best_estimator_.told_)
    assert told == (True, True, True, True)
    assert not Told().fit(data.X, data.s).told_
