"""Where an optional package is missing, the error names the extra that installs it."""

import sys

import numpy as np
import pytest

from tests.commands import run_python
from unlabeled import EnhancedLogistic
from unlabeled.app.tables import read_table
from unlabeled.engine.extras import needs_extra
from unlabeled.plots import CutCurveDisplay


def error_without(package: str, module: str) -> str:
    """Return what importing a module raises if a package is not installed."""
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"try:\n    import {module}\nexcept ImportError as error:\n    print(error)"
    )
    done = run_python(code)
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("app.report", "jinja2", "tables"),
        ("app.check_page", "jinja2", "tables"),
    ],
)
def test_a_part_that_cannot_be_imported_names_its_extra(module, package, extra):
    error = error_without(package, f"unlabeled.{module}")
    assert f"`unlabeled.{module}` needs {package}" in error
    assert f"'unlabeled[{extra}]'" in error


def test_a_plot_names_its_extra(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    s = rng.random(300) < 0.5 / (1 + np.exp(-2 * X[:, 0]))
    display = CutCurveDisplay.from_estimator(EnhancedLogistic(C=1).fit(X, s), X, s, plot=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"matplotlib.*'unlabeled\[plots\]'"):
        display.plot()


def test_a_table_names_its_extra(tmp_path, monkeypatch):
    (tmp_path / "patients.csv").write_text("age,diagnosis\n61,yes\n47,\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"`read_table` needs pyarrow.*'unlabeled\[tables\]'"):
        read_table(tmp_path / "patients.csv")


def test_other_errors_pass():
    with pytest.raises(KeyError), needs_extra("This", "none"):
        raise KeyError("no package")
