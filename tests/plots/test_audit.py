"""The picture of an audit: the curve of the result, the judged cut, and what labels claimed."""

import numpy as np
import pytest

from unlabeled import PULogistic
from unlabeled.audit import draw_audit
from unlabeled.plots import AuditDisplay


@pytest.fixture(scope="module")
def audited(golden):
    """Return scores that are judged above 0, classes, and a result in which every row is seen."""
    data = golden(label_frequency=0.6)
    score, y = np.round(-data.X[:300, 0], 1), data.y_true[:300]
    audit = draw_audit(score, None, size=300, threshold=0.0, random_state=0)
    return score, y, audit.estimate(y[audit.rows])


@pytest.fixture(scope="module")
def result(golden):
    data = golden(label_frequency=0.6)
    model = PULogistic().fit(data.X, data.s)
    audit = draw_audit(model, data.X, data.s, random_state=0)
    return model, data, audit.estimate(data.y_true[audit.rows])


@pytest.mark.parametrize("measure", ["precision", "recall"])
def test_with_every_row_checked_the_curve_is_the_truth(audited, measure):
    score, y, every = audited
    numbers = AuditDisplay.from_result(every, measure, plot=False).to_frame()
    above = score[:, None] > numbers["threshold"].to_numpy()
    found = (above & (y[:, None] == 1)).sum(axis=0)
    truth = found / (above.sum(axis=0) if measure == "precision" else y.sum())
    assert np.all(above.any(axis=0))
    np.testing.assert_allclose(numbers["share"], above.mean(axis=0), rtol=1e-12)
    for name in ("estimate", "lower", "upper"):
        np.testing.assert_allclose(numbers[name], truth, atol=1e-9)


def test_the_judged_cut_has_the_headline_and_its_claim(result):
    model, data, found = result
    display = AuditDisplay.from_result(found, "precision")
    assert display.judged == found.precision
    assert display.judged_share == pytest.approx(model.predict(data.X).mean())
    assert display.claimed == found.claimed["precision"]
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert f"Claimed by labels alone: {display.claimed:.2f}" in words
    assert any(f"{found.precision.lower:.2f} to {found.precision.upper:.2f}" in w for w in words)


def test_the_curve_passes_through_the_judged_cut(result):
    _, _, found = result
    display = AuditDisplay.from_result(found, "recall", plot=False)
    numbers = display.to_frame()
    at = np.interp(display.judged_share, numbers["share"], numbers["estimate"])
    assert at == pytest.approx(found.recall.estimate, abs=0.03)


def test_no_share_of_positives_is_above_one(result):
    numbers = AuditDisplay.from_result(result[2], "precision", plot=False).to_frame()
    assert numbers["lower"].min() >= 0
    assert numbers["upper"].max() <= 1 + 1e-12
    assert np.all(numbers["lower"] <= numbers["estimate"])
    assert np.all(numbers["estimate"] <= numbers["upper"])


def test_the_line_is_the_frame(audited):
    display = AuditDisplay.from_result(audited[2])
    np.testing.assert_array_equal(display.line_.get_xdata(), display.to_frame()["share"])
    np.testing.assert_array_equal(display.line_.get_ydata(), display.to_frame()["estimate"])


def test_scores_without_a_cut_have_a_curve_and_no_mark(golden):
    data = golden(label_frequency=0.6)
    audit = draw_audit(data.X[:200, 0], None, size=40, random_state=0)
    display = AuditDisplay.from_result(audit.estimate(data.y_true[audit.rows]), "recall")
    assert display.judged is None
    assert len(display.ax_.get_legend().get_texts()) == 2


def test_a_measure_may_be_a_function(audited):
    def lift(recall, share, class_prior):
        return recall / share

    display = AuditDisplay.from_result(audited[2], lift)
    assert display.ax_.get_ylabel() == "Lift"
    assert display.ax_.get_ylim()[1] > display.to_frame()["upper"].max() > 1
    assert display.claimed is None


def test_numbers_of_the_table_have_no_curve(audited):
    with pytest.raises(ValueError, match=r"`measure` must depend on the cut.*`result\.count`"):
        AuditDisplay.from_result(audited[2], "count")


def test_other_objects_than_results_are_rejected():
    with pytest.raises(ValueError, match="`result` must be .*got dict"):
        AuditDisplay.from_result({})
