"""What the numbers of a comparison say, in sentences."""

from __future__ import annotations

from typing import Any

ERRORS_APART = 2
"""So many standard errors behind the best, a method is called worse."""

_RESTS_ON = "F1_PU ranks methods only if labelled rows are a random sample of the positives (SCAR)."


def reading(record: dict[str, Any]) -> list[str]:
    """Say which method is ahead, which are as good as it, and what that rests on."""
    best = next(one for one in record["methods"] if one["name"] == record["best"])
    others = [one for one in record["methods"] if one is not best]
    said = [
        f"{best['name']} has the largest honest F1_PU, {with_error(best['f1_pu'], between=' ± ')}."
    ]
    if others:
        said.append(_company(others))
    return [*said, _RESTS_ON]


def with_error(
    number: dict[str, Any], key: str = "mean", sign: str = "", between: str = "±"
) -> str:
    """Write a mean and its error; a dash where there is none."""
    value, error = number[key], number["error"]
    if value is None:
        return "-"
    shown = f"{value:{sign}.2f}"
    return shown if error is None else f"{shown}{between}{error:.2f}"


def _company(others: list[dict[str, Any]]) -> str:
    near, far, unknown = [], [], []
    for one in others:
        difference, error = one["to_best"]["difference"], one["to_best"]["error"]
        if difference is None or error is None:
            unknown.append(one["name"])
        elif difference >= -ERRORS_APART * error:
            near.append(one["name"])
        else:
            far.append(one["name"])
    said = f"Within two standard errors of it: {', '.join(near)}." if near else ""
    if not near and far:
        said = "No other method is within two standard errors of it."
    elif far:
        said += f" Further behind: {', '.join(far)}."
    if unknown:
        said += f" Not to be told, for want of splits: {', '.join(unknown)}."
    return said.strip()
