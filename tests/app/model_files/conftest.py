"""A table with every kind of column, models fitted to it, and files that were tampered with."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import warnings
import zipfile
from itertools import count
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import unlabeled
from unlabeled import (
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.app.model_files import Card, write_model
from unlabeled.app.run import METHODS
from unlabeled.app.tables import table_pipeline

FINGERPRINT = {"sha256": "ab" * 32, "rows": 800, "columns": 12}
CLASSIFIERS = {name: getattr(unlabeled, of) for name, of in METHODS.items()} | {
    "pu-logistic": lambda: PULogistic(random_state=0),
    "pu-logistic, text rule": lambda: PULogistic("balanced_accuracy"),
    "pu-logistic, prior given": lambda: PULogistic(class_prior=0.5),
    "propensity": lambda: PropensityLogistic(propensity_features=[0], random_state=0),
    "weighted": lambda: WeightedLogistic(0.5, C=1.0),
    "threshold": lambda: PUThresholdClassifier(NaiveLogistic(), random_state=0),
}


def _make_table(n, seed=0):
    """Return numbers, categories, true/false, dates, text and gaps, and labels."""
    rng = np.random.default_rng(seed)
    visit = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    regions = ["north", "east", "south", "west", "moon", "mars", "venus"]
    shares = [0.3, 0.3, 0.2, 0.176, 0.008, 0.008, 0.008]
    frame = pd.DataFrame(
        {
            "age": rng.normal(55, 12, n),
            "visits": rng.integers(0, 9, n),
            "bmi": np.where(rng.random(n) < 0.1, np.nan, rng.normal(27, 4, n)),
            "sex": rng.choice(["female", "male"], n),
            "région": rng.choice(regions, n, p=shares),
            "ward": pd.Categorical(rng.choice(["A", "B", "C"], n)),
            "smoker": rng.random(n) < 0.3,
            "insured": pd.array(
                np.where(rng.random(n) < 0.1, None, rng.random(n) < 0.6), "boolean"
            ),
            "visit": pd.Series(visit).where(rng.random(n) > 0.1),
            "seen": pd.Series(visit).dt.tz_localize("Europe/Warsaw"),
            "written": visit.strftime("%d/%m/%Y"),
            "notes": [f"{a} walks and {b} swims" for a, b in rng.integers(10, 99, (n, 2))],
        }
    )
    frame.loc[rng.random(n) < 0.1, "région"] = None
    frame.loc[rng.random(n) < 0.1, "notes"] = None
    eta = -1 + 0.08 * (frame["age"] - 55) + (frame["sex"] == "male") + frame["smoker"]
    ill = rng.random(n) < 1 / (1 + np.exp(-eta))
    return frame, (ill & (rng.random(n) < 0.5)).astype(int)


_FEATURES, _FITS = {}, {}


def _fitted(name, frame, s):
    """Fit a classifier, once per table object; the caches keep the table, so that its id stays.

    All classifiers of a table stand behind the same fitted features.
    """
    key = name, id(frame), id(s)
    if key not in _FITS:
        if id(frame) not in _FEATURES:
            features = table_pipeline(None)[0]
            _FEATURES[id(frame)] = features, features.fit_transform(frame), frame
        features, numbers, _ = _FEATURES[id(frame)]
        model = table_pipeline(CLASSIFIERS[name]())
        model.steps[0] = ("table", features)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model[-1].fit(numbers, s)
        _FITS[key] = model, frame, s
    return _FITS[key][0]


def _card_of(pipeline, **more):
    return Card.of(pipeline, label="diagnosis", positive="yes", fingerprint=FINGERPRINT, **more)


@pytest.fixture(scope="session")
def make_table():
    return _make_table


@pytest.fixture(scope="session")
def fitted():
    return _fitted


@pytest.fixture(scope="session")
def card_of():
    return _card_of


@pytest.fixture(scope="session")
def table():
    return _make_table(800)


@pytest.fixture(scope="session")
def other_rows():
    """Return rows of no fit, with levels of none."""
    frame, _ = _make_table(60, seed=1)
    frame.loc[:4, "région"] = "atlantis"
    return frame


@pytest.fixture(scope="session")
def model(table):
    """Return a model of the columns that are quick to fit."""
    frame, s = table
    return _fitted("naive", frame[["age", "bmi", "sex", "région", "notes"]], s)


@pytest.fixture(scope="session")
def saved_model(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved") / "fit"
    write_model(model, folder, _card_of(model))
    return folder


@pytest.fixture
def folder(saved_model, tmp_path):
    """Return a copy of the files of `model`, to be changed."""
    return Path(shutil.copytree(saved_model, tmp_path / "fit"))


class Tampered:
    """The files of a model, to be changed; the checksum in the card is made to fit."""

    def __init__(self, folder: Path) -> None:
        self.model, self.card = folder / "model.skops", folder / "model.json"
        with zipfile.ZipFile(self.model) as archive:
            self.members = {name: archive.read(name) for name in archive.namelist()}
        self.root = json.loads(self.members.pop("schema.json"))

    def write(self, description=None, **more):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in self.members.items():
                archive.writestr(name, content)
            if description is not False:
                archive.writestr("schema.json", description or json.dumps(self.root))
        return self.write_bytes(stream.getvalue())

    def write_bytes(self, data):
        self.model.write_bytes(data)
        self.write_card(sha256=hashlib.sha256(data).hexdigest())
        return data

    def write_card(self, **changes):
        card = json.loads(self.card.read_text("utf-8")) | changes
        self.card.write_text(json.dumps(card), "utf-8")

    def settings(self, name):
        """Return the settings of the first object of a class."""
        return next(one for one in self.nodes() if one["__class__"] == name)["content"]

    def nodes(self):
        return nodes(self.root)

    def put(self, payload):
        """Put a node where the classifier has its tolerance."""
        self.settings("NaiveLogistic")["content"]["tol"] = payload


def nodes(one):
    if isinstance(one, dict):
        if "__loader__" in one:
            yield one
        one = list(one.values())
    if isinstance(one, list):
        for part in one:
            yield from nodes(part)


@pytest.fixture
def tampered(folder):
    return Tampered(folder)


@pytest.fixture(scope="session")
def tampered_at():
    return Tampered


@pytest.fixture
def numbers():
    """Return ids of nodes that no file has."""
    return count(200_000)
