"""The result of a comparison: numbers, standard errors, a record, sentences and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.parameters import check_choice
from ..engine.result_table import ResultTable, TextTable, plain
from ..metrics import METRICS
from ._judge import FITTED, HELD_OUT, RowCounts
from ._verdict import ERRORS_APART, WORTH_HAVING, Difference, Verdict, verdict_of

_ASSUMPTION = (
    "F1_PU ranks methods only if labeled rows are a random sample of the positives (SCAR)."
)

_TITLES = {name: METRICS[name].shown if name in METRICS else name for name in HELD_OUT} | {
    "label_auc": "AUC",
    "label_frequency": "c",
    "class_prior": "prior",
    "seconds": "seconds",
}
_LEGEND = (
    "share = share of rows predicted positive; gain = recall - share; AUC = how often a labeled "
    "row scores above an unlabeled one; c = label frequency; F1_PU can be above 1"
)
_AGREEMENT = "Agreement of predictions (lower left), rank correlation of scores (upper right)"
_MOST_OF_A_FAILURE = 300


@dataclass(frozen=True, eq=False)
class Comparison(ResultTable):
    """Methods side by side; prints as a table, and a notebook shows it as HTML.

    `compare_methods` makes it, and explains the numbers and their standard errors.

    `to_frame` has one row per method: each measure with its standard error, the difference to
    the best method, and how many splits failed or warned.

    Attributes
    ----------
    names : tuple of str
        The methods.
    measures : tuple of str
        What is measured: "f1_pu", "recall", "share", "gain" (recall minus share), "label_auc" (how
        often a labeled row scores above an unlabeled one), "precision" and "f1" if a class prior
        was given, then "label_frequency", "class_prior" and "seconds".
    values : dict of str to ndarray of shape (n_methods, n_repeats)
        Each measure on every split; NaN if the method failed or does not have the measure.
    codes : dict of str to dict of str to int
        For each method, the number of splits on which it issued each warning.
    failures : dict of str to list of str
        For each method its errors, one per failed split.
    decide_alike : ndarray of shape (n_repeats, n_methods, n_methods)
        Fraction of test rows on which two methods predict the same.
    rank_correlation : ndarray of shape (n_repeats, n_methods, n_methods)
        Spearman's correlation of their scores; NaN if a method has no score.
    rows : RowCounts
        Numbers of rows: all, used, labeled, fitted to and held out.
    test_size : float
        Fraction of the rows that each split holds out.
    known_class_prior : float or None
        The class prior given to `compare_methods`.
    given_class_prior : tuple of bool
        Whether each method was given a class prior as a number.
    prepare_seconds : ndarray of shape (n_repeats,)
        Time that `prepare` took.
    prepare_codes : dict of str to int
        Number of splits on which `prepare` issued each warning.
    order : tuple of str
        Methods from simple to complex, for the `verdict`; empty if `compare_methods` got none.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: dict[str, np.ndarray]
    codes: dict[str, dict[str, int]]
    failures: dict[str, list[str]]
    decide_alike: np.ndarray
    rank_correlation: np.ndarray
    rows: RowCounts
    test_size: float
    known_class_prior: float | None
    given_class_prior: tuple[bool, ...]
    prepare_seconds: np.ndarray
    prepare_codes: dict[str, int]
    order: tuple[str, ...] = ()

    @property
    def n_repeats(self) -> int:
        """Number of splits."""
        return len(self.prepare_seconds)

    @property
    def note(self) -> str | None:
        """Which rows were used, if not all of them."""
        return self.rows.note

    @property
    def best(self) -> str:
        """The method with the largest mean F1_PU, among those that never failed if any."""
        mean = self.mean("f1_pu")
        whole = np.array([not self.failures[name] for name in self.names])
        return self.names[int(np.nanargmax(np.where(whole, mean, np.nan) if whole.any() else mean))]

    def mean(self, measure: str) -> np.ndarray:
        """Return the mean of a measure over splits, one number per method.

        Parameters
        ----------
        measure : str
            One of `measures`.

        Returns
        -------
        mean : ndarray of shape (n_methods,)
            NaN if a method does not have the measure.
        """
        check_choice("measure", measure, self.measures)
        return mean_and_standard_error(self.values[measure], 0.0)[0]

    def error(self, measure: str) -> np.ndarray:
        """Return the standard error of the mean of a measure, one number per method.

        Parameters
        ----------
        measure : str
            One of `measures`.

        Returns
        -------
        error : ndarray of shape (n_methods,)
            NaN with fewer than two splits.
        """
        check_choice("measure", measure, self.measures)
        _, error = mean_and_standard_error(self.values[measure], self._shared_rows(measure))
        return np.hypot(error, self._labeled_share_error(measure))

    def differences(self, measure: str = "f1_pu", to: str | None = None) -> dict[str, np.ndarray]:
        """Return each method minus the reference method `to`, paired over splits.

        Parameters
        ----------
        measure : str, default="f1_pu"
            One of `measures`.
        to : str, optional
            The reference method; the best one if None.

        Returns
        -------
        frame : dict of str to ndarray
            The columns "method", "difference" (positive if the method is larger than the
            reference), "error" and "splits" (the number of splits on which neither method
            failed).
        """
        check_choice("measure", measure, self.measures)
        to = self.best if to is None else to
        check_choice("to", to, self.names)
        values = self.values[measure]
        paired = values - values[self.names.index(to)]
        difference, error = mean_and_standard_error(paired, self._shared_rows(measure))
        of_share = self._labeled_share_error(measure)
        return {
            "method": np.array(self.names, dtype=object),
            "difference": difference,
            "error": np.hypot(error, np.abs(of_share - of_share[self.names.index(to)])),
            "splits": np.sum(~np.isnan(paired), axis=1),
        }

    def verdict(self, order: Sequence[str] | None = None) -> Verdict:
        """Say which method is enough, or that the data cannot tell.

        The simplest method that no more complex one clearly beats is enough, if the data also show
        that none is better by an amount that matters.

        Does PU learning help here, and does more than a line? Compare a naive classifier, the same
        with a cut for PU data, a linear PU classifier and an ensemble, in this order.

        Parameters
        ----------
        order : sequence of str, optional
            At least two of `names`, the simplest first. If None, the `order` of `compare_methods`.

        Returns
        -------
        verdict : Verdict
            The method, the steps from each method to the next, and a sentence.

        Notes
        -----
        A method is clearly better than another if the difference, paired over splits, is larger
        than two standard errors and large enough to matter: 2 % of F1_PU, 0.01 of the gain, or 0.01
        of the label AUC. The first of these that is clear decides. F1_PU and gain judge the
        predictions. They do not decide if they differ in opposite directions: a score with another
        cut can do that. The label AUC does not see the cut, but its differences have far smaller
        errors.

        A method that is not clearly better may still be better, if rows, labels or splits are few.
        So the simpler one is enough only if, two standard errors included, no more complex one
        is better by more than these amounts: by F1_PU or by gain, and by the label AUC. Otherwise
        the two cannot be told apart, and `enough` is None. Give all methods that have a `rule` the
        same one.

        :doc:`/decisions/0010-comparison` says how often the verdict is right.

        Examples
        --------
        >>> from unlabeled import NaiveLogistic, PULogistic
        >>> from unlabeled.comparison import compare_methods
        >>> from unlabeled.datasets import make_paper_gaussian
        >>> data = make_paper_gaussian(n=1000, label_frequency=0.3, random_state=0)
        >>> models = {"naive": NaiveLogistic(), "line": PULogistic()}
        >>> found = compare_methods(models, data.X, data.s, random_state=0)
        >>> found.verdict(["naive", "line"]).enough
        'line'
        """
        order = check_order(self.order if order is None else order, self.names)
        return verdict_of(order, self._clearness)

    def _clearness(self, method: str, than: str) -> list[Difference]:
        """Return the differences of two methods by the measures of the verdict."""
        k, best = self.names.index(method), float(np.nanmax(self.mean("f1_pu"))) or 1.0
        paired = {measure: self.differences(measure, to=than) for measure in WORTH_HAVING}
        apart = {measure: float(columns["difference"][k]) for measure, columns in paired.items()}
        error = {measure: float(columns["error"][k]) for measure, columns in paired.items()}
        only_cut = apart["f1_pu"] * apart["gain"] < 0
        return [
            Difference("f1_pu", apart["f1_pu"] / best, error["f1_pu"] / best, only_cut),
            Difference("gain", apart["gain"], error["gain"], only_cut),
            Difference("label_auc", apart["label_auc"], error["label_auc"]),
        ]

    def _shared_rows(self, measure: str) -> float:
        """Return what is added to 1/k because splits share rows."""
        if measure in HELD_OUT:
            return self.rows.n_test / self.rows.n_train
        return self.rows.n_train / self.rows.n_test if measure in FITTED else 0.0

    def _labeled_share_error(self, measure: str) -> np.ndarray:
        """Return the error from the labeled share, which stratified splits do not show.

        The class prior is this share divided by c; c is this share divided by a given class prior.
        """
        given = np.array(self.given_class_prior)
        depends = {"class_prior": ~given, "label_frequency": given}.get(measure)
        if depends is None or self.rows.sampling.is_two:  # the sizes of two samples are fixed
            return np.zeros(len(self.names))
        n_labeled, n_rows = self.rows.n_labeled, self.rows.n_used
        of_log_share = np.sqrt(self.rows.share_effect * (1 - n_labeled / n_rows) / n_labeled)
        return np.where(depends, self.mean(measure) * of_log_share, 0.0)

    def agreement(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return mean and standard error of "decide_alike" and "rank_correlation".

        Returns
        -------
        measures : dict of str to (ndarray, ndarray)
            Mean and standard error, each of shape (n_methods, n_methods).
        """
        shared = self.rows.n_test / self.rows.n_train
        return {
            name: mean_and_standard_error(np.moveaxis(values, 0, -1), shared)
            for name, values in (
                ("decide_alike", self.decide_alike),
                ("rank_correlation", self.rank_correlation),
            )
        }

    def _columns(self) -> dict[str, np.ndarray]:
        columns = {"method": np.array(self.names, dtype=object)}
        for measure in self.measures:
            columns[measure] = self.mean(measure)
            columns[f"{measure}_error"] = self.error(measure)
        to_best = self.differences()
        columns["to_best"] = to_best["difference"]
        columns["to_best_error"] = to_best["error"]
        columns["failed"] = np.array([len(self.failures[name]) for name in self.names])
        columns["warnings"] = np.array(
            [
                " ".join(f"{code}:{n}" for code, n in self.codes[name].items())
                for name in self.names
            ],
            dtype=object,
        )
        if self.order:
            enough = self.verdict().enough
            columns["enough"] = np.array([name == enough for name in self.names])
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the aggregated results as a JSON-serializable dict.

        Single splits are left out. Missing numbers are None.

        Returns
        -------
        found : dict
            Numbers, texts, lists and dicts.
        """
        columns, splits = self._columns(), self.differences()["splits"]

        def number(name: str, k: int, of: str = "mean") -> dict[str, Any]:
            return {of: plain(columns[name][k]), "error": plain(columns[f"{name}_error"][k])}

        methods = [
            {
                "name": name,
                **{measure: number(measure, k) for measure in self.measures},
                "to_best": number("to_best", k, "difference") | {"splits": int(splits[k])},
                "splits": self.n_repeats - len(self.failures[name]),
                "failed": len(self.failures[name]),
                "failures": dict(sorted(Counter(self.failures[name]).items())),
                "warnings": dict(self.codes[name]),
            }
            for k, name in enumerate(self.names)
        ]
        found = {
            "format": 1,
            "rows": {
                "total": self.rows.n_rows,
                "used": self.rows.n_used,
                "labeled": self.rows.n_labeled,
                "fitted_to": self.rows.n_train,
                "held_out": self.rows.n_test,
            },
            "repeats": self.n_repeats,
            "test_size": self.test_size,
            "class_prior": self.known_class_prior,
            "measures": list(self.measures),
            "best": self.best,
            "methods": methods,
            "agreement": {
                "methods": list(self.names),
                **{
                    name: {"mean": plain(mean), "error": plain(error)}
                    for name, (mean, error) in self.agreement().items()
                },
            },
            "prepare": {
                "seconds": plain(mean_and_standard_error(self.prepare_seconds, 0.0)[0]),
                "warnings": dict(self.prepare_codes),
            },
            "note": self.note,
            "verdict": self.verdict().to_dict() if self.order else None,
        }
        return found | {"reading": reading(found)}

    def reading(self) -> list[str]:
        """Return sentences: the best method, those not clearly worse, verdict and assumptions.

        Returns
        -------
        sentences : list of str
            Two to four sentences.
        """
        return reading(self.to_dict())

    def _tables(self) -> list[TextTable]:
        record = self.to_dict()
        tables = [TextTable(_title(record), _method_cells(record), [_LEGEND])]
        if len(record["methods"]) > 1:
            tables.append(TextTable(_AGREEMENT, _agreement_cells(record)))
        below = (_remarks(record), record["reading"])
        return tables + [TextTable("", notes=lines) for lines in below if lines]


def check_order(order: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Reject an order that is not at least two different methods of a comparison."""
    known = () if isinstance(order, str) else tuple(order)
    unknown = [name for name in known if name not in names]
    if unknown or len(known) < 2 or len(set(known)) < len(known):
        raise ValueError(
            "`order` must be at least two different methods, the simplest first, of "
            f"{', '.join(map(repr, names))}; got {order!r}."
        )
    return known


def mean_and_standard_error(values: np.ndarray, shared: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean over the last axis and its standard error, without NaN.

    The variance of k values is multiplied by 1/k + `shared`.
    """
    there = ~np.isnan(values)
    k = there.sum(axis=-1)
    total = np.where(there, values, 0.0).sum(axis=-1)
    mean = np.divide(total, k, out=np.full(np.shape(k), np.nan), where=k > 0)
    squares = np.where(there, np.square(values - mean[..., None]), 0.0).sum(axis=-1)
    variance = np.divide(squares, k - 1, out=np.full(np.shape(k), np.nan), where=k > 1)
    per_split = np.divide(1.0, k, out=np.full(np.shape(k), np.nan), where=k > 0)
    return mean, np.sqrt(variance * (per_split + shared))


def reading(record: dict[str, Any]) -> list[str]:
    """Name the best method and those not clearly worse; then the verdict and the caveat."""
    best = next(one for one in record["methods"] if one["name"] == record["best"])
    others = [one for one in record["methods"] if one is not best]
    f1_pu = _with_error(best["f1_pu"], between=" ± ")
    sentences = [f"{best['name']} has the largest held-out F1_PU, {f1_pu}."]
    if others:
        sentences.append(_compared_with_best(others))
    if record.get("verdict"):
        sentences.append(record["verdict"]["sentence"])
    return [*sentences, _ASSUMPTION]


def _with_error(
    number: dict[str, Any], key: str = "mean", sign: str = "", between: str = "±"
) -> str:
    """Write a mean and its error; a dash if there is no mean."""
    value, error = number[key], number["error"]
    if value is None:
        return "-"
    shown = f"{value:{sign}.2f}"
    return shown if error is None else f"{shown}{between}{error:.2f}"


def _is_above_one(method: dict[str, Any], measure: str) -> bool:
    """Return whether a precision or F1 cannot be: the class prior is then too large."""
    needs_prior = measure in METRICS and METRICS[measure].needs_prior and measure in method
    return needs_prior and (method[measure]["mean"] or 0) > 1


def _compared_with_best(others: list[dict[str, Any]]) -> str:
    near, far, unknown = [], [], []
    for method in others:
        difference, error = method["to_best"]["difference"], method["to_best"]["error"]
        if difference is None or error is None:
            unknown.append(method["name"])
        elif difference >= -ERRORS_APART * error:
            near.append(method["name"])
        else:
            far.append(method["name"])
    text = f"Not clearly worse (within two standard errors): {', '.join(near)}." if near else ""
    if not near and far:
        text = "No other method is within two standard errors of it."
    elif far:
        text += f" Clearly worse: {', '.join(far)}."
    if unknown:
        text += f" Too few splits to compare: {', '.join(unknown)}."
    return text.strip()


def _method_cells(record: dict[str, Any]) -> list[list[str]]:
    """Return the cells of the table of methods, the heading first."""
    rest = [measure for measure in record["measures"] if measure not in ("f1_pu", "seconds")]
    cells = [["", "F1_PU", "vs best", *(_TITLES[measure] for measure in rest), "seconds"]]
    for method in record["methods"]:
        is_best = method["name"] == record["best"]
        cells.append(
            [
                method["name"],
                _with_error(method["f1_pu"]),
                "best" if is_best else _with_error(method["to_best"], "difference", "+"),
                *(
                    "above 1" if _is_above_one(method, measure) else _with_error(method[measure])
                    for measure in rest
                ),
                _with_error({"mean": method["seconds"]["mean"], "error": None}),
            ]
        )
    return cells


def _agreement_cells(record: dict[str, Any]) -> list[list[str]]:
    """Return the cells of the table of agreement: decisions below the diagonal, ranks above."""
    names = record["agreement"]["methods"]
    alike = record["agreement"]["decide_alike"]["mean"]
    ranks = record["agreement"]["rank_correlation"]["mean"]
    cells = [["", *(str(k + 1) for k in range(len(names)))]]
    for i, name in enumerate(names):
        row = [f"{i + 1} {name}"]
        for j in range(len(names)):
            value = alike[i][j] if j < i else ranks[i][j]
            row.append("." if i == j else "-" if value is None else f"{value:.2f}")
        cells.append(row)
    return cells


def _remarks(record: dict[str, Any]) -> list[str]:
    """List warnings, failures, and a class prior that contradicts the labels."""
    of_all = f"of {record['repeats']} splits"
    lines = []
    sources = [(method["name"], method["warnings"]) for method in record["methods"]]
    for name, codes in [*sources, ("prepare", record["prepare"]["warnings"])]:
        listed = ", ".join(f"{code} in {n}" for code, n in codes.items())
        lines += [f"{name}: warning {listed} {of_all}."] * bool(codes)
    for method in record["methods"]:
        if method["failed"]:
            first = " ".join(next(iter(method["failures"])).split())
            if len(first) > _MOST_OF_A_FAILURE:
                first = first[:_MOST_OF_A_FAILURE] + "..."
            lines.append(f"{method['name']} failed on {method['failed']} {of_all}: {first}")
    above = [one["name"] for one in record["methods"] if _is_above_one(one, "precision")]
    if above:
        lines.append(
            f"precision is above 1 for {', '.join(above)}: the class prior "
            f"{record['class_prior']:g} contradicts the recall of labeled rows. Use a smaller "
            "class prior."
        )
    return lines


def _title(record: dict[str, Any]) -> str:
    rows = record["rows"]
    title = (
        f"Mean ± standard error over {record['repeats']} random splits: {rows['fitted_to']} rows "
        f"to fit, {rows['held_out']} to evaluate"
    )
    return title if record["note"] is None else f"{title}\n({record['note']})"
