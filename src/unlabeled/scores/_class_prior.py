"""The class prior of a classifier: a number, an estimator, or an estimate from its scores."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..codes import Message, warn
from ..engine.estimators import clone_seeded, groups_argument
from ..engine.linear_fits import NOBODY, Watch
from ..engine.rows import FREQUENCY, NO_EFFECTS, Effects, Rows, label_folds, weighted_mean
from ..thresholds import Cuts
from ._prior_density import PriorDensity, largest_class_prior
from ._score_model import Line

# Tolerance: rounding may put a class prior this far below the fraction of labeled rows.
_ROUNDING = 1e-9
_BOUND_ERROR = 0.05
# An estimate from scores never reaches 1.
_NEARLY_ALL_LABELED = 0.9


class ResolvedPrior(NamedTuple):
    """P(Y=1); its distribution if it was estimated from scores, and the estimator if one was given.

    Attributes
    ----------
    value : float
        Of all rows, those of both samples if there are two.
    density : PriorDensity or None
        Of the population.
    estimator : object or None
    is_given : bool
        Whether it was given as a number or by an estimator.
    """

    value: float
    density: PriorDensity | None = None
    estimator: Any = None
    is_given: bool = False


def resolve_class_prior(
    given: Any,
    rows: Rows,
    estimate: Callable[[], PriorDensity | float] | None = None,
    watch: Watch = NOBODY,
    random_state: Any = None,
) -> ResolvedPrior:
    """Turn the parameter `class_prior` of a classifier into P(Y=1).

    Parameters
    ----------
    given : float, PriorDensity, label-frequency estimator or None
        A number is P(Y=1) of the population. A distribution gives its mean, or the share of
        labeled rows if that is larger. An estimator is fitted. None calls `estimate`.
    rows : Rows
        The rows an estimator is fitted to.
    estimate : callable, optional
        Called if nothing is given. It returns the class prior of all rows, or its distribution in
        the population, by the classifier's own scores.
    watch : Watch
        Hears that an estimator is fitted.
    random_state : int, RandomState instance or None
        Seeds an estimator that has no seed, unless it is None.
    """
    if hasattr(given, "fit"):
        estimator = fit_nested(given, rows, "class_prior", watch, random_state)
        return ResolvedPrior(_prior_found(estimator, rows), None, estimator, is_given=True)
    found = estimate() if given is None and estimate is not None else given
    share = rows.labeled_share
    if isinstance(found, PriorDensity):
        largest = rows.prior_of_rows(found.class_prior[-1])
        is_possible = rows.negatives is None or largest <= 1 + _ROUNDING
        if is_possible and largest >= share * (1 - _ROUNDING):
            return ResolvedPrior(max(float(rows.prior_of_rows(found.mean)), share), found)
    elif isinstance(found, Real) and not isinstance(found, bool):
        value = float(found) if given is None else float(rows.prior_of_rows(found))
        if share * (1 - _ROUNDING) <= value < 1 and (value > share or not rows.sampling.is_two):
            return ResolvedPrior(max(value, share), is_given=given is not None)
    least = f"of at least the share of labeled rows ({share:.4g})"
    raise ValueError(
        "`class_prior` must be None, a label-frequency estimator, a PriorDensity, or a number "
        f"{'above 0' if rows.sampling.is_two else least} and below 1; got {found!r}."
    )


def reject_impossible_prior(class_prior: float, rows: Rows) -> None:
    """Raise if a given class prior contradicts the answers of checked rows."""
    low = weighted_mean(rows.known_positive, rows.weight)
    high = 1 - weighted_mean(np.asarray(rows.checked == 0).astype(np.float64), rows.weight)
    if not low * (1 - _ROUNDING) <= class_prior <= high * (1 + _ROUNDING):
        low, high, class_prior = map(rows.population_prior, (low, high, class_prior))
        raise ValueError(
            "`class_prior` must be at least the share of rows known to be positive, "
            f"{low:.4g}, and at most the share of rows not found negative, {high:.4g}; got "
            f"{class_prior:.6g}. Leave it out: the answers estimate it."
        )


def _prior_found(estimator: Any, rows: Rows) -> float:
    """Return the class prior of all rows that a fitted estimator found."""
    prior = float(estimator.class_prior_)
    is_of_population = _knows_samples(estimator)  # of which it has seen no recorded negatives
    return float(rows.sampling.rows_prior(prior, rows.labeled_share)) if is_of_population else prior


def _knows_samples(estimator: Any) -> bool:
    return "sampling" in estimator.get_params(deep=False)


def fit_nested(
    given: Any,
    rows: Rows,
    parameter: str,
    watch: Watch = NOBODY,
    random_state: Any = None,
) -> Any:
    """Fit a clone of an estimator to validated rows; reject an impossible result.

    Parameters
    ----------
    given : label-frequency estimator
        Its `fit` sets the attribute named `parameter` with an underscore.
    rows : Rows
        The rows, without those of weight zero; s is 0 or 1 for any label values.
    parameter : {"label_frequency", "class_prior"}
        The classifier's parameter that holds the estimator.
    watch : Watch
        Hears that it is fitted.
    random_state : int, RandomState instance or None
        Seeds the estimator if it has no seed, unless it is None.
    """
    if isinstance(given, type):
        raise ValueError(
            f"`{parameter}` must be a number or an estimator; got the class {given.__name__}. Pass "
            f"{given.__name__}()."
        )
    if getattr(given, "is_bound", False):
        raise ValueError(
            f"`{parameter}` must be a number or an estimator of it; got {type(given).__name__}, "
            "which finds a bound. Fit it by itself, and compare."
        )
    estimator = _for_rows(clone_seeded(given, random_state), rows)
    arguments = {} if rows.weight is None else {"sample_weight": rows.weight}
    cv = getattr(estimator, "cv", None)
    if cv is not None and not (isinstance(cv, str) and cv == "train"):  # it holds rows out
        arguments |= groups_argument(estimator, rows.groups)
    watch.announce(f"label frequency by {type(estimator).__name__}")
    estimator.fit(rows.X, rows.s, **arguments)
    in_population = (
        parameter == "class_prior" and rows.sampling.is_two and _knows_samples(estimator)
    )
    _check_found(estimator, parameter, 0.0 if in_population else rows.labeled_share)
    return estimator


def _for_rows(estimator: Any, rows: Rows) -> Any:
    """Adapt parameters that refer to the user's rows and labels to the validated rows."""
    parameters = estimator.get_params(deep=False)
    if "pos_label" in parameters:
        estimator.set_params(pos_label=None)  # the labels are 0 and 1 now
    if "sampling" in parameters:
        estimator.set_params(sampling=rows.sampling.value)
    if "weights" in parameters and rows.weight is not None and rows.unit is None:
        estimator.set_params(weights=FREQUENCY)
    cv = parameters.get("cv")
    if rows.kept is not None and np.iterable(cv) and not isinstance(cv, str):
        estimator.set_params(cv=label_folds(rows, cv))  # indices into the remaining rows
    return estimator


def _check_found(estimator: Any, parameter: str, labeled_share: float) -> None:
    name = type(estimator).__name__
    found = getattr(estimator, f"{parameter}_", None)
    if not isinstance(found, Real) or not labeled_share * (1 - _ROUNDING) <= float(found) <= 1:
        what = f"{name} did not set it" if found is None else f"{name} set it to {found!r}"
        raise ValueError(
            f"`{parameter}` must be a number, or an estimator such as ElkanNoto() whose fit sets "
            f"`{parameter}_` between the share of labeled rows ({labeled_share:.4g}) and 1; "
            f"{what}."
        )


def report_prior_above_bound(class_prior: float, cuts: Cuts, effects: Effects = NO_EFFECTS) -> None:
    """Warn if a class prior is larger than the labels allow with 95 % confidence."""
    bound = largest_class_prior(cuts, _BOUND_ERROR, effects)
    if class_prior > bound:
        warn(
            "PU113",
            f"the class prior {class_prior:.4g} is above {bound:.4g}, the largest that the labels "
            "allow (95 % confidence). Either the prior is too large, or labeling depends on the "
            "features.",
        )


def report_all_labeled(label_frequency: float) -> None:
    """Warn if nearly every positive seems to be labeled."""
    if label_frequency > _NEARLY_ALL_LABELED:
        warn(
            "PU106",
            Message(
                f"the label frequency is estimated as {label_frequency:.3g}, as if nearly every "
                "positive row were labeled. If that cannot be, rows were labeled by their "
                "features, or a column gives the label away.",
                python="If you know the class prior, give it as `class_prior`.",
            ),
        )


def report_flat(line: Line) -> None:
    """Warn if labeled rows do not score higher than the others."""
    if line.slope == 0:
        warn(
            "PU111",
            Message(
                "on the scores used to choose the cut, labeled rows score no higher than the "
                "others.",
                python="So `predict_proba` is the class prior for every row. Add features that "
                "predict the label, or check `y`.",
            ),
        )
