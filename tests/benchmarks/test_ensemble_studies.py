"""The ensemble's studies: shared fits, cuts for a told prior, drawn rows, records that agree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier

from benchmarks.ensemble import choices, nine_sets, published
from benchmarks.ensemble.cost import keys as lines_of_the_table
from benchmarks.ensemble.cost import made_rows
from benchmarks.field.studies import field_records
from unlabeled import PUEnsemble, PULogistic
from unlabeled.datasets import hide_labels

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def rows():
    X, y_true = made_rows(600)
    return X[:, :6], hide_labels(y_true, 0.5, random_state=0), y_true


def members(kind: str) -> list:
    own = {
        "plain": (PULogistic, ExtraTreesClassifier, HistGradientBoostingClassifier),
        "remembered": (
            choices.RememberedLine,
            choices.RememberedTrees,
            choices.RememberedBoosting,
        ),
    }
    line, trees, boosting = own[kind]
    return [
        ("line", line()),
        ("trees", trees(20, bootstrap=True, oob_score=True, min_samples_leaf=15)),
        ("boosting", boosting(max_iter=100, max_leaf_nodes=4, early_stopping=False)),
    ]


@pytest.mark.filterwarnings("ignore")
def test_members_that_remember_give_the_same_ensemble(rows):
    X, s, _ = rows
    grid = {"boosting": [{"max_leaf_nodes": 3}, {"max_leaf_nodes": 4}]}
    settings = {"grid": grid, "random_state": 0}
    plain = PUEnsemble(members=members("plain"), **settings).fit(X, s)
    try:
        for ridge in (30.0, 3.0, 30.0):
            model = PUEnsemble(members=members("remembered"), ridge=ridge, **settings).fit(X, s)
            same = np.array_equal(model.held_out_score_, plain.held_out_score_)
            assert same == (ridge == 30.0)
        np.testing.assert_array_equal(model.positive_score(X), plain.positive_score(X))
        assert model.member_settings_ == plain.member_settings_
    finally:
        choices.forget()


@pytest.mark.filterwarnings("ignore")
def test_cuts_for_a_told_prior_are_those_of_a_fit_that_is_told(rows):
    X, s, y_true = rows
    prior = float(y_true.mean())
    settings = {"members": members("plain")[:2], "random_state": 0}
    model = PUEnsemble(**settings).fit(X, s)
    told = PUEnsemble(class_prior=prior, **settings).fit(X, s)
    cuts = nine_sets.with_prior(model, s, prior)
    assert abs(model.class_prior_ - prior) > 1e-3
    np.testing.assert_allclose(cuts.recall, told.cuts_.recall, atol=1e-9)
    np.testing.assert_array_equal(cuts.score, told.cuts_.score)


@pytest.mark.needs_data
def test_spambase_is_drawn_as_the_benchmark_draws_it():
    small, large = (published.draw_spambase(c, 3) for c in (0.1, 0.5))
    np.testing.assert_array_equal(small.X, large.X)
    rows = np.vstack([small.X, small.X_test])
    np.testing.assert_allclose(rows.std(axis=0), 1.0)
    np.testing.assert_allclose(rows.mean(axis=0), 0.0, atol=1e-9)
    assert len(small.X_test) / len(rows) == pytest.approx(0.2, abs=1e-3)
    assert small.y_true.mean() == pytest.approx(small.y_test.mean(), abs=1e-3)
    assert small.s.sum() == round(0.1 * small.y_true.sum())
    assert large.s.sum() == round(0.5 * large.y_true.sum())
    assert not np.any(large.s[large.y_true == 0])


@pytest.mark.needs_data
def test_choices_are_compared_on_a_part_of_a_split_of_their_own():
    drawn = choices.draw("spambase", 0.5, 0)
    assert len(drawn.s) == choices.MOST_ROWS
    assert len(drawn.y_test) == 921
    reported, _ = nine_sets.draw("spambase", 0.5, 0)
    assert not np.array_equal(np.sort(drawn.y_test), reported.y_test)


def test_a_smaller_benchmark_has_no_larger_table(monkeypatch):
    monkeypatch.setenv("UNLABELED_BENCH_ROWS", "20000")
    assert {rows for _, rows, _ in lines_of_the_table()} == {20_000, 10_000}
    monkeypatch.setenv("UNLABELED_BENCH_ROWS", "500")
    assert {rows for _, rows, _ in lines_of_the_table()} == {500}


@pytest.mark.parametrize(
    ("measure", "method"), [("f1", "pu_logistic"), ("balanced_accuracy", "pu_logistic_ba")]
)
def test_the_line_of_the_records_is_that_of_the_field_page(measure, method):
    """All fits agree: rows, labels and version are the same."""
    field = field_records(DOCS / "field", DOCS / "reproduction").query("method == @method")
    field = field.assign(c=field["c"].round(9))
    both = pd.read_csv(DOCS / "ensemble" / nine_sets.RECORDS.file).merge(
        field, on=list(nine_sets.RECORDS.names)
    )
    # The records have six digits.
    same = np.isclose(both[f"line_{measure}"], both[measure], rtol=0, atol=1e-5)
    assert len(both) > 700
    assert same.all()
