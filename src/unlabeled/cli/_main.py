"""The `unlabeled` command."""

from __future__ import annotations

import click

from .._version import __version__
from ._compare import compare
from ._demo import demo
from ._diagnose import diagnose
from ._export import export
from ._fit import fit
from ._predict import predict
from ._report import report
from ._reproduce import reproduce


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="unlabeled")
def main() -> None:
    """Learn from positive and unlabelled data.

    Some rows of a table are labelled positive; the others may be positive or
    not. Which of them probably are, how many, and how sure is that?

    \b
    Begin with
      unlabeled demo
      unlabeled fit patients.csv --label diagnosis --out ward
    """


for command in (compare, demo, diagnose, export, fit, predict, report, reproduce):
    main.add_command(command)
