"""What the docstring of a public name says about its arguments, and arguments that many share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import unlabeled
from tests.docs.test_reference import PUBLIC
from unlabeled import label_frequency
from unlabeled.datasets import make_paper_gaussian

LIBRARY = [name for name in PUBLIC if not re.match(r"unlabeled\.(app|paper)", name)]


def section(title: str, text: str | None) -> list[str]:
    """Return the names that a section of a docstring lists, in its order."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(text or ""), flags=re.MULTILINE)
    body = dict(zip(parts[1::2], parts[2::2], strict=True)).get(title, "")
    entries = re.findall(r"^(\S.*?)(?: :.*)?$", body, flags=re.MULTILINE)
    return [name.lstrip("*") for entry in entries for name in entry.split(", ")]


def is_made_by_us(one: type) -> bool:
    """Whether a class is a result: its docstring lists attributes, not parameters."""
    return issubclass(one, Exception | tuple) or hasattr(one, "__dataclass_fields__")


def arguments(one: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(one).parameters if name not in ("self", "cls")]


def functions(modules: list[str]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in modules:
        for name in import_module(module).__all__:
            one = getattr(import_module(module), name)
            if inspect.isfunction(one) or (inspect.isclass(one) and not is_made_by_us(one)):
                yield f"{module}.{name}", one


def methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in LIBRARY:
        for name in import_module(module).__all__:
            one = getattr(import_module(module), name)
            for attribute, method in inspect.getmembers(one) if inspect.isclass(one) else ():
                home = getattr(getattr(method, "__func__", method), "__module__", "")
                if callable(method) and attribute[0] != "_" and str(home).startswith("unlabeled"):
                    yield f"{module}.{name}.{attribute}", method


FUNCTIONS = dict(functions(PUBLIC))
METHODS = dict(methods())
OF_LIBRARY = dict(functions(LIBRARY)) | METHODS


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_the_parameters_of_a_docstring_are_those_of_the_signature_in_its_order(name):
    one = (FUNCTIONS | METHODS)[name]
    assert section("Parameters", one.__doc__) == arguments(one)


@pytest.mark.parametrize("name", OF_LIBRARY)
def test_arguments_that_many_share_have_one_name_and_one_order(name):
    found = arguments(OF_LIBRARY[name])
    assert not {"model", "weight", "most_rows", "level"} & set(found)
    if {"y", "score"} <= set(found):
        assert found.index("y") < found.index("score")
    if "confidence_level" in found:
        one = inspect.signature(OF_LIBRARY[name]).parameters["confidence_level"]
        assert one.default in (0.95, inspect.Parameter.empty)


MEMBERS = [("line", unlabeled.PULogistic()), ("bayes", GaussianNB())]
SPECIAL = {
    "PropensityLogistic": unlabeled.PropensityLogistic(propensity_features=[0]),
    "PUThresholdClassifier": unlabeled.PUThresholdClassifier(LogisticRegression()),
    "PUEnsemble": unlabeled.PUEnsemble(members=MEMBERS, grid={}),
    "LabelFrequencyEstimator": label_frequency.ElkanNoto(),  # a subclass
}
ESTIMATORS = {
    name: SPECIAL[name] if name in SPECIAL else getattr(module, name)()
    for module in (unlabeled, label_frequency)
    for name in module.__all__
    if hasattr(getattr(module, name), "fit")
}


@pytest.mark.filterwarnings("ignore:.*PU1")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_docstring_lists_every_fitted_attribute(name):
    data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
    fitted = clone(ESTIMATORS[name]).fit(pd.DataFrame(data.X, columns=["a", "b", "c"]), data.s)
    set_by_fit = {name for name in dir(fitted) if name[0] != "_" and name[-1] == "_"}
    listed = set(section("Attributes", type(fitted).__doc__))
    assert {name for name in set_by_fit if hasattr(fitted, name)} <= listed


def test_a_rule_is_the_first_parameter_after_an_estimator():
    for kind in CLASSIFIERS_WITH_A_RULE:
        names = [name for name in inspect.signature(kind).parameters if name != "estimator"]
        assert names[0] == "rule"
        assert inspect.signature(kind).parameters["rule"].default == "f1"


CLASSIFIERS_WITH_A_RULE = [
    kind
    for kind in vars(unlabeled).values()
    if inspect.isclass(kind) and "rule" in inspect.signature(kind).parameters
]


def test_labels_come_before_scores():
    for name, one in FUNCTIONS.items():
        given = arguments(one) if inspect.isfunction(one) else []
        labels = [given.index(own) for own in ("y", "s") if own in given]
        scores = [given.index(own) for own in ("score", "scores") if own in given]
        assert not labels or not scores or labels[0] < scores[0], name
