"""The same for the nine sets, with few labels given at random."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reproduction.studies.draw import seed_of
from unlabeled.datasets import DATASET_NAMES, hide_labels, load_uci

from ..rows_of_cells import study_command
from .study import told
from .tables import Drawn

FILE, NAMES, REPEATS = "nine_sets.csv", ("dataset", "repeat"), 10
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


main = study_command(
    "benchmarks.eleven_tables.nine_sets:measure", FILE, NAMES, CELLS, REPEATS, "the nine sets"
)

if __name__ == "__main__":
    main()
