"""A fit in which Ctrl-C is pressed, and what must hold of the model it leaves."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from unlabeled.codes import PUWarning


def interrupted(model, data, verbose=1):
    """Fit; return the model and the warning about Ctrl-C."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(model).set_params(verbose=verbose).fit(data.X, data.s)
    codes = [each.message.code for each in caught if isinstance(each.message, PUWarning)]
    assert codes.count("PU117") == 1
    assert not {"PU103", "PU105"} & set(codes)
    return model, next(each for each in caught if "PU117" in str(each.message))


def is_usable(model, data):
    assert not model.converged_
    positive = model.predict(data.X)
    proba = model.predict_proba(data.X)
    assert np.isin(positive, model.classes_).all()
    assert np.isfinite(proba).all()
    assert 0 < model.class_prior_ <= 1
