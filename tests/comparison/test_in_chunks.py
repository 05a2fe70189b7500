"""Methods compared on rows in chunks: on a part of them, which the result names."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, NaiveLogistic
from unlabeled.comparison import _compare, compare_methods
from unlabeled.datasets import make_paper_gaussian

DATA = make_paper_gaussian(n=3000, label_frequency=0.4, random_state=0)
X, S = DATA.X, DATA.s
P = X.shape[1]
MODELS = {"naive": NaiveLogistic(), "enhanced": EnhancedLogistic()}
pytestmark = pytest.mark.filterwarnings("ignore:.PU1")


def in_chunks(length=700):
    return da.from_array(X, chunks=(length, P)), da.from_array(S, chunks=length)


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="sync"):
        yield


def same(found, wanted):
    for measure in wanted.measures:
        if measure != "seconds":
            np.testing.assert_array_equal(found.values[measure], wanted.values[measure])


def test_a_part_that_is_everything_gives_the_comparison_of_rows_in_memory():
    wanted = compare_methods(MODELS, X, S, random_state=0)
    found = compare_methods(MODELS, *in_chunks(), random_state=0)
    same(found, wanted)
    assert found.note is None
    assert found.rows == wanted.rows


def test_a_comparison_on_a_part_says_so_in_its_record():
    found = compare_methods(MODELS, *in_chunks(), random_state=0, max_rows=1000)
    n_labeled = round(1000 * S.mean())
    note = (
        f"on 1000 of the 3000 rows, drawn at random; {n_labeled} of the {S.sum()} labeled "
        "ones are among them"
    )
    assert found.note == found.to_dict()["note"] == note
    assert found.to_dict()["rows"]["total"] == 3000
    assert (found.rows.n_used, found.rows.n_labeled) == (1000, n_labeled)
    assert found.best == "enhanced"
    same(compare_methods(MODELS, *in_chunks(411), random_state=0, max_rows=1000), found)


def test_without_a_number_a_part_of_many_rows_is_used(monkeypatch):
    monkeypatch.setattr(_compare, "DIAGNOSED_ROWS", 900)
    assert compare_methods(MODELS, *in_chunks(), random_state=0).rows.n_used == 900


def test_frames_keep_their_names_in_pipelines():
    names = [f"column {j}" for j in range(P)]
    # Column by column in memory, as the chunks are put together: BLAS rounds by that.
    frame = pd.DataFrame({name: X[:, j] for j, name in enumerate(names)})
    rows = dd.from_pandas(frame.assign(s=S), npartitions=3)
    models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), **MODELS}
    found = compare_methods(models, rows[names], rows["s"], random_state=0)
    wanted = compare_methods(models, frame, S, random_state=0)
    same(found, wanted)


def test_a_class_prior_below_the_share_of_labeled_rows_of_the_table_is_rejected():
    with pytest.raises(ValueError, match="`class_prior` must be at least"):
        compare_methods(MODELS, *in_chunks(), class_prior=0.9 * S.mean(), max_rows=500)
