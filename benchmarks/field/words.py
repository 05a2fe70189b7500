"""The sentences of the page that hold numbers, made from the records."""

from __future__ import annotations

import math

import pandas as pd

from .cast import PEERS, ROLES
from .compare import (
    MEASURES,
    below_enhanced,
    datasets_in,
    losses,
    mean_and_error,
    mean_over_sets,
    ours,
    rivals,
    scores,
)

DEFAULT_RULE = "f1"
"""The rule of `PULogistic()`."""


def headlines(records: pd.DataFrame) -> list[str]:
    """Return one text per measure: the means of PULogistic, the best peer and the oracle."""
    sentences = []
    for measure, name in MEASURES.items():
        wide = scores(records, measure)
        sets = datasets_in(wide)
        means = {key: mean_over_sets(wide, key, sets, None) for key in wide.columns}
        known = {key: one for key, one in means.items() if math.isfinite(one.value)}
        mine = known.get(ours(measure))
        if mine is None:
            sentences.append(f"{name}: PULogistic lacks scores on some set in these records.")
            continue
        peers = [key for key in rivals(wide, PEERS) if key in known]
        best = max(peers, key=lambda key: known[key].value, default=None)
        words = f"{name}: PULogistic with the rule for it has {mean_and_error(mine)}"
        as_it_is = known.get(ours(DEFAULT_RULE))
        if measure != DEFAULT_RULE and as_it_is is not None:
            words += f", and with its default rule, that for F1, {mean_and_error(as_it_is)}"
        words += "."
        if best is not None:
            words += f" The best peer that is not handed the prior, {ROLES[best].name}, has "
            words += mean_and_error(known[best])
            same = mean_over_sets(wide[wide[best].notna()], ours(measure), sets, None)
            if same.repeats < mine.repeats:
                words += f" in {same.repeats} repeats, where PULogistic has {mean_and_error(same)}"
            words += "."
        ensemble = ours(measure, "pu_ensemble")
        if ensemble in known:
            same = mean_over_sets(wide[wide[ensemble].notna()], ours(measure), sets, None)
            words += f" PUEnsemble has {mean_and_error(known[ensemble])} in {same.repeats} "
            words += f"repeats, where PULogistic has {mean_and_error(same)}."
        if ("oracle", "-") in known:
            words += f" The oracle has {mean_and_error(known['oracle', '-'])}."
        sentences.append(words)
    return sentences


def without_mean(records: pd.DataFrame) -> list[str]:
    """Name the peers that are not handed the prior and lack scores on some set."""
    wide = scores(records, "f1")
    sets = datasets_in(wide)
    return [
        ROLES[key].name
        for key in rivals(wide, PEERS)
        if not math.isfinite(mean_over_sets(wide, key, sets, None).value)
    ]


def counts(records: pd.DataFrame) -> dict[str, int]:
    """Count the cells, those lost, to a peer too or most, and those below Enhanced."""
    cells = sum(
        len(scores(records, measure).groupby(level=["dataset", "c"])) for measure in MEASURES
    )
    lost = losses(records)
    return {
        "cells": cells,
        "lost": len(lost),
        "by_peer": int(lost["peer"].sum()),
        "most_by_peer": int(lost["side"].isin(PEERS).sum()),
        "below_enhanced": len(below_enhanced(records)),
    }


def has_ours(records: pd.DataFrame) -> bool:
    """Whether PULogistic has scores at all."""
    done = records["method"].str.startswith("pu_logistic") & (records["error"] == "")
    return bool(done.any())
