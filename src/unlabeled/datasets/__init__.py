"""Data to learn and test on: simulated data, hidden labels, and the paper's nine data sets."""

from ._files import DatasetError
from ._labels import draw_labels, hide_labels, split_labels
from ._propensity import propensity
from ._simulated import SimulatedSample, make_paper_gaussian, make_quasirandom_gaussian
from ._uci import UCIDataset, load_uci
from ._uci_table import DATASET_NAMES

__all__ = [
    "DATASET_NAMES",
    "DatasetError",
    "SimulatedSample",
    "UCIDataset",
    "draw_labels",
    "hide_labels",
    "load_uci",
    "make_paper_gaussian",
    "make_quasirandom_gaussian",
    "propensity",
    "split_labels",
]
__dir__ = __all__.copy  # dir() shows what users may use
