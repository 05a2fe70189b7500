"""Size and power of the direct test of SCAR, over labels and draws of the checked rows."""

from __future__ import annotations

import warnings
from pathlib import Path

import click
import numpy as np
import pandas as pd

from benchmarks.replications import Replication, read_replication, run_replications
from unlabeled.audit import draw_audit
from unlabeled.engine.progress import progress_bar
from unlabeled.linear_model import PULogistic

from .cells import DATASETS, MECHANISMS, Cell, draw_cell

SIZE = 100
"""Checked rows."""

DRAWS = 20
"""Draws of the checked rows per column of labels."""

SCORES = {"loo": "auto", "folds": 5}
"""Held-out scores, and `cv` of the fit that gives them."""

# Columns of labels. Under SCAR the labels are random too, so the size needs many of them.
_LABELS = {"random": 50}
_LABELS_OTHERWISE = 5
_LABELS_LARGE = {"adult": 10, "musk": 10, "spambase": 20}


def studies(scores: str) -> list[Replication]:
    """One replication per cell; a repeat draws labels, fits and draws the rows `DRAWS` times."""
    return [
        Replication(
            f"{scores}-{dataset}-{mechanism}",
            "benchmarks.audit.scar:measure",
            min(
                _LABELS.get(mechanism, _LABELS_OTHERWISE),
                _LABELS_LARGE.get(dataset, _LABELS["random"]),
            ),
            {"dataset": dataset, "mechanism": mechanism, "scores": scores},
            5,
        )
        for dataset in DATASETS
        for mechanism in MECHANISMS
    ]


def measure(seed: int, *, dataset: str, mechanism: str, scores: str) -> dict[str, float]:
    """Draw labels, fit, and return shares and means over draws of the checked rows."""
    cell = draw_cell(dataset, mechanism, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic(random_state=0, cv=SCORES[scores]).fit(cell.X, cell.s)
    drawn = [_one_draw(cell, model, draw) for draw in range(DRAWS)]
    tested = [one for one in drawn if "rejected" in one]
    names = ("rejected", "difference", "smallest_difference")
    means = {
        name: float(np.mean([one[name] for one in tested])) if tested else np.nan for name in names
    }
    found = float(np.mean([one["found"] for one in drawn]))
    return {"tested": float(len(tested)), "found": found, **means}


def _one_draw(cell: Cell, model: PULogistic, seed: int) -> dict[str, float]:
    """Draw the rows to check, answer them by the truth, and test."""
    audit = draw_audit(model, cell.X, cell.s, size=SIZE, random_state=seed)
    positive = cell.y_true[audit.rows] == 1
    test = audit.estimate(positive.astype(int)).scar_test
    found = {"found": float(positive.sum())}
    if test is None:
        return found
    return found | {
        "rejected": float(test.p_value <= test.alpha),
        "difference": test.difference,
        "smallest_difference": test.smallest_difference,
    }


def table(folder: Path, scores: str) -> pd.DataFrame:
    """One line per cell: tests done, share rejected with its standard error over labels."""
    lines = []
    for one in studies(scores):
        records = read_replication(folder, one.name)
        if not len(records):
            continue
        done = records[records["tested"] > 0]
        rejected, weight = done["rejected"], done["tested"]
        share = float(np.average(rejected, weights=weight)) if len(done) else np.nan
        spread = np.sqrt(np.sum((weight * (rejected - share)) ** 2)) / max(weight.sum(), 1)
        lines.append(
            {
                "dataset": one.arguments["dataset"],
                "mechanism": one.arguments["mechanism"],
                "tests": int(weight.sum()),
                "found": records["found"].mean(),
                "rejected": share,
                "error": spread,
                "difference": done["difference"].mean(),
                "smallest": done["smallest_difference"].mean(),
            }
        )
    return pd.DataFrame(lines)


@click.command()
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True)
@click.option("--scores", type=click.Choice(list(SCORES)), default="loo", show_default=True)
@click.option("--dataset", "datasets", multiple=True, default=DATASETS, help="May be repeated.")
@click.option("--mechanism", "mechanisms", multiple=True, default=tuple(MECHANISMS))
@click.option("--jobs", type=int, default=1, show_default=True)
def main(
    out: Path, scores: str, datasets: tuple[str, ...], mechanisms: tuple[str, ...], jobs: int
) -> None:
    """Measure size and power of the direct test of SCAR; continues a run."""
    chosen = [
        one
        for one in studies(scores)
        if one.arguments["dataset"] in datasets and one.arguments["mechanism"] in mechanisms
    ]
    command = f"python -m benchmarks.audit.scar --scores {scores}"
    with progress_bar() as progress:
        run_replications(chosen, out, n_jobs=jobs, progress=progress, command=command)
    lines = table(out, scores)
    click.echo(lines.round(3).to_string(index=False))
    means = lines.groupby("mechanism")[["rejected", "smallest"]].mean()
    click.echo(means.round(3).to_string())


if __name__ == "__main__":
    main()
