"""How much of the left-out AUC of the labels each column explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import get_scorer
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length

from ..comparison import mean_and_standard_error
from ..engine.arrays import indexable, is_sparse
from ..engine.estimators import (
    agreed_pos_label,
    clone_for_labels,
    fit_parameter,
    fitted_model,
    groups_argument,
    is_frozen,
    reject_other_groups,
)
from ..engine.parallel import delayed, in_parallel
from ..engine.parameters import check_positive, listed
from ..engine.result_table import ResultTable, TextTable
from ..engine.rows import (
    Folds,
    Rows,
    encode_labels,
    label_folds,
    names_or_numbers,
    reject_chunks,
    reject_one_class,
    reject_one_kind,
    validate_groups,
    validate_weight,
)
from ..metrics import label_auc_scorer

Split = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class LabelImportance(ResultTable):
    """The importance of columns, or of sets of columns.

    `to_frame` has one row per column or set, the most important first: name, importance,
    spread and standard_error.

    Attributes
    ----------
    names : tuple of str
        Names of the columns or sets.
    falls : ndarray of shape (n_names, n_folds, n_repeats)
        The fall of the score when the column was shuffled among the left-out rows of a fold.
    fold_scores : ndarray of shape (n_folds,)
        The score of the left-out rows as they are.
    n_test_per_train : float
        Left-out rows per training row, the mean over the folds.
    note : str or None
        On which rows, if not on all.
    """

    names: tuple[str, ...]
    falls: np.ndarray
    fold_scores: np.ndarray
    n_test_per_train: float
    note: str | None = None

    @property
    def mean(self) -> np.ndarray:
        """The importance: the mean fall over folds and repeats."""
        return np.asarray(self.falls.mean(axis=(1, 2)))

    @property
    def spread(self) -> np.ndarray:
        """The standard deviation of the falls over folds and repeats."""
        return np.asarray(self.falls.std(axis=(1, 2), ddof=1))

    @property
    def error(self) -> np.ndarray:
        """The standard error of the importance, by Nadeau and Bengio's rule of thumb."""
        per_fold = self.falls.mean(axis=2)
        return mean_and_standard_error(per_fold, self.n_test_per_train)[1]

    def _columns(self) -> dict[str, np.ndarray]:
        order = np.argsort(-self.mean, kind="stable")
        return {
            "name": np.array(self.names)[order],
            "importance": self.mean[order],
            "spread": self.spread[order],
            "standard_error": self.error[order],
        }

    def _tables(self) -> list[TextTable]:
        rows = [
            [name, f"{mean:.4f}", f"{error:.4f}"]
            for name, mean, _, error in zip(*self._columns().values(), strict=True)
        ]
        notes = [f"Left-out score: {self.fold_scores.mean():.4f}."]
        notes += [f"Computed {self.note}."] * (self.note is not None)
        return [TextTable("", [["column", "importance", "standard error"], *rows], notes)]


def label_importance(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    columns: Mapping[str, Sequence[Any]] | None = None,
    scoring: Any = None,
    cv: Folds = 5,
    n_repeats: int = 5,
    sample_weight: Any = None,
    pos_label: Any = None,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    groups: Any = None,
) -> LabelImportance:
    r"""Measure how much each column helps to rank labeled rows above unlabeled ones.

    The importance of a column is the fall of the AUC of the labels when the column is shuffled.
    A clone of the estimator is fitted to the other folds. It scores the left-out rows as they are,
    and once more with the column shuffled among them. It needs no known negatives. Under SCAR the
    AUC of the labels is an increasing function of the AUC of the classes, see
    :func:`~unlabeled.metrics.label_auc_score`, so the order of the columns is the same for both.

    Parameters
    ----------
    estimator : classifier, pipeline or search
        It is not changed. Clones are fitted to labels 1 (labeled) and 0 (unlabeled). If their
        `random_state` is None, they get a seed. A frozen estimator is rejected, because it
        cannot be fitted without the left-out rows.
    X : array-like, frame or sparse matrix of shape (n_rows, n_features)
        Feature rows.
    y : array-like of shape (n_rows,)
        Label column.
    columns : mapping of str to sequence, optional
        Columns to shuffle together, by a name for the set: names of a frame's columns, or column
        numbers. Only these sets are measured. By default every column by itself.
    scoring : str or callable, optional
        A scorer of scikit-learn, its name, or ``scorer(model, X, y)`` with labels 0 and 1;
        larger is better. By default the AUC of the labels.
    cv : int, splitter or iterable of (train, test), default=5
        How to leave rows out; a number gives folds stratified by label, and whole groups if there
        are `groups`. A splitter is given the groups.
    n_repeats : int, default=5
        How often each column is shuffled in each fold.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights, for the fits and the scores. Rows of weight 0 are dropped.
    pos_label : optional
        The value of y that marks labeled rows. If None, the `pos_label` of the estimator, or
        the larger value if it has none.
    max_rows : int, optional
        Use at most this many rows, drawn stratified by label; `note` of the result then says so.
        The estimator is fitted once per fold, and the left-out rows are scored ``1 + n_columns *
        n_repeats`` times.
    n_jobs : int, optional
        Number of processes; each works on one fold at a time.
    random_state : int, RandomState instance or None, default=None
        Controls the rows, the folds, the shuffling and the seeds of estimators without one.
    groups : array-like of shape (n_rows,) or "copies", optional
        Which rows belong together, such as those of one person. They are left out together, and
        the fits get them if the estimator's `fit` takes them.

    Returns
    -------
    importance : LabelImportance
        With `mean`, `spread`, `error`, and `frame` for a table.

    See Also
    --------
    unlabeled.plots.ImportanceDisplay : Draws it.
    unlabeled.inspection.contributions : What moved the score of a single row.
    sklearn.inspection.permutation_importance : For one fitted model and known classes.

    Notes
    -----
    `spread` is the standard deviation of all falls. `error` is a standard error of their mean:
    with the variance :math:`s^2` of the k means of the folds, its square is Nadeau and Bengio's
    :math:`s^2(1/k + n_{test}/n_{train})`. The second term is there because the folds share most
    of their training rows. It is a rule of thumb: no unbiased estimate exists (Bengio and
    Grandvalet). More repeats remove only the noise of the shuffling.

    **What breaks it:** columns that carry the same information. A shuffled column is replaced by
    its copies, so both look unimportant; put them into one set, see `columns`. Shuffling also
    makes rows that cannot occur, such as a child with a pension. A negative importance is noise.
    Labeling that depends on a column makes this column look important.

    References
    ----------
    L. Breiman (2001). Random forests. Machine Learning 45, 5-32.
    https://doi.org/10.1023/A:1010933404324

    C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
    Learning 52, 239-281. https://doi.org/10.1023/A:1024068626366

    Y. Bengio, Y. Grandvalet (2004). No unbiased estimator of the variance of K-fold
    cross-validation. Journal of Machine Learning Research 5, 1089-1105.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.inspection import label_importance
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> s = (rng.random(1000) < 0.5 / (1 + np.exp(-3 * X[:, 0]))).astype(int)
    >>> found = label_importance(EnhancedLogistic(), X, s, random_state=0)
    >>> found.to_frame()["name"].tolist()
    ['x0', 'x1']
    >>> bool(found.mean[0] > 0.1), bool(abs(found.mean[1]) < 0.01)
    (True, True)
    """
    reject_chunks(X, "label_importance")
    if is_frozen(estimator):
        raise ValueError(
            "`estimator` must be fitted again without the left-out rows; got a frozen estimator, "
            "whose fit does nothing. Pass the classifier itself, or use "
            "sklearn.inspection.permutation_importance on rows that it has not seen."
        )
    check_positive("n_repeats", n_repeats, Integral, "a whole number of at least 1")
    if max_rows is not None:
        check_positive("max_rows", max_rows, Integral, "None or a whole number above 0")
    if isinstance(groups, Mapping):
        raise ValueError(
            f"`groups` must have one value for each row; got {groups!r}. Pass sets of columns as "
            "`columns`."
        )
    rng = check_random_state(random_state)
    rows, note = _rows(estimator, X, y, sample_weight, pos_label, max_rows, rng, groups)
    places = _places(columns, rows.X)
    splits = label_folds(rows, cv, rng)
    one_fold = _OneFold(estimator, rows, tuple(places.values()), _scorer(scoring), int(n_repeats))
    seeds = rng.randint(np.iinfo(np.int32).max, size=len(splits)).tolist()
    tasks = (delayed(one_fold)(split, seed) for split, seed in zip(splits, seeds, strict=True))
    results = list(in_parallel(tasks, n_jobs))
    return LabelImportance(
        names=tuple(places),
        falls=np.stack([score - shuffled for score, shuffled in results], axis=1),
        fold_scores=np.array([score for score, _ in results]),
        n_test_per_train=float(np.mean([len(test) / len(train) for train, test in splits])),
        note=note,
    )


def _rows(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    pos_label: Any,
    max_rows: int | None,
    rng: np.random.RandomState,
    groups: Any,
) -> tuple[Rows, str | None]:
    """Return the rows to use, and a note if they are only a part."""
    known = getattr(fitted_model(model), "pos_label", None)
    positive = agreed_pos_label(model, pos_label) if known is None else known
    s, encoding = encode_labels(y, positive)
    check_consistent_length(X, s)
    weight = validate_weight(sample_weight, len(s))
    if weight is not None:
        reject_one_class(s, weight)
        if fit_parameter(model, "sample_weight") is None:
            raise ValueError(
                "`sample_weight` must be None for a model whose fit takes no weights; got weights "
                f"for {type(fitted_model(model)).__name__}. Use another model, or leave it out."
            )
    number = validate_groups(groups, len(s), X=X)
    if number is None:
        reject_other_groups(model, None)
    rows = Rows(indexable(X), s, weight, encoding, groups=number)
    used = np.arange(len(s)) if weight is None else np.flatnonzero(weight > 0)
    drawn = used[rows.take(used).sample(max_rows, rng).row_index]
    note = None
    if len(drawn) < len(used):
        note = f"on {len(drawn)} of the {len(used)} rows, drawn at random"
    return rows.keep(drawn), note


def _places(sets: Mapping[str, Sequence[Any]] | None, X: Any) -> dict[str, list[int]]:
    """Return the column numbers of each set of columns."""
    columns = list(X.columns) if hasattr(X, "columns") else list(range(X.shape[1]))
    if sets is None:
        names = names_or_numbers(columns if hasattr(X, "columns") else None, len(columns))
        return {name: [j] for j, name in enumerate(names)}
    if not isinstance(sets, Mapping) or any(isinstance(of, str) for of in sets.values()):
        raise ValueError(
            "`columns` must be a mapping from a name to a list of columns, such as "
            f"{{'size': {columns[:2]!r}}}; got {sets!r}. Pass groups of rows as `groups`."
        )
    if not sets or not all(len(of) for of in sets.values()):
        raise ValueError(
            "`columns` must have a name and at least one column for each set; got "
            f"{dict(sets)!r}. Leave it out to measure every column."
        )
    unknown = [one for of in sets.values() for one in of if one not in columns]
    if unknown:
        raise ValueError(
            f"`columns` must name columns of `X`, such as {listed(columns, 3)}; got "
            f"{listed(unknown, 3)}."
        )
    return {str(name): [columns.index(one) for one in of] for name, of in sets.items()}


def _scorer(scoring: Any) -> Callable[..., float]:
    if scoring is None:
        return label_auc_scorer
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(
            "`scoring` must be None, the name of a scorer or a function `scorer(model, X, y)`; "
            f"got {scoring!r}."
        )
    return get_scorer(scoring)


@dataclass(frozen=True)
class _OneFold:
    """Fits a clone to the training rows of a fold and scores its left-out rows."""

    model: Any
    rows: Rows
    sets: tuple[list[int], ...]
    scorer: Callable[..., float]
    n_repeats: int

    def __call__(self, split: Split, seed: int) -> tuple[float, np.ndarray]:
        """Return the score, and the scores with each set shuffled, one column per repeat."""
        train, test = split
        reject_one_kind(self.rows.s[train])
        seen, new = self.rows.take(train), self.rows.take(test)
        fitted = clone_for_labels(self.model, seed)
        fitted.fit(seen.X, seen.s.astype(np.int64), **self._arguments(seen))
        X, s = new.X, new.s.astype(np.int64)
        weight = {} if new.weight is None else {"sample_weight": new.weight}
        rng = np.random.RandomState(seed)
        shuffled = [
            [
                self.scorer(fitted, _shuffled(X, places, rng.permutation(len(s))), s, **weight)
                for _ in range(self.n_repeats)
            ]
            for places in self.sets
        ]
        return self.scorer(fitted, X, s, **weight), np.array(shuffled, dtype=np.float64)

    def _arguments(self, seen: Rows) -> dict[str, np.ndarray]:
        """Return weights and groups of the training rows, for a `fit` that takes them."""
        arguments = groups_argument(self.model, seen.groups)
        name = fit_parameter(self.model, "sample_weight")
        if seen.weight is not None and name is not None:
            arguments[name] = seen.weight
        return arguments


def _shuffled(X: Any, columns: list[int], order: np.ndarray) -> Any:
    """Return X with some columns in another order of rows, all of them in the same one."""
    if hasattr(X, "iloc"):
        X = X.copy()
        for j in columns:
            X.isetitem(j, X.iloc[order, j].array)
        return X
    if hasattr(X, "with_columns"):  # polars
        return X.with_columns([X[:, j][order] for j in columns])
    if is_sparse(X):
        chosen = np.isin(np.arange(X.shape[1]), columns)
        return _only(X, ~chosen) + _only(X[order], chosen)
    X = X.copy()
    X[:, columns] = X[order][:, columns]
    return X


def _only(X: Any, chosen: np.ndarray) -> sparse.csr_matrix:
    """Return a sparse matrix without the entries of other columns."""
    cells = X.tocoo()
    kept = chosen[cells.col]
    data = (cells.data[kept], (cells.row[kept], cells.col[kept]))
    return sparse.csr_matrix(data, shape=X.shape)
