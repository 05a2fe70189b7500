"""What answers add to a score: ranking, cut, class prior and interval, judged on unchecked rows."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.metrics import f1_score, roc_auc_score

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic
from unlabeled.audit import chosen_beforehand
from unlabeled.scores import (
    Answered,
    Columns,
    Decision,
    PriorDensity,
    ResolvedPrior,
    ScoredRows,
    fit_answers,
)
from unlabeled.thresholds import get_rule

from ..study import Key, Records
from .scores import SCORES, SIZES, n_answers, said_by_labels
from .tables import HARD_LABELINGS, Table, draw_table, tables

REPEATS = 20
HARD_REPEATS = 10
PRINCIPAL = "ensemble"
"""The score beside which `PULogistic` with the same answers stands, and that of harder tables."""

RULE = "f1"
TENTHS = 10
WRONG_SHARE = 0.05
_INSIDE, _LEAST_PROPENSITY = 1e-12, 1e-3

WAYS = {
    "random": "rows at random",
    "audit": "rows of an audit",
    "top": "the top of the list",
    "wrong": "5 % of the answers wrong",
}
"""How rows are chosen. The first two take turns, and so do they under wrong answers."""


class Judged(NamedTuple):
    """What a classifier says of a table: held-out scores, decisions, and a class prior."""

    score: np.ndarray
    missed: np.ndarray
    positive: np.ndarray
    class_prior: float
    lower: float = np.nan
    upper: float = np.nan

    def on(self, name: str, table: Table, unchecked: np.ndarray) -> dict[str, float]:
        """Return AUC and F1 on unchecked rows, AUC on those without a label, and the prior."""
        hidden, y = unchecked & (table.s == 0), table.y_true[unchecked]
        weight = standing_for_all(table.s, unchecked)
        f1 = f1_score(y, self.positive[unchecked], zero_division=0, sample_weight=weight)
        return {
            f"{name}_auc": auc(y, self.score[unchecked], weight),
            f"{name}_hidden_auc": auc(table.y_true[hidden], self.missed[hidden]),
            f"{name}_f1": float(f1),
            f"{name}_prior": self.class_prior,
        } | ({} if np.isnan(self.lower) else self.interval(name))

    def interval(self, name: str) -> dict[str, float]:
        """Return the limits of the class prior."""
        return {f"{name}_lower": self.lower, f"{name}_upper": self.upper}


def auc(y_true: np.ndarray, score: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the AUC; NaN if there is one class only."""
    if not 0 < y_true.sum() < len(y_true):
        return float("nan")
    return float(roc_auc_score(y_true, score, sample_weight=weight))


def standing_for_all(s: np.ndarray, unchecked: np.ndarray) -> np.ndarray:
    """Return weights of the unchecked rows: unlabeled ones also stand for the checked ones.

    Without them labeled rows would be too many where a good part of a small table was checked.
    """
    share = np.mean(unchecked[s == 0])
    return np.where(s[unchecked] == 1, 1.0, 1 / share)


def alternating(repeat: int, size: int) -> str:
    """Return how rows are chosen: one way in one half of the draws, the other in the other."""
    return ("random", "audit")[(repeat + SIZES.index(size)) % 2]


def rows_to_check(
    said: dict[str, np.ndarray], s: np.ndarray, size: int, way: str, seed: int
) -> np.ndarray:
    """Return the positions of the rows that are checked."""
    if way == "audit":
        return said[f"audit_{size}"]
    unlabeled, number = np.flatnonzero(s == 0), n_answers(s, size)
    if way == "top":
        return unlabeled[np.argsort(-said["score"][unlabeled], kind="stable")[:number]]
    return np.random.default_rng(seed).choice(unlabeled, number, replace=False)


def answered_by(
    table: Table, said: dict[str, np.ndarray], checked: np.ndarray
) -> tuple[Answered, Judged]:
    """Use the answers as classifiers do in `fit`, on a score that was held out before."""
    s = table.s.astype(np.float64)
    density = PriorDensity(*said["density"], float(len(s)), {}, said["profile"])
    prior = ResolvedPrior(float(said["class_prior"][0]), density)
    scored = ScoredRows(said["label_logit"], s, checked=checked)
    found = fit_answers(scored, Columns().of_fit(table.X, s)(None), prior)
    mended = logit(np.clip(found.of_rows.posterior, _INSIDE, 1 - _INSIDE))
    decision = Decision.of(
        ScoredRows(mended, s, checked=checked),
        get_rule(RULE),
        ResolvedPrior(found.density.mean, found.density),
        posterior_if_unlabeled=found.of_rows.missed,
    )
    interval = found.density.interval()
    positive = mended > decision.cut.threshold
    missed, estimate = found.of_rows.missed, found.density.mean
    return found, Judged(mended, missed, positive, estimate, interval.lower, interval.upper)


def by_labels(said: dict[str, np.ndarray]) -> Judged:
    """Return what the labels alone say."""
    prior, lower, upper = said["class_prior"]
    score = said["score"]
    return Judged(score, score, score > said["threshold"], prior, lower, upper)


def by_recut(said: dict[str, np.ndarray], size: int) -> Judged:
    """Return what the audited cut of the same score says."""
    threshold, prior, lower, upper = said[f"recut_{size}"]
    score = said["score"]
    return Judged(score, score, score > threshold, prior, lower, upper)


def by_line(table: Table, checked: np.ndarray, seed: int) -> Judged:
    """Return what `PULogistic` says that was fitted with the answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = PULogistic(random_state=seed).fit(
            table.X, table.s, checked=chosen_beforehand(checked)
        )
    score = line.held_out_score_
    return Judged(score, score, score > line.threshold_, line.class_prior_)


def checked_table(
    dataset: str, labeling: str, case: str, score: str, size: int, way: str, repeat: int
) -> tuple[Table, dict[str, np.ndarray], np.ndarray, int]:
    """Return a table, what the labels say of it, and its answers; the last number is a seed."""
    seed = seed_of("knowledge", "answers", dataset, labeling, case, size, way, repeat)
    table = draw_table(dataset, labeling, case, repeat)
    said = said_by_labels(dataset, labeling, case, repeat, score)
    chosen = alternating(repeat, size) if way == "wrong" else way
    rows = rows_to_check(said, table.s, size, chosen, seed)
    checked = np.full(len(table.s), np.nan)
    checked[rows] = table.y_true[rows]
    if way == "wrong":
        number = round(WRONG_SHARE * len(rows))
        wrong = np.random.default_rng(seed).choice(rows, number, replace=False)
        checked[wrong] = 1 - checked[wrong]
    return table, said, checked, seed


def measure(
    dataset: str, labeling: str, case: str, score: str, size: int, way: str, repeat: int
) -> dict[str, float]:
    """Give answers to one score, and compare with labels alone, a recut and a line."""
    key = dataset, labeling, case, score, size, way, repeat
    table, said, checked, seed = checked_table(*key)
    unchecked = np.isnan(checked)
    answered, mended = answered_by(table, said, checked)
    judged = {"labels": by_labels(said), "answers": mended}
    if way == "audit":
        judged["recut"] = by_recut(said, size)
    if score == PRINCIPAL:
        judged["line"] = by_line(table, checked, seed)
    found = {
        "truth": float(table.y_true.mean()),
        "answered": float(np.sum(~unchecked)),
        "yes": float(np.nansum(checked)),
        "gain": answered.gain,
        "gain_error": answered.gain_error,
        "by_labels": answered.by_labels,
    }
    for name, one in judged.items():
        found |= one.on(name, table, unchecked)
    if table.propensity is not None:
        weight = standing_for_all(table.s, unchecked)
        best = said["label_logit"] - np.log(np.maximum(table.propensity, _LEAST_PROPENSITY))
        found["propensity_auc"] = auc(table.y_true[unchecked], best[unchecked], weight)
    return found


def measure_calibration(
    dataset: str, labeling: str, case: str, score: str, size: int, way: str, repeat: int
) -> dict[str, float]:
    """Compare r with the classes, in tenths of r among unlabeled rows that nobody checked."""
    table, said, checked, _ = checked_table(dataset, labeling, case, score, size, way, repeat)
    answered, _ = answered_by(table, said, checked)
    unknown = np.isnan(checked) & (table.s == 0)
    missed, y = answered.of_rows.missed[unknown], table.y_true[unknown]
    tenth = np.minimum((missed * TENTHS).astype(int), TENTHS - 1)
    found: dict[str, Any] = {}
    for k in range(TENTHS):
        own = tenth == k
        found |= {f"n_{k}": own.sum(), f"said_{k}": missed[own].sum(), f"true_{k}": y[own].sum()}
    return {name: float(value) for name, value in found.items()}


def plan() -> list[Key]:
    """Return the cells of the tables as they are, the first draws of all before the next."""
    return [
        (dataset, labeling, "plain", score, size, alternating(repeat, size), repeat)
        for repeat in range(REPEATS)
        for dataset, labeling in tables("plain")
        for score in SCORES
        for size in SIZES
    ]


def hard_plan() -> list[Key]:
    """Return the cells of harder tables, and of harder answers."""
    keys: list[Key] = []
    for repeat in range(HARD_REPEATS):
        for case in ("rare", "ten", "thirty"):
            keys += [
                (dataset, labeling, case, PRINCIPAL, size, alternating(repeat, size), repeat)
                for dataset, labeling in tables(case)
                for size in SIZES[:2]
            ]
        keys += [
            (dataset, labeling, "plain", PRINCIPAL, size, way, repeat)
            for way in ("top", "wrong")
            for dataset, labeling in tables("plain")
            if labeling in HARD_LABELINGS
            for size in SIZES[:2]
        ]
    return keys


def calibration_plan() -> list[Key]:
    """Return the cells whose calibration is measured: a hundred answers, the principal score."""
    return [key for key in plan() if key[3] == PRINCIPAL and key[4] == SIZES[1]]


_NAMES = ("dataset", "labeling", "case", "score", "size", "way", "repeat")
RECORDS = Records("answers.csv", _NAMES, measure, plan)
HARD = Records("hard.csv", _NAMES, measure, hard_plan)
CALIBRATION = Records("calibration.csv", _NAMES, measure_calibration, calibration_plan)
