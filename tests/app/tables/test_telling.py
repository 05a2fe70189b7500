"""Unused columns that give the label away are marked, and no others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import TELLS, Table, mark_telling, prepare


@pytest.fixture(scope="module")
def made():
    rng, n = np.random.default_rng(0), 800
    y = rng.random(n) < 0.4
    s = (y & (rng.random(n) < 0.6)).astype(float)
    day = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n) + 2 * y,
            "treated_on": np.where(s == 1, day.strftime("%Y-%m-%d"), None),
            "stage": np.where(s == 1, rng.choice(["II", "III"], n), "unknown"),
            "dose": np.where(s == 1, rng.gamma(2, 10, n), 0.0),
            "report": pd.Series(day).where(pd.Series(s == 1)),
            "name": [f"N {k}" for k in rng.permutation(n)],
            "seen_on": day,
            "finding": np.where(y, "a", "b"),
            "note": np.where(rng.random(n) < 0.3, "late", None),
            "s": s,
        }
    )
    return frame, s


TELLING = {"treated_on", "stage", "dose", "report"}


def test_only_columns_that_give_the_label_away_are_marked(made):
    frame, s = made
    drop = [name for name in frame if name not in ("x", "s")]
    prepared = prepare(Table(frame, Path("t.csv")), "s", drop=drop)
    marked = mark_telling(prepared, frame, s)
    assert {name for name, why in marked.dropped.items() if why.endswith(TELLS)} == TELLING
    assert marked.features == prepared.features
    assert "'treated_on'" in next(one for one in marked.remarks if TELLS in one)


def test_a_used_column_an_identifier_and_a_group_are_not_looked_at(made):
    frame, s = made
    prepared = prepare(Table(frame, Path("t.csv")), "s", id="treated_on", group="stage")
    assert mark_telling(prepared, frame, s) is prepared


def test_random_columns_are_hardly_ever_marked():
    marked = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        s = (rng.random(400) < 0.4).astype(float)
        frame = pd.DataFrame(
            {
                "x": rng.normal(size=400),
                "a": rng.normal(size=400),
                "b": rng.integers(0, 5, 400),
                "c": np.where(rng.random(400) < 0.9, None, "c"),
                "s": s,
            }
        )
        prepared = prepare(Table(frame, Path("t.csv")), "s", drop=["a", "b", "c"])
        marked += mark_telling(prepared, frame, s) is not prepared
    assert marked <= 3
