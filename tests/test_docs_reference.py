"""The reference lists every public name, and every command, exactly once."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from pathlib import Path

import click
import pytest

import unlabeled
from unlabeled.cli import main

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
PAGE = (REFERENCE / "index.rst").read_text("utf-8")
COMMANDS = (REFERENCE / "commands.rst").read_text("utf-8")

# What only the library itself imports. Whatever else lies beside it is public.
INSIDE = {
    "_version",
    "_versions",
    "blocks",
    "cli",
    "extras",
    "files",
    "labels",
    "linear_model",  # its classes are names of `unlabeled` itself, as are those of `meta`
    "losses",
    "meta",
    "objective",
    "parameters",
    "rates",
    "solvers",
}


def listed_names() -> dict[str, list[str]]:
    """Return the names under each module, from autosummary tables and data directives."""
    pieces = re.split(r"^\.\. currentmodule:: (\S+)\n", PAGE, flags=re.MULTILINE)
    listed: dict[str, list[str]] = {}
    for module, text in zip(pieces[1::2], pieces[2::2], strict=True):
        names = re.findall(r"^(?:   |\.\. data:: )(\w+)$", text, flags=re.MULTILINE)
        listed.setdefault(module, []).extend(names)
    return listed


def public_modules() -> set[str]:
    """Return the library and every part of it that is not for the inside."""
    folder = Path(unlabeled.__file__).parent
    parts = {path.stem for path in folder.iterdir() if path.suffix in ("", ".py")}
    parts -= INSIDE | {"__init__", "__pycache__"}
    return {"unlabeled"} | {f"unlabeled.{part}" for part in parts}


def public_names(module: str) -> set[str]:
    found = importlib.import_module(module)
    if module == "unlabeled.codes":  # the rest of it is how warnings are issued
        return {"CODES", "PUWarning", "PUConvergenceWarning"}
    return set(found.__all__) - {"__version__"}


def test_every_public_module_is_listed_and_no_other():
    assert set(listed_names()) == public_modules()


def test_every_public_module_is_an_attribute_of_the_library():
    parts = {module.rpartition(".")[2] for module in public_modules()} - {"unlabeled"}
    assert parts == set(dir(unlabeled)) - set(unlabeled.__all__)
    assert all(getattr(unlabeled, part) for part in parts)


def test_what_is_said_to_be_inside_is_there():
    folder = Path(unlabeled.__file__).parent
    assert {part for part in INSIDE if not list(folder.glob(f"{part}*"))} == set()


@pytest.mark.parametrize("module", sorted(public_modules()))
def test_every_public_name_of_a_module_is_listed_once(module):
    counts = Counter(listed_names()[module])
    assert set(counts) == public_names(module)
    assert set(counts.values()) == {1}


def test_every_command_has_one_section_with_its_own_help():
    sections = re.findall(r"^unlabeled (\w+)\n-+$", COMMANDS, flags=re.MULTILINE)
    shown = re.findall(r"^\.\. literalinclude:: generated/help-(\w+)\.txt$", COMMANDS, re.MULTILINE)
    commands = main.list_commands(click.Context(main))
    assert sorted(sections) == sorted(commands)
    assert sorted(shown) == sorted([*commands, "unlabeled"])
