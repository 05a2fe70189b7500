"""The ensemble beside the line, a forest, the true class prior and the true classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from time import process_time
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score

from reproduction.studies import Cell
from reproduction.studies.draw import TEN_LABELS, Sample, draw_sample, seed_of
from reproduction.studies.plan import Task
from unlabeled import PUEnsemble, PUThresholdClassifier
from unlabeled.datasets import DATASET_NAMES
from unlabeled.scores import ScoreProfile, bounded_logit
from unlabeled.thresholds import (
    Cuts,
    choose_cut,
    count_above,
    get_rule,
    shrink_recall,
    with_enough_labeled,
)

from ..study import Key, Records, repeated

TEN, TRUTH = 0.0, 1.0
"""Marks in the column c: ten labeled rows, and the true classes in place of the labels."""

FREQUENCIES = (0.1, 0.3, 0.5, 0.9)
REPEATS = 20
REPEATS_OF_MARKS = 10
"""Repeats with ten labeled rows, and with the true classes."""

RULES: dict[str, Callable[..., float]] = {
    "f1": f1_score,
    "balanced_accuracy": balanced_accuracy_score,
}
"""The rules that choose a cut, and how test rows judge it."""

FOREST = ExtraTreesClassifier(100, min_samples_leaf=5, bootstrap=True, oob_score=True)
"""The forest of the field page."""


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Fit to one split of the field page; judge every cut on its test rows.

    One fit serves both rules: the rule only chooses among the cuts.
    """
    sample, s = draw(dataset, c, repeat)
    seed = seed_of("ensemble", dataset, repeat)
    prior = float(sample.y_true.mean())
    given = {"class_prior": prior} if c == TRUTH else {}
    started = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PUEnsemble(random_state=seed, **given).fit(sample.X, s)
        seconds = process_time() - started
        forest = _forest(seed).fit(sample.X, s)
        told = with_prior(model, s, prior)
    line = model.members_["line"]
    score = model.positive_score(sample.X_test)
    found = {
        **judged("ensemble", model.cuts_, model.class_prior_, score, sample),
        **judged("told", told, prior, score, sample),
        **judged("line", line.cuts_, line.class_prior_, line.positive_score(sample.X_test), sample),
        **judged(
            "forest",
            forest.cuts_,
            forest.class_prior_,
            forest.positive_score(sample.X_test),
            sample,
        ),
        "ensemble_auc": float(roc_auc_score(sample.y_test, score)),
        "line_auc": float(roc_auc_score(sample.y_test, line.positive_score(sample.X_test))),
        "class_prior": prior,
        "ensemble_class_prior": model.class_prior_,
        "line_class_prior": line.class_prior_,
        "log_likelihood": model.log_likelihood_,
        "seconds": seconds,
    }
    for name in model.members_:
        found[f"{name}_weight"] = model.member_weights_[name]
        found[f"{name}_probability"] = model.member_probabilities_[name]
        found[f"{name}_log_likelihood"] = model.member_log_likelihoods_[name]
        found[f"{name}_says"] = model.member_class_priors_[name]
    settings = model.member_settings_
    found["trees_leaf"] = settings["trees"]["min_samples_leaf"]
    found["boosting_leaves"] = settings["boosting"]["max_leaf_nodes"]
    found["boosting_trees"] = settings["boosting"]["max_iter"]
    return found


def draw(dataset: str, c: float, repeat: int) -> tuple[Sample, np.ndarray]:
    """Draw the split and the labels of the field page, of its ten labels, or the true classes."""
    if c == TEN:
        task = Task("ten_labels", Cell(dataset, TEN_LABELS, 0, 0.0), repeat)
    else:
        task = Task("real", Cell(dataset, "scar", 0, 0.5 if c == TRUTH else c), repeat)
    sample = draw_sample(task)
    return sample, sample.y_true if c == TRUTH else sample.s


def with_prior(model: PUEnsemble, s: np.ndarray, prior: float) -> Cuts:
    """Return the cuts that the model would have if it had been told a class prior."""
    score = model.held_out_score_
    frequency = min(1.0, float(s.mean()) / prior)
    place = bounded_logit(score, frequency)
    line = ScoreProfile.of(place, s, None).calibrated_line(prior)
    return shrink_recall(count_above(score, s), score, expit(line.logit(place)))


def judged(
    name: str, cuts: Cuts, prior: float, score: np.ndarray, sample: Sample
) -> dict[str, float]:
    """Judge the best cut by each rule on the test rows."""
    found = {}
    for rule, judge in RULES.items():
        chosen = choose_cut(cuts, with_enough_labeled(get_rule(rule), cuts.labeled[-1]), prior)
        found[f"{name}_{rule}"] = float(judge(sample.y_test, score > chosen.threshold))
    return found


def _forest(seed: int) -> Any:
    forest = clone(FOREST).set_params(random_state=seed)
    return PUThresholdClassifier(forest, "f1_pu", cv="oob")


def keys() -> list[Key]:
    """Return every cell, repeat by repeat; cells of the marks have fewer."""
    cells = repeated(list(product(DATASET_NAMES, (*FREQUENCIES, TEN, TRUTH))), REPEATS)
    return [key for key in cells if key[1] in FREQUENCIES or key[2] < REPEATS_OF_MARKS]


RECORDS = Records("nine_sets.csv", ("dataset", "c", "repeat"), measure, keys)
