"""The `unlabeled` command, which loads of its commands only the one that is run."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from .._version import __version__
from ._output import told_when_stopped

COMMANDS = {
    "compare": "Compare the methods on a table.",
    "demo": "Run all methods of the paper on embedded data.",
    "diagnose": "Check whether a table can be believed.",
    "explain": "Say what a code of a warning or finding means, and what to do.",
    "export": "Write a fitted model as ONNX, to score rows without Python.",
    "fit": "Fit a classifier to a table and decide about every row.",
    "predict": "Score the rows of a table by a fitted model.",
    "report": "Write the report of a fit as one HTML file.",
    "reproduce": "Repeat the paper's studies, or one of them.",
}
"""Each in a file of its name, and the first line of its help."""


class LoadedByName(click.Group):
    """A group that lists its commands without loading them, and what they need."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None if there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"._{cmd_name}", __package__), cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Load the command and run it; Ctrl-C ends either in the same way."""
        with told_when_stopped():
            return super().invoke(ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names and what each does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LoadedByName,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
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
