"""The reference lists every public name, and every command, exactly once."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import click
import pytest

import unlabeled
from benchmarks.house.surface import surface
from tests.docs.pages import text_of
from unlabeled.cli import main

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = text_of("reference/index")
COMMANDS = (REFERENCE / "commands.rst").read_text("utf-8")

# What only the library itself imports. Whatever else lies beside it is offered.
INSIDE = {
    "_version",
    "classifier",
    "cli",
    "engine",
    "ensemble",  # its class is a name of `unlabeled` itself, as those of the next two
    "linear_model",
    "meta",
    "rates",
    "scores",
}
# What is built on the library: its own parts are inside.
ON_TOP = {"app"}
PUBLIC = [
    "unlabeled",
    *(f"unlabeled.{part}" for part in unlabeled._SUBPACKAGES),
    *(f"unlabeled.{part}" for part in ON_TOP),
    # Beside the library, in the repository.
    "reproduction.studies",
    "reproduction.theory",
]


def listed_names() -> dict[str, list[str]]:
    """Return the names under each module, from autosummary tables and data directives."""
    pieces = re.split(r"^\.\. currentmodule:: (\S+)\n", PAGE, flags=re.MULTILINE)
    listed: dict[str, list[str]] = {}
    for module, text in zip(pieces[1::2], pieces[2::2], strict=True):
        names = re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, flags=re.MULTILINE)
        listed.setdefault(module, []).extend(names)
    return listed


def public_names(module: str) -> set[str]:
    return set(importlib.import_module(module).__all__) - {"__version__"}


def test_every_part_is_offered_or_said_to_be_inside():
    folder = Path(unlabeled.__file__).parent
    parts = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    parts -= {"__init__", "__pycache__"}
    assert parts == INSIDE | ON_TOP | set(unlabeled._SUBPACKAGES)


def test_every_public_module_is_listed_and_no_other():
    assert sorted(listed_names()) == sorted(PUBLIC)


def test_every_public_module_is_an_attribute_of_the_library():
    beside = {"ensemble", "linear_model", "meta", *ON_TOP}
    assert set(dir(unlabeled)) - set(unlabeled.__all__) == beside | set(unlabeled._SUBPACKAGES)
    assert all(getattr(unlabeled, part) for part in unlabeled._SUBPACKAGES)


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_of_a_module_is_listed_once(module):
    counts = Counter(listed_names()[module])
    assert set(counts) == public_names(module)
    assert set(counts.values()) == {1}


def test_there_are_few_enough_to_learn_and_the_decision_has_today_s_numbers():
    found = surface()
    ours = [module for module in PUBLIC if module.startswith("unlabeled")]
    assert found["public names"] == sum(len(public_names(module)) for module in ours) <= 130
    page = text_of("decisions/0046-names-to-learn")
    of_each = ("PULogistic", "PUEnsemble", "PUThresholdClassifier", "PropensityLogistic")
    numbers = [
        found["public names"],
        found["constructor parameters"],
        found["fitted attributes"],
        *(found[f"... of {name}"] for name in of_each),
    ]
    table = page[page.index("list-table") : page.index("The parameters have")]
    assert re.findall(r"- \d+\n     - (\d+)\n", table) == [str(number) for number in numbers]


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_can_be_imported(module):
    found = importlib.import_module(module)
    assert [name for name in found.__all__ if not hasattr(found, name)] == []


def test_every_command_has_one_section_with_its_own_help():
    sections = re.findall(r"^unlabeled (\w+)\n-+$", COMMANDS, flags=re.MULTILINE)
    shown = re.findall(r"^\.\. literalinclude:: generated/help-(\w+)\.txt$", COMMANDS, re.MULTILINE)
    commands = main.list_commands(click.Context(main))
    assert sorted(sections) == sorted(commands)
    assert sorted(shown) == sorted([*commands, "unlabeled"])
