"""What `import unlabeled` offers, loaded when it is first used."""

from __future__ import annotations

import pickle
import subprocess
import sys

import pytest

import unlabeled


def test_importing_the_package_does_not_load_scikit_learn():
    code = "import sys, unlabeled; print('sklearn' in sys.modules, unlabeled.PULogistic.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "PULogistic"]


@pytest.mark.parametrize("name", unlabeled.__all__)
def test_everything_offered_is_there_and_listed(name):
    assert getattr(unlabeled, name) is not None
    assert name in dir(unlabeled)


def test_a_star_import_has_all_that_is_offered():
    names: dict[str, object] = {}
    exec("from unlabeled import *", names)
    assert set(unlabeled.__all__) <= names.keys()


def test_a_classifier_is_the_same_class_wherever_it_is_imported_from():
    from unlabeled.linear_model import PULogistic

    assert unlabeled.PULogistic is PULogistic
    assert type(pickle.loads(pickle.dumps(unlabeled.PULogistic()))) is PULogistic


def test_parts_that_classifiers_are_in_can_be_reached():
    code = "import unlabeled; print(unlabeled.linear_model.__name__, unlabeled.meta.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["unlabeled.linear_model", "unlabeled.meta"]


def test_a_name_that_is_not_offered_is_an_error():
    with pytest.raises(AttributeError, match="has no attribute 'PULogit'"):
        unlabeled.PULogit  # noqa: B018
