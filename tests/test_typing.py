"""A type checker finds wrong words in a user's script, and nothing in a right one."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import unlabeled
from tests.commands import run

pytestmark = pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")

RIGHT = """
from unlabeled import PULogistic
from unlabeled.app import save_model
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import diagnose
from unlabeled.inference import bootstrap

data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
model = PULogistic(sampling="one-sample", cv=5, C="auto").fit(data.X, data.s)
model.predict(data.X), model.predict_proba(data.X)
lower, upper = model.class_prior_interval(of="population")
print(upper - lower, diagnose(model, data.X, data.s))
bootstrap(model, data.X, data.s, n_resamples=5)
save_model(model, "folder")
"""
WRONG = (
    'PULogistic(sampling="two_sample")',
    'PULogistic(direction="jiont")',
    'PULogistic(cv="lo")',
    'WeightedLogistic(weighting="risky")',
    'JointLogistic(solver="newton")',
    "EnhancedLogistic().fit([[0.0]], [1], groups=[1])",
)


def checked(script: str, folder: Path) -> str:
    file = folder / "script.py"
    file.write_text(script)
    source = Path(unlabeled.__file__).parents[1]
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent"]
    words += ["--config-file", os.devnull, "--cache-dir", str(folder / "cache"), str(file)]
    return str(run(*words, check=False, env=os.environ | {"MYPYPATH": str(source)}).stdout)


def test_a_right_script_has_no_errors_and_every_wrong_word_has_one(tmp_path):
    names = "EnhancedLogistic, JointLogistic, PULogistic, WeightedLogistic"
    script = RIGHT + f"from unlabeled import {names}\n" + "\n".join(WRONG) + "\n"
    first = script.count("\n") - len(WRONG) + 1
    found = [line for line in checked(script, tmp_path).splitlines() if ": error: " in line]
    numbers = [int(line.split(":")[1]) for line in found]
    assert sorted(set(numbers)) == list(range(first, first + len(WRONG))), found
