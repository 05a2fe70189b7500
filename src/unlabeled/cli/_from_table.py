"""What the commands that begin with a table share: methods, and sentences about bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from .. import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic

if TYPE_CHECKING:
    from ..tables import Labels

METHODS: dict[str, Callable[..., Any]] = {
    "pu-logistic": PULogistic,
    "enhanced": EnhancedLogistic,
    "joint": JointLogistic,
    "naive": NaiveLogistic,
}
# The arguments of the library that its sentences name, as the command line calls them.
_OPTIONS = {"`path`": "TABLE", "`table`": "TABLE", "`class_prior`": "`--class-prior`"}
_OPTIONS |= {f"`{name}`": f"`--{name}`" for name in ("label", "positive", "id", "drop")}


class BadInput(click.ClickException):
    """What was given cannot be used; exit code 2, as for a wrong option."""

    exit_code = 2


def classifier(method: str, labels: Labels, class_prior: float | None, seed: int) -> Any:
    """Return the classifier of a name, told the class prior if it can use one."""
    share = labels.n_labelled / len(labels.s)
    if class_prior is not None and method not in ("pu-logistic", "joint"):
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
        return PULogistic(class_prior=class_prior, random_state=seed)
    if method == "joint" and class_prior is not None:
        return JointLogistic(label_frequency=share / class_prior)
    return METHODS[method]()


def as_options(sentence: str) -> str:
    """Write a sentence of the library with the names of the command line."""
    for argument, option in _OPTIONS.items():
        sentence = sentence.replace(argument, option)
    return sentence


def missing_extra(command: str, error: ImportError) -> BadInput:
    """Say how to install what a command needs."""
    return BadInput(
        f"`unlabeled {command}` needs {error.name or error}, which is not installed: "
        "pip install 'unlabeled[tables]'."
    )
