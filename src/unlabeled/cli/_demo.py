"""`unlabeled demo`: every method of the paper on built-in data."""

from __future__ import annotations

import csv
import math
import time
import warnings
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..codes import CODES, PUWarning
from ..engine.progress import progress_bar
from ._main import exit_when_stopped

if TYPE_CHECKING:
    import numpy as np

LABEL_FREQUENCY = 0.3
SEED = 0


@dataclass(frozen=True)
class DemoData:
    """Training and test rows, with the true classes, which only the oracle is fitted to."""

    name: str
    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class DemoRow:
    """One line of the table."""

    data: str
    method: str
    f1: float
    balanced_accuracy: float
    label_frequency: float
    class_prior: float
    milliseconds: float
    notes: str


def methods() -> dict[str, Any]:
    """Return a new classifier of every method."""
    from sklearn.linear_model import LogisticRegression

    from .. import linear_model as lines
    from ..label_frequency import ElkanNoto, TIcE

    return {
        "Oracle": LogisticRegression(C=math.inf, max_iter=1000),
        "Naive": lines.NaiveLogistic(),
        "Enhanced": lines.EnhancedLogistic(),
        "PULogistic": lines.PULogistic(),
        "JOINT": lines.JointLogistic(),
        "MM": lines.JointLogistic(solver="mm"),
        "EN": lines.WeightedLogistic(ElkanNoto()),
        "TIcE": lines.WeightedLogistic(TIcE(random_state=SEED)),
    }


def breast_cancer() -> DemoData:
    """Return malignant tumors (positive) among benign ones, with 30 standardized features."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.preprocessing import StandardScaler

    X, benign = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return _split("breast cancer, malignant positive (569 rows, 30 features)", X, 1 - benign)


def paper_design() -> DemoData:
    """Return rows with three normal features and a logistic posterior."""
    from ..datasets import make_paper_gaussian

    sample = make_paper_gaussian(10_000, LABEL_FREQUENCY, random_state=SEED)
    return _split("the paper's synthetic design (10 000 rows, 3 features)", sample.X, sample.y_true)


def _split(name: str, X: np.ndarray, y_true: np.ndarray) -> DemoData:
    from sklearn.model_selection import train_test_split

    from ..datasets import hide_labels

    s = hide_labels(y_true, LABEL_FREQUENCY, random_state=SEED)
    X, X_test, s, _, y_true, y_test = train_test_split(
        X, s, y_true, test_size=0.3, random_state=SEED
    )
    return DemoData(name, X, s, y_true, X_test, y_test)


def run_method(data: DemoData, method: str) -> DemoRow:
    """Fit one method and score it on the held-out rows."""
    from sklearn.metrics import balanced_accuracy_score, f1_score

    model = methods()[method]
    target = data.y_true if method == "Oracle" else data.s
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.perf_counter()
        model.fit(data.X, target)
        elapsed = time.perf_counter() - start
    predicted = model.predict(data.X_test)
    codes = sorted({w.message.code for w in caught if isinstance(w.message, PUWarning)})
    return DemoRow(
        data=data.name,
        method=method,
        f1=float(f1_score(data.y_test, predicted)),
        balanced_accuracy=float(balanced_accuracy_score(data.y_test, predicted)),
        label_frequency=float(getattr(model, "label_frequency_", math.nan)),
        class_prior=float(getattr(model, "class_prior_", math.nan)),
        milliseconds=1000 * elapsed,
        notes=" ".join(codes),
    )


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-output"),
    show_default=True,
    help="Folder for the table and the picture.",
)
@click.option("--quiet", is_flag=True, help="Print no progress bar.")
def demo(out: Path, quiet: bool) -> None:
    """Run all methods of the paper on built-in data.

    The data are scikit-learn's breast-cancer set (malignant is positive) and
    the paper's synthetic design. 30 % of the positives are labeled. The
    methods see the features and the labels. They are evaluated on other rows by
    the true classes. This takes a few seconds.

    \b
    Example:
      unlabeled demo --out demo-output
    """
    with exit_when_stopped(f"Stopped; {out} holds what was finished."):
        _run(out, quiet)


def _run(out: Path, quiet: bool) -> None:
    prepare_folder(out)
    data_sets = [breast_cancer(), paper_design()]
    runs = [(data, method) for data in data_sets for method in methods()]
    rows = []
    with progress_bar("fit", quiet=quiet) as progress:
        for data, method in runs:
            rows.append(run_method(data, method))
            progress(len(rows), len(runs))
    for data in data_sets:
        click.echo(table(data, [row for row in rows if row.data == data.name]))
    click.echo(explain_notes(rows))
    write_table(rows, out / "demo.csv")
    click.echo(f"The table is in {out / 'demo.csv'}.")
    click.echo(draw(data_sets[1], out / "f1_pu_curve.png"))


def prepare_folder(out: Path) -> None:
    """Make the folder, and check before any work that files can be written to it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "demo.csv").touch()
    except OSError as error:
        raise click.ClickException(
            f"`--out` must be a folder that can be written; got {out} ({error.strerror})."
        ) from None


def table(data: DemoData, rows: list[DemoRow]) -> str:
    """Return the results of one data set as text."""
    truth = f"true c = {LABEL_FREQUENCY}, true prior = {data.y_true.mean():.2f}"
    head = f"{'method':<10}{'F1':>7}{'bal. acc.':>11}{'c':>7}{'prior':>8}{'ms':>8}   notes"
    lines = [f"\n{data.name}: {truth}", head]
    for row in rows:
        frequency, prior = (
            "-" if math.isnan(x) else f"{x:.2f}" for x in (row.label_frequency, row.class_prior)
        )
        lines.append(
            f"{row.method:<10}{row.f1:>7.3f}{row.balanced_accuracy:>11.3f}"
            f"{frequency:>7}{prior:>8}{row.milliseconds:>8.1f}   {row.notes}"
        )
    return "\n".join(lines)


def explain_notes(rows: list[DemoRow]) -> str:
    """Return what the columns and the codes of the table mean."""
    seen = sorted({code for row in rows for code in row.notes.split()})
    lines = [
        "\nc and prior are estimates of P(labeled | positive) and P(positive).",
        "The oracle is logistic regression on the true classes. It cuts at posterior 1/2, which is",
        "not the best cut for F1, so a method with a lower cut can beat it.",
        "With 30 features and some 40 labeled rows, methods without a penalty overfit (all except",
        "PULogistic). Which of those is best is chance.",
        "Codes in the notes column:",
    ]
    return "\n".join(lines + [f"  {code}: {CODES[code].meaning}" for code in seen]) + "\n"


def write_table(rows: list[DemoRow], path: Path) -> None:
    """Write the table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(DemoRow)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def draw(data: DemoData, path: Path) -> str:
    """Draw the F1_PU curve of the Enhanced classifier; return a sentence about the file."""
    try:
        import matplotlib
    except ImportError:
        return "A picture needs matplotlib, which is not installed: pip install 'unlabeled[plots]'."
    matplotlib.use("Agg")
    from ..linear_model import EnhancedLogistic
    from ..plots import CutCurveDisplay

    model = EnhancedLogistic().fit(data.X, data.s)
    display = CutCurveDisplay.from_estimator(model, data.X, data.s)
    display.ax_.set_title("Where the naive and the enhanced classifier cut the same score")
    display.figure_.savefig(path, dpi=150)
    return f"The picture is in {path}. It shows F1_PU at every cut, and the chosen cut."
