"""Rows of a survey: intervals of the count and of coefficients, with weights read in three ways."""

from __future__ import annotations

import warnings
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import norm
from sklearn.ensemble import ExtraTreesClassifier

from reproduction.studies.draw import seed_of
from unlabeled import JointLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.engine.files import write_whole

from .pages import PAGE, rst_of, wrapped
from .study import Key, Records, repeated

METHODS = {"PULogistic": 400, "JointLogistic": 400, "forest": 60, "PUEnsemble": 60}
"""The classifiers, and how many samples each is fitted to."""

EQUAL = "equal chances"
POPULATIONS = {
    EQUAL: "Every row is drawn with the same chance, but only half as many: no weights.",
    "log-normal": "Weights are log-normal, and grow with the second feature.",
    "positives drawn more often": (
        "Of two strata, one has 80 % of the positives and 20 % of the negatives. Its rows are "
        "drawn four times as often, so their weight is 1; that of the others is 4."
    ),
    "positives drawn less often": (
        "Of two strata, one has 80 % of the positives and 20 % of the negatives. Its rows are "
        "drawn a quarter as often, so their weight is 4; that of the others is 1."
    ),
}
READ = {
    "sampling": "as they are",
    "frequency": "as numbers of rows, with mean 1",
    "none": "left out",
}
"""How the weights are read. Only the first is right."""

COEFFICIENTS = np.array([1.5, -1.0, 0.5, -1.2])
"""Three slopes and the intercept of the log-odds of the class; features are standard normal."""

_MOST, _PER_ROW, _FREQUENCY = 1500, 6, 0.4
_WITH_COEFFICIENTS = ("PULogistic", "JointLogistic")
_COMPARED = 60


@cache
def class_prior() -> float:
    """Return the population's share of positives: the log-odds are normal."""
    place = norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    spread = float(np.linalg.norm(COEFFICIENTS[:-1]))
    return float(expit(COEFFICIENTS[-1] + spread * place).mean())


def draw(population: str, rng: np.random.Generator) -> tuple[Any, ...]:
    """Sample rows of a population with known chances; return X, labels and weights."""
    n_population = _PER_ROW * _MOST
    X = rng.normal(size=(n_population, len(COEFFICIENTS) - 1))
    most = _MOST
    y = rng.random(n_population) < expit(X @ COEFFICIENTS[:-1] + COEFFICIENTS[-1])
    if population == EQUAL:
        chance, most = np.full(n_population, 0.25), _MOST // 2
    elif population == "log-normal":
        weight = np.exp(0.7 * rng.normal(size=n_population) + 0.4 * X[:, 1])
        chance = np.minimum(1.0, 0.25 / weight)
    else:
        stratum = rng.random(n_population) < np.where(y, 0.8, 0.2)
        often = stratum == (population == "positives drawn more often")
        chance = np.where(often, 1.0, 0.25)
    drawn = np.flatnonzero(rng.random(n_population) < chance)[:most]
    s = (y & (rng.random(n_population) < _FREQUENCY)).astype(int)
    return X[drawn], s[drawn], 1 / chance[drawn]


def classifier(method: str, seed: int, **weights: Any) -> Any:
    """Return a classifier by name."""
    if method == "PULogistic":
        return PULogistic(random_state=seed, **weights)
    if method == "JointLogistic":
        return JointLogistic(**weights)
    if method == "PUEnsemble":
        return PUEnsemble(random_state=seed, **weights)
    forest = ExtraTreesClassifier(50, min_samples_leaf=2, random_state=seed)
    return PUThresholdClassifier(forest, "f1", random_state=seed, **weights)


def measure(population: str, method: str, read: str, repeat: int) -> dict[str, float]:
    """Fit to a sample; return the interval of the count, and errors of the coefficients."""
    X, s, weight = draw(population, np.random.default_rng(seed_of("weights", population, repeat)))
    rows: dict[str, Any] = {} if read == "none" else {"sample_weight": weight / weight.mean()}
    model = classifier(method, repeat, weights="sampling" if read == "none" else read)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, s, **rows)
        again = {"X": X, "y": s, **rows} if method == "JointLogistic" else {}
        interval = model.class_prior_interval(of="population", **again)
        found = {"estimate": interval.estimate, "lower": interval.lower, "upper": interval.upper}
        if method in _WITH_COEFFICIENTS:
            estimates = model.estimates(X, s, **rows)
    for k in range(len(COEFFICIENTS)):
        away = error = np.nan
        if method in _WITH_COEFFICIENTS:
            away, error = estimates.value[k] - COEFFICIENTS[k], estimates.standard_error[k]
        found |= {f"away_{k}": float(away), f"error_{k}": float(error)}
    return found


def keys() -> list[Key]:
    """Return the cells of the study, the first samples of all methods first."""
    cells = list(product(POPULATIONS, METHODS, READ))
    most = {
        (method, read): n if read == "sampling" else min(n, _COMPARED)
        for method, n in METHODS.items()
        for read in READ
        if read == "sampling" or method in _WITH_COEFFICIENTS
    }
    return [
        key
        for key in repeated(cells, max(METHODS.values()))
        if key[-1] < most.get(key[1:3], 0) and (key[0] != EQUAL or key[2] == "sampling")
    ]


def summary(cells: pd.DataFrame) -> pd.DataFrame:
    """Return coverage of count and coefficients, length and bias, of each way to read weights."""
    truth, far = class_prior(), float(norm.ppf(0.975))
    places = range(len(COEFFICIENTS))
    inside = pd.DataFrame(
        {f"holds_{k}": cells[f"away_{k}"].abs() <= far * cells[f"error_{k}"] for k in places}
    ).where(cells[[f"error_{k}" for k in places]].notna().to_numpy())
    cells = cells.assign(
        **inside,
        holds=(cells["lower"] <= truth) & (truth <= cells["upper"]),
        length=cells["upper"] - cells["lower"],
        bias=cells["estimate"] - truth,
    )
    by = list(RECORDS.names[:3])
    measures = ["holds", "length", "bias", *inside.columns]
    grouped = cells.groupby(by, sort=False)
    found = grouped[measures].mean().assign(samples=grouped.size())
    found["least"] = found[list(inside.columns)].astype(float).min(axis=1)
    return found.reset_index()


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    cells = RECORDS.read(folder)
    found = summary(cells)
    sections = [_TITLE, _in_words(found), *(_section(found, name) for name in POPULATIONS)]
    if len(cells) < len(keys()):
        sections.append(f"The records are incomplete: {len(cells)} of {len(keys())} fits.")
    text = "\n\n".join(section.strip("\n") for section in sections) + "\n"
    write_whole(folder / PAGE, lambda file: file.write_text(text, encoding="utf-8"))


_TITLE = f"""
.. This page is made by `make study NAME=weights`; edit benchmarks/weights.py.

Weights of a survey, measured
=============================

{
    wrapped(
        f"Rows are sampled from a population with known chances, at most {_MOST} of them, and a "
        "row's weight is one divided by its chance (:doc:`/understand/weights`). Features are "
        "three, normal, and the log-odds of the class are linear in them; "
        f"{class_prior():.4f} of the population is positive, and {_FREQUENCY:g} of the positives "
        "are labeled. The 95 % intervals are those of the population's share of positives, and of "
        "the four coefficients of the log-odds. A program made the page from records; no number "
        "was typed."
    )
}

{
    wrapped(
        "``holds``: how often the interval of the share holds the population's share, with its "
        "standard error. ``bias``: mean estimate less the truth. ``coefficients``: how often their "
        "intervals hold the truth, the mean over the four, and the least of them. Weights are read "
        "as they are meant, as numbers of rows with mean 1 (``weights='frequency'``), or left out; "
        f"the last two are wrong, and were measured on {_COMPARED} samples. The forest is a "
        "``PUThresholdClassifier`` over 50 extremely randomized trees, with five folds."
    )
}
"""


def _section(found: pd.DataFrame, population: str) -> str:
    heading = population[0].upper() + population[1:]
    part = found[found["population"] == population]
    coefficients = part[[f"holds_{k}" for k in range(len(COEFFICIENTS))]].astype(float).mean(axis=1)
    table = pd.DataFrame(
        {
            "method": part["method"],
            "weights read": ["none" if population == EQUAL else READ[one] for one in part["read"]],
            "samples": part["samples"],
            "holds": [
                f"{_number(value)} ± {_number((value * (1 - value) / n) ** 0.5)}"
                for value, n in zip(part["holds"], part["samples"], strict=True)
            ],
            "length": [_number(value) for value in part["length"]],
            "bias": [_signed(value) for value in part["bias"]],
            "coefficients": [
                "" if np.isnan(mean) else f"{_number(mean)}, {_number(least)}"
                for mean, least in zip(coefficients, part["least"], strict=True)
            ],
        }
    )
    return "\n".join([heading, "-" * len(heading), "", POPULATIONS[population], "", rst_of(table)])


def _in_words(found: pd.DataFrame) -> str:
    """Say how often intervals hold, with weights and with equal chances."""
    sentences = []
    for method in _WITH_COEFFICIENTS:
        part = found[(found["method"] == method) & (found["read"] == "sampling")]
        is_even = part["population"] == EQUAL
        even, uneven = part[is_even], part[~is_even]
        if not len(even) or not len(uneven):
            return ""
        sentences.append(
            f"With weights the interval of ``{method}`` holds the share in "
            f"{_number(uneven['holds'].min())} to {_number(uneven['holds'].max())} of the samples, "
            f"and the worst coefficient is held in {_number(uneven['least'].min())}. With equal "
            f"chances and half as many rows these are {_number(even['holds'].min())} and "
            f"{_number(even['least'].min())}."
        )
    return wrapped(" ".join(sentences))


def _number(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if value < 1 else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("0.", ".", 1)


RECORDS = Records("samples.csv", ("population", "method", "read", "repeat"), measure, keys)
