"""Why a row has its score: the columns of the table that moved it most."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.table_model import because, fit_table
from unlabeled.app.table_model._because import _numbers
from unlabeled.app.tables import Table, label_column, prepare
from unlabeled.inspection import contributions
from unlabeled.meta import PUThresholdClassifier

from .conftest import CLASSIFIERS


def moved(fit):
    """The contributions by column, from the coefficients."""
    model = getattr(fit.classifier, "estimator_", fit.classifier)
    values = model.coef_[0] * (fit.X_numeric - fit.X_numeric.mean(axis=0))
    sources = [one.source for one in fit.pipeline[0].features_]
    return pd.DataFrame(values.T, index=sources).groupby(level=0).sum().T


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_columns_are_named_by_how_far_they_moved_the_score(fit_of, name):
    fit = fit_of(name)
    known, X = moved(fit), fit.prepared.X
    reasons = because(fit)
    for k in np.flatnonzero(fit.labels.s == 0)[:40]:
        up, _, down = reasons[k].partition("against: ")
        least = known.iloc[k].abs().max() / 10
        raised = known.iloc[k][known.iloc[k] >= least].sort_values(ascending=False)
        lowered = known.iloc[k][known.iloc[k] <= -least].sort_values()
        named = [word.split()[0] for word in up.split("; ") if word]
        assert named == raised.index.tolist()
        assert [word.split()[0] for word in down.split("; ") if word] == lowered.index.tolist()[:2]
        words = {
            word.split()[0]: word.partition(" ")[2] for word in (up + down).split("; ") if word
        }
        for column, word in words.items():
            assert word == word_of(X[column], k)


def word_of(column, k):
    cell = column.iloc[k]
    if pd.isna(cell):
        return "missing"
    if isinstance(cell, str):
        return cell
    side = "high" if cell > column.fillna(column.median()).mean() else "low"
    return f"{cell:.4g} ({side})"


def test_only_the_first_unlabeled_rows_are_explained(fit_of):
    fit = fit_of("enhanced")
    explained = {k for k, one in enumerate(because(fit, most=7)) if one is not None}
    unlabeled = np.flatnonzero(fit.labels.s == 0)
    first = unlabeled[np.argsort(-fit.scored.score[unlabeled])[:7]]
    assert explained == set(first)
    assert because(fit, most=7)[first[0]] == because(fit)[first[0]]


def test_every_kind_of_column_has_its_words(tmp_path):
    rng, n = np.random.default_rng(5), 400
    late = rng.random(n) < 0.5
    smoker, gap = rng.random(n) < 0.5, rng.random(n) < 0.3
    frame = pd.DataFrame(
        {
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(900 * late, "D"),
            "smoker": smoker,
            "only": np.where(gap, np.nan, 7.0),
            "notes": [f"word{k} of {k * 7919 % 613}" for k in range(n)],
        }
    )
    told = rng.random(n) < 1 / (1 + np.exp(3 - 2.0 * late - 2.0 * smoker - 2.0 * gap))
    frame["told"] = np.where(told, "yes", None)
    table = Table(frame, tmp_path / "table.csv")
    fit = fit_table(CLASSIFIERS["naive"](), prepare(table, "told"), label_column(table, "told"))
    words = {
        word
        for one in because(fit)
        if one is not None
        for word in one.replace("against: ", "").split("; ")
    }
    expected = "seen 2022-06-19 (late), seen 2020-01-01 (early), smoker yes, smoker no, "
    expected += "only missing, only present, notes (text)"
    assert words >= set(expected.split(", "))
    assert not {word for word in words if word.split()[0] not in frame.columns}
    k = np.flatnonzero(late & smoker & gap & ~told)[0]
    assert because(fit)[k].partition("; against: ")[0].count("; ") == 2


@pytest.mark.parametrize(
    ("cell", "shown"),
    [(81.0, "81"), (19.254, "19.25"), (0.00012345, "0.0001234"), (1234567.89, "1234568"),
     (-2500.0, "-2500"), (1e20, "1e+20"), (0.30000000000000004, "0.3")],
)  # fmt: skip
def test_numbers_have_the_digits_that_a_person_reads(cell, shown):
    assert _numbers(pd.Series([cell])) == [shown]


def test_trees_give_reasons_too(fit_of, patients):
    from sklearn.ensemble import ExtraTreesClassifier

    forest = ExtraTreesClassifier(10, min_samples_leaf=5, random_state=0)
    prepared, labels = (
        prepare(patients, "diagnosis", id="patient"),
        label_column(patients, "diagnosis"),
    )
    fit = fit_table(PUThresholdClassifier(forest, cv="train"), prepared, labels)
    first = np.argmax(np.where(labels.s == 0, fit.scored.score, -np.inf))
    found = contributions(fit.classifier, fit.X_numeric[[first]])
    sources = {f"x{j}": one.source for j, one in enumerate(fit.pipeline[0].features_)}
    summed = found.summed_by(sources)
    strongest = summed.feature_names[int(np.argmax(summed.values[0]))]
    assert because(fit)[first].startswith(strongest)
