"""Data to learn and test on: simulated data, hidden labels, and the paper's nine data sets."""

from ._files import DatasetError
from ._labels import draw_labels, hide_labels, split_labels
from ._propensity import (
    feature_propensity,
    logistic_propensity,
    posterior_propensity,
    product_propensity,
    step_propensity,
    top_propensity,
)
from ._simulated import SimulatedSample, make_paper_gaussian, make_quasirandom_gaussian
from ._uci import UCIDataset, load_uci
from ._uci_table import DATASET_NAMES

__all__ = [
    "DATASET_NAMES",
    "DatasetError",
    "SimulatedSample",
    "UCIDataset",
    "draw_labels",
    "feature_propensity",
    "hide_labels",
    "load_uci",
    "logistic_propensity",
    "make_paper_gaussian",
    "make_quasirandom_gaussian",
    "posterior_propensity",
    "product_propensity",
    "split_labels",
    "step_propensity",
    "top_propensity",
]
__dir__ = __all__.copy  # dir() shows what users may use
