"""The curve of cuts: what each would decide, and which cuts are kept."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled.app.table_model import curve_of

NAMES = ["pu-logistic", "enhanced", "joint", "naive", "threshold"]


@pytest.mark.parametrize("name", NAMES)
def test_the_curve_counts_the_rows_that_each_cut_selects(name, fit_of):
    fit = fit_of(name)
    curve, score, s = curve_of(fit), fit.scored.score, fit.labels.s
    for k in np.linspace(0, len(curve.threshold) - 1, 25).astype(int):
        above = score > curve.threshold[k]
        assert curve.selected[k] == above.sum()
        assert curve.selected_unlabeled[k] == (above & (s == 0)).sum()
    assert curve.selected[-1] == len(score)
    assert curve.share[-1] == curve.recall[-1] == 1
    for column in (curve.share, curve.recall, curve.selected):
        assert np.all(np.diff(column) >= 0)
    assert np.all(np.diff(curve.threshold) < 0)
    assert curve.honest is (name in ("pu-logistic", "threshold"))


@pytest.mark.parametrize("name", NAMES)
def test_the_chosen_cut_is_that_of_the_classifier(name, fit_of):
    fit = fit_of(name)
    curve = curve_of(fit)
    assert curve.threshold[curve.chosen] == fit.classifier.threshold_
    assert curve.selected[curve.chosen] == fit.scored.decision.sum()


def test_a_thinned_curve_keeps_the_ends_the_chosen_cut_and_the_best_ones(fit_of):
    fit = fit_of("pu-logistic")
    full, thin = curve_of(fit, most=10_000), curve_of(fit, most=20)
    assert len(thin.threshold) < 60 < len(full.threshold)
    assert thin.threshold[[0, -1]].tolist() == full.threshold[[0, -1]].tolist()
    assert thin.threshold[thin.chosen] == full.threshold[full.chosen]
    assert thin.best.keys() == full.best.keys()
    for rule, place in thin.best.items():
        assert thin.threshold[place] == full.threshold[full.best[rule]]


def test_a_classifier_that_selects_no_row_has_a_cut_before_all_others(fit_of, monkeypatch):
    fit = fit_of("enhanced")
    before = curve_of(fit)
    highest = float(fit.scored.score.max()) + 1
    monkeypatch.setattr(type(fit.classifier), "threshold_", highest)
    curve = curve_of(fit)
    assert (curve.chosen, curve.selected[0], curve.recall[0], curve.share[0]) == (0, 0, 0, 0)
    assert curve.threshold[0] == highest
    assert curve.best == {rule: place + 1 for rule, place in before.best.items()}
