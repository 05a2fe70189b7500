"""A type checker finds wrong words and attributes in a user's script, none in a right one."""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import unlabeled
from tests.commands import run
from tests.docs.test_reference import PUBLIC
from unlabeled.engine import sklearn_types

needs_mypy = pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")

RIGHT = """
from unlabeled import PULogistic
from unlabeled.app import save_model
from unlabeled.datasets import make_paper_gaussian
from unlabeled.diagnostics import diagnose
from unlabeled.inference import bootstrap

data = make_paper_gaussian(n=300, label_frequency=0.5, random_state=0)
model = PULogistic(sampling="one-sample", cv=5, C="auto").set_fit_request(groups=True)
model.set_params(C=1.0).fit(data.X, data.s).predict(data.X).sum(), model.predict_proba(data.X)
lower, upper = model.class_prior_interval(of="population")
print(upper - lower, model.class_prior_ + 1, diagnose(model, data.X, data.s))
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
    "PULogistic().fit([[0.0]], [1]).clas_prior_",
    "PULogistic().class_prior_.mean",
    "PULogistic().predict([[0.0]]).men()",
)
# What a type checker must say of an attribute, by the first word of its docstring.
TYPES = {"float": "float", "int": "int", "bool": "bool", "str": "str", "ndarray": "numpy.ndarray"}
# What users give, and objects of matplotlib, which is loaded when something is drawn.
UNTYPED = (
    r"positive_class_|(class_prior_|label_frequency_|)estimator_|model|labeling_found_"
    r"|ax_|figure_|line_"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder for scripts, and for what mypy knows of the library after the first."""
    return tmp_path_factory.mktemp("typing")


def checked(script: str, folder: Path) -> dict[int, str]:
    """Return what mypy says of each line of a script."""
    file = folder / "script.py"
    file.write_text(script)
    source = Path(unlabeled.__file__).parents[1]
    words = [sys.executable, "-m", "mypy", "--strict", "--follow-imports", "silent"]
    words += ["--config-file", os.devnull, "--cache-dir", str(folder / "cache"), str(file)]
    said = str(run(*words, check=False, env=os.environ | {"MYPYPATH": str(source)}).stdout)
    found: dict[int, str] = {}
    for line in said.splitlines():
        if match := re.match(r"[^:]*script\.py:(\d+): (.*)", line):
            found[int(match[1])] = found.get(int(match[1]), "") + match[2].replace("builtins.", "")
    return found


@needs_mypy
def test_a_right_script_has_no_errors_and_every_wrong_line_has_one(folder):
    names = "EnhancedLogistic, JointLogistic, PULogistic, WeightedLogistic"
    script = RIGHT + f"from unlabeled import {names}\n" + "\n".join(WRONG) + "\n"
    first = script.count("\n") - len(WRONG) + 1
    found = checked(script, folder)
    assert sorted(found) == list(range(first, first + len(WRONG))), found
    assert all("error: " in said for said in found.values())


def public_classes() -> dict[type, str]:
    """Return every class of the reference, and the module users import it from."""
    found: dict[type, str] = {}
    for module in (one for one in PUBLIC if one.startswith("unlabeled")):
        for name in import_module(module).__all__:
            one = getattr(import_module(module), name)
            if inspect.isclass(one) and not issubclass(one, Exception):
                found.setdefault(one, module)
    return found


def documented(one: type) -> Iterator[tuple[str, str]]:
    """Yield name and type of the attributes that the docstring of a class lists."""
    text = re.split(r"^Attributes\n-{3,}$", inspect.getdoc(one) or "", flags=re.MULTILINE)[-1]
    section = re.split(r"\n\n|^\w[\w ]*\n-{3,}$", text, flags=re.MULTILINE)[0]
    for names, kind in re.findall(r"^([A-Za-z]\w*(?:, \w+)*)(?: : (.*))?$", section, re.MULTILINE):
        yield from ((name, kind) for name in names.split(", "))


@needs_mypy
def test_every_attribute_of_every_public_class_is_known_with_its_type_and_no_other(folder):
    classes = public_classes()
    assert len(classes) > 40
    lines = [f"from {module} import {one.__name__}" for one, module in classes.items()]
    asked: dict[int, tuple[str, str, str]] = {}
    for one in classes:
        has_fit = hasattr(one, "fit")
        lines.append(f"def of_{one.__name__}(model: {one.__name__}) -> None:")
        model = "model.fit([[0.0]], [1])" if has_fit else "model"
        kinds = dict.fromkeys((name for name in dir(one) if name[0] != "_"), "") | dict(
            documented(one)
        )
        for name, kind in kinds.items():
            for written in (name, f"made_up_{name}"):
                lines.append(f"    reveal_type({model}.{written})")
                asked[len(lines)] = one.__name__, written, kind
    found = checked("\n".join(lines) + "\n", folder)
    assert set(found) == set(asked)
    for line, (_, name, kind) in asked.items():
        is_error = "error: " in found[line]
        assert is_error == name.startswith("made_up_"), (asked[line], found[line])
        if not is_error and not re.fullmatch(UNTYPED, name):
            expected = TYPES.get(re.split(r"\W", kind)[0], "")
            assert f'type is "{expected}' in found[line], (asked[line], found[line])
            assert 'type is "Any"' not in found[line], (asked[line], found[line])


def stand_ins() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield each function that type checkers see, with the name of its class if it has one."""
    tree = ast.parse(Path(sklearn_types.__file__).read_text("utf-8"))
    (block,) = (one for one in tree.body if isinstance(one, ast.If))
    for one in block.body:
        body = one.body if isinstance(one, ast.ClassDef) else [one]
        home = one.name if isinstance(one, ast.ClassDef) else ""
        yield from ((home, each) for each in body if isinstance(each, ast.FunctionDef))


@pytest.mark.parametrize(("home", "name"), [(home, one.name) for home, one in stand_ins()])
def test_what_type_checkers_see_is_what_scikit_learn_has(home, name):
    (seen,) = (one.args for at, one in stand_ins() if (at, one.name) == (home, name))
    # scikit-learn adds the requests to the classes whose methods take arguments to ask for.
    is_request = name.endswith("_request")
    owner = getattr(sklearn_types, home) if home else sklearn_types
    there = inspect.signature(getattr(unlabeled.PULogistic if is_request else owner, name))
    named = [one.name for one in there.parameters.values() if one.kind is not one.VAR_KEYWORD]
    assert seen.kwarg is not None or not is_request
    expected = ["self"] if is_request else [one for one in named if one != "cls"]
    assert [one.arg for one in seen.args + seen.kwonlyargs if one.arg != "cls"] == expected
