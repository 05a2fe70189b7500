"""The share of positives of the nine sets in full: line, trees and boosting averaged, beside 0.1.0.

The class prior does not change how members score rows. If UNLABELED_COUNT_SCORES names a folder,
their left-out scores are kept there (600 MB), and another way to count is measured in minutes, not
hours.
"""

from __future__ import annotations

import os
import warnings
import zlib
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit, logit

from unlabeled import PUEnsemble, PULogistic
from unlabeled.datasets import DATASET_NAMES, UCIDataset, hide_labels, load_uci
from unlabeled.engine.files import write_whole
from unlabeled.ensemble import probabilities_of_members
from unlabeled.scores import (
    PriorDensity,
    ScoreProfile,
    class_prior_density,
    label_log_likelihood,
    mean_class_prior,
    mixed_density,
)

from ..coverage.intervals import one_curve
from ..study import Key, Records

FREQUENCIES = (0.1, 0.3, 0.6)
MOST_ROWS = 3000
BY_FREQUENCY = (0.0, 0.5, 1.0)
"""Weights of the second way to count that are compared; .5 is the default."""

STATES = ("not at all", "roughly", "well")
MEMBERS = ("line", "trees", "boosting")
_SCORES = "UNLABELED_COUNT_SCORES"


class _Kept(PUEnsemble):
    """An ensemble that keeps the left-out logits of its members."""

    def _fit_members(self, *arguments: Any, **options: Any) -> Any:
        chosen = super()._fit_members(*arguments, **options)
        self.kept_ = {name: one.label_logit for name, one in chosen.items()}
        return chosen


def seed_of(*words: Any) -> int:
    """Return the seed of a draw."""
    return zlib.crc32(repr(words).encode()) % 2**31


@cache
def _data(dataset: str) -> UCIDataset:
    return load_uci(dataset)


def draw(dataset: str, c: float, repeat: int) -> np.ndarray:
    """Label each positive of a set with probability c; return the labels."""
    return hide_labels(_data(dataset).y_true, c, random_state=seed_of("count", dataset, c, repeat))


def fitted(dataset: str, c: float, repeat: int) -> _Kept:
    """Fit the ensemble to one draw."""
    seed = seed_of("count", dataset, c, repeat)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Kept(random_state=seed).fit(_data(dataset).X, draw(dataset, c, repeat))


def left_out_scores(dataset: str, c: float, repeat: int) -> dict[str, np.ndarray]:
    """Return the left-out score of the line, and left-out logits of trees and boosting."""
    folder = os.environ.get(_SCORES)
    path = None if folder is None else Path(folder) / f"{dataset}_{c}_{repeat}.npz"
    if path is not None and path.exists():
        with np.load(path) as kept:
            logits = kept["logits"]
            return {"line": kept["line"], "trees": logits[:, 1], "boosting": logits[:, 2]}
    model = fitted(dataset, c, repeat)
    line = model.members_["line"].held_out_score_
    logits = np.column_stack([model.kept_[name] for name in MEMBERS])
    if path is not None:
        write_whole(path, lambda file: _save(file, line=line, logits=logits))
    return {"line": line, "trees": logits[:, 1], "boosting": logits[:, 2]}


def _save(file: Path, **arrays: np.ndarray) -> None:
    with file.open("wb") as open_file:
        np.savez(open_file, **arrays)


def measure(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Count the positives of one draw: all scores averaged, the line alone, and as 0.1.0 did."""
    scores, s = left_out_scores(dataset, c, repeat), draw(dataset, c, repeat).astype(float)
    truth = float(_data(dataset).y_true.mean())
    found: dict[str, float] = {"truth": truth, "n_rows": len(s)}
    for part in BY_FREQUENCY:
        said = {
            name: class_prior_density(s, score, of_label=name != "line", by_frequency=part)
            for name, score in scores.items()
        }
        mixed = mixed_density(said, _probabilities(scores, s, said["line"]))
        found |= _said(f"all_{part:g}_", mixed)
        if part == 0.5:
            found |= _said("", mixed) | _said("line_", said["line"])
            found |= {f"{name}_says": one.mean for name, one in said.items()}
            found |= {f"{name}_probability": mixed.said[name][0] for name in said}
    return found | as_before(scores["line"], s)


def _probabilities(
    scores: dict[str, np.ndarray], s: np.ndarray, of_line: PriorDensity
) -> np.ndarray:
    """Return the weights of the members, as `PUEnsemble` computes them."""
    prior = of_line.mean
    line = ScoreProfile.of(scores["line"], s, None).calibrated_line(prior)
    posterior = np.clip(expit(line.logit(scores["line"])), 1e-12, 1 - 1e-12)
    logits = [logit(s.mean() / prior * posterior), scores["trees"], scores["boosting"]]
    by_row = np.column_stack([label_log_likelihood(one, s) for one in logits])
    return probabilities_of_members(by_row, np.ones(len(s)))


def _said(name: str, density: PriorDensity) -> dict[str, float]:
    lower, upper = density.interval()
    return {
        f"{name}estimate": density.mean,
        f"{name}lower": lower,
        f"{name}upper": upper,
        f"{name}state": float(STATES.index(density.identified)),
    }


def as_before(score: np.ndarray, s: np.ndarray) -> dict[str, float]:
    """Count as 0.1.0 did: the profile likelihood of one logistic curve along the line."""
    estimate = mean_class_prior(score, s, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, found = one_curve(score, s)
    return {
        "before_estimate": estimate,
        "before_lower": min(found.lower, estimate),
        "before_upper": max(found.upper, estimate),
    }


def measure_small(dataset: str, c: float, repeat: int) -> dict[str, float]:
    """Count the positives of at most 3000 rows of a set by PULogistic, and as 0.1.0 did."""
    data, seed = _data(dataset), seed_of("small", dataset, c, repeat)
    rows = np.random.RandomState(seed).permutation(len(data.y_true))[:MOST_ROWS]
    X, y = data.X[rows], data.y_true[rows]
    s = hide_labels(y, c, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(X, s)
    found = {"truth": float(y.mean()), "n_rows": len(s)}
    found |= _said("line_", model.class_prior_density_)
    return found | as_before(model.held_out_score_, np.asarray(s, dtype=float))


def draws(small: bool = False) -> list[Key]:
    """Return the draws; the largest sets in full have fewer, evenly spread over the repeats."""
    step = {"adult": 2, "musk": 3}
    return [
        (dataset, c, repeat)
        for repeat, dataset, c in product(range(50), DATASET_NAMES, FREQUENCIES)
        if small or (repeat % step.get(dataset, 1) == 0 and repeat < 45 + 5 * (dataset != "musk"))
    ]


FULL = Records("nine_sets.csv", ("dataset", "c", "repeat"), measure, draws)
SMALL = Records("small_tables.csv", FULL.names, measure_small, lambda: draws(small=True))
"""Records of the sets in full, and of the line alone on at most `MOST_ROWS` rows."""
