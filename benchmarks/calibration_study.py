r"""Whether the posterior can be believed: predict_proba against the true classes at c = 1/2.

Run it with ``python -m benchmarks.calibration_study --out docs/calibration --data FOLDER``. It
writes the page `index.rst`, the numbers `calibration.csv` and the figure `reliability.png`.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import matplotlib as mpl
import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import chi2
from threadpoolctl import threadpool_limits

from unlabeled import JointLogistic, NaiveLogistic, PULogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import DATASET_NAMES, DatasetError
from unlabeled.experiments import Cell
from unlabeled.experiments.draw import draw_sample
from unlabeled.experiments.outcome._drawing import RC, panels
from unlabeled.experiments.outcome._table import Table
from unlabeled.experiments.outcome._words import number
from unlabeled.experiments.plan import PAPER_GAUSSIAN, SYNTHETIC_TEST_ROWS, Task
from unlabeled.label_frequency._profile import ScoreProfile

from .field.rst import rst

SETS = (PAPER_GAUSSIAN, *DATASET_NAMES)
OURS, TOLD = "PULogistic", "PULogistic, told α"
METHODS: dict[str, Callable[[float], Any]] = {
    OURS: lambda prior: PULogistic(),
    TOLD: lambda prior: PULogistic(class_prior=prior),
    "NaiveLogistic": lambda prior: NaiveLogistic(),
    "JointLogistic": lambda prior: JointLogistic(),
}
C, ROWS, BINS, LIMIT = 0.5, 5000, 10, 0.03

_CONFIDENCE = 0.95
_Z = float(np.sqrt(chi2.ppf(_CONFIDENCE, 1)))
_PRIORS_TRIED = 400
_RED, _BLACK, _GREY = "#D55E00", "#000000", "#777777"


@dataclass(frozen=True)
class Priors:
    """What the labels of a draw say about the class prior, the model being right.

    The ends of what they leave open, the likeliest, and the one taken.
    """

    low: float
    high: float
    likeliest: float
    taken: float


@dataclass(frozen=True, eq=False)
class Outcome:
    """One fit to one draw: what it says of the training and of the test rows."""

    dataset: str
    method: str
    repeat: int
    n_train: int
    class_prior: float
    mean_posterior: float
    predicted: np.ndarray
    y_test: np.ndarray
    priors: Priors | None


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to fill."
)
@click.option("--data", type=click.Path(), help="Folder with the UCI sets. [$UNLABELED_DATA]")
@click.option("--repeats", type=click.IntRange(2, 9999), default=20, show_default=True)
@click.option(
    "--set",
    "sets",
    type=click.Choice(SETS),
    multiple=True,
    default=SETS,
    help="One set; may be repeated. [default: all]",
)
def main(out: Path, data: str | None, repeats: int, sets: tuple[str, ...]) -> None:
    """Hold posteriors against true classes, and write a page about it."""
    outcomes: list[Outcome] = []
    for dataset in sets:
        try:
            outcomes += outcomes_of(dataset, repeats, data)
        except DatasetError as error:
            raise click.ClickException(str(error)) from None
        click.echo(f"{dataset}: {repeats} repeats done", err=True)
    write_page(outcomes, out)
    click.echo(f"The page is {out / 'index.rst'}.")


def outcomes_of(dataset: str, repeats: int, data_home: str | None = None) -> list[Outcome]:
    """Fit every method to every draw of a set; draws of UCI sets are the reproduction's."""
    study, n = ("synthetic", ROWS) if dataset == PAPER_GAUSSIAN else ("real", 0)
    outcomes = []
    for repeat in range(repeats):
        sample = draw_sample(Task(study, Cell(dataset, "scar", n, C), repeat), data_home)
        alpha = float(sample.y_true.mean())
        for method, make in METHODS.items():
            with warnings.catch_warnings(), threadpool_limits(limits=1):
                warnings.simplefilter("ignore", PUWarning)  # a posterior at a bound is a result
                model = make(alpha).fit(sample.X, sample.s)
            outcomes.append(
                Outcome(
                    dataset,
                    method,
                    repeat,
                    len(sample.s),
                    alpha,
                    float(model.predict_proba(sample.X)[:, 1].mean()),
                    model.predict_proba(sample.X_test)[:, 1],
                    sample.y_test,
                    priors_left_open(model) if method == OURS else None,
                )
            )
    return outcomes


def priors_left_open(model: PULogistic) -> Priors:
    """Return the priors whose likelihood, along the left-out scores, is not too small at 95 %."""
    cuts = model.observed_cuts_
    total = np.diff(cuts.total, prepend=0)
    labelled = np.diff(cuts.labelled, prepend=0)
    profile = ScoreProfile.of(cuts.score, labelled / total, total.astype(np.float64))
    tried = np.linspace(profile.labelled_share, 1, _PRIORS_TRIED + 2)[1:-1]
    log_likelihood = profile.lines(tried).log_likelihood
    left = tried[log_likelihood >= log_likelihood.max() - _Z**2 / 2]
    likeliest = tried[np.argmax(log_likelihood)]
    return Priors(float(left[0]), float(left[-1]), float(likeliest), model.class_prior_)


def equal_mass_bins(predicted: np.ndarray, y_true: np.ndarray, n_bins: int = BINS) -> pd.DataFrame:
    """Cut rows into bins of as many rows each, by their predicted posterior.

    Equal posteriors stay in one bin, so bins may be fewer and larger. `variance` is the mean of
    p(1 - p), what the classes vary by if the posteriors are right.

    Examples
    --------
    >>> equal_mass_bins(np.array([0.1, 0.3, 0.6, 0.8]), np.array([0, 1, 0, 1]), 2).round(3)
       predicted  observed  rows  variance
    0        0.2       0.5     2      0.15
    1        0.7       0.5     2      0.20
    """
    levels = np.arange(1, n_bins) / n_bins
    edges = np.unique(np.quantile(predicted, levels, method="inverted_cdf"))
    rows = pd.DataFrame({"predicted": predicted, "observed": y_true})
    rows = rows.assign(rows=1, variance=predicted * (1 - predicted))
    bins = rows.groupby(np.searchsorted(edges, predicted)).agg(
        {"predicted": "mean", "observed": "mean", "rows": "sum", "variance": "mean"}
    )
    return bins.reset_index(drop=True)


def expected_calibration_error(bins: pd.DataFrame) -> float:
    """Mean over the rows of |mean predicted - observed| in their bins."""
    return float(np.average((bins["predicted"] - bins["observed"]).abs(), weights=bins["rows"]))


def error_by_chance(bins: pd.DataFrame, times: float = 1.0) -> float:
    """Calibration error to expect of right posteriors, where every row was counted `times`."""
    spread = np.sqrt(2 / np.pi * bins["variance"] * times / bins["rows"])
    return float(np.average(spread, weights=bins["rows"]))


def wilson(share: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Wilson's 95 % interval of a share observed in n rows."""
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return middle - half, middle + half


@dataclass(frozen=True, eq=False)
class Summary:
    """A method on a set, over all repeats.

    `difference` is the mean posterior of the training rows less their true class prior; `times`
    how often a row of the set was tested on average, once where test rows are fresh.
    """

    dataset: str
    method: str
    n_train: int
    repeats: int
    class_prior: float
    difference: float
    se: float
    rms: float
    times: float
    bins: pd.DataFrame
    priors: Priors | None
    n_held: int

    @classmethod
    def of(cls, own: list[Outcome]) -> Summary:
        """Summarise the repeats."""
        first, alpha = own[0], np.array([one.class_prior for one in own])
        difference = np.array([one.mean_posterior for one in own]) - alpha
        tested = sum(len(one.y_test) for one in own)
        fresh = first.dataset == PAPER_GAUSSIAN
        n_rows = tested if fresh else first.n_train + len(first.y_test)
        left = [one.priors for one in own if one.priors is not None]
        return cls(
            dataset=first.dataset,
            method=first.method,
            n_train=first.n_train,
            repeats=len(own),
            class_prior=float(alpha.mean()),
            difference=float(difference.mean()),
            se=float(difference.std(ddof=1) / np.sqrt(len(own))),
            rms=float(np.sqrt(np.mean(difference**2))),
            times=max(1.0, tested / n_rows),
            bins=equal_mass_bins(
                np.concatenate([one.predicted for one in own]),
                np.concatenate([one.y_test for one in own]),
            ),
            priors=_mean_priors(left) if left else None,
            n_held=sum(
                one.priors.low <= one.class_prior <= one.priors.high
                for one in own
                if one.priors is not None
            ),
        )

    @property
    def name(self) -> str:
        """The set's name on the page."""
        return "synthetic" if self.dataset == PAPER_GAUSSIAN else self.dataset

    @property
    def is_within(self) -> bool:
        """Whether the mean difference is at most .03."""
        return abs(self.difference) <= LIMIT

    @property
    def ece(self) -> float:
        """Expected calibration error."""
        return expected_calibration_error(self.bins)

    def numbers(self) -> dict[str, Any]:
        """Return the line of the CSV file."""
        line: dict[str, Any] = {
            "dataset": self.dataset,
            "method": self.method,
            "c": C,
            "repeats": self.repeats,
            "training_rows": self.n_train,
            "class_prior": self.class_prior,
            "difference": self.difference,
            "difference_se": self.se,
            "difference_rms": self.rms,
            "within_limit": self.is_within,
            "calibration_error": self.ece,
            "calibration_error_by_chance": error_by_chance(self.bins, self.times),
            "prior_low": self.priors.low if self.priors else np.nan,
            "prior_high": self.priors.high if self.priors else np.nan,
            "prior_likeliest": self.priors.likeliest if self.priors else np.nan,
            "prior_taken": self.priors.taken if self.priors else np.nan,
            "prior_in_range": self.n_held if self.priors else np.nan,
        }
        for place in range(BINS):
            for column in ("predicted", "observed", "rows"):
                there = place < len(self.bins)
                value = self.bins[column].iloc[place] if there else np.nan
                line[f"bin_{place + 1}_{column}"] = value
        return line


def _mean_priors(left: list[Priors]) -> Priors:
    rows = np.array([(one.low, one.high, one.likeliest, one.taken) for one in left])
    return Priors(*rows.mean(axis=0).tolist())


def summaries_of(outcomes: Iterable[Outcome]) -> list[Summary]:
    """Summarise every method on every set."""
    groups: dict[tuple[str, str], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.dataset, outcome.method), []).append(outcome)
    return [Summary.of(own) for own in groups.values()]


def write_page(outcomes: list[Outcome], folder: Path) -> None:
    """Write the page, its numbers and its figure."""
    summaries = summaries_of(outcomes)
    ours = [one for one in summaries if one.method == OURS]
    folder.mkdir(parents=True, exist_ok=True)
    lines = pd.DataFrame([one.numbers() for one in summaries])
    lines.to_csv(folder / "calibration.csv", index=False, float_format="%.6g")
    with mpl.rc_context(RC):
        figure = reliability_figure(ours)
        figure.savefig(folder / "reliability.png", dpi=150, metadata={"Software": None})
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["wrap"] = _wrapped
    text = environment.from_string(PAGE).render(
        repeats=ours[0].repeats,
        c=_plain(C),
        limit=_plain(LIMIT),
        n_train=_thousands(ROWS),
        n_test=_thousands(SYNTHETIC_TEST_ROWS),
        n_bins=BINS,
        headlines=" ".join(headlines(ours)),
        difference_table=rst(difference_table(ours)),
        prior_table=rst(prior_table(ours)),
        reasons=[reason(one) for one in ours if not one.is_within],
        missed=missed(ours),
        errors=error_sentence(ours),
        comparison=comparison(summaries),
        beaten=beaten(summaries),
        comparison_table=rst(comparison_table(summaries)),
    )
    (folder / "index.rst").write_text(text.strip() + "\n", encoding="utf-8")


def headlines(ours: list[Summary]) -> list[str]:
    """Say on how many sets the posterior's mean is right, and where it is not."""
    off = [one for one in ours if not one.is_within]
    words = [
        f"On {len(ours) - len(off)} of {len(ours)} sets the mean difference is at most "
        f"{_plain(LIMIT)}."
    ]
    if off:
        words.append(f"It is not on {_named(off)}.")
    unsure = [one for one in ours if one.is_within and abs(one.difference) + 2 * one.se > LIMIT]
    if unsure:
        words.append(
            f"On {_named(unsure)} it is, but by less than two standard errors: another series of "
            "draws may say otherwise."
        )
    noisy = [one for one in ours if one.rms > LIMIT]
    if noisy:
        listed = _listed(f"{one.name} ({number(one.rms)})" for one in noisy)
        words.append(
            "These are means over draws. One draw, and you have one, is off by the root mean "
            f"square, which is above {_plain(LIMIT)} on {listed}."
        )
    return words


def reason(one: Summary) -> str:
    """Say what the labels leave open on a set, and how the rows of largest posterior do."""
    top, priors = one.bins.iloc[-1], one.priors
    if priors is None:
        raise ValueError("reasons are given for PULogistic only")
    return (
        f"*{one.name}*: α is {number(one.class_prior, 2)}, and the labels leave priors from "
        f"{number(priors.low, 2)} to {number(priors.high, 2)} open. The likeliest of them is off "
        f"by {_signed(priors.likeliest - one.class_prior, 2)}, their average, which is taken, by "
        f"{_signed(priors.taken - one.class_prior, 2)}, and the mean posterior by "
        f"{_signed(one.difference, 2)}. In the last bin the mean posterior is "
        f"{number(top['predicted'], 2)} and the share of positives {number(top['observed'], 2)}."
    )


def missed(ours: list[Summary]) -> str:
    """Name the sets on which the range of priors misses the true one in most repeats."""
    sets = [one for one in ours if 2 * one.n_held < one.repeats]
    if not sets:
        return "Here the range holds α in at least half of the draws of every set."
    return (
        f"Here that happens in more than half of the draws of {_listed(one.name for one in sets)}: "
        "the model is a little wrong, and there are enough rows to see it."
    )


def error_sentence(ours: list[Summary]) -> str:
    """Say how large the calibration errors are."""
    ordered = sorted(ours, key=lambda one: one.ece)
    if len(ordered) == 1:
        return f"The calibration error on {ordered[0].name} is {number(ordered[0].ece)}."
    low, high = ordered[0], ordered[-1]
    return (
        f"The calibration error is smallest on {low.name} ({number(low.ece)}) and largest on "
        f"{high.name} ({number(high.ece)})."
    )


def comparison(summaries: list[Summary]) -> str:
    """List on how many sets each method is within the limit, and its mean calibration error."""
    parts = []
    for method in METHODS:
        own = [one for one in summaries if one.method == method]
        within, ece = sum(one.is_within for one in own), np.mean([one.ece for one in own])
        parts.append(f"- *{method}*: {within} of {len(own)} sets, {number(ece)}")
    return "\n".join(parts)


def beaten(summaries: list[Summary]) -> str:
    """Name the sets on which PULogistic has the larger calibration error, by rival."""
    ours = {one.dataset: one.ece for one in summaries if one.method == OURS}
    parts = []
    for method in METHODS:
        rivals = [one for one in summaries if one.method == method]
        worse = [one.name for one in rivals if one.ece < ours[one.dataset]]
        if method not in (OURS, TOLD):
            parts.append(f"that of {method} on {_listed(worse) if worse else 'no set'}")
    return f"The calibration error of {OURS} is above {'; above '.join(parts)}."


def difference_table(ours: list[Summary]) -> Table:
    """PULogistic on every set."""
    lines = [
        {
            "Set": one.name,
            "Rows": _thousands(one.n_train),
            "α": number(one.class_prior),
            "Difference": _with_error(one),
            "RMS": number(one.rms),
            f"Within {_plain(LIMIT)}": "yes" if one.is_within else "no",
            "ECE": number(one.ece),
            "By chance": number(error_by_chance(one.bins, one.times)),
        }
        for one in ours
    ]
    return _table(pd.DataFrame(lines))


def prior_table(ours: list[Summary]) -> Table:
    """What the labels say about the class prior on every set."""
    lines = [
        {
            "Set": one.name,
            "α": number(one.class_prior),
            "Left open": f"{number(one.priors.low, 2)} to {number(one.priors.high, 2)}",
            "α is among them": f"{one.n_held} of {one.repeats}",
            "Likeliest − α": _signed(one.priors.likeliest - one.class_prior),
            "Taken − α": _signed(one.priors.taken - one.class_prior),
        }
        for one in ours
        if one.priors is not None
    ]
    return _table(pd.DataFrame(lines))


def comparison_table(summaries: list[Summary]) -> Table:
    """The methods side by side, a block a measure."""
    measures = {
        "Mean posterior − α": _with_error,
        "Root mean square of it": lambda one: number(one.rms),
        "Expected calibration error": lambda one: number(one.ece),
    }
    blocks = []
    for heading, write in measures.items():
        lines: dict[str, dict[str, str]] = {}
        for one in summaries:
            lines.setdefault(one.name, {"Set": one.name})[one.method] = write(one)
        blocks.append((heading, pd.DataFrame(list(lines.values()))))
    return _table(*blocks)


def _table(*blocks: Any) -> Table:
    named = [block if isinstance(block, tuple) else ("", block) for block in blocks]
    return Table("calibration", "Calibration", "", tuple(named), pd.DataFrame())


def reliability_figure(ours: list[Summary]) -> Figure:
    """Draw observed frequency against mean posterior, a panel a set."""
    columns = min(5, len(ours))
    rows = -(-len(ours) // columns)
    figure, axes = panels(rows, columns, 0.3 + 1.5 * rows, sharex=True, sharey=True)
    for panel in axes.flat[len(ours) :]:
        panel.set_visible(False)
    for panel, one in zip(axes.flat, ours, strict=False):
        _reliability(panel, one)
    figure.supxlabel("Mean predicted posterior", fontsize=8)
    figure.supylabel("Share of positives", fontsize=8)
    return figure


def _reliability(panel: Axes, one: Summary) -> None:
    bins = one.bins
    low, high = wilson(bins["observed"].to_numpy(), bins["rows"].to_numpy() / one.times)
    panel.plot([0, 1], [0, 1], color=_GREY, linestyle=(0, (4, 2)), linewidth=0.9, zorder=1)
    panel.vlines(bins["predicted"], low, high, color=_BLACK, linewidth=0.8, zorder=2)
    panel.plot(
        bins["predicted"],
        bins["observed"],
        color=_RED,
        linewidth=0.8,
        marker="o",
        markersize=3.6,
        markerfacecolor=_RED,
        markeredgecolor=_BLACK,
        markeredgewidth=0.5,
        zorder=3,
    )
    panel.set_title(one.name, pad=3)
    panel.annotate(f"ECE {number(one.ece)}", (0.97, 0.05), xycoords="axes fraction", ha="right")
    ticks = [0, 0.5, 1]
    panel.set(xlim=(-0.04, 1.04), ylim=(-0.04, 1.04), aspect="equal")
    panel.set_xticks(ticks, ["0", ".5", "1"])
    panel.set_yticks(ticks, ["0", ".5", "1"])


def _with_error(one: Summary) -> str:
    return f"{_signed(one.difference)} ({number(one.se)})"


def _named(sets: list[Summary]) -> str:
    return _listed(f"{one.name} ({_signed(one.difference)})" for one in sets)


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _signed(value: float, digits: int = 3) -> str:
    """Write a difference; one that rounds to 0 has no minus."""
    return number(round(value, digits) + 0.0, digits, signed=True)


def _wrapped(text: str, indent: int = 0) -> str:
    lines = textwrap.wrap(text, 98 - indent, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * indent).join(lines)


def _plain(value: float) -> str:
    return f"{value:g}".replace("0.", ".")


def _thousands(count: int) -> str:
    return f"{count:,}".replace(",", " ") if count >= 10_000 else str(count)


PAGE = r"""
.. This page is made by `python -m benchmarks.calibration_study`; edit that program.

Calibration
===========

``PULogistic().predict_proba`` estimates :math:`P(Y=1\mid x)`: the probability of the class, not of
the label. Can it be believed? This page holds it against true classes that the fit never saw. It
is made by a program; no number in it was typed.

What was measured
-----------------

Every positive keeps its label with probability c = {{ c }}, whatever its features. The data are
the paper's synthetic design, with {{ n_train }} training rows and {{ n_test }} fresh test rows, and
the paper's nine sets, with the splits and labels of the reproduction (see :doc:`/reproduce`). Each
is drawn {{ repeats }} times.

- *The mean.* The mean posterior of the training rows should be α, the share of positives among
  them. The table has the mean difference with its Monte-Carlo standard error, its root mean square
  (RMS), and whether the mean difference is at most {{ limit }}.
- *Every level.* Test rows of all draws are put into {{ n_bins }} bins of as many rows each, by
  their posterior. In each bin the mean posterior should be the share of positives. The expected
  calibration error (ECE) is the mean distance of the two. It is never 0; "by chance" is what right
  posteriors would have.

How far it is off
-----------------

{{ headlines | wrap }}

{{ difference_table }}
.. figure:: reliability.png
   :alt: Small plots, one a data set: share of positives against mean predicted posterior in bins,
         with error bars, beside the diagonal. The numbers are in the CSV file.
   :width: 100%

   Share of positives against the mean posterior of PULogistic, in bins of equal mass. On the
   dashed line the posterior is right; below it, too large. Bars are Wilson's 95 % intervals, every
   row of a set being counted once, however often it was tested.

{{ errors | wrap }}
All numbers, those of the bins too, are in :download:`calibration.csv <calibration.csv>`.

Why it can be off
-----------------

Labels alone do not fix the class prior. Many positives of which few are labelled, and few of which
many are, look much alike. What tells them apart is the shape of :math:`P(S=1\mid x)` along the
score: it levels off at c, where rows are surely positive.

- *Little signal.* Where no row is surely positive, the levelling is not seen, and nearly every
  prior fits. ``PULogistic`` then takes the average over what the labels do not rule out. With a
  small α there is more room above it than below, so the average is too large.
- *A posterior that levels off below one.* Where even the rows of the largest score are not all
  positive, the missing positives pass for missing labels: c seems smaller and α larger.
- *Another shape.* A posterior that is not logistic along the score can give a range of priors that
  misses α.
  {{ missed | wrap(2) }}

Priors left open are those that a likelihood-ratio test at the level of 5 % does not reject, along
the scores of rows left out of the fit. The table has their ends, means over the draws; in how many
draws the true α is among them; and how far the likeliest prior and the one taken are off.

{{ prior_table }}
{% if reasons %}
The sets beyond {{ limit }}:

{% for words in reasons %}
- {{ words | wrap(2) }}
{% endfor %}

{% endif %}
Where the class prior is known, say so: ``PULogistic(class_prior=...)`` takes it. The next section
has what that is worth.

Beside other estimates
----------------------

``NaiveLogistic()`` has the same kind of posterior, on the score of an unpenalised logistic fit to
the labels. ``JointLogistic()`` fits posterior and c together, by maximum likelihood. *Told α* is
``PULogistic`` with the true class prior of its training rows, which nobody has in practice. The
sets whose mean difference is at most {{ limit }}, and the mean calibration error over the sets:

{{ comparison }}

{{ beaten | wrap }}

{{ comparison_table }}
Run it yourself
---------------

``python -m benchmarks.calibration_study --out docs/calibration --data FOLDER`` makes this page
again, with the UCI sets in FOLDER. The same versions of the libraries give the same numbers.
"""


if __name__ == "__main__":
    main()
