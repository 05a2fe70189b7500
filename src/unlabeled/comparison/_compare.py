"""Fit methods to training rows and compare them on test rows, without known negatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from ..engine.arrays import indexable
from ..engine.estimators import fitted_model, is_frozen, reject_other_groups, weight_argument
from ..engine.parallel import delayed, in_parallel
from ..engine.parameters import check_fraction, check_positive
from ..engine.rows import (
    DIAGNOSED_ROWS,
    SAMPLING,
    Rows,
    effects_on_share,
    encode_labels,
    reject_record_of_negatives,
    sample_chunks,
    sample_note,
    validate_checked,
    validate_groups,
    validate_weight,
)
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord
from ._comparison import Comparison, check_order
from ._judge import LABELS, RowCounts, Split, SplitResult, draw_splits, gather, judge_split


def compare_methods(
    models: dict[str, Any],
    X: Any,
    y: Any,
    *,
    n_repeats: int = 5,
    test_size: float = 0.3,
    class_prior: float | None = None,
    pos_label: Any = None,
    prepare: Any = None,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: Callable[[int, int], None] | None = None,
    checked: Any = None,
    order: Sequence[str] | None = None,
    sampling: SamplingWord | None = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Comparison:
    r"""Compare methods on held-out rows, by measures that need no known negatives.

    Assumes SCAR: labeled rows are a random sample of the positives, so that the recall of
    held-out labeled rows estimates the recall of positives. The rows are split repeatedly,
    stratified by label. Every method is fitted to the training rows and evaluated on the test
    rows.

    Parameters
    ----------
    models : dict of str to classifier
        Methods by name: classifiers of this library or of scikit-learn, pipelines,
        searches. They are not changed. Clones are fitted to labels 1 (labeled) and 0
        (unlabeled). If their `random_state` is None, they get a seed.
    X : array-like, frame or sparse matrix of shape (n_rows, n_features)
        Feature rows. Of rows in chunks of Dask a random part is used, see `max_rows`.
    y : array-like of shape (n_rows,)
        Label column.
    n_repeats : int, default=5
        Number of splits, at least 2.
    test_size : float, default=0.3
        Fraction of rows to hold out.
    class_prior : float, optional
        P(Y=1), if you know it: precision and F1 are then estimated too. It is not passed
        to the methods; give it to those that can use it.
    pos_label : object, optional
        The value of y that marks labeled rows. If None, the `pos_label` of the
        models, or the larger value if they have none.
    prepare : transformer, optional
        Fitted once per split to the training rows, for all methods, such as
        ``TableFeatures()``. Category levels that occur only in test rows are unknown to it.
    max_rows : int, optional
        Use at most this many rows, drawn stratified by label; `Comparison.note` then says so. None
        uses all rows in memory, and 20 000 of rows in chunks.
    n_jobs : int, optional
        Number of processes; each runs one split at a time. Only the measured seconds depend on
        it.
    random_state : int, RandomState instance or None, default=None
        Controls the rows, the splits, and the seeds of methods without one; pass an int for
        reproducible output.
    progress : callable, optional
        Called with the number of finished splits and the number of all splits.
    checked : array-like of shape (n_rows,), optional
        Answers of checked rows, as in the `fit` of `PULogistic` and `JointLogistic`. Those of the
        training rows go to the methods whose `fit` takes them. The measures on test rows do not
        use them.
    order : sequence of str, optional
        At least two names of `models`, from simple to complex. The result then says which of them
        is enough (`Comparison.verdict`).
    sampling : {"one-sample", "two-sample"}, optional
        "two-sample" if the unlabeled rows alone are a sample of the population: shares, precision
        and F1 are then theirs. If None, the `sampling` of the models. It is not passed to them.
    groups : array-like of shape (n_rows,) or "copies", optional
        Which rows belong together, such as those of one person; "copies" for equal rows. Whole
        groups are split, and the methods whose `fit` takes groups get those of the training rows.
        Without groups equal rows are on one side of a split.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights, for all fits and measures; see :doc:`/understand/weights`. Every method must
        take them.

    Returns
    -------
    comparison : Comparison
        Means over the splits with standard errors, differences between methods paired over
        splits, agreement of methods, a verdict, warnings and failures.

    See Also
    --------
    unlabeled.metrics.make_pu_scorer : For choosing parameters of one method.
    unlabeled.plots.RecallShareDisplay : Draws recall against share for several methods.

    Notes
    -----
    Let :math:`r = P(\hat Y=1|S=1)` and :math:`q = P(\hat Y=1)` on held-out rows. The measures
    are :math:`F1_{PU} = r^2/q`, recall r, share q and the gain :math:`r - q`. The gain ranks
    methods as balanced accuracy does, whatever the class prior. The label AUC is the probability
    that a labeled row scores above an unlabeled one. It ranks scores as the AUC of the classes
    does, and does not depend on the cut. A method that fails on a split
    has no numbers from it, and the failure is counted.

    *Standard errors.* Splits of one table share rows, so their k results are not independent.
    Let :math:`s^2` be their variance. :math:`s^2/k` measures only the randomness of the splits of
    this one table, and goes to 0 as k grows. So the squared standard errors are:

    - Measures on held-out rows, and paired differences: Nadeau and Bengio's
      :math:`s^2(1/k + n_{test}/n_{train})`. It is a rule of thumb for another sample of the same
      population; it cannot know how another population would differ.
    - Label frequency and class prior: :math:`s^2(1/k + n_{train}/n_{test})`, the variance
      estimate of a jackknife that deletes the test rows. They are estimated on the training
      rows, which the splits mostly share.
    - For the class prior :math:`\hat\alpha = p_s/\hat c`,
      :math:`\hat\alpha^2(1 - p_s)/(p_s n)` is added, because splits are stratified and do not
      show how the fraction :math:`p_s` of labeled rows varies between samples. If the class prior
      was given, the corresponding term is added for :math:`\hat c = p_s/\alpha`.

    :doc:`/decisions/0010-comparison` measures how accurate these are.

    **What breaks it:**

    - Labeling that prefers some kinds of positives: methods that find these kinds look better.
    - Rows in groups, unless `groups` are given: they are then in both the training and the test
      rows.
    - Few labeled rows.
    - Choosing the best of many methods: its mean is a little too good.

    References
    ----------
    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
    Learning 52, 239-281. https://doi.org/10.1023/A:1024068626366

    J. Shao, C. F. J. Wu (1989). A general theory for jackknife variance estimation.
    Annals of Statistics 17, 1176-1197. https://doi.org/10.1214/aos/1176347263

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic, NaiveLogistic
    >>> from unlabeled.comparison import compare_methods
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.3, random_state=0)
    >>> models = {"naive": NaiveLogistic(), "enhanced": EnhancedLogistic()}
    >>> comparison = compare_methods(models, data.X, data.s, random_state=0)
    >>> comparison.best
    'enhanced'
    >>> bool(comparison.mean("recall")[0] < 0.1)
    True
    """
    _check_models(models)
    order = () if order is None else check_order(order, tuple(models))
    n_repeats, test_size = _check_numbers(n_repeats, test_size, max_rows)
    positive = _agreed(models, "pos_label", pos_label)
    how = Sampling.of(_agreed(models, "sampling", sampling) or ONE_SAMPLE)
    rng, n_of_chunks = check_random_state(random_state), None
    most = DIAGNOSED_ROWS if max_rows is None else max_rows
    word = SAMPLING if sample_weight is None else _agreed(models, "weights", None) or SAMPLING
    asked = {"checked": checked, "groups": groups, "sample_weight": sample_weight, "weights": word}
    part = sample_chunks(X, y, most, rng, positive, **asked)
    if part is not None:
        n_of_chunks = part.whole.s.shape[0], part.whole.n_labeled
        X, y, sample_weight = part.rows.X, part.rows.labels, part.rows.weight
    s, _ = encode_labels(y, positive)
    check_consistent_length(X, s)
    n_rows, n_labeled = n_of_chunks or (len(s), int(s.sum()))
    number = validate_groups(groups, len(s), X=X)
    if number is None:
        for model in models.values():
            reject_other_groups(model, None)
    answers = validate_checked(checked, s)
    reject_record_of_negatives(checked, answers, s)
    weight = validate_weight(sample_weight, len(s))
    whole = Rows(indexable(X), s, weight, LABELS, checked=answers, groups=number, sampling=how)
    if weight is not None:
        for model in models.values():
            weight_argument(model, weight)
        whole = whole.keep(weight > 0).weighted_as(word)
    share = n_labeled / n_rows if weight is None else whole.labeled_share
    _check_prior(class_prior, 0.0 if how.is_two else share)
    rows = whole.sample(max_rows, rng).rows
    seeds = rng.randint(np.iinfo(np.int32).max, size=n_repeats + 1).tolist()
    splits = draw_splits(rows.s, n_repeats, test_size, seeds.pop(), rows.together)
    results = _run(models, prepare, rows, splits, class_prior, seeds, n_jobs, progress)
    return Comparison(
        rows=_count_rows(n_rows, n_labeled, rows, splits),
        test_size=test_size,
        order=tuple(order),
        given_class_prior=tuple(_has_class_prior(model) for model in models.values()),
        **gather(tuple(models), results, class_prior),
    )


def _check_models(models: Any) -> None:
    """Reject anything but a dict of classifiers that can be refitted."""
    if not isinstance(models, dict) or not models:
        got = "an empty dict" if isinstance(models, dict) else type(models).__name__
        raise ValueError(
            "`models` must be a dict of names and classifiers, such as "
            f"{{'enhanced': EnhancedLogistic()}}; got {got}."
        )
    for name, model in models.items():
        if not isinstance(name, str):
            raise ValueError(f"`models` must have names of type str; got {name!r}.")
        _check_model(name, model)


def _check_model(name: str, model: Any) -> None:
    is_class = isinstance(model, type)
    usable = all(hasattr(model, method) for method in ("fit", "get_params"))
    if is_class or not usable or is_regressor(model):
        got = f"the class {model.__name__}" if is_class else type(model).__name__
        raise ValueError(
            f"`models` must hold classifiers, as instances; got {got} under the name {name!r}."
        )
    if is_frozen(model):
        raise ValueError(
            "`models` must hold classifiers that can be refitted to each split; got a frozen "
            f"estimator under the name {name!r}. Pass the classifier itself."
        )
    if getattr(fitted_model(model), "cv", None) == "prefit":
        raise ValueError(
            "`models` must hold classifiers that can be refitted to each split; got cv='prefit' "
            f"under the name {name!r}. Give `cv` another value."
        )


def _check_numbers(n_repeats: Any, test_size: Any, max_rows: Any) -> tuple[int, float]:
    """Reject numbers that allow no splits; return the first two as Python numbers."""
    check_positive("n_repeats", n_repeats, Integral, "a whole number of at least 2")
    if n_repeats < 2:
        raise ValueError(
            f"`n_repeats` must be a whole number of at least 2; got {n_repeats!r}. One split has "
            "no standard error."
        )
    check_positive("test_size", test_size, Real, "a share between 0 and 1")
    if not test_size < 1:
        raise ValueError(f"`test_size` must be a share between 0 and 1; got {test_size!r}.")
    if max_rows is not None:
        check_positive("max_rows", max_rows, Integral, "None or a whole number above 0")
    return int(n_repeats), float(test_size)


def _check_prior(class_prior: Any, labeled_share: float) -> None:
    """Reject a class prior below the fraction of labeled rows."""
    check_fraction("class_prior", class_prior, none_allowed=True)
    if class_prior is not None and class_prior < labeled_share:
        raise ValueError(
            f"`class_prior` must be at least the share of labeled rows, {labeled_share:.4f}; got "
            f"{class_prior!r}. Give the share of positives among all rows."
        )


def _agreed(models: dict[str, Any], parameter: str, given: Any) -> Any:
    """Return a parameter that the caller and the models must agree on; None if none has it."""
    known = {name: getattr(fitted_model(one), parameter, None) for name, one in models.items()}
    known = {name: value for name, value in known.items() if value is not None}
    agreed = next(iter(known.values()), None) if given is None else given
    for name, value in known.items():
        if value != agreed:
            raise ValueError(
                f"`{parameter}` must be the same everywhere; got {value!r} in {name!r} and "
                f"{agreed!r} elsewhere. Give it once."
            )
    return agreed


def _count_rows(n_rows: int, n_labeled: int, used: Rows, splits: list[Split]) -> RowCounts:
    note, n_used = None, len(used.s)
    if n_used < n_rows:
        note = sample_note(n_used, n_rows, used.n_labeled, n_labeled)
    train, test = splits[0]
    counts = (n_rows, n_used, used.n_labeled, len(train), len(test))
    effect = effects_on_share(used.s, used.weight, used.unit).label
    return RowCounts(*counts, note, used.sampling, effect)


def _has_class_prior(model: Any) -> bool:
    """Return whether a method has P(Y=1) as a number among its parameters."""
    return any(
        name.rpartition("__")[2] == "class_prior" and isinstance(value, Real)
        for name, value in model.get_params(deep=True).items()
    )


def _run(
    models: dict[str, Any],
    prepare: Any,
    rows: Rows,
    splits: list[Split],
    class_prior: float | None,
    seeds: list[int],
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> list[SplitResult]:
    calls = (
        delayed(judge_split)(list(models.values()), prepare, rows, split, class_prior, seed)
        for split, seed in zip(splits, seeds, strict=True)
    )
    results: list[SplitResult] = []
    if progress is not None:
        progress(0, len(splits))
    for result in in_parallel(calls, n_jobs):
        results.append(result)
        if progress is not None:
            progress(len(results), len(splits))
    return results
