"""Audits of classifiers, pipelines and plain scores."""

import json
from copy import copy

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, PULogistic, PUThresholdClassifier
from unlabeled.audit import Audit, draw_audit, judge, pool_audits
from unlabeled.audit._result import _expected_in_common
from unlabeled.datasets import make_paper_gaussian


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=1500, label_frequency=0.4, random_state=3)


@pytest.fixture(scope="module")
def model(data):
    return PULogistic().fit(data.X, data.s)


@pytest.fixture(scope="module")
def audit(model, data):
    return draw_audit(model, data.X, data.s, size=100, random_state=0)


def truth(audit, data):
    return data.y_true[audit.rows]


def test_it_draws_unlabeled_rows_once_and_says_how_likely(audit, data):
    assert len(set(audit.rows.tolist())) == 100
    assert not data.s[audit.rows].any()
    probability = audit.inclusion_probability
    assert probability.min() > 0
    # Expanded, the drawn rows are all the unlabeled ones.
    assert np.sum(1 / probability) == pytest.approx(np.sum(data.s == 0))
    assert audit.strata["rows"].sum() == np.sum(data.s == 0)


def test_rows_are_shuffled(audit):
    rank = np.argsort(np.argsort(audit.score))
    assert abs(np.corrcoef(np.arange(100), rank)[0, 1]) < 0.35


def test_the_same_seed_draws_the_same_rows(model, data, audit):
    again = draw_audit(model, data.X, data.s, size=100, random_state=0)
    np.testing.assert_array_equal(again.rows, audit.rows)
    other = draw_audit(model, data.X, data.s, size=100, random_state=1)
    assert set(other.rows.tolist()) != set(audit.rows.tolist())


def test_strata_break_where_predict_does(audit, model, data):
    np.testing.assert_array_equal(
        audit.strata["predicted"][audit.stratum], audit.score > model.threshold_
    )


def test_the_fitted_table_is_scored_by_held_out_scores(audit, model, data):
    np.testing.assert_array_equal(audit.score, model.held_out_score_[audit.rows])
    new = make_paper_gaussian(n=1500, label_frequency=0.4, random_state=4)
    of_new = draw_audit(model, new.X, size=50, random_state=0)
    np.testing.assert_allclose(of_new.score, model.positive_score(new.X)[of_new.rows])
    assert audit.fingerprint != of_new.fingerprint


def test_a_table_with_rows_of_weight_0_is_known_as_the_one_of_the_fit(data):
    weight = (np.arange(len(data.s)) % 5 > 0).astype(float)
    fitted = PULogistic().fit(data.X, data.s, weight)
    audit = draw_audit(fitted, data.X, data.s, size=200, random_state=0)
    seen = weight[audit.rows] > 0
    assert 0 < seen.sum() < len(seen)
    np.testing.assert_array_equal(audit.score[seen], fitted.held_out_score_[audit.rows][seen])
    own = fitted.positive_score(data.X)[audit.rows]
    np.testing.assert_allclose(audit.score[~seen], own[~seen], rtol=1e-12)


def test_the_rows_of_a_fit_with_weights_are_rejected_and_other_rows_are_not(data):
    weight = np.where(np.arange(len(data.s)) % 2, 0.5, 1.5)
    weighted = PULogistic(random_state=0).fit(data.X, data.s, sample_weight=weight)
    with pytest.raises(ValueError, match=r"without `sample_weight`.*pass `positive_score\(X\)`"):
        draw_audit(weighted, data.X, data.s, random_state=0)
    as_scores = weighted.positive_score(data.X)
    draw_audit(as_scores, data.X, data.s, threshold=weighted.threshold_, random_state=0)
    draw_audit(weighted, data.X[1:], data.s[1:], random_state=0)


def test_the_estimates_are_sums_by_hand(audit, model, data):
    """The estimator written out: rows of a stratum times its share of positive answers."""
    result = audit.estimate(truth(audit, data))
    positives, above = float(data.s.sum()), 0.0
    predicted = model.held_out_score_ > model.threshold_
    for h, n_rows in enumerate(audit.strata["rows"]):
        share = truth(audit, data)[audit.stratum == h].mean()
        positives += n_rows * share
        above += n_rows * share * audit.strata["predicted"][h]
    above += data.s[predicted].sum()
    assert result.count.estimate == pytest.approx(positives)
    assert result.class_prior.estimate == pytest.approx(positives / 1500)
    assert result.precision.estimate == pytest.approx(above / predicted.sum())
    assert result.recall.estimate == pytest.approx(above / positives)
    assert result.f1.estimate == pytest.approx(2 * above / (positives + predicted.sum()))


def test_every_row_checked_gives_the_truth(model, data):
    n_unlabeled = int(np.sum(data.s == 0))
    audit = draw_audit(model, data.X, data.s, size=n_unlabeled, random_state=0)
    result = audit.estimate(truth(audit, data))
    assert result.count.lower == result.count.upper == data.y_true.sum()
    predicted = model.held_out_score_ > model.threshold_
    recall = data.y_true[predicted].sum() / data.y_true.sum()
    assert result.recall.lower == pytest.approx(recall)
    assert result.recall.upper == pytest.approx(recall)


def test_what_labels_claimed_stands_beside_it(audit, model, data):
    result = audit.estimate(truth(audit, data))
    assert result.claimed["class_prior"] == model.class_prior_
    assert result.claimed["count"] == model.class_prior_ * 1500
    share = np.mean(model.held_out_score_ > model.threshold_)
    assert result.claimed["precision"] == pytest.approx(
        model.class_prior_ * model.cut_.recall / share
    )
    assert "labels alone" in str(result)
    assert result.verdict in str(result)


def test_pipelines_searches_frames_and_sparse_rows(data):
    frame = pd.DataFrame(data.X, columns=["a", "b", "c"])
    pipeline = make_pipeline(StandardScaler(), PULogistic()).fit(frame, data.s)
    audit = draw_audit(pipeline, frame, data.s, random_state=0)
    np.testing.assert_array_equal(audit.score, pipeline[-1].held_out_score_[audit.rows])
    search = GridSearchCV(EnhancedLogistic(), {"C": [1.0, 10.0]}, cv=3).fit(frame, data.s)
    assert len(draw_audit(search, frame, data.s, random_state=0).rows) == 100
    rows = sparse.csr_matrix(np.where(np.abs(data.X) > 0.5, data.X, 0.0))
    on_sparse = PULogistic().fit(rows, data.s)
    audit = draw_audit(on_sparse, rows, data.s, random_state=0)
    np.testing.assert_array_equal(audit.score, on_sparse.held_out_score_[audit.rows])


def test_other_classifiers_give_every_row_about_the_same_chance(data):
    forest = RandomForestClassifier(20, min_samples_leaf=5, random_state=0).fit(data.X, data.s)
    audit = draw_audit(forest, data.X, data.s, size=150, random_state=0)
    large = audit.strata["rows"] > 50  # a small stratum gets five rows
    probability = (audit.strata["drawn"] / audit.strata["rows"])[large]
    assert probability.max() / probability.min() < 1.2
    result = audit.estimate(truth(audit, data))
    assert result.claimed["count"] is None
    # Its scores have seen the labels, so that labeled rows would look different.
    assert result.scar_test is None
    assert "not tested" in str(result)
    assert result.count.lower <= data.y_true.sum() <= result.count.upper


def test_thresholds_over_other_classifiers_are_ours(data):
    wrapped = PUThresholdClassifier(RandomForestClassifier(20, random_state=0), cv=3)
    wrapped.fit(data.X, data.s)
    audit = draw_audit(wrapped, data.X, data.s, random_state=0)
    assert audit.claimed["class_prior"] == wrapped.class_prior_
    assert audit.threshold == wrapped.threshold_


@pytest.mark.parametrize("as_frame", [False, True])
def test_a_forest_is_audited_by_trees_that_have_not_seen_the_rows(data, as_frame):
    rows = pd.DataFrame(data.X, columns=["a", "b", "c"]) if as_frame else data.X
    forest = RandomForestClassifier(40, min_samples_leaf=2, oob_score=True, random_state=0)
    model = PUThresholdClassifier(forest, cv="oob").fit(rows, data.s)
    # The forest remembers which rows have a label, and finds them all.
    predicted = model.held_out_score_ > model.threshold_
    assert model.predict(rows)[data.s == 1].mean() > 0.95 > 0.9 > predicted[data.s == 1].mean()
    every = draw_audit(model, rows, data.s, size=int(np.sum(data.s == 0)), random_state=0)
    np.testing.assert_array_equal(every.score, model.held_out_score_[every.rows])
    assert every.held_out
    result = every.estimate(truth(every, data))
    assert result.precision.estimate == pytest.approx(data.y_true[predicted].mean())
    assert result.recall.estimate == pytest.approx(predicted[data.y_true == 1].mean())
    new = make_paper_gaussian(n=500, label_frequency=0.4, random_state=5)
    of_new = pd.DataFrame(new.X, columns=["a", "b", "c"]) if as_frame else new.X
    audit = draw_audit(model, of_new, size=50, random_state=0)
    np.testing.assert_allclose(audit.score, model.positive_score(of_new)[audit.rows], atol=1e-12)
    assert audit.held_out


@pytest.mark.filterwarnings("ignore:Some inputs do not have OOB")
def test_rows_without_an_out_of_bag_score_are_audited_by_the_forest(data):
    forest = RandomForestClassifier(5, min_samples_leaf=5, oob_score=True, random_state=0)
    model = PUThresholdClassifier(forest, cv="oob").fit(data.X, data.s)
    audit = draw_audit(model, data.X, data.s, size=400, random_state=0)
    held_out, own = model.held_out_score_[audit.rows], model.positive_score(data.X)[audit.rows]
    lacking = np.isnan(held_out)
    assert 0 < lacking.sum() < 100
    np.testing.assert_allclose(audit.score, np.where(lacking, own, held_out), atol=1e-12)
    # Some labeled rows have scores that have seen their labels.
    assert not audit.held_out
    assert audit.estimate(truth(audit, data)).scar_test is None


def test_plain_scores_with_and_without_a_cut(data):
    score = data.X @ [1.0, 0.5, 0.0]
    audit = draw_audit(score, None, data.s, size=80, threshold=0.5, random_state=0)
    result = audit.estimate(truth(audit, data))
    predicted = score > 0.5
    np.testing.assert_array_equal(audit.strata["predicted"][audit.stratum], predicted[audit.rows])
    assert result.precision.lower <= data.y_true[predicted].mean() <= result.precision.upper
    without = draw_audit(score, None, data.s, size=80, random_state=0)
    result = without.estimate(truth(without, data))
    assert result.precision is None
    assert result.count.estimate > data.s.sum()


def test_text_labels_and_the_smaller_label_value(data):
    labels = np.where(data.s == 1, "found", "unknown")
    model = PULogistic(pos_label="found").fit(data.X, labels)
    audit = draw_audit(model, data.X, labels, random_state=0)
    plain = draw_audit(PULogistic().fit(data.X, data.s), data.X, data.s, random_state=0)
    np.testing.assert_array_equal(audit.rows, plain.rows)
    answers = truth(audit, data)
    assert audit.estimate(answers).recall == plain.estimate(answers).recall


@pytest.mark.parametrize("y", [[0, 1], ["a", "c"], [2, 3, 4], ["c"]])
def test_labels_that_the_fit_has_not_seen_are_not_taken_as_unlabeled(data, y):
    fitted = PULogistic(pos_label="a").fit(data.X, np.where(data.s == 1, "a", "b"))
    with pytest.raises(ValueError, match="`y` must hold .* 'a', 'b'; got"):
        draw_audit(fitted, data.X, np.resize(y, len(data.s)), size=50)
    new = draw_audit(fitted, data.X, np.full(len(data.s), "b"), size=50)
    assert new.strata["rows"].sum() == len(data.s)


def test_labeled_rows_are_drawn_too_if_labels_are_doubted(model, data):
    wrong = data.s.copy()
    wrong[np.flatnonzero(data.y_true == 0)[:40]] = 1  # labels that are not right
    audit = draw_audit(model, data.X, wrong, size=100, labeled_size=60, random_state=0)
    assert wrong[audit.rows].sum() == 60
    assert len(audit.rows) == 160
    result = audit.estimate(truth(audit, data))
    trusted = draw_audit(model, data.X, wrong, size=100, random_state=0)
    believed = trusted.estimate(truth(trusted, data))
    assert result.count.lower <= data.y_true.sum() <= result.count.upper
    assert believed.count.estimate > result.count.estimate


def test_it_saves_as_plain_text_and_loads_the_same(audit, data, tmp_path):
    audit.save(tmp_path / "audit.json")
    loaded = Audit.load(tmp_path / "audit.json")
    answers = truth(audit, data)
    assert loaded.estimate(answers).to_dict() == audit.estimate(answers).to_dict()
    assert json.loads((tmp_path / "audit.json").read_text())["fingerprint"] == audit.fingerprint
    assert json.dumps(loaded.to_dict()) == json.dumps(audit.to_dict())
    one, other = (each.expected_lengths([50]) for each in (audit, loaded))
    np.testing.assert_array_equal(one["longest"], other["longest"])


def test_damaged_files_are_rejected(audit, tmp_path):
    path = tmp_path / "audit.json"
    path.write_text("not json")
    with pytest.raises(ValueError, match="`path`.*not JSON"):
        Audit.load(path)
    damaged = {name: value for name, value in audit.to_dict().items() if name != "strata"}
    with pytest.raises(ValueError, match="damaged.*strata"):
        Audit.from_dict(damaged)
    with pytest.raises(ValueError, match="format 1; got 99"):
        Audit.from_dict(audit.to_dict() | {"format": 99})


def test_expected_lengths_shrink_and_hold_the_actual_one(audit, data):
    lengths = audit.expected_lengths([50, 100, 200, 10**6])
    assert sorted(set(lengths["size"].tolist())) == [50, 100, 200]
    of_count = lengths["measure"] == "count"
    assert np.all(np.diff(lengths["longest"][of_count]) < 0)
    assert np.all(lengths["shortest"] <= lengths["longest"])
    result = audit.estimate(truth(audit, data))
    row = of_count & (lengths["size"] == 100)
    actual = result.count.upper - result.count.lower
    # The posterior is right here.
    assert 0.7 * lengths["shortest"][row][0] < actual < 1.3 * lengths["longest"][row][0]


def test_expected_lengths_count_the_labeled_rows_that_were_drawn():
    """Half of the labels are wrong, and half of the other rows are positive: the worst case."""
    rng = np.random.default_rng(0)
    score, s = rng.normal(size=3000), (np.arange(3000) < 1000).astype(int)
    y_true = (np.arange(3000) % 2).astype(float)
    longest = {}
    for labeled_size in (0, 50):
        audit = draw_audit(
            score, None, s, 100, labeled_size=labeled_size, threshold=0.0, random_state=0
        )
        lengths = audit.expected_lengths([100])
        longest[labeled_size] = dict(zip(lengths["measure"], lengths["longest"], strict=True))
        assert np.all(lengths["shortest"] <= lengths["longest"])
    result = audit.estimate(y_true[audit.rows])
    for name in ("count", "precision", "recall", "f1"):
        found = getattr(result, name)
        assert longest[0][name] < found.upper - found.lower < 1.1 * longest[50][name]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 9}, r"`size` must be a whole number from 10 to \d+, .*unlabeled rows; got 9"),
        ({"size": 10**6}, r"`size` must be .*; got 1000000"),
        ({"size": 50.0}, r"`size` must be .*; got 50.0"),
        ({"labeled_size": 10**6}, r"`labeled_size` must be .*labeled rows; got 1000000"),
        ({"threshold": 0.5}, r"`threshold` must be None for a classifier; got 0.5"),
        ({"X": None}, r"`X` must be the rows"),
        ({"y": [1, 0]}, r"`y` must have one label for each of the 1500 rows; got 2"),
    ],
)
def test_bad_input_is_rejected(model, data, change, message):
    arguments = {"X": data.X, "y": data.s} | change
    with pytest.raises(ValueError, match=message):
        draw_audit(model, arguments.pop("X"), arguments.pop("y"), **arguments)


def test_scores_with_gaps_are_rejected(data):
    score = data.X[:, 0].copy()
    score[3] = np.nan
    with pytest.raises(ValueError, match=r"`estimator`.*finite"):
        draw_audit(score, None, data.s)


def test_two_audits_of_one_table_are_pooled(model, data, audit):
    other = draw_audit(model, data.X, data.s, size=100, random_state=9)
    one, two = audit.estimate(truth(audit, data)), other.estimate(truth(other, data))
    pooled = pool_audits([one, two])
    assert pooled.n_checked == 200
    assert pooled.count.estimate == pytest.approx((one.count.estimate + two.count.estimate) / 2)
    length = pooled.count.upper - pooled.count.lower
    assert length < 0.9 * (one.count.upper - one.count.lower)
    assert pooled.count.lower <= data.y_true.sum() <= pooled.count.upper
    assert pooled.recut(model).threshold_ != 0


@pytest.mark.parametrize("size", [100, 150, 300])
def test_independent_audits_are_pooled_if_max_rows_are_labeled(size):
    """Rows are drawn from 300 unlabeled ones, so that many are drawn twice; of 300, all."""
    rng = np.random.default_rng(0)
    score, s = rng.normal(size=1300), (np.arange(1300) < 1000).astype(int)
    y_true = np.where(s == 1, 1, rng.integers(0, 2, 1300))
    for seed in range(5):
        audits = [draw_audit(score, None, s, size, random_state=seed + k) for k in (0, 5)]
        one, other = (audit.estimate(y_true[audit.rows]) for audit in audits)
        strata = audits[0].strata
        expected = _expected_in_common(*audits)
        assert expected == pytest.approx(np.sum(strata["drawn"] ** 2 / strata["rows"]), rel=1e-3)
        assert pool_audits([one, other]).n_checked == 2 * size
        if size < 300:
            with pytest.raises(ValueError, match=f"got two with {size} rows in common"):
                pool_audits([one, one])


def test_rows_in_common_are_expected_by_the_probabilities_of_both_draws(model, data):
    """60 pairs of draws with different strata, labeled rows among them."""
    audits = [
        [
            draw_audit(model, data.X, data.s, size, labeled_size=20, random_state=seed + 500 * k)
            for k, size in enumerate((60, 130))
        ]
        for seed in range(60)
    ]
    common = [len(np.intersect1d(one.rows, other.rows)) for one, other in audits]
    error = np.std(common) / np.sqrt(len(common))
    assert abs(np.mean(common) - _expected_in_common(*audits[0])) < 4 * error


def test_audits_of_two_classifiers_are_not_pooled(data):
    """Both have no threshold of their own, and the table is the same."""
    results = []
    for k, C in enumerate((1e-4, 1e4)):
        other = LogisticRegression(C=C, class_weight={0: 1, 1: 1 + 4 * k}).fit(data.X, data.s)
        drawn = draw_audit(other, data.X, data.s, random_state=k)
        results.append(drawn.estimate(truth(drawn, data)))
    with pytest.raises(ValueError, match="one table and one classifier"):
        pool_audits(results)


@pytest.mark.filterwarnings("ignore:.PU124")
def test_audits_that_cannot_be_pooled(model, data, audit):
    result = audit.estimate(truth(audit, data))
    with pytest.raises(ValueError, match="at least two"):
        pool_audits([result])
    with pytest.raises(ValueError, match="independently; got two with 100 rows in common"):
        pool_audits([result, result])
    longer = draw_audit(model, data.X, data.s, size=130, random_state=0)  # the same seed
    with pytest.raises(ValueError, match="independently; got two with"):
        pool_audits([result, longer.estimate(truth(longer, data))])
    apart = draw_audit(model, data.X, data.s, size=130, random_state=1)
    with pytest.raises(ValueError, match=r"one level; got 0.8, 0.95"):
        pool_audits([result, apart.estimate(truth(apart, data), confidence_level=0.8)])
    other = draw_audit(EnhancedLogistic().fit(data.X, data.s), data.X, data.s, random_state=0)
    with pytest.raises(ValueError, match="one table and one classifier"):
        pool_audits([result, other.estimate(truth(other, data))])
    again = draw_audit(model, data.X, data.s, size=400, random_state=5)
    with pytest.raises(ValueError, match=r"agree on rows.* row \d+"):
        pool_audits([result, again.estimate(1 - truth(again, data))])


@pytest.mark.filterwarnings("ignore:.PU129")  # without groups, copies are doubted
def test_rows_in_groups_are_audited_without_a_test_of_scar(tmp_path):
    data = make_paper_gaussian(150, label_frequency=0.5, random_state=0)
    person = np.repeat(np.arange(150), 4)
    X, s, y_true = data.X[person], data.s[person], data.y_true[person]
    told = []
    for groups in (None, person):
        model = PULogistic(random_state=0).fit(X, s, groups=groups)
        audit = draw_audit(model, X, s, size=100, random_state=0)
        audit.save(tmp_path / "audit.json")
        audit = Audit.load(tmp_path / "audit.json")
        result = audit.estimate(y_true[audit.rows])
        assert result.count.lower <= y_true.sum() <= result.count.upper
        told.append((result.scar_test is None, "these come in groups" in str(result)))
    assert told == [(False, False), (True, True)]


def test_held_out_scores_may_be_given_and_the_model_stays_as_it_is():
    data = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
    keeps = PULogistic().fit(data.X, data.s)
    without = copy(keeps)
    del without.held_out_score_
    before = dict(vars(without))
    given = judge(without, data.X, data.s, held_out=keeps.held_out_score_)
    own = judge(keeps, data.X, data.s)
    assert vars(without).keys() == before.keys()
    np.testing.assert_array_equal(given.score, own.score)
    np.testing.assert_array_equal(given.predicted, own.predicted)
    assert given.held_out
    others = judge(without, data.X[:500], data.s[:500], held_out=keeps.held_out_score_[:500])
    np.testing.assert_allclose(others.score, keeps.positive_score(data.X[:500]))
