"""The table of a fitted model."""

import numpy as np
import pandas as pd
import pytest

from unlabeled import JointLogistic, NaiveLogistic
from unlabeled.inference import Estimates, Summary

TEXT = """\
Model
-----------------------------------------------------------------
rows  10
-----------------------------------------------------------------
           estimate  std. error      z   P>|z|   [0.025    0.975]
-----------------------------------------------------------------
dose         1.0000      0.5000   2.00  0.0455   0.0200    1.9800
intercept  -20.0000      2.0000 -10.00  0.0000 -23.9199  -16.0801
-----------------------------------------------------------------"""


def made(names=("dose", "intercept")):
    estimates = Estimates(names, np.array([1.0, -20.0]), np.diag([0.25, 4.0]))
    return Summary("Model", (("rows", "10"),), estimates)


def test_it_prints_aligned_columns():
    lines = str(made()).splitlines()
    assert [line.split() for line in lines if "-" * 9 not in line] == [
        line.split() for line in TEXT.splitlines() if "-" * 9 not in line
    ]
    table = [line for line in lines if not line.startswith("rows") and line != "Model"]
    assert len({len(line) for line in table}) == 1


def test_html_has_the_same_numbers_and_no_markup_of_the_user():
    html = made(names=("<b>dose", "intercept"))._repr_html_()
    assert "&lt;b&gt;dose" in html
    assert "<b>" not in html
    for number in ("1.0000", "0.5000", "-23.9199"):
        assert number in html


def test_the_frame_has_the_numbers():
    table = pd.DataFrame(made().frame(), index=["dose", "intercept"])
    assert table.loc["intercept", "z"] == -10
    assert table.loc["dose", "lower"] == pytest.approx(0.0200, abs=1e-4)


@pytest.mark.parametrize("kind", [NaiveLogistic, JointLogistic])
def test_a_fitted_model_has_one(golden, kind):
    data = golden(c=0.6)
    table = pd.DataFrame(data.X, columns=["age", "dose", "weight"])
    text = str(kind().fit(table, data.s).summary(table, data.s, level=0.9))
    for word in ("age", "intercept", "labelled rows    241", "[0.05", "0.95]", "sandwich"):
        assert word in text
    assert ("logit c" in text) is (kind is JointLogistic)
