"""Cuts of a score: counts above every distinct value, and rules to choose one."""

from ._choose import ChosenCut, choose_cut
from ._cuts import Cuts, scan_cuts
from ._rules import F1_PU, Rule

__all__ = ["F1_PU", "ChosenCut", "Cuts", "Rule", "choose_cut", "scan_cuts"]
