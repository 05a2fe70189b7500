"""The table of a fitted model."""

import re

import numpy as np
import pandas as pd
import pytest

from unlabeled import JointLogistic, NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
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
    for word in ("age", "intercept", "[0.05", "0.95]", "sandwich"):
        assert word in text
    assert re.search(r"labelled rows +241\n", text)
    assert ("logit c" in text) is (kind is JointLogistic)


def test_joint_s_summary_has_the_intervals_of_c_and_prior_and_a_caution():
    small = make_paper_gaussian(1000, c=0.3, random_state=1)
    joint = JointLogistic().fit(small.X, small.s)
    facts = dict(joint.summary(small.X, small.s).facts)
    c = joint.label_frequency_interval(small.X, small.s)
    prior = joint.class_prior_interval(small.X, small.s)
    assert facts["label frequency, 95%"] == f"{c.lower:.4f} to {c.upper:.4f}"
    assert facts["class prior, 95%"] == f"{prior.lower:.4f} to {prior.upper:.4f}"
    assert c.upper == 1
    assert "caution" in facts
    large = make_paper_gaussian(5000, c=0.6, random_state=0)
    sure = JointLogistic().fit(large.X, large.s).summary(large.X, large.s)
    assert "caution" not in dict(sure.facts)
    known = JointLogistic(label_frequency=0.6).fit(large.X, large.s).summary(large.X, large.s)
    assert "class prior, 95%" not in dict(known.facts)
