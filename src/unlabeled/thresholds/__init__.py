"""Cuts of a score: counts above every distinct value, and rules that choose one."""

from ._cuts import ChosenCut, Cuts, choose_cut, scan_cuts
from ._rules import RULES, Rule, get_rule

__all__ = [
    "RULES",
    "ChosenCut",
    "Cuts",
    "Rule",
    "choose_cut",
    "get_rule",
    "scan_cuts",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._cuts import WORTH_OF_A_MODEL as WORTH_OF_A_MODEL
from ._cuts import count_above as count_above
from ._cuts import shrink_recall as shrink_recall
from ._cuts import warn_if_all_positive as warn_if_all_positive
from ._cuts import warn_if_nearly_all_positive as warn_if_nearly_all_positive
from ._rules import rule_table as rule_table
from ._rules import rule_words as rule_words
from ._rules import shown_rules as shown_rules
from ._rules import with_enough_labeled as with_enough_labeled
from ._search import PopulationLimits as PopulationLimits
from ._search import bin_cuts as bin_cuts
from ._search import cuts_of_counts as cuts_of_counts
from ._search import rows_or_stand_ins as rows_or_stand_ins
from ._search import summarize_score as summarize_score
