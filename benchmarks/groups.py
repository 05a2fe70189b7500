"""Ten rows per person: left-out scores and intervals, with and without groups."""

from __future__ import annotations

import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score

from reproduction.studies.draw import seed_of
from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.engine.files import write_whole

from . import repeated_rows
from .pages import PAGE, rst_of, wrapped
from .study import Key, Records, repeated

METHODS = {"PULogistic": 100, "forest": 100, "PUEnsemble": 4}
"""The classifiers, and how many tables each is fitted to."""

POPULATIONS = {
    "one class and one label": "All rows of a person have one class and one label.",
    "one class": "All rows of a person have one class; each row is labeled by itself.",
    "alike": "Only the features of a person are alike; each row has its own class and label.",
}
PERSONS, ROWS, NEW = 300, 10, 4000
FEATURES, ALIKE = 5, 0.9
CLASS_PRIOR, FREQUENCY, DISTANCE = 0.3, 0.5, 2.0
_SETTLED = 60


def draw(population: str, persons: int, rows: int, rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw persons with some rows each; return X, classes, labels and the person of each row.

    Features are normal with unit variance given the class, so the posterior of a row is logistic.
    A part `ALIKE` of the variance is the person's.
    """
    person = np.repeat(np.arange(persons), rows)
    per_person = rng.uniform(size=(2, persons))[:, person]
    per_row = rng.uniform(size=(2, len(person)))
    of_class = per_row[0] if population == "alike" else per_person[0]
    of_label = per_person[1] if population == "one class and one label" else per_row[1]
    y = (of_class < CLASS_PRIOR).astype(float)
    s = y * (of_label < FREQUENCY)
    X = ALIKE**0.5 * rng.normal(size=(persons, FEATURES))[person]
    X = X + (1 - ALIKE) ** 0.5 * rng.normal(size=X.shape)
    X[:, 0] += DISTANCE * y
    return X, y, s, person


def classifier(method: str, seed: int) -> Any:
    """Return a classifier by name."""
    if method == "PULogistic":
        return PULogistic(random_state=seed)
    if method == "PUEnsemble":
        return PUEnsemble(random_state=seed)
    forest = ExtraTreesClassifier(50, min_samples_leaf=2, random_state=seed)
    return PUThresholdClassifier(forest, "f1", random_state=seed)


def measure(population: str, method: str, groups: int, repeat: int) -> dict[str, float]:
    """Fit to a table of persons; compare what left-out scores say with new persons."""
    rng = np.random.default_rng(seed_of("groups", population, repeat))
    X, y, s, person = draw(population, PERSONS, ROWS, rng)
    new_X, new_y, new_s, _ = draw(population, NEW, 1, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = classifier(method, repeat).fit(X, s, groups=person if groups else None)
    interval, score = model.class_prior_interval(), model.positive_score(new_X)
    return {
        "truth": float(y.mean()),
        "estimate": interval.estimate,
        "lower": interval.lower,
        "upper": interval.upper,
        "design_effect": model._design_effect_,
        "left_out_auc": float(roc_auc_score(s, model.held_out_score_)),
        "new_auc": float(roc_auc_score(new_s, score)),
        "left_out_recall": model.cut_.recall,
        "new_recall": float(np.mean(score[new_y == 1] > model.threshold_)),
    }


def keys() -> list[Key]:
    """Return the cells of the study, the first tables of all methods first."""
    cells = list(product(POPULATIONS, METHODS, (0, 1)))
    return [key for key in repeated(cells, max(METHODS.values())) if key[-1] < METHODS[key[1]]]


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Return coverage, length and biases of each population and method, without and with groups."""
    cells = cells.assign(
        holds=(cells["lower"] <= cells["truth"]) & (cells["truth"] <= cells["upper"]),
        length=cells["upper"] - cells["lower"],
        error=(cells["estimate"] - cells["truth"]).abs(),
        auc_bias=cells["left_out_auc"] - cells["new_auc"],
        recall_bias=cells["left_out_recall"] - cells["new_recall"],
    )
    measures = ["holds", "length", "error", "design_effect", "auc_bias", "recall_bias"]
    found = cells.groupby(list(RECORDS.names[:3]), sort=False)[[*measures, "new_auc"]].mean()
    return found.assign(
        tables=cells.groupby(list(RECORDS.names[:3]), sort=False).size()
    ).reset_index()


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    cells = RECORDS.read(folder)
    found = summary(cells)
    sections = [_TITLE, _in_words(found), *(_section(found, name) for name in POPULATIONS)]
    questions, counts = (
        records.read(folder) for records in (repeated_rows.QUESTIONS, repeated_rows.PERSONS)
    )
    if len(questions) and len(counts):
        sections += repeated_rows.sections(questions, counts)
    if len(cells) < len(keys()):
        sections.append(f"The records are incomplete: {len(cells)} of {len(keys())} fits.")
    text = "\n\n".join(section.strip("\n") for section in sections) + "\n"
    write_whole(folder / PAGE, lambda file: file.write_text(text, encoding="utf-8"))


_TITLE = f"""
.. This page is made by `make study NAME=groups`; edit benchmarks/groups.py.

Rows in groups, measured
========================

{
    wrapped(
        f"A table has {PERSONS} persons with {ROWS} rows each. Without ``groups`` a row is scored "
        "by a fit to other rows of the same person, and intervals take all rows as independent. "
        "With ``groups`` (``--group COLUMN`` in the terminal) folds keep the rows of a person "
        "together, and the likelihood is divided by a design effect "
        "(:func:`~unlabeled.label_frequency.class_prior_density`). Both are compared with "
        f"{NEW} new persons. Of the variance of each feature {ALIKE:.0%} is the person's. The "
        f"share of positives is {CLASS_PRIOR:g}, and {FREQUENCY:g} of them are labeled. "
        "A program made the page from records; no number was typed."
    )
}

{
    wrapped(
        "``holds``: how often the 95 % interval of the share of positives holds the truth of the "
        "table. ``label AUC``: left-out minus new persons, the mean over tables. ``recall``: the "
        "recall that the classifier says for its cut, minus that of new positives. The forest is a "
        "``PUThresholdClassifier`` over 50 extremely randomized trees, with five folds."
    )
}
"""


def _section(found: pd.DataFrame, population: str) -> str:
    heading = population[0].upper() + population[1:]
    part = found[found["population"] == population]
    table = pd.DataFrame(
        {
            "method": part["method"],
            "groups": np.where(part["groups"] == 1, "yes", "no"),
            "tables": part["tables"],
            "holds": [_number(value) for value in part["holds"]],
            "length": [_number(value) for value in part["length"]],
            "error": [_number(value) for value in part["error"]],
            "design effect": [f"{value:.1f}" for value in part["design_effect"]],
            "label AUC": [_signed(value) for value in part["auc_bias"]],
            "recall": [_signed(value) for value in part["recall_bias"]],
        }
    )
    return "\n".join([heading, "-" * len(heading), "", POPULATIONS[population], "", rst_of(table)])


def _in_words(found: pd.DataFrame) -> str:
    """Say over all populations and methods what groups change."""
    settled = found[found["tables"] >= min(_SETTLED, found["tables"].max())]
    without, given = (settled[settled["groups"] == one] for one in (0, 1))
    if not len(without) or not len(given):
        return ""
    return wrapped(
        f"Over the populations and the methods with the most tables, the interval holds the truth "
        f"in {_number(without['holds'].min())} to {_number(without['holds'].max())} of the tables "
        f"without groups, and in {_number(given['holds'].min())} to "
        f"{_number(given['holds'].max())} with them. The left-out label AUC is up to "
        f"{_number(without['auc_bias'].max())} too large without groups; with them its bias is "
        f"between {_signed(given['auc_bias'].min())} and {_signed(given['auc_bias'].max())}."
    )


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1)


RECORDS = Records("persons.csv", ("population", "method", "groups", "repeat"), measure, keys)
