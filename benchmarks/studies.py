"""Every study, by the name of its page's folder."""

from __future__ import annotations

from . import (
    copies,
    groups,
    label_frequency_study,
    part_of_rows,
    repeated_rows,
    verdict_study,
    weights,
)
from .audit import coverage as audit_coverage
from .audit import cut, few_yes, refit, relabeled, scar
from .audit.page import write_page as write_audit
from .calibration.page import write_page as write_calibration
from .calibration.summary import RECORDS as CALIBRATION
from .checks import few_labeled, followed, inverted, wrong_labels
from .checks import measure as checks
from .checks.page import write_page as write_checks
from .count import nine_sets as count_sets
from .count import populations as count_populations
from .count.page import write_page as write_count
from .coverage.page import write_page as write_coverage
from .coverage.studies import RECORDS as COVERAGE
from .eleven_tables import doubtful as report_doubtful
from .eleven_tables import nine_sets as report_sets
from .eleven_tables import study as report_tables
from .eleven_tables.page import write_page as write_eleven_tables
from .ensemble import choices, cost, published
from .ensemble import nine_sets as ensemble_sets
from .ensemble.page import write_page as write_ensemble
from .field import ecai
from .histories import study as histories
from .histories.page import write_page as write_histories
from .knowledge import answers as known_answers
from .knowledge import cost as known_cost
from .knowledge.page import write_page as write_knowledge
from .measures import study as measures
from .measures.page import write_page as write_measures
from .not_at_random import checked, splits
from .not_at_random.page import write_page as write_not_at_random
from .study import Study
from .two_samples import populations as two_populations
from .two_samples.page import write_page as write_two_samples

_ALL = (
    Study(
        "audit",
        "what a hundred checked rows are worth",
        "hours",
        (
            audit_coverage.RECORDS,
            cut.RECORDS,
            few_yes.RECORDS,
            refit.RECORDS,
            scar.RECORDS,
            relabeled.RECORDS,
        ),
        write_audit,
    ),
    Study(
        "calibration",
        "predict_proba beside the true classes",
        "five minutes",
        (CALIBRATION,),
        write_calibration,
    ),
    Study(
        "check_rates",
        "how often each check fires on labels at random",
        "two hours",
        (
            checks.RECORDS,
            inverted.RECORDS,
            few_labeled.RECORDS,
            wrong_labels.RECORDS,
            followed.RECORDS,
        ),
        write_checks,
    ),
    Study(
        "check_trial",
        "the same on breast cancer, which needs no data",
        "seconds",
        (checks.TRIAL,),
        write_checks,
    ),
    Study(
        "choose",
        "how often the verdict of a comparison is right",
        "half an hour",
        (verdict_study.RECORDS,),
    ),
    Study(
        "copies",
        "tables with copied rows: intervals, and how often the code warns",
        "hours",
        (copies.RECORDS, copies.CODE_ALONE),
        copies.write_page,
    ),
    Study(
        "count",
        "how often the interval of the number of positives holds",
        "hours",
        (count_populations.RECORDS, count_sets.SMALL, count_sets.FULL),
        write_count,
    ),
    Study(
        "coverage",
        "how often intervals hold and tests reject",
        "hours",
        COVERAGE,
        write_coverage,
    ),
    Study(
        "eleven_tables",
        "what the report claims, beside the truth",
        "an hour",
        (report_tables.RECORDS, report_sets.RECORDS, report_doubtful.RECORDS),
        write_eleven_tables,
    ),
    Study(
        "ensemble",
        "PUEnsemble beside PULogistic, its choices and its cost",
        "hours",
        (ensemble_sets.RECORDS, published.RECORDS, choices.RECORDS, cost.RECORDS),
        write_ensemble,
    ),
    Study(
        "field",
        "the ECAI 2023 protocol; `make field` has the page and other packages",
        "hours",
        (ecai.RECORDS,),
    ),
    Study(
        "groups",
        "tables with ten rows per person, with and without groups",
        "an hour",
        (groups.RECORDS, repeated_rows.QUESTIONS, repeated_rows.PERSONS),
        groups.write_page,
    ),
    Study(
        "histories",
        "counts from how labels came about: dates, sources, known chances",
        "three hours",
        (histories.RECORDS, histories.SETS),
        write_histories,
    ),
    Study(
        "knowledge",
        "what answers about checked rows add to any score",
        "a day",
        (
            known_answers.RECORDS,
            known_answers.HARD,
            known_answers.CALIBRATION,
            known_cost.RECORDS,
        ),
        write_knowledge,
    ),
    Study(
        "label_frequency",
        "errors of the estimators of the label frequency",
        "half an hour",
        (label_frequency_study.RECORDS,),
        label_frequency_study.write_page,
    ),
    Study(
        "measures",
        "bias of every metric, and how often its interval holds",
        "half an hour",
        (measures.RECORDS,),
        write_measures,
    ),
    Study(
        "not_at_random",
        "labels that follow features, with names and checked rows",
        "an hour",
        (splits.RECORDS, checked.RECORDS),
        write_not_at_random,
    ),
    Study(
        "part_of_rows",
        "what PULogistic loses by choosing on a part of the rows",
        "an hour",
        (part_of_rows.RECORDS,),
        part_of_rows.write_page,
    ),
    Study(
        "two_samples",
        "cases from one place and a population from another",
        "an hour",
        (two_populations.RECORDS,),
        write_two_samples,
    ),
    Study(
        "weights",
        "rows of a survey: intervals of count and coefficients with weights",
        "an hour",
        (weights.RECORDS,),
        weights.write_page,
    ),
)
STUDIES = {study.name: study for study in _ALL}
