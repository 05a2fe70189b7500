"""The largest class prior that the labels allow."""

import numpy as np
import pytest
from scipy.stats import beta

from unlabeled import PULogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import PriorBound
from unlabeled.metrics import pu_recall_score
from unlabeled.scores import binomial_bound
from unlabeled.thresholds import scan_cuts


def drawn_cuts(rng, n, class_prior, c, gap):
    y_true = rng.random(n) < class_prior
    score = rng.normal(size=n) + gap * y_true
    return scan_cuts((y_true & (rng.random(n) < c)).astype(int), score)


@pytest.mark.parametrize("gap", [2, 8])
def test_the_bound_holds_as_often_as_it_says(gap, rng):
    class_prior, c = 0.4, 0.5
    share = class_prior * (1 - c) / (1 - class_prior * c)
    held = [
        binomial_bound(drawn_cuts(rng, 400, class_prior, c, gap), 0.1) >= share for _ in range(400)
    ]
    assert np.mean(held) > 0.9 - 3 * np.sqrt(0.09 / 400)


def test_the_bound_tends_to_the_share_where_classes_separate(rng):
    share = 0.4 * 0.5 / 0.8
    distances = [
        binomial_bound(drawn_cuts(rng, n, 0.4, 0.5, 8), 0.05) - share for n in (10**3, 10**5)
    ]
    assert 0 < distances[1] < 0.2 * distances[0]


def test_more_confidence_and_fewer_rows_loosen_it(rng):
    cuts = drawn_cuts(rng, 1000, 0.4, 0.5, 3)
    assert binomial_bound(cuts, 0.01) > binomial_bound(cuts, 0.2)
    assert binomial_bound(drawn_cuts(rng, 100, 0.4, 0.5, 3), 0.05) > binomial_bound(cuts, 0.05)


def test_two_labeled_rows_by_hand():
    # Ranks 2 and 1, four bounds of .05 each. Above rank 1 no unlabeled row, above rank 2 one.
    cuts = scan_cuts(np.isin(np.arange(100), [0, 2]).astype(int), np.arange(100.0)[::-1])
    by_hand = [
        beta.ppf(1 - 0.05, above + 1, 98 - above) / beta.ppf(0.05, rank, 3 - rank)
        for rank, above in ((1, 0), (2, 1))
    ]
    assert binomial_bound(cuts, 0.2) == pytest.approx(min(by_hand))


def test_a_score_that_says_nothing_allows_everything():
    assert binomial_bound(scan_cuts(np.arange(100) % 2, np.zeros(100)), 0.05) == 1.0


def test_the_class_prior_may_not_exceed_any_cuts_share_over_recall(golden):
    data = golden(label_frequency=0.6)
    model = PriorBound(C=np.inf, cv=None).fit(data.X, data.s)
    prediction = (data.X @ data.beta[1:] > 0).astype(int)
    rough = prediction.mean() / pu_recall_score(data.s, prediction)
    assert data.y_true.mean() < model.class_prior_ < rough + 0.1


def test_a_bad_level_is_named(golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match=r"`confidence_level` must be .*got 1"):
        PriorBound(confidence_level=1).fit(data.X, data.s)


def test_a_bound_is_no_class_prior():
    data = make_paper_gaussian(300, 0.5, random_state=0)
    with pytest.raises(ValueError, match="`class_prior` .* PriorBound, which finds a bound"):
        PULogistic(class_prior=PriorBound()).fit(data.X, data.s)
