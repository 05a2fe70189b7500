"""A table to numbers: meaningful names, nothing missing, the same numbers in every call."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from unlabeled import PULogistic
from unlabeled.app.tables import TableError, TableFeatures, table_pipeline
from unlabeled.codes import PUWarning
from unlabeled.diagnostics import diagnose

N = 400


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    made = pd.DataFrame(
        {
            "age": rng.normal(50, 10, N),
            "education": rng.choice(["school", "college", "neither"], N, p=[0.6, 0.3, 0.1]),
            "smoker": pd.array(rng.random(N) < 0.3, dtype="boolean"),
            "visit": pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, N), "D"),
            "note": [f"word{i} and word{j}" for i, j in rng.integers(0, 60, (N, 2))],
            "region": rng.choice(["north", "south"], N, p=[0.7, 0.3]),
        }
    )
    made.loc[:20, "age"] = np.nan
    made.loc[10:30, "visit"] = pd.NaT
    made.loc[5:15, "note"] = None
    made.loc[50:99, "region"] = None
    made.loc[0:3, "education"] = ["rare", "rarer", "rarest", "once"]
    return made


@pytest.fixture(scope="module")
def fitted(frame):
    return TableFeatures(text_components=2).fit(frame)


def test_names_say_the_column_and_the_level(fitted, frame):
    assert fitted.get_feature_names_out().tolist() == [
        "age",
        "age is missing",
        "education=college",
        "education=neither",
        "education=(rare)",
        "smoker",
        "visit (days)",
        "visit is missing",
        "visit (season 1)",
        "visit (season 2)",
        "note (text 1)",
        "note (text 2)",
        "note is missing",
        "region=south",
        "region is missing",
    ]
    assert set(fitted.output_to_input_.values()) == set(frame.columns)


def test_numbers_are_what_they_say(fitted, frame):
    values = pd.DataFrame(fitted.transform(frame), columns=fitted.get_feature_names_out())
    assert np.isfinite(values.to_numpy()).all()
    np.testing.assert_allclose(values["age"][21:], frame["age"][21:], rtol=1e-6)
    assert np.allclose(values["age"][:21], frame["age"].median())
    for name in ("age", "visit", "note", "region"):
        assert (values[f"{name} is missing"] == frame[name].isna()).all()
    days = (frame["visit"] - frame["visit"].min()).dt.days
    np.testing.assert_allclose(values["visit (days)"][31:], days[31:], atol=0.01)
    assert (values["education=college"] == (frame["education"] == "college")).all()
    assert values["education=(rare)"].sum() == 4
    assert (values["smoker"] == frame["smoker"].astype(float)).all()


def test_the_same_numbers_in_every_call(fitted, frame):
    values = fitted.transform(frame)
    again = TableFeatures(text_components=2).fit_transform(frame)
    np.testing.assert_array_equal(again, values)
    shuffled = frame.iloc[::-1, ::-1].assign(extra=1)
    np.testing.assert_array_equal(fitted.transform(shuffled)[::-1], values)
    one_by_one = np.vstack([fitted.transform(frame.iloc[[i]]) for i in (0, 12, 60, 399)])
    np.testing.assert_allclose(one_by_one, values[[0, 12, 60, 399]], atol=1e-12)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(frame), values)


def test_an_unknown_level_counts_as_rare(fitted, frame):
    new = frame.iloc[[200]].assign(education="unheard of")
    names = list(fitted.get_feature_names_out())
    assert fitted.transform(new)[0, names.index("education=(rare)")] == 1


def test_a_column_that_is_gone_is_named(fitted, frame):
    with pytest.raises(TableError, match="got none named 'age'.*'Age'"):
        fitted.transform(frame.rename(columns={"age": "Age"}))


def test_constant_features_and_second_indicators_are_left_out():
    made = pd.DataFrame({"a": [1.0, None, 2.0, 3.0], "b": [5.0, None, 7.0, 1.0], "c": 4.0})
    assert TableFeatures().fit(made).get_feature_names_out().tolist() == ["a", "a is missing", "b"]


def test_names_that_would_occur_twice_are_numbered():
    level, flag = ["x", "y", "y", "y"], [0, 1, 0, 1]
    made = pd.DataFrame({"a": level, "a=x": flag})
    assert TableFeatures().fit(made).get_feature_names_out().tolist() == ["a=x", "a=x [2]"]


def labeled(frame, rng):
    score = 0.1 * (frame["age"].fillna(50).to_numpy() - 50)
    return (rng.random(N) < 0.5 / (1 + np.exp(-2 * score))).astype(int)


@pytest.mark.parametrize(
    ("column", "leaking"),
    [
        ("ended", lambda s: pd.Series(pd.Timestamp("2024-01-01"), range(N)).where(s == 1)),
        ("bill", lambda s: pd.Series(np.arange(N) % 7 + 1.0).where(s == 1)),
        ("status", lambda s: pd.Series(np.where(s == 1, "closed", "open"))),
        ("code", lambda s: pd.Series([f"c{i} x" for i in range(N)]).where(s == 1)),
        ("days", lambda s: pd.Series(np.where(s == 1, np.arange(N) % 30 + 1, 0))),
    ],
)
def test_a_column_that_gives_the_label_away_is_named(frame, rng, column, leaking):
    s = labeled(frame, rng)
    leaked = frame.assign(**{column: leaking(s)})
    with pytest.warns(PUWarning, match="PU204"):
        finding = diagnose(table_pipeline(PULogistic()), leaked, s, checks="leakage")["leakage"]
    assert finding.state == "serious"
    assert finding.facts["columns"] == [column]
    assert f"'{column}'" in finding.message


def test_a_table_without_a_leak_is_fine(frame, rng):
    s = labeled(frame, rng)
    finding = diagnose(table_pipeline(PULogistic()), frame, s, checks="leakage")["leakage"]
    assert finding.state == "fine"


def test_kinds_of_columns():
    n = 100
    frame = pd.DataFrame(
        {
            "dose": np.arange(n) / 7,
            "smoker": np.arange(n) % 3 == 0,
            "insured": pd.array([None, True, False, True] * (n // 4), "boolean"),
            "answered": pd.Series([None, True, False, True] * (n // 4), dtype=object),
            "sex": ["f", "m"] * (n // 2),
            "ward": pd.Categorical([1, 2, 3, 4] * (n // 4)),
            "visit": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n), "D"),
            "written": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "notes": [f"walks {i} times" for i in range(n)],
            "nothing": [None] * n,
        }
    )
    assert TableFeatures().fit(frame).kinds_ == {
        "dose": "number",
        "smoker": "true/false",
        "insured": "true/false",
        "answered": "true/false",
        "sex": "category",
        "ward": "category",
        "visit": "date",
        "written": "date",
        "notes": "text",
        "nothing": "blank",
    }


def test_only_columns_of_numbers_have_ranges():
    frame = pd.DataFrame(
        {"age": [61, None, 50, 38], "sex": list("fmff"), "smoker": [True, False, True, True]}
    )
    assert TableFeatures().fit(frame).ranges_in_ == {"age": (30.0, 70.0)}


def test_a_frame_of_polars_gives_the_same_numbers_and_names(frame):
    there = pl.from_pandas(frame)
    here, other = (TableFeatures(text_components=2).fit(one) for one in (frame, there))
    assert here.get_feature_names_out().tolist() == other.get_feature_names_out().tolist()
    np.testing.assert_allclose(here.transform(frame), other.transform(there), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    "given", [np.ones((3, 2)), [[1, 2], [3, 4]], pl.LazyFrame({"a": [1, 2]})], ids=type
)
def test_only_a_data_frame_is_accepted(given, fitted):
    with pytest.raises(TypeError, match=f"`X` must be .*; got {type(given).__name__}"):
        TableFeatures().fit(given)
    with pytest.raises(TypeError, match=f"`X` must be .*; got {type(given).__name__}"):
        fitted.transform(given)


def test_an_empty_frame_is_rejected(frame):
    with pytest.raises(ValueError, match=r"`X` must .*; got shape \(0, 6\)"):
        TableFeatures().fit(frame.iloc[:0])
    with pytest.raises(ValueError, match=r"`X` must .*; got shape \(400, 0\)"):
        TableFeatures().fit(frame[[]])


@pytest.mark.parametrize("name", ["most_categories", "text_components"])
@pytest.mark.parametrize("value", [-1, 0, "a", 2.5])
def test_bad_parameters_are_named(frame, name, value):
    with pytest.raises(ValueError, match=f"`{name}` must be .*; got {value!r}"):
        TableFeatures(**{name: value}).fit(frame)


def test_columns_stored_as_numbers_are_not_encoded_and_keep_their_places():
    frame = pd.DataFrame(
        {
            "b": ["x", "y"] * 20,
            "a": np.linspace(0, 1, 40) / 3,
            "none": np.full(40, np.nan),
            "n": pd.array([1, None] * 20, dtype="Int64"),
            "t": [True, False] * 20,
        }
    )
    features = TableFeatures()
    values = features.fit_transform(frame)
    assert list(features.encodings_) == ["b", "t"]
    assert features.kinds_ == {
        "b": "category",
        "a": "number",
        "none": "blank",
        "n": "number",
        "t": "true/false",
    }
    assert [one.source for one in features.features_] == ["b", "a", "n", "t"]
    np.testing.assert_array_equal(values[:, 1], frame["a"])
    np.testing.assert_array_equal(features.transform(frame), values)


def test_a_table_of_numbers_alone_needs_no_encoding():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 4)), columns=list("dcba"))
    features = TableFeatures()
    np.testing.assert_array_equal(features.fit_transform(frame), frame.to_numpy())
    np.testing.assert_array_equal(features.transform(frame[list("abcd")]), frame.to_numpy())
