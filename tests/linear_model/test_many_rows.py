"""PULogistic by passes: chosen on a part of the rows, fitted and counted on all of them."""

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from unlabeled import PropensityLogistic, PULogistic
from unlabeled.audit import draw_audit
from unlabeled.engine.rows import validate_rows
from unlabeled.inference import labeling_sensitivity

N, P = 6000, 4
UNEVEN = (1500, 0, 2500, 1, 1999)
PART = 1000
# PU204: with pos_label=0 nearly all positives are labeled.
pytestmark = pytest.mark.filterwarnings("ignore:.PU1", "ignore:.PU204")


@pytest.fixture(autouse=True)
def small_subsets(monkeypatch):
    monkeypatch.setattr(PULogistic, "_subset_rows", PART)


def all_at_once(model, *arguments, **options):
    """Fit with a part that is all rows: in memory, as with few rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PULogistic, "_subset_rows", 10**9)
        return model.fit(*arguments, **options)


def table(n=N, c=0.4, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, P)) * [1.0, 5.0, 0.1, 2.0] + [0.0, 3.0, 0.0, -1.0]
    t = (X - [0.0, 3.0, 0.0, -1.0]) @ [1.0, 0.2, -5.0, 0.0] - 1.0
    y_true = rng.random(n) < 1 / (1 + np.exp(-t))
    s = (y_true & (rng.random(n) < c)).astype(int)
    return X.astype(dtype), s, rng.integers(1, 4, n).astype(float)


def in_chunks(X, *columns):
    whole = da.from_array(X, chunks=(UNEVEN, P))
    return whole, *(da.from_array(one, chunks=(UNEVEN,)) for one in columns)


def frames(X, s, folder):
    frame = pd.DataFrame(X, columns=list("abcd")).assign(s=s)
    frame.to_parquet(folder / "rows.parquet", row_group_size=1700)
    rows = dd.read_parquet(folder / "rows.parquet", split_row_groups=True)
    return rows[list("abcd")], rows["s"]


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def same(found, wanted, rtol=1e-9):
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=rtol)
    for name in ("threshold_", "class_prior_", "label_frequency_", "C_", "_n_rows_searched_"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=rtol)
    assert found.posterior_line_ == pytest.approx(wanted.posterior_line_, rel=rtol)
    assert found.cut_.recall == pytest.approx(wanted.cut_.recall, rel=rtol)


@pytest.mark.parametrize("direction", ["joint", "naive"])
def test_with_c_and_c_given_the_fit_is_that_of_all_rows_at_once(direction):
    X, s, _ = table()
    options = {"C": 0.3, "class_prior": 0.35, "direction": direction}
    found = PULogistic(**options).fit(X, s)
    wanted = all_at_once(PULogistic(**options), X, s)
    assert (found._n_rows_searched_, wanted._n_rows_searched_) == (PART, N)
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=1e-6)
    left_out = found.held_out_score_
    np.testing.assert_allclose(left_out, wanted.held_out_score_, rtol=1e-6, atol=1e-7)
    assert np.abs(left_out - found.positive_score(X)).max() > 1e-4
    # The cut is an edge of a bin.
    assert found.threshold_ == pytest.approx(wanted.threshold_, abs=0.02)
    assert found.posterior_line_ == pytest.approx(wanted.posterior_line_, rel=1e-3)


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_chosen_on_a_part_is_close_to_what_all_rows_choose(weighted):
    X, s, weight = table(20_000)
    weight = weight if weighted else None
    found = PULogistic().fit(X, s, weight)
    wanted = all_at_once(PULogistic(), X, s, weight)
    cosine = found.coef_[0] @ wanted.coef_[0]
    cosine /= np.linalg.norm(found.coef_) * np.linalg.norm(wanted.coef_)
    assert cosine > 0.9995
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=0.05)
    assert np.mean(found.predict(X) != wanted.predict(X)) < 0.02
    ends = [(one.lower, one.upper) for one in map(PULogistic.class_prior_interval, (found, wanted))]
    assert ends[0] == pytest.approx(ends[1], rel=0.1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"sampling": "two-sample"}, {"pos_label": 0}], ids=str)
def test_chunks_give_the_fit_of_rows_in_memory(weighted, options):
    X, s, weight = table()
    columns = (s, weight) if weighted else (s,)
    wanted = PULogistic(**options).fit(X, *columns)
    with dask.config.set(scheduler="sync"):
        same(PULogistic(**options).fit(*in_chunks(X, *columns)), wanted)


def test_frames_maps_and_sparse_rows_give_the_fit_of_rows_in_memory(tmp_path):
    X, s, _ = table()
    wanted = PULogistic().fit(X, s)
    same(PULogistic().fit(mapped(X, tmp_path), s), wanted)
    same(PULogistic().fit(*frames(X, s, tmp_path)), wanted)
    holes = np.where(np.abs(X) > 1, X, 0)
    dense, csr = PULogistic().fit(holes, s), PULogistic().fit(sparse.csr_array(holes), s)
    same(csr, dense, rtol=1e-5)
    chunks, labels = in_chunks(holes, s)
    chunks = chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype)
    same(PULogistic().fit(chunks, labels), csr)


def test_single_precision_changes_little():
    X, s, _ = table()
    same(PULogistic().fit(X.astype(np.float32), s), PULogistic().fit(X, s), rtol=1e-4)


def test_few_rows_in_chunks_are_taken_to_memory():
    X, s, _ = table(1500)
    wanted = PULogistic().fit(X, s)
    found = PULogistic().fit(da.from_array(X, chunks=(400, P)), da.from_array(s, chunks=400))
    np.testing.assert_array_equal(found.held_out_score_, wanted.held_out_score_)
    assert found._fingerprint_ == wanted._fingerprint_
    same(found, wanted)


def test_of_rows_in_chunks_no_attribute_is_as_long_as_they_are():
    X, s, _ = table(50_000)
    model = PULogistic().fit(da.from_array(X, chunks=(20_000, P)), da.from_array(s, chunks=20_000))
    assert len(pickle.dumps(model)) < 8 * len(s)
    assert not hasattr(model, "held_out_score_")
    assert not hasattr(model, "held_out_posterior_")


def test_rows_in_memory_are_recognized_and_have_held_out_scores(tmp_path):
    X, s, _ = table()
    model = PULogistic().fit(X, s)
    audit = draw_audit(model, X, s, 50, random_state=0)
    np.testing.assert_array_equal(audit.score, model.held_out_score_[audit.rows])
    in_chunks_ = PULogistic().fit(*in_chunks(X, s))
    np.testing.assert_allclose(in_chunks_.held_out_scores(X, s), model.held_out_score_, rtol=1e-5)
    assert PULogistic().fit(mapped(X, tmp_path), s)._fingerprint_ == model._fingerprint_
    assert not hasattr(in_chunks_, "_fingerprint_")


def test_the_sensitivity_to_labeling_is_that_of_all_rows_at_once():
    X, s, _ = table()
    options = {"C": 0.3, "direction": "naive"}
    found = labeling_sensitivity(PULogistic(**options).fit(X, s), X, s, 0)
    wanted = labeling_sensitivity(all_at_once(PULogistic(**options), X, s), X, s, 0)
    ends = [[tuple(one) for one in result.class_prior] for result in (found, wanted)]
    np.testing.assert_allclose(*ends, rtol=0.01)
    with pytest.raises(ValueError, match="other labels"):
        labeling_sensitivity(PULogistic(**options).fit(X, s), X, 1 - s, 0)


def test_a_fit_to_few_rows_forgets_the_one_to_many_and_the_other_way_round():
    X, s, _ = table()
    model = PULogistic().fit(*in_chunks(X, s)).fit(X[:500], s[:500])
    assert len(model.held_out_score_) == 500
    with pytest.raises(AttributeError, match="held_out_scores"):
        model.held_out_scores(X, s)
    assert not hasattr(model.fit(*in_chunks(X, s)), "held_out_score_")


def test_left_out_scores_come_in_blocks_with_any_labels():
    X, s, weight = table()
    names = np.where(s == 1, "a", "b")
    model = PULogistic(pos_label="a").fit(*in_chunks(X, names, weight))
    whole = model.held_out_scores(X, names, weight)
    in_memory = PULogistic(pos_label="a").fit(X, names, weight)
    np.testing.assert_allclose(whole, in_memory.held_out_score_, rtol=1e-5)
    rows = np.flatnonzero(s == 1)[:70]
    part = model.held_out_scores(X[rows], names[rows], weight[rows])
    np.testing.assert_allclose(part, whole[rows], rtol=1e-12)
    with pytest.raises(ValueError, match="`y` must have one of its two values"):
        model.held_out_scores(X, s)
    with pytest.raises(TypeError, match="one chunk at a time"):
        model.held_out_scores(*in_chunks(X, s))


def test_estimates_of_chunks_are_those_of_rows_in_memory():
    X, s, _ = table()
    model = PULogistic().fit(X, s)
    wanted, found = model.estimates(X, s), model.estimates(*in_chunks(X, s))
    np.testing.assert_allclose(found.value, wanted.value, rtol=1e-6)
    np.testing.assert_allclose(found.standard_error, wanted.standard_error, rtol=1e-6)
    assert "class prior, 95%" in str(model.summary(*in_chunks(X, s)))


def test_it_says_what_was_chosen_on_a_part(capsys):
    X, s, _ = table()
    model = PULogistic(verbose=1).fit(X, s)
    assert f"chosen on {model._n_rows_searched_:,} of 6,000 rows" in capsys.readouterr().out


def test_an_estimator_of_the_class_prior_sees_the_part():
    from unlabeled.label_frequency import ElkanNoto

    X, s, _ = table()
    model = PULogistic(class_prior=ElkanNoto()).fit(*in_chunks(X, s))
    assert model.class_prior_ == pytest.approx(model.class_prior_estimator_.class_prior_)


class SeenRows(BaseEstimator):
    """An estimator that keeps the mean of the rows it sees, and finds 0.4."""

    def fit(self, X, y, sample_weight=None):
        self.mean_, self.class_prior_ = np.average(X, axis=0, weights=sample_weight), 0.4
        return self


class WithoutWeights(SeenRows):
    def fit(self, X, y):
        return super().fit(X, y)


def test_an_estimator_of_the_class_prior_sees_rows_as_they_were_given():
    X, s, _ = table()
    seen = PULogistic(class_prior=SeenRows()).fit(X, s).class_prior_estimator_.mean_
    np.testing.assert_allclose(seen, X.mean(axis=0), atol=0.2 * X.std(axis=0).max())
    with pytest.raises(ValueError, match="`class_prior` .*`sample_weight`.* got WithoutWeights"):
        PULogistic(class_prior=WithoutWeights()).fit(X, s)
    PULogistic(class_prior=WithoutWeights()).fit(X[:500], s[:500])


@pytest.mark.parametrize("shift", [0.0, 400.0])
def test_single_precision_far_from_zero_keeps_the_left_out_correction(shift):
    X, s, _ = table()
    X = (X + np.array([shift, 0, 0, 0])).astype(np.float32)
    corrections = []
    for rows in (X, X.astype(np.float64)):
        model = PULogistic(C=1.0, class_prior=0.4).fit(rows, s)
        corrections.append(model.held_out_score_ - model.positive_score(rows))
    size = np.abs(corrections[1]).mean()
    assert np.abs(corrections[0] - corrections[1]).mean() < 0.05 * size


def test_a_constant_column_of_large_numbers_in_single_precision_converges():
    X, s, _ = table()
    X = np.column_stack([X, np.full(N, 20240101.0)]).astype(np.float32)
    model = PULogistic().fit(X, s)
    assert model.converged_
    assert abs(model.coef_[0, -1]) < 1e-9


def test_rows_without_weights_are_left_out_as_rows_of_weight_one():
    X, s, weight = table()
    model = PULogistic(C=1.0, class_prior=0.4, weights="frequency")
    model.fit(*in_chunks(X, s, 11 * weight))
    one, same_one = model.held_out_scores(X, s), model.held_out_scores(X, s, np.ones(N))
    np.testing.assert_allclose(one, same_one, rtol=1e-12)


def test_an_audit_needs_no_labels():
    X, s, _ = table()
    model = PULogistic().fit(X, s)
    assert len(draw_audit(model, X, size=20, random_state=0).rows) == 20


def test_few_unlabeled_rows_are_in_the_subset():
    X, s, _ = table()
    s = np.ones(N, dtype=int)
    s[[7, 3001, 5999]] = 0
    subset = rows_of(X, s).sample(PART, 0, 125).weighted
    assert np.sum(subset.s == 0) == 3
    assert subset.labeled_share == pytest.approx(1 - 3 / N, rel=1e-12)
    assert PULogistic(class_prior=0.9999).fit(X, s)._n_rows_searched_ < N


def test_a_class_prior_of_exactly_the_labeled_share_is_accepted():
    X, s, _ = table()
    model = PULogistic(class_prior=float(s.mean())).fit(X, s)
    assert model.label_frequency_ == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("place", ["chunks", "memory"])
def test_folds_groups_and_answers_need_all_rows_in_memory(place):
    X, s, _ = table(3000)
    groups, checked = np.arange(3000) // 2, np.where(np.arange(3000) < 40, 1 - s, np.nan)
    checked[s == 1] = np.nan
    if place == "memory":
        assert PULogistic(cv=3).fit(X, s)._n_rows_searched_ == 3000
        assert PULogistic().fit(X, s, groups=groups)._n_rows_searched_ == 3000
        assert PULogistic().fit(X, s, checked=checked)._n_rows_searched_ == 3000
        return
    chunks = da.from_array(X, chunks=(1000, P)), da.from_array(s, chunks=1000)
    with pytest.raises(ValueError, match="`cv` must be 'auto' or 'loo'.* got 3"):
        PULogistic(cv=3).fit(*chunks)
    for name, values in (("groups", groups), ("checked", checked)):
        with pytest.raises(TypeError, match=f"`{name}` must be None"):
            PULogistic().fit(*chunks, **{name: values})
    with pytest.raises(TypeError, match="`X` must be in memory"):
        PropensityLogistic(propensity_features=[0]).fit(*chunks)


def test_more_than_a_thousand_features_in_chunks_are_rejected():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(50, 1001)), np.arange(50) % 2
    with pytest.raises(ValueError, match="at most 1000 features.* got 1001"):
        PULogistic().fit(da.from_array(X, chunks=(25, 1001)), da.from_array(s, chunks=25))


# The rows to choose on.


def rows_of(*arguments):
    return validate_rows(PULogistic(), *arguments, anywhere=True)


def test_the_order_of_the_rows_changes_a_fit_by_rounding_only():
    X, s, weight = table()
    order = np.random.default_rng(1).permutation(N)
    for options in ({}, {"sampling": "two-sample", "random_state": 3}):
        wanted = PULogistic(**options).fit(X, s, weight)
        same(PULogistic(**options).fit(X[order], s[order], weight[order]), wanted, rtol=1e-7)


def test_another_random_state_chooses_on_other_rows():
    X, s, _ = table()
    fits = [PULogistic(random_state=seed).fit(X, s) for seed in (None, None, 0, 1)]
    same(fits[1], fits[0])
    assert len({fit.coef_[0, 0] for fit in fits}) == 3
    assert {fit._n_rows_searched_ for fit in fits} == {PART}


def test_a_given_generator_is_asked_once_and_only_by_a_fit_to_many_rows():
    X, s, _ = table()
    used, fresh = np.random.RandomState(0), np.random.RandomState(0)
    PULogistic(random_state=used).fit(X[:500], s[:500])
    assert used.randint(9**9) == fresh.randint(9**9)
    same(
        PULogistic(random_state=np.random.RandomState(0)).fit(X, s),
        PULogistic(random_state=0).fit(X, s),
    )
