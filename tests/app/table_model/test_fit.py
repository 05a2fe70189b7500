"""Fitting a classifier to a table: what the fit keeps."""

from __future__ import annotations

import numpy as np

from unlabeled import EnhancedLogistic, NaiveLogistic
from unlabeled.app.table_model import fit_table
from unlabeled.app.tables import label_column, prepare
from unlabeled.codes import PUWarning, warn


class WarnsThreeTimes(NaiveLogistic):
    """Warns twice with the same words, and once without a code."""

    def fit(self, X, y, **more):
        import warnings

        for _ in range(2):
            warn("PU116", "the same words.")
        warnings.warn("no code", UserWarning, stacklevel=1)
        return super().fit(X, y, **more)


def test_a_fit_keeps_the_features_that_the_classifier_saw(fit_of, patients):
    fit = fit_of("naive")
    assert fit.X_numeric.shape == (len(patients), len(fit.feature_names))
    np.testing.assert_array_equal(fit.pipeline[0].transform(fit.prepared.X), fit.X_numeric)
    assert fit.classifier is fit.pipeline[-1]
    assert fit.seconds.keys() == {"features", "fit"}


def test_a_second_classifier_takes_the_features_of_the_first_and_fits_alike(fit_of):
    first, alone = fit_of("naive"), fit_of("enhanced")
    second = fit_table(EnhancedLogistic(), first.prepared, first.labels, earlier=first)
    assert second.X_numeric is first.X_numeric
    assert [name for name, _ in second.pipeline.steps] == ["table", "classifier"]
    assert isinstance(first.classifier, NaiveLogistic)
    np.testing.assert_array_equal(
        second.pipeline.predict_proba(first.prepared.X),
        alone.pipeline.predict_proba(first.prepared.X),
    )


def test_each_warning_is_kept_once_with_its_code(patients, recwarn):
    prepared = prepare(patients, "diagnosis", id="patient")
    fit = fit_table(WarnsThreeTimes(), prepared, label_column(patients, "diagnosis"))
    assert ("PU116", "the same words.") in fit.warnings
    assert (None, "no code") in fit.warnings
    assert len(set(fit.warnings)) == len(fit.warnings)
    assert not [one for one in recwarn if isinstance(one.message, PUWarning)]
