"""Columns must be as long as the rows they stand beside."""

from __future__ import annotations


def refuse_other_length(
    n_rows: int,
    length: int,
    column: str = "a column beside them",
    advice: str = "Pass one value for each row.",
) -> None:
    """Raise where a column has not as many rows as it stands beside; `column` says which it is."""
    if n_rows != length:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{n_rows} rows, and {length} in {column}. {advice}"
        )
