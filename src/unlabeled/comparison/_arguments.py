"""What a comparison is given, each with a sentence where it cannot be used."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.base import is_regressor

from ..labels import fitted_model
from ..parameters import check_fraction, check_positive


def check_models(models: Any) -> None:
    """Refuse anything but classifiers by name that can be fitted again."""
    if not isinstance(models, dict) or not models:
        got = "an empty one" if isinstance(models, dict) else type(models).__name__
        raise ValueError(
            "`models` must be a dict of names and classifiers, such as "
            f"{{'enhanced': EnhancedLogistic()}}; got {got}."
        )
    for name, model in models.items():
        if not isinstance(name, str):
            raise ValueError(f"`models` must have names that are text; got {name!r}.")
        _check_model(name, model)


def _check_model(name: str, model: Any) -> None:
    is_class = isinstance(model, type)
    usable = all(hasattr(model, method) for method in ("fit", "get_params"))
    if is_class or not usable or is_regressor(model):
        got = f"{model.__name__}, a class" if is_class else f"{type(model).__name__}, which is none"
        raise ValueError(f"`models` must hold classifiers; got {got}, under {name!r}.")
    if getattr(fitted_model(model), "cv", None) == "prefit":
        raise ValueError(
            f"`models` must be refitted to each split, which cv='prefit' of {name!r} rules out. "
            "Give `cv` another value."
        )


def check_numbers(n_repeats: Any, test_size: Any, most_rows: Any) -> tuple[int, float]:
    """Refuse numbers that make no splits; return the first two as Python has them."""
    check_positive("n_repeats", n_repeats, Integral, "a whole number of at least 2")
    if n_repeats < 2:
        raise ValueError(
            f"`n_repeats` must be a whole number of at least 2; got {n_repeats!r}. One split has "
            "no standard error."
        )
    check_positive("test_size", test_size, Real, "a share between 0 and 1")
    if not test_size < 1:
        raise ValueError(f"`test_size` must be a share between 0 and 1; got {test_size!r}.")
    if most_rows is not None:
        check_positive("most_rows", most_rows, Integral, "None or a whole number above 0")
    return int(n_repeats), float(test_size)


def check_prior(class_prior: Any, labelled_share: float) -> None:
    """Refuse a class prior below what is labelled."""
    check_fraction("class_prior", class_prior, none_allowed=True)
    if class_prior is not None and class_prior < labelled_share:
        raise ValueError(
            f"`class_prior` must be at least the share of labelled rows, {labelled_share:.4f}; got "
            f"{class_prior!r}. Give the share of positives among all rows."
        )


def positive_value(models: dict[str, Any], given: Any) -> Any:
    """Return the label value that the caller or the models say marks labelled rows."""
    said = {
        name: getattr(fitted_model(one), "positive_label", None) for name, one in models.items()
    }
    said = {name: value for name, value in said.items() if value is not None}
    positive = next(iter(said.values()), None) if given is None else given
    for name, value in said.items():
        if value != positive:
            raise ValueError(
                "`models` must agree on the label value of labelled rows; got "
                f"{value!r} in {name!r} and {positive!r} elsewhere. Give `positive_label` once."
            )
    return positive
