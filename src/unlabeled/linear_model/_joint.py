"""JOINT: maximum likelihood for coefficients and label frequency together."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logit

from ..blocks import on_host, plus
from ..codes import warn
from ..labels import LabelledRows
from ..losses import KnownFrequencyLoss, ProductLoss
from ..objective import CONSTANT, linear_score
from ..parameters import check_choice, check_flag, check_fraction
from ..solvers import (
    LinearFit,
    LinearProblem,
    Watch,
    fit_or_keep,
    report_design,
    report_separation,
    report_step,
    scaled_tol,
)
from ._base import LinearPUClassifier
from ._given_frequency import refuse_impossible_frequency
from ._joint_fits import boundary_or, fit_by_em, fit_by_gradient, fit_by_mm
from ._joint_problem import JointFit, JointProblem
from ._joint_published import fit_published_cycle, fit_published_gradient
from ._with_covariance import Optimum
from ._with_profile import WithProfile


class JointLogistic(WithProfile, LinearPUClassifier):
    r"""Maximum likelihood for the logistic posterior and the label frequency together (JOINT).

    Assumes SCAR and a logistic posterior P(Y=1|x). Use it when both are
    believable and c is wanted: it estimates c, the class prior and a
    calibrated posterior. With ``solver="mm"`` it is the paper's MM, with
    ``"em"`` CCCP: other ways up the same likelihood, which stop at a
    stationary point of it, not always at the same one.

    Parameters
    ----------
    label_frequency : float, default=None
        The label frequency c if it is known; estimated if None.
    solver : {"lbfgs", "mm", "em"}, default="lbfgs"
        "lbfgs": starts screened on the one-dimensional score, L-BFGS, Newton
        for the last digits. "mm": minorise-maximise in turns with the best c.
        "em": expectation-maximisation, which for fixed c is CCCP.
    settings : {"converged", "published"}, default="converged"
        "published" runs the laboratory's optimiser settings on features as
        given; `tol`, `max_iter`, `accelerate` and `C` must then be left at
        their defaults.
    inner : {"exact", "published"}, default="exact"
        With published settings of "mm" and "em": the inner problem solved
        exactly, or by the laboratory's literal loop.
    accelerate : bool, default=True
        Whether "mm" and "em" extrapolate their steps (Anderson), keeping the
        likelihood monotone.
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    tol : float, default=1e-4
        The fit stops when the norm of the gradient of the mean loss, in
        coordinates in which the features are uncorrelated and of unit
        variance (in a part of the rows, where they are many), is at most
        `tol` times twice the standard deviation of the labels.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    verbose : int, default=0
        0 is silent; 1 prints about a line a second as the fit goes; 2 every
        evaluation. With 1 or more Ctrl-C keeps the best point so far
        (PU117); during the naive fit that comes first it raises.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients of the posterior.
    intercept_ : ndarray of shape (1,)
        Intercept of the posterior.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is the positive one. It is read from `intercept_`.
    posterior_line_ : tuple of float
        Intercept a and slope b of the posterior: the logit of `posterior_at` is a + b times
        the score.
    classes_ : ndarray of shape (2,)
        Label values, sorted; signs and columns follow it as in scikit-learn.
    positive_class_ : object
        The value that marks labelled rows and predicted positives,
        ``classes_[1]`` unless `positive_label` says otherwise.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features, where all of them are text.
    label_frequency_ : float
        c, estimated or as given.
    class_prior_ : float
        The share of labelled rows over c: P(Y=1) in the whole sample. At an
        interior optimum with intercept it is the mean of `predict_proba`.
    at_boundary_ : bool
        Whether the likelihood is largest at c = 1; the fit is then the naive one.
    mean_log_likelihood_ : float
        Log-likelihood of the labels, a row.
    gradient_norm_ : float
        Norm of the whitened gradient of the mean loss where the solver stopped.
    n_iter_ : int
        Iterations of the solver, of the outer loop with published settings.
    n_inner_iter_ : int
        Iterations of the inner loops of the published settings.
    converged_ : bool
        Whether this is a finite optimum to the tolerance; with published
        settings, whether the published stopping rule was met.

    See Also
    --------
    unlabeled.PULogistic : The same likelihood with a ridge, for few labels.
    unlabeled.label_frequency.OneDimensionalJoint : The same model of one score.

    Notes
    -----
    Maximises

    .. math:: \ell(b, c) = \sum_i s_i \log(c\,\sigma(x_i^Tb))
              + (1-s_i)\log(1 - c\,\sigma(x_i^Tb)),

    which is not concave. At an interior optimum the mean of
    :math:`\sigma(x_i^T\hat b)` times :math:`\hat c` is the share of labelled
    rows. `predict` cuts the posterior at 1/2.

    Normal intervals of the coefficients (`estimates`, `summary`) are too short
    where c = 1 is not ruled out, as is common with 1000 rows: nominal 95 % intervals
    of the intercept held it in 91 % of samples of the paper's design. `summary` says
    so where it is the case.

    **What breaks it:** rare positives, where :math:`c\,\sigma(t) \approx
    e^{t + \log c}` and c cannot be told from the intercept; a posterior that
    is not logistic; small samples, where c = 1 is often the optimum (PU106).

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
    >>> data = make_paper_gaussian(n=20000, c=0.6, random_state=0)
    >>> joint = JointLogistic().fit(data.X, data.s)
    >>> bool(abs(joint.label_frequency_ - 0.6) < 0.1)
    True
    """

    _takes_rows_anywhere = True

    def __init__(
        self,
        label_frequency: float | None = None,
        *,
        solver: str = "lbfgs",
        settings: str = "converged",
        inner: str = "exact",
        accelerate: bool = True,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive_label: Any = None,
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
        self.positive_label = positive_label
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("solver", self.solver, ("lbfgs", "mm", "em"))
        check_choice("settings", self.settings, ("converged", "published"))
        check_choice("inner", self.inner, ("exact", "published"))
        check_flag("accelerate", self.accelerate)
        if self.solver == "lbfgs" and not self.accelerate:
            raise ValueError("`accelerate` must be True with solver='lbfgs'; got False.")
        check_fraction("label_frequency", self.label_frequency, none_allowed=True)
        if self.settings == "published":
            self._refuse_own_settings()
        elif self.inner != "exact":
            raise ValueError(
                "`inner` must be 'exact' unless settings='published'; got 'published'."
            )

    def _refuse_own_settings(self) -> None:
        published = {
            "label_frequency": None,
            "accelerate": True,
            "C": np.inf,
            "tol": 1e-4,
            "max_iter": 1000,
        }
        for name, value in published.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"`{name}` must be left at its default, {value}, when settings='published'; "
                    f"got {getattr(self, name)!r}. Use settings='converged' to choose it."
                )

    def _fit_rows(self, rows: LabelledRows, watch: Watch) -> None:
        self._refuse_other_solvers(rows)
        refuse_impossible_frequency(self.label_frequency, rows.labelled_share)
        # MM's curvature bound holds in coordinates in which the features are exactly white.
        exact = self.solver == "mm" or self.settings == "published"
        linear = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept, exact)
        stage = watch.stage("JOINT")
        problem = JointProblem(linear.watched(stage), rows.s, self.label_frequency)
        if self.settings == "published":
            fit = fit_or_keep(stage, lambda: self._fit_published(problem), problem.kept)
            converged = fit.converged
        else:
            # No point of JOINT: what it has at Ctrl-C says nothing about c.
            naive = linear.watched(watch.stage("naive")).fit_logistic(
                rows.s, self.tol, self.max_iter
            )
            fit = fit_or_keep(stage, lambda: self._fit_converged(problem, naive), problem.kept)
            converged = fit.converged and not self._runs_away(rows, naive, fit)
        watch.finished("JOINT", fit)
        self._report(fit)
        self._set(fit, converged, rows.labelled_share)

    def _refuse_other_solvers(self, rows: LabelledRows) -> None:
        """EM and MM go over the rows' posteriors many times, which must be in memory for it."""
        if not on_host(rows.X) and (self.solver != "lbfgs" or self.settings != "converged"):
            raise ValueError(
                "`solver` must be 'lbfgs', with settings='converged', for rows in chunks or on a "
                f"device; got {self.solver!r} with settings={self.settings!r}."
            )

    def _fit_converged(self, problem: JointProblem, naive: LinearFit) -> JointFit:
        tol = scaled_tol(self.tol, problem.s, problem.rows.weight)
        if self.solver == "mm":
            fit = fit_by_mm(problem, tol, self.max_iter, self.accelerate)
        elif self.solver == "em":
            fit = fit_by_em(problem, tol, self.max_iter, self.accelerate)
        else:
            fit = fit_by_gradient(problem, naive, tol, self.max_iter)
        return boundary_or(problem, naive, fit, tol, self.max_iter)

    def _fit_published(self, problem: JointProblem) -> JointFit:
        if self.solver == "lbfgs":
            return fit_published_gradient(problem)
        return fit_published_cycle(problem, self.solver, self.inner)

    def _runs_away(self, rows: LabelledRows, naive: LinearFit, fit: JointFit) -> bool:
        """Report what makes the optimum doubtful; return whether it lies at infinity."""
        if naive.problem.objective.ridge > 0:
            return False
        report_design(rows, naive)
        if report_separation(rows, naive, self._feature_names):
            return True
        t = linear_score(rows.X, fit.theta[: self.n_features_in_])
        t = plus(t, float(fit.theta[-1])) if self.fit_intercept else t
        return report_step(rows, t, self.label_frequency, fit)

    def _report(self, fit: JointFit) -> None:
        if fit.at_boundary:
            warn(
                "PU106",
                "the likelihood is largest at label frequency 1, as if every positive row were "
                "labelled: the fit is the naive one. More rows or a known `label_frequency` help.",
            )
        if not fit.converged and not fit.interrupted:
            warn(
                "PU105",
                f"the solver stopped after {fit.n_iter} iterations with gradient norm "
                f"{fit.gradient_norm:.2g} ({fit.message}). Raise `max_iter`, or use a finite `C`.",
            )

    def _set(self, fit: JointFit, converged: bool, labelled_share: float) -> None:
        intercept = float(fit.theta[-1]) if self.fit_intercept else 0.0
        self._set_model(fit.theta[: self.n_features_in_], intercept, (intercept, 1.0))
        self.label_frequency_ = float(fit.label_frequency)
        self.class_prior_ = labelled_share / self.label_frequency_
        self.at_boundary_ = fit.at_boundary
        self.mean_log_likelihood_ = -fit.value
        self.gradient_norm_ = fit.gradient_norm
        self.n_iter_ = max(1, fit.n_iter)
        self.n_inner_iter_ = fit.n_inner_iter
        self.converged_ = converged

    def _optimum(self, rows: LabelledRows) -> Optimum:
        theta, names, c = self._theta(), self._parameter_names(), self.label_frequency_
        if self.label_frequency is not None or c == 1:
            return Optimum(self._objective(KnownFrequencyLoss(c), rows), theta, names)
        objective = self._objective(ProductLoss(), rows, CONSTANT)
        return Optimum(objective, np.append(theta, logit(c)), (*names, "logit c"))
