"""PUEnsemble on rows in chunks: members fitted to a part of them, class prior and cut from all."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from unlabeled import PUEnsemble, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.engine.rows import fingerprint_rows
from unlabeled.label_frequency import ElkanNoto
from unlabeled.meta import _in_chunks

N, P = 6000, 3
UNEVEN = (1500, 0, 2500, 1, 1999)
PART = 1500
LINE = ("line", PULogistic())
TREE = ("tree", DecisionTreeClassifier(max_depth=4, random_state=0))
BAGGED = ("trees", ExtraTreesClassifier(30, min_samples_leaf=5, bootstrap=True, oob_score=True))
BOOSTED = ("boosting", HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=6))
ALL = [LINE, BAGGED, BOOSTED]
pytestmark = pytest.mark.filterwarnings("ignore:.PU1", "ignore:Some inputs do not have OOB")


def never(*args: Any, **options: Any) -> None:
    raise AssertionError("something was computed")


def table(n: int = N, c: float = 0.4, seed: int = 0) -> tuple[np.ndarray, ...]:
    """A line and something round."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, P))
    t = 2 * X[:, 0] + 1.5 * (np.abs(X[:, 1]) < 0.7) - 2
    y_true = rng.random(n) < 1 / (1 + np.exp(-t))
    s = (y_true & (rng.random(n) < c)).astype(int)
    return X, s, rng.integers(0, 3, n).astype(float)


def in_chunks(X: Any, *columns: Any, lengths: Any = UNEVEN) -> tuple[Any, ...]:
    whole = da.from_array(X, chunks=(lengths, P))
    return whole, *(da.from_array(one, chunks=(lengths,)) for one in columns)


def fitted(members: Any, rows: Any, **options: Any) -> PUEnsemble:
    given = {"members": members, "max_rows": PART, "cv": 3, "random_state": 0} | options
    with dask.config.set(scheduler="sync"):
        return PUEnsemble(**given).fit(*rows)


def same(found: PUEnsemble, wanted: PUEnsemble, rtol: float) -> None:
    for name in ("threshold_", "class_prior_", "log_likelihood_", "_n_rows_searched_"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=rtol)
    for name in ("member_weights_", "member_class_priors_", "member_log_likelihoods_"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=rtol, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_few_rows_are_taken_to_memory_and_fitted_as_there(weighted: bool) -> None:
    X, s, weight = table()
    columns = (s, weight) if weighted else (s,)
    wanted = fitted([LINE, TREE], (X, *columns), max_rows=N // 2 + 1)
    found = fitted([LINE, TREE], in_chunks(X, *columns), max_rows=N // 2 + 1)
    # Of rows in chunks, those of weight 0 are dropped where they lie.
    kept = weight > 0 if weighted else np.ones(len(s), dtype=bool)
    np.testing.assert_array_equal(found.held_out_score_, wanted.held_out_score_[kept])
    assert found._fingerprint_ == fingerprint_rows(X[kept])
    assert wanted._fingerprint_ == fingerprint_rows(X)
    same(found, wanted, 1e-12)


@pytest.mark.parametrize("options", [{}, {"sampling": "two-sample"}, {"class_prior": 0.4}], ids=str)
def test_a_part_gives_nearly_what_all_rows_give(options: dict[str, Any]) -> None:
    X, s, _ = table(20_000)
    options["rule"] = "f1_pu"  # which needs no class prior
    wanted = fitted(ALL, (X, s), **options)
    chunks = in_chunks(X, s, lengths=(7000, 7000, 6000))
    found = fitted(ALL, chunks, max_rows=5000, **options)
    assert found._n_rows_searched_ == 5000
    for name, most in (("line", 0.05), ("trees", 0.15)):
        prior = found.member_class_priors_[name]
        assert prior == pytest.approx(wanted.member_class_priors_[name], rel=most)
    assert found.log_likelihood_ == pytest.approx(wanted.log_likelihood_, abs=0.004)
    assert found.labeled_share_ == pytest.approx(s.mean(), rel=1e-12)
    assert np.mean(found.predict(X) != wanted.predict(X)) < 0.08
    cuts = found.observed_cuts_
    assert (cuts.labeled[-1], cuts.unlabeled[-1]) == (s.sum(), len(s) - s.sum())
    assert sum(found.member_probabilities_.values()) == pytest.approx(1)


def test_likelihoods_of_members_are_those_of_all_rows() -> None:
    X, s, _ = table()
    found = fitted([LINE, TREE], in_chunks(X, s))
    logits = found.member_logits(X)
    for name, one in found.member_log_likelihoods_.items():
        # By fits to folds or to the part, which differ a little.
        likelihood = np.mean(
            np.where(s == 1, -np.logaddexp(0, -logits[name]), -np.logaddexp(0, logits[name]))
        )
        assert one == pytest.approx(likelihood, abs=0.02)
    assert found.log_likelihood_ >= max(found.member_log_likelihoods_.values()) - 0.002


@pytest.mark.parametrize("weighted", [False, True])
def test_the_fit_does_not_depend_on_the_chunks(weighted: bool) -> None:
    X, s, weight = table()
    columns = (s, weight) if weighted else (s,)
    counts = {"weights": "frequency"} if weighted else {}
    wanted = fitted(ALL, in_chunks(X, *columns, lengths=(N,)), **counts)
    same(fitted(ALL, in_chunks(X, *columns), **counts), wanted, 1e-8)
    if weighted:
        assert wanted.observed_cuts_.total[-1] == pytest.approx(weight.sum())


def test_rare_labeled_rows_are_all_fitted_and_weights_undo_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, s, _ = table(20_000, c=0.03)
    chunks = in_chunks(X, s, lengths=(7000, 7000, 6000))
    found = fitted([LINE, TREE], chunks)
    wanted = fitted([LINE, TREE], (X, s))
    assert found.observed_cuts_.labeled[-1] == s.sum() < PART // 2
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=0.25)
    assert found.member_log_likelihoods_ == pytest.approx(wanted.member_log_likelihoods_, abs=0.004)
    # Logits are of the label in the whole table, not in the part.
    mean = np.mean(1 / (1 + np.exp(-found.positive_score(X))))
    assert mean == pytest.approx(s.mean(), rel=0.25)
    with pytest.warns(PUWarning, match="'near': its fit takes no `sample_weight`"):
        near = fitted([LINE, ("near", KNeighborsClassifier())], chunks)
    assert list(near.members_) == ["line"]
    monkeypatch.setattr(_in_chunks, "_ENOUGH_LABELED", 0)
    near = fitted([LINE, ("near", KNeighborsClassifier(50))], chunks)
    assert list(near.members_) == ["line", "near"]


def test_predictions_of_chunks_are_lazy() -> None:
    X, s, _ = table()
    model, (chunks, labels) = fitted([LINE, TREE], in_chunks(X, s)), in_chunks(X, s)
    for method in ("predict", "decision_function", "positive_score", "predict_proba"):
        wanted = getattr(model, method)(X)
        with dask.config.set(scheduler=never):
            lazy = getattr(model, method)(chunks)
            assert (lazy.shape, lazy.dtype) == (wanted.shape, wanted.dtype)
            assert lazy.chunks[0] == UNEVEN
        np.testing.assert_allclose(lazy.compute(scheduler="sync"), wanted, rtol=1e-12)
    with dask.config.set(scheduler="sync"):
        assert model.score(chunks, labels) == pytest.approx(model.score(X, s))
    with dask.config.set(scheduler=never), pytest.raises(TypeError, match="one chunk at a time"):
        model.member_logits(chunks)
    with dask.config.set(scheduler=never), pytest.raises(ValueError, match="X has 2 features"):
        model.predict(chunks[:, :2])


def test_frames_keep_their_names() -> None:
    X, s, _ = table()
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")).assign(s=s), npartitions=4)
    model = fitted([LINE, TREE], (frame[list("abc")], frame["s"]))
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    same(model, fitted([LINE, TREE], in_chunks(X, s)), 1e-9)
    lazy = model.predict_proba(frame[list("abc")]).compute(scheduler="sync")
    np.testing.assert_allclose(lazy, model.predict_proba(pd.DataFrame(X, columns=list("abc"))))


def test_missing_cells_are_taken_by_the_members_that_can() -> None:
    X, s, _ = table()
    X[::7, 2] = np.nan
    model = fitted([("bayes", GaussianNB()), BOOSTED], in_chunks(X, s))
    assert list(model.members_) == ["boosting"]
    X[3, 0] = np.inf
    with pytest.raises(ValueError, match="`X` must hold finite numbers; got NaN and inf"):
        fitted([BOOSTED], in_chunks(X, s))


def test_no_attribute_is_as_long_as_the_rows() -> None:
    X, s, _ = table()
    model = fitted([LINE, TREE], in_chunks(X, s))
    short = [value for value in vars(model).values() if isinstance(value, np.ndarray)]
    assert all(len(value) < 10 for value in short)
    for name in ("held_out_score_", "held_out_posterior_", "_fingerprint_"):
        assert not hasattr(model, name)


def test_it_says_how_many_rows_are_fitted(capsys: Any) -> None:
    X, s, _ = table()
    fitted([TREE], in_chunks(X, s), verbose=1)
    assert "members are fitted to 1,500 of 6,000 rows" in capsys.readouterr().out


def test_an_estimator_of_the_class_prior_sees_the_part() -> None:
    X, s, _ = table(c=0.1)
    model = fitted([TREE], in_chunks(X, s), class_prior=ElkanNoto())
    prior = model.class_prior_estimator_
    assert prior.class_prior_ * prior.label_frequency_ == pytest.approx(s.mean(), rel=1e-6)


def test_what_needs_all_rows_is_rejected_before_they_are_read() -> None:
    X, s, _ = table()
    chunks = in_chunks(X, s)
    with dask.config.set(scheduler=never):
        with pytest.raises(ValueError, match="`cv` must be .* got list"):
            PUEnsemble(cv=[(np.arange(9), np.arange(9))]).fit(*chunks)
        with pytest.raises(TypeError, match="`groups` must be None for rows in chunks"):
            PUEnsemble().fit(*chunks, groups=np.arange(N))


def test_a_line_fitted_to_many_rows_in_memory_by_passes_is_a_member(monkeypatch):
    X, s, _ = table()
    wanted = fitted([LINE, TREE], (X, s), max_rows=N)
    monkeypatch.setattr(PULogistic, "_subset_rows", 2500)
    found = fitted([LINE, TREE], (X, s), max_rows=N)
    assert found.members_["line"]._n_rows_searched_ < N
    assert found.class_prior_ == pytest.approx(wanted.class_prior_, rel=0.1)
    assert found.member_weights_ == pytest.approx(wanted.member_weights_, abs=0.05)
