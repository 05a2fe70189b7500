"""Eleven tables as users bring them: files, the options of `unlabeled fit`, and the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit

_LABEL = "label"


@dataclass(frozen=True)
class Drawn:
    """A table with its true classes, which rows are labeled, and further options of a fit.

    The rows of `cases`, if there are any, come from another place: they are a file of their own.
    """

    frame: pd.DataFrame
    y: np.ndarray
    s: np.ndarray
    options: tuple[str, ...] = ()
    cases: pd.DataFrame | None = None
    known: dict[str, np.ndarray] = field(default_factory=dict)

    def write(self, folder: Path) -> list[str]:
        """Write the files; return the arguments of `unlabeled fit` that name them."""
        table = folder / "table.csv"
        if self.cases is not None:
            self.frame.to_csv(table, index=False)
            self.cases.to_csv(folder / "cases.csv", index=False)
            return ["--cases", str(folder / "cases.csv"), "--population", str(table)]
        label = np.where(self.s == 1, "yes", "")
        self.frame.assign(**{_LABEL: label, **self.known}).to_csv(table, index=False)
        return [str(table), "--label", _LABEL, *self.options]


class Kind(NamedTuple):
    """A kind of table: what it is, in words, and how to draw one."""

    words: str
    draw: Callable[[np.random.Generator], Drawn]


def _with_mean(logits: np.ndarray, mean: float) -> np.ndarray:
    """Shift logits so that their probabilities have this mean."""
    shift = brentq(lambda a: expit(logits + a).mean() - mean, -40, 40)
    return np.asarray(expit(logits + shift))


def _classes(rng: np.random.Generator, logits: np.ndarray, prior: float) -> np.ndarray:
    return np.asarray(rng.random(len(logits)) < _with_mean(logits, prior))


def _at_random(rng: np.random.Generator, y: np.ndarray, frequency: float) -> np.ndarray:
    return (y & (rng.random(len(y)) < frequency)).astype(int)


def _labeled_by(
    rng: np.random.Generator, y: np.ndarray, logits: np.ndarray, frequency: float
) -> np.ndarray:
    """Label positives by a propensity whose mean over them is the frequency."""
    propensity = np.zeros(len(y))
    propensity[y] = _with_mean(logits[y], frequency)
    return (rng.random(len(y)) < propensity).astype(int)


def _numbers(
    rng: np.random.Generator, n: int, slopes: tuple[float, ...]
) -> tuple[pd.DataFrame, np.ndarray]:
    X = rng.normal(size=(n, len(slopes)))
    names = [f"x{j}" for j in range(1, len(slopes) + 1)]
    return pd.DataFrame(X.round(4), columns=names), X @ np.array(slopes)


_SLOPES = (1.5, -1.0, 0.7, 0.3, 0.0)


def numbers(rng: np.random.Generator) -> Drawn:
    """Five numbers, one of them noise; a logistic posterior."""
    frame, logits = _numbers(rng, 2000, _SLOPES)
    y = _classes(rng, logits, 0.25)
    return Drawn(frame, y, _at_random(rng, y, 0.3))


def _clinic(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    age, dose = rng.normal(55, 14, n).clip(18, 95).round(), rng.gamma(2.0, 20.0, n).round(1)
    ward = rng.choice(list("ABCDE"), n, p=[0.4, 0.25, 0.2, 0.1, 0.05])
    sex, smoker = rng.choice(["f", "m"], n), rng.random(n) < 0.3
    of_ward = pd.Series({"A": 0.0, "B": 0.8, "C": -0.6, "D": 1.2, "E": -1.0})
    logits = (
        0.06 * (age - 55)
        + 0.02 * (dose - 40)
        + of_ward[ward].to_numpy()
        + 1.1 * smoker
        - 0.4 * (sex == "m")
    )
    columns = {"age": age, "dose": dose, "ward": ward, "sex": sex, "smoker": smoker}
    return pd.DataFrame(columns), logits


def categories(rng: np.random.Generator) -> Drawn:
    """Numbers and categories of a clinic."""
    frame, logits = _clinic(rng, 2500)
    y = _classes(rng, 1.3 * logits, 0.3)
    return Drawn(frame, y, _at_random(rng, y, 0.4))


def rare_levels(rng: np.random.Generator) -> Drawn:
    """Two numbers and a category of thirty levels, most of them rare."""
    frame, logits = _numbers(rng, 2500, (1.4, -0.9))
    weights = 1 / np.arange(1, 31)
    level = rng.choice(30, len(frame), p=weights / weights.sum())
    effect = np.random.default_rng(0).normal(scale=0.8, size=30)
    frame["site"] = [f"site {k:02d}" for k in level]
    y = _classes(rng, logits + effect[level], 0.3)
    return Drawn(frame, y, _at_random(rng, y, 0.4))


def curved(rng: np.random.Generator) -> Drawn:
    """Positives lie inside a ring, which no line finds."""
    frame, _ = _numbers(rng, 3000, (1.0, 1.0, 1.0))
    squares = frame["x1"].to_numpy() ** 2 + frame["x2"].to_numpy() ** 2
    y = _classes(rng, 3.0 * (1.2 - squares) + frame["x3"].to_numpy(), 0.3)
    return Drawn(frame, y, _at_random(rng, y, 0.4))


def rare_positives(rng: np.random.Generator) -> Drawn:
    """One row in a hundred is positive."""
    frame, logits = _numbers(rng, 20_000, _SLOPES)
    y = _classes(rng, 1.5 * logits, 0.01)
    return Drawn(frame, y, _at_random(rng, y, 0.5))


def few_labels(rng: np.random.Generator) -> Drawn:
    """About 25 labeled rows."""
    frame, logits = _numbers(rng, 1500, _SLOPES)
    y = _classes(rng, logits, 0.2)
    return Drawn(frame, y, _at_random(rng, y, 25 / y.sum()))


def by_a_feature(rng: np.random.Generator) -> Drawn:
    """Positives of ward A are labeled more often, and nobody says so."""
    frame, logits = _clinic(rng, 2500)
    y = _classes(rng, 1.3 * logits, 0.3)
    s = _labeled_by(rng, y, np.where(frame["ward"] == "A", 2.0, 0.0), 0.4)
    return Drawn(frame, y, s)


def by_the_posterior(rng: np.random.Generator) -> Drawn:
    """The clearest positives are labeled most often."""
    frame, logits = _numbers(rng, 2000, _SLOPES)
    y = _classes(rng, logits, 0.25)
    return Drawn(frame, y, _labeled_by(rng, y, logits, 0.3))


def messy(rng: np.random.Generator) -> Drawn:
    """Blank cells, question marks, spellings, codes with zeros, dates and notes."""
    frame, logits = _clinic(rng, 2500)
    y = _classes(rng, 1.3 * logits, 0.3)
    s, n = _at_random(rng, y, 0.4), len(frame)
    text = frame["dose"].astype(str)
    text[rng.random(n) < 0.1] = "?"
    age = frame["age"].where(rng.random(n) > 0.08)
    ward = frame["ward"].where(rng.random(n) > 0.02, frame["ward"].str.lower())
    seen = pd.Timestamp("2025-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    notes = rng.choice(["cough for days", "no complaints", "pain in the chest", "tired"], n)
    columns = {
        "patient": [f"{k:05d}" for k in rng.permutation(n)],
        "age": age,
        "dose": text,
        "ward": ward,
        "smoker": frame["smoker"].map({True: "Yes", False: "No"}),
        "code": [f"{k:03d}" for k in rng.integers(0, 40, n)],
        "seen": seen.strftime("%Y-%m-%d"),
        "note": notes,
        "country": "NL",
    }
    return Drawn(pd.DataFrame(columns), y, s, ("--id", "patient"))


def checked(rng: np.random.Generator) -> Drawn:
    """A hundred and fifty unlabeled rows, drawn at random, were checked."""
    frame, logits = _numbers(rng, 2000, _SLOPES)
    y = _classes(rng, logits, 0.25)
    s = _at_random(rng, y, 0.3)
    looked = rng.choice(np.flatnonzero(s == 0), 150, replace=False)
    answer = np.full(len(y), "", dtype=object)
    answer[looked] = np.where(y[looked], "yes", "no")
    return Drawn(frame, y, s, ("--checked", "checked"), known={"checked": answer})


def two_files(rng: np.random.Generator) -> Drawn:
    """A register of 400 cases, and a survey of 2000 people."""
    frame, logits = _numbers(rng, 12_000, _SLOPES)
    y = _classes(rng, logits, 0.15)
    survey = np.arange(len(y)) < 2000
    register = np.flatnonzero(y & ~survey)[:400]
    s = np.zeros(2000, dtype=int)
    return Drawn(frame[survey], y[survey], s, cases=frame.iloc[register])


TABLES = {
    "numbers": Kind("five numbers, logistic", numbers),
    "categories": Kind("numbers and categories", categories),
    "rare levels": Kind("a category of thirty levels", rare_levels),
    "curved": Kind("positives inside a ring", curved),
    "rare positives": Kind("1 % positives", rare_positives),
    "few labels": Kind("25 labeled rows", few_labels),
    "messy": Kind("blanks, codes, dates, notes", messy),
    "checked": Kind("150 checked rows", checked),
    "two files": Kind("a register and a survey", two_files),
    "by a feature": Kind("labels by a column, unsaid", by_a_feature),
    "by the posterior": Kind("the clearest are labeled", by_the_posterior),
}
AT_RANDOM = tuple(name for name in TABLES if not name.startswith("by "))
"""The tables whose labels are given at random, so that intervals should hold."""
