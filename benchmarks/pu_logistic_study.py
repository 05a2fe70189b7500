"""What PULogistic's choices gain: every variant, and the one chosen without the set it is used on.

Rows and labels are drawn as in the reproduction's study of real data, from repeat 3000 on, so
that no draw is shared with it. Needs the UCI sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any
from unittest import mock

import click
import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from benchmarks.data import need_data
from reproduction.studies.draw import Sample, draw_sample
from reproduction.studies.plan import Cell, Task
from unlabeled import PULogistic
from unlabeled.datasets import DATASET_NAMES
from unlabeled.engine.linear_fits import RidgePath
from unlabeled.label_frequency import DEDPUL, ElkanNoto, OneDimensionalJoint
from unlabeled.thresholds import balanced_accuracy, choose_cut, f1, shrink_recall

FIRST_REPEAT = 3000
FREQUENCIES = (0.1, 0.3, 0.5, 0.9)
AS_GOOD = (0.0, 0.5, 1.0)
WORTH = (0.0, 30.0, 100.0, 300.0, 1e9)
PRIORS: dict[str, Any] = {
    "own": None,
    "mode": OneDimensionalJoint("mode", random_state=0),
    "DEDPUL": DEDPUL(random_state=0),
    "Elkan-Noto": ElkanNoto(),
}
FIXED = {"direction": "joint", "scores": "loo", "as_good": 0.5, "prior": "own"}
VARIED: dict[str, tuple[Any, ...]] = {
    "direction": ("joint", "naive"),
    "scores": ("loo", "5 folds"),
    "as_good": AS_GOOD,
    "prior": tuple(PRIORS),
}
KEYS = [*FIXED, "worth"]


def variants() -> Iterator[dict[str, Any]]:
    """Yield the variant in use and all that differ from it in one choice; each with every worth."""
    yield dict(FIXED)
    for name, values in VARIED.items():
        yield from ({**FIXED, name: value} for value in values if value != FIXED[name])


def outcomes(dataset: str, c: float, repeat: int, data: str | None, most: int) -> list[dict]:
    """Score every variant on one draw: F1 by the rule f1, balanced accuracy by its rule."""
    task = Task("real", Cell(dataset, "scar", 0, c), repeat)
    sample = _at_most(draw_sample(task, data), most)
    return [row for variant in variants() for row in _scores(sample, variant, dataset, c, repeat)]


def _at_most(sample: Sample, most: int) -> Sample:
    return replace(sample, X=sample.X[:most], s=sample.s[:most], y_true=sample.y_true[:most])


def _scores(sample: Sample, variant: dict[str, Any], dataset: str, c: float, repeat: int) -> list:
    folds = min(5, int(sample.s.sum()))
    options: dict[str, Any] = {"direction": variant["direction"], "random_state": 0}
    options["cv"] = "auto" if variant["scores"] == "loo" else folds
    options["class_prior"] = PRIORS[variant["prior"]]
    with (
        warnings.catch_warnings(),
        mock.patch.object(RidgePath, "as_good", variant["as_good"]),
    ):
        warnings.simplefilter("ignore")
        model = PULogistic(**options).fit(sample.X, sample.s)
    score = model.positive_score(sample.X_test)
    rows = []
    for worth in WORTH:
        cuts = _mixed(model, worth)
        by_f1 = score > choose_cut(cuts, f1(), model.class_prior_).threshold
        by_balance = score > choose_cut(cuts, balanced_accuracy()).threshold
        rows.append(
            {
                **variant,
                "worth": worth,
                "dataset": dataset,
                "c": c,
                "repeat": repeat,
                "f1": _f1(by_f1, sample.y_test),
                "balanced_accuracy": _balanced(by_balance, sample.y_test),
            }
        )
    return rows


def _mixed(model: PULogistic, worth: float) -> Any:
    """The curve of cuts if the posterior were worth another number of labelled rows."""
    observed = model.observed_cuts_
    share = np.diff(observed.total, prepend=0).astype(float)
    posterior = model.posterior_at(observed.score)
    return shrink_recall(observed, observed.score, posterior, share, worth)


def _f1(predicted: np.ndarray, true: np.ndarray) -> float:
    hits = np.sum(predicted & (true == 1))
    return float(2 * hits / (predicted.sum() + true.sum()))


def _balanced(predicted: np.ndarray, true: np.ndarray) -> float:
    recall, specificity = predicted[true == 1].mean(), 1 - predicted[true == 0].mean()
    return float((recall + specificity) / 2)


def left_out_choice(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """For every set: the best variant on the others, its score, and the best score in hindsight."""
    means = table.groupby([*KEYS, "dataset"])[measure].mean().unstack("dataset")
    rows = []
    for dataset in means.columns:
        chosen = means.drop(columns=dataset).mean(axis=1).idxmax()
        named = ", ".join(f"{value:g}" if isinstance(value, float) else value for value in chosen)
        rows.append((dataset, named, means.loc[chosen, dataset], means[dataset].max()))
    return pd.DataFrame(rows, columns=["left out", "chosen on the others", "score", "hindsight"])


def _print(table: pd.DataFrame) -> None:
    for measure in ("f1", "balanced_accuracy"):
        by_set = table.groupby([*KEYS, "c", "dataset"])[measure].mean()
        shown = by_set.groupby([*KEYS, "c"]).mean().unstack("c")
        shown["mean"] = shown.mean(axis=1)
        click.echo(f"\n{measure}\n{shown.round(4).to_string()}")
        choice = left_out_choice(table, measure)
        click.echo(f"\nleave one set out, {measure}\n{choice.round(4).to_string(index=False)}")
        click.echo(f"mean {choice['score'].mean():.4f}, hindsight {choice['hindsight'].mean():.4f}")


@click.command()
@click.option("--data", help="Folder with the UCI sets. [default: $UNLABELED_DATA]")
@click.option("--repeats", default=5, show_default=True)
@click.option("--most-rows", default=4000, show_default=True, help="Training rows at most.")
@click.option("--jobs", default=-1, show_default=True)
def main(data: str | None, repeats: int, most_rows: int, jobs: int) -> None:
    """Print the table of variants and the leave-one-set-out choice."""
    need_data(DATASET_NAMES, data)
    draws = product(DATASET_NAMES, FREQUENCIES, range(FIRST_REPEAT, FIRST_REPEAT + repeats))
    found = Parallel(n_jobs=jobs)(delayed(outcomes)(*draw, data, most_rows) for draw in draws)
    _print(pd.DataFrame([row for rows in found for row in rows]))


if __name__ == "__main__":
    main()
