"""Empty virtual environments, and commands run in them far from the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_TOOLS = ("build", "twine", "uv")
_SECONDS = 600
_PROGRAMS = Path(__file__).parent / "programs"
# What would let an environment see more than what is installed in it, or show less.
_HIDDEN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONWARNINGS")


class CheckError(Exception):
    """Something is not as it should be, with what was printed."""


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    """Run a command and return what it printed; it must end well."""
    inherited = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=inherited | variables,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode:
        words = " ".join(map(str, command))
        raise CheckError(f"{words}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclass(frozen=True)
class Tools:
    """An environment with what builds, checks and installs distributions."""

    folder: Path

    def run(self, tool: str, *arguments: str | Path, cwd: Path) -> str:
        """Run one of the tools."""
        return run(self.folder / "bin" / tool, *arguments, cwd=cwd)


def make_tools(scratch: Path) -> Tools:
    """Install the newest tools."""
    folder = scratch / "tools"
    run(sys.executable, "-m", "venv", folder, cwd=scratch)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *_TOOLS, cwd=scratch)
    return Tools(folder)


@dataclass(frozen=True)
class Environment:
    """An environment with the wheel, one extra and nothing else.

    Attributes
    ----------
    folder : Path
        The environment.
    cwd : Path
        An empty folder where commands are run.
    extra : str or None
        What was installed with the wheel.
    """

    folder: Path
    cwd: Path
    extra: str | None

    def program(self, name: str, *arguments: str | Path, **variables: str) -> str:
        """Run a file of `programs`; warnings are errors in it."""
        file = _PROGRAMS / f"{name}.py"
        return self.python("-W", "error", file, *arguments, **variables)

    def python(self, *arguments: str | Path, **variables: str) -> str:
        """Run the interpreter, which must not see the folder of a program."""
        python = self.folder / "bin" / "python"
        return run(python, "-P", *arguments, cwd=self.cwd, **variables)

    def unlabeled(self, *arguments: str | Path) -> str:
        """Run the command."""
        return run(self.folder / "bin" / "unlabeled", *arguments, cwd=self.cwd)


def make_environment(
    tools: Tools, scratch: Path, wheel: Path, extra: str | None, besides: tuple[str, ...]
) -> Environment:
    """Install the wheel with an extra, and what its user brings, into an empty environment."""
    folder, cwd = scratch / f"with-{extra}", scratch / f"cwd-{extra}"
    cwd.mkdir()
    tools.run("uv", "venv", "--quiet", "--python", sys.executable, folder, cwd=cwd)
    asked = str(wheel) if extra is None else f"{wheel}[{extra}]"
    tools.run("uv", "pip", "install", "--quiet", "--python", folder, asked, *besides, cwd=cwd)
    return Environment(folder, cwd, extra)
