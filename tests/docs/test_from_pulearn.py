"""The page "Coming from pulearn" names what pulearn has, and is right about values and labels.

Run where pulearn is installed (`requirements/field.txt`); skipped elsewhere.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.docs.pages import text_of
from unlabeled import PULogistic, metrics
from unlabeled.datasets import make_paper_gaussian

PAGE = text_of("start/from_pulearn")
CLASSES, METRICS = PAGE.split("\nMetrics\n-------\n")
FIRST_CELL = re.compile(r"^   \* - (.+)$", re.MULTILINE)
PRIOR = 0.2


def named(table: str) -> list[str]:
    """Return the names in the first column of a table."""
    cells = " ".join(FIRST_CELL.findall(table))
    return [name for name in re.findall(r"``(\w+)", cells) if name != "pulearn"]


@pytest.fixture(scope="module")
def pulearn():
    return pytest.importorskip("pulearn")


@pytest.fixture(scope="module")
def predictions():
    data = make_paper_gaussian(2000, label_frequency=0.5, random_state=0)
    model = PULogistic().fit(data.X, data.s)
    return data, model.predict(data.X), model.positive_score(data.X)


def test_the_tables_name_classes_and_metrics():
    assert len(named(CLASSES)) > 20
    assert len(named(METRICS)) > 10


def test_pulearn_has_every_name_of_the_page(pulearn):
    from pulearn import metrics as theirs

    assert [name for name in named(CLASSES) if not hasattr(pulearn, name)] == []
    assert [name for name in named(METRICS) if not hasattr(theirs, name)] == []


def test_the_metrics_that_are_the_same_are(pulearn, predictions):
    from pulearn import metrics as theirs

    data, predicted, _ = predictions
    same = {
        "lee_liu_score": metrics.f1_pu_score(data.s, predicted),
        "pu_recall_score": metrics.pu_recall_score(data.s, predicted),
    }
    with_prior = {
        "pu_precision_score": metrics.corrected_precision_score,
        "pu_f1_score": metrics.corrected_f1_score,
    }
    for name, value in same.items():
        assert getattr(theirs, name)(data.s, predicted) == pytest.approx(value)
    for name, ours in with_prior.items():
        value = ours(data.s, predicted, class_prior=PRIOR)
        assert getattr(theirs, name)(data.s, predicted, pi=PRIOR) == pytest.approx(value)


@pytest.mark.filterwarnings("ignore")
def test_their_auc_needs_the_share_of_positives_among_the_unlabeled_rows(pulearn, predictions):
    from pulearn import metrics as theirs

    data, _, score = predictions
    hidden = (PRIOR - data.s.mean()) / (1 - data.s.mean())
    ours = metrics.corrected_auc_score(data.s, score, class_prior=PRIOR)
    assert theirs.pu_roc_auc_score(data.s, score, pi=hidden) == pytest.approx(ours)
    assert theirs.pu_roc_auc_score(data.s, score, pi=PRIOR) > ours + 0.03


@pytest.mark.parametrize("unlabeled", [0, -1, False])
def test_what_it_takes_as_unlabeled(pulearn, unlabeled):
    labels = np.array([1, unlabeled, 1, unlabeled])
    assert pulearn.normalize_pu_labels(labels).tolist() == [1, 0, 1, 0]
