"""From a table to a decision: tables, models as files, and the report.

Needs ``pip install 'unlabeled[tables]'``.
"""
