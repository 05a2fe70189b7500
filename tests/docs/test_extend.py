"""The pages on extending the library: each change applies to the code as it is, and works."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from pathlib import Path

import pytest

from tests.commands import run
from unlabeled.codes import CODES

REPOSITORY = Path(__file__).parents[2]
PAGES = REPOSITORY / "docs" / "extend"
SOURCES = REPOSITORY / "src" / "unlabeled"
MOST_LINES = 90
SECONDS = 540  # that the proofs of all changes may take
CODE_BLOCK = re.compile(
    r"^\.\. code-block:: (python|console)\n((?:\n|   .*\n)+)", flags=re.MULTILINE
)
COMMAND = re.compile(r"\b(?:unlabeled|python -m) [a-z][^`\n]*")

# The code of the example of a check, which no check may take.
EXAMPLE = "PU299"

# What has to pass once a change is applied, beside the examples and commands on its page: test
# files, and which of their tests.
PROOF = {
    "loss": (("tests/engine/test_losses.py",), "test_losses"),
    "rule": (
        (
            "tests/thresholds/test_rules.py",
            "tests/docs/test_reference.py",
            "tests/plots/test_display.py",
        ),
        "g_mean or reject_none or listed_once or (cut and overlap)",
    ),
    "label_frequency": (
        (
            "tests/label_frequency/test_frequency_estimators.py",
            "tests/docs/test_reference.py",
            "tests/app/model_files/test_trusted.py",
            "tests/engine/rows/test_folds.py",
            "tests/contracts/test_sklearn_contract.py",
            "tests/contracts/test_groups.py",
            "tests/contracts/test_sparse.py",
            "tests/contracts/test_two_samples.py",
            "tests/contracts/test_dask_lazy.py",
        ),
        "TopRows or listed_once or the_public_types_that_a_model_may_hold",
    ),
    "check": (
        (
            "tests/docs/test_codes.py",
            "tests/diagnostics/test_checks.py",
            "tests/app/report/test_count.py",
            "tests/cli/test_diagnose.py",
        ),
        f"every_c or {EXAMPLE} or (silent and order)",
    ),
    "metric": (
        (
            "tests/metrics/test_corrected.py",
            "tests/inference/test_metric_interval.py",
            "tests/docs/test_reference.py",
        ),
        "specificity or listed_once",
    ),
    "column_type": (("tests/app/tables/test_encodings.py",), "time_of_day or told_by_its_cells"),
    "data_set": (("tests/reproduction/studies/test_wine.py",), "test_wine"),
}


def diff_of(name: str) -> str:
    return (PAGES / f"{name}.diff").read_text("utf-8")


def test_every_change_has_a_page_and_a_proof():
    assert {path.stem for path in PAGES.glob("*.diff")} == set(PROOF)
    for name in PROOF:
        assert f".. literalinclude:: {name}.diff" in (PAGES / f"{name}.rst").read_text("utf-8")


def test_the_code_of_the_example_is_free():
    assert EXAMPLE not in CODES
    assert EXAMPLE in diff_of("check")


@pytest.mark.parametrize("name", PROOF)
def test_a_change_is_short(name):
    assert diff_of(name).count("\n") <= MOST_LINES


@pytest.mark.parametrize("name", ["metric", "rule", "check", "label_frequency", "column_type"])
def test_what_is_registered_in_one_place_touches_three_files_at_most(name):
    """The file with the thing and its words, its test, and one list."""
    assert diff_of(name).count("\n+++ b/") <= 3


@pytest.mark.parametrize("name", PROOF)
def test_a_page_prints_commands_only_where_they_are_run(name):
    page = (PAGES / f"{name}.rst").read_text("utf-8")
    assert COMMAND.findall(CODE_BLOCK.sub("", page)) == []


def test_the_table_of_places_names_files_and_what_is_in_them():
    page = (PAGES / "index.rst").read_text("utf-8").partition(".. list-table::")[2]
    named = {*re.findall(r"``([\w/]+(?:/|\.py|\.rst))``", page)}
    assert len(named) > 20
    assert [name for name in named if not place_of(name).exists()] == []
    pairs = re.findall(r"``(\w+)``\s+in\s+``([\w/]+\.py)``", page)
    assert len(pairs) > 20
    defined = r"^(?:def |class )?{}\b(?: =|:|\()"
    for name, file in pairs:
        text = place_of(file).read_text("utf-8")
        assert re.search(defined.format(name), text, re.MULTILINE), f"{name} is not in {file}"


def place_of(name: str) -> Path:
    top = name.partition("/")[0]
    return (
        REPOSITORY / name
        if top in ("benchmarks", "tests", "docs", "reproduction")
        else SOURCES / name
    )


@pytest.fixture
def changed_copy(tmp_path):
    """Return a copy of the sources, tests, benchmarks and pages, with all changes made.

    Each change must also apply alone.
    """
    if shutil.which("git") is None:
        pytest.skip("needs git, which applies the change")
    for folder in ("src", "reproduction", "tests", "benchmarks", "docs/reference"):
        # Compiled files come along, which saves time. Half-written ones do not.
        ignored = shutil.ignore_patterns("generated", "*.pyc.*")
        shutil.copytree(REPOSITORY / folder, tmp_path / folder, ignore=ignored)
    for file in ("docs/checks.rst", "docs/written.py", "pyproject.toml"):
        shutil.copy(REPOSITORY / file, tmp_path / file)
    for more in (("--check",), ()):
        for name in PROOF:
            apply = ["git", "apply", "--whitespace=error-all", *more, "-"]
            # No repository above may take the copy for a part of itself.
            environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
            run(*apply, given=diff_of(name), cwd=tmp_path, env=environment)
    return tmp_path


# Runs the blocks of all pages in one process: each would import everything again.
RUN_BLOCKS = """
import json, runpy, sys, warnings
from contextlib import redirect_stdout
from io import StringIO
from click.testing import CliRunner
from unlabeled.cli import main

def printed_by(words):
    if words[0] == "unlabeled":
        result = CliRunner().invoke(main, words[1:], catch_exceptions=False)
        assert result.exit_code == 0, (words, result.output)
        return result.stdout
    assert words[:2] == ["python", "-m"], words
    sys.argv = words[2:]
    with redirect_stdout(StringIO()) as printed:
        try:
            runpy.run_module(words[2], run_name="__main__", alter_sys=True)
        except SystemExit as end:
            assert not end.code, (words, end.code)
    return printed.getvalue()

for kind, given, shown in json.load(sys.stdin):
    if kind == "python":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(given, "<page>", "exec"), {"__name__": "__main__"})
    else:
        printed = printed_by(given)
        assert shown in ("", printed.strip()), printed
"""


def run_in(copy: Path, *words: str, given: str = "") -> None:
    """Run Python in the copy, which must succeed."""
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    environment.pop("UNLABELED_DATA", None)  # no page needs files
    run(sys.executable, *words, given=given, cwd=copy, env=environment, seconds=SECONDS)


def commands_of(block: str) -> list[tuple[list[str], str]]:
    """Return the words of each command of a block, and what the block says that it prints."""
    before, *commands = re.split(r"^\$ ", block, flags=re.MULTILINE)
    assert commands
    assert not before.strip()
    found = []
    for one in commands:
        command, _, shown = one.partition("\n")
        words = shlex.split(command)
        if words[0] == "UNLABELED_DATA=FOLDER":  # not here: ask only whether it has these options
            words, shown = [*words[1:], "--help"], ""
        if words[:3] == ["python", "-m", "reproduction"]:
            words += ["--jobs", "1"]  # more processes take longer to start than to work
        if words[:2] == ["unlabeled", "fit"]:
            words += ["--method", "pu-logistic"]  # no page is about the ensemble
        found.append((words, shown.strip()))
    return found


def blocks_of(name: str) -> list[tuple[str, str | list[str], str]]:
    """Return the Python and the commands of a page, in order."""
    found: list[tuple[str, str | list[str], str]] = []
    for language, indented in CODE_BLOCK.findall((PAGES / f"{name}.rst").read_text("utf-8")):
        block = textwrap.dedent(indented)
        if language == "console":
            found += [("command", words, shown) for words, shown in commands_of(block)]
        else:
            found.append(("python", block, ""))
    return found


@pytest.mark.timeout(1200)
def test_the_changes_apply_their_proofs_pass_and_their_pages_run(changed_copy):
    files = dict.fromkeys(file for of_one, _ in PROOF.values() for file in of_one)
    tests = " or ".join(f"({chosen})" for _, chosen in PROOF.values())
    plugins = ("-p", "no:xdist", "-p", "no:cacheprovider")
    run_in(changed_copy, "-m", "pytest", "-q", *plugins, *files, "-k", tests)
    blocks = [block for name in PROOF for block in blocks_of(name)]
    run_in(changed_copy, "-c", RUN_BLOCKS, given=json.dumps(blocks))
