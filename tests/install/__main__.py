"""Build the distributions, look into them, and use the wheel in empty environments.

Needs a package index. Ends with 1 if anything is not as it should be.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .distributions import (
    Distributions,
    build,
    check_metadata,
    check_sdist,
    check_tests_of_the_sdist,
    check_wheel,
    check_wheel_from_the_tree,
)
from .environments import CheckError, Tools, make_environment, make_tools
from .uses import BROUGHT, uses_of

_NAME, _RESULT = 14, 8


def main() -> None:
    """Check the distributions, then each extra alone and none; print a line for each check."""
    parser = argparse.ArgumentParser(prog="python -m tests.install", description=__doc__)
    parser.add_argument("--extra", action="append", help="only this one; may be given again")
    chosen = parser.parse_args().extra
    results = Results()
    with tempfile.TemporaryDirectory(prefix="unlabeled-install-") as name:
        scratch = Path(name)
        tools = make_tools(scratch)
        built = build(tools, scratch)
        check_distributions(results, tools, built, scratch)
        for extra in [None, *built.extras()]:
            if not chosen or extra in chosen:
                check_extra(results, tools, built, extra, scratch)
    sys.exit(results.status())


@dataclass
class Results:
    """What was checked, printed as it comes."""

    n_checks: int = 0
    failed: list[str] = field(default_factory=list)

    def check(self, of: str, what: str, function: Callable[[], object]) -> bool:
        """Run one check; say whether it passed."""
        start, why = time.monotonic(), None
        try:
            function()
        except CheckError as error:
            why = str(error)
        self.n_checks += 1
        seconds = time.monotonic() - start
        print(f"{of:{_NAME}} {'FAILED' if why else 'passed':{_RESULT}} {seconds:5.1f} s  {what}")
        if why:
            self.failed.append(f"{of}: {what}")
            print(f"\n{why}\n")
        return why is None

    def status(self) -> int:
        """Sum up; 0 if all is well."""
        print(f"\n{self.n_checks - len(self.failed)} of {self.n_checks} checks passed.")
        for name in self.failed:
            print(f"FAILED {name}")
        return 1 if self.failed else 0


def check_distributions(
    results: Results, tools: Tools, built: Distributions, scratch: Path
) -> None:
    """Look at both distributions without installing them."""
    wheel, source = "wheel", "source"
    results.check(wheel, "what it holds", lambda: check_wheel(built))
    results.check(
        wheel,
        "the same from the repository",
        lambda: check_wheel_from_the_tree(tools, built, scratch),
    )
    results.check(source, "what it holds", lambda: check_sdist(built))
    results.check(source, "its own tests", lambda: check_tests_of_the_sdist(built, scratch))
    results.check("both", "metadata", lambda: check_metadata(tools, built, scratch))


def check_extra(
    results: Results, tools: Tools, built: Distributions, extra: str | None, scratch: Path
) -> None:
    """Install the wheel with one extra into an empty environment, and use it."""
    name = "no extra" if extra is None else f"[{extra}]"
    made = []

    def install() -> None:
        besides = BROUGHT.get(extra or "", ())
        made.append(make_environment(tools, scratch, built.wheel, extra, besides))

    if results.check(name, "installs", install):
        (environment,) = made
        for use in uses_of(extra):
            results.check(name, use.__name__.replace("_", " "), lambda use=use: use(environment))


if __name__ == "__main__":
    main()
