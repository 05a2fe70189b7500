"""Every metric with its interval on draws from known populations, in one sample and in two."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path

import click
import numpy as np

from unlabeled.engine.progress import progress_bar
from unlabeled.inference import Interval, metric_interval
from unlabeled.metrics import METRICS, NEED_PRIOR, OF_SCORE
from unlabeled.paper.studies.draw import seed_of

from ..rows_of_cells import measure_cells
from .populations import LABELLED, NAMES, scores

FILE = "draws.csv"
KEYS = ("population", "sampling", "repeat")
SAMPLINGS = ("one-sample", "two-sample")
REPEATS, N_ROWS, N_LABELLED, K, N_RESAMPLES = 200, 2000, 200, 200, 199
SPREAD = 0.08
"""The standard error of the logarithm of an uncertain class prior."""
WITH_PRIOR = ("precision", "f1", "accuracy", "auc", "average_precision", "precision_at_k")
"""The metrics that are also measured with an uncertain class prior."""


def measure(name: str, sampling: str, repeat: int) -> dict[str, float]:
    """Draw rows; return every metric, its interval, and that with an uncertain class prior."""
    of, seed = scores(name), seed_of("measures", name, sampling, repeat)
    rng = np.random.default_rng(seed)
    score, y_true = of.draw(N_ROWS, rng)
    s = (y_true & (rng.random(N_ROWS) < LABELLED)).astype(int)
    if sampling == "two-sample":
        score = np.append(of.draw_positives(N_LABELLED, rng), score)
        s = np.repeat([1, 0], [N_LABELLED, N_ROWS])
    guess = of.class_prior * np.exp(SPREAD * rng.normal())
    ends = guess * np.exp(1.959964 * SPREAD * np.array([-1, 1]))
    uncertain = Interval(guess, float(ends[0]), float(ends[1]), 0.95, "")
    numbers: dict[str, float] = {}
    for metric in METRICS:
        predicted = score if metric in OF_SCORE else (score > of.cut).astype(int)
        priors = {"": of.class_prior, "_prior": uncertain} if metric in NEED_PRIOR else {"": None}
        for ending, prior in priors.items():
            if ending and metric not in WITH_PRIOR:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = metric_interval(
                    metric,
                    s,
                    predicted,
                    class_prior=prior,
                    sampling=sampling,
                    n_resamples=N_RESAMPLES,
                    random_state=seed % 2**31,
                    **({"k": K} if metric == "precision_at_k" else {}),
                )
            numbers[f"{metric}{ending}"] = found.estimate
            numbers[f"{metric}{ending}_lower"] = found.lower
            numbers[f"{metric}{ending}_upper"] = found.upper
    return numbers


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to fill."
)
@click.option("--repeats", type=int, default=REPEATS, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True)
def main(out: Path, repeats: int, jobs: int) -> None:
    """Measure metrics and their intervals on known populations; continues a run."""
    out.mkdir(parents=True, exist_ok=True)
    keys = [(*cell, repeat) for repeat in range(repeats) for cell in product(NAMES, SAMPLINGS)]
    with progress_bar("draws") as progress:
        measure_cells(
            out / FILE,
            KEYS,
            keys,
            "benchmarks.measures.study:measure",
            n_jobs=jobs,
            progress=progress,
        )


if __name__ == "__main__":
    main()
