"""The verdict: which method is enough, by differences and their standard errors."""

from __future__ import annotations

import html
import json

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from unlabeled import NaiveLogistic, PULogistic, PUThresholdClassifier
from unlabeled.comparison import Comparison, compare_methods
from unlabeled.comparison._judge import draw_splits
from unlabeled.comparison._verdict import Difference, verdict_of
from unlabeled.datasets import make_paper_gaussian

ORDER = ("naive", "naive-cut", "line")


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(1000, label_frequency=0.3, random_state=0)


@pytest.fixture(scope="module")
def models():
    return {
        "line": PULogistic(),
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), "f1_pu"),
    }


@pytest.fixture(scope="module")
def found(models, data) -> Comparison:
    return compare_methods(models, data.X, data.s, random_state=0, order=ORDER)


def of_levels(levels, error=0.01):
    """Return differences of methods that have these levels of F1_PU and label AUC."""

    def differences(method, than):
        apart = np.subtract(levels[method], levels[than])
        return [Difference(*one, error) for one in zip(("f1_pu", "label_auc"), apart, strict=True)]

    return differences


def verdict(error=0.01, **levels):
    return verdict_of(tuple(levels), of_levels(levels, error))


def test_the_label_auc_is_that_of_mann_and_whitney(data, models):
    one = compare_methods({"line": models["line"]}, data.X, data.s, n_repeats=2, random_state=0)
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=3)
    for k, (train, test) in enumerate(draw_splits(data.s.astype(float), 2, 0.3, int(seeds[-1]))):
        model = PULogistic(random_state=int(seeds[k])).fit(data.X[train], data.s[train])
        score, s = model.decision_function(data.X[test]), data.s[test]
        pairs = mannwhitneyu(score[s == 1], score[s == 0]).statistic
        expected = pairs / (s.sum() * (len(s) - s.sum()))
        assert one.values["label_auc"][0, k] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("difference", "error", "outcome"),
    [
        (0.05, 0.01, "clearly better"),
        (-0.05, 0.01, "clearly worse"),
        (0.05, 0.03, "no clear difference"),  # within two standard errors
        (0.015, 0.001, "no clear difference"),  # too small to matter
        (0.025, 0.001, "clearly better"),
        (np.nan, 0.01, "unknown"),
        (0.05, np.nan, "unknown"),
    ],
)
def test_a_difference_is_clear_beyond_two_errors_and_if_it_matters(difference, error, outcome):
    assert Difference("f1_pu", difference, error).outcome == outcome


def test_the_simplest_that_nothing_above_clearly_beats_is_not_beaten():
    assert verdict(a=(1, 0.7), b=(1.01, 0.705)).not_beaten == "a"
    assert verdict(a=(0.2, 0.7), b=(1, 0.7), c=(1.01, 0.7)).not_beaten == "b"
    assert verdict(a=(0.2, 0.7), b=(1, 0.7), c=(1, 0.75)).not_beaten == "c"
    # b is not clearly better than a, nor c than b, but c is clearly better than a.
    assert verdict(a=(0.98, 0.7), b=(0.995, 0.7), c=(1.01, 0.7)).not_beaten == "b"


def test_the_label_auc_decides_only_where_f1_pu_does_not():
    assert verdict(a=(1, 0.7), b=(0.9, 0.8)).not_beaten == "a"
    assert verdict(a=(1, 0.7), b=(0.999, 0.8)).not_beaten == "b"


@pytest.mark.parametrize(
    ("f1_pu", "auc", "error", "shown"),
    [
        (0, 0, 0.004, True),
        (0, 0, 0.006, False),  # 0.012 more of the label AUC is still possible
        (-0.05, -0.05, 0.028, True),  # not clearly worse, but hardly better
        (0.015, 0, 0.004, False),  # 0.023 more of F1_PU is still possible
        (0.5, 0.5, 1, False),  # hardly any data
        (-0.1, -0.1, 0.01, True),  # clearly worse
    ],
)
def test_a_method_is_enough_only_if_the_data_rule_out_that_another_is_better(
    f1_pu, auc, error, shown
):
    found = verdict(error, a=(1, 0.7), b=(1 + f1_pu, 0.7 + auc))
    assert found.not_beaten == "a"
    assert found.enough == ("a" if shown else None)
    assert ("is enough" in found.sentence) == shown
    assert ("cannot be told apart" in found.sentence) == (not shown)


def test_the_decisions_are_shown_by_the_gain_where_f1_pu_is_noisy():
    def differences(method, than):
        return [
            Difference("f1_pu", 0.0, 0.5),
            Difference("gain", 0.0, 0.004),
            Difference("label_auc", 0.0, 0.004),
        ]

    assert verdict_of(("a", "b"), differences).sentence == (
        "Of a and b, a is enough: b is not better by more than 0.01 of the gain or 0.01 of the "
        "label AUC, two standard errors included (gain 0.000 lower, standard error 0.004; label "
        "AUC 0.000 lower, standard error 0.004)."
    )


def test_few_rows_and_splits_do_not_recommend_the_simplest_method(models):
    few = make_paper_gaussian(200, label_frequency=0.3, random_state=0)
    found = compare_methods(models, few.X, few.s, n_repeats=3, random_state=0, order=ORDER)
    said = found.verdict()
    assert said.enough is None
    assert "cannot be told apart" in said.sentence
    assert "standard error" in said.sentence
    assert "is enough" not in str(found)
    assert not found.to_frame()["enough"].any()


def test_more_f1_pu_with_less_gain_is_only_another_cut():
    assert Difference("f1_pu", 0.3, 0.01, only_cut=True).outcome == "no clear difference"


def test_the_gain_decides_where_f1_pu_is_noisy():
    """A method that selects hardly any row has an F1_PU of almost any size."""

    def differences(method, than):
        sign = 1 if method > than else -1
        return [Difference("f1_pu", 0.8 * sign, 0.5), Difference("gain", 0.3 * sign, 0.1)]

    found = verdict_of(("a", "b"), differences)
    assert found.sentence == (
        "Of a and b, b is worth having: a is clearly worse (gain 0.300 lower, standard error "
        "0.100)."
    )


def test_two_cuts_of_one_score_are_told_from_a_better_score(data):
    """Balanced classes and nearly all positives labeled: the naive cut is a good one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 2))
    s = rng.random(2000) < 0.95 / (1 + np.exp(-2 * X[:, 0]))
    models = {
        "naive": NaiveLogistic(),
        "naive-cut": PUThresholdClassifier(NaiveLogistic(), "f1_pu"),
    }
    found = compare_methods(models, X, s, random_state=0, order=tuple(models))
    behind = found.differences("f1_pu", to="naive-cut")
    assert behind["difference"][0] < -2 * behind["error"][0]
    assert found.differences("gain", to="naive-cut")["difference"][0] > 0
    assert found.verdict().not_beaten == "naive"


def test_the_sentence_names_the_difference_and_its_error():
    said = verdict(a=(0.2, 0.7), b=(1, 0.7), c=(1, 0.695)).sentence
    assert said.startswith("b cannot be told apart from c (")
    assert "label AUC 0.005 lower, standard error 0.010" in said
    assert ", and a is clearly worse (F1_PU 80.0% lower, standard error 1.0%). More" in said
    last = verdict(a=(1, 0.7), b=(1, 0.8))
    assert str(last) == (
        "Of a and b, b is worth having: a is clearly worse (label AUC 0.100 lower, standard error "
        "0.010)."
    )
    worse = verdict(a=(1, 0.8), b=(1, 0.7))
    assert str(worse).startswith("Of a and b, a is enough: b is clearly worse (label AUC 0.100 low")


def test_of_several_more_complex_methods_the_best_is_named():
    levels = {"a": (1, 0.7), "b": (1, 0.705), "c": (1, 0.6)}
    assert verdict(0.01, **levels).sentence.startswith("a cannot be told apart from b (F1_PU")
    sure = verdict(0.001, **levels).sentence
    assert sure.startswith(
        "Of a, b and c, a is enough: the best of the more complex methods, b, is"
    )
    worse = verdict(0.001, a=(1, 0.7), b=(0.9, 0.6), c=(0.95, 0.6)).sentence
    assert "every more complex method is clearly worse (the best, c: " in worse
    unsure = verdict(0.1, **levels).sentence
    assert unsure.startswith("a cannot be told apart from b and c (the best, b: ")


def test_a_method_without_numbers_is_passed_over():
    levels = {"a": (np.nan, np.nan), "b": (0.2, 0.7), "c": (1, 0.7)}
    assert verdict(**levels).enough == "c"
    nothing = verdict_of(("a", "b"), of_levels(levels))
    assert nothing.enough is None
    assert nothing.sentence.startswith("No verdict")


def test_the_verdict_rests_on_the_paired_differences(found):
    said = found.verdict()
    assert said.order == ORDER
    first = said.steps[0]
    assert (first.method, first.than, first.outcome) == ("naive-cut", "naive", "clearly better")
    paired, k = found.differences("f1_pu", to="naive"), found.names.index("naive-cut")
    best = found.mean("f1_pu").max()
    assert first.by[0].difference == pytest.approx(paired["difference"][k] / best)
    assert first.by[0].error == pytest.approx(paired["error"][k] / best)
    assert said.not_beaten == "naive-cut"


def test_it_is_in_the_record_the_frame_the_text_and_the_reading(found):
    sentence = found.verdict().sentence
    record = found.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["verdict"]["not_beaten"] == "naive-cut"
    assert record["verdict"]["enough"] == found.verdict().enough
    assert record["verdict"]["sentence"] == sentence
    assert [one["than"] for one in record["verdict"]["steps"]] == ["naive", "naive-cut"]
    of_frame = [name == found.verdict().enough for name in found.names]
    assert found.to_frame()["enough"].tolist() == of_frame
    assert sentence in str(found)
    assert sentence in found.reading()
    assert html.escape(sentence) in found._repr_html_()


def test_without_an_order_there_is_none(models, data):
    found = compare_methods(models, data.X, data.s, n_repeats=2, random_state=0)
    assert found.to_dict()["verdict"] is None
    assert "enough" not in found.to_frame()
    assert "enough" not in str(found)
    with pytest.raises(ValueError, match=r"`order` must be .*'line', 'naive', .*got \(\)"):
        found.verdict()


@pytest.mark.parametrize("order", [["naive"], ["naive", "x"], ["naive", "naive"], "naive"])
def test_an_order_that_cannot_be_used_is_rejected(found, models, data, order):
    with pytest.raises(ValueError, match="`order` must be at least two different methods"):
        found.verdict(order)
    with pytest.raises(ValueError, match="`order` must be at least two different methods"):
        compare_methods(models, data.X, data.s, order=order)
