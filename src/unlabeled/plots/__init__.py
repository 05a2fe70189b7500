"""Pictures in scikit-learn's manner: `from_*` computes, `frame` gives the numbers, `plot` draws."""

from ._cut_curve import CutCurveDisplay

__all__ = ["CutCurveDisplay"]
