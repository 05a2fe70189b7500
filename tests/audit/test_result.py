"""Missing answers, other measures, curves and words."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from unlabeled import PULogistic, rates
from unlabeled.audit import Audit, draw_audit, pool_audits
from unlabeled.audit._words import _share
from unlabeled.codes import PUWarning, ignore_codes
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


@pytest.fixture(scope="module")
def answers(audit, data):
    return data.y_true[audit.rows].astype(float)


def test_answers_come_as_numbers_booleans_or_gaps(audit, answers):
    wanted = audit.estimate(answers).count
    assert audit.estimate(answers.astype(bool)).count == wanted
    assert audit.estimate(pd.Series(answers.astype(int), dtype="Int64")).count == wanted
    holes = [None if k < 5 else one for k, one in enumerate(answers.tolist())]
    as_nan = np.where(np.arange(100) < 5, np.nan, answers)
    in_pandas = pd.Series(as_nan).astype("Int64")
    found = [audit.estimate(one) for one in (holes, as_nan, in_pandas)]
    assert {one.n_missing for one in found} == {5}
    assert {one.count for one in found} == {found[0].count}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([1, 0], "one entry for each of the 100 drawn rows.*got 2"),
        ([np.nan] * 100, "at least one answer.*got none"),
        ([2] * 100, "1 for positive, 0 for negative.*got 2"),
        (["yes"] * 100, "got 'yes'"),
        (["1"] * 100, "got '1'"),
        ([0.5] * 100, "got 0.5"),
    ],
)
def test_other_answers_are_rejected(audit, answers, message):
    with pytest.raises(ValueError, match=message):
        audit.estimate(answers)


def test_swapped_answers_warn_and_right_ones_do_not(audit, answers):
    with pytest.warns(PUWarning, match=r"PU124.*may be swapped"):
        swapped = audit.estimate(1 - answers)
    assert swapped.swapped_p_value < 0.001
    assert audit.estimate(answers).swapped_p_value > 0.99
    positive, negative = audit.score[answers == 0], audit.score[answers == 1]
    by_hand = stats.mannwhitneyu(positive, negative, alternative="less").pvalue
    assert swapped.swapped_p_value == by_hand
    with pytest.warns(PUWarning, match=r"PU110.*audited cut, by the rule f1, predicts every row"):
        assert swapped.choose_cut("f1").predicts_all
    with ignore_codes("PU124"):
        assert audit.estimate(np.ones(len(answers))).swapped_p_value is None


@pytest.mark.parametrize(
    ("tells", "n_draws", "fewest", "most"),
    [(0.0, 1000, 0.01, 0.01), (0.5, 200, 0.0, 0.0), (-1.0, 200, 0.95, 1.0)],
)
def test_answers_are_said_to_be_swapped_in_one_of_a_hundred_audits_at_most(
    tells, n_draws, fewest, most
):
    """Answers that the score does not tell, that it tells, and the swapped ones of a good score.

    The Monte-Carlo error of a rate of .01 in 1000 audits is .003.
    """
    rng, alarms = np.random.default_rng(7), 0
    for seed in range(n_draws):
        score = rng.normal(size=300)
        drawn = draw_audit(score, None, None, size=60, threshold=0.5, random_state=seed)
        answers = rng.random(60) < 1 / (1 + np.exp(1 - 2 * tells * drawn.score))
        with ignore_codes("PU124"):
            alarms += drawn.estimate(answers).swapped_p_value <= 0.01
    low, high = (3 * np.sqrt(rate * (1 - rate) / n_draws) for rate in (fewest, most))
    assert fewest - low <= alarms / n_draws <= most + high


def test_missing_answers_are_missing_at_random_within_strata(audit, answers):
    some = answers.copy()
    for stratum in range(len(audit.strata["rows"])):
        inside = np.flatnonzero(audit.stratum == stratum)
        some[inside[answers[inside] == answers[inside][0]][0]] = np.nan
    found = audit.estimate(some)
    by_hand = audit.table.n_labeled + sum(
        n * np.nanmean(some[audit.stratum == h]) for h, n in enumerate(audit.strata["rows"])
    )
    assert found.count.estimate == pytest.approx(by_hand)


def test_the_range_holds_whatever_the_missing_answers_are(audit, answers):
    some = answers.copy()
    some[:12] = np.nan
    found = audit.estimate(some)
    for filled in (0.0, 1.0):
        full = audit.estimate(np.where(np.isnan(some), filled, some))
        for name in ("count", "precision", "recall", "f1"):
            inner, outer = getattr(full, name), found.range[name]
            assert outer.lower <= inner.lower
            assert inner.upper <= outer.upper
    assert found.range["count"].upper - found.range["count"].lower > (
        found.count.upper - found.count.lower
    )
    whole = audit.estimate(answers)
    assert whole.range["count"] == whole.count


def test_at_another_cut_too_a_range_holds_whatever_the_missing_answers_are(audit, answers):
    threshold = float(np.quantile(audit.score, 0.3))
    some = answers.copy()
    some[:12] = np.nan
    found, above = audit.estimate(some), audit.score > threshold
    for name in ("precision", "recall", "f1"):
        outer = found.measure_range(name, threshold)
        assert outer.estimate == found.measure(name, threshold).estimate
        for high, low in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)):
            filled = np.where(np.isnan(some), np.where(above, high, low), some)
            inner = audit.estimate(filled).measure(name, threshold)
            assert outer.lower <= inner.lower
            assert inner.upper <= outer.upper
    whole = audit.estimate(answers)
    assert whole.measure_range("f1", threshold) == whole.measure("f1", threshold)


def test_with_missing_answers_only_intervals_that_hold_without_them_are_claimed(audit, answers):
    """Fifteen answers of a hundred; the interval that takes the others to be alike is named so."""
    some = np.where(np.arange(100) < 15, answers, np.nan)
    found = audit.estimate(some)
    said, wide = str(found), found.range["count"]
    assert wide.upper - wide.lower > 1.2 * (found.count.upper - found.count.lower)
    lines = {line.split("  ")[0]: line for line in said.splitlines()}
    for name, title in (("precision", "precision"), ("recall", "recall"), ("f1", "F1")):
        ends = found.range[name]
        assert lines[title].endswith(f"{ends.lower:.3f} to {ends.upper:.3f}")
    wide_ends, alike = (
        f"{one.lower:,.0f} to {one.upper:,.0f}".replace(",", " ") for one in (wide, found.count)
    )
    assert lines["positives in the table"].endswith(wide_ends)
    assert wide_ends in found.verdict
    assert f"are like the others with similar scores, {alike} rows are positive" in said
    assert said.count(alike) == 1


def test_without_missing_answers_nothing_is_said_about_them(audit, answers):
    assert "missing" not in str(audit.estimate(answers))
    assert "whatever the missing answer is" in str(audit.estimate([None, *answers[1:]]))


def test_the_range_holds_other_completions_up_to_a_few_thousandths(audit, answers):
    rng = np.random.default_rng(0)
    some = answers.copy()
    some[:12] = np.nan
    found = audit.estimate(some).range
    slack = {"count": 0.005 * audit.table.n_rows, "precision": 0.005, "recall": 0.005, "f1": 0.005}
    for _ in range(20):
        filled = np.where(np.isnan(some), rng.integers(0, 2, len(some)), some)
        full = audit.estimate(filled)
        for name, allowed in slack.items():
            inner = getattr(full, name)
            assert found[name].lower - allowed <= inner.lower
            assert inner.upper <= found[name].upper + allowed


def test_a_side_without_answers_is_unknown_from_none_to_all(audit, answers):
    predicted = audit.strata["predicted"][audit.stratum]
    found = audit.estimate(np.where(predicted, np.nan, answers))
    n_above = audit.strata["rows"][audit.strata["predicted"]].sum()
    assert found.count.upper - found.count.lower >= n_above
    assert found.precision.upper == pytest.approx(1)


def test_a_stratum_without_answers_is_unknown_from_none_to_all(audit, answers):
    """It has neighbors on its side of the cut, but their share need not be its share."""
    assert not audit.strata["predicted"][:2].any()
    some = np.where(audit.stratum == 0, np.nan, answers)
    found, n = audit.estimate(some).count, audit.strata["rows"][0]
    ends = [audit.estimate(np.where(np.isnan(some), one, some)).count.estimate for one in (0, 1)]
    assert found.estimate == pytest.approx(np.mean(ends))
    assert found.upper - found.lower >= n
    one = np.flatnonzero(audit.stratum == 0)[0]
    some[one] = 1.0
    again = audit.estimate(some).count
    assert again.upper == found.upper
    assert again.lower == found.lower + 1  # this one positive was seen


def test_a_part_of_a_stratum_does_not_take_the_share_of_another_stratum():
    """40 rows above the cut, all positive; 1960 below it, all negative; another cut at row 80.

    The next 40 rows have an answer or none. Precision there is .5.
    """
    score, y_true = -np.arange(2000.0), (np.arange(2000) < 40).astype(float)
    without = 0
    for seed in range(20):
        audit = draw_audit(score, None, size=30, threshold=-39.5, random_state=seed)
        found = audit.estimate(y_true[audit.rows]).measure("precision", threshold=-79.5)
        assert found.lower <= 0.5 <= found.upper
        if np.sum((audit.rows >= 40) & (audit.rows < 80)) < 2:
            without += 1
            # By the stratum that the 40 rows belong to, none of them is positive.
            assert found.estimate == 0.5
            assert found.lower < 0.5
            assert found.upper >= 1 - 1 / 80
    assert without > 5


def test_measures_at_the_judged_cut_are_the_headlines(audit, answers, model):
    result = audit.estimate(answers)
    at_cut = result.measure("precision", threshold=model.threshold_)
    assert at_cut.estimate == pytest.approx(result.precision.estimate)
    assert at_cut.lower == result.precision.lower
    assert at_cut.upper == result.precision.upper
    by_function = result.measure(rates.f1)
    assert by_function.estimate == result.f1.estimate
    for name in ("balanced_accuracy", "mcc", "accuracy"):
        found = result.measure(name)
        assert found.lower < found.estimate < found.upper
    with pytest.raises(ValueError, match="`measure` must be one of count, .*; got 'auc'"):
        result.measure("auc")


def test_intervals_at_other_cuts_cover(model, data):
    """100 audits at a cut that no stratum ends at; the Monte-Carlo error at .95 is .022."""
    score = model.positive_score(data.X)
    threshold, inside = np.quantile(score, 0.7), {"precision": 0, "recall": 0, "mcc": 0}
    for seed in range(100):
        audit = draw_audit(model, data.X, data.s, size=100, random_state=seed)
        above = score > audit.table.at_cut(threshold)[0]
        recall = data.y_true[above].sum() / data.y_true.sum()
        rest = above.mean(), data.y_true.mean()
        truth = {"recall": recall, "precision": rates.precision(recall, *rest)}
        truth["mcc"] = rates.mcc(recall, *rest)
        result = audit.estimate(data.y_true[audit.rows])
        for name, value in truth.items():
            found = result.measure(name, threshold)
            inside[name] += found.lower <= value <= found.upper
    assert min(inside.values()) / 100 > 0.95 - 3 * 0.022


def test_a_curve_has_a_row_per_cut(audit, answers):
    curve = audit.estimate(answers).curve("recall", most=15)
    assert len(curve["threshold"]) <= 15
    assert np.all(np.diff(curve["threshold"]) < 0)
    assert np.all(np.diff(curve["share"]) >= 0)
    assert np.all(curve["lower"] <= curve["estimate"])
    assert np.all(curve["estimate"] <= curve["upper"])
    assert curve["estimate"][-1] == pytest.approx(1)


def test_verdicts_say_which_side(audit, answers, data):
    right = audit.estimate(answers)
    assert "agree" in right.verdict
    few = audit.estimate(np.zeros(100))
    assert "too many" in few.verdict
    many = audit.estimate(np.ones(100))
    assert "too few" in many.verdict
    assert "too low" in many.verdict


def test_a_dictionary_for_files(audit, answers):
    found = audit.estimate(answers).to_dict()
    assert found["count"]["lower"] <= found["count"]["estimate"] <= found["count"]["upper"]
    assert found["checked"] == 100
    assert found["scar"]["p_value"] > 0
    assert set(found["claimed"]) == {"count", "class_prior", "precision", "recall", "f1"}


def test_of_pooled_audits_it_says_which_positives_the_scar_test_used(model, data, audit, answers):
    other = draw_audit(model, data.X, data.s, size=30, random_state=1)
    second = other.estimate(data.y_true[other.rows])
    first = audit.estimate(answers)
    pooled = pool_audits([second, first])
    used = int(answers.sum())
    both = np.union1d(audit.rows[answers == 1], other.rows[data.y_true[other.rows] == 1])
    assert pooled.scar_test == first.scar_test
    words = f"one of the 2 audits, the one with the most positives: {used} of the {len(both)} that"
    assert words in str(pooled)
    assert words in pooled.to_dict()["scar"]["sentence"]
    assert first.to_dict()["scar"]["sentence"] == str(first.scar_test)
    assert str(first.scar_test) in str(first)


def test_no_scar_test_with_few_positives(audit):
    assert audit.estimate(np.zeros(100)).scar_test is None


@pytest.mark.filterwarnings("ignore:.PU124")  # this feature falls with the class
def test_the_scar_test_where_every_unlabeled_row_is_predicted_alike(data):
    """Labeled rows lie above the cut, and no unlabeled row does."""
    score = np.where(data.s == 1, 10 + data.X[:, 0], data.X[:, 0])
    audit = draw_audit(score, None, data.s, size=100, threshold=5.0, random_state=0)
    test = audit.estimate(data.y_true[audit.rows]).scar_test
    assert test.n_labeled == data.s.sum()
    assert test.p_value < 0.01


@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_one_answer_or_one_kind_of_answers_gives_numbers(audit, answer):
    for answers in (np.full(100, answer), np.where(np.arange(100) == 3, answer, np.nan)):
        result = audit.estimate(answers)
        for name in ("count", "precision", "recall", "f1", "balanced_accuracy", "mcc", "accuracy"):
            found = result.measure(name)
            assert np.isfinite([found.estimate, found.lower, found.upper]).all()
            assert found.lower <= found.estimate <= found.upper
            if name != "count":
                assert found.upper <= 1


def test_recall_of_new_rows_without_a_positive_answer_is_unknown():
    score = np.random.default_rng(0).normal(size=2000)
    audit = draw_audit(score, None, size=100, threshold=1.0, random_state=0)
    result = audit.estimate(np.zeros(100))
    assert (result.recall.lower, result.recall.upper) == (0, 1)
    assert result.measure("mcc").upper > 0.05
    assert result.f1.upper > 0.1


@pytest.mark.filterwarnings("ignore:.PU124")  # this feature falls with the class
def test_without_a_cut_only_the_count_is_known(data):
    score = data.X[:, 0]
    audit = draw_audit(score, None, data.s, size=80, random_state=0)
    result = audit.estimate(data.y_true[audit.rows])
    with pytest.raises(ValueError, match="`threshold` must be given for 'recall'"):
        result.measure("recall")
    assert 0 < result.measure("recall", threshold=0.0).estimate < 1


def test_answers_with_the_index_of_other_rows_are_rejected():
    data = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
    order = np.random.default_rng(0).permutation(600)
    X = pd.DataFrame(data.X, index=order)
    truth = pd.Series(data.y_true, index=order)
    audit = draw_audit(PULogistic().fit(X, data.s), X, data.s, size=60, random_state=0)
    np.testing.assert_array_equal(audit.index, order[audit.rows])
    right = audit.estimate(truth.iloc[audit.rows])
    assert right.count == audit.estimate(truth.iloc[audit.rows].reset_index(drop=True)).count
    assert right.count == audit.estimate(data.y_true[audit.rows]).count
    for wrong in (truth[audit.rows], truth.iloc[audit.rows[::-1]]):
        for one in (audit, Audit.from_dict(json.loads(json.dumps(audit.to_dict())))):
            with pytest.raises(ValueError, match=r"index of other rows.*\.iloc\[audit\.rows\]"):
                one.estimate(wrong)


@pytest.mark.parametrize(
    ("index", "kept"),
    [
        (pd.Index([f"r{i}" for i in range(300)]), True),
        (pd.date_range("2026", periods=300, unit="ns"), False),
    ],
)
def test_a_saved_audit_keeps_an_index_of_numbers_or_text(index, kept):
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    audit = draw_audit(pd.Series(data.X[:, 0], index=index), None, size=50, random_state=0)
    read = Audit.from_dict(json.loads(json.dumps(audit.to_dict())))
    assert (read.index is not None) == kept
    truth = pd.Series(data.y_true, index=index)
    assert (
        read.estimate(truth.iloc[read.rows]).count == audit.estimate(truth.iloc[audit.rows]).count
    )


def test_without_a_frame_answers_may_have_any_index():
    data = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
    audit = draw_audit(PULogistic().fit(data.X, data.s), data.X, data.s, random_state=0)
    assert audit.index is None
    found = data.y_true[audit.rows]
    assert audit.estimate(pd.Series(found, index=audit.rows)).count == audit.estimate(found).count


@pytest.fixture(scope="module")
def with_labels(model, data):
    """An audit of labels too, of which every fourth is said to be wrong; and the truth."""
    truth = np.where((data.s == 1) & (np.arange(len(data.s)) % 4 == 0), 0, data.y_true)
    return draw_audit(model, data.X, data.s, size=40, labeled_size=60, random_state=1), truth


def test_the_share_of_wrong_labels_is_that_of_the_labeled_rows_alone(with_labels, data, audit):
    """Unlabeled rows have no part in it; without labeled rows there is none."""
    drawn, truth = with_labels
    found = drawn.estimate(truth[drawn.rows]).wrong_labels
    labeled = data.s[drawn.rows] == 1
    assert found.estimate == pytest.approx(1 - truth[drawn.rows][labeled].mean(), abs=0.03)
    other = np.where(labeled, truth[drawn.rows], 0)
    assert drawn.estimate(other).wrong_labels == found
    assert audit.estimate(truth[audit.rows]).wrong_labels is None
    all_right = drawn.estimate(np.where(labeled, 1, truth[drawn.rows]))
    right = all_right.wrong_labels
    assert (right.estimate, right.lower) == (0, 0)
    assert 0 < right.upper < 0.1
    said = f"All 60 labeled rows that were checked are positive, so at most {right.upper:.1%} of"
    assert said in str(all_right)


def test_the_interval_of_wrong_labels_holds_their_share(model, data):
    """Of 200 draws; the Monte-Carlo error of .95 is .015."""
    rng = np.random.default_rng(0)
    truth = np.where((data.s == 1) & (rng.random(len(data.s)) < 0.1), 0, data.y_true)
    share, held = 1 - truth[data.s == 1].mean(), 0
    for seed in range(200):
        drawn = draw_audit(model, data.X, data.s, size=10, labeled_size=30, random_state=seed)
        with ignore_codes("PU124"):
            held += share in drawn.estimate(truth[drawn.rows]).wrong_labels
    assert held >= 200 * (0.95 - 3 * 0.0155)


def test_missing_answers_about_labels_widen_the_share_of_wrong_ones(with_labels, data):
    drawn, truth = with_labels
    answers = truth[drawn.rows].astype(float)
    (some,) = (np.flatnonzero(data.s[drawn.rows] == 1)[:10],)
    holes = answers.copy()
    holes[some] = np.nan
    wide = drawn.estimate(holes).wrong_labels
    for fill in (0.0, 1.0):
        whole = answers.copy()
        whole[some] = fill
        one = drawn.estimate(whole).wrong_labels
        assert wide.lower <= one.lower
        assert one.upper <= wide.upper
    assert "labeled rows that were checked" in str(drawn.estimate(holes))


@pytest.mark.parametrize(
    ("above", "below", "names", "why"),
    [
        (0, 0, ("count", "precision"), "No checked row is positive, so the number of positives, "),
        (1, 1, ("count", "precision"), "Every checked row is positive, so "),
        (1, 0, ("precision", "f1"), "Every checked row above the cut is positive, and none below"),
        (1, None, ("precision",), "Every checked row above the cut is positive, so precision is "),
        (0, None, ("precision",), "No checked row above the cut is positive, so precision is at "),
        (None, None, (), None),
    ],
)
def test_an_estimate_at_the_end_of_its_interval_is_explained(
    audit, answers, above, below, names, why
):
    is_above = audit.strata["predicted"][audit.stratum]
    mixed = np.arange(len(answers)) % 2
    given = np.where(is_above, mixed if above is None else above, mixed if below is None else below)
    with ignore_codes("PU124"):
        result = audit.estimate(given)
    said = result.to_dict()["ends"]
    at_end = {name for name, one in result.range.items() if one.estimate in (one.lower, one.upper)}
    assert set(names) <= at_end
    assert len(said) == bool(at_end)
    if why is not None:
        assert said[0].startswith(why)
        assert said[0] in str(result)
        assert ("F1" in said[0]) == ("f1" in at_end)
        assert ("their share" in said[0]) == ("class_prior" in at_end)


def test_labeled_rows_that_were_all_checked_explain_nothing(model, data):
    """They have no part in the interval: no unlabeled row is positive."""
    n_labeled = int(data.s.sum())
    drawn = draw_audit(model, data.X, data.s, 20, labeled_size=n_labeled, random_state=0)
    result = drawn.estimate(data.s[drawn.rows])
    assert result.count.estimate == result.count.lower == n_labeled < result.count.upper
    (why,) = result.to_dict()["ends"]
    assert why.startswith("No checked unlabeled row is positive, so the number of positives, ")


def test_a_small_share_has_two_digits_that_tell_it_from_the_end_of_its_interval():
    assert [_share(value) for value in (0, 0.00241, 0.0099, 0.01, 0.5, 1)] == [
        "0.000", "0.0024", "0.0099", "0.010", "0.500", "1.000",
    ]  # fmt: skip
