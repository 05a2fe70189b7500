"""A small part of the coverage studies, as a guard; `make coverage` runs all of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.coverage.intervals import measure
from benchmarks.coverage.scar import measure as measure_scar
from unlabeled import EnhancedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import bootstrap

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning"),
]

SAMPLES = 300


def allowed(rate, n_samples):
    """Return the range of counts that an event of this rate stays in, 999 times of 1000."""
    return stats.binom.ppf([0.0005, 0.9995], n_samples, rate)


@pytest.fixture(scope="module", params=[("paper", 0.3), ("skewed", 0.6)], ids=str)
def records(request):
    design, c = request.param
    return [measure(seed, design=design, n=2000, c=c) for seed in range(SAMPLES)]


@pytest.mark.parametrize(
    "interval",
    ["naive.x1", "naive.intercept", "joint_sandwich.x1", "c_profile_covers", "class_prior_covers"],
)
def test_intervals_hold_the_truth_as_often_as_they_say(interval, records):
    held = sum(record[interval] for record in records)
    # Some intervals are a little short at this size: a coverage of .93 is accepted.
    assert allowed(0.93, SAMPLES)[0] <= held <= allowed(0.955, SAMPLES)[1]


def test_the_rule_s_recall_and_share_are_held_by_their_intervals():
    held = {"recall": 0, "share": 0}
    apparent = 0
    for seed in range(100):
        data = make_paper_gaussian(1000, label_frequency=0.6, random_state=seed)
        model = EnhancedLogistic().fit(data.X, data.s)
        found = bootstrap(model, data.X, data.s, n_resamples=60, random_state=seed)
        # The rule's score is normal in the population, as the index is, but not the index itself.
        fresh = make_paper_gaussian(100_000, label_frequency=0.6, random_state=10_000 + seed)
        positive = model.predict(fresh.X) == 1
        truth = {"recall": positive[fresh.y_true == 1].mean(), "share": positive.mean()}
        for name in held:
            interval = found.interval(name)
            held[name] += interval.lower <= truth[name] <= interval.upper
        own = (model.predict(data.X) == 1)[data.s == 1].mean()
        half = 1.96 * np.sqrt(own * (1 - own) / data.s.sum())
        apparent += abs(own - truth["recall"]) <= half
    for name, count in held.items():
        assert allowed(0.94, 100)[0] <= count, (name, count)
    assert apparent < held["recall"]  # the binomial interval of the training rows is too short


def test_the_scar_test_rejects_honest_labels_at_its_level_and_others_more_often():
    cell = {"design": "paper", "n": 1000, "c": 0.6}
    honest = [measure_scar(seed, mechanism="scar", **cell)["p_value"] for seed in range(150)]
    assert np.sum(np.array(honest) <= 0.05) <= allowed(0.06, 150)[1]
    cell = {"design": "paper", "n": 3000, "c": 0.3}
    biased = [measure_scar(seed, mechanism="x1:1.5", **cell)["p_value"] for seed in range(10)]
    assert np.sum(np.array(biased) <= 0.05) >= 7
