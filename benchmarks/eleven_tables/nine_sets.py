"""The same for the nine sets, with few labels given at random."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci

from ..study import Records, repeated
from .study import told
from .tables import Drawn

REPEATS = 10
CELLS = [(name,) for name in DATASET_NAMES]
FREQUENCY, MOST_ROWS = 0.2, 3000


def measure(dataset: str, repeat: int) -> dict[str, float]:
    """Draw rows of a set, label its positives at random, and compare a fit with the truth."""
    seed, data = seed_of("eleven tables", dataset, repeat), load_uci(dataset)
    rows = np.random.default_rng(seed).permutation(len(data.y_true))[:MOST_ROWS]
    y = data.y_true[rows]
    frame = pd.DataFrame(np.asarray(data.X)[rows]).add_prefix("x")
    s = hide_labels(y, FREQUENCY, random_state=seed % 2**31)
    return told(Drawn(frame, y.astype(bool), s))


RECORDS = Records("nine_sets.csv", ("dataset", "repeat"), measure, lambda: repeated(CELLS, REPEATS))
