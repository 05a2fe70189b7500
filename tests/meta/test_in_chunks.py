"""PUThresholdClassifier on rows in chunks: fitted to a part of them, the cut chosen on all."""

import pickle

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unlabeled import PUThresholdClassifier
from unlabeled.engine.rows import Rows, fingerprint_rows
from unlabeled.label_frequency import ElkanNoto
from unlabeled.meta import _in_chunks

N, P = 6000, 3
UNEVEN = (1500, 0, 2500, 1, 1999)
PART = 1000
LINE = LogisticRegression()
BOOSTED = HistGradientBoostingClassifier(max_iter=15, max_leaf_nodes=6, random_state=0)
FOREST = RandomForestClassifier(40, min_samples_leaf=20, max_samples=1500, random_state=0)
# PU204: with pos_label=0 nearly all positives are labeled.
pytestmark = pytest.mark.filterwarnings("ignore:.PU1", "ignore:.PU204")


def never(*args, **options):
    raise AssertionError("something was computed")


def table(n=N, c=0.4, seed=0, shift=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, P))
    y_true = rng.random(n) < 1 / (1 + np.exp(-(2 * X[:, 0] + X[:, 1] - shift)))
    s = (y_true & (rng.random(n) < c)).astype(int)
    return X, s, rng.integers(0, 3, n).astype(float)


def in_chunks(X, *columns, lengths=UNEVEN):
    whole = da.from_array(X, chunks=(lengths, P))
    return whole, *(da.from_array(one, chunks=(lengths,)) for one in columns)


def fitted(estimator=LINE, rows=None, **options):
    rows = in_chunks(*table()[:2]) if rows is None else rows
    options = {"max_rows": PART, "random_state": 0} | options
    with dask.config.set(scheduler="sync"):
        return PUThresholdClassifier(estimator, **options).fit(*rows)


def same(found, wanted, rtol=1e-12):
    for name in ("threshold_", "class_prior_", "label_frequency_", "_n_rows_searched_"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=rtol)
    assert found.posterior_line_ == pytest.approx(wanted.posterior_line_, rel=rtol, abs=1e-10)
    np.testing.assert_allclose(found.observed_cuts_.total, wanted.observed_cuts_.total, rtol=rtol)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_rows_are_taken_to_memory_and_fitted_as_there(weighted):
    X, s, weight = table()
    columns = (s, weight) if weighted else (s,)
    wanted = PUThresholdClassifier(LINE, random_state=0).fit(X, *columns)
    found = fitted(rows=in_chunks(X, *columns), max_rows=N // 2 + 1)
    # Of rows in chunks, those of weight 0 are dropped where they lie.
    kept = weight > 0 if weighted else np.ones(len(s), dtype=bool)
    np.testing.assert_array_equal(found.held_out_score_, wanted.held_out_score_[kept])
    assert found._fingerprint_ == fingerprint_rows(X[kept])
    assert wanted._fingerprint_ == fingerprint_rows(X)
    same(found, wanted)


@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (LINE, {}),
        (LINE, {"cv": "loo"}),
        (LINE, {"cv": "train"}),
        (LINE, {"cv": StratifiedKFold(3)}),
        (LINE, {"rule": "recall_at_least(0.8)"}),
        (LINE, {"sampling": "two-sample"}),
        (LINE, {"pos_label": 0}),
        (make_pipeline(StandardScaler(), LINE), {}),
        (BOOSTED, {}),
        (FOREST, {}),
    ],
    ids=str,
)
def test_a_part_gives_nearly_what_all_rows_give(estimator, options):
    X, s, _ = table(40_000)
    wanted = PUThresholdClassifier(estimator, random_state=0, **options).fit(X, s)
    chunks = da.from_array(X, chunks=(9000, P)), da.from_array(s, chunks=9000)
    found = fitted(estimator, chunks, max_rows=8000, **options)
    assert found._n_rows_searched_ == 8000
    # Boosting says less about the class prior from 8000 rows: in four draws up to .29 away.
    within = 0.3 if estimator is BOOSTED else 0.12
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=within)
    assert found.cut_.recall == pytest.approx(wanted.cut_.recall, abs=0.05)
    assert np.mean(found.predict(X) != wanted.predict(X)) < 0.1
    # Every row is counted once, whether it is in the part or not.
    cuts = found.observed_cuts_
    assert cuts.labeled[-1] + cuts.unlabeled[-1] == pytest.approx(len(s), abs=5)
    assert cuts.labeled_share == pytest.approx((s == wanted.positive_class_).mean(), rel=1e-3)


def test_the_cut_counts_what_is_predicted_outside_the_part():
    X, s, _ = table(20_000)
    model = fitted(rows=(da.from_array(X, chunks=(3000, P)), da.from_array(s, chunks=3000)))
    # By models of folds, which differ a little from the one that predicts.
    assert model.predict(X).mean() == pytest.approx(model.cut_.share, abs=0.01)
    assert model.predict(X)[s == 1].mean() == pytest.approx(model.cut_.recall, abs=0.02)
    assert model.predict_proba(X)[:, 1].mean() == pytest.approx(model.class_prior_, abs=0.02)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", [LINE, BOOSTED], ids=str)
def test_the_fit_does_not_depend_on_the_chunks(estimator, weighted):
    X, s, weight = table()
    columns = (s, weight) if weighted else (s,)
    wanted = fitted(estimator, in_chunks(X, *columns, lengths=(N,)))
    same(fitted(estimator, in_chunks(X, *columns)), wanted, rtol=1e-9)
    same(fitted(estimator, in_chunks(X, *columns, lengths=(777,) * 7 + (561,))), wanted, rtol=1e-9)


def test_weights_count_rows():
    X, s, weight = table()
    found = fitted(rows=in_chunks(X, s, weight), weights="frequency")
    cuts = found.observed_cuts_
    assert cuts.total[-1] == pytest.approx(weight.sum())
    assert cuts.labeled[-1] == pytest.approx(weight[s == 1].sum())
    once = fitted()
    twice = fitted(rows=in_chunks(X, s, 2.0 * np.ones(N)), weights="frequency")
    np.testing.assert_array_equal(twice.observed_cuts_.total[-1], 2 * N)
    assert twice.class_prior_ == pytest.approx(once.class_prior_, rel=0.02)


def test_frames_keep_their_names_and_their_text(tmp_path):
    X, s, _ = table()
    frame = pd.DataFrame(X, columns=list("abc")).assign(
        ward=np.where(np.arange(N) % 3 == 0, "x", "y"), s=s
    )
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=1700)
    rows = dd.read_parquet(tmp_path / "rows.parquet", split_row_groups=True)
    encode = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    from sklearn.compose import make_column_transformer

    pipeline = make_pipeline(
        make_column_transformer((encode, ["ward"]), remainder="passthrough"), LINE
    )
    model = fitted(pipeline, (rows.drop(columns="s"), rows["s"]))
    assert list(model.feature_names_in_) == ["a", "b", "c", "ward"]
    assert model._n_rows_searched_ == PART
    lazy = model.predict_proba(rows.drop(columns="s"))
    wanted = model.predict_proba(frame.drop(columns="s"))
    np.testing.assert_allclose(lazy.compute(scheduler="sync"), wanted, rtol=1e-12)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows.drop(columns=["s", "a"]))


def test_sparse_chunks_stay_sparse():
    X, s, _ = table()
    holes = np.where(np.abs(X) > 1, X, 0)
    chunks, labels = in_chunks(holes, s)
    csr = chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype)
    same(fitted(rows=(csr, labels)), fitted(rows=(chunks, labels)), rtol=1e-4)


@pytest.mark.parametrize("options", [{}, {"pos_label": 0}], ids=str)
def test_predictions_of_chunks_are_lazy(options):
    X, s, _ = table()
    model = fitted(BOOSTED, **options)
    chunks, labels = in_chunks(X, s)
    for method in (
        "predict",
        "decision_function",
        "positive_score",
        "predict_proba",
        "predict_log_proba",
    ):
        wanted = getattr(model, method)(X)
        with dask.config.set(scheduler=never):
            lazy = getattr(model, method)(chunks)
            assert isinstance(lazy, da.Array)
            assert (lazy.shape, lazy.dtype) == (wanted.shape, wanted.dtype)
            assert lazy.chunks[0] == UNEVEN
        np.testing.assert_allclose(lazy.compute(scheduler="sync"), wanted, rtol=1e-12)
    with dask.config.set(scheduler=never):
        posterior = model.posterior_at(model.positive_score(chunks))
    wanted = model.posterior_at(model.positive_score(X))
    np.testing.assert_allclose(posterior.compute(scheduler="sync"), wanted, rtol=1e-12)
    with dask.config.set(scheduler="sync"):
        assert model.score(chunks, labels) == pytest.approx(model.score(X, s))


def test_rows_of_another_width_are_rejected_before_they_are_read():
    model, chunks = fitted(), da.zeros((10, P + 1), chunks=(5, P + 1))
    with dask.config.set(scheduler=never), pytest.raises(ValueError, match="X has 4 features"):
        model.predict(chunks)


def test_no_attribute_is_as_long_as_the_rows():
    X, s, _ = table(40_000)
    model = fitted(rows=(da.from_array(X, chunks=(9000, P)), da.from_array(s, chunks=9000)))
    short = [value for value in vars(model).values() if isinstance(value, np.ndarray)]
    assert all(len(value) < 10 for value in short)
    assert not any(isinstance(value, Rows) for value in vars(model).values())
    bins = len(pickle.dumps(model.observed_cuts_)) + len(pickle.dumps(model.cuts_))
    assert len(pickle.dumps(model)) < 30_000 + bins
    for name in ("held_out_score_", "held_out_posterior_", "_fingerprint_"):
        assert not hasattr(model, name)


def test_a_fit_to_few_rows_forgets_the_one_to_many():
    X, s, _ = table()
    model = fitted()
    assert len(model.fit(X, s).held_out_score_) == N == model._n_rows_searched_
    assert not hasattr(model.fit(*in_chunks(X, s)), "held_out_score_")


def test_it_says_how_many_rows_are_fitted(capsys):
    fitted(verbose=1)
    assert "LogisticRegression is fitted to 1,000 of 6,000 rows" in capsys.readouterr().out
    PUThresholdClassifier(LINE, verbose=1).fit(*table()[:2])
    assert capsys.readouterr().out == ""


def test_a_fitted_estimator_scores_all_rows_and_no_part_is_needed():
    X, s, _ = table()
    line = LogisticRegression().fit(*table(seed=5)[:2])
    wanted = PUThresholdClassifier(line, cv="prefit").fit(X, s)
    found = fitted(line, cv="prefit")
    assert found.estimator_ is line
    assert not hasattr(found, "_n_rows_searched_")
    # The cut is an edge of a bin.
    assert found.threshold_ == pytest.approx(wanted.threshold_, abs=0.02)
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=0.01)
    with dask.config.set(scheduler=never), pytest.raises(NotFittedError):
        PUThresholdClassifier(LINE, cv="prefit").fit(*in_chunks(X, s))


def test_an_estimator_of_the_class_prior_sees_the_part_with_the_share_of_all_rows(monkeypatch):
    X, s, _ = table(c=0.05)
    monkeypatch.setattr(_in_chunks, "_ENOUGH_LABELED", 400)
    model = fitted(rows=in_chunks(X, s), class_prior=ElkanNoto())
    prior = model.class_prior_estimator_
    assert prior.class_prior_ * prior.label_frequency_ == pytest.approx(s.mean(), rel=1e-6)
    assert model.class_prior_ == pytest.approx(prior.class_prior_)


# Rare labels: labeled rows are drawn more often, and must be scored as others are.


@pytest.mark.parametrize(("estimator", "cv"), [(LINE, 5), (BOOSTED, 5), (LINE, "loo")], ids=str)
def test_noise_does_not_look_like_signal_if_all_labeled_rows_are_in_the_part(estimator, cv):
    areas = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        s = np.zeros(N, dtype=int)
        s[rng.choice(N, 150, replace=False)] = 1
        rows = in_chunks(rng.normal(size=(N, P)), s)
        model = fitted(estimator, rows, cv=cv, class_prior=0.2, rule="share(0.1)")
        assert model.observed_cuts_.labeled[-1] == 150
        areas.append(area(model.observed_cuts_))
    error = 1 / np.sqrt(12 * 150 * len(areas))
    assert abs(np.mean(areas) - 0.5) < 3.5 * error


def area(cuts):
    labeled, others = np.diff(cuts.labeled, prepend=0), np.diff(cuts.unlabeled, prepend=0)
    place = -np.arange(len(labeled))
    label = np.repeat([1, 0], len(labeled))
    return roc_auc_score(label, np.tile(place, 2), sample_weight=np.append(labeled, others))


def test_rare_labels_give_the_class_prior_of_the_table():
    X, s, _ = table(60_000, c=0.02)
    chunks = da.from_array(X, chunks=(9000, P)), da.from_array(s, chunks=9000)
    found = fitted(rows=chunks, max_rows=2000)
    wanted = PUThresholdClassifier(LINE, random_state=0).fit(X, s)
    assert found.labeled_share_ == pytest.approx(s.mean(), rel=1e-9)
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=0.1)
    assert found.predict_proba(X)[:, 1].mean() == pytest.approx(found.class_prior_, abs=0.03)


# What is rejected, before anything is computed.


@pytest.mark.parametrize(
    ("options", "arguments", "error", "sentence"),
    [
        ({"cv": [(np.arange(9), np.arange(9))]}, {}, ValueError, "`cv` must be .* got list"),
        ({"cv": "oob"}, {}, ValueError, "`cv` must be .* 'loo', .* got 'oob'. Use a number"),
        ({}, {"groups": np.arange(N)}, TypeError, "`groups` must be None for rows in chunks"),
        ({"max_rows": 0}, {}, ValueError, "`max_rows` must be"),
        ({"verbose": -1}, {}, ValueError, "`verbose` must be"),
        ({"rule": "best"}, {}, ValueError, "`rule` must be"),
    ],
    ids=lambda one: str(one)[:30],
)
def test_what_needs_all_rows_is_rejected_before_they_are_read(options, arguments, error, sentence):
    chunks = in_chunks(*table()[:2])
    with dask.config.set(scheduler=never), pytest.raises(error, match=sentence):
        PUThresholdClassifier(LINE, **options).fit(*chunks, **arguments)


def test_a_column_is_no_table():
    with dask.config.set(scheduler=never), pytest.raises(ValueError, match="rows and columns"):
        PUThresholdClassifier(LINE).fit(da.zeros(10, chunks=5), np.arange(10) % 2)


# The pieces.


def test_models_take_turns_by_what_is_in_a_row():
    models = tuple((lambda X, k=k: np.full(len(X), k)) for k in range(3))
    scorer = _in_chunks.RoundRobinScorer(models)
    X = np.arange(9000.0)[:, None]
    whole = scorer(X)
    np.testing.assert_array_equal(scorer(X[::-1]), whole[::-1])
    np.testing.assert_array_equal(scorer(X[40:90]), whole[40:90])
    for step in (1, 2, 3, 5, 10):  # no model has all rows of a pattern
        np.testing.assert_allclose(
            np.bincount(whole[::step].astype(int)) * step / 9000, 1 / 3, atol=0.05
        )
