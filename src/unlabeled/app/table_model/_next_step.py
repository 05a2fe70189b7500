"""What to do after a fit: the command that draws rows to check."""

from __future__ import annotations

import shlex

_ROWS, _FEWEST = 100, 10


def audit_command(folder: str, table: str, check: str, n_unlabelled: float | None) -> str | None:
    """Write the command that draws rows to check.

    Parameters
    ----------
    folder, table, check : str
        The folder of the fit, its table, and a new folder for the rows.
    n_unlabelled : float or None
        How many unlabelled rows there are, if that is known.

    Returns
    -------
    command : str or None
        As one writes it in a shell; None if there are too few rows to draw from.

    Examples
    --------
    >>> audit_command("ward", "my patients.csv", "ward-check", 2400)
    "unlabeled audit ward --table 'my patients.csv' --rows 100 --out ward-check"
    """
    rows = _ROWS if n_unlabelled is None else min(_ROWS, int(n_unlabelled))
    if rows < _FEWEST:
        return None
    words = ["unlabeled", "audit", folder, "--table", table, "--rows", str(rows), "--out", check]
    return shlex.join(words)
