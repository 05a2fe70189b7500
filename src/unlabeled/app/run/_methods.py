"""The methods and rules that a command can name, and the methods side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...engine.progress import progress_bar
from ._errors import InputError, in_terminal

if TYPE_CHECKING:
    from ...comparison import Comparison
    from ..tables import Labels, Repeated
    from ._table import LoadedTable, TableInput


METHODS = {
    "pu-logistic": "PULogistic",
    "enhanced": "EnhancedLogistic",
    "joint": "JointLogistic",
    "naive": "NaiveLogistic",
}
"""Methods that are a class of `linear_model`, with its name: a help text must not import it."""

LINE, ENSEMBLE, AUTO = "pu-logistic", "ensemble", "auto"
PROPENSITY = "propensity-logistic"
"""The line if labels follow columns; `--labeled-by` asks for it."""

FITTED = (*METHODS, "weighted-en", "weighted-tice", ENSEMBLE, AUTO)
"""Methods that `unlabeled fit` can fit; "auto" chooses between pu-logistic and the ensemble."""

NAIVE_CUT, FOREST = "naive-cut", "forest"
QUICK = (*METHODS, NAIVE_CUT, "weighted-en", "weighted-tice", FOREST)
"""Methods that `unlabeled fit` compares; the ensemble takes longer."""

COMPARED = (*QUICK, ENSEMBLE)
"""Methods that `unlabeled compare` can compare."""

_USE_THE_PRIOR = ("pu-logistic", "joint", NAIVE_CUT, FOREST, ENSEMBLE, PROPENSITY)
_FOLDS = 5


def simple_to_complex(methods: Iterable[str]) -> tuple[str, ...] | None:
    """Return the methods of the verdict, the simplest first; None if there are fewer than two."""
    known = set(methods)
    last = ENSEMBLE if ENSEMBLE in known else FOREST
    order = tuple(one for one in ("naive", NAIVE_CUT, "pu-logistic", last) if one in known)
    return order if len(order) > 1 else None


def classifier(
    method: str,
    labels: Labels,
    class_prior: float | None,
    seed: int,
    rule: str | None = None,
    verbose: int = 0,
) -> Any:
    """Return the classifier of a name, with the class prior if it can use it.

    A rule chooses the cut on held-out scores. Without a rule the method's own threshold is used.
    """
    share = labels.n_labeled / len(labels.s)
    _check_prior(class_prior, 0.0 if labels.cases else share, method, rule)
    model = _one_sample(method, labels, class_prior, seed, rule, verbose)
    if method == PROPENSITY:  # for one sample only
        return model
    return model.set_params(sampling=labels.sampling.value)


def _one_sample(
    method: str,
    labels: Labels,
    class_prior: float | None,
    seed: int,
    rule: str | None,
    verbose: int,
) -> Any:
    from ...linear_model import JointLogistic, PropensityLogistic, PULogistic
    from ...meta import PUThresholdClassifier

    share = labels.n_labeled / len(labels.s)
    if class_prior is not None and method == "joint" and rule is None:
        frequency = labels.sampling.label_frequency(class_prior, share)
        return JointLogistic(label_frequency=frequency)
    if method == "pu-logistic":
        return PULogistic(rule or "f1", class_prior=class_prior, random_state=seed)
    if method == PROPENSITY:
        return PropensityLogistic(rule=rule or "f1", class_prior=class_prior, random_state=seed)
    if method == ENSEMBLE:
        from ...ensemble import PUEnsemble

        return PUEnsemble(rule or "f1", class_prior=class_prior, random_state=seed, verbose=verbose)
    if rule is not None:
        inner = _with_its_own_cut(method, None, seed)
        return PUThresholdClassifier(inner, rule, class_prior=class_prior, random_state=seed)
    return _with_its_own_cut(method, class_prior, seed)


def check_takes_checked_rows(method: str, model: Any) -> None:
    """Reject a classifier whose fit cannot use checked rows."""
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(model, "checked"):
        raise InputError(
            "`--negative` and `--checked` must go with a method that uses checked rows: auto, "
            f"pu-logistic, ensemble, joint, or any other with `--rule`; got {method!r}. Use "
            "`--method auto`, add `--rule`, or leave the checked rows out."
        )


def check_takes_groups(method: str, model: Any, repeated: Repeated | None = None) -> None:
    """Reject a classifier that holds no rows out, so that groups change nothing.

    `repeated` is the column of groups if nobody named it.
    """
    from sklearn.utils.validation import has_fit_parameter

    if not has_fit_parameter(model, "groups"):
        if repeated is not None:
            raise InputError(
                f"{repeated.remark} {method!r} takes rows as independent. Use `--method "
                "pu-logistic`, add `--rule`, or give `--no-group` if rows of one value do not "
                "belong together."
            )
        raise InputError(
            "`--group` and `--copies` must go with a method that holds rows out: auto, "
            "pu-logistic, ensemble, or any other with `--rule`; got "
            f"{method!r}. Use `--method pu-logistic`, add `--rule`, or leave them out."
        )


def check_rule(rule: str) -> None:
    """Reject a rule that does not exist."""
    from ...thresholds import get_rule

    try:
        get_rule(rule)
    except ValueError as error:
        message = str(error)
        of_rule = "" if "`rule`" in message else f"`rule` has a wrong number in {rule!r}: "
        raise InputError(in_terminal(of_rule + message)) from None


def classifiers(
    methods: Iterable[str],
    labels: Labels,
    class_prior: float | None,
    seed: int,
    in_groups: bool = False,
    trees: int | None = None,
) -> dict[str, Any]:
    """Return classifiers by name, each with the class prior if it can use it.

    A forest has out-of-bag scores, or folds if rows come `in_groups`; `trees` is its size.
    """
    priors = {one: class_prior if one in _USE_THE_PRIOR else None for one in methods}
    found = {one: classifier(one, labels, prior, seed) for one, prior in priors.items()}
    if trees is not None and FOREST in found:
        found[FOREST].set_params(estimator__n_estimators=trees)
    if in_groups and FOREST in found:
        found[FOREST].set_params(cv=_FOLDS, random_state=seed, estimator__oob_score=False)
    return found


def _check_prior(class_prior: float | None, share: float, method: str, rule: str | None) -> None:
    if class_prior is None:
        return
    if method not in _USE_THE_PRIOR and rule is None:
        raise InputError(
            f"{method!r} uses `--class-prior` only with `--rule`. Add `--rule`, or use "
            "`--method pu-logistic`, `--method ensemble` or `--method joint`."
        )
    if class_prior <= share:
        raise InputError(
            f"`--class-prior` must be above the share of labeled rows, {share:.4f}; "
            f"got {class_prior}. Give the share of positives in the whole table."
        )


def _with_its_own_cut(method: str, class_prior: float | None, seed: int) -> Any:
    """Return a method without `--rule`."""
    from ... import linear_model
    from ...label_frequency import ElkanNoto, TIcE
    from ...meta import PUThresholdClassifier

    if method == FOREST:
        from sklearn.ensemble import RandomForestClassifier

        trees = RandomForestClassifier(200, min_samples_leaf=5, oob_score=True, random_state=seed)
        return PUThresholdClassifier(trees, "f1_pu", class_prior=class_prior, cv="oob")
    if method == NAIVE_CUT:
        naive = linear_model.NaiveLogistic()
        return PUThresholdClassifier(naive, "f1_pu", class_prior=class_prior, random_state=seed)
    if method == "weighted-en":
        return linear_model.WeightedLogistic(ElkanNoto())
    if method == "weighted-tice":
        return linear_model.WeightedLogistic(TIcE(random_state=seed))
    return getattr(linear_model, METHODS[method])()


def comparison_of(
    options: TableInput,
    loaded: LoadedTable,
    methods: Iterable[str],
    repeats: int,
    *,
    jobs: int,
    trees: int | None = None,
    **more: Any,
) -> Comparison:
    """Compare methods on repeated splits, with a progress bar.

    `unlabeled fit` does this too, with fewer `trees` in a forest. `more` is passed to
    `compare_methods`.
    """
    from ...comparison import compare_methods
    from ..tables import TableFeatures

    groups = loaded.prepared.groups
    models = classifiers(
        methods, loaded.labels, options.class_prior, options.seed, groups is not None, trees
    )
    options.log(f"Comparing {len(models)} methods on {repeats} splits ...")
    with progress_bar("split", quiet=options.quiet) as progress:
        return compare_methods(
            models,
            loaded.prepared.X,
            loaded.s,
            n_repeats=repeats,
            class_prior=options.class_prior,
            prepare=TableFeatures(),
            n_jobs=jobs,
            random_state=options.seed,
            progress=progress,
            checked=loaded.checked,
            order=simple_to_complex(models),
            groups=groups,
            **more,
        )
