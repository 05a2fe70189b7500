"""Audits of rows in chunks: drawn from the whole table, as in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, PropensityLogistic, PULogistic, PUThresholdClassifier
from unlabeled.audit import draw_audit
from unlabeled.datasets import make_paper_gaussian

DATA = make_paper_gaussian(n=3000, label_frequency=0.4, random_state=3)
X, S = DATA.X, DATA.s
P = X.shape[1]
UNEVEN = (900, 0, 1200, 1, 899)
pytestmark = pytest.mark.filterwarnings("ignore:.PU1")


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="sync"):
        yield


def in_chunks(lengths=UNEVEN):
    return da.from_array(X, chunks=(lengths, P)), da.from_array(S, chunks=(lengths,))


def same(found, wanted):
    for name in ("rows", "stratum", "score", "inclusion_probability"):
        np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)
    for name, column in wanted.strata.items():
        np.testing.assert_allclose(found.strata[name], column, rtol=1e-12)
    for name, value in wanted.claimed.items():
        assert (found.claimed[name] is None) == (value is None)
        assert value is None or found.claimed[name] == pytest.approx(value, rel=1e-12)
    assert found.table.n_rows == wanted.table.n_rows


@pytest.mark.parametrize(
    "model",
    [
        EnhancedLogistic(),  # it has no held-out scores
        LogisticRegression(),
        make_pipeline(StandardScaler(), EnhancedLogistic()),
        PUThresholdClassifier(LogisticRegression(), cv="train"),
        PropensityLogistic(propensity_features=[0]),
    ],
    ids=str,
)
@pytest.mark.parametrize("options", [{}, {"labeled_size": 20}], ids=str)
def test_it_is_the_audit_of_the_same_rows_in_memory(model, options):
    model = model.fit(X[:1500], S[:1500])  # so that held-out scores of these rows do not count
    wanted = draw_audit(model, X, S, size=60, random_state=0, **options)
    found = draw_audit(model, *in_chunks(), size=60, random_state=0, **options)
    same(found, wanted)
    assert found.by_features == wanted.by_features
    assert not found.held_out


def test_it_does_not_depend_on_the_chunks():
    model = PULogistic().fit(X, S)
    first, second = (
        draw_audit(model, *in_chunks(lengths), size=60, random_state=0)
        for lengths in (UNEVEN, (3000,))
    )
    same(first, second)
    assert first.fingerprint == second.fingerprint


def test_drawn_rows_are_unlabeled_rows_of_the_whole_table_and_estimate_its_count():
    model = PULogistic().fit(*in_chunks())
    audit = draw_audit(model, *in_chunks(), size=200, random_state=0)
    assert not S[audit.rows].any()
    assert audit.rows.max() > 2100
    assert np.sum(1 / audit.inclusion_probability) == pytest.approx(np.sum(S == 0))
    np.testing.assert_allclose(audit.score, model.positive_score(X[audit.rows]), rtol=1e-9)
    count = audit.estimate(DATA.y_true[audit.rows]).count
    assert count.lower <= DATA.y_true.sum() <= count.upper


def test_new_rows_need_no_labels():
    model = EnhancedLogistic().fit(X, S)
    same(
        draw_audit(model, in_chunks()[0], size=50, random_state=0),
        draw_audit(model, X, size=50, random_state=0),
    )


def test_frames_and_sparse_chunks():
    names = [f"column {j}" for j in range(P)]
    frame = pd.DataFrame(X, columns=names)
    rows = dd.from_pandas(frame.assign(s=S), npartitions=4)
    model = EnhancedLogistic().fit(frame, S)
    wanted = draw_audit(model, frame, S, size=50, random_state=0)
    same(draw_audit(model, rows[names], rows["s"], size=50, random_state=0), wanted)
    model = EnhancedLogistic().fit(X, S)
    chunks, labels = in_chunks()
    csr = chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype)
    found = draw_audit(model, csr, labels, size=50, random_state=0)
    np.testing.assert_array_equal(np.sort(found.rows), np.sort(wanted.rows))


def test_scores_in_chunks_are_scores():
    score, labels = da.from_array(X[:, 0], chunks=700), da.from_array(S, chunks=700)
    found = draw_audit(score, None, labels, size=50, threshold=0.5, random_state=0)
    same(found, draw_audit(X[:, 0], None, S, size=50, threshold=0.5, random_state=0))


def test_bad_chunks_are_named():
    model = EnhancedLogistic().fit(X, S)
    chunks = in_chunks()[0]
    with pytest.raises(ValueError, match="3000 rows in `X`, and 100 in `y`"):
        draw_audit(model, chunks, da.from_array(S[:100], chunks=100), size=50)
    with dask.config.set(scheduler=None), pytest.raises(ValueError, match="X has 2 features"):
        draw_audit(model, chunks[:, :2], size=50)
    with pytest.raises(ValueError, match="`X` must have rows"):
        draw_audit(model, chunks[:0], size=50)
