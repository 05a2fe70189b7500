"""Rows that were recorded because they are negative: left out, and added back."""

from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from dask import array as da
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app import load_model, save_model
from unlabeled.audit import draw_audit
from unlabeled.inference import bootstrap, labeling_sensitivity
from unlabeled.label_frequency import ElkanNoto
from unlabeled.labeling import KnownChances

MEMBERS = [("line", LogisticRegression()), ("flat", LogisticRegression(C=0.01))]


def draw(seed, n_negatives, n=600):
    """Labels at random; the recorded negatives are not like all negatives."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y_true = rng.random(n) < expit(2.5 * X[:, 0] - 0.5)
    s = (y_true & (rng.random(n) < 0.4)).astype(int)
    known = np.flatnonzero(~y_true)
    odds = expit(2 * X[known, 1])
    marks = np.zeros(n, dtype=bool)
    marks[rng.choice(known, n_negatives, replace=False, p=odds / odds.sum())] = True
    return SimpleNamespace(X=X, s=s, y_true=y_true, negatives=marks)


@pytest.fixture(scope="module")
def table():
    return draw(0, 80)


def threshold(**parameters):
    return PUThresholdClassifier(LogisticRegression(), cv=3, random_state=0, **parameters)


def ensemble(**parameters):
    return PUEnsemble(members=MEMBERS, cv=3, random_state=0, **parameters)


KINDS = {"threshold": threshold, "ensemble": ensemble}
REST = 520 / 600


@pytest.fixture(scope="module", params=KINDS)
def both(request, table):
    """A fit with recorded negatives, and one to the other rows."""
    model, rest = KINDS[request.param](), ~table.negatives
    one = clone(model).fit(table.X, table.s, negatives=table.negatives)
    return one, clone(model).fit(table.X[rest], table.s[rest])


def test_the_members_are_those_of_the_other_rows(both, table):
    one, alone = both
    for name in ("positive_score", "predict_proba", "posterior_if_unlabeled"):
        found, expected = (getattr(model, name)(table.X) for model in both)
        np.testing.assert_allclose(found, expected, rtol=1e-11)
    rest = ~table.negatives
    np.testing.assert_array_equal(one.held_out_score_[rest], alone.held_out_score_)
    np.testing.assert_allclose(
        one.held_out_score_[~rest], alone.positive_score(table.X[~rest]), rtol=1e-12
    )
    assert one.n_negatives_ == 80
    assert alone.n_negatives_ == 0


def test_the_class_prior_counts_the_negatives(both, table):
    one, alone = both
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * REST, rel=1e-12)
    assert one.label_frequency_ == pytest.approx(alone.label_frequency_, rel=1e-12)
    assert one.labeled_share_ == pytest.approx(table.s.mean(), rel=1e-12)
    np.testing.assert_allclose(
        [*one.class_prior_interval()], np.multiply([*alone.class_prior_interval()], REST)
    )
    of_density = one.class_prior_density_
    assert of_density.mean == pytest.approx(one.class_prior_, rel=1e-9)
    assert of_density.n_rows == pytest.approx(600)
    np.testing.assert_allclose(
        [*one.label_frequency_interval()], [*alone.label_frequency_interval()], rtol=1e-9
    )


def test_each_member_speaks_of_all_rows(table):
    rest = ~table.negatives
    one = ensemble().fit(table.X, table.s, negatives=table.negatives)
    alone = ensemble().fit(table.X[rest], table.s[rest])
    for name, prior in alone.member_class_priors_.items():
        assert one.member_class_priors_[name] == pytest.approx(prior * REST, rel=1e-9)
        assert one.class_prior_density_.said[name][1] == pytest.approx(prior * REST, rel=1e-9)


def test_no_recorded_row_is_a_positive_and_the_rows_add_up(both, table):
    one, alone = both
    r = one.held_out_posterior_if_unlabeled_
    assert (r[table.negatives] == 0).all()
    np.testing.assert_array_equal(r[~table.negatives], alone.held_out_posterior_if_unlabeled_)


def test_the_cut_counts_the_negatives(both, table):
    """Recall is that of the other rows; the share above a cut is that of all rows."""
    one, alone = both
    score = one.held_out_score_
    assert one.cut_.share == pytest.approx(np.mean(score > one.threshold_))
    for cuts, of_rest in ((one.cuts_, alone.cuts_), (one.observed_cuts_, alone.observed_cuts_)):
        assert cuts.total[-1] == 600
        at = np.searchsorted(-cuts.score, -of_rest.score)
        np.testing.assert_array_equal(cuts.score[at], of_rest.score)
        np.testing.assert_allclose(cuts.recall[at], of_rest.recall, rtol=1e-9)
    f1 = 2 * one.class_prior_ * one.cuts_.recall / (one.cuts_.total / 600 + one.class_prior_)
    assert one.cut_.value == pytest.approx(f1.max(), rel=1e-9)
    assert one.cut_.recall == one.cuts_.recall[np.argmax(f1)]


def test_another_class_prior_is_that_of_all_rows(both, table):
    one, alone = both
    score = alone.held_out_score_
    np.testing.assert_allclose(
        one.posterior_given(score, 0.5 * REST), alone.posterior_given(score, 0.5), rtol=1e-9
    )
    for end, other in zip(one.posterior_range(score), alone.posterior_range(score), strict=True):
        np.testing.assert_allclose(end, other, rtol=1e-6)
    with pytest.raises(ValueError, match="`class_prior` must be below the share of rows"):
        one.posterior_given(score, 0.9)


@pytest.mark.parametrize("given", ["number", "estimator", "density"])
def test_a_class_prior_that_is_given_is_that_of_all_rows(given, table):
    rest = ~table.negatives
    density = threshold().fit(table.X[rest], table.s[rest]).class_prior_density_
    inner = {
        "number": 0.5,
        "density": density,
        "estimator": ElkanNoto(),
    }[given]
    outer = {"number": 0.5 * REST, "density": density.scaled(REST), "estimator": inner}[given]
    alone = threshold(class_prior=inner).fit(table.X[rest], table.s[rest])
    one = threshold(class_prior=outer).fit(table.X, table.s, negatives=table.negatives)
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * REST, rel=1e-9)
    np.testing.assert_allclose(one.predict_proba(table.X), alone.predict_proba(table.X), rtol=1e-6)


def test_a_class_prior_that_leaves_no_room_for_the_negatives_is_rejected(table):
    with pytest.raises(ValueError, match="`class_prior` must be"):
        threshold(class_prior=0.9).fit(table.X, table.s, negatives=table.negatives)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_the_negatives(kind, table):
    """Rows of weight 1 are two of weight .5, also if they are negative; those of 0 are none."""
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0], 600)
    rest = ~table.negatives
    one = KINDS[kind]().fit(table.X, table.s, weight, negatives=table.negatives)
    alone = KINDS[kind]().fit(table.X[rest], table.s[rest], weight[rest])
    share = weight[rest].sum() / weight.sum()
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * share, rel=1e-6)
    assert one.n_negatives_ == np.sum(table.negatives & (weight > 0))
    assert one.labeled_share_ == pytest.approx(np.average(table.s, weights=weight), rel=1e-6)
    np.testing.assert_allclose(
        one.positive_score(table.X), alone.positive_score(table.X), rtol=1e-11
    )
    np.testing.assert_array_equal(np.isnan(one.held_out_score_), weight == 0)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_and_recorded_negatives_go_together(kind, table):
    rest = ~table.negatives
    checked = np.full(600, np.nan)
    looked = np.random.default_rng(1).permutation(np.flatnonzero((table.s == 0) & rest))[:60]
    checked[looked] = table.y_true[looked]
    one = KINDS[kind]().fit(table.X, table.s, checked=checked, negatives=table.negatives)
    alone = KINDS[kind]().fit(table.X[rest], table.s[rest], checked=checked[rest])
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * REST, rel=1e-9)
    np.testing.assert_allclose(one.predict_proba(table.X), alone.predict_proba(table.X), rtol=1e-9)
    np.testing.assert_allclose(
        one.held_out_score_[table.negatives], alone.positive_score(table.X[table.negatives])
    )
    expected = np.where(np.isnan(checked), one.held_out_posterior_if_unlabeled_, checked)
    expected[table.s == 1] = 1
    assert expected.mean() == pytest.approx(one.class_prior_, abs=1e-6)


def test_a_history_has_the_rows_of_the_table(table):
    rest, chance = ~table.negatives, np.full(600, 0.4)
    model = threshold(labeling=KnownChances())
    one = model.fit(table.X, table.s, history=chance, negatives=table.negatives)
    alone = clone(model).fit(table.X[rest], table.s[rest], history=chance[rest])
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * REST, rel=1e-9)


@pytest.mark.parametrize("cv", ["oob", "train", "loo", "prefit", KFold(3), "row numbers"])
def test_every_way_to_score_leaves_them_out(cv, table):
    rest = ~table.negatives
    inner = LogisticRegression()
    of_rest = cv
    if cv == "oob":
        inner = RandomForestClassifier(30, min_samples_leaf=5, oob_score=True, random_state=0)
    if cv == "prefit":
        inner = inner.fit(table.X[:300], table.s[:300])
    if cv == "row numbers":
        cv = list(KFold(3).split(table.X))
        number = np.cumsum(rest) - 1
        of_rest = [tuple(number[part[rest[part]]] for part in split) for split in cv]
    one = PUThresholdClassifier(inner, cv=cv, random_state=0)
    one.fit(table.X, table.s, negatives=table.negatives)
    alone = PUThresholdClassifier(inner, cv=of_rest, random_state=0)
    alone.fit(table.X[rest], table.s[rest])
    assert one.class_prior_ == pytest.approx(alone.class_prior_ * REST, rel=1e-9)
    assert one.cut_.share == pytest.approx(
        one.cuts_.total[one.cuts_.score > one.threshold_][-1] / 600
    )


def test_no_negatives_are_labels_alone(table):
    for kind in KINDS.values():
        one = kind().fit(table.X, table.s, negatives=np.zeros(600, dtype=bool))
        alone = kind().fit(table.X, table.s)
        np.testing.assert_array_equal(one.held_out_score_, alone.held_out_score_)
        assert one.class_prior_ == alone.class_prior_
        assert one.threshold_ == alone.threshold_


def test_the_truth_is_found():
    """The share of the other rows, or of the table without them, would be far off."""
    errors, covered, left_out = [], 0, []
    for seed in range(20):
        made = draw(seed, 300, 1500)
        model = threshold().fit(made.X, made.s, negatives=made.negatives)
        true = made.y_true.mean()
        lower, upper = model.class_prior_interval()
        covered += lower <= true <= upper
        errors.append(model.class_prior_ - true)
        left_out.append(model.class_prior_ * 1500 / 1200 - true)
    error = np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 3 * error < 0.04 < np.mean(left_out) - 3 * error
    assert covered >= 17  # of 20


BAD = {
    "labeled": lambda t: (t.s == 1, "`negatives` must be False in a labeled row"),
    "numbers": lambda t: (t.negatives.astype(int), "`negatives` must hold True"),
    "missing": lambda t: ([None, *t.negatives[1:]], "`negatives` must hold True"),
    "short": lambda t: (t.negatives[1:], "and 599 in `negatives`"),
    "matrix": lambda t: (t.negatives[:, None], "`negatives` must have one True or False per row"),
    "all": lambda t: (t.s == 0, "`negatives` must leave unlabeled rows"),
    "dask": lambda t: (da.from_array(t.negatives), "`negatives` must be in memory"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BAD)
def test_bad_negatives_are_rejected(name, kind, table):
    given, message = BAD[name](table)
    with pytest.raises((ValueError, TypeError), match=message):
        KINDS[kind]().fit(table.X, table.s, negatives=given)


@pytest.mark.parametrize("kind", KINDS)
def test_what_contradicts_negatives_is_rejected(kind, table):
    model = KINDS[kind]()
    checked = np.where(table.negatives, 1.0, np.nan)
    with pytest.raises(ValueError, match="`negatives` must be False in a row that `checked`"):
        model.fit(table.X, table.s, checked=checked, negatives=table.negatives)
    with pytest.raises(ValueError, match="`negatives` must be None in two samples"):
        clone(model).set_params(sampling="two-sample").fit(
            table.X, table.s, negatives=table.negatives
        )
    chunks = da.from_array(table.X, chunks=(300, 3)), da.from_array(table.s, chunks=300)
    with pytest.raises(TypeError, match="`negatives` must be None for rows in chunks"):
        model.fit(*chunks, negatives=table.negatives)


def test_what_takes_none_names_what_does(table):
    with pytest.raises(TypeError, match="Use PUThresholdClassifier or PUEnsemble"):
        PULogistic().fit(table.X, table.s, negatives=table.negatives)


def test_answers_that_are_all_negative_name_the_other_way(table):
    checked = np.where(table.negatives, 0.0, np.nan)
    with pytest.raises(ValueError, match="pass them as `negatives` to PUThresholdClassifier"):
        threshold().fit(table.X, table.s, checked=checked)


def test_what_cannot_follow_says_so(both, table):
    model, _ = both
    with pytest.raises(ValueError, match="`estimator` must be fitted without `negatives`"):
        labeling_sensitivity(model, table.X, table.s, 0)
    with pytest.raises(ValueError, match="`estimator` must be fitted without `negatives`"):
        bootstrap(model, table.X, table.s, n_resamples=2, random_state=0)
    audit = draw_audit(model, table.X, table.s, size=20, random_state=0)
    result = audit.estimate(table.y_true[audit.rows])
    with pytest.raises(ValueError, match="fitted to labels alone"):
        result.refit(model, table.X, table.s)


@pytest.mark.parametrize("kind", KINDS)
def test_folds_and_searches_slice_the_negatives(kind, table):
    cv = KFold(2, shuffle=True, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = KINDS[kind]().set_fit_request(negatives=True)
        pipe = make_pipeline(StandardScaler(), model)
        found = cross_validate(
            pipe,
            table.X,
            table.s,
            cv=cv,
            params={"negatives": table.negatives},
            return_estimator=True,
        )["estimator"]
    for (train, _), one in zip(cv.split(table.X), found, strict=True):
        assert one[-1].n_negatives_ == table.negatives[train].sum()
    search = GridSearchCV(KINDS[kind](), {"rule": ["f1", "balanced_accuracy"]}, cv=cv)
    search.fit(table.X, table.s, negatives=table.negatives)
    assert search.best_estimator_.n_negatives_ == 80


def test_a_model_file_predicts_the_same(both, table, tmp_path):
    model, _ = both
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    np.testing.assert_array_equal(loaded.positive_score(table.X), model.positive_score(table.X))
    np.testing.assert_array_equal(loaded.predict_proba(table.X), model.predict_proba(table.X))
    assert loaded.n_negatives_ == 80
    assert not hasattr(loaded, "_undecided_cuts_")
    assert loaded._held_out_negative_ is None


def test_a_later_fit_forgets_them(table):
    model = threshold().fit(table.X, table.s, negatives=table.negatives).fit(table.X, table.s)
    alone = threshold().fit(table.X, table.s)
    assert model.n_negatives_ == 0
    assert model.class_prior_ == alone.class_prior_
    np.testing.assert_array_equal(
        model.held_out_posterior_if_unlabeled_, alone.held_out_posterior_if_unlabeled_
    )
