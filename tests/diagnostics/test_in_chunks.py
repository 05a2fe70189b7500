"""Checks of rows in chunks: on a part of them, which the result names."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, PULogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import diagnose, scar_test

DATA = make_paper_gaussian(n=4000, label_frequency=0.5, random_state=0)
X, S = DATA.X, DATA.s
P = X.shape[1]
NAMES = [f"column {j}" for j in range(P)]
pytestmark = pytest.mark.filterwarnings("ignore:.PU1")


def in_chunks(length=900):
    return da.from_array(X, chunks=(length, P)), da.from_array(S, chunks=length)


def frames():
    rows = dd.from_pandas(pd.DataFrame(X, columns=NAMES).assign(s=S), npartitions=3)
    return rows[NAMES], rows["s"]


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="sync"):
        yield


def test_a_part_that_is_everything_is_checked_as_in_memory():
    wanted = diagnose(EnhancedLogistic(), X, S, random_state=0)
    found = diagnose(EnhancedLogistic(), *in_chunks(), random_state=0)
    assert found == wanted
    assert found.note is None


def test_a_diagnosis_of_a_part_says_so():
    found = diagnose(
        PULogistic(), *in_chunks(), checks=["labels", "separation"], random_state=0, max_rows=1000
    )
    n_labeled = round(1000 * S.mean())
    note = (
        f"on 1000 of the 4000 rows, drawn at random; {n_labeled} of the {S.sum()} labeled "
        "ones are among them"
    )
    assert found.note == note
    assert f"Checked {note}." in " ".join(str(found).split())
    assert note in found._repr_html_()
    assert f"{n_labeled} of 1000 rows are labeled" in found["labels"].message


def test_the_part_depends_on_the_seed_and_not_on_the_chunks():
    options = {"checks": ["identifiability", "class prior"], "max_rows": 1000}
    first, again, other = (
        diagnose(PULogistic(), *rows, random_state=seed, **options)
        for rows, seed in ((in_chunks(), 0), (in_chunks(333), 0), (in_chunks(), 1))
    )
    assert first == again
    assert first != other


def test_frames_keep_their_names_in_pipelines():
    model = make_pipeline(StandardScaler(), PULogistic())
    found = diagnose(model, *frames(), checks="scar", random_state=0, max_rows=2000)
    assert found["scar"].facts["rows_in_all"] == 2000
    fitted = model.fit(pd.DataFrame(X, columns=NAMES), S)
    assert diagnose(fitted, *frames(), checks="fit", max_rows=2000)["fit"].state == "fine"


def test_a_classifier_fitted_to_chunks_is_checked_on_a_part():
    model = PULogistic().fit(*in_chunks())
    found = diagnose(model, *in_chunks(), random_state=0, max_rows=1500)
    assert found["fit"].state == "fine"
    assert {one.state for one in found} <= {"fine", "note", "warning", "not applicable"}


def test_row_numbers_are_those_of_the_whole_table():
    copies = X.copy()
    copies[:2000] = copies[2000:]
    labels = np.where(np.arange(4000) < 2000, 0, S)
    chunks = da.from_array(copies, chunks=(900, P)), da.from_array(labels, chunks=900)
    found = diagnose(PULogistic(), *chunks, checks="duplicates", random_state=0, max_rows=3000)
    rows = found["duplicates"].facts["rows"]
    assert rows
    assert min(rows) >= 2000  # labeled rows
    assert np.all(labels[rows] == 1)


def test_label_values_are_those_of_the_classifier():
    text = np.where(S == 1, "a", "b")
    chunks = in_chunks()[0], da.from_array(text, chunks=900)
    options = {"checks": "labels", "random_state": 0, "max_rows": 1000}
    found = diagnose(PULogistic(pos_label="a"), *chunks, **options)
    assert str(found) == str(diagnose(PULogistic(), *in_chunks(), **options))


# The test of SCAR.


def test_scar_on_a_part_that_is_everything_is_that_of_rows_in_memory():
    options = {"n_resamples": 19, "random_state": 0}
    wanted, found = scar_test(X, S, **options), scar_test(*in_chunks(), **options)
    assert (found.p_value, found.statistic) == (wanted.p_value, wanted.statistic)
    assert found.note is None
    assert str(found) == str(wanted)


def test_scar_on_a_part_says_so_and_keeps_names():
    found = scar_test(*frames(), n_resamples=19, random_state=0, max_rows=1000)
    assert found.feature_names == tuple(NAMES)
    assert "Tested on 1000 of the 4000 rows, drawn at random" in str(found)


def test_scar_rejects_sparse_chunks():
    chunks, labels = in_chunks()
    csr = chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype)
    with pytest.raises(TypeError, match="`X` must be dense for scar_test"):
        scar_test(csr, labels)
