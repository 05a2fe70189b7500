"""Write `files.zip` with 0.2.0; README.rst says how to run it."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import unlabeled
from tests.fixtures_020.rows import typed
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.app.model_files import Card, load_model, save_model
from unlabeled.app.tables import table_pipeline
from unlabeled.audit import draw_audit
from unlabeled.cli import main
from unlabeled.label_frequency import (
    DEDPUL,
    BestBin,
    ElkanNoto,
    KernelMean,
    OneDimensionalJoint,
    PriorBound,
    TIcE,
)

PLAIN = ["age", "bmi", "sex", "region", "smoker"]


# Tables, all simulated.


def columns_of(n: int, seed: int) -> tuple[dict[str, list[Any]], np.ndarray, np.ndarray]:
    """Return columns of every kind as plain values, labels, and the hidden class."""
    rng = np.random.default_rng(seed)
    age, bmi = rng.normal(55, 12, n).round(1), rng.normal(27, 4, n).round(1)
    sex = rng.choice(["female", "male"], n)
    smoker = rng.random(n) < 0.3
    regions, shares = ["north", "east", "south", "moon", "mars"], [0.4, 0.3, 0.27, 0.02, 0.01]
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    walks, swims = rng.integers(10, 99, (2, n))
    columns: dict[str, list[Any]] = {
        "age": age.tolist(),
        "visits": rng.integers(0, 9, n).tolist(),
        "bmi": gaps(bmi.tolist(), rng),
        "sex": sex.tolist(),
        "region": gaps(rng.choice(regions, n, p=shares).tolist(), rng),
        "ward": rng.choice(["A", "B", "C"], n).tolist(),
        "smoker": smoker.tolist(),
        "insured": gaps((rng.random(n) < 0.6).tolist(), rng),
        "answered": gaps((rng.random(n) < 0.4).tolist(), rng),
        "visit": gaps([str(one.date()) for one in day], rng),
        "seen": [str(one.date()) for one in day],
        "written": day.strftime("%d/%m/%Y").tolist(),
        "size": gaps(rng.integers(150, 200, n).tolist(), rng),
        "dose": gaps([f"{one:.2f}" for one in rng.gamma(2, 3, n)], rng),
        "notes": gaps([f"walks {a} and swims {b}" for a, b in zip(walks, swims, strict=True)], rng),
        "blank": [None] * n,
    }
    eta = -1 + 0.1 * (age - 55) + 0.2 * (bmi - 27) + (sex == "male") + smoker
    ill = rng.random(n) < 1 / (1 + np.exp(-eta))
    return columns, (ill & (rng.random(n) < 0.5)).astype(int), ill


def gaps(cells: list[Any], rng: np.random.Generator) -> list[Any]:
    """Leave out a tenth of the cells."""
    gone = rng.random(len(cells)) < 0.1
    return [None if gone[k] else cell for k, cell in enumerate(cells)]


def write_tables(folder: Path) -> None:
    """Write the tables of the commands, and the hidden classes of the first."""
    folder.mkdir()
    columns, s, ill = columns_of(300, 1)
    names = ["age", "visits", "bmi", "sex", "region", "smoker"]
    people = pd.DataFrame({name: columns[name] for name in names})
    people.insert(0, "person", [f"P{k:04d}" for k in range(len(s))])
    people.assign(diagnosis=np.where(s == 1, "yes", None)).to_csv(
        folder / "people.csv", index=False
    )
    truth = dict(zip(people["person"], ill.tolist(), strict=True))
    (folder / "truth.json").write_text(json.dumps(truth))
    columns, _, _ = columns_of(60, 2)
    columns["region"][:5] = ["venus"] * 5
    new = pd.DataFrame(columns).drop(columns=["seen", "blank"])
    new.insert(0, "person", [f"N{k:04d}" for k in range(60)])
    new.assign(patient=np.arange(60) // 3).to_csv(folder / "new.csv", index=False)
    columns, s, _ = columns_of(360, 3)
    names = ["age", "bmi", "sex", "visit", "written", "notes", "dose"]
    visits = pd.DataFrame({name: columns[name] for name in names})
    visits.insert(0, "patient", np.arange(360) // 3)
    visits.assign(ill=s).to_csv(folder / "visits.csv", index=False)
    columns, _, ill = columns_of(500, 4)
    both = pd.DataFrame({name: columns[name] for name in PLAIN})
    both[:300].to_csv(folder / "survey.csv", index=False)
    both[300:][ill[300:]].to_csv(folder / "register.csv", index=False)


# Models of every kind that `save_model` takes.


def classifiers() -> dict[str, Any]:
    """Return a classifier of each kind, by the name of its folder."""
    line = LogisticRegression()
    trees = ExtraTreesClassifier(12, min_samples_leaf=8, random_state=0)
    boosting = HistGradientBoostingClassifier(max_iter=12, max_leaf_nodes=6, random_state=0)
    forest = RandomForestClassifier(12, min_samples_leaf=8, random_state=0)
    seen = ExtraTreesClassifier(
        12, min_samples_leaf=8, bootstrap=True, oob_score=True, random_state=0
    )
    members = [("line", PULogistic(random_state=0)), ("trees", seen), ("boosting", boosting)]
    estimators = {
        "best_bin": BestBin(),
        "dedpul": DEDPUL(),
        "elkan_noto": ElkanNoto(),
        "kernel_mean": KernelMean(),
        "one_dimensional_joint": OneDimensionalJoint(),
        "prior_bound": PriorBound(),
        "tice": TIcE(),
    }
    return {
        "pu_logistic": PULogistic(random_state=0),
        "pu_logistic_rule": PULogistic("recall_at_least(0.9)", random_state=0),
        "pu_logistic_prior": PULogistic(class_prior=0.5, random_state=0),
        "enhanced": EnhancedLogistic(),
        "joint": JointLogistic(),
        "naive": NaiveLogistic(),
        "weighted": WeightedLogistic(0.5, C=1.0),
        "propensity": PropensityLogistic(propensity_features=[0], random_state=0),
        "threshold_line": PUThresholdClassifier(NaiveLogistic(), random_state=0),
        "threshold_pipeline": PUThresholdClassifier(
            make_pipeline(StandardScaler(), line), random_state=0
        ),
        "threshold_trees": PUThresholdClassifier(trees, random_state=0),
        "threshold_forest": PUThresholdClassifier(forest, random_state=0),
        "threshold_boosting": PUThresholdClassifier(boosting, random_state=0),
        "ensemble": PUEnsemble(members=members, random_state=0),
        **{f"prior_of_{name}": WeightedLogistic(one) for name, one in estimators.items()},
    }


def write_models(folder: Path) -> dict[str, Any]:
    """Write a folder per model, and return what each says of other rows."""
    columns, s, ill = columns_of(300, 5)
    others, _, _ = columns_of(60, 6)
    others["region"][:5] = ["venus"] * 5
    folder.mkdir()
    (folder / "rows.json").write_text(json.dumps(others))
    frame, rows = typed(columns), typed(others)
    said = {}
    for name, classifier in classifiers().items():
        model = table_pipeline(classifier).fit(frame[PLAIN], s)
        said[name] = write_model(folder / name, model, rows)
        if name == "pu_logistic":
            audit = draw_audit(model, frame[PLAIN], s, random_state=0)
            mended = audit.estimate(ill[audit.rows].astype(int)).recut(model[-1])
            pipeline = Pipeline([("table", model[0]), ("classifier", mended)])
            said["audited"] = write_model(folder / "audited", pipeline, rows)
            (folder / "audit.json").write_text(json.dumps(audit.to_dict()))
            answers = {"answers": ill[audit.rows].astype(int).tolist()}
            (folder / "answers.json").write_text(json.dumps(answers))
    every_column = table_pipeline(PULogistic(random_state=0), text_components=3).fit(frame, s)
    said["every_column"] = write_model(folder / "every_column", every_column, rows)
    return said


def write_model(folder: Path, model: Pipeline, rows: pd.DataFrame) -> dict[str, Any]:
    """Save a model, load it, and return what it says of rows."""
    table = {"sha256": "0" * 64, "rows": 300, "columns": 16}
    save_model(model, folder, Card.of(model, label="ill", positive="1", fingerprint=table))
    loaded, card = load_model(folder)
    return {
        "names": loaded[0].get_feature_names_out().tolist(),
        "features": loaded[0].transform(rows).tolist(),
        "score": loaded[-1].positive_score(loaded[0].transform(rows)).tolist(),
        "posterior": loaded.predict_proba(rows)[:, 1].tolist(),
        "decision": loaded.predict(rows).tolist(),
        "card": card.record(),
    }


# Folders of commands.

QUICK = ("--no-checks", "--no-compare")


def run(*words: object) -> str:
    """Run a command and return what it prints."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    if done.exit_code != 0:
        raise RuntimeError(f"{words}: {done.output}") from done.exception
    return done.stdout


def write_fits(root: Path) -> dict[str, Any]:
    """Write the folders of fits and checks, and return what commands say of them."""
    tables, fits = root / "tables", root / "fits"
    line = fits / "line"
    one = ("--id", "person", "--method", "pu-logistic", "--no-compare")
    run("fit", tables / "people.csv", "--label", "diagnosis", *one, "--out", line)
    several = ("--group", "patient", *QUICK)
    run("fit", tables / "visits.csv", "--label", "ill", *several, "--out", fits / "groups")
    both = ("--cases", tables / "register.csv", "--population", tables / "survey.csv")
    run("fit", *both, "--method", "pu-logistic", *QUICK, "--out", fits / "two_files")
    ward = ("--labelled-by", "region", "--id", "person", "--method", "pu-logistic", *QUICK)
    run("fit", tables / "people.csv", "--label", "diagnosis", *ward, "--out", fits / "by_region")
    said: dict[str, Any] = {}
    for fit in ("line", "groups", "two_files", "by_region"):
        said[fit] = predicted(root, fit, "by the fit")
        said[fit] |= predicted(root, fit, "by a rule", "--rule", "recall_at_least(0.9)")
    said["line"] |= audited(root, "line", "people.csv", "person")
    said["groups"] |= {"drawn": drawn(root, "groups", "visits.csv")}
    return said


def predicted(root: Path, fit: str, name: str, *words: str) -> dict[str, Any]:
    """Return what `unlabeled predict` says of the new rows."""
    out = root / "out.csv"
    run("predict", root / "fits" / fit, root / "tables" / "new.csv", *words, "--out", out)
    with out.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    out.unlink()
    wanted = [header.index(one) for one in ("score", "posterior", "decision")]
    return {name: [[float(row[k]) for k in wanted] for row in rows]}


def drawn(root: Path, fit: str, table: str, name: str | None = None) -> dict[str, Any]:
    """Draw rows to check; the folder stays if it has a name."""
    folder, out = root / "fits" / fit, root / "checks" / (name or "not kept")
    before = {one.name: one.read_bytes() for one in folder.iterdir()}
    run(
        *("audit", folder, "--table", root / "tables" / table, "--rows", 60, "--seed", 1),
        *("--out", out),
    )
    design = json.loads((out / "audit.json").read_text())["audit"]
    if name is None:
        shutil.rmtree(out)
        shutil.rmtree(folder)
        folder.mkdir()
        for file, content in before.items():
            (folder / file).write_bytes(content)
    return {"rows": design["rows"], "score": design["score"]}


def audited(root: Path, fit: str, table: str, id: str) -> dict[str, Any]:
    """Draw rows of a fit; answer half of them, then all, and return what the answers say."""
    folder, check = root / "fits" / fit, root / "checks" / fit
    fresh = shutil.copytree(folder, root / "fits" / f"{fit}_fresh")
    design = drawn(root, fit, table, fit)
    shutil.copytree(folder, root / "fits" / f"{fit}_drawn")
    truth = json.loads((root / "tables" / "truth.json").read_text())
    with (check / "check.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [(one["key"], "yes" if truth[one[id]] else "no") for one in csv.DictReader(file)]
    for name, answers in (("half", rows[: len(rows) // 2]), ("all", rows)):
        with (root / "checks" / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("key", "truth"), *answers])
    half = json.loads(run("audit", folder, "--answers", root / "checks" / "half.csv", "--json"))
    said = {"drawn": design, "half": half}
    said |= predicted(root, fit, "by half of the answers", "--cut", "audited")
    shutil.copytree(folder, root / "fits" / f"{fit}_half")
    said["all"] = json.loads(
        run("audit", folder, "--answers", root / "checks" / "all.csv", "--json")
    )
    said |= predicted(root, fit, "by all answers", "--cut", "audited")
    shutil.rmtree(folder)
    fresh.rename(folder)
    return said


# A run of the paper's studies, one repeat of three.


def write_run(folder: Path) -> None:
    """Run one repeat of a plan whose fits take a second."""
    from unlabeled.paper.studies import Cell, Plan, Study, run_plan  # where 0.2.0 has them

    cells = tuple(Cell("paper_gaussian", "scar", 200, c) for c in (0.4, 0.7))
    keys = (("oracle", "-"), ("naive", "-"), ("en", "published"))
    plan = Plan((Study("synthetic", cells, keys, 1),))
    run_plan(plan, folder, backend="sequential")


def write() -> None:
    """Write the archive beside this file."""
    if unlabeled.__version__ != "0.2.0":
        sys.exit(f"0.2.0 must write these files; got {unlabeled.__version__}. See README.rst.")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        root = Path(folder)
        write_tables(root / "tables")
        said = {"models": write_models(root / "models"), "fits": write_fits(root)}
        write_run(root / "reproduce")
        (root / "said.json").write_text(json.dumps(said))
        target = Path(__file__).with_name("files.zip")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for file in sorted(root.rglob("*")):
                if file.is_file() and file.suffix != ".html":
                    archive.write(file, file.relative_to(root))


if __name__ == "__main__":
    write()
