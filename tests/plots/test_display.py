"""The contract of every display. A new display is added to `FROM_MODEL` or to `ALL`."""

import json
from functools import cache
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from pandas.api.types import is_numeric_dtype
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import unlabeled.plots
from unlabeled import JointLogistic, PULogistic
from unlabeled.audit import draw_audit
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import labeling_sensitivity
from unlabeled.inspection import LabelImportance
from unlabeled.plots import (
    AuditDisplay,
    CoefficientDisplay,
    CutCurveDisplay,
    ImportanceDisplay,
    LabelFrequencyDisplay,
    LabelingSensitivityDisplay,
    RecallShareDisplay,
    ReliabilityDisplay,
    ScarTestDisplay,
    ScoreDistributionDisplay,
)

FROM_MODEL = {
    "cut curve": CutCurveDisplay.from_estimator,
    "score distribution": ScoreDistributionDisplay.from_estimator,
    "posterior distribution": lambda *rows, **options: ScoreDistributionDisplay.from_estimator(
        *rows, response_method="predict_proba", **options
    ),
    "label frequency": LabelFrequencyDisplay.from_estimator,
    "coefficients": CoefficientDisplay.from_estimator,
    "reliability": ReliabilityDisplay.from_estimator,
    "recall and share": lambda model, X, y, **options: RecallShareDisplay.from_estimators(
        {"one": model}, X, y, **options
    ),
}
TEST = SimpleNamespace(statistic=5.0, null_statistics=np.linspace(0, 9, 100), p_value=0.4)

IMPORTANCE = LabelImportance(
    ("age", "dose"), np.arange(12.0).reshape(2, 3, 2) / 10, np.full(3, 0.8), 0.5
)


@cache
def answered():
    score, y = np.arange(80.0), np.arange(80) // 8 % 2
    audit = draw_audit(score, None, size=20, threshold=30.0, random_state=0)
    return audit.estimate(y[audit.rows])


@cache
def sensitivities():
    data = make_paper_gaussian(n=500, label_frequency=0.6, random_state=0)
    model = PULogistic().fit(data.X, data.s)
    return [labeling_sensitivity(model, data.X, data.s, feature) for feature in (0, 1)]


ALL = {
    **FROM_MODEL,
    "test": lambda *rows, **options: ScarTestDisplay.from_test(TEST, **options),
    "audit": lambda *rows, **options: AuditDisplay.from_result(answered(), **options),
    "importance": lambda *rows, **options: ImportanceDisplay.from_importance(IMPORTANCE, **options),
    "sensitivity": lambda *rows, **options: LabelingSensitivityDisplay.from_sensitivity(
        sensitivities(), **options
    ),
}

every_display = pytest.mark.parametrize("make", ALL.values(), ids=ALL)
every_display_of_a_model = pytest.mark.parametrize("make", FROM_MODEL.values(), ids=FROM_MODEL)


@pytest.fixture(scope="module")
def fitted(golden):
    data = golden(label_frequency=0.6)
    return JointLogistic().fit(data.X, data.s), data.X, data.s


def test_every_public_display_is_here(fitted):
    made = {type(make(*fitted)).__name__ for make in ALL.values()}
    assert made == set(unlabeled.plots.__all__)


@every_display
def test_the_numbers_can_be_had_without_a_picture(make, fitted):
    display = make(*fitted, plot=False)
    assert plt.get_fignums() == []
    assert not hasattr(display, "ax_")


@every_display
def test_columns_of_the_frame_are_of_one_length_and_finite(make, fitted):
    frame = make(*fitted).to_frame()
    assert len(frame) > 1
    for name, column in frame.items():
        if name != "threshold" and is_numeric_dtype(column):
            assert np.all(np.isfinite(column))


@every_display
def test_its_dict_has_the_same_numbers_and_json_takes_it(make, fitted):
    display = make(*fitted, plot=False)
    again = pd.DataFrame(json.loads(json.dumps(display.to_dict(), allow_nan=False)))
    frame = display.to_frame().replace([np.inf], np.nan)
    pd.testing.assert_frame_equal(again, frame, check_dtype=False)


@every_display
def test_it_is_drawn_at_once_into_one_new_figure(make, fitted):
    display = make(*fitted)
    assert display.ax_.figure is display.figure_
    assert display.ax_.has_data()
    assert plt.get_fignums() == [display.figure_.number]


@every_display
def test_plot_draws_it_once_more_and_returns_it(make, fitted):
    display = make(*fitted)
    before = display.ax_
    assert display.plot() is display
    assert display.ax_ is not before


@every_display
def test_plot_must_be_true_or_false(make, fitted):
    with pytest.raises(ValueError, match="`plot` must be .*got 'no'"):
        make(*fitted, plot="no")


@every_display
def test_it_draws_into_given_axes_and_opens_no_figure(make, fitted):
    figure, ax = plt.subplots()
    display = make(*fitted, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.has_data()
    assert plt.get_fignums() == [figure.number]


@every_display
def test_it_says_what_is_drawn(make, fitted):
    ax = make(*fitted).ax_
    words = [ax.get_xlabel(), *(text.get_text() for text in ax.get_legend().get_texts())]
    assert all(words)
    assert all(word[0].isupper() or word[0].isdigit() for word in words if word != "one")


@every_display
def test_drawing_leaves_the_numbers_alone(make, fitted):
    display = make(*fitted, plot=False)
    before = display.to_frame()
    display.plot()
    for name, column in display.to_frame().items():
        np.testing.assert_array_equal(column, before[name])


small = pytest.param(
    (4.5, 3.8),
    id="small",
    marks=pytest.mark.skipif(
        matplotlib.__version_info__ < (3, 11), reason="matplotlib before 3.11 sets wider letters"
    ),
)


@pytest.mark.parametrize("size", [pytest.param(None, id="own figure"), small])
@every_display
def test_words_overlap_neither_words_nor_data(make, fitted, size):
    ax = None if size is None else plt.subplots(figsize=size, layout="constrained")[1]
    ax = make(*fitted, ax=ax).ax_
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    texts = [*legend.get_texts(), *ax.texts, *ax.get_yticklabels(), *ax.get_xticklabels()]
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    shown = [box for box in boxes if ax.figure.bbox.containsx(box.x0) and box.y1 < ax.bbox.y1 + 20]
    for k, one in enumerate(shown):
        assert not [box for box in shown[k + 1 :] if one.padded(-0.5).overlaps(box)]
    under = legend.get_window_extent().padded(-1)
    for line in ax.get_lines():
        points = line.get_transform().transform(line.get_xydata())
        assert not [point for point in points if under.contains(*point)]


@every_display_of_a_model
def test_text_labels_give_the_same_numbers_whichever_sorts_first(make, fitted):
    _, X, s = fitted
    known = make(*fitted).to_frame()
    for labeled, other in (("yes", "no"), ("labeled", "unlabeled")):
        y = np.where(s == 1, labeled, other)
        frame = make(JointLogistic(pos_label=labeled).fit(X, y), X, y).to_frame()
        pd.testing.assert_frame_equal(frame, known, rtol=1e-6, atol=1e-6)


@every_display_of_a_model
def test_a_pipeline_and_a_table_with_names_are_taken(make, fitted):
    _, X, s = fitted
    table = pd.DataFrame(X, columns=["age", "dose", "weight"])
    pipeline = make_pipeline(StandardScaler(), JointLogistic()).fit(table, s)
    assert make(pipeline, table, pd.Series(s)).figure_ is not None


@pytest.mark.parametrize("name", ["cut curve", "label frequency", "reliability"])
def test_its_line_takes_a_look_from_the_user_by_any_name(name, fitted):
    display = FROM_MODEL[name](*fitted, color="red", lw=5, label="Mine")
    assert display.line_ in display.ax_.get_lines()
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 5)
    assert "Mine" in [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert display.plot(linewidth=4).line_.get_linewidth() == 4


@pytest.mark.parametrize("name", ["cut curve", "label frequency", "reliability"])
def test_an_argument_that_it_does_not_have_is_rejected_without_a_picture(name, fitted):
    with pytest.raises(TypeError, match="got 'nbins' with plot=False"):
        FROM_MODEL[name](*fitted, plot=False, nbins=5)


@pytest.mark.parametrize("unfitted", [JointLogistic(), make_pipeline(JointLogistic())])
@every_display_of_a_model
def test_a_model_that_is_not_fitted_is_rejected(make, fitted, unfitted):
    with pytest.raises(NotFittedError):
        make(unfitted, *fitted[1:])


@pytest.mark.parametrize("name", ["cut curve", "score distribution", "recall and share"])
def test_a_plain_classifier_takes_the_pos_label_given(name, fitted):
    _, X, s = fitted
    y = np.where(s == 1, "labeled", "unlabeled")
    display = FROM_MODEL[name](LogisticRegression().fit(X, y), X, y, pos_label="labeled")
    known = FROM_MODEL[name](LogisticRegression().fit(X, s), X, s)
    numbers, aim = (one.to_frame().select_dtypes("number") for one in (display, known))
    np.testing.assert_allclose(numbers, aim, atol=1e-6)


@pytest.mark.parametrize("name", ["cut curve", "score distribution", "recall and share"])
def test_another_pos_label_than_the_model_s_is_rejected(name, fitted):
    with pytest.raises(ValueError, match="`pos_label` must be .* 1; got 0"):
        FROM_MODEL[name](*fitted, pos_label=0)


def test_labels_a_plain_classifier_never_saw_are_rejected(fitted):
    _, X, s = fitted
    model = LogisticRegression().fit(X, s)
    with pytest.raises(ValueError, match="`y` must hold .*0, 1; got 5, 6"):
        CutCurveDisplay.from_estimator(model, X, s + 5)
