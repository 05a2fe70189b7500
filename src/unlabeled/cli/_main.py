"""The `unlabeled` command: it loads only the command that is run, and gives it an exit code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from .._version import __version__
from ..engine.progress import sign_of_life

BAD_INPUT, BAD_OUTPUT, INTERRUPTED = 2, 3, 130
"""Exit codes: input that cannot be used, output that cannot be written, and Ctrl-C."""

COMMANDS = {
    "audit": "Draw rows to check by hand, and read what was found.",
    "compare": "Compare the methods on a table.",
    "demo": "Run all methods of the paper on built-in data.",
    "diagnose": "Check whether a fit to a table can be trusted.",
    "explain": "Explain the code of a warning or finding, and what to do.",
    "export": "Write a fitted model as ONNX, to score rows without Python.",
    "fit": "Fit a classifier to a table and predict every row.",
    "predict": "Score the rows of a table with a fitted model.",
    "report": "Write the report of a fit as one HTML file.",
}
"""The first line of each command's help. The command `fit` is the function `fit` in `_fit.py`."""


@contextmanager
def exit_codes() -> Iterator[None]:
    """End with a sentence and an exit code if a command cannot go on."""
    with exit_when_stopped():
        try:
            yield
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from ..app.run import InputError, OutputError  # needed only here: it loads NumPy

            if not isinstance(error, InputError | OutputError):
                raise
            ended = click.ClickException(str(error))
            code = BAD_INPUT if isinstance(error, InputError) else BAD_OUTPUT
            ended.exit_code = code  # type: ignore[misc]  # click declares it for the class
            raise ended from None


@contextmanager
def exit_when_stopped(sentence: str = "Stopped; nothing was written.") -> Iterator[None]:
    """End with a sentence instead of a traceback when the user presses Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"\n{sentence}", err=True)
        sys.exit(INTERRUPTED)


def _respelled(argument: str) -> str:
    name, equals, value = argument.partition("=")
    if not name.startswith("--"):
        return argument
    return name.replace("labelled", "labeled") + equals + value


def _reject_twice(command: click.Command, arguments: list[str]) -> None:
    """Reject an option that takes one value and comes twice: one of them would be ignored."""
    given = Counter(one.partition("=")[0] for one in arguments)
    for option in command.params:
        if not isinstance(option, click.Option) or option.multiple or option.is_flag:
            continue
        for name in option.opts:
            if given[name] > 1:
                raise click.UsageError(
                    f"`{name}` must be given once; got it {given[name]} times. Leave all but one "
                    "out."
                )


class LoadedByName(click.Group):
    """A group that lists its commands without loading them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; None for an unknown name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"._{cmd_name}", __package__), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an option may also be spelled "labelled", and comes once."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            meant = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean {meant[0]!r}?" if meant else f"There are {', '.join(COMMANDS)}."
            ctx.fail(f"{args[0]!r} is no command. {hint}")
        found = super().resolve_command(ctx, [_respelled(argument) for argument in args])
        if found[1] is not None:
            _reject_twice(found[1], found[2])
        return found

    def invoke(self, ctx: click.Context) -> Any:
        """Load the command and run it; what cannot go on ends with one sentence."""
        with exit_codes(), sign_of_life(sys.stdout):
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
    """Learn from positive and unlabeled data.

    Some rows of a table are labeled positive. The others may be positive or
    not. This program estimates which of them are positive, how many, and how
    certain that is.

    \b
    Start with
      unlabeled demo
      unlabeled fit patients.csv --label diagnosis --out ward
    """
