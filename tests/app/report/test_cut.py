"""What the page says of a cut is true of rows whose class is known."""

from __future__ import annotations

import pytest

from tests.app.report.fitted_summary import fitted, patients, summary_of
from unlabeled.app.report._cut import numbers_at


@pytest.fixture(scope="module")
def large():
    return summary_of(*fitted(rows=20_000)), *patients(rows=20_000)


def test_recall_and_precision_are_near_the_truth_also_among_unlabelled_rows(large):
    summary, _, s, y_true = large
    model, X, _ = fitted(rows=20_000)
    summary["class_prior"]["estimate"] = y_true.mean()
    now = numbers_at(summary, summary["cut"]["index"])
    selected = X @ model.coef_[0] > now["threshold"]
    assert now["selected"] == selected.sum()
    assert now["recall"] == pytest.approx(selected[y_true == 1].mean(), abs=0.02)
    assert now["precision"] == pytest.approx(y_true[selected].mean(), abs=0.02)
    unlabelled = selected & (s == 0)
    assert now["selected_unlabelled"] == unlabelled.sum()
    assert now["precision_unlabelled"] == pytest.approx(y_true[unlabelled].mean(), abs=0.02)
    assert now["precision_unlabelled"] < now["precision"] - 0.1
    missed = ((y_true == 1) & ~selected).sum()
    false_alarms = ((y_true == 0) & selected).sum()
    assert now["missed"] == pytest.approx(missed, rel=0.05)
    assert now["false_alarms"] == pytest.approx(false_alarms, rel=0.05)


def test_a_cut_that_selects_nothing_has_no_precision_among_unlabelled_rows(summary):
    for name in ("recall", "share", "selected", "selected_unlabelled"):
        summary["curve"][name][0] = 0
    now = numbers_at(summary, 0)
    assert now["precision_unlabelled"] is None
    assert (now["precision"], now["f1"]) == (0, 0)
