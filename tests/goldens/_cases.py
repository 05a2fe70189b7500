"""What is computed: every case yields named results."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

import unlabeled as pu
from unlabeled import (
    audit,
    comparison,
    diagnostics,
    inference,
    inspection,
    label_frequency,
    metrics,
    thresholds,
)
from unlabeled.codes import PUWarning

from ._design import Table, given_by, make_table, pairwise

Results = Iterator[tuple[str, Any]]
_FOREST = partial(RandomForestClassifier, 20, min_samples_leaf=5, random_state=0)
# Attributes that are not numbers of the fit, or differ from run to run.
_NOT_RECORDED = {"estimator_", "estimators_", "members_", "feature_names_in_"}
# Private ones that were public in 0.2.0.
_WERE_PUBLIC = {
    "_design_effect_",
    "_gradient_norm_",
    "_label_line_",
    "_member_lines_",
    "_n_inner_iter_",
    "_n_rows_searched_",
    "_swap_ratio_",
}


def small_ensemble(**parameters: Any) -> Any:
    """Return an ensemble of a line and few trees."""
    trees = ExtraTreesClassifier(20, min_samples_leaf=5, bootstrap=True, oob_score=True)
    members = [("line", pu.PULogistic()), ("trees", trees)]
    return pu.PUEnsemble(members=members, random_state=0, **parameters)


def make_classifier(name: str, knowledge: str) -> Any:
    """Make an unfitted classifier that has been told its share of a kind of knowledge."""
    kwargs: dict[str, Any] = {}
    if knowledge == "prior":
        kwargs["class_prior"] = 0.35
    if knowledge == "two samples":
        kwargs["sampling"] = "two-sample"
    names = [2] if knowledge == "names" else None
    # "f1_pu" was the default in 0.2.0.
    of_forest = {"rule": "f1_pu", "cv": 4, "random_state": 0}
    kinds: dict[str, Callable[..., Any]] = {
        "PULogistic": partial(pu.PULogistic, random_state=0),
        "PULogistic, naive direction": partial(pu.PULogistic, direction="naive", random_state=0),
        "PULogistic, folds": partial(pu.PULogistic, cv=4, random_state=0),
        "PUEnsemble": small_ensemble,
        "PropensityLogistic": partial(
            pu.PropensityLogistic, propensity_features=names, random_state=0
        ),
        "WeightedLogistic": partial(pu.WeightedLogistic, label_frequency.ElkanNoto(random_state=0)),
        "JointLogistic, MM": partial(pu.JointLogistic, solver="mm"),
        "PUThresholdClassifier, forest": partial(pu.PUThresholdClassifier, _FOREST(), **of_forest),
        "PUThresholdClassifier, leave-one-out": partial(
            pu.PUThresholdClassifier, pu.NaiveLogistic(C=1.0), rule="f1_pu", cv="loo"
        ),
    }
    return kinds.get(name, getattr(pu, name, None))(**kwargs)


def answers_of(table: Table, n_checked: int = 60) -> np.ndarray:
    """Check some unlabeled rows, of every kind."""
    rng = np.random.default_rng(1)
    rows = rng.choice(np.flatnonzero(table.s == 0), n_checked, replace=False)
    checked = np.full(len(table.s), np.nan)
    checked[rows] = table.y[rows]
    return checked


def fitted(case: tuple[str, str, str, str], folder: Path) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Fit a case; return the classifier, X and labels as it got them, and further arguments."""
    table_name, classifier, backend, knowledge = case
    table = make_table(table_name)
    X, s = given_by(backend, table.X, folder), table.s
    arguments: dict[str, Any] = {}
    if knowledge == "answers":
        arguments["checked"] = answers_of(table)
    if knowledge == "groups":
        arguments["groups"] = table.groups
    if knowledge == "weights":
        arguments["sample_weight"] = table.weight
    if backend == "Dask":
        s = given_by("Dask", s[:, None], folder)[:, 0]
        arguments = {k: given_by("Dask", v[:, None], folder)[:, 0] for k, v in arguments.items()}
    model = make_classifier(classifier, knowledge)
    if knowledge == "weights":  # numbers of copies, as all weights were in 0.2.0
        model.set_params(weights="frequency")
    model.fit(X, s, **arguments)
    return model, X, s, arguments


def of_classifier(case: tuple[str, str, str, str]) -> Results:
    """Everything that a fitted classifier says."""
    dispatch = case[2] in ("PyTorch", "array API")
    with (
        tempfile.TemporaryDirectory() as folder,
        sklearn.config_context(array_api_dispatch=dispatch),
    ):
        model, X, s, arguments = fitted(case, Path(folder))
        yield from attributes(model)
        for method in ("positive_score", "decision_function", "predict", "predict_proba"):
            yield method, to_numpy(getattr(model, method)(X))
        yield "posterior_at", model.posterior_at(np.linspace(-2, 2, 9))
        yield "threshold_", model.threshold_
        if hasattr(model, "held_out_posterior_"):
            yield "held_out_posterior_", model.held_out_posterior_
        if hasattr(model, "propensity"):
            yield "propensity", model.propensity(X)
        if hasattr(model, "member_logits") and case[2] != "Dask":
            yield "member_logits", {k: to_numpy(v) for k, v in model.member_logits(X).items()}
        yield from intervals_of(model, X, s, arguments)


def attributes(model: Any) -> Results:
    """Every fitted attribute that holds numbers and is public, or was."""
    for name, value in sorted(vars(model).items()):
        is_public = name.endswith("_") and not name.startswith("_")
        if (is_public and name not in _NOT_RECORDED) or name in _WERE_PUBLIC:
            yield name, to_numpy(value)


def to_numpy(value: Any) -> Any:
    """Bring an array from wherever it is to memory."""
    if hasattr(value, "compute"):
        return value.compute()
    is_numpy = isinstance(value, (np.ndarray, np.generic))
    if hasattr(value, "__array_namespace__") and not is_numpy:
        return np.from_dlpack(value)
    if type(value).__module__.startswith("torch"):
        return value.numpy()
    return value


def intervals_of(model: Any, X: Any, s: Any, arguments: dict[str, Any]) -> Results:
    """Intervals and coefficients, or why there are none."""
    joint = isinstance(model, pu.JointLogistic)
    again = {k: v for k, v in arguments.items() if k in ("sample_weight", "checked")}
    rows = (X, s) if joint else ()
    more = dict(again) if joint else {}
    for name in ("class_prior_interval", "label_frequency_interval"):
        if hasattr(model, name):
            yield name, said(partial(getattr(model, name), *rows, **more))
    if hasattr(model, "class_prior_interval") and not joint:
        yield "of_population", said(partial(model.class_prior_interval, of="population"))
    if "groups" in arguments:
        again |= {"groups": arguments["groups"]}
    if hasattr(model, "estimates"):
        yield "estimates", said(partial(model.estimates, X, s, **again))
        yield "observed", said(partial(model.estimates, X, s, kind="observed", **again))
        yield "summary", said(lambda: str(model.summary(X, s, **again)))


def said(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or the kind of its exception."""
    try:
        return call()
    except (ValueError, AttributeError, TypeError) as error:
        return type(error).__name__


def of_many_rows(kind: str) -> Results:
    """Fits to so many rows that a part of them is searched."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(70_000, 3))
    y = rng.uniform(size=len(X)) < expit(X[:, 0] + 0.5 * X[:, 1] - 1)
    s = (y & (rng.uniform(size=len(X)) < 0.4)).astype(int)
    model = (
        pu.PULogistic(random_state=0)
        if kind == "line"
        else pu.PUThresholdClassifier(
            RandomForestClassifier(5, min_samples_leaf=50, random_state=0),
            rule="f1_pu",
            random_state=0,
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        X = given_by("map", X, Path(folder)) if kind == "line" else X
        model.fit(X, s)
        yield from attributes(model)
        yield "predict_proba", model.predict_proba(X[:500])
        yield from ((k, v) for k, v in intervals_of(model, X, s, {}) if k != "summary")


def of_audit(model_name: str, table_name: str, sampling: str = "labels") -> Results:
    """Drawn rows, what their answers say, and the mended cut."""
    table = make_table(table_name)
    model = make_classifier(model_name, sampling).fit(table.X, table.s)
    n_labeled = 0 if sampling == "two samples" else 10
    drawn = audit.draw_audit(model, table.X, table.s, 80, labeled_size=n_labeled, random_state=0)
    yield "audit", drawn.to_dict() | {"fingerprint": None}
    yield "lengths", drawn.expected_lengths()
    answers = np.where(np.arange(len(drawn.rows)) % 17 == 3, np.nan, table.y[drawn.rows])
    result = drawn.estimate(answers)
    yield "result", result.to_dict()
    for measure in ("count", "class_prior", "precision", "recall", "f1", "accuracy", "mcc"):
        yield measure, said(partial(result.measure, measure))
        yield f"{measure} range", said(partial(result.measure_range, measure))
    yield "precision at 0", said(partial(result.measure, "precision", 0.0))
    yield "curve", result.curve()
    yield "verdict", result.verdict
    for rule in ("f1", "recall_at_least(0.8)"):
        yield f"choose_cut {rule}", said(partial(result.choose_cut, rule))
        recut = said(partial(result.recut, model, rule))
        if not isinstance(recut, str):
            yield from ((f"recut {rule} {k}", v) for k, v in attributes(recut))
            yield f"recut {rule} proba", recut.predict_proba(table.X)
            yield f"recut {rule} predict", recut.predict(table.X)
    other = audit.draw_audit(model, table.X, table.s, 40, random_state=1)
    pooled = said(lambda: audit.pool_audits([result, other.estimate(table.y[other.rows])]))
    if not isinstance(pooled, str):
        yield "pooled", pooled.to_dict()


def of_sensitivity(model_name: str, table_name: str) -> Results:
    """What follows if one column decides who is labeled."""
    table = make_table(table_name)
    model = make_classifier(model_name, "labels").fit(table.X, table.s)
    for feature in (0, 2):
        yield (
            f"feature {feature}",
            inference.labeling_sensitivity(model, table.X, table.s, feature),
        )


def of_diagnosis(model_name: str, table_name: str) -> Results:
    """Findings with their numbers."""
    table = make_table(table_name)
    model = make_classifier(model_name, "labels").fit(table.X, table.s)
    for finding in diagnostics.diagnose(model, table.X, table.s, random_state=0).findings:
        yield finding.check, (finding.code, finding.state, finding.facts)
    if table_name == "easy":
        yield "scar_test", diagnostics.scar_test(table.X, table.s, n_resamples=19, random_state=0)


def of_metrics(table_name: str) -> Results:
    """Metrics and their intervals."""
    table = make_table(table_name)
    model = pu.EnhancedLogistic().fit(table.X, table.s)
    score, predicted = model.positive_score(table.X), model.predict(table.X)
    by_score = ("label_auc", "boyce_index", "corrected_auc", "corrected_average_precision")
    by_class = ("f1_pu", "pu_recall", "lift", *(f"corrected_{one}" for one in _CORRECTED))
    density = label_frequency.class_prior_density(table.s, score)
    yield "density", density
    for name in (*by_score, *by_class):
        given = score if name in by_score else predicted
        metric = getattr(metrics, f"{name}_score")
        prior = {"class_prior": 0.4} if name.startswith("corrected") else {}
        for weight in (None, table.weight):
            for sampling in ({}, {"sampling": "two-sample"} if name not in _ONE_WAY else {}):
                key = f"{name} {weight is not None} {bool(sampling)}"
                call = partial(metric, table.s, given, sample_weight=weight, **prior, **sampling)
                yield key, said(call)
        for kind in ("number", "density") if prior else ("none",):
            known = {"number": prior, "density": {"class_prior": density}, "none": {}}[kind]
            yield (
                f"{name} interval {kind}",
                inference.metric_interval(
                    metric, table.s, given, random_state=0, n_resamples=50, **known
                ),
            )


_ONE_WAY = ("label_auc", "pu_recall")
_CORRECTED = ("precision", "f1", "fowlkes_mallows", "balanced_accuracy", "accuracy", "mcc")


def of_rules(table_name: str) -> Results:
    """Every rule, in one sample and two."""
    table = make_table(table_name)
    score = pu.NaiveLogistic().fit(table.X, table.s).positive_score(table.X)
    rules = (*thresholds.RULES, "fbeta(2)", "cost(5, 1)", "recall_at_least(0.8)", "share(0.2)")
    for sampling in ("one-sample", "two-sample"):
        for weight in (None, table.weight):
            cuts = thresholds.scan_cuts(table.s, score, weight, sampling=sampling)
            yield f"cuts {sampling} {weight is not None}", cuts
            for rule in (*rules, "precision_at_least(0.6)"):
                key = f"{rule} {sampling} {weight is not None}"
                yield key, said(partial(thresholds.choose_cut, cuts, rule, 0.4))


def of_priors(table_name: str) -> Results:
    """Every estimator of the label frequency."""
    table = make_table(table_name)
    estimators = {
        "mean": label_frequency.OneDimensionalJoint(random_state=0),
        "mode": label_frequency.OneDimensionalJoint("mode", random_state=0),
        "DEDPUL": label_frequency.DEDPUL(random_state=0),
        "BestBin": label_frequency.BestBin(random_state=0),
        "KM2": label_frequency.KernelMean(random_state=0),
        "TIcE": label_frequency.TIcE(random_state=0),
        "e1": label_frequency.ElkanNoto(random_state=0),
        "e3": label_frequency.ElkanNoto("e3", cv=4, random_state=0),
        "bound": label_frequency.PriorBound(random_state=0),
    }
    for name, estimator in estimators.items():
        for fit in ({}, {"sample_weight": table.weight}, {"groups": table.groups}):
            key = f"{name} {'|'.join(fit)}"
            estimator.set_params(weights="frequency" if "sample_weight" in fit else "sampling")
            model = said(lambda e=estimator, f=fit: e.fit(table.X, table.s, **f))
            if isinstance(model, str):
                yield key, model
            else:
                yield key, (model.label_frequency_, model.class_prior_)
    score = table.X[:, 0] + 0.5 * table.X[:, 1]
    for weight in (None, table.weight):
        yield (
            f"density {weight is None}",
            label_frequency.class_prior_density(table.s, score, weight, weights="frequency"),
        )
    for extra in ({"groups": table.groups}, {"sampling": "two-sample"}):
        yield f"density {extra}"[:20], label_frequency.class_prior_density(table.s, score, **extra)


def of_resamples(table_name: str) -> Results:
    """The bootstrap, a comparison, importances, contributions."""
    table = make_table(table_name)
    drawn = inference.bootstrap(
        pu.PULogistic(), table.X, table.s, n_resamples=8, random_state=0, class_prior=0.4
    )
    yield "bootstrap", drawn.values
    for name in drawn.names[:4]:
        yield f"bootstrap {name}", drawn.interval(name)
    compared = comparison.compare_methods(
        {"naive": pu.NaiveLogistic(), "PULogistic": pu.PULogistic()},
        table.X,
        table.s,
        n_repeats=3,
        random_state=0,
    )
    yield "comparison", without_times(compared.values)
    yield "verdict", compared.verdict(list(compared.names)).to_dict()
    model = pu.PULogistic().fit(table.X, table.s)
    importance = inspection.label_importance(
        model, table.X, table.s, cv=3, n_repeats=2, random_state=0
    )
    yield "importance", importance
    yield "contributions", inspection.contributions(model, table.X)


_COMMANDS = {
    "bare": ["--no-checks", "--no-compare", "--method", "pu-logistic"],
    "default": ["--compare"],
    "prior": ["--class-prior", "0.4", "--no-compare"],
    "groups": ["--group", "ward", "--no-checks", "--no-compare"],
    "checked": ["--checked", "seen", "--no-checks", "--no-compare"],
    "names": ["--labeled-by", "f2", "--no-checks", "--no-compare"],
    "ensemble": ["--method", "ensemble", "--no-checks", "--no-compare"],
    "enhanced": ["--method", "enhanced", "--no-checks", "--no-compare"],
}


def of_command(name: str) -> Results:
    """`unlabeled fit`, predict and audit: summary.json and the tables they write."""
    import pandas as pd

    from unlabeled.cli import main

    data = load_breast_cancer()
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(data.data[:, :5], columns=[f"f{i}" for i in range(5)])
    positive = data.target == 0
    frame["diagnosis"] = (positive & (rng.uniform(size=len(frame)) < 0.4)).astype(int)
    frame["size"] = np.where(frame["f0"] > 14, "large", "small")
    frame["ward"] = rng.integers(0, 150, size=len(frame))
    seen = np.where(rng.uniform(size=len(frame)) < 0.1, positive.astype(float), np.nan)
    frame["seen"] = np.where(frame["diagnosis"] == 1, np.nan, seen)
    if name != "checked":
        frame = frame.drop(columns="seen")
    if name != "groups":
        frame = frame.drop(columns="ward")
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where)
        frame.to_csv(folder / "table.csv", index=False)
        fit = ["fit", str(folder / "table.csv"), "--label", "diagnosis", *_COMMANDS[name]]
        run(main, *fit, "--out", str(folder / "out"), "--quiet")
        yield "summary", without_times(json.loads((folder / "out/summary.json").read_text()))
        yield "scored", columns_of(folder / "out/scored.csv")
        run(main, "predict", str(folder / "out"), str(folder / "table.csv"), "--quiet",
            "--out", str(folder / "new.csv"))  # fmt: skip
        yield "predicted", columns_of(folder / "new.csv")
        if name in ("names", "enhanced"):
            return
        run(main, "audit", str(folder / "out"), "--table", str(folder / "table.csv"), "--rows",
            "60", "--seed", "0", "--quiet", "--out", str(folder / "check"))  # fmt: skip
        drawn = json.loads((folder / "check/audit.json").read_text())
        yield "audit", without_times(drawn)
        check = pd.read_csv(folder / "check/check.csv", dtype=str)
        by_cells = {tuple(row): is_positive for row, is_positive in zip(
            frame[["f0", "f1", "f2"]].astype(str).itertuples(index=False, name=None), positive,
            strict=True)}  # fmt: skip
        cells = pd.read_csv(folder / "check/check.csv")[["f0", "f1", "f2"]].astype(str)
        check["truth"] = [
            "yes" if by_cells[row] else "no" for row in cells.itertuples(index=False, name=None)
        ]
        check.to_csv(folder / "check/check.csv", index=False)
        run(main, "audit", str(folder / "out"), "--answers", str(folder / "check"), "--quiet")
        after = json.loads((folder / "out/summary.json").read_text())
        yield "audited summary", without_times(after["audit"])
        yield "audited", columns_of(folder / "out/audited.csv")


def run(main: Any, *words: str) -> None:
    """Run a command of the terminal; it must succeed."""
    from click.testing import CliRunner

    result = CliRunner().invoke(main, words)
    if result.exit_code:
        raise RuntimeError(f"{words}: {result.output}") from result.exception


def columns_of(path: Path) -> dict[str, Any]:
    """Read a table of scores."""
    import pandas as pd

    frame = pd.read_csv(path)
    return {name: frame[name].fillna(-99.0).to_numpy() for name in frame}


def without_times(value: Any) -> Any:
    """Leave out what differs from run to run or from place to place."""
    if isinstance(value, dict):
        hidden = (
            "time",
            "sha256",
            "seconds",
            "version",
            "path",
            "made",
            "table_file",
            "key",
            "checksum",
        )
        return {
            key: without_times(one)
            for key, one in value.items()
            if not any(word in key for word in hidden)
            and key not in ("at", "keys", "command", "inputs")
        }
    if isinstance(value, list):
        return [without_times(one) for one in value]
    return value


def cases() -> dict[str, Callable[[], Results]]:
    """Name every case."""
    found: dict[str, Callable[[], Results]] = {
        "fit: " + " / ".join(case): partial(of_classifier, case) for case in pairwise()
    }
    for kind in ("line", "forest"):
        found[f"many rows: {kind}"] = partial(of_many_rows, kind)
    models = ("PULogistic", "PUEnsemble", "PUThresholdClassifier, forest", "EnhancedLogistic")
    for model, table in zip(models, ("easy", "curved", "by_feature", "skewed"), strict=True):
        found[f"audit: {model} / {table}"] = partial(of_audit, model, table)
        found[f"diagnosis: {model} / {table}"] = partial(of_diagnosis, model, table)
    found["audit: two samples"] = partial(of_audit, "PULogistic", "easy", "two samples")
    for model in ("PULogistic", "PUEnsemble"):
        found[f"sensitivity: {model}"] = partial(of_sensitivity, model, "by_feature")
    for name, function in {
        "metrics": of_metrics,
        "rules": of_rules,
        "priors": of_priors,
        "resamples": of_resamples,
    }.items():
        for table in ("easy", "skewed"):
            found[f"{name}: {table}"] = partial(function, table)
    for command in _COMMANDS:
        found[f"command: {command}"] = partial(of_command, command)
    return found


def numbers_of(function: Callable[[], Results]) -> Results:
    """Compute a case; warnings count too, by their codes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield from function()
    codes = sorted({str(one.message)[:5] for one in caught if isinstance(one.message, PUWarning)})
    yield "codes", " ".join(codes)
