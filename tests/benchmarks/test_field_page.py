"""The page of a tiny run, made without any other package; failures are on it."""

from __future__ import annotations

import importlib.util
import re
from functools import partial

import pytest
from click.testing import CliRunner

from benchmarks.field import __main__ as command
from benchmarks.field import cast as cast_module
from benchmarks.field.cast import CAST
from benchmarks.field.page import write_page
from benchmarks.field.peer import Peer
from unlabeled.paper.studies import Cell, Plan, Study, run_plan
from unlabeled.paper.studies.draw import TEN_LABELS
from unlabeled.paper.studies.methods import Method

ORACLE, NAIVE, ENHANCED = ("oracle", "-"), ("naive", "-"), ("enhanced", "-")
LINEAR = [("pu_logistic", "f1"), ("pu_logistic", "balanced_accuracy")]
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
    for key, (fit, most_rows) in peers.items():
        stand_ins[key] = Method(*key, partial(Peer, fit, most_rows=most_rows))
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
    page = (folder / "index.rst").read_text("utf-8")
    for title in ("Where we lose", "Ten labelled rows", "Breast cancer, both ways round"):
        assert title in page
    assert re.search(r"- F1: PULogistic .*\.\d+", page)
    assert re.search(r"- Balanced accuracy: PULogistic .*\.\d+.* default rule.*\.\d+", page)
    assert "c = .3, .5, 2 repeats (" in page
    for name in ("figures/means.png", "figures/leads.png", "tables/sets-f1.csv"):
        assert (folder / name).stat().st_size > 0
        assert name in page


def test_a_failing_peer_is_on_the_page_with_its_reason(folder):
    page = (folder / "index.rst").read_text("utf-8")
    assert '"pulearn nnPU", "breast\\_cancer", ".3, .5", "6"' in page
    assert "ValueError: it was \\`not\\` to be\\_" in page
    assert "more than 10 training rows" in page


def test_the_page_is_valid_restructuredtext(folder):
    docutils = pytest.importorskip("docutils.core")
    page = re.sub(":(download|doc):", ":code:", (folder / "index.rst").read_text("utf-8"))
    settings = {"halt_level": 2, "report_level": 2, "input_encoding": "unicode"}
    html = docutils.publish_string(page, writer="html5", settings_overrides=settings)
    assert b"Against the field" in html


@pytest.mark.skipif(importlib.util.find_spec("pulearn") is not None, reason="peers are installed")
def test_the_command_does_not_start_without_the_peers(tmp_path):
    result = CliRunner().invoke(command.main, ["--out", str(tmp_path / "out"), "--quick"])
    assert result.exit_code == 1
    assert "`make field`" in result.output
    assert not (tmp_path / "out").exists()


def test_the_command_can_write_the_page_alone(folder):
    (folder / "index.rst").unlink()
    result = CliRunner().invoke(command.main, ["--out", str(folder), "--page-only"])
    assert result.exit_code == 0, result.output
    assert (folder / "index.rst").exists()
