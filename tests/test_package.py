"""What `import unlabeled` offers, loaded when it is first used."""

from __future__ import annotations

import pickle
from importlib import import_module
from pkgutil import iter_modules

import pytest

import unlabeled
from tests.commands import run_python


def test_importing_the_package_does_not_load_scikit_learn():
    code = "import sys, unlabeled; print('sklearn' in sys.modules, unlabeled.PULogistic.__name__)"
    done = run_python(code)
    assert done.stdout.split() == ["False", "PULogistic"]


@pytest.mark.parametrize("name", unlabeled.__all__)
def test_everything_offered_is_there_and_listed(name):
    assert getattr(unlabeled, name) is not None
    assert name in dir(unlabeled)


def test_a_star_import_has_all_that_is_offered():
    names: dict[str, object] = {}
    exec("from unlabeled import *", names)
    assert set(unlabeled.__all__) <= names.keys()


def test_tables_reports_and_model_files_have_one_room_which_loads_nothing_before_it_is_used():
    code = (
        "import sys, unlabeled.app\n"
        "print(any(name in sys.modules for name in ('sklearn', 'jinja2', 'pandas')))\n"
        "from unlabeled.app import *\n"
        "print(all(name in globals() for name in unlabeled.app.__all__))"
    )
    assert run_python(code).stdout.split() == ["False", "True"]


def test_a_classifier_is_the_same_class_wherever_it_is_imported_from():
    from unlabeled.linear_model import PULogistic

    assert unlabeled.PULogistic is PULogistic
    assert type(pickle.loads(pickle.dumps(unlabeled.PULogistic()))) is PULogistic


def test_parts_that_classifiers_are_in_can_be_reached():
    names = ["linear_model", "meta", "ensemble", "app"]
    code = f"import unlabeled; print(*(unlabeled.{'.__name__, unlabeled.'.join(names)}.__name__,))"
    done = run_python(code)
    assert done.stdout.split() == [f"unlabeled.{name}" for name in names]
    assert set(names) <= set(dir(unlabeled))
    with pytest.raises(AttributeError, match="has no attribute 'table'"):
        unlabeled.app.table  # noqa: B018


PARTS = [
    *(
        f"unlabeled.{part}"
        for part in (*unlabeled._SUBPACKAGES, "ensemble", "linear_model", "meta")
    ),
    "unlabeled.app",
    *(
        f"unlabeled.app.{room.name}"
        for room in iter_modules(unlabeled.app.__path__)
        if room.name != "pages"
    ),
    *(f"reproduction.{part}" for part in ("studies", "theory")),
]


@pytest.mark.parametrize("name", PARTS)
def test_dir_shows_what_users_may_use_and_no_more(name):
    part = import_module(name)
    assert dir(part) == sorted(part.__all__)


def test_a_name_that_is_not_offered_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'PULogit'"):
        unlabeled.PULogit  # noqa: B018
