"""Cuts of a score: counts above every distinct value, and rules to choose one."""

from ._choose import ChosenCut, choose_cut
from ._cuts import Cuts
from ._rules import (
    RULES,
    Rule,
    accuracy,
    balanced_accuracy,
    cost,
    f1,
    f1_pu,
    fbeta,
    get_rule,
    mcc,
    precision_at_least,
    recall_at_least,
    share,
)
from ._scan import scan_cuts
from ._shrunk import shrink_recall
from ._zoom import ScoreSummary, rows_or_stand_ins, summarise_score

__all__ = [
    "RULES",
    "ChosenCut",
    "Cuts",
    "Rule",
    "ScoreSummary",
    "accuracy",
    "balanced_accuracy",
    "choose_cut",
    "cost",
    "f1",
    "f1_pu",
    "fbeta",
    "get_rule",
    "mcc",
    "precision_at_least",
    "recall_at_least",
    "rows_or_stand_ins",
    "scan_cuts",
    "share",
    "shrink_recall",
    "summarise_score",
]

# For other parts of the package, not for users.
from ._choose import report_everybody as report_everybody
from ._cuts import count_above as count_above
from ._rules import with_enough_labelled as with_enough_labelled
