"""Metrics of scores in chunks: counted in bins, and nearly those of scores in memory."""

import dask
import dask.array as da
import dask.dataframe as dd
import dask.local
import numpy as np
import pandas as pd
import pytest

from unlabeled.inference import metric_interval
from unlabeled.metrics import (
    boyce_index_score,
    corrected_auc_score,
    corrected_average_precision_score,
    corrected_precision_at_k_score,
    label_auc_score,
)

N = 20_000
UNEVEN = (7000, 0, 9000, 1, 3999)
METRICS = [
    (label_auc_score, {}),
    (corrected_auc_score, {"class_prior": 0.3}),
    (corrected_average_precision_score, {"class_prior": 0.3}),
    (corrected_precision_at_k_score, {"class_prior": 0.3, "k": 0.05}),
    (corrected_precision_at_k_score, {"class_prior": 0.3, "k": 500}),
    (boyce_index_score, {}),
    (boyce_index_score, {"windows": "score"}),
]
pytestmark = pytest.mark.filterwarnings("ignore:.PU112")


def columns(rounded=False, seed=0):
    rng = np.random.default_rng(seed)
    y_true = rng.random(N) < 0.3
    score = rng.normal(size=N) + 1.5 * y_true
    s = (y_true & (rng.random(N) < 0.5)).astype(int)
    return s, np.round(score, 1) if rounded else score, rng.integers(0, 3, N).astype(float)


def in_chunks(*given, lengths=UNEVEN):
    return tuple(da.from_array(one, chunks=(lengths,)) for one in given)


def of(metric, options, y, score, weight=None):
    with dask.config.set(scheduler="sync"):
        return metric(y, score, sample_weight=weight, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sampling", ["one-sample", "two-sample"])
@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_bins_change_little(metric, options, sampling, weighted):
    s, score, weight = columns()
    given = (s, score, weight) if weighted else (s, score)
    if metric is not label_auc_score:
        options = options | {"sampling": sampling}
    wanted = of(metric, options, *given)
    # At the k-th row, and in narrow windows, it matters on which side single rows are.
    counts_rows = metric in (boyce_index_score, corrected_precision_at_k_score)
    tolerance = 0.01 if counts_rows else 2e-4
    assert of(metric, options, *in_chunks(*given)) == pytest.approx(wanted, rel=tolerance)


@pytest.mark.parametrize(("metric", "options"), METRICS[:-1])
def test_a_score_of_few_values_gives_the_exact_number(metric, options):
    s, score, weight = columns(rounded=True)
    found = of(metric, options, *in_chunks(s, score, weight))
    assert found == pytest.approx(of(metric, options, s, score, weight), rel=1e-9)


def test_the_area_is_exact_to_the_square_of_a_bin():
    s, score, _ = columns()
    wanted = label_auc_score(s, score)
    assert of(label_auc_score, {}, *in_chunks(s, score)) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(("metric", "options"), METRICS)
def test_numbers_do_not_depend_on_the_chunks(metric, options):
    given = columns()
    wanted = of(metric, options, *in_chunks(*given, lengths=(N,)))
    assert of(metric, options, *in_chunks(*given)) == pytest.approx(wanted, rel=1e-9)


def test_columns_of_frames_and_labels_in_memory():
    s, score, weight = columns()
    frame = dd.from_pandas(pd.DataFrame({"s": s, "score": score, "w": weight}), npartitions=4)
    wanted = of(label_auc_score, {}, *in_chunks(s, score, weight))
    found = of(label_auc_score, {}, frame["s"], frame["score"], frame["w"])
    assert found == pytest.approx(wanted, rel=1e-12)
    chunks = in_chunks(score)[0]
    assert of(label_auc_score, {}, s, chunks, weight) == pytest.approx(wanted, rel=1e-12)


def test_only_counts_come_back():
    sizes = []

    def scheduler(graph, keys, **options):
        answer = dask.local.get_sync(graph, keys, **options)
        sizes.append(sum(getattr(one, "nbytes", 8) for one in np.ravel(np.array(answer, object))))
        return answer

    s, score, _ = columns()
    with dask.config.set(scheduler=scheduler):
        label_auc_score(*in_chunks(s, score))
    assert len(sizes) == 3  # the label values, the range and the bins


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda s, t, w: (s, np.where(t > 2, np.nan, t), w), "`score` must hold finite numbers"),
        (lambda s, t, w: (s, t, w - 1), "`sample_weight` must hold finite numbers of at least 0"),
        (lambda s, t, w: (s, t, w * (s == 1)), "`sample_weight` must be positive for some row"),
        (lambda s, t, w: (s + (t > 2), t, w), "`y` must"),
        (lambda s, t, w: (0 * s, t, w), "two values|both|labeled"),
    ],
)
def test_bad_columns_are_named(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        of(label_auc_score, {}, *in_chunks(*change(*columns())))


@pytest.mark.parametrize("name", ["label_auc", "f1_pu"])
def test_intervals_need_rows_in_memory(name):
    s, score, _ = columns()
    with pytest.raises(TypeError, match="in memory for metric_interval"):
        metric_interval(name, *in_chunks(s, (score > 1).astype(int)))
