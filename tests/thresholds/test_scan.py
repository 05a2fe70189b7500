"""`scan_cuts` takes what users have, and refuses what is no score or no label column."""

import numpy as np
import pytest

from unlabeled.codes import PUWarning
from unlabeled.thresholds import scan_cuts

SCORE, LABELS = [5.0, 4.0, 4.0, 2.0], [1, 0, 1, 0]


def test_lists_text_and_a_named_label_give_the_counts_of_arrays():
    wanted = scan_cuts(np.array(SCORE), np.array(LABELS))
    text = np.where(LABELS, "ill", "unknown")
    for cuts in (
        scan_cuts(SCORE, LABELS),
        scan_cuts(SCORE, text, positive_label="ill"),
        scan_cuts(SCORE, LABELS, [1, 1, 1, 1]),
    ):
        assert cuts.labelled.tolist() == wanted.labelled.tolist() == [1, 2, 2]
        assert cuts.total.tolist() == wanted.total.tolist() == [1, 3, 4]


def test_a_guess_of_the_labelled_value_is_announced():
    with pytest.warns(PUWarning, match="PU101"):
        scan_cuts(SCORE, np.where(LABELS, "ill", "unknown"))


@pytest.mark.parametrize(
    ("score", "labels", "message"),
    [
        ([0.1, 0.2, 0.3, 0.4], [0.5, 0.1, 0.2, 0.7], "`y` must hold labels"),
        ([1.0, 2.0], LABELS, "`score` must hold one number for each of the 4 rows"),
        ([1.0, np.nan, 2.0, 3.0], LABELS, "`score` must hold finite numbers"),
        (SCORE, [0, 0, 0, 0], "`y` must have two classes"),
    ],
)
def test_what_is_no_score_or_no_label_gets_a_sentence(score, labels, message):
    with pytest.raises(ValueError, match=message):
        scan_cuts(score, labels)
