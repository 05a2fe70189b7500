"""Copied rows: no score has seen a copy, the fit says so, and they count once on request."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import unlabeled.engine.rows as rows_room
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUWarning
from unlabeled.comparison import compare_methods
from unlabeled.datasets import load_uci, make_paper_gaussian
from unlabeled.diagnostics import diagnose
from unlabeled.engine.rows import LabelEncoding, Rows
from unlabeled.inference import bootstrap
from unlabeled.inspection import label_importance
from unlabeled.label_frequency import BestBin, class_prior_density

DATA = make_paper_gaussian(300, 0.6, random_state=0)
TWICE = np.arange(300).repeat(2)
X, S = DATA.X[TWICE], DATA.s[TWICE].astype(int)
SAID = "PU129"


def forest(**options):
    return PUThresholdClassifier(
        ExtraTreesClassifier(20, min_samples_leaf=3, random_state=0), random_state=0, **options
    )


def ensemble(**options):
    trees = ExtraTreesClassifier(20, bootstrap=True, oob_score=True)
    return PUEnsemble(members=[("line", PULogistic()), ("trees", trees)], random_state=0, **options)


def line(**options):
    return PULogistic(random_state=0, **options)


def propensity(**options):
    return PropensityLogistic(propensity_features=[0], random_state=0, **options)


MAKERS = [line, propensity, forest, ensemble]


def codes_of(call, *args, **given):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*args, **given)
    return found, [one.message.code for one in caught if isinstance(one.message, PUWarning)]


@pytest.mark.parametrize("make", MAKERS)
def test_a_fit_says_once_that_rows_are_copied_and_not_where_the_user_has_said_so(make):
    assert codes_of(make().fit, X, S)[1].count(SAID) == 1
    assert SAID not in codes_of(make().fit, X, S, groups="copies")[1]
    assert SAID not in codes_of(make().fit, DATA.X, DATA.s)[1]


@pytest.mark.filterwarnings("ignore:.PU1")
@pytest.mark.parametrize("make", MAKERS)
def test_the_word_is_the_groups_of_equal_rows(make):
    said, grouped = make().fit(X, S, groups="copies"), make().fit(X, S, groups=TWICE)
    alone = make().fit(DATA.X, DATA.s, groups=np.arange(300))
    assert said.n_groups_ == grouped.n_groups_ == 300
    for one in (said, grouped):
        assert one._design_effect_ == pytest.approx(2, rel=0.01)
        assert np.ptp([*one.class_prior_interval()]) == pytest.approx(
            np.ptp([*alone.class_prior_interval()]), rel=0.35
        )


@pytest.mark.filterwarnings("ignore:.PU1")
def test_ten_copies_have_the_interval_of_the_single_rows_along_one_score():
    score = line().fit(DATA.X, DATA.s).held_out_score_
    ten = np.arange(300).repeat(10)
    alone = class_prior_density(DATA.s, score).interval()
    copied = class_prior_density(DATA.s[ten], score[ten], groups=ten).interval()
    assert [*copied] == pytest.approx([*alone], abs=0.02)


@pytest.mark.parametrize("make", [NaiveLogistic, EnhancedLogistic, JointLogistic, WeightedLogistic])
def test_published_classifiers_hold_no_rows_out_and_say_nothing(make):
    copied, said = codes_of(make().fit, X, S)
    alone, _ = codes_of(make().fit, DATA.X, DATA.s)
    assert SAID not in said
    if make is not WeightedLogistic:  # its ridge weighs less with more rows
        np.testing.assert_allclose(copied.coef_, alone.coef_, rtol=1e-3, atol=1e-5)


# Folds.


@pytest.fixture
def folds(monkeypatch):
    """Every split that is made, as the distinct rows on both sides."""
    found = []
    real = rows_room.label_folds

    def spied(rows, *args, **kwargs):
        made = real(rows, *args, **kwargs)
        number = rows_room.number_distinct_rows(rows.X)
        if number is not None:
            found.extend((number[a], number[b]) for a, b in made)
        return made

    for name, module in list(sys.modules.items()):
        if name.startswith("unlabeled.") and getattr(module, "label_folds", None) is real:
            monkeypatch.setattr(module, "label_folds", spied)
    return found


FOLDED = {
    "forest": lambda X, s: forest().fit(X, s),
    "ensemble": lambda X, s: ensemble().fit(X, s),
    "line with folds": lambda X, s: line(cv=4).fit(X, s),
    "a thousand features": lambda X, s: line(C=1.0).fit(
        sparse.csr_matrix(np.hstack([np.vstack([X, X]), np.zeros((2 * len(X), 1100))])),
        np.append(s, s),
    ),
    "label frequency": lambda X, s: BestBin(random_state=0).fit(X, s),
    "importance": lambda X, s: label_importance(line(), X, s, n_repeats=1, random_state=0),
}


@pytest.mark.filterwarnings("ignore:.PU1")
@pytest.mark.parametrize("name", FOLDED)
@pytest.mark.parametrize("labels", ["alike", "others"])
def test_no_row_is_scored_by_a_fit_to_its_copy(folds, name, labels):
    s = S.copy()
    if labels == "others":
        s[1::2] = np.random.default_rng(0).permutation(s[1::2])
    FOLDED[name](X, s)
    assert folds
    assert all(not np.intersect1d(*split).size for split in folds)


def test_a_comparison_splits_equal_rows_together():
    models = {"a": PUThresholdClassifier(LogisticRegression(), cv="train"), "b": NaiveLogistic()}
    seen = []

    class Told(NaiveLogistic):
        def fit(self, X, y):
            seen.append(X)
            return super().fit(X, y)

        def decision_function(self, X):
            seen.append(X)
            return super().decision_function(X)

    models["b"] = Told()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare_methods(models, X, S, n_repeats=2, random_state=0)
    for train, test in zip(seen[::2], seen[1::2], strict=False):
        if len(train) + len(test) == len(X):
            assert not set(map(tuple, train)) & set(map(tuple, test))


@pytest.mark.parametrize("make", [forest, ensemble])
def test_scores_of_copies_are_held_out(make):
    """Labels that nothing predicts cannot be predicted from a copy either."""
    rng = np.random.default_rng(0)
    noise, s = rng.normal(size=(300, 3)), (rng.random(300) < 0.3).astype(int)
    model, _ = codes_of(make().fit, noise[TWICE], s[TWICE])
    score = model.held_out_score_
    positive, negative = score[s[TWICE] == 1], score[s[TWICE] == 0]
    better = np.mean(positive[:, None] > negative) + 0.5 * np.mean(positive[:, None] == negative)
    assert better < 0.65


def test_bagged_members_are_scored_by_their_bags_where_chance_explains_equal_rows():
    rng = np.random.default_rng(1)
    grades = rng.integers(0, 6, size=(400, 3)).astype(float)
    s = ((grades.sum(axis=1) > 8) & (rng.random(400) < 0.5)).astype(int)
    assert Rows(grades, s, None, LabelEncoding(np.array([0, 1]))).distinct_row is not None
    found = {}
    for name, data in (("grades", grades), ("copied", np.vstack([grades, grades]))):
        labels = np.append(s, s)[: len(data)]
        model, _ = codes_of(ensemble().fit, data, labels)
        bags = model.members_["trees"].oob_decision_function_[:, 1]
        held_out = model.held_out_score_
        found[name] = np.corrcoef(bags, held_out)[0, 1]
    assert found["grades"] > found["copied"]


@pytest.mark.filterwarnings("ignore:.PU106")  # a row scored by its copies is surely labeled
def test_a_splitter_bags_and_closed_forms_are_the_users_choice_and_the_warning_says_what_follows():
    bagged = ExtraTreesClassifier(20, bootstrap=True, oob_score=True, random_state=0)
    others = [
        PUThresholdClassifier(bagged, cv="oob"),
        PUThresholdClassifier(LogisticRegression(), cv="loo"),
        forest(cv=StratifiedKFold(3)),
    ]
    for model in others:
        with pytest.warns(PUWarning, match="PU129.* may score a row by a fit to its copies"):
            model.fit(X, S)
    with pytest.warns(PUWarning, match="PU129") as caught:
        forest().fit(X, S)
    assert not any("may score a row" in str(one.message) for one in caught)


# Tables that coincide without copies.


@pytest.mark.parametrize(
    "name",
    ["adult", "banknote", "breast-w", "credit-a", "diabetes", "haberman", "ionosphere", "spambase"],
)
def test_no_real_set_is_taken_for_copies(name):
    data = load_uci(name)
    features = np.asarray(data.X, dtype=float)
    rng = np.random.default_rng(0)
    for frequency in (0.1, 0.5, 0.9, 1.0):
        s = (np.asarray(data.y_true) == 1) & (rng.random(len(features)) < frequency)
        rows = Rows(features, s.astype(float), None, LabelEncoding(np.array([0, 1])))
        assert rows.copies is None
    assert (rows.distinct_row is None) == (name in ("credit-a", "diabetes"))


@pytest.mark.parametrize("name", ["breast-w", "haberman"])
def test_the_line_makes_no_folds_of_tables_that_coincide(name, folds):
    data = load_uci(name)
    s = (np.asarray(data.y_true) == 1) & (np.random.default_rng(0).random(len(data.X)) < 0.5)
    model, said = codes_of(line().fit, data.X, s.astype(int))
    assert not folds
    assert SAID not in said
    assert model._design_effect_ == 1.0
    _, said = codes_of(forest().fit, data.X, s.astype(int))
    assert folds
    assert SAID not in said


# Rows in other forms.


def test_a_frame_with_text_in_a_pipeline():
    rng = np.random.default_rng(0)
    words = pd.DataFrame({"a": rng.choice(list("abcdefgh"), 300), "b": rng.normal(size=300)})
    words["b"] = words["b"].astype(str)
    s = ((words["a"] < "d") & (rng.random(300) < 0.6)).to_numpy().astype(int)
    twice = words.iloc[TWICE].reset_index(drop=True)
    encode = OneHotEncoder(handle_unknown="ignore", min_frequency=5)
    model = PUThresholdClassifier(make_pipeline(encode, LogisticRegression()), random_state=0)
    assert SAID in codes_of(model.fit, twice, s[TWICE])[1]
    said, codes = codes_of(model.fit, twice, s[TWICE], groups="copies")
    assert SAID not in codes
    assert said.n_groups_ == 300


def test_texts_sparse_rows_missing_cells_and_memory_maps(tmp_path):
    texts = [f"word{k % 7} word{k % 11} row{k}" for k in range(300)]
    text_model = PUThresholdClassifier(make_pipeline(CountVectorizer(), LogisticRegression()))
    missing = DATA.X.copy()
    missing[::3, 0] = np.nan
    boosted = PUThresholdClassifier(HistGradientBoostingClassifier(max_iter=10, random_state=0))
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    cases = [
        (text_model, [texts[k] for k in TWICE]),
        (line(), sparse.csr_matrix(X)),
        (boosted, missing[TWICE]),
        (line(), mapped),
    ]
    for model, rows in cases:
        assert SAID in codes_of(model.fit, rows, S)[1]
        said, codes = codes_of(model.fit, rows, S, groups="copies")
        assert said.n_groups_ == 300
        assert SAID not in codes


def test_rows_of_weight_zero_are_no_copies():
    weight = np.tile([1.0, 0.0], 300)
    assert SAID not in codes_of(line().fit, X, S, weight)[1]
    said, _ = codes_of(line().fit, X, S, weight, groups="copies")
    assert said.n_groups_ == 300


def test_rows_in_chunks_are_refused_in_words_with_the_word():
    dask_array = pytest.importorskip("dask.array")
    chunks = dask_array.from_array(X, chunks=(200, -1))
    for model in (line(), forest(), ensemble()):
        with pytest.raises(TypeError, match="`groups` must be None for rows in chunks"):
            model.fit(chunks, dask_array.from_array(S, chunks=200), groups="copies")
    _, said = codes_of(line().fit, chunks, dask_array.from_array(S, chunks=200))
    assert SAID in said  # so few rows come to memory


# Other functions that take groups.


@pytest.mark.filterwarnings("ignore:.PU1")
def test_functions_take_the_word():
    fitted = line().fit(X, S, groups="copies")
    diagnosis = diagnose(fitted, X, S, groups="copies", checks=["labels", "duplicates"])
    assert "of 300 groups" in diagnosis["labels"].message
    assert diagnosis["duplicates"].code == "PU206"
    found = bootstrap(fitted, X, S, n_resamples=10, random_state=0, groups="copies")
    assert found.n_failed == 0 if hasattr(found, "n_failed") else found is not None
    with pytest.raises(ValueError, match="`groups` must be those of the fit"):
        bootstrap(line().fit(X, S), X, S, n_resamples=10, random_state=0, groups="copies")
    label_importance(line(), X, S, n_repeats=1, random_state=0, groups="copies")
    compare_methods(
        {"a": line(), "b": NaiveLogistic()}, X, S, n_repeats=2, groups="copies", random_state=0
    )


def test_another_word_and_a_function_without_rows_are_refused():
    with pytest.raises(ValueError, match=r"`groups` must be 'copies', None.*got 'person'"):
        line().fit(X, S, groups="person")
    with pytest.raises(ValueError, match=r"`groups` must be None.*got 'copies'"):
        class_prior_density(S, X[:, 0], groups="copies")


def test_a_resample_of_the_bootstrap_is_no_copy():
    model = PUThresholdClassifier(make_pipeline(LogisticRegression()), random_state=0)
    found, said = codes_of(bootstrap, model, DATA.X, DATA.s, n_resamples=5, random_state=0)
    assert SAID not in said
    assert SAID not in str(getattr(found, "warnings", ""))


# The check.


@pytest.mark.filterwarnings("ignore:.PU1")
@pytest.mark.parametrize("form", ["dense", "sparse", "missing"])
def test_diagnose_counts_copies_of_every_kind(form):
    rows, s = np.vstack([DATA.X, DATA.X[:150]]), np.append(DATA.s, DATA.s[:150]).astype(int)
    s[300:310] = 1 - s[300:310]
    model = line()
    if form == "sparse":
        rows = sparse.csr_matrix(rows)
    if form == "missing":
        rows = np.where(rows > 1.5, np.nan, rows)
        model = PUThresholdClassifier(HistGradientBoostingClassifier(max_iter=5), random_state=0)
    found = diagnose(model, rows, s, checks=["fit", "duplicates"], random_state=0)["duplicates"]
    assert (found.state, found.code) == ("warning", SAID)
    n_both = int(np.sum(DATA.s[:10] != s[300:310]))
    labeled = int(np.sum((DATA.s[:150] == 1) & (s[300:] == 1)))
    assert found.facts["labeled_rows_that_repeat_a_labeled_one"] == labeled
    assert found.facts["unlabeled_rows_that_repeat_an_unlabeled_one"] == 150 - n_both - labeled
    assert found.facts["labeled_rows_with_a_twin"] == n_both
    assert found.message.startswith("150 of 450 rows repeat another row")


def test_diagnose_counts_rows_that_coincide_too():
    grades = np.random.default_rng(1).integers(0, 6, size=(400, 3)).astype(float)
    s = (np.arange(400) < 60).astype(int)
    found = diagnose(line(), grades, s, checks=["fit", "duplicates"])["duplicates"]
    assert (found.state, found.code) == ("note", "PU206")
    assert found.facts["unlabeled_rows_that_repeat_an_unlabeled_one"] > 0
    assert not found.facts["more_than_chance"]
