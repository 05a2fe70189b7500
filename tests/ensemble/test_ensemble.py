"""PUEnsemble: what its attributes promise, its options, and what it rejects."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags

from unlabeled import PUEnsemble, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.engine.rows import CopyCounts, fingerprint_rows
from unlabeled.thresholds import count_above

N = 240
LINE = ("line", PULogistic())
TREE = ("tree", DecisionTreeClassifier(max_depth=3))
BAYES = ("bayes", GaussianNB())
FROZEN = FrozenEstimator(GaussianNB().fit([[0.0, 0, 0], [1, 1, 1]], [0, 1]))
pytestmark = pytest.mark.filterwarnings("ignore:.PU1(01|02|03|07|09|10|13|18)")


def table(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """No line separates the classes; half of the positives are labeled."""
    rng = np.random.RandomState(seed)
    X = rng.normal(size=(N, 3))
    y = np.abs(X[:, 0]) < 0.7
    return X, (y & (rng.random_sample(N) < 0.5)).astype(int)


X, S = table()


def small(*members: Any, **options: Any) -> PUEnsemble:
    given = {"members": [*(members or (TREE, BAYES))], "cv": 3, "random_state": 0} | options
    return PUEnsemble(**given)


@pytest.fixture(scope="module")
def model() -> PUEnsemble:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return small(LINE, TREE, BAYES).fit(X, S)


def mean_log_likelihood(t: np.ndarray, s: np.ndarray) -> float:
    return float(np.mean(np.log(np.where(s == 1, expit(t), expit(-t)))))


def test_the_score_is_the_share_and_what_the_members_add(model: PUEnsemble) -> None:
    base = logit(S.mean())
    assert model.labeled_share_ == S.mean()
    assert all(weight >= 0 for weight in model.member_weights_.values())
    logits = model.member_logits(X)
    assert list(logits) == ["line", "tree", "bayes"] == list(model.member_weights_)
    expected = base + sum(model.member_weights_[name] * (t - base) for name, t in logits.items())
    np.testing.assert_allclose(model.positive_score(X), expected, rtol=1e-12)
    intercept, slope = model._member_lines_["tree"]
    p = model.members_["tree"].predict_proba(X)[:, 1]
    raw = logit(0.99 * p + 0.01 * S.mean())
    np.testing.assert_allclose(logits["tree"], intercept + slope * raw, rtol=1e-12)
    line = model.members_["line"]
    np.testing.assert_allclose(
        logits["line"], logit(line.label_frequency_ * line.predict_proba(X)[:, 1]), rtol=1e-9
    )


def test_likelihoods_are_those_of_left_out_labels(model: PUEnsemble) -> None:
    assert model.held_out_score_.shape == (N,)
    assert model.log_likelihood_ == pytest.approx(mean_log_likelihood(model.held_out_score_, S))
    assert model.log_likelihood_ > model.member_log_likelihoods_["line"]
    assert model.member_log_likelihoods_["tree"] > model.member_log_likelihoods_["line"]
    nothing = mean_log_likelihood(np.full(N, logit(S.mean())), S)
    assert model.member_log_likelihoods_["line"] < nothing + 0.02  # no line separates them


def test_held_out_scores_are_left_out() -> None:
    remembers = small(("nearest", KNeighborsClassifier(1))).fit(X, S)
    own = mean_log_likelihood(remembers.positive_score(X), S)
    assert own > remembers.log_likelihood_ + 0.1
    assert remembers.log_likelihood_ == pytest.approx(
        mean_log_likelihood(remembers.held_out_score_, S)
    )


def test_prior_frequency_cuts_and_posterior_belong_together(model: PUEnsemble) -> None:
    said = np.array(list(model.member_class_priors_.values()))
    likely = np.array(list(model.member_probabilities_.values()))
    assert likely.sum() == pytest.approx(1)
    assert model.class_prior_ == pytest.approx(said @ likely)
    assert model.label_frequency_ == pytest.approx(S.mean() / model.class_prior_)
    counted = count_above(model.held_out_score_, S)
    np.testing.assert_array_equal(model.observed_cuts_.labeled, counted.labeled)
    assert model.threshold_ == model.cut_.threshold
    np.testing.assert_array_equal(
        model.held_out_posterior_, model.posterior_at(model.held_out_score_)
    )
    assert model._fingerprint_ == fingerprint_rows(X)
    assert model.left_out_ == {}
    assert model._n_rows_searched_ == N
    assert not hasattr(model, "class_prior_estimator_")


def test_the_posterior_increases_strictly_even_where_the_label_is_likelier_than_c(
    model: PUEnsemble,
) -> None:
    top = logit(model.label_frequency_)
    grid = np.linspace(-6, top + 6, 200)
    posterior = model.posterior_at(grid)
    below_1 = posterior < 1 - 1e-12
    assert grid[below_1].max() > logit(model.label_frequency_)
    assert np.all(np.diff(posterior[below_1]) > 0)
    assert np.all(np.diff(posterior) >= 0)
    assert 0 < posterior[0] < 0.1


def test_only_members_in_the_grid_are_searched() -> None:
    found = small(grid={"tree": [{"max_depth": 1}, {"max_depth": 3}]}).fit(X, S)
    assert found.member_settings_ == {"tree": {"max_depth": 3}, "bayes": {}}
    assert found.members_["tree"].max_depth == 3
    assert not hasattr(TREE[1], "tree_")  # the given one is not fitted


def test_many_rows_are_searched_on_a_part_and_fitted_to_all(capsys: Any) -> None:
    grid = {"tree": [{"max_depth": 1}, {"max_depth": 3}]}
    found = small(TREE, BAYES, grid=grid, max_rows=150, verbose=1).fit(X, S)
    assert found._n_rows_searched_ == 150
    assert found.held_out_score_.shape == (N,)
    assert found.members_["bayes"].class_count_.sum() == N
    assert found.members_["tree"].tree_.n_node_samples[0] == N
    lines = capsys.readouterr().out.splitlines()
    assert "settings are tried on 150 of the 240 rows" in lines[0]
    assert re.search(r"tree \(max_depth=1\), left-out log-likelihood -0\.\d{5}", lines[1])
    assert any("bayes, left-out" in line for line in lines)


class Noting(ClassifierMixin, BaseEstimator):
    """Notes which rows it was fitted to; the first feature is the number of the row."""

    rows: list[frozenset[int]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Noting:
        self.classes_ = np.unique(y)
        self.rows.append(frozenset(X[:, 0].astype(int)))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.tile([0.7, 0.3], (len(X), 1))


@pytest.mark.filterwarnings("ignore:.PU111")
@pytest.mark.parametrize("once", [False, True])
def test_given_folds_are_taken_over_to_the_part(once: bool) -> None:
    numbered = np.column_stack([np.arange(N), X])
    fold = np.arange(N) % 2
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in (0, 1)]
    Noting.rows.clear()
    cv = iter(splits) if once else splits
    small(("noting", Noting()), cv=cv, max_rows=120).fit(numbered, S)
    on_part, on_all = Noting.rows[:2], Noting.rows[2:4]
    assert on_all == [frozenset(train) for train, _ in splits]
    assert sum(map(len, on_part)) == 120
    assert all(part < whole for part, whole in zip(on_part, on_all, strict=True))
    assert Noting.rows[4] == frozenset(range(N))


def test_members_that_cannot_take_the_rows_are_left_out() -> None:
    missing = X.copy()
    missing[3, 1] = np.nan
    boosting = ("boosting", HistGradientBoostingClassifier(max_iter=3, early_stopping=False))
    with pytest.warns(PUWarning, match=r"PU120.*'bayes': it cannot take missing cells"):
        found = small(boosting, BAYES).fit(missing, S)
    assert found.left_out_ == {"bayes": "it cannot take missing cells"}
    assert list(found.members_) == ["boosting"] == list(found.member_weights_)
    assert np.isfinite(found.positive_score(missing)).all()
    with pytest.warns(PUWarning, match=r"PU120.*'boosting': it cannot take sparse rows"):
        found = small(boosting, TREE).fit(sparse.csr_array(X), S)
    assert list(found.members_) == ["tree"]
    uneven = np.linspace(0.5, 1.5, N)
    with pytest.warns(PUWarning, match=r"PU120.*its fit takes no `sample_weight`"):
        found = small(("nearest", KNeighborsClassifier()), BAYES).fit(X, S, uneven)
    assert list(found.members_) == ["bayes"]
    with pytest.raises(ValueError, match=r"`members` must have one .* none \('nearest': its fit"):
        small(("nearest", KNeighborsClassifier())).fit(X, S, uneven)


def test_members_that_take_categories_get_them_and_the_others_are_left_out() -> None:
    """Levels that alternate between classes tell a line nothing in the order of their codes."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 6, 600)
    s = (rng.random(600) < np.where(level % 2 == 1, 0.6, 0.1)).astype(int)
    frame = pd.DataFrame({"level": pd.Categorical(np.array(list("pqrstu"))[level]), "count": level})
    frame["count"] = rng.integers(0, 9, 600)
    boosting = ("boosting", HistGradientBoostingClassifier(max_iter=20, random_state=0))
    as_numbers = HistGradientBoostingClassifier(categorical_features=None)
    members = (boosting, ("numbers", as_numbers), ("line", PULogistic()))
    with pytest.warns(PUWarning, match="PU120") as told:
        found = small(*members).fit(frame, s)
    assert len(told) == 1
    assert found.left_out_ == {
        "numbers": "it takes columns with categories only if categorical_features='from_dtype'",
        "line": "it cannot take columns with categories",
    }
    assert roc_auc_score(level % 2, found.held_out_score_) > 0.95
    assert found.class_prior_interval(frame, s).lower < 1
    known = found.positive_score(frame)
    some = frame[level > 2]
    fewer = some.assign(level=some["level"].cat.remove_unused_categories())
    np.testing.assert_array_equal(found.positive_score(fewer), known[level > 2])
    as_text = frame.assign(level=frame["level"].astype(object))
    np.testing.assert_array_equal(found.positive_score(as_text), known)
    holed = frame.assign(level=frame["level"].where(level > 0))
    assert np.isfinite(found.positive_score(holed)).all()
    with pytest.raises(ValueError, match=r"`X` must have the categories .*'level'; got 'new'"):
        found.predict(frame.assign(level=frame["level"].cat.rename_categories({"p": "new"})))
    with pytest.raises(ValueError, match=r"`X` must be a pandas frame.*; got ndarray"):
        found.predict(frame.to_numpy())
    twice = frame.rename(columns={"count": "level"})
    with pytest.raises(ValueError, match="`X` must have columns with different names"):
        small(boosting).fit(twice, s)


def test_what_a_fitted_ensemble_takes_is_what_all_its_members_take() -> None:
    boosting = ("boosting", HistGradientBoostingClassifier(max_iter=3, early_stopping=False))
    found = small(boosting, BAYES)
    assert get_tags(found).input_tags.allow_nan
    found.fit(X, S)
    assert not get_tags(found).input_tags.allow_nan
    with pytest.raises(ValueError, match="`X` must hold finite numbers; got NaN in 3 cells"):
        found.predict(np.full((1, 3), np.nan))
    with pytest.raises(TypeError, match="`X` must be dense for the member 'boosting'"):
        found.predict(sparse.csr_array(X))


def test_a_given_class_prior_is_used() -> None:
    found = small(class_prior=0.45).fit(X, S)
    assert found.class_prior_ == 0.45
    assert found.label_frequency_ == pytest.approx(S.mean() / 0.45)
    larger = small(class_prior=0.7).fit(X, S)
    assert larger.held_out_posterior_.mean() > found.held_out_posterior_.mean()
    assert set(found.member_class_priors_) == {"tree", "bayes"}


def test_rules_are_kept_on_held_out_scores() -> None:
    found = small(rule="share(0.2)").fit(X, S)
    assert np.mean(found.held_out_score_ > found.threshold_) == pytest.approx(0.2, abs=0.03)
    wide = small(rule="recall_at_least(0.9)").fit(X, S)
    assert np.mean(wide.held_out_score_[S == 1] > wide.threshold_) > 0.8
    assert wide.threshold_ < found.threshold_


@pytest.mark.parametrize("values", [(1, 0), ("unl", "lab")])
def test_label_values_change_no_number(values: tuple[Any, Any], model: PUEnsemble) -> None:
    plain = model
    named = small(LINE, TREE, BAYES, pos_label=values[1]).fit(X, np.array(values)[S])
    assert named.positive_class_ == values[1]
    np.testing.assert_array_equal(named.held_out_score_, plain.held_out_score_)
    np.testing.assert_array_equal(named.positive_score(X), plain.positive_score(X))
    assert named.threshold_ == plain.threshold_
    np.testing.assert_array_equal(named.predict(X) == values[1], plain.predict(X) == 1)


def test_a_member_may_have_a_score_only_or_a_pos_label_of_its_own() -> None:
    y = np.where(S == 1, "lab", "unl")
    members = [("svm", LinearSVC()), ("line", PULogistic(pos_label="lab", C=1.0))]
    found = small(*members, pos_label="lab").fit(X, y)
    assert list(found.members_["line"].classes_) == [0, 1]
    assert np.isfinite(found.positive_score(X)).all()


def test_parameters_of_members_can_be_read_set_and_cloned() -> None:
    one = PUEnsemble(members=[("tree", DecisionTreeClassifier(max_depth=3)), BAYES])
    assert one.get_params()["tree__max_depth"] == 3
    assert one.get_params()["bayes"] is BAYES[1]
    assert "tree__max_depth" not in one.get_params(deep=False)
    other = clone(one).set_params(tree__max_depth=5, ridge=2.0)
    assert (other.members[0][1].max_depth, other.ridge) == (5, 2.0)
    assert one.members[0][1].max_depth == 3
    other.set_params(bayes=KNeighborsClassifier())
    assert isinstance(dict(other.members)["bayes"], KNeighborsClassifier)
    with pytest.raises(ValueError, match="Invalid parameter 'nobody'"):
        one.set_params(nobody__x=1)
    assert PUEnsemble().get_params()["members"] is None


def test_jobs_are_given_to_forests_alone() -> None:
    line, forest = ("line", LogisticRegression()), ("trees", ExtraTreesClassifier(6))
    found = small(line, forest, n_jobs=2).fit(X, S)
    assert (found.members_["line"].n_jobs, found.members_["trees"].n_jobs) == (None, 2)


def test_jobs_change_no_number() -> None:
    forest = ExtraTreesClassifier(6, bootstrap=True, oob_score=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, two = (small(("trees", forest), TREE, n_jobs=jobs).fit(X, S) for jobs in (None, 2))
    assert two.members_["trees"].n_jobs == 2
    np.testing.assert_allclose(two.held_out_score_, one.held_out_score_, rtol=1e-12)
    np.testing.assert_allclose(two.positive_score(X), one.positive_score(X), rtol=1e-12)
    assert two.class_prior_ == pytest.approx(one.class_prior_, rel=1e-9)


def test_the_seed_reaches_the_trees_inside_a_pipeline() -> None:
    member = ("trees", make_pipeline(StandardScaler(), ExtraTreesClassifier(3, max_depth=3)))
    one, two, other = (small(member, random_state=seed).fit(X, S) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one.positive_score(X), two.positive_score(X))
    assert np.any(one.positive_score(X) != other.positive_score(X))


def test_rows_of_weight_0_are_as_if_they_were_not_there() -> None:
    kept = np.arange(N) >= 40
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, S))
    place = np.cumsum(kept) - 1
    later = [tuple(place[part[kept[part]]] for part in split) for split in splits]
    with_zeros = small(cv=splits).fit(X, S, kept.astype(float))
    without = small(cv=later).fit(X[kept], S[kept])
    score = with_zeros.held_out_score_
    np.testing.assert_array_equal(np.isnan(score), ~kept)
    np.testing.assert_allclose(score[kept], without.held_out_score_, rtol=1e-9)
    assert with_zeros._fingerprint_ == fingerprint_rows(X)
    assert with_zeros.class_prior_ == pytest.approx(without.class_prior_)


def test_a_fit_that_fails_leaves_the_fit_before() -> None:
    found = clone(small()).fit(X, S)
    before = dict(vars(found))
    found.set_params(tree__max_depth=-1)
    with pytest.raises(ValueError, match="max_depth"):
        found.fit(X[:100], S[:100])
    after = dict(vars(found))
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before if name.endswith("_"))
    assert found.predict(X).shape == (N,)


def codes_of(model: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, S)
    return [one.message.code for one in caught]


def test_a_line_that_finds_nothing_is_no_warning_of_the_ensemble() -> None:
    assert "PU111" in codes_of(PULogistic())
    assert codes_of(small(LINE, TREE)) == []
    assert "PU111" in codes_of(small(LINE))  # but if the ensemble finds nothing, it is


def test_a_member_that_leaves_out_rows_knows_that_weights_are_copies() -> None:
    weight = np.random.RandomState(0).randint(1, 4, N).astype(float)
    model, line, plain = small(LINE, TREE), PULogistic(), PULogistic(weights="frequency")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copies = CopyCounts.of(weight)
        model.fit(X, S, copies)
        line.set_params(random_state=model.members_["line"].random_state).fit(X, S, copies)
        plain.fit(X, S, weight)
    expected = line.held_out_score_
    np.testing.assert_allclose(model.members_["line"].held_out_score_, expected, rtol=1e-9)
    assert np.abs(plain.held_out_score_ - expected).max() > 1e-4


def test_a_strong_ridge_gives_equal_weights() -> None:
    weights = small(ridge=1e9).fit(X, S).member_weights_
    assert list(weights.values()) == pytest.approx([0.5, 0.5], abs=1e-4)


def test_two_labeled_rows_are_enough() -> None:
    few = np.zeros(N, dtype=int)
    few[np.flatnonzero(S)[:2]] = 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = small().fit(X, few)
    assert any("2 folds were used" in str(one.message) for one in caught)
    assert 2 / N <= found.class_prior_ < 1


def halves(first: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.flatnonzero(first), np.flatnonzero(~first))] * 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"members": "trees"}, "`members` must be None or a list of .*; got 'trees'"),
        ({"members": 5}, "`members` must be None or a list .*; got 5"),
        ({"members": []}, r"`members` must be None or a list .*; got \[\]"),
        ({"members": [GaussianNB()]}, r"`members` must be None or a list .*; got \[GaussianNB"),
        ({"members": {"bayes": GaussianNB()}}, "`members` must be None or a list .*; got {"),
        ({"members": [("tree", DecisionTreeClassifier)]}, "`members` must be None or a list"),
        ({"members": [("tree", DecisionTreeRegressor())]}, "`members` must be None or a list"),
        ({"members": [("none", None)]}, "`members` must be None or a list"),
        ({"members": [(1, GaussianNB())]}, "`members` must be None or a list"),
        ({"members": [BAYES, BAYES]}, "with different names; got"),
        ({"members": iter([BAYES])}, "`members` must be None or a list"),
        ({"members": [("a__b", GaussianNB())]}, "names without '__' .*; got 'a__b'. Rename"),
        ({"members": [("rule", GaussianNB())]}, "no parameters of the ensemble; got 'rule'"),
        ({"members": [("hard", VotingClassifier([BAYES]))]}, "VotingClassifier has neither"),
        ({"members": [("old", FROZEN)]}, "`members` must be refitted.* frozen .*'old'"),
        ({"members": [("old", make_pipeline(StandardScaler(), FROZEN))]}, "frozen .*'old'"),
        ({"random_state": "nonsense"}, "`random_state` must be None.*; got 'nonsense'"),
        ({"grid": 5}, "`grid` must be .* members are 'tree', 'bayes'; got 5"),
        ({"grid": {"forest": [{}]}}, "`grid` must be .* got {'forest'"),
        ({"grid": {"tree": []}}, "`grid` must be"),
        ({"grid": {"tree": 5}}, "`grid` must be"),
        ({"grid": {"tree": {"max_depth": 3}}}, "`grid` must be"),
        ({"grid": {"tree": [3]}}, "`grid` must be"),
        ({"grid": {"tree": [{"depth": 3}]}}, "Invalid parameter 'depth'"),
        ({"ridge": -1}, "`ridge` must be a number of at least 0; got -1"),
        ({"ridge": np.nan}, "`ridge` must be a number of at least 0; got nan"),
        ({"ridge": "a"}, "`ridge` must be a number of at least 0; got 'a'"),
        ({"max_rows": 0}, "`max_rows` must be a whole number of at least 1; got 0"),
        ({"max_rows": 2.5}, "`max_rows` must be a whole number of at least 1; got 2.5"),
        ({"max_rows": 3}, "`max_rows` must leave at least 2 labeled .*; got 3, .* 1 and 2"),
        ({"cv": 1}, "`cv` must be at least 2 .*; got 1"),
        ({"cv": None}, "`cv` must be a number of folds, a splitter .*; got None"),
        ({"cv": "loo"}, "`cv` must be a number of folds, a splitter .*; got 'loo'"),
        ({"cv": halves(np.arange(N) < 120)}, "every row into a test fold; 120 rows are in none"),
        ({"cv": halves(S == 1)}, "`cv` must leave labeled and unlabeled rows .* only labeled"),
        ({"rule": "best"}, "`rule` must be one of .*; got 'best'"),
        ({"class_prior": 0.05}, r"`class_prior` must be .*\(0.2\d*\) and below 1; got 0.05"),
        ({"verbose": "yes"}, "`verbose` must be a whole number"),
        ({"pos_label": 7}, "`pos_label` must be one of the values of `y`, 0, 1; got 7"),
    ],
)
def test_bad_options_get_one_sentence(options: dict[str, Any], sentence: str) -> None:
    one = small(**options)
    get_tags(one)  # pipelines and displays ask for them before the fit
    with pytest.raises(ValueError, match=sentence):
        one.fit(X, S)


def with_cell(value: float) -> np.ndarray:
    changed = X.copy()
    changed[3, 1] = value
    return changed


def first_labeled(number: int) -> np.ndarray:
    return (np.arange(N) < number).astype(int)


@pytest.mark.parametrize(
    ("rows", "labels", "weight", "sentence"),
    [
        (X, np.zeros(N), None, "`y` must have two classes"),
        (X, np.arange(N) % 3, None, "`y` must have two distinct values; got 3"),
        (X, first_labeled(1), None, "2 labeled .* got 1 labeled and 239 .* use PULogistic"),
        (X, first_labeled(N - 1), None, "2 unlabeled .* got 239 labeled and 1 unlabeled"),
        (with_cell(np.inf), S, None, "`X` must hold finite numbers; got inf in 1 cell.* row 3"),
        (X, S[:-1], None, "inconsistent"),
        (X, S, -np.ones(N), "`sample_weight` must hold finite numbers of at least 0; got -1"),
        (X[:, 0], S, None, "1D array"),
        (pd.DataFrame({"a": ["x"] * N}), S, None, "`X` must hold numbers; got .* 'a'"),
    ],
)
@pytest.mark.filterwarnings(r"ignore:\[PU114\]")
def test_bad_rows_get_one_sentence(rows: Any, labels: Any, weight: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        small().fit(rows, labels, weight)


def test_rows_of_another_width_are_rejected(model: PUEnsemble) -> None:
    with pytest.raises(ValueError, match="X has 2 features, but PUEnsemble is expecting 3"):
        model.predict(X[:, :2])
