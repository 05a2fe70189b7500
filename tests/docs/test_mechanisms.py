"""The calls in the table of labeling mechanisms run, and give what the table says of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from unlabeled import datasets
from unlabeled.datasets._propensity import _MECHANISMS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference" / "mechanisms.rst"
SECTION = PAGE.read_text("utf-8").partition(".. _labeling-mechanisms:")[2]
ROWS = re.findall(r"^   \* - (.*)\n     - (.*)\n     - ``(.*)``$", SECTION, re.MULTILINE)
CALLS = {name: call for name, _, call in ROWS}
SOURCES = sorted({source for _, of_row, _ in ROWS for source in of_row.split(", as in ")})
REFERENCES = (DOCS / "understand" / "references.rst").read_text("utf-8").split("\n* ")


@pytest.fixture(scope="module")
def names():
    generator = np.random.RandomState(0)
    X = generator.normal(size=(400, 6))
    p = expit(X[:, 0] + X[:, 1])
    y_true = (generator.uniform(size=400) < p).astype(int)
    return {**vars(datasets), "X": X, "y_true": y_true, "p": p, "c": 0.3, "n": 50}


def test_the_table_has_every_mechanism_of_the_reference():
    called = {name for call in CALLS.values() for name in re.findall(r'^propensity\("(\w+)"', call)}
    assert set(_MECHANISMS) - called == {"feature"}  # ours


@pytest.mark.parametrize("mechanism", CALLS)
def test_a_call_of_the_table_gives_labels(mechanism, names):
    call = CALLS[mechanism]
    given = eval(call, dict(names))
    if call.startswith("draw_labels"):
        assert given.sum() == given[names["y_true"] == 1].sum() == names["n"]
    elif call.startswith("hide_labels"):
        assert 0 < given.sum() == given[names["y_true"] == 1].sum()
    else:
        assert datasets.hide_labels(names["y_true"], propensity=given, random_state=0).sum() > 0
    if "label_frequency=c" in call:
        assert given[names["y_true"] == 1].mean() == pytest.approx(names["c"], rel=1e-9)


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_of_the_table_is_among_the_references(source):
    author, year = re.fullmatch(r"([\w-]+).* (\(\d{4}\))", source).groups()
    found = [
        text for text in REFERENCES if re.search(rf"^(\w\. )*{author}\b.*{re.escape(year)}", text)
    ]
    assert len(found) == 1
