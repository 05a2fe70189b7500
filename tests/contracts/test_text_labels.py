"""Text labels inside meta-estimators: the outcome of the classifier alone, or an error."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto
from unlabeled.metrics import f1_pu_scorer, make_pu_scorer

DATA = make_paper_gaussian(n=300, label_frequency=0.6, random_state=0)
LINE = EnhancedLogistic(C=1.0)
# 1 does not mark labeled rows: the first value sorts before the other, or the words do not say.
SORTED_WRONG = [("labeled", "unlabeled"), ("fraud", "unknown"), ("P", "U"), ("ill", "not tested")]
UNSAID = [("cleared", "fraud"), ("case", "control")]

RECODING = {
    "bagging": lambda one: BaggingClassifier(one, 2, random_state=0),
    "bagging in processes": lambda one: BaggingClassifier(one, 2, random_state=0, n_jobs=2),
    "stacking": lambda one: StackingClassifier([("one", one)], LogisticRegression(), cv=2),
    "last of a stacking": lambda one: StackingClassifier([("n", LogisticRegression())], one, cv=2),
    "voting": lambda one: VotingClassifier([("one", one)]),
    "voting in processes": lambda one: VotingClassifier([("a", one), ("b", one)], n_jobs=2),
    "voting over pipelines": lambda one: VotingClassifier(
        [("one", make_pipeline(StandardScaler(), one))]
    ),
    "one versus rest": OneVsRestClassifier,
    "a search over voting": lambda one: GridSearchCV(
        VotingClassifier([("one", one)]), {"voting": ["hard"]}, cv=2, error_score="raise"
    ),
}
PASSING_ON = {
    "search": lambda one: GridSearchCV(one, {"C": [1.0]}, cv=2, scoring=f1_pu_scorer),
    "threshold": lambda one: TunedThresholdClassifierCV(
        one, scoring=make_pu_scorer("f1_pu"), cv=2, random_state=0
    ),
    "pipeline": lambda one: make_pipeline(StandardScaler(), one),
    "our threshold": lambda one: PUThresholdClassifier(one, cv=2),
    "a nested estimate": lambda one: GridSearchCV(
        WeightedLogistic(ElkanNoto(), weighting="posterior"), {"C": [1.0]}, cv=2
    ),
}


def labels(labeled, unlabeled):
    return np.where(DATA.s == 1, labeled, unlabeled)


def positive(model, y, value):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(DATA.X, y).predict(DATA.X) == value


@pytest.mark.parametrize(
    ("tool", "values"),
    [(tool, SORTED_WRONG[0]) for tool in RECODING]
    + [
        (tool, values) for tool in ("voting", "stacking") for values in (SORTED_WRONG[1], UNSAID[0])
    ],
)
def test_where_labels_are_recoded_a_wrong_order_is_rejected_and_both_values_named(tool, values):
    model = RECODING[tool](LINE)
    with pytest.raises(ValueError, match=r"`y` must be 1 for labeled rows") as error:
        positive(model, labels(*values), values[0])
    assert all(repr(value) in str(error.value) for value in values)
    assert "`pos_label` of EnhancedLogistic" in str(error.value)


@pytest.mark.parametrize("tool", ["bagging", "voting", "one versus rest"])
def test_with_the_place_of_the_value_the_outcome_is_that_of_numbers(tool):
    named = RECODING[tool](EnhancedLogistic(C=1.0, pos_label=0))
    found = positive(named, labels("labeled", "unlabeled"), "labeled")
    assert found.tolist() == positive(RECODING[tool](LINE), DATA.s, 1).tolist()


@pytest.mark.parametrize("tool", ["bagging", "stacking", "voting", "one versus rest"])
@pytest.mark.parametrize("values", [("yes", "no"), ("case", "")])
def test_where_the_order_is_right_nothing_is_said(tool, values):
    found = positive(RECODING[tool](LINE), labels(*values), values[0])
    assert found.tolist() == positive(RECODING[tool](LINE), DATA.s, 1).tolist()


@pytest.mark.parametrize("tool", PASSING_ON)
@pytest.mark.parametrize("values", [*SORTED_WRONG, ("yes", "no")])
def test_where_labels_are_passed_on_the_outcome_is_that_of_numbers_without_a_warning(tool, values):
    with warnings.catch_warnings(record=True) as of_numbers:
        warnings.simplefilter("always")
        wanted = PASSING_ON[tool](LINE).fit(DATA.X, DATA.s).predict(DATA.X) == 1
    with warnings.catch_warnings(record=True) as of_text:
        warnings.simplefilter("always")
        found = PASSING_ON[tool](LINE).fit(DATA.X, labels(*values)).predict(DATA.X) == values[0]
    assert found.tolist() == wanted.tolist()
    assert len(of_text) == len(of_numbers)


@pytest.mark.parametrize("tool", ["search", "threshold", "pipeline", "our threshold"])
def test_where_labels_are_passed_on_words_that_do_not_say_it_are_rejected(tool):
    with pytest.raises(ValueError, match="`pos_label` must be.*'case', 'control'"):
        positive(PASSING_ON[tool](LINE), labels("case", "control"), "case")


@pytest.mark.parametrize(
    "model",
    [
        NaiveLogistic(),
        EnhancedLogistic(),
        JointLogistic(),
        WeightedLogistic(0.6, weighting="posterior"),
        PULogistic(C=1.0),
        PUThresholdClassifier(LogisticRegression(), cv=2),
        PUEnsemble(members=[("line", PULogistic(C=1.0)), ("bayes", GaussianNB())], random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("kind", ["str", "object", "category"])
def test_every_classifier_understands_the_list_and_asks_otherwise(model, kind):
    wanted = positive(clone(model), DATA.s, 1)
    y = pd.Series(labels("labeled", "unlabeled")).astype(kind)
    assert positive(clone(model), y, "labeled").tolist() == wanted.tolist()
    with pytest.raises(ValueError, match="`pos_label` must be.*'case', 'control'"):
        clone(model).fit(DATA.X, pd.Series(labels("case", "control")).astype(kind))


def test_probabilities_by_cross_validation_are_rejected_where_they_would_be_of_the_wrong_class():
    with pytest.raises(ValueError, match="`y` must be 1 for labeled rows"):
        cross_val_predict(
            LINE, DATA.X, labels("labeled", "unlabeled"), cv=2, method="predict_proba"
        )


class Own(ClassifierMixin, BaseEstimator):
    """Somebody's classifier, which recodes labels itself, and right."""

    def __init__(self, model=LINE):
        self.model = model

    def fit(self, X, y):
        s = (np.asarray(y) == "labeled").astype(int)
        self.alone_ = clone(self.model).fit(X, s)
        self.classes_ = np.unique(y)
        self.model.fit(X, s)
        return self

    def predict(self, X):
        return np.where(self.alone_.predict(X) == 1, "labeled", "unlabeled")


def test_who_recodes_labels_right_is_left_alone():
    y = labels("labeled", "unlabeled")
    search = GridSearchCV(Own(), {"model__C": [0.5, 1.0]}, cv=2, error_score="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert set(search.fit(DATA.X, y).predict(DATA.X)) == {"labeled", "unlabeled"}


def test_what_a_clone_remembers_is_gone_after_its_fit():
    voting = VotingClassifier([("one", LINE)]).fit(DATA.X, labels("yes", "no"))
    assert not [name for name in vars(voting.estimators_[0]) if name.startswith("_labels")]
