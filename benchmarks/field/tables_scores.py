"""Tables of scores: means over the sets, every set, breast cancer."""

from __future__ import annotations

from dataclasses import astuple

import pandas as pd

from unlabeled.paper.outcome import Table
from unlabeled.paper.studies.plan import Key

from ..pages import frequency
from .cast import ROLES
from .compare import MEASURES, Estimate, datasets_in, estimate, mean_over_sets, scores
from .studies import CANCER, REAL
from .texts import mean_and_error

SE = "In brackets the standard error over splits and labels, the sets held fixed."
FAILED = " †k: k fits failed and are not in the mean."
_ESTIMATE = ["mean", "se", "repeats"]


def mean_table(records: pd.DataFrame, measure: str) -> Table:
    """Means over the sets, at every c: over all sets, and over those every method has done."""
    wide = scores(records, measure)
    sets = datasets_in(wide)
    lacking = [name for name in sets if wide.loc[name].isna().all().any()]
    groups = {f"All {len(sets)} sets": sets}
    if lacking and len(lacking) < len(sets):
        shared = [name for name in sets if name not in lacking]
        groups[f"The {len(shared)} sets without {', '.join(lacking)}"] = shared
    blocks, numbers = [], []
    for heading, chosen in groups.items():
        means = _means(wide, chosen)
        failed = count_failed(records, REAL, chosen)
        blocks.append((heading, _shown(means, failed)))
        numbers += [
            (len(chosen), ROLES[key].name, ROLES[key].side, frequency(c), *astuple(one))
            for key, of_method in means.items()
            for c, one in of_method.items()
        ]
    note = f"Means over data sets, each with equal weight. {SE} A method that was fitted on some "
    note += "of the sets only has no mean over all of them. Not fitted: fits that failed or "
    note += "were over a limit; they are not in the means."
    slug, title = f"means-{measure.replace('_', '-')}", f"{MEASURES[measure]}: means over the sets"
    frame = pd.DataFrame(numbers, columns=["sets", "method", "side", "c", *_ESTIMATE])
    return Table(slug, title, note, tuple(blocks), frame)


def _means(wide: pd.DataFrame, sets: list[str]) -> dict[Key, dict[float | None, Estimate]]:
    frequencies = [*sorted(set(wide.index.get_level_values("c"))), None]
    return {
        key: {c: mean_over_sets(wide, key, sets, c) for c in frequencies} for key in wide.columns
    }


def _shown(means: dict[Key, dict[float | None, Estimate]], failed: dict[Key, int]) -> pd.DataFrame:
    lines = [
        {
            "Method": ROLES[key].name,
            **{frequency(c): mean_and_error(one) for c, one in of_method.items()},
            "Repeats": str(max(one.repeats for one in of_method.values())),
            "Not fitted": str(failed.get(key, 0)),
        }
        for key, of_method in means.items()
    ]
    return pd.DataFrame(lines)


def set_table(records: pd.DataFrame, measure: str) -> Table:
    """Means of every method on every set, a block each c."""
    wide = scores(records, measure)
    numbers, blocks = [], []
    for c, own in wide.groupby(level="c"):
        lines = {key: {"Method": ROLES[key].name} for key in wide.columns}
        for dataset in datasets_in(own):
            failed = count_failed(records, REAL, [dataset], c)
            for key, line in lines.items():
                one, lost = estimate(own.loc[dataset, key]), failed.get(key, 0)
                line[dataset] = mean_and_error(one, lost)
                numbers.append((dataset, c, ROLES[key].name, *astuple(one), lost))
        blocks.append((f"c = {frequency(c)}", pd.DataFrame(list(lines.values()))))
    frame = pd.DataFrame(numbers, columns=["dataset", "c", "method", *_ESTIMATE, "failed"])
    slug, title = f"sets-{measure.replace('_', '-')}", f"{MEASURES[measure]}: every set"
    return Table(slug, title, f"Means over the repeats. {SE}{FAILED}", tuple(blocks), frame)


def cancer_table(records: pd.DataFrame) -> Table:
    """Scikit-learn's breast cancer data, both ways round."""
    lines: dict[Key, dict[str, str]] = {}
    numbers = []
    for dataset, way in {"breast_cancer_benign": "Benign", "breast_cancer": "Malignant"}.items():
        failed = count_failed(records, CANCER, [dataset])
        for measure, name in MEASURES.items():
            wide = scores(records, measure, CANCER)
            for key in wide.columns:
                one, lost = estimate(wide.loc[dataset, key]), failed.get(key, 0)
                line = lines.setdefault(key, {"Method": ROLES[key].name})
                line[f"{way}: {name}"] = mean_and_error(one, lost)
                numbers.append((dataset, measure, ROLES[key].name, *astuple(one), lost))
    columns = ["dataset", "measure", "method", *_ESTIMATE, "failed"]
    note = f"Which class is positive stands before the measure. {SE}{FAILED}"
    shown, frame = pd.DataFrame(list(lines.values())), pd.DataFrame(numbers, columns=columns)
    return Table("breast-cancer", "Breast cancer, both ways round", note, (("", shown),), frame)


def count_failed(
    records: pd.DataFrame, study: str, datasets: list[str], c: float | None = None
) -> dict[Key, int]:
    """Count the failed fits of each method on some sets, at one c or at all."""
    own = records[(records["study"] == study) & (records["error"] != "")]
    own = own[own["dataset"].isin(datasets) & ((own["c"] - (c or 0)).abs().lt(1e-9) | (c is None))]
    counts: dict[Key, int] = own.groupby(["method", "setting"]).size().to_dict()
    return counts
