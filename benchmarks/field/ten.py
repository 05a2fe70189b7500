"""What can be learned from ten labeled rows, set by set."""

from __future__ import annotations

import pandas as pd

from reproduction.outcome import number, with_error

from .cast import ROLES
from .compare import ENHANCED, Estimate, estimate, ours
from .studies import TEN, TEN_METHODS

CHANCE = 0.5


def ten_summary(records: pd.DataFrame) -> pd.DataFrame:
    """Mean scores, share predicted positive, one-sided draws and warnings, by set and method."""
    own = records[records["study"] == TEN]
    rows = []
    for dataset, of_set in own.groupby("dataset"):
        for key in TEN_METHODS:
            fits = of_set[(of_set["method"] == key[0]) & (of_set["setting"] == key[1])]
            if len(fits):
                rows.append({"dataset": dataset, "method": ROLES[key].name, **_facts(fits)})
    return pd.DataFrame(rows)


def _facts(fits: pd.DataFrame) -> dict[str, object]:
    done = fits[fits["error"] == ""]
    facts: dict[str, object] = {}
    for measure in ("balanced_accuracy", "f1", "predicted_share"):
        one = estimate(done[measure])
        facts |= {measure: one.value, f"{measure}_se": one.se}
    facts["one_sided"] = int(done["predicted_share"].isin([0.0, 1.0]).sum())
    facts["warnings"] = _codes(done["warning_codes"])
    return facts | {"fits": len(fits), "failed": len(fits) - len(done)}


def _codes(column: pd.Series) -> str:
    codes = [code for text in column for code in text.split(",") if code]
    counts = pd.Series(codes, dtype=object).value_counts().sort_index()
    return ", ".join(f"{code} ({count})" for code, count in counts.items())


def ten_verdicts(records: pd.DataFrame) -> dict[str, str]:
    """Return, per set, whether PULogistic's balanced accuracy beats chance and Enhanced's."""
    own = records[(records["study"] == TEN) & (records["error"] == "")]
    wide = own.pivot(
        index=["dataset", "repeat"], columns=["method", "setting"], values="balanced_accuracy"
    )
    verdicts = {}
    for dataset in sorted(set(records.loc[records["study"] == TEN, "dataset"])):
        mine = _column(wide, dataset, ours("balanced_accuracy"))
        against = estimate(mine - _column(wide, dataset, ENHANCED))
        verdicts[dataset] = _verdict(estimate(mine - CHANCE), against)
    return verdicts


def _column(wide: pd.DataFrame, dataset: str, key: tuple[str, str]) -> pd.Series:
    known = key in wide and dataset in wide.index
    return wide.loc[dataset, key] if known else pd.Series(dtype=float)


def _verdict(over_chance: Estimate, over_enhanced: Estimate) -> str:
    if over_chance.repeats == 0:
        return "no scores"
    words = "above chance" if over_chance.is_above else "not above chance"
    if over_enhanced.is_above:
        return f"{words}; better than Enhanced"
    lead = Estimate(-over_enhanced.value, over_enhanced.se, over_enhanced.repeats)
    return f"{words}; {'worse than' if lead.is_above else 'no clear difference from'} Enhanced"


def ten_short(records: pd.DataFrame) -> pd.DataFrame:
    """Return balanced accuracy by set, each classifier with the rule for it, and the verdict."""
    summary, verdicts = ten_summary(records), ten_verdicts(records)
    keys = [ENHANCED, ours("balanced_accuracy"), ours("balanced_accuracy", "pu_ensemble")]
    names = [ROLES[key].name for key in keys]
    rows = []
    for dataset, own in summary.groupby("dataset"):
        of_method = own.set_index("method")
        row = {"Set": dataset}
        for name in names:
            if name in of_method.index:
                one = of_method.loc[name]
                row[name] = with_error(one["balanced_accuracy"], one["balanced_accuracy_se"])
        rows.append({**row, "PULogistic": verdicts[str(dataset)]})
    return pd.DataFrame(rows).fillna("")


def ten_shown(summary: pd.DataFrame, verdicts: dict[str, str]) -> pd.DataFrame:
    """Return the summary as text, with the verdict on PULogistic's line for balanced accuracy."""
    judged = ROLES[ours("balanced_accuracy")].name
    rows = []
    for row in summary.itertuples():
        shown = {
            "Set": row.dataset,
            "Method": row.method,
            "Balanced accuracy": with_error(row.balanced_accuracy, row.balanced_accuracy_se),
            "F1": with_error(row.f1, row.f1_se),
            "Predicted positive": number(row.predicted_share, 2),
            "All or none": str(row.one_sided),
            "Warnings": row.warnings + (f" †{row.failed}" if row.failed else ""),
            "Verdict": verdicts.get(row.dataset, "") if row.method == judged else "",
        }
        rows.append(shown)
    return pd.DataFrame(rows)
