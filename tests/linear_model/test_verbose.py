"""What a fit prints: nothing, a line per second, or every evaluation."""

import re

import numpy as np
import pytest
from sklearn.base import clone

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.linear_fits import _report
from unlabeled.engine.objective import WhitenedObjective
from unlabeled.label_frequency import OneDimensionalJoint

NUMBERS = r"mean loss -?[\d.]+(e-\d+)?, gradient norm [\d.]+(e-\d+)?, \d+\.\d s"
EVALUATION = re.compile(rf"(\w+): (.+), evaluation (\d+), {NUMBERS}")
DONE = re.compile(rf"(\w+): (.+) done after (\d+) evaluations, {NUMBERS}")
MODELS = {
    "enhanced": (EnhancedLogistic(), {"naive"}, "naive"),
    "naive": (NaiveLogistic(), {"naive"}, "naive"),
    "joint": (JointLogistic(), {"naive", "JOINT"}, "JOINT"),
    "mm": (JointLogistic(solver="mm"), {"naive", "JOINT"}, "JOINT"),
    "em": (JointLogistic(solver="em"), {"naive", "JOINT", "EM's logistic step"}, "JOINT"),
    "published": (JointLogistic(settings="published"), {"JOINT"}, "JOINT"),
    "published em": (
        JointLogistic(solver="em", settings="published"),
        {"JOINT"},
        "JOINT",
    ),
    "weighted": (WeightedLogistic(0.8), {"weighted risk"}, "weighted risk"),
    "no minimum": (
        WeightedLogistic(0.1),
        {"weighted risk", "published optimizer"},
        "published optimizer",
    ),
    "targets of mean 1": (
        WeightedLogistic(0.09),
        {"published optimizer"},
        "published optimizer",
    ),
    "posterior": (
        WeightedLogistic(weighting="posterior"),
        {"naive", "posterior weights"},
        "posterior weights",
    ),
    "frequency in folds": (
        WeightedLogistic(OneDimensionalJoint(cv=2, random_state=0), weighting="posterior"),
        {"naive", "posterior weights"},
        "posterior weights",
    ),
}
each_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def data():
    data = make_paper_gaussian(600, label_frequency=0.6, random_state=0)
    data.s[:] = 0
    data.s[np.flatnonzero(data.y_true)[: int(0.09 * 600)]] = 1
    return data


def counted(evaluate, seen):
    def evaluated(problem, z):
        seen.append(z)
        return evaluate(problem, z)

    return evaluated


def fitted(model, verbose, data):
    return clone(model).set_params(verbose=verbose).fit(data.X, data.s)


@each_model
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_by_default_nothing_is_printed(name, data, capsys):
    fitted(MODELS[name][0], 0, data)
    assert capsys.readouterr() == ("", "")


@each_model
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_verbose_1_says_how_a_small_fit_ended(name, data, capsys, monkeypatch):
    monkeypatch.setattr(_report, "_SECONDS_PER_LINE", 3600.0)  # however slow the machine is
    model, _, end = MODELS[name]
    fitted(model, 1, data)
    *before, last = capsys.readouterr().out.splitlines()
    estimated = isinstance(model, WeightedLogistic) and not isinstance(model.label_frequency, float)
    assert len(before) == estimated
    assert all("label frequency by" in line for line in before)
    assert DONE.fullmatch(last).group(1, 2) == (type(model).__name__, end)


@each_model
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_verbose_2_prints_every_evaluation(name, data, capsys, monkeypatch):
    model, stages, end = MODELS[name]
    seen = []
    for method in ("value_gradient", "value_gradient_hessian"):
        plain = getattr(WhitenedObjective, method)
        monkeypatch.setattr(WhitenedObjective, method, counted(plain, seen))
    fitted(model, 2, data)
    *lines, last = capsys.readouterr().out.splitlines()
    found = [EVALUATION.fullmatch(line) for line in lines if "label frequency by" not in line]
    assert {each[2] for each in found} == stages
    assert [int(each[3]) for each in found] == list(range(1, len(found) + 1))
    assert DONE.fullmatch(last).group(2, 3) == (end, str(len(found)))
    # An estimator of the label frequency does not print its own.
    asks_another = isinstance(model, WeightedLogistic) and "naive" in stages
    assert len(found) < len(seen) if asks_another else len(found) == len(seen)


@each_model
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_being_watched_changes_no_number(name, data):
    silent, loud = (fitted(MODELS[name][0], verbose, data) for verbose in (0, 2))
    np.testing.assert_array_equal(loud.coef_, silent.coef_)
    np.testing.assert_array_equal(loud.intercept_, silent.intercept_)
    assert vars(loud).keys() == vars(silent).keys()
    assert loud.n_iter_ == silent.n_iter_


def test_the_strength_of_the_ridge_and_the_fold_are_printed(data, capsys):
    model = fitted(PULogistic(cv=3, random_state=0), 2, data)
    *lines, last = capsys.readouterr().out.splitlines()
    stages = {EVALUATION.fullmatch(line)[2] for line in lines}
    parts = ["", *(f", fold {k} of 3" for k in (1, 2, 3))]
    for C in model.Cs_:
        assert stages >= {f"JOINT, C={C:.3g}{part}" for part in parts}
    assert any(stage.startswith("naive, C=") for stage in stages)
    assert DONE.fullmatch(last)[2] == f"JOINT, C={model.C_:.3g}"


def test_the_fit_of_an_estimator_of_the_class_prior_is_announced(data, capsys):
    fitted(PULogistic(class_prior=OneDimensionalJoint(cv=2)), 2, data)
    assert "PULogistic: label frequency by OneDimensionalJoint\n" in capsys.readouterr().out


def test_the_numbers_printed_are_those_of_the_fit(data, capsys):
    model = fitted(JointLogistic(), 1, data)
    said = capsys.readouterr().out
    assert f"mean loss {-model.mean_log_likelihood_:.7g}," in said
    assert f"gradient norm {model._gradient_norm_:.2g}," in said


def test_verbose_1_prints_a_line_per_second(monkeypatch, data, capsys):
    clock = iter(np.arange(0, 1000, 0.06))
    monkeypatch.setattr(_report, "perf_counter", lambda: float(next(clock)))
    fitted(JointLogistic(), 1, data)
    *lines, _ = capsys.readouterr().out.splitlines()
    seconds = [float(line.split()[-2]) for line in lines]
    assert len(seconds) > 2
    # The clock is read up to three times for a line.
    assert 1 <= np.diff(seconds).min() <= np.diff(seconds).max() < 1.5


@pytest.mark.parametrize(
    "model", [EnhancedLogistic, NaiveLogistic, JointLogistic, WeightedLogistic, PULogistic]
)
@pytest.mark.parametrize("verbose", [-1, 0.5, "1", None])
def test_verbose_must_be_a_whole_number(model, verbose, data):
    with pytest.raises(ValueError, match=f"`verbose` must be.*{verbose!r}"):
        fitted(model(), verbose, data)


def test_true_is_1(data, capsys):
    fitted(NaiveLogistic(), True, data)
    assert len(capsys.readouterr().out.splitlines()) == 1
