"""The gallery can be read in order; running it is the work of the documentation's build."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
MOST_LINES = 130
TOPICS = (
    "first_fit",
    "patients_never_tested",
    "choosing_a_cut_by_cost",
    "how_many_positives",
    "is_scar_believable",
    "any_model_with_a_pu_threshold",
    "text",
    "data_larger_than_memory",
    "extending_the_library",
    "a_hundred_checked_rows",
    "beyond_a_line",
    "two_samples",
    "labels_not_at_random",
)

each_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


def calls(path: Path) -> list[str]:
    """Return what is called, as written, with its arguments."""
    tree = ast.parse(path.read_text("utf-8"))
    return [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_the_examples_are_numbered_without_a_gap():
    expected = [f"plot_{k:02d}_{topic}" for k, topic in enumerate(TOPICS, start=1)]
    assert [path.stem for path in EXAMPLES] == expected


def test_the_introduction_names_every_example_in_its_order():
    introduction = (FOLDER / "README.rst").read_text("utf-8")
    named = re.findall(r"</auto_examples/(\w+)>", introduction)
    assert named == [path.stem for path in EXAMPLES]


@each_example
def test_an_example_compiles_without_a_warning(path):
    compile(path.read_text("utf-8"), str(path), "exec")


@each_example
def test_an_example_begins_with_a_title_and_what_it_is_about(path):
    title, underline, blank, *about = ast.get_docstring(
        ast.parse(path.read_text("utf-8"))
    ).splitlines()
    assert underline == "=" * len(title)
    assert blank == ""
    assert " ".join(about).endswith((".", "?"))


@each_example
def test_an_example_prints_and_shows_a_picture(path):
    called = calls(path)
    assert "plt.show()" in called
    assert any(call.startswith("print(") for call in called)


@each_example
def test_an_example_draws_the_same_numbers_every_time(path):
    called = calls(path)
    assert "np.random.default_rng()" not in called
    drawn = [call for call in called if call.startswith(("hide_labels(", "train_test_split("))]
    assert all("random_state=" in call for call in drawn)


@each_example
def test_an_example_can_be_read_at_a_sitting(path):
    assert len(path.read_text("utf-8").splitlines()) <= MOST_LINES


@each_example
def test_an_example_uses_public_names_only(path):
    tree = ast.parse(path.read_text("utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not [module for module in modules if re.search(r"unlabeled.*\._", module)]
