"""Persons with several rows: how often the terminal asks for groups, and how many are positive."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from reproduction.studies.draw import seed_of
from unlabeled import PULogistic
from unlabeled.app.tables import repeated_rows
from unlabeled.scores import positive_groups_density

from .pages import rst_of, wrapped
from .study import Key, Records, repeated

TABLES = 200
"""Tables without groups."""
HITS, COUNTS = 20, 60
"""Tables of each kind with persons, for the question and for the number of persons."""

IDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "numbers": lambda rng, n: rng.permutation(10**6)[:n],
    "1 to n": lambda _, n: np.arange(1, n + 1),
    "codes": lambda rng, n: np.array([f"K{code:06d}" for code in rng.permutation(10**6)[:n]]),
}
POPULATIONS = {
    "one class and one label": "a person has one class and one label",
    "one class": "a person has one class; each row is labeled by itself",
    "own classes": "each row has its own class, by its features alone, and label",
    "like classes": "each row has its own class and label; persons differ beyond their features",
}
_PERSONS, _FEATURES, _ALIKE, _FREQUENCY = 500, 5, 0.6, 0.3


def persons(
    population: str, rows: int, alike: float, rng: np.random.Generator, n_persons: int = _PERSONS
) -> tuple[Any, ...]:
    """Draw persons with one row and more; return X, classes, labels, and the person of each row.

    `alike` is the person's part of the variance of each feature.
    """
    size = 1 + rng.poisson(rows - 1, n_persons)
    person = np.repeat(np.arange(n_persons), size)
    of_person = rng.normal(size=(n_persons, _FEATURES))
    X = np.sqrt(alike) * of_person[person]
    X = X + np.sqrt(1 - alike) * rng.normal(size=(len(person), _FEATURES))
    direction = np.full(_FEATURES, _FEATURES**-0.5)
    own = rng.normal(size=n_persons) if population == "like classes" else np.zeros(n_persons)
    if population.startswith("one class"):
        logit = 5 * (of_person @ direction)
        y = (rng.random(n_persons) < expit(logit - np.quantile(logit, 0.7)))[person]
    else:
        logit = 5 * (X @ direction) + 3 * own[person]
        y = rng.random(len(person)) < expit(logit - np.quantile(logit, 0.75))
    unit = person if population == "one class and one label" else np.arange(len(person))
    s = y & (rng.random(len(person))[unit] < _FREQUENCY)
    return X, y.astype(float), s.astype(float), person


def without_groups(seed: int) -> tuple[str, pd.DataFrame]:
    """Make a table whose rows do not belong together, with a column of many values."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([300, 600, 1500, 4000])), int(rng.integers(3, 9))
    X = rng.normal(size=(n, d)) @ (np.eye(d) + 0.3 * rng.normal(size=(d, d)))
    kinds = (_age, _postcode, _shuffled_postcode, _product, _popular_product, _doctor, _first_name,
             _day, _count, _nothing)  # fmt: skip
    kind = kinds[seed % len(kinds)]
    columns, shift = kind(rng, n, X[:, 0])
    logit = 2 * (X @ rng.normal(size=d) / np.sqrt(d) + shift)
    logit -= np.quantile(logit, 1 - rng.choice([0.03, 0.1, 0.3, 0.5]))
    s = (rng.random(n) < expit(logit)) & (rng.random(n) < rng.choice([0.2, 0.5, 0.8]))
    frame = pd.DataFrame(X.round(2), columns=[f"x{k}" for k in range(d)])
    return kind.__name__.strip("_"), frame.assign(**columns, s=s.astype(float))


_Kind = tuple[dict[str, Any], np.ndarray]


def _nothing(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    return {}, np.zeros(n)


def _age(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    age = np.clip((50 + 15 * x + rng.normal(0, 8, n)).round(), 18, 95).astype(int)
    return {"age": age}, (age - 50) / 20


def _count(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    return {"visits": rng.poisson(np.exp(2 + 0.5 * np.clip(x, -3, 3)))}, x


def _day(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    day = rng.integers(0, 365, n)
    dates = pd.Timestamp("2024-01-01") + pd.to_timedelta(day, "D")
    return {"day": dates.strftime("%Y-%m-%d")}, day / 200


def _doctor(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    m = int(rng.choice([20, 60, n // 10]))
    doctor = rng.integers(0, m, n)
    return {"doctor": doctor + 100}, 0.8 * rng.normal(size=m)[doctor]


def _first_name(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    name = rng.choice(200, n, p=_popular(200))
    columns = {"name": [f"N{k}" for k in name], "sex": np.where(name % 2, "f", "m")}
    return columns, 0.5 * (name % 2)


def _postcode(rng: np.random.Generator, n: int, x: np.ndarray, in_order: bool = True) -> _Kind:
    m = int(rng.choice([n // 3, n // 8, n // 20]))
    region = np.sort(rng.integers(0, 12, m))
    effect = rng.normal(size=12)[region] + 0.5 * rng.normal(size=m)
    codes = np.sort(rng.permutation(90_000)[:m]) + 10_000
    at = rng.integers(0, m, n)
    columns = {
        "postcode": (codes if in_order else rng.permutation(codes))[at],
        "region": [f"R{k}" for k in region[at]],
        "rent": effect[at] + 0.5 * rng.normal(size=n),
    }
    return columns, effect[at]


def _shuffled_postcode(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    return _postcode(rng, n, x, in_order=False)


def _product(rng: np.random.Generator, n: int, x: np.ndarray, popular: bool = False) -> _Kind:
    m = int(rng.choice([n // 3, n // 10, n // 25]))
    at = rng.choice(m, n, p=_popular(m) if popular else None)
    price, category = rng.normal(size=m), rng.integers(0, 6, m)
    columns = {
        "product": [f"A-{code}" for code in rng.permutation(10**5)[:m][at]],
        "category": [f"C{k}" for k in category[at]],
        "price": np.exp(price[at]) * (1 + 0.05 * rng.normal(size=n)),
    }
    return columns, 0.7 * price[at] + 0.5 * rng.normal(size=m)[at]


def _popular_product(rng: np.random.Generator, n: int, x: np.ndarray) -> _Kind:
    return _product(rng, n, x, popular=True)


def _popular(m: int) -> np.ndarray:
    weight = 1 / np.arange(1.0, m + 1)
    return weight / weight.sum()


def asked(frame: pd.DataFrame) -> str | None:
    """Return the column that the terminal takes as groups."""
    names = [name for name in frame.columns if name != "s"]
    found = repeated_rows(frame, frame["s"].to_numpy(), names, names)
    return None if found is None else found.name


def measure_question(kind: str, rows: int, alike: float, repeat: int) -> dict[str, float]:
    """Ask whether a table has rows that belong together."""
    if kind == "without groups":
        return {"asked": float(asked(without_groups(repeat)[1]) is not None)}
    rng = np.random.default_rng(seed_of("question", kind, rows, alike, repeat))
    X, _, s, person = persons(kind, rows, alike, rng, 1500 // rows)
    ids = tuple(IDS.values())[repeat % len(IDS)](rng, int(person.max()) + 1)
    born = rng.integers(1930, 2005, int(person.max()) + 1)
    frame = pd.DataFrame(X.round(2), columns=[f"x{k}" for k in range(_FEATURES)])
    frame = frame.assign(unit=ids[person], born=born[person], noise=rng.normal(size=len(X)), s=s)
    return {"asked": float(asked(frame.sample(frac=1, random_state=repeat)) == "unit")}


def question_keys() -> list[Key]:
    """Return tables without groups, and with 2, 5 and 10 rows per person."""
    kinds = product(POPULATIONS, (2, 5, 10), (0.3, 0.6))
    return [("without groups", 1, 0.0, repeat) for repeat in range(TABLES)] + repeated(
        [*kinds], HITS
    )


def measure_count(population: str, groups: int, repeat: int) -> dict[str, float]:
    """Count positive rows, and persons if groups are given; say recall of the cut and its truth."""
    rng = np.random.default_rng(seed_of("persons", population, repeat))
    X, y, s, person = persons(population, 5, _ALIKE, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PULogistic().fit(X, s, groups=person if groups else None)
    rows, selected = model.class_prior_interval(), model.held_out_score_ > model.threshold_
    found = {
        "rows_hold": float(y.mean() in rows),
        "rows_length": rows.upper - rows.lower,
        "recall_bias": model.cut_.recall - float(selected[y == 1].mean()),
    }
    if not groups:
        return found | {"persons_hold": np.nan, "persons_bias": np.nan, "persons_length": np.nan}
    truth = float(np.mean(np.bincount(person, y) > 0))
    share = positive_groups_density(
        s, model.held_out_score_, person, model.class_prior_density_
    ).interval()
    return found | {
        "persons_hold": float(truth in share),
        "persons_bias": share.estimate - truth,
        "persons_length": share.upper - share.lower,
    }


def count_keys() -> list[Key]:
    """Return all populations, without and with groups."""
    return repeated([*product(POPULATIONS, (0, 1))], COUNTS)


QUESTIONS = Records(
    "questions.csv", ("kind", "rows", "alike", "repeat"), measure_question, question_keys
)
PERSONS = Records("positive_persons.csv", ("population", "groups", "repeat"), measure_count,
                  count_keys)  # fmt: skip


def sections(questions: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    """Return the two sections of the page."""
    with_persons = questions[questions["kind"] != "without groups"]
    without = questions[questions["kind"] == "without groups"]["asked"]
    hits = with_persons.groupby(["kind", "rows", "alike"], sort=False)["asked"].agg(
        ["mean", "size"]
    )
    table = hits.reset_index().rename(
        columns={"kind": "population", "rows": "rows per person", "mean": "asked",
                 "size": "tables"}
    )  # fmt: skip
    table["asked"] = [f"{value:.2f}" for value in table["asked"]]
    by_cell = counts.groupby(["population", "groups"], sort=False)
    mean, n = by_cell.mean(numeric_only=True), by_cell.size()
    claims = pd.DataFrame(
        {
            "population": [key[0] for key in mean.index],
            "groups": ["yes" if key[1] else "no" for key in mean.index],
            "tables": n.to_numpy(),
            "rows: holds": [_share(p, k) for p, k in zip(mean["rows_hold"], n, strict=True)],
            "length": [f"{value:.2f}" for value in mean["rows_length"]],
            "recall": [f"{value:+.2f}" for value in mean["recall_bias"]],
            "persons: holds": [_share(p, k) for p, k in zip(mean["persons_hold"], n, strict=True)],
            "length ": [_or_dash(value, ".2f") for value in mean["persons_length"]],
            "bias": [_or_dash(value, "+.3f") for value in mean["persons_bias"]],
        }
    )
    return [
        "\n\n".join(
            (
                "When the terminal asks\n----------------------",
                wrapped(
                    "Without ``--group``, the terminal looks for a column whose values have "
                    "several rows that are alike. On "
                    f"{len(without)} tables without groups, with ages, counts, days, postal codes, "
                    f"products, doctors and first names, it found one in {int(without.sum())}. "
                    "The table shows how often it found the persons among 1 500 rows. *Alike* is "
                    "the person's part of the variance of each feature."
                ),
                rst_of(table),
            )
        ),
        "\n\n".join(
            (
                "How many persons\n----------------",
                wrapped(
                    f"{_PERSONS} persons have 5 rows each on the mean, {_ALIKE:.0%} of the "
                    f"variance of a feature is the person's, and {_FREQUENCY:.0%} of the positives "
                    "are labeled. "
                    + " ".join(f"*{name}*: {words}." for name, words in POPULATIONS.items())
                    + " ``holds``: how often the 95 % interval of the share of positive rows, or "
                    "of persons with a positive row, holds the truth of the table. ``recall``: "
                    "what PULogistic says for its cut, minus the truth."
                ),
                rst_of(claims),
            )
        ),
    ]


def _share(value: float, number: int) -> str:
    if np.isnan(value):
        return "–"
    plus = (value * number + 2) / (number + 4)
    return f"{value:.2f} ({np.sqrt(plus * (1 - plus) / (number + 4)):.2f})"


def _or_dash(value: float, form: str) -> str:
    return "–" if np.isnan(value) else format(value, form)
