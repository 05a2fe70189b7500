"""Everything that takes `cv` refuses the same way, and says what it takes."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.codes import PUWarning
from unlabeled.engine.rows import join_folds
from unlabeled.label_frequency import DEDPUL, BestBin, ElkanNoto, OneDimensionalJoint, TIcE

X = np.random.default_rng(0).normal(size=(30, 2))
S = (np.arange(30) % 3 == 0).astype(int)
FOLDS = r"`cv` must be a number of folds, a splitter such as StratifiedKFold, "
SPLITS = r"a list of \(train, test\) row numbers"
TAKEN = [
    (PULogistic(), FOLDS + SPLITS + ", 'auto' or 'loo'"),
    (PUThresholdClassifier(LogisticRegression()), SPLITS + ", 'loo', 'oob', 'prefit' or None"),
    (ElkanNoto(), FOLDS + SPLITS + ", None"),
    (OneDimensionalJoint(), FOLDS + SPLITS + ", 'auto' or None"),
    (BestBin(), FOLDS + SPLITS + ", 'auto' or None"),
    (DEDPUL(), FOLDS + SPLITS + ", 'auto' or None"),
    (TIcE(), FOLDS + "or " + SPLITS),
]
each_taker = pytest.mark.parametrize(
    ("model", "taken"), TAKEN, ids=lambda value: type(value).__name__
)


@each_taker
@pytest.mark.parametrize("cv", ["fold", 5.0, True])
def test_the_sentence_says_what_is_taken(model, taken, cv):
    with pytest.raises(ValueError, match=f"{taken}; got {cv!r}"):
        model.set_params(cv=cv).fit(X, S)


@each_taker
@pytest.mark.parametrize("cv", [-1, 0, 1])
def test_fewer_than_two_folds_are_rejected(model, taken, cv):
    with pytest.raises(ValueError, match=f"`cv` must be at least 2.*; got {cv}. Use 2 or more"):
        model.set_params(cv=cv).fit(X, S)


@each_taker
@pytest.mark.filterwarnings("ignore:.*PU11[01]")
def test_more_folds_than_rows_are_rejected_or_lowered(model, taken):
    model.set_params(cv=31)
    if isinstance(model, PUThresholdClassifier):
        with pytest.warns(PUWarning, match="PU118"):
            model.fit(X, S)
    else:
        with pytest.raises(ValueError, match="at most the number of .*; got 31. Use fewer folds"):
            model.fit(X, S)


def test_none_is_refused_where_it_means_nothing():
    for model in (PULogistic(cv=None), TIcE(cv=None)):
        with pytest.raises(ValueError, match=f"{SPLITS}.*; got None"):
            model.fit(X, S)


def test_a_row_in_several_test_parts_gets_its_mean():
    first, second = (np.array([0, 1]), np.array([1.0, 3.0])), (np.array([1]), np.array([5.0]))
    assert join_folds(2, [first, second]).tolist() == [1.0, 4.0]
