"""What three classifiers say of a table by its labels alone.

Fits take most of the time, and answers do not change them. If UNLABELED_KNOWLEDGE_SCORES names a
folder, what the fits say is kept there, and another way to use answers is measured in an hour.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.ensemble import RandomForestClassifier

from reproduction.studies.draw import seed_of
from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.audit import draw_audit
from unlabeled.engine.files import write_whole

from .tables import Table, draw_table

SIZES = (25, 100, 300)
SCORES = {"line": "`PULogistic`", "forest": "a forest", "ensemble": "`PUEnsemble`"}
_FOLDER = "UNLABELED_KNOWLEDGE_SCORES"
_SMALLEST = 1e-9
_TREES = 200


def said_by_labels(
    dataset: str, labeling: str, case: str, repeat: int, score: str
) -> dict[str, np.ndarray]:
    """Return what one classifier says of a table; from the folder if it is there.

    Returns
    -------
    said : dict of str to ndarray
        Of every row: the left-out `label_logit`, that of P(S=1|x), `score` and `missed`, which is
        P(Y=1|x, S=0). `threshold`, the `class_prior` with its interval, `density` and
        `profile`. By `SIZES` the
        `audit` rows, and `recut` with its threshold, class prior and interval.
    """
    folder = os.environ.get(_FOLDER)
    name = f"{dataset}_{labeling}_{case}_{repeat}_{score}.npz"
    path = None if folder is None else Path(folder) / name
    if path is not None and path.exists():
        with np.load(path) as kept:
            return dict(kept)
    seed = seed_of("knowledge", "fit", dataset, labeling, case, repeat)
    found = _said(draw_table(dataset, labeling, case, repeat), score, seed)
    if path is not None:
        write_whole(path, lambda file: _save(file, found))
    return found


def n_answers(s: np.ndarray, size: int) -> int:
    """Return how many rows are checked: `size`, or half of the unlabeled ones of a small table."""
    return min(size, int(np.sum(s == 0)) // 2)


def _save(file: Path, found: dict[str, np.ndarray]) -> None:
    with file.open("wb") as open_file:
        np.savez(open_file, **found)


def _said(table: Table, score: str, seed: int) -> dict[str, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = _classifier(score, seed).fit(table.X, table.s)
        interval, density = model.class_prior_interval(), model.class_prior_density_
        found: dict[str, Any] = {
            "label_logit": label_logit(model),
            "score": model.held_out_score_,
            "missed": model.held_out_posterior_if_unlabeled_,
            "threshold": model.threshold_,
            "class_prior": [model.class_prior_, interval.lower, interval.upper],
            "density": [density.class_prior, density.probability],
            "profile": density.profile,
        }
        for size in SIZES:
            number = n_answers(table.s, size)
            audit = draw_audit(model, table.X, table.s, number, random_state=seed + size)
            result = audit.estimate(table.y_true[audit.rows])
            prior = result.class_prior
            cut = result.recut(model).threshold_
            found[f"audit_{size}"] = audit.rows
            found[f"recut_{size}"] = [
                cut,
                result.recalibration.class_prior,
                prior.lower,
                prior.upper,
            ]
    return {name: np.asarray(value) for name, value in found.items()}


def _classifier(score: str, seed: int) -> Any:
    if score == "line":
        return PULogistic(random_state=seed)
    if score == "ensemble":
        return PUEnsemble(random_state=seed)
    forest = RandomForestClassifier(
        _TREES, min_samples_leaf=5, oob_score=True, random_state=seed % 2**31
    )
    return PUThresholdClassifier(forest, cv="oob", random_state=seed % 2**31)


def label_logit(model: Any) -> np.ndarray:
    """Return the left-out logit of P(S=1|x)."""
    if not isinstance(model, PULogistic):
        return np.asarray(model.posterior_scale.logits(model.held_out_score_))
    labeled = model.label_frequency_ * model.held_out_posterior_
    return np.asarray(logit(np.clip(labeled, _SMALLEST, 1 - _SMALLEST)))
