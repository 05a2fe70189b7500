"""scikit-learn's base classes, and one decorator, with types for those who use our classes.

scikit-learn has no types. A type checker therefore knows nothing of its classes, and takes every
attribute of a class that inherits from them as right. It sees what is written below instead; at
run time these names are scikit-learn's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, TypeVar

    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRequest

    Method = TypeVar("Method", bound=Callable[..., Any])

    def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
        """Hide a method of estimators for which `check` raises or is false."""

    class BaseEstimator:
        """What every estimator has."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""

        def set_params(self, **params: Any) -> Self:
            """Set parameters by name."""

        def get_metadata_routing(self) -> MetadataRequest:
            """Return which arguments the estimator asks for."""

        def set_fit_request(self, **requests: bool | str | None) -> Self:
            """Ask for arguments of `fit`, such as ``groups=True``."""

        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...
        def __sklearn_clone__(self) -> Self: ...
        def __sklearn_tags__(self) -> Tags: ...
        @classmethod
        def _get_param_names(cls) -> list[str]: ...

    class ClassifierMixin:
        """What every classifier has beside."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            """Return how good the predictions are."""

        def set_score_request(self, **requests: bool | str | None) -> Self:
            """Ask for arguments of `score`, such as ``sample_weight=True``."""

    class TransformerMixin:
        """What every transformer has beside."""

        def set_output(self, *, transform: str | None = None) -> Self:
            """Choose in which form rows are returned."""

    class MetaEstimatorMixin:
        """Marks an estimator around another."""

    class BaseComposition(BaseEstimator):
        """What estimators around several named ones have beside."""

        def _get_params(self, attr: str, deep: bool = True) -> dict[str, Any]: ...
        def _set_params(self, attr: str, **params: Any) -> Self: ...

else:
    from sklearn.base import BaseEstimator as BaseEstimator
    from sklearn.base import ClassifierMixin as ClassifierMixin
    from sklearn.base import MetaEstimatorMixin as MetaEstimatorMixin
    from sklearn.base import TransformerMixin as TransformerMixin
    from sklearn.utils.metaestimators import _BaseComposition as BaseComposition  # noqa: F401
    from sklearn.utils.metaestimators import available_if as available_if
