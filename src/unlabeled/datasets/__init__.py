"""Data to learn and to test on: simulated, with labels hidden, or from the paper's nine sets."""

from ._errors import DatasetError
from ._gaussian import make_paper_gaussian
from ._hide_labels import hide_labels
from ._paper_table import PaperRow, paper_table
from ._propensity import logistic_propensity, posterior_propensity
from ._quasirandom import make_quasirandom_gaussian
from ._simulated import SimulatedSample
from ._uci import UCIDataset, load_uci
from ._uci_table import DATASET_NAMES

__all__ = [
    "DATASET_NAMES",
    "DatasetError",
    "PaperRow",
    "SimulatedSample",
    "UCIDataset",
    "hide_labels",
    "load_uci",
    "logistic_propensity",
    "make_paper_gaussian",
    "make_quasirandom_gaussian",
    "paper_table",
    "posterior_propensity",
]

# For other parts of the package, not for users.
from ._uci_table import SPECS as SPECS
