"""The paper's table of data sets."""

from __future__ import annotations

from typing import NamedTuple


class PaperRow(NamedTuple):
    """One line of the paper's table of data sets.

    Attributes
    ----------
    name : str
    size : int
        Number of rows.
    features : int
        Number of features after the preparation.
    fraction : float
        Share of positive rows, to two decimals as printed.
    """

    name: str
    size: int
    features: int
    fraction: float


_ROWS = (
    PaperRow("adult", 32561, 57, 0.24),
    PaperRow("banknote", 1372, 4, 0.44),
    PaperRow("breast-w", 699, 9, 0.34),
    PaperRow("credit-a", 690, 38, 0.44),
    PaperRow("diabetes", 768, 8, 0.35),
    PaperRow("haberman", 306, 3, 0.26),
    PaperRow("ionosphere", 351, 34, 0.36),
    PaperRow("musk", 6598, 166, 0.15),
    PaperRow("spambase", 4601, 57, 0.39),
)


def paper_table() -> tuple[PaperRow, ...]:
    """Return the paper's table of data sets: name, size, features, fraction of positives.

    Returns
    -------
    rows : tuple of PaperRow
        In the order of the paper.

    Examples
    --------
    >>> from unlabeled.datasets import paper_table
    >>> paper_table()[0]
    PaperRow(name='adult', size=32561, features=57, fraction=0.24)
    """
    return _ROWS
