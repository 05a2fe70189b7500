"""Elkan and Noto's estimators."""

import numpy as np
import pytest

from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import ElkanNoto
from unlabeled.label_frequency._out_of_fold import NaiveFit, naive_scores


def test_e1_is_the_mean_probability_of_labeled_rows_out_of_fold(golden):
    data = golden(label_frequency=0.6)
    fit = NaiveFit(C=1.0, fit_intercept=True, tol=1e-9, max_iter=1000)
    rows = validate_rows(ElkanNoto(), data.X, data.s)
    g = 1 / (1 + np.exp(-naive_scores(rows, fit, 3, random_state=1).values))
    model = ElkanNoto(cv=3, C=1.0, tol=1e-9, random_state=1).fit(data.X, data.s)
    assert model.label_frequency_ == pytest.approx(g[data.s == 1].mean(), rel=1e-12)
    assert model.converged_
