"""What a message advises would help: the cases in which the advice of 0.2.0 did not."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unlabeled import (
    EnhancedLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.app import load_model, save_model, table_pipeline
from unlabeled.comparison import compare_methods
from unlabeled.datasets import make_paper_gaussian, split_labels
from unlabeled.diagnostics import diagnose
from unlabeled.inference import metric_interval
from unlabeled.inspection import label_importance
from unlabeled.plots import CoefficientDisplay

DATA = make_paper_gaussian(n=400, label_frequency=0.6, random_state=0)
GROUPS = np.arange(400) // 4


def with_cell(value):
    X = DATA.X.copy()
    X[3, 2] = value
    return X


@pytest.mark.parametrize("model", [PULogistic(), EnhancedLogistic(), PUEnsemble()])
def test_infinity_is_not_sent_to_an_imputer_that_rejects_it(model):
    """0.2.0: "Fill or drop missing values first, for instance with SimpleImputer"."""
    with pytest.raises(ValueError, match=r"got inf in 1 cell.*Find out where inf") as error:
        model.fit(with_cell(np.inf), DATA.s)
    assert "Imputer" not in str(error.value)
    with pytest.raises(ValueError, match="infinity"):
        SimpleImputer().fit(with_cell(np.inf))
    if not isinstance(model, PUEnsemble):
        with pytest.raises(ValueError, match=r"got NaN in 1 cell.*SimpleImputer"):
            model.fit(with_cell(np.nan), DATA.s)


@pytest.mark.parametrize(
    "model", [PULogistic(cv=5), PUThresholdClassifier(LogisticRegression()), PUEnsemble()]
)
@pytest.mark.parametrize(("n_labeled", "remedy"), [(299, "Add unlabeled rows"), (1, "Label more")])
def test_who_has_one_unlabeled_row_is_not_told_to_label_more(model, n_labeled, remedy):
    s = (np.arange(300) < n_labeled).astype(int)
    warnings.filterwarnings("ignore", message=r"\[PU114\]")
    with pytest.raises(ValueError, match=f"at least 2 labeled and 2 unlabeled rows.*{remedy}"):
        model.fit(DATA.X[:300], s)


def test_labels_of_minus_one_zero_and_one_lead_to_split_labels():
    """0.2.0: "Merge them into labeled and unlabeled"."""
    column = np.where(DATA.s == 1, 1, np.where(np.arange(400) % 3 == 0, -1, 0))
    with pytest.raises(ValueError, match=r"got 3: -1, 0, 1\. If -1 .*datasets\.split_labels"):
        PULogistic().fit(DATA.X, column)
    y, _ = split_labels(column, labeled=1, negative=-1, unlabeled=0)
    assert y.tolist() == DATA.s.tolist()


def test_members_without_weights_are_not_sent_to_missing_cells():
    members = [("near", KNeighborsClassifier()), ("far", KNeighborsClassifier(50))]
    with pytest.raises(ValueError, match="its fit takes no `sample_weight`") as error:
        PUEnsemble(members=members).fit(DATA.X, DATA.s, np.linspace(0.5, 1.5, 400))
    assert "missing" not in str(error.value)


class Untold(BaseEstimator):
    """A classifier that does not say that it is one."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.model_ = LogisticRegression().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)


class LikePulearn(Untold, ClassifierMixin):
    """With the bases in this order, as in pulearn, scikit-learn's tags do not say it either."""


def test_a_classifier_is_not_asked_for_the_method_that_it_has():
    """0.2.0 asked pulearn's bagging for `predict_proba`, which it has."""
    with pytest.raises(ValueError, match="Untold, which has `predict_proba`, but.*ClassifierMixin"):
        PUThresholdClassifier(Untold()).fit(DATA.X, DATA.s)
    found = PUThresholdClassifier(LikePulearn()).fit(DATA.X, DATA.s)
    wanted = PUThresholdClassifier(LogisticRegression()).fit(DATA.X, DATA.s)
    assert 0.5 * wanted.class_prior_ < found.class_prior_ < 2 * wanted.class_prior_


@pytest.mark.parametrize("model", [LogisticRegression(), RandomForestClassifier(5)])
def test_text_in_a_threshold_classifier_leads_to_an_encoder(model):
    frame = pd.DataFrame({"dose": DATA.X[:, 0], "ward": np.where(DATA.X[:, 1] > 0, "A", "B")})
    with pytest.raises(ValueError, match=r"`X` must hold what `estimator` takes.*got text, '[AB]'"):
        PUThresholdClassifier(model).fit(frame, DATA.s)
    encoded = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["ward"]), remainder="passthrough"), model
    )
    assert PUThresholdClassifier(encoded).fit(frame, DATA.s).class_prior_ > 0


def test_columns_named_in_front_of_a_table_pipeline_get_a_sentence_that_works():
    """0.2.0: "must hold positions if X has no feature names. Pass a data frame"."""
    frame = pd.DataFrame({"dose": DATA.X[:, 0], "ward": np.where(DATA.X[:, 1] > 0, "A", "B")})
    with pytest.raises(ValueError, match=r"`propensity_features` must hold positions.*'ward'"):
        table_pipeline(PropensityLogistic(propensity_features=["ward"]))
    model = table_pipeline(PropensityLogistic())
    names = model["table"].fit(frame).get_feature_names_out()
    places = [j for j, name in enumerate(names) if name.startswith("ward")]
    model.set_params(classifier__propensity_features=places)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert model.fit(frame, DATA.s)["classifier"].propensity_features_ == tuple(places)


def test_save_model_says_which_steps_a_file_holds(tmp_path):
    imputed = make_pipeline(SimpleImputer(), PULogistic(C=1.0)).fit(DATA.X, DATA.s)
    with pytest.raises(ValueError, match=r"'simpleimputer'.*A file holds a StandardScaler"):
        save_model(imputed, tmp_path / "model.zip")
    scaled = make_pipeline(StandardScaler(), PULogistic(C=1.0)).fit(DATA.X, DATA.s)
    save_model(scaled, tmp_path / "model.zip")
    again = load_model(tmp_path / "model.zip")
    assert again.predict(DATA.X).tolist() == scaled.predict(DATA.X).tolist()


WITHOUT_GROUPS = {
    "diagnose": lambda model: diagnose(model, DATA.X, DATA.s, checks=["labels"]),
    "label_importance": lambda model: label_importance(model, DATA.X, DATA.s, n_repeats=1),
    "compare_methods": lambda model: compare_methods({"a": model}, DATA.X, DATA.s, n_repeats=2),
    "CoefficientDisplay": lambda model: CoefficientDisplay.from_estimator(
        model, DATA.X, DATA.s, plot=False
    ),
}


@pytest.mark.parametrize("what", WITHOUT_GROUPS)
def test_a_fit_with_groups_is_not_judged_without_them(what):
    """0.2.0 left the groups out in silence: its tests and errors took every row as independent."""
    model = PULogistic(C=1.0).fit(DATA.X, DATA.s, groups=GROUPS)
    with pytest.raises(ValueError, match="`groups` must be those of the fit, which had 100 groups"):
        WITHOUT_GROUPS[what](model)
    with pytest.raises(ValueError, match="`groups` must be those of the fit, which had 100 groups"):
        WITHOUT_GROUPS[what](
            make_pipeline(StandardScaler(), PULogistic(C=1.0)).fit(
                DATA.X, DATA.s, pulogistic__groups=GROUPS
            )
        )
    assert len(diagnose(model, DATA.X, DATA.s, checks=["labels"], groups=GROUPS)) == 1


def test_an_interval_says_what_its_bootstrap_drew():
    score = DATA.X @ DATA.beta[1:]
    settings = {"class_prior": 0.3, "n_resamples": 20, "random_state": 0}
    for metric in ("auc", "boyce"):
        if metric == "boyce":
            settings.pop("class_prior")
        assert metric_interval(metric, DATA.s, score, **settings).method == "bootstrap of rows"
        grouped = metric_interval(metric, DATA.s, score, groups=GROUPS, **settings)
        assert grouped.method == "bootstrap of groups"
