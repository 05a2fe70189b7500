"""Populations of scores and classes, and what every metric is in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from sklearn import metrics as sk

from unlabeled.metrics import boyce_index_score

from ..coverage.designs import DESIGNS, population

# Points that stand for a continuous population.
_POINTS = 200_000
LABELED = 0.4
"""The label frequency in one sample."""


@dataclass(frozen=True)
class Scores:
    """A population: distinct scores, their probability and P(Y=1) there.

    Attributes
    ----------
    words : str
        What it is.
    cut : float
        Rows with a larger score are predicted positive.
    value, mass, posterior : ndarray of shape (n_points,)
    """

    words: str
    cut: float
    value: np.ndarray
    mass: np.ndarray
    posterior: np.ndarray

    @property
    def class_prior(self) -> float:
        """P(Y=1)."""
        return float(self.mass @ self.posterior)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draw scores and classes of n rows."""
        points = rng.choice(len(self.value), size=n, p=self.mass)
        return self.value[points], rng.random(n) < self.posterior[points]

    def draw_positives(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw scores of n positives."""
        weight = self.mass * self.posterior
        points = rng.choice(len(self.value), size=n, p=weight / weight.sum())
        return np.asarray(self.value[points])


def _of(words: str, cut: float, value: np.ndarray, mass: np.ndarray, y: np.ndarray) -> Scores:
    return Scores(words, cut, value, mass / mass.sum(), y)


def _binormal() -> Scores:
    value = np.linspace(-6, 8, _POINTS)
    positive, negative = 0.25 * stats.norm.pdf(value, 1.5), 0.75 * stats.norm.pdf(value)
    mass = positive + negative
    return _of(
        "scores N(1.5, 1) and N(0, 1), a quarter positive", 1.0, value, mass, positive / mass
    )


def _logistic() -> Scores:
    points, beta = population("paper"), np.array(DESIGNS["paper"].beta[1:])
    score = points.X @ beta
    words = "the design of the paper, scored by its true line"
    return _of(words, 0.0, score, np.ones(len(score)), points.posterior)


def _discrete() -> Scores:
    value = np.arange(7.0)
    positive = 0.3 * stats.binom.pmf(value, 6, 0.6)
    mass = positive + 0.7 * stats.binom.pmf(value, 6, 0.3)
    return _of("seven scores: binomial(6, .6) and (6, .3)", 2.5, value, mass, positive / mass)


def _humped() -> Scores:
    value = np.linspace(-6, 8, _POINTS)
    positive, negative = 0.25 * stats.norm.pdf(value, 0.6, 0.5), 0.75 * stats.norm.pdf(value)
    mass = positive + negative
    words = "scores N(.6, .25) and N(0, 1): the posterior falls where scores are highest"
    return _of(words, 0.0, value, mass, positive / mass)


_MAKE = {
    "binormal": _binormal,
    "logistic": _logistic,
    "discrete": _discrete,
    "humped": _humped,
}
POPULATIONS = tuple(_MAKE)


@cache
def scores(name: str) -> Scores:
    """Return a population by its name."""
    return _MAKE[name]()


@cache
def truths(name: str, sampling: str, share: float) -> dict[str, float]:
    """Return every metric of the population: scikit-learn's, with the classes known.

    `share` is that of the rows of "precision_at_k".
    """
    of = scores(name)
    alpha = of.class_prior
    y = np.repeat([1, 0], len(of.value))
    weight = np.append(of.mass * of.posterior, of.mass * (1 - of.posterior))
    score = np.tile(of.value, 2)
    known = {"y_true": y, "y_pred": (score > of.cut).astype(int), "sample_weight": weight}
    recall, q = sk.recall_score(**known), float(weight @ known["y_pred"] / weight.sum())
    accuracy = sk.accuracy_score(**known)
    precision = sk.precision_score(**known)
    area = sk.roc_auc_score(y, score, sample_weight=weight)
    in_unlabeled = (
        alpha if sampling == "two-sample" else alpha * (1 - LABELED) / (1 - alpha * LABELED)
    )
    order = np.argsort(-of.value, kind="stable")
    reached = np.cumsum(of.mass[order])
    found = np.cumsum((of.mass * of.posterior)[order])
    labeled = np.append(np.ones(len(of.value)), np.zeros(len(of.value)))
    boyce = boyce_index_score(
        labeled,
        score,
        sample_weight=np.append(of.mass * of.posterior, of.mass),
        sampling="two-sample",
    )
    return {
        "recall": recall,
        "share": q,
        "lift": recall / q,
        "f1_pu": recall**2 / q,
        "precision": precision,
        "f1": sk.f1_score(**known),
        "fowlkes_mallows": float(np.sqrt(precision * recall)),
        "accuracy": accuracy,
        "balanced_accuracy": sk.balanced_accuracy_score(**known),
        "mcc": sk.matthews_corrcoef(**known),
        "proxy_accuracy": accuracy - (1 - alpha),
        "label_auc": 0.5 + (1 - in_unlabeled) * (area - 0.5),
        "auc": area,
        "average_precision": sk.average_precision_score(y, score, sample_weight=weight),
        "precision_at_k": float(
            np.interp(share, np.append(0, reached), np.append(0, found)) / share
        ),
        "boyce": boyce,
    }
