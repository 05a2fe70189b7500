"""The `unlabeled` command."""

from __future__ import annotations

import click

from .._version import __version__
from ._demo import demo
from ._diagnose import diagnose
from ._report import report
from ._reproduce import reproduce


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="unlabeled")
def main() -> None:
    """Learn from positive and unlabelled data.

    Some rows of a table are labelled positive; the others may be positive or
    not. Try `unlabeled demo`, or `unlabeled diagnose` on a table of your own.
    """


main.add_command(demo)
main.add_command(diagnose)
main.add_command(report)
main.add_command(reproduce)
