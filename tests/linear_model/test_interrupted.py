"""Ctrl-C in a fit that somebody watches keeps the best point; elsewhere it stays what it is."""

import re
import signal
import subprocess
import sys
import textwrap

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.linear_model.ctrl_c import interrupted, is_usable
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUConvergenceWarning, PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.solvers import _descent
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import ElkanNoto
from unlabeled.linear_model import _naive

# Each with an evaluation in the middle of its last fit.
MODELS = {
    "enhanced": (EnhancedLogistic(), 4),
    "naive, ridge": (NaiveLogistic(C=0.1), 4),
    "no intercept": (NaiveLogistic(fit_intercept=False), 3),
    "joint": (JointLogistic(), 60),
    "known frequency": (JointLogistic(0.6), 30),
    "mm": (JointLogistic(solver="mm"), 25),
    "em": (JointLogistic(solver="em"), 46),
    "published": (JointLogistic(settings="published"), 12),
    "published mm": (JointLogistic(solver="mm", settings="published"), 12),
    "weighted": (WeightedLogistic(0.8), 4),
    "no minimum": (WeightedLogistic(0.2), 40),
    "posterior": (WeightedLogistic(ElkanNoto(), weighting="posterior"), 22),
}
each_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(2000, c=0.6, random_state=0)


@each_model
@pytest.mark.usefixtures("capsys")
def test_the_best_point_becomes_the_fit(name, data, press_ctrl_c):
    model, call = MODELS[name]
    pressed = press_ctrl_c(call)
    model, warning = interrupted(model, data)
    is_usable(model, data)
    assert f"after {call - 1} evaluations" in str(warning.message)
    assert model.n_iter_ == call - 1
    # Of all points of the function that was being minimised none is better.
    last = pressed.seen[-1][0]
    same = [
        (value, problem.theta(z))
        for problem, z, value in pressed.seen
        if problem.stage is last.stage
    ]
    if name == "em":  # was stopped in a logistic step, which is another function
        assert last.stage.name == "EM's logistic step"
        same = [
            (value, problem.theta(z))
            for problem, z, value in pressed.seen
            if problem.stage.name == "JOINT"
        ]
    assert len(same) > 1
    theta = min(same, key=lambda each: each[0])[1]
    np.testing.assert_array_equal(model.coef_[0], theta[: data.X.shape[1]])


@pytest.mark.usefixtures("capsys")
def test_the_warning_says_how_far_it_was_and_is_one_about_convergence(data, press_ctrl_c):
    press_ctrl_c(4)
    _, warning = interrupted(EnhancedLogistic(), data)
    assert issubclass(warning.category, PUConvergenceWarning)
    assert issubclass(warning.category, ConvergenceWarning)
    assert warning.filename == interrupted.__code__.co_filename  # where `fit` was called
    assert re.search(r"gradient norm [\d.]+(e-\d+)?\)", str(warning.message))


@pytest.mark.usefixtures("capsys")
def test_the_warning_has_the_gradient_norm_of_the_point(data, press_ctrl_c):
    press_ctrl_c(60)
    model, warning = interrupted(JointLogistic(), data)
    assert f"norm {model.gradient_norm_:.2g})" in str(warning.message)


@pytest.mark.usefixtures("capsys")
def test_the_rest_of_the_model_is_made_of_the_point(data, press_ctrl_c):
    press_ctrl_c(7)
    model, _ = interrupted(EnhancedLogistic(), data)
    assert 0 < model.predict(data.X).mean() < 1
    assert model.f1_pu_ > 1
    assert model.label_frequency_ == pytest.approx(0.6, abs=0.4)


@pytest.mark.usefixtures("capsys")
def test_of_points_on_a_part_of_the_rows_the_best_is_kept_where_there_is_no_other(press_ctrl_c):
    many = make_paper_gaussian(20_000, c=0.6, random_state=0)
    pressed = press_ctrl_c(6)
    model, warning = interrupted(NaiveLogistic(), many)
    is_usable(model, many)
    *parts, (whole, z, _) = pressed.seen
    assert all(part.objective.X.shape[0] < 20_000 for part, _, _ in parts)
    assert whole.objective.X.shape[0] == 20_000
    best = min(parts, key=lambda each: each[2])[1]
    np.testing.assert_array_equal(z, best)
    norm = np.linalg.norm(whole.value_gradient(z)[1])
    assert f"{norm:.2g})" in str(warning.message)


@pytest.mark.usefixtures("capsys")
def test_values_on_a_part_of_the_rows_do_not_count(press_ctrl_c):
    many = make_paper_gaussian(20_000, c=0.6, random_state=0)
    never = press_ctrl_c(10**9)
    NaiveLogistic().fit(many.X, many.s)
    pressed = press_ctrl_c(never.n_calls)  # at the last
    model, _ = interrupted(NaiveLogistic(), many)
    whole = [each for each in pressed.seen if each[0].objective.X.shape[0] == 20_000]
    assert 0 < len(whole) < len(pressed.seen)
    problem, z, value = min(whole, key=lambda each: each[2])
    assert value > min(each[2] for each in pressed.seen)
    np.testing.assert_array_equal(model.coef_[0], problem.theta(z)[:-1])


@pytest.mark.parametrize(
    ("model", "call"),
    [
        (EnhancedLogistic(), 1),
        (JointLogistic(), 5),  # in the naive fit
        (
            JointLogistic(solver="em", settings="published", inner="published"),
            5,
        ),  # evaluates no likelihood
        (WeightedLogistic(), 3),  # in the fit of the label frequency
        (WeightedLogistic(0.5, weighting="posterior"), 3),  # in the naive fit
        (PULogistic(), 3),  # no strength is complete
        (PULogistic(C=1.0), 3),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("capsys")
def test_without_a_point_that_could_be_the_fit_ctrl_c_raises(model, call, data, press_ctrl_c):
    press_ctrl_c(call)
    with pytest.raises(KeyboardInterrupt):
        clone(model).set_params(verbose=1).fit(data.X, data.s)


@each_model
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_a_fit_that_nobody_watches_raises(name, data, press_ctrl_c):
    model, call = MODELS[name]
    press_ctrl_c(call)
    with pytest.raises(KeyboardInterrupt):
        clone(model).fit(data.X, data.s)


@pytest.mark.usefixtures("capsys")
def test_ctrl_c_again_in_the_rest_of_the_fit_raises(data, press_ctrl_c, monkeypatch):
    def press_again(*given):
        raise KeyboardInterrupt

    press_ctrl_c(4)
    monkeypatch.setattr(_naive, "summarise_score", press_again)
    with pytest.warns(PUWarning, match="PU117"), pytest.raises(KeyboardInterrupt):
        EnhancedLogistic(verbose=1).fit(data.X, data.s)


@pytest.mark.usefixtures("capsys")
def test_ctrl_c_again_while_a_point_is_evaluated_on_all_rows_raises(press_ctrl_c):
    many = make_paper_gaussian(20_000, c=0.6, random_state=0)
    press_ctrl_c(3, 4)  # on a part of the rows, then on all of them
    with pytest.raises(KeyboardInterrupt):
        NaiveLogistic(verbose=1).fit(many.X, many.s)


@pytest.mark.usefixtures("capsys")
def test_ctrl_c_outside_of_an_evaluation_keeps_as_well(data, monkeypatch):
    def press(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(_descent, "newton", press)
    model, _ = interrupted(NaiveLogistic(tol=1e-9), data)
    is_usable(model, data)


def _fit_one(model, data):
    return model.fit(data.X, data.s)


def _loops(data):
    """Return what goes on after a fit, by name."""
    watched = EnhancedLogistic(verbose=1)
    return {
        "search": lambda: GridSearchCV(watched, {"C": [0.1, 1.0]}, cv=2).fit(data.X, data.s),
        "search over a pipeline": lambda: cross_val_score(
            make_pipeline(StandardScaler(), watched), data.X, data.s, cv=2
        ),
        "joblib": lambda: joblib.Parallel(n_jobs=1)(
            joblib.delayed(_fit_one)(watched, data) for _ in range(2)
        ),
        "bootstrap": lambda: bootstrap(watched, data.X, data.s, n_resamples=2),
        "threshold": lambda: PUThresholdClassifier(watched, cv=2).fit(data.X, data.s),
    }


@pytest.mark.parametrize("name", _loops(None))
@pytest.mark.usefixtures("capsys")
def test_what_makes_many_fits_is_ended(name, data, press_ctrl_c):
    press_ctrl_c(4)
    with pytest.raises(KeyboardInterrupt):
        _loops(data)[name]()


@pytest.mark.usefixtures("capsys")
def test_a_pipeline_is_one_fit(data, press_ctrl_c):
    press_ctrl_c(7)
    model = make_pipeline(StandardScaler(), EnhancedLogistic(verbose=1))
    with pytest.warns(PUWarning, match="PU117"):
        model.fit(data.X, data.s)
    is_usable(model[-1], data)


SLOW_FIT = """
import time, warnings
from unlabeled import EnhancedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.losses import LogisticLoss

at_once = LogisticLoss.derivatives

def slowly(*given, **more):
    time.sleep(0.3)
    return at_once(*given, **more)

LogisticLoss.derivatives = slowly
data = make_paper_gaussian(2000, c=0.6, random_state=0)
model = EnhancedLogistic(tol=1e-12, verbose=2).fit(data.X, data.s)
print("fitted", model.converged_, len(model.predict(data.X)))
"""


def test_a_signal_in_the_middle_of_a_fit():
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SLOW_FIT)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert any("evaluation 3," in line for line in iter(process.stdout.readline, ""))
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert printed.splitlines()[-1] == "fitted False 2000"
    assert "[PU117] the fit was interrupted after" in said
    assert "Traceback" not in said
