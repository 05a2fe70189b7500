"""A score that follows answers, or knowledge of the labeling: what decides, and what is refused."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app import export_onnx, load_model, save_model, table_pipeline, write_report
from unlabeled.audit import chosen_beforehand
from unlabeled.codes import PUWarning
from unlabeled.inference import labeling_sensitivity
from unlabeled.inspection import contributions
from unlabeled.labeling import KnownChances

MEMBERS = [("line", LogisticRegression()), ("flat", LogisticRegression(C=0.01))]


@pytest.fixture(scope="module")
def table():
    """Labels that follow the fourth column, which says nothing of the class; 120 answers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 4))
    y_true = rng.random(800) < expit(2 * X[:, 0] - 0.5)
    s = (y_true & (rng.random(800) < expit(1.5 * X[:, 3] - 0.5))).astype(int)
    checked = np.full(800, np.nan)
    looked = rng.permutation(np.flatnonzero(s == 0))[:120]
    checked[looked] = y_true[looked]
    return SimpleNamespace(X=X, s=s, y_true=y_true, checked=checked)


def threshold(**parameters):
    return PUThresholdClassifier(LogisticRegression(), cv=3, random_state=0, **parameters)


def ensemble(cv=3, **parameters):
    return PUEnsemble(members=MEMBERS, cv=cv, random_state=0, **parameters)


KINDS = {"threshold": threshold, "ensemble": ensemble}


@pytest.fixture(scope="module", params=KINDS)
def both(request, table):
    """A fit to labels, and one to labels and answers."""
    model = KINDS[request.param]()
    labels = clone(model).fit(table.X, table.s)
    return labels, clone(model).fit(table.X, table.s, checked=table.checked)


def test_answers_mend_order_and_count(both, table):
    labels, answered = both
    unknown = (table.s == 0) & np.isnan(table.checked)
    before, after = (
        roc_auc_score(table.y_true[unknown], one.held_out_score_[unknown]) for one in both
    )
    assert after > before + 0.05
    true = table.y_true.mean()
    assert abs(answered.class_prior_ - true) < 0.06 < abs(labels.class_prior_ - true)
    lower, upper = answered.class_prior_interval()
    assert lower < true < upper
    assert answered.n_checked_ == 120
    assert labels.n_checked_ == 0


def test_the_score_is_the_logit_of_the_posterior(both, table):
    _, model = both
    score = model.positive_score(table.X)
    np.testing.assert_allclose(model.predict_proba(table.X)[:, 1], expit(score), rtol=1e-12)
    np.testing.assert_allclose(model.posterior_at(score), expit(score), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(table.X), score > model.threshold_)
    np.testing.assert_allclose(model.held_out_posterior_, expit(model.held_out_score_))


def test_the_count_is_what_is_known_of_each_row(both, table):
    """1 for labeled rows, the answers, and r for the others."""
    _, model = both
    r = model.held_out_posterior_if_unlabeled_
    expected = np.where(np.isnan(table.checked), r, table.checked)
    expected[table.s == 1] = 1
    assert expected.mean() == pytest.approx(model.class_prior_, abs=1e-6)
    assert (r < model.held_out_posterior_).all()


def test_the_cut_has_the_largest_expected_f1(both, table):
    _, model = both
    expected = np.where(
        np.isnan(table.checked), model.held_out_posterior_if_unlabeled_, table.checked
    )
    expected[table.s == 1] = 1
    order = np.argsort(-model.held_out_score_)
    found = np.cumsum(expected[order])
    f1 = 2 * found / (np.arange(1, 801) + expected.sum())
    n_above = int((model.held_out_score_ > model.threshold_).sum())
    assert f1[n_above - 1] == pytest.approx(f1.max(), rel=1e-6)


def test_new_rows_are_those_of_the_fit_up_to_one_row_and_r_is_below_y(both, table):
    _, model = both
    r, y = model.posterior_if_unlabeled(table.X), model.predict_proba(table.X)[:, 1]
    assert (r < y).all()
    assert np.mean(abs(y - model.held_out_posterior_)) < 0.04
    along = model.posterior_if_unlabeled_at(model.held_out_score_)
    assert abs(along[table.s == 0].mean() - r[table.s == 0].mean()) < 0.02


def test_another_class_prior_moves_the_logit(both, table):
    _, model = both
    score = model.held_out_score_
    assert np.mean(model.posterior_given(score, 0.6)) == pytest.approx(0.6, abs=1e-6)
    lower, upper = model.posterior_range(score)
    assert (lower < upper).all()
    assert (lower < model.posterior_at(score) + 1e-9).all()


def test_labels_alone_after_answers_forget_them(table):
    model = threshold().fit(table.X, table.s, checked=table.checked).fit(table.X, table.s)
    alone = threshold().fit(table.X, table.s)
    np.testing.assert_array_equal(model.positive_score(table.X), alone.positive_score(table.X))
    np.testing.assert_array_equal(
        model.held_out_posterior_if_unlabeled_, alone.held_out_posterior_if_unlabeled_
    )
    assert model.threshold_ == alone.threshold_


@pytest.mark.parametrize("made", [pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist])
def test_other_forms_of_the_rows_say_the_same(table, made):
    X = made(table.X)
    if isinstance(X, pd.DataFrame):
        X.columns = list("abcd")
    one = threshold().fit(X, table.s, checked=table.checked)
    other = threshold().fit(table.X, table.s, checked=table.checked)
    np.testing.assert_allclose(one.positive_score(X), other.positive_score(table.X), atol=1e-3)


def test_rows_of_weight_0_are_left_out(table):
    weight = np.ones(800)
    weight[::5] = 0
    kept = weight > 0
    halves = np.arange(400), np.arange(400, 800)
    one = ensemble([halves, halves[::-1]])
    one.fit(table.X, table.s, weight, checked=table.checked)
    assert np.isnan(one.held_out_score_[::5]).all()
    assert np.isfinite(one.held_out_posterior_if_unlabeled_[kept]).all()
    assert one.n_checked_ == np.isfinite(table.checked[kept]).sum()


def test_two_samples_have_the_posterior_of_the_population(table):
    rng = np.random.default_rng(1)
    cases = rng.permutation(np.flatnonzero(table.y_true))[:150]
    X, s = np.vstack([table.X, table.X[cases]]), np.repeat([0, 1], [800, 150])
    checked = np.append(np.full(800, np.nan), np.full(150, np.nan))
    checked[:200] = table.y_true[:200]
    model = threshold(sampling="two-sample").fit(X, s, checked=checked)
    assert abs(model.class_prior_ - table.y_true.mean()) < 0.06
    r, y = model.posterior_if_unlabeled(table.X), model.predict_proba(table.X)[:, 1]
    np.testing.assert_allclose(r, y)
    assert abs(y.mean() - model.class_prior_) < 0.05


def test_a_class_prior_that_was_given_stays(table):
    model = threshold(class_prior=0.5).fit(table.X, table.s, checked=table.checked)
    assert model.class_prior_ == 0.5
    assert model.class_prior_density_ is None
    with pytest.raises(ValueError, match=r"`class_prior` must be at least .* got 0\.2"):
        threshold(class_prior=0.2).fit(table.X, table.s, checked=table.checked)


def test_known_chances_decide_too(table):
    chance = expit(1.5 * table.X[:, 3] - 0.5)
    model = threshold(labeling=KnownChances())
    model.fit(table.X, table.s, history=pd.DataFrame({"chance": chance}))
    unlabeled = table.s == 0
    labels = threshold().fit(table.X, table.s)
    before, after = (
        roc_auc_score(table.y_true[unlabeled], one.held_out_score_[unlabeled])
        for one in (labels, model)
    )
    assert after > before + 0.03
    assert abs(model.class_prior_ - table.y_true.mean()) < 0.08
    y = model.predict_proba(table.X)[:, 1]
    assert np.mean(abs(y - model.held_out_posterior_)) < 0.1


# Searches, folds, routing.


@pytest.mark.parametrize("routing", [False, True])
def test_searches_and_folds_split_answers_and_history(table, routing):
    with sklearn.config_context(enable_metadata_routing=routing):
        model = threshold()
        if routing:
            model.set_fit_request(checked=True)
        search = GridSearchCV(model, {"rule": ["f1"]}, cv=2)
        search.fit(table.X, table.s, checked=table.checked)
        assert search.best_estimator_.n_checked_ == 120
        given = {"checked": table.checked}
        scores = cross_val_score(model, table.X, table.s, cv=2, params=given)
        assert np.isfinite(scores).all()


def test_a_clone_has_the_labeling():
    model = clone(ensemble(labeling=KnownChances()))
    assert isinstance(model.labeling, KnownChances)
    assert isinstance(model.get_params()["labeling"], KnownChances)


# Few answers, and wrong use.


@pytest.mark.filterwarnings("ignore:.PU110")  # nearly all rows are selected, too
def test_answers_that_are_all_positive_are_asked_about(table):
    """With them alone the class prior is far too large, if nobody wrote down what was negative."""
    checked = np.full(800, np.nan)
    checked[np.flatnonzero((table.s == 0) & table.y_true)[:15]] = 1
    with pytest.warns(PUWarning, match="found positive, the count is far too large") as caught:
        model = threshold().fit(table.X, table.s, checked=checked)
    assert "PU133" in {getattr(one.message, "code", None) for one in caught}
    assert model.class_prior_ > table.y_true.mean()


def test_few_answers_of_a_kind_move_the_count_and_not_the_order(table):
    checked = np.full(800, np.nan)
    looked = np.flatnonzero((table.s == 0) & ~table.y_true)[:20]
    checked[looked] = 0
    checked[np.flatnonzero((table.s == 0) & table.y_true)[:2]] = 1
    with pytest.warns(PUWarning, match="2 of 22 answers are positive") as caught:
        model = threshold().fit(table.X, table.s, checked=checked)
    assert [one.message.code for one in caught] == ["PU133"]
    assert "found positive" not in str(caught[0].message)
    labels = threshold().fit(table.X, table.s)
    one, other = (pd.Series(one.held_out_score_).rank() for one in (model, labels))
    assert one.corr(other) > 0.9999


@pytest.mark.parametrize("make", KINDS.values())
def test_answers_that_are_all_negative_ask(table, make):
    checked = np.where((table.s == 0) & ~table.y_true & (np.arange(800) % 4 == 0), 0.0, np.nan)
    with pytest.raises(ValueError, match="`checked` must hold a row found positive"):
        make().fit(table.X, table.s, checked=checked)
    with pytest.warns(PUWarning):
        make().fit(table.X, table.s, checked=chosen_beforehand(checked))


@pytest.mark.parametrize("make", KINDS.values())
def test_wrong_use_is_refused(table, make):
    wrong = np.full(800, np.nan)
    wrong[np.flatnonzero(table.s == 1)[0]] = 0
    with pytest.raises(ValueError, match="`checked` must not be 0 in a labeled row"):
        make().fit(table.X, table.s, checked=wrong)
    with pytest.raises(ValueError, match="800 rows in `X`, and 9 in `checked`"):
        make().fit(table.X, table.s, checked=wrong[:9])
    with pytest.raises(ValueError, match="`history` must be None if `labeling` is"):
        make().fit(table.X, table.s, history=np.ones(800))
    with pytest.raises(ValueError, match="`history` must have one row for each of the 800 rows"):
        make(labeling=KnownChances()).fit(table.X, table.s, history=np.ones(7))
    with pytest.raises(ValueError, match="`labeling` must be None"):
        make(labeling=3.5).fit(table.X, table.s)


def test_scores_of_seen_rows_are_not_mended(table):
    model = PUThresholdClassifier(LogisticRegression(), cv="train")
    with pytest.raises(ValueError, match="`checked` must be None with cv='train'"):
        model.fit(table.X, table.s, checked=table.checked)


@pytest.mark.parametrize("make", KINDS.values())
def test_rows_in_chunks_are_refused_with_knowledge(table, make):
    da = pytest.importorskip("dask.array")
    X, s = da.from_array(table.X, chunks=(400, 4)), da.from_array(table.s, chunks=400)
    with pytest.raises(TypeError, match="`checked` must be None for rows in chunks"):
        make().fit(X, s, checked=table.checked)
    with pytest.raises(TypeError, match="`labeling` must be None for rows in chunks"):
        make(labeling=KnownChances()).fit(X, s)


def test_a_sensitivity_to_labeling_is_refused_after_answers(both, table):
    _, model = both
    with pytest.raises(ValueError, match="must take labels as given at random"):
        labeling_sensitivity(model, table.X, table.s, feature=0)


def test_a_fitted_estimator_is_mended_on_new_rows(table):
    forest = RandomForestClassifier(20, min_samples_leaf=5, random_state=0)
    forest.fit(table.X[:300], table.s[:300])
    model = PUThresholdClassifier(forest, cv="prefit")
    model.fit(table.X[300:], table.s[300:], checked=table.checked[300:])
    assert not hasattr(model, "held_out_score_")
    assert abs(model.class_prior_ - table.y_true.mean()) < 0.12


def test_the_line_keeps_its_own_way(table):
    model = PULogistic().fit(table.X, table.s, checked=table.checked)
    np.testing.assert_allclose(model.positive_score(table.X), table.X @ model.coef_[0])


# Files, and what a mended score has no parts for.


def test_a_file_has_what_new_rows_need_and_no_row(both, table, tmp_path):
    pytest.importorskip("skops")
    _, model = both
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    for method in ("predict_proba", "posterior_if_unlabeled", "predict"):
        np.testing.assert_array_equal(
            getattr(loaded, method)(table.X), getattr(model, method)(table.X)
        )
    assert loaded.posterior_if_unlabeled_at(0.5) == model.posterior_if_unlabeled_at(0.5)
    arrays = list(_arrays(vars(loaded)))
    assert len(arrays) > 5
    assert all(800 not in array.shape and 120 not in array.shape for array in arrays)


def _arrays(value):
    """Yield all arrays in a value, whatever it is."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _arrays(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _arrays(one)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield from _arrays(vars(value))


def test_contributions_add_up_to_the_mended_score(both, table):
    """What labels follow raises their own score, and not the one that answers have mended."""
    labels, model = both
    found = contributions(model, table.X, background=table.X)
    assert found.base + found.values.sum(axis=1) == pytest.approx(model.positive_score(table.X))
    by_labels = contributions(labels, table.X, background=table.X)
    of_class, of_labeling = (
        np.abs(one.values[:, 0]).mean() / np.abs(one.values[:, 3]).mean()
        for one in (found, by_labels)
    )
    assert of_class > 2 * of_labeling
    # A row at the base of the labels' score still has what the columns say.
    at_mean = contributions(model, table.X.mean(axis=0)[None, :], background=table.X)
    assert np.isfinite(at_mean.values).all()
    assert at_mean.base == pytest.approx(found.base)


def test_contributions_of_a_score_that_no_other_column_moves_are_those_along_it():
    """r that depends on the score alone: the contributions keep the proportions of the labels'."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    s = (rng.random(300) < expit(X[:, 0] - 1)).astype(int)
    plain = threshold().fit(X, s)
    frequency = np.full(300, 0.5)
    model = threshold(labeling=KnownChances()).fit(X, s, history=frequency)
    found = contributions(model, X, background=X)
    of_labels = contributions(plain, X, background=X)
    shares = found.values / found.values.sum(axis=1, keepdims=True)
    assert shares == pytest.approx(of_labels.values / of_labels.values.sum(axis=1, keepdims=True))
    assert found.base + found.values.sum(axis=1) == pytest.approx(model.positive_score(X))


def test_contributions_need_the_columns_of_the_table(table):
    inner = make_pipeline(PCA(2), LogisticRegression())
    model = PUThresholdClassifier(inner, cv=3).fit(table.X, table.s, checked=table.checked)
    with pytest.raises(ValueError, match="Put what changes them before it, in a pipeline"):
        contributions(model, table.X[:2], background=table.X)


def test_onnx_is_refused(table, tmp_path):
    pytest.importorskip("onnx")
    frame = pd.DataFrame(table.X, columns=list("abcd"))
    pipeline = table_pipeline(PUThresholdClassifier(PULogistic(), cv=3))
    pipeline.fit(frame, table.s, classifier__checked=table.checked)
    with pytest.raises(ValueError, match="fitted with `checked` or `labeling`"):
        export_onnx(pipeline, tmp_path / "model.onnx")


def test_a_report_says_what_the_number_assumes(both, table, tmp_path):
    _, model = both
    write_report(model, table.X, table.s, tmp_path / "report.html", checked=table.checked)
    said = (tmp_path / "report.html").read_text("utf-8")
    assert "if rows were chosen for checking before anybody knew their class" in said
    assert "if labels are random" not in said
    assert "Labels need not be random." in said
    assert "random sample of the positives" not in said
