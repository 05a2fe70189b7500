"""From a task to training and test rows, the same whoever draws them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from ..datasets import make_paper_gaussian
from .mechanisms import TEN_LABELS, draw_labels, label_ten
from .plan import PAPER_GAUSSIAN, SYNTHETIC_TEST_ROWS, TEST_SHARE, Task
from .seeds import seed_of
from .sources import fitted_posterior, load_rows

MOST_ATTEMPTS = 100
"""Draws without a class in the training or test rows are redrawn so often."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Training and test rows of a task, features standardised by the training rows.

    Attributes
    ----------
    X, s, y_true : ndarray
        Training rows: features, labels, true classes.
    X_test, y_test : ndarray
        Test rows and their true classes.
    scale : ndarray
        Standard deviations the features were divided by.
    direction : ndarray or None
        The true slopes on the original scale, where they are known.
    """

    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    scale: np.ndarray
    direction: np.ndarray | None

    @property
    def has_all_classes(self) -> bool:
        """Whether labels and classes take both values wherever a method or score needs them."""
        columns = (self.s, self.y_true, self.y_test)
        return all(0 < column.sum() < len(column) for column in columns)


def draw_sample(task: Task, data_home: str | None = None) -> Sample:
    """Draw the rows of a task.

    The seed of the rows has no label frequency in it, so all frequencies of a repeat see the
    same split; the seed of the labels has.
    """
    for attempt in range(MOST_ATTEMPTS):
        if task.cell.dataset == PAPER_GAUSSIAN:
            sample = _draw_synthetic(task, attempt)
        else:
            sample = _draw_real(task, data_home, attempt)
        if sample.has_all_classes:
            return sample
    raise ValueError(
        f"`{task.cell.dataset}` with label frequency {task.cell.c} must have labelled and "
        f"unlabelled rows and both classes; {MOST_ATTEMPTS} draws had not. Use more rows."
    )


def _split_seed(what: str, task: Task, attempt: int) -> int:
    return seed_of(what, task.drawn_by, task.cell.dataset, task.cell.n, task.repeat, attempt)


def _labels_seed(task: Task, attempt: int) -> int:
    cell = task.cell
    key = ("labels", task.drawn_by, cell.dataset, cell.mechanism, cell.n, cell.c)
    return seed_of(*key, task.repeat, attempt)


def _draw_synthetic(task: Task, attempt: int) -> Sample:
    cell = task.cell
    train = make_paper_gaussian(cell.n, 1.0, random_state=_split_seed("train", task, attempt))
    test_seed = seed_of("test", task.drawn_by, cell.dataset, task.repeat, attempt)
    test = make_paper_gaussian(SYNTHETIC_TEST_ROWS, 1.0, random_state=test_seed)
    posterior = expit(train.beta[0] + train.X @ train.beta[1:])
    seed = _labels_seed(task, attempt)
    s = draw_labels(cell.mechanism, cell.c, train.X, train.y_true, posterior, seed)
    scaler = StandardScaler().fit(train.X)
    X_test = scaler.transform(test.X)
    X = scaler.transform(train.X)
    return Sample(X, s, train.y_true, X_test, test.y_true, scaler.scale_, train.beta[1:])


def _draw_real(task: Task, data_home: str | None, attempt: int) -> Sample:
    """The set is split without regard to the classes, then features are standardised."""
    rows = load_rows(task.cell.dataset, data_home)
    y_true, n_rows = rows.y_true, len(rows.y_true)
    order = np.random.RandomState(_split_seed("split", task, attempt)).permutation(n_rows)
    n_test = int(np.ceil(TEST_SHARE * n_rows))
    test, train = order[:n_test], order[n_test:]
    s = _draw_real_labels(task, data_home, attempt, train)
    scaler = StandardScaler().fit(rows.X[train])
    X, X_test = scaler.transform(rows.X[train]), scaler.transform(rows.X[test])
    return Sample(X, s, y_true[train], X_test, y_true[test], scaler.scale_, None)


def _draw_real_labels(
    task: Task, data_home: str | None, attempt: int, train: np.ndarray
) -> np.ndarray:
    """Labels of the training rows; frequencies are those of the whole set."""
    cell, seed = task.cell, _labels_seed(task, attempt)
    rows = load_rows(cell.dataset, data_home)
    if cell.mechanism == TEN_LABELS:
        return label_ten(rows.y_true[train], seed)
    needs_posterior = cell.mechanism.startswith("posterior")
    posterior = fitted_posterior(cell.dataset, data_home) if needs_posterior else None
    s = draw_labels(cell.mechanism, cell.c, rows.X, rows.y_true, posterior, seed)
    return s[train]
