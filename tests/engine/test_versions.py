"""Versions: one number everywhere, and everything that is imported is declared and shown."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from threadpoolctl import threadpool_info

import unlabeled
from unlabeled.cli import main
from unlabeled.engine import versions

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FOR_DEVELOPERS = {"boosters", "docs", "lint", "test"}
# Where the name in an import is not the one in the index.
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def name_of(requirement: str) -> str:
    return re.match(r"[\w-]+", requirement).group()


def declared(extra: str) -> set[str]:
    names = {name_of(one) for one in PROJECT["optional-dependencies"][extra]}
    return names - {"unlabeled"}


def needed() -> set[str]:
    return {name_of(one) for one in PROJECT["dependencies"]}


def optional() -> set[str]:
    extras = set(PROJECT["optional-dependencies"]) - FOR_DEVELOPERS
    return set().union(*map(declared, extras)) - needed()


def names_imported(source: str) -> set[str]:
    """Return the distributions that a file imports, by name or through import_module."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            names |= {one.value for one in node.args if isinstance(one, ast.Constant)}
    tops = {name.partition(".")[0] for name in names} - {"", "unlabeled"}
    return {DISTRIBUTIONS.get(name, name) for name in tops - sys.stdlib_module_names}


def imported() -> set[str]:
    files = (ROOT / "src").rglob("*.py")
    return set().union(*(names_imported(file.read_text("utf-8")) for file in files))


def shown(capsys: pytest.CaptureFixture) -> str:
    unlabeled.show_versions()
    return capsys.readouterr().out


def test_the_command_tells_the_version():
    result = CliRunner().invoke(main, ["--version"])
    assert result.output == f"unlabeled, version {unlabeled.__version__}\n"


def test_the_changelog_begins_with_the_version_and_its_day():
    first = re.search(r"^(\S+) \((\S+)\)\n-+$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert first.group(1) == unlabeled.__version__
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", first.group(2))


def test_the_citation_is_of_the_version_and_its_day():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    day = re.search(r"^\S+ \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M).group(1)
    assert f"\nversion: {unlabeled.__version__}\n" in citation
    assert f"\ndate-released: {day}\n" in citation


def test_everything_imported_is_declared():
    assert imported() <= needed() | optional()


@pytest.mark.parametrize(
    "source",
    [
        "import attrs",
        "from attrs.x import y",
        "import_module('attrs.x')",
        "def f():\n import attrs",
    ],
)
def test_an_import_that_is_not_declared_is_noticed(source):
    assert names_imported(source) == {"attrs"}


def test_every_dependency_is_shown_once(capsys):
    text = shown(capsys)
    for name in needed() | optional():
        assert len(re.findall(rf"^  {name} +\S", text, re.M)) == 1, name


def test_versions_are_those_of_the_machine(capsys):
    text = shown(capsys)
    assert text.startswith(f"unlabeled {unlabeled.__version__}\n")
    assert re.search(rf"^  numpy +{re.escape(np.__version__)}$", text, re.M)
    assert sys.executable in text
    assert all(pool["filepath"] in text for pool in threadpool_info())


def test_a_package_that_is_missing_is_shown_as_such(capsys, monkeypatch):
    def find(package: str) -> str:
        if package == "onnx":
            raise PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr(versions, "version", find)
    assert re.search(r"^  onnx +not installed$", shown(capsys), re.M)
    assert versions.versions_of(["onnx", "numpy"]) == {"numpy": np.__version__}
    assert versions.versions_of(["onnx"], missing="unknown") == {"onnx": "unknown"}
