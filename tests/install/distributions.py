"""Building the wheel and the source distribution, and what must be in them."""

from __future__ import annotations

import email
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from .environments import CheckError, Tools, run

ROOT = Path(__file__).parents[2]
# Tests that read more of the repository than the package: they must run in the unpacked source.
_READING = (
    "tests/docs/test_readme.py",
    "tests/engine/test_versions.py",
    "tests/docs/test_codes.py",
)


@dataclass(frozen=True)
class Distributions:
    """Both distributions, the wheel made from the source distribution."""

    sdist: Path
    wheel: Path

    def wheel_names(self) -> set[str]:
        """Names of the files in the wheel."""
        return _names_in(self.wheel)

    def sdist_names(self) -> set[str]:
        """Names of the files in the source distribution, below its one folder."""
        with tarfile.open(self.sdist) as archive:
            return {one.name.partition("/")[2] for one in archive if one.isfile()}

    def extras(self) -> list[str]:
        """Names of the extras that the wheel offers."""
        with zipfile.ZipFile(self.wheel) as archive:
            (name,) = [one for one in archive.namelist() if one.endswith(".dist-info/METADATA")]
            metadata = email.message_from_bytes(archive.read(name))
        return sorted(metadata.get_all("Provides-Extra", []))


def build(tools: Tools, scratch: Path) -> Distributions:
    """Build the source distribution, and the wheel from it."""
    out = scratch / "dist"
    tools.run("python", "-m", "build", "--installer", "uv", "--outdir", out, ROOT, cwd=scratch)
    return Distributions(next(out.glob("*.tar.gz")), next(out.glob("*.whl")))


def check_metadata(tools: Tools, built: Distributions, scratch: Path) -> None:
    """Let twine look at the metadata and at the README as a page of the index."""
    tools.run("twine", "check", "--strict", built.sdist, built.wheel, cwd=scratch)


def check_wheel(built: Distributions) -> None:
    """The wheel has the package and its license, and nothing else."""
    package = {name.removeprefix("src/") for name in _tracked("src")}
    inside = {name for name in built.wheel_names() if ".dist-info/" not in name}
    _must_be_same("the wheel and src/", inside, package)
    if "unlabeled/py.typed" not in inside:
        raise CheckError("py.typed is not in the wheel.")
    if not any(name.endswith("licenses/LICENSE") for name in built.wheel_names()):
        raise CheckError("The license is not in the wheel.")


def check_wheel_from_the_tree(tools: Tools, built: Distributions, scratch: Path) -> None:
    """A wheel built from the repository has the same files as one from the source distribution."""
    out = scratch / "from-the-tree"
    tools.run("uv", "build", "--quiet", "--wheel", "--out-dir", out, ROOT, cwd=scratch)
    _must_be_same(
        "the wheels from the source distribution and from the repository",
        built.wheel_names(),
        _names_in(next(out.glob("*.whl"))),
    )


def check_sdist(built: Distributions) -> None:
    """The source distribution has everything that is built and tested, and nothing generated."""
    inside = built.sdist_names() - {"PKG-INFO", ".gitignore"}
    tracked = _tracked(".")
    if extra := sorted(inside - tracked):
        raise CheckError(f"In the source distribution, but not in the repository: {extra[:9]}")
    for needed in (
        "src",
        "reproduction",
        "tests",
        "benchmarks",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
    ):
        if left_out := sorted(_tracked(needed) - inside):
            raise CheckError(f"Not in the source distribution: {left_out[:9]}")


def check_tests_of_the_sdist(built: Distributions, scratch: Path) -> None:
    """Tests that read the README and pages of the documentation find them when unpacked."""
    with tarfile.open(built.sdist) as archive:
        archive.extractall(scratch, filter="data")
    folder = scratch / built.sdist.name.removesuffix(".tar.gz")
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *_READING)
    run(*command, cwd=folder, PYTHONPATH=str(folder / "src"))


def _tracked(below: str) -> set[str]:
    """Files of the repository that are part of it, also new ones that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", below]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return set(found.stdout.splitlines())


def _names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def _must_be_same(what: str, first: set[str], second: set[str]) -> None:
    if first != second:
        raise CheckError(
            f"Not the same files: {what}; only in the first {sorted(first - second)[:9]}, only "
            f"in the second {sorted(second - first)[:9]}."
        )
