"""The page of a tiny run, made without any other package; failures are on it."""

from __future__ import annotations

import importlib.util
import re
from functools import partial

import pytest
from click.testing import CliRunner
from sklearn.metrics import balanced_accuracy_score

from benchmarks.field import __main__ as command
from benchmarks.field import cast as cast_module
from benchmarks.field.cast import CAST
from benchmarks.field.page import write_page
from benchmarks.field.peer import Peer
from benchmarks.field.studies import field_plan, field_records
from reproduction.studies import Cell, Plan, Study, Task, run_plan
from reproduction.studies.draw import TEN_LABELS, draw_sample
from reproduction.studies.fit import run_task
from reproduction.studies.methods import Method
from reproduction.studies.records import KEY

ORACLE, NAIVE, ENHANCED = ("oracle", "-"), ("naive", "-"), ("enhanced", "-")
LINEAR = [("pu_logistic", "-"), ("pu_logistic_ba", "-")]
GOOD, FAILING, LIMITED = ("pulearn bagging", "-"), ("pulearn nnpu", "-"), ("pu-toolbox auto", "-")


class Flagging:
    """Flags rows with a large first feature."""

    def fit(self, X, s):
        return self

    def predict(self, X):
        return (X[:, 0] > 0.3).astype(int)


def fail(X, s, seed, prior):
    raise ValueError("it was `not` to be_")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of two repeats on breast cancer, with stand-ins for PULogistic and for the peers."""
    folder = tmp_path_factory.mktemp("field")
    with pytest.MonkeyPatch.context() as patch:
        run_tiny_plan(folder, patch)
    write_page(folder)
    return folder


def run_tiny_plan(folder, patch):
    stand_ins = {key: Method(*key, lambda seed: Flagging()) for key in LINEAR}
    peers = {GOOD: (lambda X, s, seed, prior: Flagging(), None), FAILING: (fail, None)}
    peers[LIMITED] = (fail, 10)
    for key, (fit, max_rows) in peers.items():
        stand_ins[key] = Method(*key, partial(Peer, fit, max_rows=max_rows))
    for key, method in stand_ins.items():
        patch.setitem(cast_module.FIELD, key, method)
    methods = (ORACLE, NAIVE, ENHANCED, *stand_ins)
    both = ("breast_cancer", "breast_cancer_benign")
    studies = (
        Study("real", tuple(Cell(both[0], "scar", 0, c) for c in (0.3, 0.5)), methods, 2, CAST),
        Study("breast_cancer", tuple(Cell(x, "scar", 0, 0.3) for x in both), methods, 2, CAST),
        Study("ten_labels", (Cell(both[0], TEN_LABELS, 0, 0.0),), methods[:5], 2, CAST),
    )
    run_plan(Plan(studies), folder, backend="sequential")


def test_a_run_without_peers_gives_a_page_with_tables_and_figures(folder):
    page, tables = ((folder / name).read_text("utf-8") for name in ("index.rst", "tables.rst"))
    for title in ("In short", "Where we lose", "Ten labeled rows"):
        assert title in page
    assert "Breast cancer, both ways round" in tables
    assert re.search(r"- F1: PULogistic .*\.\d+", page)
    assert re.search(r"- Balanced accuracy: PULogistic .*\.\d+.* default rule.*\.\d+", page)
    assert "c = .3, .5, 2 repeats (" in page
    for name in ("figures/means.svg", "figures/leads.svg", "tables/sets-f1.csv"):
        assert (folder / name).stat().st_size > 0
        assert name in page + tables


def test_a_failing_peer_is_in_the_tables_with_its_reason(folder):
    page = (folder / "tables.rst").read_text("utf-8")
    assert '"pulearn nnPU", "breast\\_cancer", ".3, .5", "6"' in page
    assert "ValueError: it was \\`not\\` to be\\_" in page
    assert "more than 10 training rows" in page


@pytest.mark.parametrize("name", ["index.rst", "tables.rst"])
def test_the_pages_are_valid_restructuredtext(folder, name):
    docutils = pytest.importorskip("docutils.core")
    page = (folder / name).read_text("utf-8").partition(".. toctree::")[0]
    page = re.sub(":(download|doc|file):", ":code:", page)
    settings = {"halt_level": 2, "report_level": 2, "input_encoding": "unicode"}
    html = docutils.publish_string(page, writer="html5", settings_overrides=settings)
    assert b"Against the field" in html


@pytest.mark.skipif(importlib.util.find_spec("pulearn") is not None, reason="peers are installed")
def test_the_command_does_not_start_without_the_peers(tmp_path):
    result = CliRunner().invoke(command.main, ["--out", str(tmp_path / "out"), "--quick"])
    assert result.exit_code == 1
    assert "`make field`" in result.output
    assert not (tmp_path / "out").exists()


def test_methods_of_the_reproduction_are_read_at_the_cells_and_repeats_of_the_field(folder):
    reproduced = field_records(folder, folder)
    own = field_records(folder)
    twice = reproduced[reproduced.duplicated(list(KEY), keep=False)]
    assert set(twice["study"]) == {"real"}
    assert set(twice["c"]) == {0.3, 0.5}
    assert len(reproduced) == len(own) + (own["study"] == "real").sum()


def test_a_plan_with_a_reproduction_fits_each_method_once():
    with_it, without = field_plan(reproduced=True), field_plan()
    fitted = {study.name: set(study.methods) for study in without.studies}
    of_sets = [fitted[name] for name in ("real", "ensemble", "real_forest", "real_others")]
    assert sum(map(len, of_sets)) == len(set().union(*of_sets)) == len(cast_module.FIELD)
    assert set(fitted) - {study.name for study in with_it.studies} == {"real", "ensemble"}


def test_the_forest_with_a_shared_fit_is_the_forest_with_the_rule():
    task = Task("real", Cell("breast_cancer", "scar", 0, 0.3), 1)
    own, recut = run_task(task, (("forest", "-"), ("forest_ba", "-")), cast=CAST)
    sample = draw_sample(task)
    forest = cast_module.FIELD["forest", "-"].make(own.seed).set_params(rule="balanced_accuracy")
    predicted = forest.fit(sample.X, sample.s).predict(sample.X_test)
    assert recut.balanced_accuracy == balanced_accuracy_score(sample.y_test, predicted)
    assert recut.predicted_share != own.predicted_share


def test_the_command_can_write_the_page_alone(folder):
    (folder / "index.rst").unlink()
    result = CliRunner().invoke(command.main, ["--out", str(folder), "--page-only"])
    assert result.exit_code == 0, result.output
    assert (folder / "index.rst").exists()
