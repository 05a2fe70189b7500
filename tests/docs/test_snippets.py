"""The Python of the pages runs, one snippet after the other, and prints what the pages say."""

from __future__ import annotations

import os
import re
import shlex
import sys
import textwrap
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
import sklearn
from click.testing import CliRunner
from sklearn.utils.fixes import parse_version

from tests.docs.pages import text_of
from unlabeled.cli import main

BLOCK = re.compile(
    r"^\.\. code-block:: (python|text)\n((?:   :\w+: .*\n)*)\n((?:   .*\n|\n)+)", re.MULTILINE
)
PAGES = (
    "start/index",
    "start/audit",
    "start/scikit_learn",
    "start/cookbook",
    "start/from_pulearn",
    "choose/methods",
    "choose/rules",
)
# Pages with numbers of trees, and the first scikit-learn that grows the trees of the newest one. On
# older ones they run, but print other numbers.
TREES = {"start/scikit_learn": (1, 8)}


def blocks(page: str) -> list[tuple[str, str]]:
    """Return (language, text) of the code blocks of a page, in order."""
    found = BLOCK.findall(text_of(page))
    return [(lang, textwrap.dedent(code).strip("\n")) for lang, _, code in found]


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_print_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some pages write files
    beside_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", beside_python)  # one runs the command
    names: dict[str, object] = {}
    printed = StringIO()
    compared = 0
    older = parse_version(sklearn.__version__).release < TREES.get(page, ())
    for language, code in blocks(page):
        if language == "python":
            with redirect_stdout(printed):
                exec(code, names)
            continue
        assert older or printed.getvalue().rstrip("\n") == code
        printed, compared = StringIO(), compared + 1
    assert compared > 0
    assert printed.getvalue() == ""


def test_the_snippets_about_a_table_run_one_page_after_the_other(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for page in ("start/tables", "start/model_files"):  # the first writes the table of the second
        names: dict[str, object] = {}
        for language, code in blocks(page):
            if language == "python":
                exec(code, names)
    assert "600 of 3 000 rows are labeled" in capsys.readouterr().out
    assert (tmp_path / "patients" / "model.skops").is_file()
    exported = CliRunner().invoke(main, shlex.split(export_command())[1:])  # the next command there
    assert exported.exit_code == 0, exported.output
    assert (tmp_path / "model.onnx").is_file()


def export_command() -> str:
    """Return the command of the page about model files."""
    command = r"^   (unlabeled export .*)$"
    return re.search(command, text_of("start/model_files"), re.MULTILINE).group(1)
