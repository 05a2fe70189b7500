"""JOINT: maximum likelihood for coefficients and label frequency together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from ..codes import Message, warn
from ..engine.linear_fits import (
    LinearFit,
    LinearProblem,
    Watch,
    report_design,
    report_early_stop,
    report_separation,
    report_step,
    scaled_tol,
)
from ..engine.losses import KnownFrequencyLoss, ProductLoss
from ..engine.objective import CONSTANT, Objective, linear_score
from ..engine.parameters import check_choice, check_defaults, check_flag, check_fraction
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    effects_on_share,
    plus,
)
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord
from ..inference import (
    Estimates,
    FrequencyFacts,
    Interval,
    frequency_facts,
    frequency_interval,
    prior_interval,
)
from ._base import reject_impossible_frequency
from ._joint_fit import (
    FrequencyProfile,
    JointFit,
    JointProblem,
    fit_by_em,
    fit_by_gradient,
    fit_by_mm,
    prefer_boundary,
)
from ._likelihood import CheckedRowsClassifier, Optimum, interval_facts, penalized_objective
from ._published import fit_published_cycle, fit_published_gradient

Solver = Literal["lbfgs", "mm", "em"]


class JointLogistic(CheckedRowsClassifier):
    r"""Maximum likelihood for the logistic posterior and the label frequency together (JOINT).

    Assumes SCAR (labeled rows are a random sample of the positive rows) and
    a logistic posterior P(Y=1|x). Use it when both are plausible and you need
    c: it estimates c, the class prior and a calibrated posterior. With
    ``solver="mm"`` it is the paper's MM, with ``"em"`` CCCP. All solvers
    maximize the same likelihood, but may reach different stationary points.

    Parameters
    ----------
    label_frequency : float, default=None
        The label frequency c if it is known; estimated if None.
    solver : {"lbfgs", "mm", "em"}, default="lbfgs"
        "lbfgs": several starting values, L-BFGS from the best of them, then
        Newton steps. "mm": minorise-maximize, alternating with the best c.
        "em": expectation-maximization, which for fixed c is CCCP.
    settings : {"converged", "published"}, default="converged"
        "published" runs the optimizer settings of the authors' public code,
        on the features as given. `label_frequency`, `tol`, `max_iter`,
        `accelerate` and `C` must then keep their defaults.
    inner : {"exact", "published"}, default="exact"
        Only with ``settings="published"`` and solver "mm" or "em": "exact"
        solves the inner problem to convergence; "published" repeats the loop
        of the authors' code.
    accelerate : bool, default=True
        Whether "mm" and "em" extrapolate their steps (Anderson). The
        likelihood still rises at every step.
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    tol : float, default=1e-4
        Tolerance of the fit, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        One sample or two, as in `NaiveLogistic`; see :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    verbose : int, default=0
        As in `NaiveLogistic`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients of the posterior.
    intercept_ : ndarray of shape (1,)
        Intercept of the posterior.
    threshold_, posterior_line_
        The cut and the posterior along the score, as in `NaiveLogistic`.
    classes_, positive_class_, n_features_in_, feature_names_in_
        As in `NaiveLogistic`.
    label_frequency_ : float
        c, estimated or as given.
    class_prior_ : float
        The fraction of labeled rows, divided by c: P(Y=1) in the whole
        sample. At an interior optimum with intercept it is the mean of
        `predict_proba`. With checked rows it is the mean over rows of what is
        known: 1 for labeled rows, the answer for checked ones, and P(Y=1|S=0,x)
        for the others. At an interior optimum both are the same number.
    n_checked_ : int
        Number of unlabeled rows that were checked.
    at_boundary_ : bool
        Whether the likelihood is largest at c = 1; the fit is then the naive one.
    mean_log_likelihood_ : float
        Log-likelihood of the labels, and of the answers of checked rows, per row.
    n_iter_ : int
        Iterations of the solver; with published settings, of the outer loop.
    converged_ : bool
        Whether the solver reached a finite optimum, to the tolerance; with
        published settings, whether the published stopping rule was met.

    See Also
    --------
    unlabeled.PULogistic : The same likelihood with a ridge, for few labels.
    unlabeled.label_frequency.OneDimensionalJoint : The same model of one score.

    Notes
    -----
    Maximizes

    .. math:: \ell(b, c) = \sum_i s_i \log(c\,\sigma(x_i^Tb))
              + (1-s_i)\log(1 - c\,\sigma(x_i^Tb)),

    which is not concave. At an interior optimum the mean of
    :math:`\sigma(x_i^T\hat b)` times :math:`\hat c` is the fraction of labeled
    rows. `predict` cuts the posterior at 1/2.

    An unlabeled row that somebody checked (`checked` in `fit`) has the likelihood
    :math:`(1-c)\,\sigma(x_i^Tb)` if it was found positive and :math:`1-\sigma(x_i^Tb)` if not.
    With every row checked, the coefficients are those of a logistic regression on the truth.
    ``solver="mm"`` and ``"em"`` do not take checked rows.

    Normal intervals of the coefficients (`estimates`, `summary`) are too short
    if the data do not rule out c = 1, which is common with 1000 rows. In
    simulations from the paper's design, 95 % intervals of the intercept had a
    coverage of 91 %. `summary` prints a caution if c = 1 is not ruled out.

    **What breaks it:** rare positives, for which :math:`c\,\sigma(t) \approx
    e^{t + \log c}`, so that c and the intercept cannot be separated; a posterior
    that is not logistic; small samples, in which c = 1 is often the optimum
    (PU106).

    References
    ----------
    P. Teisseyre, J. Mielniczuk, M. Łazęcka (2020). Different strategies of
    fitting logistic regression for positive and unlabelled data. ICCS,
    LNCS 12140. https://doi.org/10.1007/978-3-030-50423-6_1

    M. Łazęcka, J. Mielniczuk, P. Teisseyre (2021). Estimating the class prior
    for positive and unlabelled data via logistic regression. Advances in Data
    Analysis and Classification 15, 1039-1068. https://doi.org/10.1007/s11634-021-00444-9

    Examples
    --------
    >>> from unlabeled import JointLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=20000, label_frequency=0.6, random_state=0)
    >>> joint = JointLogistic().fit(data.X, data.s)
    >>> bool(abs(joint.label_frequency_ - 0.6) < 0.1)
    True
    """

    _takes_rows_anywhere = True

    def __init__(
        self,
        label_frequency: float | None = None,
        *,
        solver: Solver = "lbfgs",
        settings: str = "converged",
        inner: str = "exact",
        accelerate: bool = True,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        verbose: int = 0,
    ) -> None:
        self.label_frequency = label_frequency
        self.solver = solver
        self.settings = settings
        self.inner = inner
        self.accelerate = accelerate
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("solver", self.solver, get_args(Solver))
        check_choice("settings", self.settings, ("converged", "published"))
        check_choice("inner", self.inner, ("exact", "published"))
        check_flag("accelerate", self.accelerate)
        if self.solver == "lbfgs" and not self.accelerate:
            raise ValueError("`accelerate` must be True with solver='lbfgs'; got False.")
        check_fraction("label_frequency", self.label_frequency, none_allowed=True)
        if self.settings == "published":
            own = ("label_frequency", "accelerate", "C", "tol", "max_iter")
            check_defaults(self, own, "published")
        elif self.inner != "exact":
            raise ValueError(
                "`inner` must be 'exact' unless settings='published'; got 'published'."
            )

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        self._reject_other_solvers(rows)
        if self.label_frequency is not None:
            reject_impossible_frequency(self.label_frequency, rows)
        published = self.settings == "published"
        # MM's curvature bound holds in coordinates in which the features are exactly white.
        exact = self.solver == "mm" or published
        linear = LinearProblem.of(
            rows.X, rows.weight, self._strength(rows), self.fit_intercept, exact
        )
        naive = None
        if not published:
            stage = watch.stage("naive")
            naive = linear.fit_logistic(rows.s, self.tol, self.max_iter, stage=stage)
        stage = watch.stage("JOINT")
        problem = JointProblem(linear, rows.s, self.label_frequency, stage, rows.target)
        if naive is None:
            fit = self._fit_published(problem)
        else:
            fit = self._fit_converged(problem, naive)
        converged = fit.result.converged
        if converged and naive is not None:
            converged = not self._runs_away(rows, naive, fit)
        watch.finished("JOINT", fit.result)
        self._report(fit)
        self._set(fit, converged, rows)
        prior = rows.labeled_share / self.label_frequency_
        if rows.checked is not None:
            prior = problem.mean_expected_class(fit)
        self.class_prior_ = float(rows.population_prior(prior))
        self.n_checked_ = rows.n_checked

    def _reject_other_solvers(self, rows: Rows) -> None:
        """Raise for rows outside of memory and for checked rows, unless the solver takes them."""
        if self.solver == "lbfgs" and self.settings == "converged":
            return
        where = "rows in chunks or on a device" if not rows.in_memory else "checked rows"
        if not rows.in_memory or rows.checked is not None:
            raise ValueError(
                f"`solver` must be 'lbfgs', with settings='converged', for {where}; got "
                f"{self.solver!r} with settings={self.settings!r}."
            )

    def _fit_converged(self, problem: JointProblem, naive: LinearFit) -> JointFit:
        tol = scaled_tol(self.tol, problem.s, problem.rows.weight)
        if self.solver == "mm":
            fit = fit_by_mm(problem, tol, self.max_iter, self.accelerate)
        elif self.solver == "em":
            fit = fit_by_em(problem, tol, self.max_iter, self.accelerate)
        else:
            fit = fit_by_gradient(problem, naive, tol, self.max_iter)
        return prefer_boundary(problem, naive, fit, tol, self.max_iter)

    def _fit_published(self, problem: JointProblem) -> JointFit:
        if self.solver == "lbfgs":
            return fit_published_gradient(problem)
        return fit_published_cycle(problem, self.solver, self.inner)

    def _runs_away(self, rows: Rows, naive: LinearFit, fit: JointFit) -> bool:
        """Warn about an optimum that cannot be trusted; return whether it lies at infinity."""
        if naive.problem.objective.ridge > 0:
            return False
        report_design(rows, naive)
        t = linear_score(rows.X, fit.theta[: self.n_features_in_])
        t = plus(t, float(fit.theta[-1])) if self.fit_intercept else t
        if rows.checked is None:
            separated = report_separation(rows, naive, self._feature_names)
        else:
            # Answers can hold coefficients that the labels alone would let grow without limit.
            known = replace(rows, s=rows.known_positive)
            ended = LinearFit(naive.problem, replace(naive.result, distance=fit.result.distance))
            separated = report_separation(known, ended, self._feature_names, t)
        return separated or report_step(rows, t, self.label_frequency, fit.result)

    def _report(self, fit: JointFit) -> None:
        if fit.at_boundary:
            warn(
                "PU106",
                Message(
                    "the label frequency was estimated as 1, as if every positive row were "
                    "labeled, so the coefficients are those of NaiveLogistic.",
                    python="Pass `label_frequency` if you know it, or use more rows.",
                ),
            )
        report_early_stop(fit.result, np.isfinite(self.C))

    def _set(self, fit: JointFit, converged: bool, rows: Rows) -> None:
        self.label_frequency_ = float(fit.label_frequency)
        intercept = float(fit.theta[-1]) if self.fit_intercept else 0.0
        self._set_posterior(rows, fit.theta[: self.n_features_in_], intercept)
        self.at_boundary_ = fit.at_boundary
        self.mean_log_likelihood_ = -fit.result.value
        self._gradient_norm_ = fit.result.gradient_norm
        self.n_iter_ = max(1, fit.result.n_iter)
        self._n_inner_iter_ = fit.n_inner_iter
        self.converged_ = converged

    def label_frequency_interval(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        of: str = "population",
        checked: Any = None,
    ) -> Interval:
        """Compute a profile-likelihood interval of the label frequency.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The training rows, which the model does not store. Others are rejected.
        y : array-like of shape (n_rows,)
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        confidence_level : float, default=0.95
            Coverage of the interval.
        of : {"population"}, default="population"
            What the interval is about: the likelihood is one of rows that were drawn at random.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.

        Returns
        -------
        interval : Interval
            The label frequencies that a likelihood-ratio test does not reject, and whether
            c = 1 is among them.
        """
        _reject_table(of)
        rows = self._rows_of_free_frequency(X, y, sample_weight, checked)
        found = self._frequency_interval(rows, confidence_level)
        if not rows.sampling.is_two:
            return found
        # The sizes of the samples are fixed, so c and the class prior tell the same.
        prior, share = self._prior_interval(rows, found), rows.labeled_share
        lower, upper = prior.map(lambda end: float(rows.sampling.label_frequency(end, share)))
        upper = 1.0 if found.upper == 1 else upper
        return Interval.around(
            found.estimate, (lower, upper), confidence_level, found.method, found.without_upper
        )

    def class_prior_interval(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        of: str = "population",
        checked: Any = None,
    ) -> Interval:
        r"""Compute an interval of the class prior, :math:`P(Y=1)`, of the population.

        `PULogistic`, `PUEnsemble` and `PUThresholdClassifier` give, unless you ask for the
        population, that of the rows of the fit.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The training rows, which the model does not store. Others are rejected.
        y : array-like of shape (n_rows,)
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        confidence_level : float, default=0.95
            Coverage of the interval.
        of : {"population"}, default="population"
            What the interval is about: the likelihood is one of rows that were drawn at random.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.

        Returns
        -------
        interval : Interval
            Computed from the profile likelihood of c and the uncertainty of
            the fraction of labeled rows, with their correlation.
        """
        _reject_table(of)
        rows = self._rows_of_free_frequency(X, y, sample_weight, checked)
        return self._prior_interval(rows, self._frequency_interval(rows, confidence_level))

    def label_frequency_profile(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        frequencies: Any = None,
        checked: Any = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Compute the profile log-likelihood of the label frequency: its maximum at each fixed c.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            The training rows, which the model does not store. Others are rejected.
        y : array-like of shape (n_rows,)
            Labels of the training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in `fit`.
        frequencies : array-like of shape (n_frequencies,), optional
            Values of c, above the fraction of labeled rows and at most 1. If
            None, 41 equally spaced values.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.

        Returns
        -------
        frequencies, log_likelihood : ndarray of shape (n_frequencies,)
            The values of c, and the profile log-likelihood at each; penalized
            if `C` is finite. If a row was found positive, it is -inf at c = 1.
        """
        rows = self._rows_of_free_frequency(X, y, sample_weight, checked)
        share = rows.labeled_share
        if frequencies is None:
            frequencies = share + (1 - share) * np.arange(1, 42) / 41
        frequencies = np.atleast_1d(np.asarray(frequencies, dtype=np.float64))
        impossible = frequencies[~((frequencies > share) & (frequencies <= 1))]
        if len(impossible):
            raise ValueError(
                f"`frequencies` must be above the share of labeled rows, {share:.4g}, and at "
                f"most 1; got {float(impossible[0])!r}. Remove it."
            )
        log_likelihood = np.empty(len(frequencies))
        profile = self._profile(rows)
        # From the estimate outwards, so that each fit starts from a near one.
        for k in np.argsort(np.abs(frequencies - self.label_frequency_), kind="stable"):
            log_likelihood[k] = profile(float(frequencies[k]))
        return frequencies, log_likelihood

    def _further_facts(self, rows: Rows, confidence_level: float) -> tuple[tuple[str, str], ...]:
        if self.label_frequency is not None:
            return ()
        if rows.groups is not None:
            without = "label frequency and class prior have intervals of independent rows alone"
            return (("caution", without),)
        c = self._frequency_interval(rows, confidence_level)
        prior = self._prior_interval(rows, c)
        facts = interval_facts(c, prior)
        if c.upper >= 1:
            facts += (
                ("caution", "nearly all positives may be labeled; intervals below are too narrow"),
            )
        return facts

    def _rows_of_free_frequency(self, X: Any, y: Any, sample_weight: Any, checked: Any) -> Rows:
        check_is_fitted(self)
        if self.label_frequency is not None:
            raise ValueError(
                "`label_frequency` must be None for an interval of it; it was given as "
                f"{self.label_frequency!r}. Fit without it."
            )
        if X is None or y is None:
            raise ValueError(
                "`X` and `y` must be the rows of the fit; got None. "
                f"{type(self).__name__} does not keep them: pass them again."
            )
        return self._rows_of_fit(X, y, sample_weight, checked, None)

    def _frequency_interval(self, rows: Rows, confidence_level: float) -> Interval:
        profile, effect = self._profile(rows), 1.0
        if rows.unit is not None:
            effect = self._frequency_facts(rows).effect
        return frequency_interval(
            lambda c: profile(c) / effect,
            self.label_frequency_,
            rows.labeled_share,
            confidence_level,
        )

    def _prior_interval(self, rows: Rows, frequency: Interval) -> Interval:
        correlation = self._frequency_facts(rows).correlation
        total = rows.total_weight / effects_on_share(rows.s, rows.weight, rows.unit).label
        return prior_interval(
            frequency, rows.labeled_share, total, correlation, sampling=self.sampling
        )

    def _frequency_facts(self, rows: Rows) -> FrequencyFacts:
        with np.errstate(divide="ignore"):
            theta = np.append(self._posterior_parameters()[0], logit(self.label_frequency_))
        return frequency_facts(self._free_objective(rows), theta, rows.unit)

    def _profile(self, rows: Rows) -> FrequencyProfile:
        linear = LinearProblem.of(rows.X, rows.weight, self._strength(rows), self.fit_intercept)
        estimate = self.label_frequency_, self._posterior_parameters()[0]
        return FrequencyProfile(linear, rows, 0.01 * self.tol, self.max_iter, estimate)

    def _estimates(self, rows: Rows, kind: str) -> Estimates:
        (theta, names, sign), c = self._posterior_parameters(), self.label_frequency_
        if self.label_frequency is not None or c == 1:
            loss = KnownFrequencyLoss(c)
            objective = penalized_objective(loss, rows, self._strength(rows), self.fit_intercept)
            return Optimum(objective, theta, names, sign, rows).estimates(kind)
        theta, names = np.append(theta, logit(c)), (*names, "logit c")
        free = Optimum(self._free_objective(rows), theta, names, np.append(sign, 1.0), rows)
        return free.estimates(kind)

    def _free_objective(self, rows: Rows) -> Objective:
        """Build the likelihood in the coefficients and the logit of c."""
        strength = self._strength(rows)
        return penalized_objective(ProductLoss(), rows, strength, self.fit_intercept, CONSTANT)

    def _posterior_parameters(self) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
        """Return the parameters of the posterior of all rows, those of both samples."""
        if not self.fit_intercept:
            return self._parameters(None)
        intercept = float(self.intercept_[0])
        shift = Sampling.of_model(self).population_logit(0.0, self.label_frequency_)
        intercept -= self._sign * float(shift)
        return self._parameters(intercept)


def _reject_table(of: str) -> None:
    if of != "population":
        raise ValueError(
            f"`of` must be 'population' for JointLogistic; got {of!r}. PULogistic has an interval "
            "that is about the rows of the table."
        )
