"""Rows that belong together are never on both sides of a split, whichever estimator is fitted."""

import sys
from typing import ClassVar

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import unlabeled.engine.rows as rows_room
from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import PropensityLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import (
    BestBin,
    ElkanNoto,
    KernelMean,
    PriorBound,
    TIcE,
    class_prior_density,
)

pytestmark = pytest.mark.filterwarnings("ignore:.*PU1")

PERSONS, COPIES = 80, 5
DATA = make_paper_gaussian(PERSONS, 0.7, random_state=2)
PERSON = np.repeat(np.arange(PERSONS), COPIES)
X, S = DATA.X[PERSON], DATA.s[PERSON].astype(int)
NAMES = np.array([f"person {k}" for k in range(PERSONS)])[PERSON]


class Seen(LogisticRegression):
    """A logistic regression that keeps the first column of the rows it was fitted to."""

    fits: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None):
        Seen.fits.append(np.unique(X[:, 0]))
        return super().fit(X, y, sample_weight)


def ensemble(**options):
    trees = ExtraTreesClassifier(20, bootstrap=True, oob_score=True)
    members = [("line", PULogistic()), ("trees", trees)]
    return PUEnsemble(members=members, random_state=0, **options)


def over_forest(**options):
    return PUThresholdClassifier(RandomForestClassifier(20, random_state=0), random_state=0)


def over_line(**options):
    return PUThresholdClassifier(PULogistic(random_state=0), random_state=0, **options)


def pu_logistic(**options):
    return PULogistic(random_state=0, **options)


def propensity(**options):
    return PropensityLogistic(propensity_features=[0], random_state=0, **options)


CLASSIFIERS = [pu_logistic, propensity, over_forest, over_line, ensemble]
# KernelMean makes no folds; those of TIcE have a test of their own.
FREQUENCIES = [
    *(one(random_state=0) for one in ESTIMATORS if one not in (ElkanNoto, KernelMean, TIcE)),
    ElkanNoto(cv=4, random_state=0),
]


@pytest.fixture
def splits(monkeypatch):
    """Every split that is made of rows with groups, as the groups on both sides."""
    found = []
    real = rows_room.label_folds

    def spied(rows, *args, **kwargs):
        made = real(rows, *args, **kwargs)
        groups = rows.groups
        found.extend(None if groups is None else (groups[a], groups[b]) for a, b in made)
        return made

    for name, module in list(sys.modules.items()):
        if name.startswith("unlabeled.") and getattr(module, "label_folds", None) is real:
            monkeypatch.setattr(module, "label_folds", spied)
    return found


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_rows_of_one_group_are_never_on_both_sides(make, splits):
    model = make().fit(X, S, groups=NAMES)
    assert len(splits) >= 5
    assert all(not np.intersect1d(*split).size for split in splits)
    assert model.n_groups_ == PERSONS
    assert model._design_effect_ == pytest.approx(COPIES)


@pytest.mark.parametrize("estimator", FREQUENCIES, ids=lambda one: type(one).__name__)
def test_label_frequency_estimators_keep_groups_together(estimator, splits):
    clone(estimator).fit(X, S, groups=NAMES)
    assert len(splits) >= 4
    assert all(not np.intersect1d(*split).size for split in splits)


def test_tice_keeps_groups_together(monkeypatch):
    seen = []
    real = TIcE._folds
    monkeypatch.setattr(TIcE, "_folds", lambda self, rows: seen.append(real(self, rows)) or seen[0])
    TIcE(random_state=0).fit(X, S, groups=NAMES)
    assert all(len(np.unique(seen[0][one == PERSON])) == 1 for one in range(PERSONS))


@pytest.mark.parametrize("kind", ["class_prior", "members"])
def test_an_estimator_inside_gets_the_groups(kind, splits):
    if kind == "class_prior":
        PULogistic(class_prior=BestBin(random_state=0), random_state=0).fit(X, S, groups=PERSON)
        assert len(splits) == 5 + 10  # of the classifier, and of the estimator
    else:
        ensemble().fit(X, S, groups=PERSON)
    assert all(not np.intersect1d(*split).size for split in splits)


def test_an_estimator_inside_that_holds_no_rows_out_gets_none():
    alone = ElkanNoto().fit(X, S)
    model = PULogistic(class_prior=ElkanNoto(), random_state=0).fit(X, S, groups=PERSON)
    assert model.class_prior_ == pytest.approx(alone.class_prior_)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_copies_in_groups_say_what_single_rows_say(make):
    alone, grouped = make().fit(DATA.X, DATA.s), make().fit(X, S, groups=PERSON)
    lengths = [np.ptp([*one.class_prior_density_.interval()]) for one in (alone, grouped)]
    assert lengths[1] > 0.6 * lengths[0]


@pytest.mark.parametrize("make", [over_forest, ensemble])
def test_without_groups_rows_that_are_nearly_copies_are_remembered(make):
    nearly = X + 1e-6 * np.random.default_rng(0).normal(size=X.shape)
    with pytest.warns(PUWarning, match="PU204"):
        remembered = make().fit(nearly, S)
    grouped = make().fit(nearly, S, groups=PERSON)
    assert roc_auc_score(S, remembered.held_out_score_) > 0.99
    assert roc_auc_score(S, grouped.held_out_score_) < 0.9
    short, long = (np.ptp([*one.class_prior_density_.interval()]) for one in (remembered, grouped))
    assert short < 0.2 * long


@pytest.mark.parametrize("make", [over_forest, ensemble])
def test_copies_are_never_remembered_but_count_as_rows_unless_the_user_says_otherwise(make):
    with pytest.warns(PUWarning, match="PU129"):
        plain = make().fit(X, S)
    assert roc_auc_score(S, plain.held_out_score_) < 0.9
    said = make().fit(X, S, groups="copies")
    grouped = make().fit(X, S, groups=PERSON)
    assert said.n_groups_ == PERSONS
    assert said._design_effect_ == pytest.approx(COPIES, rel=0.01)
    np.testing.assert_array_equal(said.held_out_score_, grouped.held_out_score_)
    assert [*said.class_prior_density_.interval()] == [*grouped.class_prior_density_.interval()]
    folds = list(GroupKFold(5).split(X, S, PERSON))
    short, long = (
        np.ptp([*make().set_params(cv=folds).fit(X, S, groups=one).class_prior_density_.interval()])
        for one in (None, "copies")
    )
    assert short < long


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_no_groups_change_nothing(make):
    plain, none = make().fit(X, S), make().fit(X, S, groups=None)
    np.testing.assert_array_equal(plain.held_out_score_, none.held_out_score_)
    assert plain.class_prior_ == none.class_prior_
    assert (plain._design_effect_, plain.n_groups_) == (1.0, None)


@pytest.mark.parametrize("make", CLASSIFIERS)
def test_rows_of_weight_zero_leave_their_group(make):
    weight = np.where(PERSON < 4, 0.0, 1.0)
    kept = weight > 0
    dropped = make().fit(X, S, weight, groups=NAMES)
    without = make().fit(X[kept], S[kept], np.ones(kept.sum()), groups=NAMES[kept])
    score = dropped.held_out_score_
    np.testing.assert_array_equal(np.isnan(score), ~kept)
    np.testing.assert_allclose(score[kept], without.held_out_score_, rtol=1e-6)
    assert dropped.n_groups_ == PERSONS - 4


def test_a_splitter_with_groups_is_used():
    cv = GroupKFold(4)
    expected = PULogistic(cv=list(cv.split(X, S, PERSON)), C=1.0, direction="naive").fit(X, S)
    found = PULogistic(cv=cv, C=1.0, direction="naive").fit(X, S, groups=PERSON)
    np.testing.assert_allclose(found.held_out_score_, expected.held_out_score_, rtol=1e-8)


def test_the_ensemble_searches_a_part_of_the_rows_by_groups(splits):
    grid = {"trees": [{"min_samples_leaf": 2}, {"min_samples_leaf": 5}]}
    model = ensemble(grid=grid, max_rows=200).fit(X, S, groups=PERSON)
    assert model._n_rows_searched_ == 200
    assert all(not np.intersect1d(*split).size for split in splits)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
@pytest.mark.parametrize(
    ("model", "got"),
    [
        (PULogistic(cv="loo"), "'loo', which leaves out one row"),
        (PUThresholdClassifier(LogisticRegression(), cv="loo"), "'loo', which leaves out one row"),
        (
            PUThresholdClassifier(RandomForestClassifier(20, oob_score=True), cv="oob"),
            "'oob', which leaves out single rows",
        ),
        (
            PUThresholdClassifier(LogisticRegression(), cv="train"),
            "'train', which holds no rows out",
        ),
        (ElkanNoto(), "None, which holds no rows out"),
        (PULogistic(cv=StratifiedKFold(3)), "a split with .* groups on both sides"),
        (ensemble(cv=StratifiedKFold(3)), "a split with .* groups on both sides"),
    ],
)
def test_ways_to_hold_out_rows_that_split_groups_are_rejected(model, got):
    with pytest.raises(ValueError, match=f"`cv` must keep the rows of one group together; .*{got}"):
        clone(model).fit(X, S, groups=PERSON)


@pytest.mark.parametrize("make", [*CLASSIFIERS, lambda: BestBin()])
def test_groups_that_are_missing_or_too_few_are_rejected(make):
    some = [None, *NAMES[1:]]
    with pytest.raises(ValueError, match="`groups` must say .* got 1 missing"):
        make().fit(X, S, groups=some)
    with pytest.raises(ValueError, match="`groups`"):
        make().fit(X, S, groups=NAMES[1:])


@pytest.mark.parametrize("make", [pu_logistic, ensemble, lambda: BestBin()])
def test_one_labeled_group_is_too_few(make):
    groups = np.where(S == 1, 0, PERSON + 1)
    with pytest.raises(ValueError, match="at least 2 labeled and 2 unlabeled groups.*got 1 lab"):
        make().fit(X, S, groups=groups)


def test_a_fit_counts_labeled_groups():
    few = np.where(S == 1, PERSON % 4, PERSON + 4)
    with pytest.warns(UserWarning, match="PU114.*only 4 of .* groups labeled"):
        PULogistic(random_state=0).fit(X, S, groups=few)


def test_the_estimator_inside_a_threshold_gets_groups_if_it_takes_them(splits):
    over_line(cv=3).fit(X, S, groups=PERSON)
    assert len(splits) == 3 + 4 * 5  # three folds; a fit to each, and one to all, of five folds
    pipeline = make_pipeline(StandardScaler(), PULogistic())
    PUThresholdClassifier(pipeline, cv=3, random_state=0).fit(X, S, groups=PERSON)
    assert all(not np.intersect1d(*split).size for split in splits)


def test_groups_are_routed_as_scikit_learn_routes_metadata(splits):
    with config_context(enable_metadata_routing=True):
        PUThresholdClassifier(LogisticRegression(), cv=GroupKFold(3)).fit(X, S, groups=PERSON)
        PUThresholdClassifier(LogisticRegression(), cv=3, random_state=0).fit(X, S, groups=PERSON)
        assert len(splits) == 6
        requesting = PULogistic(random_state=0).set_fit_request(groups=True)
        search = GridSearchCV(requesting, {"C": [0.1, 1.0]}, cv=GroupKFold(2))
        search.fit(X, S, groups=PERSON)
        assert search.best_estimator_.n_groups_ == PERSONS
        make_pipeline(StandardScaler(), requesting).fit(X, S, groups=PERSON)
        ensemble().set_fit_request(groups=True)
        BestBin().set_fit_request(groups=True)
    assert all(not np.intersect1d(*split).size for split in splits)


def test_a_search_inside_without_routing_says_that_it_cannot_pass_groups_on():
    search = GridSearchCV(PULogistic(), {"C": [0.1, 1.0]}, cv=2)
    with pytest.raises(ValueError, match="`groups` must be None for a search.*GridSearchCV"):
        PUThresholdClassifier(search).fit(X, S, groups=PERSON)


def test_every_fold_leaves_the_persons_of_its_rows_out():
    """The fits themselves, not only the splits."""
    Seen.fits.clear()
    PUThresholdClassifier(Seen(), cv=4, random_state=0).fit(X, S, groups=PERSON)
    everybody, *folds = Seen.fits
    assert len(everybody) == PERSONS
    left_out = [np.setdiff1d(everybody, seen) for seen in folds]
    assert sum(map(len, left_out)) == PERSONS  # each person is left out of one fold, wholly


def test_a_prefit_classifier_uses_groups_for_its_interval():
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, S)
    other = make_paper_gaussian(PERSONS, 0.7, random_state=3)
    new_X, new_s = other.X[PERSON], other.s[PERSON].astype(int)
    model = PUThresholdClassifier(fitted, cv="prefit").fit(new_X, new_s, groups=PERSON)
    assert model._design_effect_ == pytest.approx(COPIES)


def test_a_density_with_groups_of_copies_is_that_of_single_rows():
    score = DATA.X[:, 0]
    alone = class_prior_density(DATA.s, score)
    copies = class_prior_density(DATA.s[PERSON], score[PERSON], groups=PERSON)
    assert [*copies.interval()] == pytest.approx([*alone.interval()], abs=1e-6)
    assert [*copies.interval(of="population")] == pytest.approx(
        [*alone.interval(of="population")], abs=1e-6
    )
    weighted = class_prior_density(DATA.s, score, np.full(PERSONS, 5.0), groups=np.arange(PERSONS))
    assert [*weighted.interval()] == pytest.approx([*alone.interval()], abs=1e-6)


def test_a_bound_with_groups_of_copies_is_that_of_single_rows():
    loose = PriorBound(cv=4, random_state=0).fit(X, S, groups=PERSON)
    tight = PriorBound(cv=4, random_state=0).fit(X, S)
    assert loose.class_prior_ > tight.class_prior_
