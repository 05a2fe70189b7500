"""Names in files of 0.2.0, which spelled "labelled" and had some other names."""

from __future__ import annotations

from typing import Any

_LABELLED = (
    "decision_if_unlabelled distinct_share_of_unlabelled_rows labelled labelled_above labelled_by "
    "labelled_found labelled_in_strata labelled_rows_with_a_twin labelled_share labelled_share_ "
    "n_labelled n_unlabelled posterior_if_unlabelled posterior_if_unlabelled_lower "
    "posterior_if_unlabelled_upper precision_unlabelled rank_among_unlabelled "
    "selected_unlabelled unlabelled unlabelled_share_"
)
NAMES = {name: name.replace("labelled", "labeled") for name in _LABELLED.split()}
"""Keys of records, columns of tables: the old name, and today's."""

_HIDDEN = (
    "design_effect_ fingerprint_ gradient_norm_ label_line_ member_lines_ n_inner_iter_ "
    "n_rows_searched_ swap_ratio_"
)
ATTRIBUTES = (
    NAMES
    | {name: f"_{name}" for name in _HIDDEN.split()}
    | {name: f"{name}_" for name in ("_known_of_rows", "_propensity_fit", "_ridge_fit")}
    | {
        "level": "confidence_level",
        "most_rows": "max_rows",
        "positive_label": "pos_label",
    }
)
"""Parameters and attributes of fitted objects: the old name, and today's."""


def renamed(value: Any, *as_it_is: str) -> Any:
    """Return a record with today's keys; what lies under the keys `as_it_is` is not looked at."""
    if isinstance(value, dict):
        return {
            NAMES.get(key, key): entry if key in as_it_is else renamed(entry, *as_it_is)
            for key, entry in value.items()
        }
    return [renamed(entry, *as_it_is) for entry in value] if isinstance(value, list) else value
