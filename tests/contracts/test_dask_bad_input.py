"""Dask: bad rows in chunks are rejected with one sentence."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from tests.contracts.backends import NAMES, PLACES, UNEVEN, data, in_chunks, unknown_sizes
from unlabeled import JointLogistic, NaiveLogistic

X, S, WEIGHT = data()
N = len(S)
FEATURES, LABELS = in_chunks(X, UNEVEN), in_chunks(S, UNEVEN)
FRAME, COLUMN, _ = PLACES["frame"](X, S, None, None)


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def with_nan():
    spoiled = X.copy()
    spoiled[200, 1] = np.nan
    return spoiled


def column(values):
    return in_chunks(np.asarray(values), UNEVEN)


def shifted(by):
    """Labels of another frame, whose index begins elsewhere."""
    return dd.from_pandas(pd.DataFrame({"s": S}, index=np.arange(N) + by), npartitions=3)["s"]


def half_unknown(lengths):
    return da.from_array(S, chunks=(lengths,))[da.ones(N, chunks=(lengths,), dtype=bool)]


BAD = {
    "NaN in a chunk": ((in_chunks(with_nan(), UNEVEN), LABELS), "`X` must.* column 1"),
    "NaN in a frame": (PLACES["frame"](with_nan(), S, None, None)[:2], "`X` must.* column 'f1'"),
    "a missing whole number": (
        (FRAME.assign(n=COLUMN.astype("Int64").where(COLUMN == 1)), COLUMN),
        "`X` must.* column 'n'",
    ),
    "fewer labels": ((FEATURES, LABELS[:100]), "inconsistent numbers of samples: 240 .* 100"),
    "fewer labels here": ((FEATURES, S[:100]), "inconsistent numbers of samples: 240 .* 100"),
    "other lengths": (
        (unknown_sizes(X), half_unknown((60, 50, 0, 60, 70))),
        "inconsistent numbers of samples: .* rows in `X`, and .0 in the chunk",
    ),
    "other chunks": ((unknown_sizes(X), half_unknown((100, 140))), "`X`.*got 5 .* and 2"),
    "labels of half a frame": ((FRAME, shifted(0).partitions[0]), "`y` must"),
    "labels of another index": ((FRAME, shifted(50)), "`y` must"),
    "three labels": ((FEATURES, column(np.arange(N) % 3)), "`y` must.* got 3: 0, 1, 2"),
    "one class": ((FEATURES, column(np.zeros(N, int))), "`y` must.* 0"),
    "a score": ((FEATURES, column(X[:, 0])), "`y` must.*fractional"),
    "missing labels": ((FEATURES, column(np.where(S, 1.0, np.nan))), "`y` must.*NaN or inf"),
    "None as label": ((FEATURES, column(np.where(S, "yes", None))), "`y` must.*None or NaN"),
    "labels of two types": (
        (FEATURES, column(np.where(S, np.array("yes", object), 0))),
        "`y` must.* got int, str",
    ),
    "two columns of labels": ((FEATURES, in_chunks(np.c_[S, S], UNEVEN)), "table of 2 columns"),
    "negative weights": ((FEATURES, LABELS, column(WEIGHT - 1)), r"`sample_weight` must.* got -\d"),
    "NaN as weight": (
        (FEATURES, LABELS, column(np.where(WEIGHT, 1, np.nan))),
        "`sample_weight` must.* got nan",
    ),
    "no weight of a class": (
        (FEATURES, LABELS, column(1.0 - S)),
        "`sample_weight` must",
    ),
    "text": ((FRAME.assign(t=COLUMN.astype(str)), COLUMN), "`X` must.* in column 't'"),
    "categories": ((FRAME.assign(t=COLUMN.astype("category")), COLUMN), "`X` must.* in column 't'"),
    "objects": ((FEATURES.astype(object), LABELS), "`X` must.* got object"),
    "one dimension": ((FEATURES[:, 0], LABELS), "Expected 2D array, got 1D"),
    "no columns": ((FEATURES[:, :0], LABELS), r"0 feature\(s\)"),
    "no rows": ((FEATURES[:0], LABELS[:0]), r"0 sample\(s\)"),
    "no labels": ((FEATURES, None), "y is None"),
    "huge values": ((FEATURES * 1e200, LABELS), "`X` must.*squares"),
}


@pytest.mark.parametrize(("rows", "match"), BAD.values(), ids=BAD.keys())
def test_bad_rows(rows, match):
    with pytest.raises(ValueError, match=match):
        NaiveLogistic().fit(*rows)


@pytest.mark.parametrize("options", [{"solver": "em"}, {"solver": "mm"}, {"settings": "published"}])
def test_solvers_that_need_memory(options):
    with pytest.raises(ValueError, match="`solver` must be 'lbfgs'"):
        JointLogistic(**options).fit(FEATURES, LABELS)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (FRAME.rename(columns={"f0": "g0"}), "unseen at fit time:\n- g0"),
        (FRAME[NAMES[::-1]], "same order"),
        (FRAME[NAMES[:2]], "now missing:\n- f2"),
    ],
)
def test_other_features_in_predict(frame, words):
    model = NaiveLogistic().fit(FRAME, COLUMN)
    with pytest.raises(ValueError, match=words):
        model.predict(frame)


def test_predict_before_fit():
    with pytest.raises(NotFittedError):
        NaiveLogistic().predict(FEATURES)


@pytest.mark.parametrize(
    "labels",
    [
        S.tolist(),
        pd.Series(S, index=np.arange(N) + 99),
        LABELS[:, None],
        in_chunks(S.astype(bool), UNEVEN),
        shifted(0),
        shifted(0).to_frame(),
    ],
    ids="list series column bool other-frame one-column-frame".split(),
)
def test_labels_in_other_forms(labels):
    features = FRAME if hasattr(labels, "to_dask_array") else FEATURES
    found, expected = NaiveLogistic().fit(features, labels), NaiveLogistic().fit(X, S)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8)


def test_a_number_as_weight():
    found, expected = NaiveLogistic(C=1).fit(FEATURES, LABELS, 2.0), NaiveLogistic(C=1).fit(X, S, 2)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8)
