"""What the commands that begin with a table share: methods, and sentences about bad input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from .. import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic
from ..label_frequency import ElkanNoto, TIcE
from ..meta import PUThresholdClassifier

if TYPE_CHECKING:
    from ..tables import Labels, Prepared, Table

METHODS: dict[str, Callable[..., Any]] = {
    "pu-logistic": PULogistic,
    "enhanced": EnhancedLogistic,
    "joint": JointLogistic,
    "naive": NaiveLogistic,
}
FITTED = (*METHODS, "weighted-en", "weighted-tice")
"""Methods that give a linear model of the table."""

COMPARED = (*FITTED, "forest")
"""These, and one that is not linear."""

_KNOW_THE_PRIOR = ("pu-logistic", "joint", "forest")
# The arguments of the library that its sentences name, as the command line calls them.
_OPTIONS = {"`path`": "TABLE", "`table`": "TABLE", "`class_prior`": "`--class-prior`"}
_OPTIONS |= {"`test_size`": "`--test-size`", "`n_repeats`": "`--repeats`", "`y`": "`--label`"}
_OPTIONS |= {"`as_text`": "`--as-text`", "`rule`": "`--rule`"}
_OPTIONS |= {f"`{name}`": f"`--{name}`" for name in ("label", "positive", "id", "drop")}


class BadInput(click.ClickException):
    """What was given cannot be used; exit code 2, as for a wrong option."""

    exit_code = 2


def classifier(
    method: str,
    labels: Labels,
    class_prior: float | None,
    seed: int,
    rule: str | None = None,
) -> Any:
    """Return the classifier of a name, told the class prior if it can use one.

    With a rule the cut is chosen by it, on left-out scores; otherwise it is the method's own.
    """
    share = labels.n_labelled / len(labels.s)
    if class_prior is not None and method not in _KNOW_THE_PRIOR and rule is None:
        raise click.UsageError(
            "`--class-prior` must go with `--method pu-logistic` or `joint`; "
            f"got it with {method!r}, which has no use for it."
        )
    if class_prior is not None and class_prior <= share:
        raise BadInput(
            f"`--class-prior` must be above the share of labelled rows, {share:.4f}; "
            f"got {class_prior}. Give the share of positives in the whole table."
        )
    if method == "pu-logistic":
        return PULogistic(rule or "f1", class_prior=class_prior, random_state=seed)
    if rule is not None:
        inner = classifier(method, labels, None, seed)
        return PUThresholdClassifier(inner, rule, class_prior=class_prior, random_state=seed)
    if method == "joint" and class_prior is not None:
        return JointLogistic(label_frequency=share / class_prior)
    if method == "forest":
        return _forest(class_prior, seed)
    if method == "weighted-en":
        return WeightedLogistic(ElkanNoto())
    if method == "weighted-tice":
        return WeightedLogistic(TIcE(random_state=seed))
    return METHODS[method]()


def classifiers(
    methods: Iterable[str], labels: Labels, class_prior: float | None, seed: int
) -> dict[str, Any]:
    """Return the classifiers of some names, each told the class prior if it can use one."""
    priors = {one: class_prior if one in _KNOW_THE_PRIOR else None for one in methods}
    return {one: classifier(one, labels, prior, seed) for one, prior in priors.items()}


def _forest(class_prior: float | None, seed: int) -> PUThresholdClassifier:
    from sklearn.ensemble import RandomForestClassifier

    trees = RandomForestClassifier(200, min_samples_leaf=5, oob_score=True, random_state=seed)
    return PUThresholdClassifier(trees, class_prior=class_prior, cv="oob")


def as_options(sentence: str) -> str:
    """Write a sentence of the library with the names of the command line."""
    for argument, option in _OPTIONS.items():
        sentence = sentence.replace(argument, option)
    return sentence


def about_model(sentence: str, argument: str) -> str:
    """Write a sentence about a model file as for somebody who fits from a terminal."""
    sentence = sentence.replace("`path`", argument)
    sentence = sentence.replace("that save_model wrote", "that `unlabeled fit` wrote")
    return sentence.replace(
        "Save the model with save_model.", "Name the folder that `unlabeled fit` wrote."
    )


def about_table(table: Table, labels: Labels, prepared: Prepared) -> dict[str, Any]:
    """Say in a record what was read, what counted as labelled, and which columns were used."""
    return {
        "table": {"name": table.path.name, "rows": len(table), "columns": list(table.columns)},
        "label": labels.record(),
        "features": list(prepared.features),
        "not_used": prepared.dropped,
        "remarks": [*table.remarks, *prepared.remarks],
    }


def missing_extra(command: str, error: ImportError) -> BadInput:
    """Say how to install what a command needs."""
    return BadInput(
        f"`unlabeled {command}` needs {error.name or error}, which is not installed: "
        "pip install 'unlabeled[tables]'."
    )
