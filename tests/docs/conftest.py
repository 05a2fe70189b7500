"""The summary of a fit, for the page about the report."""

from __future__ import annotations

from tests.app.report.fitted_summary import fit, made_summary, summary

__all__ = ["fit", "made_summary", "summary"]
