"""Estimators around a classifier: unwrapped, cloned, their fit's arguments, a fit that fails."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import Parameter, signature
from numbers import Real
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import ClassifierMixin, clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from .parameters import listed
from .rows import FREQUENCY, SAMPLING, LabelEncoding, Rows, chosen_beforehand, distinct, is_missing

PARAMETERS = ("label_frequency", "class_prior")
"""Fitted numbers that get an interval, if the estimator has them."""

BOOSTERS = ("catboost", "lightgbm", "xgboost")
"""Packages of boosting beside scikit-learn."""


def held_out_scores(model: Any, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray | None:
    """Return the score of rows of a fit by a fit without each of them; None if there is none.

    Parameters
    ----------
    model : classifier
        A fitted classifier: it may keep them as `held_out_score_`, or compute them with
        `held_out_scores` if there were many rows.
    X, y, sample_weight : array-like
        All rows of its fit. Without y there are scores only if the classifier keeps them; without
        weights each row has weight 1.
    """
    if hasattr(model, "held_out_score_"):
        return np.asarray(model.held_out_score_, dtype=np.float64)
    if y is not None and hasattr(model, "held_out_scores"):
        return np.asarray(model.held_out_scores(X, y, sample_weight))
    return None


def score_method(estimator: Any) -> str:
    """Name of the method that returns the score of a classifier."""
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            return method
    raise ValueError(
        "`estimator` must have `decision_function` or `predict_proba`; "
        f"got {type(estimator).__name__}, which has neither."
    )


def scores_of(estimator: Any, X: Any, positive: Any = 1) -> np.ndarray:
    """Score of each row by a fitted classifier; larger means more likely `positive`."""
    method = score_method(estimator)
    column = _column_of(estimator, positive)
    raw = np.asarray(getattr(estimator, method)(X))
    if method == "predict_proba":
        return raw[:, column]
    return raw if column == 1 else -raw


def labels_for(estimator: Any, encoding: LabelEncoding) -> LabelEncoding:
    """Return the label values to fit an estimator to: the user's, or 0 and 1 if it needs them.

    XGBoost takes no others; 1 then marks labeled rows. A frozen estimator keeps the values that it
    was fitted to.
    """
    values = encoding.classes
    is_known = values.dtype.kind in "biuf" and set(values.tolist()) == {0, 1}
    if is_known or is_frozen(estimator) or "xgboost" not in boosters_in(estimator):
        return encoding
    return LabelEncoding(np.array([0, 1]))


def positive_inside(model: Any, positive: Any) -> Any:
    """Return the label value of `positive` in `model.estimator_`, which may see 0 and 1 instead."""
    own, inner = (np.asarray(one.classes_).tolist() for one in (model, model.estimator_))
    return positive if own == inner else 1


def package_of(estimator: Any) -> str:
    """Return the package that a class of estimators, or the class it extends, comes from."""
    packages = [one.__module__.partition(".")[0] for one in type(estimator).__mro__]
    return next((one for one in packages if one in BOOSTERS), packages[0])


def boosters_in(estimator: Any) -> dict[str, str]:
    """Return the packages of boosting whose classifiers are in an estimator, each with a class."""
    inside = estimator.get_params(deep=True).values() if hasattr(estimator, "get_params") else ()
    found = {package_of(one): type(one).__name__ for one in (estimator, *inside)}
    return {package: name for package, name in found.items() if package in BOOSTERS}


def names_of_fit(estimator: Any) -> np.ndarray | None:
    """Return the names of the columns that an estimator was fitted to; None if they had none.

    CatBoost, and LightGBM before 4.7, invent names for columns without.
    """
    names = getattr(estimator, "feature_names_in_", getattr(estimator, "feature_names_", None))
    if names is None:
        return None
    invented = ([f"{prefix}{j}" for j in range(len(names))] for prefix in ("", "Column_"))
    return None if list(names) in invented else np.asarray(names, dtype=object)


def picks_columns_by_name(estimator: Any) -> bool:
    """Whether what comes first in an estimator takes its columns by name, in any order."""
    while estimator is not None and not isinstance(estimator, ColumnTransformer):
        steps = getattr(estimator, "steps", None)
        estimator = steps[0][1] if steps else getattr(estimator, "estimator", None)
    return estimator is not None


def says_it_is_classifier(estimator: Any) -> bool:
    """Whether something is an instance of a classifier, by its tags or by its base class.

    The tags do not say it where `ClassifierMixin` is the last base, as in pulearn.
    """
    if isinstance(estimator, type):
        return False
    try:
        return bool(is_classifier(estimator)) or isinstance(estimator, ClassifierMixin)
    except AttributeError:  # it has no tags
        return False


def is_linear(estimator: Any) -> bool:
    """Whether the score of a fitted classifier, or of a pipeline's last step, is linear."""
    return getattr(fitted_model(estimator), "coef_", None) is not None


def out_of_bag_scores(fitted: Any, positive: Any) -> np.ndarray:
    """Score each row by the ensemble members that did not draw it; NaN if every member drew it."""
    votes = getattr(fitted, "oob_decision_function_", None)
    if votes is None:
        raise ValueError(
            "`estimator` must have out-of-bag scores if cv='oob'; got "
            f"{type(fitted).__name__} without `oob_decision_function_`. Use a bagged ensemble "
            "with oob_score=True (and bootstrap=True)."
        )
    votes = np.asarray(votes, dtype=np.float64)
    # Forests leave a row without votes at 0 for both classes, other ensembles at NaN.
    score = votes[:, _column_of(fitted, positive)]
    return np.where(votes.sum(axis=1) == 0, np.nan, score)


def _column_of(fitted: Any, positive: Any) -> int:
    return int(np.flatnonzero(fitted.classes_ == positive)[0])


@contextmanager
def restore_on_failure(estimator: Any) -> Iterator[None]:
    """Remove fitted attributes before a fit; put them back if it fails.

    Those end in an underscore, private ones too, such as `_fingerprint_`. Private attributes that
    do not are settings of scikit-learn's, which it makes before a fit.
    """
    state = vars(estimator)
    before = dict(state)
    for name in before:
        if name.endswith("_") and not name.endswith("__"):
            del state[name]
    try:
        yield
    except BaseException:
        state.clear()
        state.update(before)
        raise


def fitted_model(estimator: Any) -> Any:
    """Return the classifier itself: a pipeline's last step, a fitted search's best estimator."""
    while (inner := _last_step_or_best(estimator)) is not None:
        estimator = inner
    return estimator


def parameters_of(model: Any) -> dict[str, float]:
    """Return the fitted label frequency and class prior, if the model has them."""
    last = fitted_model(model)
    found = {name: getattr(last, f"{name}_", None) for name in PARAMETERS}
    return {name: float(value) for name, value in found.items() if isinstance(value, Real)}


def rows_of_last_step(estimator: Any, X: Any) -> Any:
    """Return the rows as the last step of a pipeline sees them, also inside a fitted search."""
    while True:
        steps = getattr(estimator, "steps", None)
        if steps:
            X = estimator[:-1].transform(X) if len(steps) > 1 else X
            estimator = steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return X


def fit_parameter(estimator: Any, name: str) -> str | None:
    """Return what `fit` of a pipeline or search calls an argument of its last step's `fit`.

    None if that step does not take it. With scikit-learn's metadata routing the name is the same
    everywhere; otherwise a pipeline writes the name of its step before it.
    """
    prefix = ""
    while True:
        if getattr(estimator, "steps", None):
            step, estimator = estimator.steps[-1]
            prefix += f"{step}__"
        elif hasattr(estimator, "refit") and hasattr(estimator, "estimator"):  # a search
            estimator = estimator.estimator
        else:
            break
    if not has_fit_parameter(estimator, name):
        return None
    return name if get_config().get("enable_metadata_routing") else f"{prefix}{name}"


def checked_argument(estimator: Any, checked: Any) -> dict[str, Any]:
    """Return the answers of checked rows as an argument of `estimator.fit`; {} if they are None.

    Raises if the estimator does not take them.
    """
    if checked is None:
        return {}
    name = fit_parameter(estimator, "checked")
    if name is None:
        raise ValueError(
            "`checked` must be None for an estimator whose fit does not take it; got answers for "
            f"{type(fitted_model(estimator)).__name__}. Use {_WHO_TAKES['checked']}."
        )
    return {name: checked}


_WHO_TAKES = {
    "checked": "PULogistic, PUThresholdClassifier, PUEnsemble, PropensityLogistic or JointLogistic",
    "history": "PUThresholdClassifier or PUEnsemble",
    "negatives": "PUThresholdClassifier or PUEnsemble",
    "groups": "PULogistic, PropensityLogistic, PUThresholdClassifier or PUEnsemble",
}


def reject_other_arguments(estimator: Any, other: Mapping[str, Any]) -> None:
    """Raise if `fit` of a classifier got arguments that it does not take."""
    for name in other:
        advice = f" Use {_WHO_TAKES[name]}." if name in _WHO_TAKES else ""
        raise TypeError(
            f"`{name}` must be left out where the fit does not take it; got it for "
            f"{type(estimator).__name__}.{advice}"
        )


def groups_argument(estimator: Any, groups: Any) -> dict[str, Any]:
    """Return groups as an argument of `estimator.fit`; {} if they are None or it takes none.

    Raises if the estimator is in a search, which passes groups on only with metadata routing.
    """
    name = None if groups is None else fit_parameter(estimator, "groups")
    if name is None:
        return {}
    inner = estimator
    while getattr(inner, "steps", None):
        inner = inner.steps[-1][1]
    if hasattr(inner, "refit") and not get_config().get("enable_metadata_routing"):
        raise ValueError(
            "`groups` must be None for a search without metadata routing, which does not pass them "
            f"to the estimator; got groups for {type(inner).__name__}. Call "
            "sklearn.set_config(enable_metadata_routing=True), and set_fit_request(groups=True) "
            "of the estimator."
        )
    return {name: groups}


def reject_other_groups(model: Any, n_groups: int | None) -> None:
    """Raise if a classifier was fitted with other groups, or none, than are given now.

    Parameters
    ----------
    model : classifier, pipeline or search
        What knows no groups, or is not fitted, is not rejected.
    n_groups : int or None
        How many groups are given; None if none are.
    """
    fitted = getattr(fitted_model(model), "n_groups_", n_groups)
    if fitted != n_groups:
        raise ValueError(
            f"`groups` must be those of the fit, which had {fitted or 'no'} groups; got "
            f"{n_groups or 'none'}. Pass `groups` as in `fit`."
        )


def weight_argument(estimator: Any, weight: Any) -> dict[str, Any]:
    """Return row weights as an argument of `estimator.fit`; {} if they are None.

    A pipeline passes them to its last step. Raises if the estimator does not take them.
    """
    if weight is None:
        return {}
    name = fit_parameter(estimator, "sample_weight")
    if name is None:
        inner = fitted_model(estimator)
        if not _takes_anything(estimator):
            raise ValueError(
                "`sample_weight` must be None for an estimator whose fit takes no weights; got "
                f"weights for {type(inner).__name__}. Leave them out, or use another estimator."
            )
        name = "sample_weight"
    return {name: weight}


def _takes_anything(estimator: Any) -> bool:
    """Whether `fit` passes arguments on that it does not name, as other packages' wrappers do."""
    if getattr(estimator, "steps", None):
        return False
    kinds = (one.kind for one in signature(estimator.fit).parameters.values())
    return Parameter.VAR_KEYWORD in kinds


def fit_columns(model: Any, rows: Rows) -> dict[str, np.ndarray]:
    """Return answers of checked rows, and groups, as arguments of a `fit` that takes them."""
    found = {}
    if rows.checked is not None and (name := fit_parameter(model, "checked")) is not None:
        found[name] = chosen_beforehand(rows.checked)  # whoever gave the answers was asked
    return found | groups_argument(model, rows.groups)


def cloned(estimator: Any) -> Any:
    """Clone an estimator, or say why scikit-learn cannot."""
    try:
        return clone(estimator)
    except RuntimeError as error:
        raise ValueError(
            "`estimator` must be one that scikit-learn can clone; got "
            f"{type(fitted_model(estimator)).__name__} ({error}). Give CatBoost its `cat_features` "
            "as a tuple: it copies a list."
        ) from None


def weights_inside(estimator: Any, rows: Rows) -> dict[str, str]:
    """Return the parameters that make classifiers of this library inside take copies.

    They are those of an estimator that is passed the weights of rows which count copies.
    """
    if rows.weight is None or rows.unit is not None or rows.are_copies:
        return {}
    return {
        name: FREQUENCY
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] == "weights" and isinstance(value, str) and value == SAMPLING
    }


def clone_for_labels(estimator: Any, seed: int) -> Any:
    """Clone an estimator for labels 0 and 1, and seed it if it has no seed."""
    fresh = cloned(estimator)
    changes: dict[str, int | None] = dict.fromkeys(_unseeded(fresh), seed)
    for name, value in fresh.get_params(deep=True).items():
        if name.rpartition("__")[2] == "pos_label" and value is not None:
            changes[name] = None
    return fresh.set_params(**changes) if changes else fresh


def clone_seeded(estimator: Any, random_state: Any) -> Any:
    """Clone an estimator; with a `random_state`, seed it and its parts that have no seed."""
    fresh = cloned(estimator)
    unseeded = [] if random_state is None else _unseeded(fresh)
    if not unseeded:  # then no number is drawn from a given RandomState
        return fresh
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return fresh.set_params(**dict.fromkeys(unseeded, seed))


def _unseeded(estimator: Any) -> list[str]:
    """Return the names of nested parameters `random_state` that are None."""
    if not hasattr(estimator, "get_params"):
        return []
    found = estimator.get_params(deep=True).items()
    return [
        name for name, value in found if value is None and name.split("__")[-1] == "random_state"
    ]


def is_frozen(estimator: Any) -> bool:
    """Whether `fit` leaves the classifier itself as it is: a FrozenEstimator, or one around it."""
    while estimator is not None:
        if isinstance(estimator, FrozenEstimator):
            return True
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else getattr(estimator, "estimator", None)
    return False


def positive_class_of(estimator: Any) -> Any:
    """Return the label value that a fitted classifier takes as positive, or None if unknown.

    Looks into pipelines, searches and other wrappers of one classifier: thresholds,
    calibration, feature elimination. If the wrapper recoded the labels, the inner value is
    not one of its classes, and None is returned.
    """
    inner = estimator
    while inner is not None:
        positive = getattr(inner, "positive_class_", None)
        if positive is not None:
            return positive if positive in getattr(estimator, "classes_", [positive]) else None
        inner = _last_step_or_best(inner) or _wrapped(inner)
    return None


def reject_other_labels(estimator: Any, y: Any) -> None:
    """Raise if a fitted classifier has not seen one of the values of a label column.

    What is no label column at all is left to `encode_labels`.
    """
    column, known = np.asarray(y), getattr(estimator, "classes_", None)
    if known is None or column.ndim != 1:
        return
    known = np.asarray(known).tolist()
    values = (distinct(column) if column.dtype.kind in "biuf" else column).tolist()
    found = [value for value in dict.fromkeys(values) if not is_missing(value)]
    if any(value not in known for value in found):
        raise ValueError(
            f"`y` must hold the labels the estimator was fitted to, {listed(known)}; "
            f"got {listed(sorted(found, key=str), most=5)}. Pass the same label column as in `fit`."
        )


def reject_weighted_fit(estimator: Any, what: str, do: str = "Fit it without them.") -> None:
    """Raise if a fitted classifier is known to have had weights, which `what` would ignore.

    A classifier knows if it keeps the scores of its rows and their counts.
    """
    inner = fitted_model(estimator)
    scores, cuts = (getattr(inner, name, None) for name in ("held_out_score_", "observed_cuts_"))
    if scores is None or cuts is None:
        return
    n_rows = int(np.sum(np.isfinite(scores)))
    counted = float(cuts.labeled[-1] + cuts.unlabeled[-1])
    both = np.concatenate([cuts.labeled, cuts.unlabeled])
    if not np.isclose(counted, n_rows) or not np.allclose(both, np.round(both), atol=1e-6):
        raise ValueError(
            f"`estimator` must be fitted without `sample_weight` for {what}, which counts every "
            f"row once; got one whose {n_rows} rows had weights. {do}"
        )


def agreed_pos_label(estimator: Any, pos_label: Any) -> Any:
    """Return the label value of labeled rows: the estimator's if it has one, else the caller's.

    Raises if both are given and differ.
    """
    positive = positive_class_of(estimator)
    if positive is None:
        positive = getattr(estimator, "pos_label", None)
    if positive is None:
        return pos_label
    if pos_label is not None and pos_label != positive:
        shown = positive.item() if hasattr(positive, "item") else positive
        raise ValueError(
            f"`pos_label` must be the class the estimator takes as positive, {shown!r}; "
            f"got {pos_label!r}. Leave it out."
        )
    return positive


def _last_step_or_best(estimator: Any) -> Any:
    steps = getattr(estimator, "steps", None)
    return steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)


def _wrapped(estimator: Any) -> Any:
    calibrated = getattr(estimator, "calibrated_classifiers_", None)
    return calibrated[0].estimator if calibrated else getattr(estimator, "estimator_", None)
