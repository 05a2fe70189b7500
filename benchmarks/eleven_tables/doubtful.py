"""Four tables in which something is wrong: what a fit and an audit say, beside the truth."""

from __future__ import annotations

import csv
import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from reproduction.studies.draw import seed_of
from unlabeled.app.table_model import FitRecord, voided_by
from unlabeled.cli import main as unlabeled

from ..study import Records, repeated
from .tables import Drawn

REPEATS, CHECKED, LABELED = 20, 100, 40
LEAK = "treated_on"
_DATES = pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d").to_numpy()


class Kind(NamedTuple):
    """A kind of table: what is wrong with it, in words, and how to draw one."""

    words: str
    draw: Callable[[np.random.Generator], Drawn]


def _columns(X: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(1, X.shape[1] + 1)])


def _visits(rng: np.random.Generator) -> Drawn:
    """Draw 250 persons with four visits on the mean; class and label are the person's."""
    person = np.repeat(np.arange(250), 1 + rng.poisson(3, 250))
    own = rng.normal(size=(250, 4))
    y = rng.random(250) < expit(2 * own[:, 0] + own[:, 1] - 1)
    s = y & (rng.random(250) < 0.4)
    X = 0.9 * own[person] + 0.45 * rng.normal(size=(len(person), 4))
    frame = _columns(X).assign(person=rng.permutation(10**5)[:250][person])
    return Drawn(frame, y[person], s[person].astype(int))


def _leak(rng: np.random.Generator) -> Drawn:
    """Draw a table in which only labeled rows have a date of treatment."""
    X = rng.normal(size=(1200, 4))
    y = rng.random(1200) < expit(1.5 * X[:, 0] - X[:, 1] - 1)
    s = y & (rng.random(1200) < 0.4)
    date = np.where(s, rng.choice(_DATES, 1200), None)
    return Drawn(_columns(X).assign(**{LEAK: date}), y, s.astype(int))


def _wrong(rng: np.random.Generator) -> Drawn:
    """Draw a table of which 5 % of the labels are on negatives."""
    y = rng.random(1500) < 0.3
    X = rng.normal(size=(1500, 4))
    X[:, 0] += 3 * y
    s = y & (rng.random(1500) < 0.4)
    s[rng.choice(np.flatnonzero(~y), round(s.sum() * 0.05 / 0.95), replace=False)] = True
    return Drawn(_columns(X), y, s.astype(int))


def _rare(rng: np.random.Generator) -> Drawn:
    """Draw a table with 2 % positives."""
    y = rng.random(3000) < 0.02
    X = rng.normal(size=(3000, 4))
    X[:, 0] += 1.5 * y
    X[:, 1] += y
    return Drawn(_columns(X), y, (y & (rng.random(3000) < 0.4)).astype(int))


TABLES = {
    "visits": Kind("several rows per person, and nobody says so", _visits),
    "leak": Kind("a date that only labeled rows have", _leak),
    "wrong labels": Kind("5 % of the labels are wrong", _wrong),
    "rare": Kind("2 % positives", _rare),
}


def measure(table: str, repeat: int) -> dict[str, float]:
    """Draw a table, fit with the defaults, check rows, and compare all of it with the truth."""
    seed = seed_of("doubtful tables", table, repeat)
    drawn = TABLES[table].draw(np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = Path(folder) / "fit"
        given = drawn.write(Path(folder))
        _run("fit", *given, "--out", out, "--quiet")
        fitted = _of_fit(out, drawn)
        return fitted | _of_audit(out, given[0], drawn, seed % 2**31)


def _run(*words: Any) -> None:
    unlabeled([str(word) for word in words], standalone_mode=False)


def _of_fit(out: Path, drawn: Drawn) -> dict[str, float]:
    record = json.loads((out / "summary.json").read_text("utf-8"))
    selected = pd.read_csv(out / "scored.csv")["decision"].to_numpy() == 1
    positives, cut, groups = record["positives"], record["cut"], record["groups"] or {}
    doubts = [one for one in record["findings"] if one["code"] == "PU205"]
    listed = np.array([row for one in doubts for row in one["facts"].get("rows", [])], dtype=int)
    told = any(one["state"] in ("note", "warning") for one in doubts)
    return {
        "voided": float(voided_by(FitRecord.of(record)) is not None),
        "asked": float(bool(groups.get("unasked"))),
        "count_lower": positives["lower"],
        "count_upper": positives["upper"],
        "true_count": float(drawn.y.sum()),
        "precision_lower": cut["precision_lower"],
        "precision_upper": cut["precision_upper"],
        "true_precision": float(drawn.y[selected].mean()) if selected.any() else np.nan,
        "recall": cut["recall"],
        "true_recall": float(selected[drawn.y].mean()),
        "listed": float(len(listed)) if told else 0.0,
        "wrong_listed": float(np.sum(~drawn.y[listed])) if told else 0.0,
    }


def _of_audit(out: Path, table: str, drawn: Drawn, seed: int) -> dict[str, float]:
    check = out.parent / "check"
    sizes = ("--rows", CHECKED, "--labeled-rows", min(LABELED, int(drawn.s.sum())))
    _run("audit", out, "--table", table, "--out", check, *sizes, "--seed", seed, "--quiet")
    with (check / "check.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *lines = csv.reader(file)
    place = header.index("row")
    truth = [("yes" if drawn.y[int(line[place]) - 1] else "no") for line in lines]
    answers = check / "answers.csv"
    pairs = zip((line[0] for line in lines), truth, strict=True)
    text = "key,truth\n" + "".join(f"{key},{word}\n" for key, word in pairs)
    answers.write_text(text, encoding="utf-8")
    _run("audit", out, "--answers", answers, "--quiet")
    record = json.loads((out / "summary.json").read_text("utf-8"))["audit"]
    selected = pd.read_csv(out / "audited.csv")["selected"].to_numpy() == 1
    wrong = record["wrong_labels"]
    at_end = [
        name
        for name, one in record["range"].items()
        if one["lower"] < one["upper"] and one["estimate"] in (one["lower"], one["upper"])
    ]
    return {
        "leak_shown": float(LEAK in header),
        "audit_count_lower": record["range"]["count"]["lower"],
        "audit_count_upper": record["range"]["count"]["upper"],
        "audit_recall_lower": record["range"]["recall"]["lower"],
        "audit_recall_upper": record["range"]["recall"]["upper"],
        "wrong_lower": wrong["lower"],
        "wrong_upper": wrong["upper"],
        "true_wrong": float(1 - drawn.y[drawn.s == 1].mean()),
        "at_end": float(len(at_end)),
        "explained": float(len(record["ends"])),
        "kept": float(record["cut"]["kept"]),
        "audited_recall": float(selected[drawn.y].mean()),
    }


RECORDS = Records(
    "doubtful.csv",
    ("table", "repeat"),
    measure,
    lambda: repeated([(name,) for name in TABLES], REPEATS),
)
