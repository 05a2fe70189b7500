"""Make the pictures of the README again: ``python docs/readme_pictures.py FOLDER``.

The folder has the UCI sets, with `adult.csv.gz` among them. Needs matplotlib, playwright and a
Chromium. Both pictures are written to `docs/_static/`.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright

from unlabeled.cli import main

STATIC = Path(__file__).parent / "_static"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH, HEIGHT = 1080, 1960


def run(*command: str, folder: Path) -> None:
    """Run a command of the library in a folder."""
    with contextlib.chdir(folder):
        main(command, standalone_mode=False)


def draw_f1_pu_curve(folder: Path) -> None:
    """Take the picture of ``unlabeled demo``."""
    run("demo", "--out", "demo", "--quiet", folder=folder)
    shutil.copy(folder / "demo" / "f1_pu_curve.png", STATIC)


def fit_adult(data: Path, folder: Path) -> Path:
    """Fit the first table of the tutorial and return its report."""
    adult = pd.read_csv(data / "adult.csv.gz")
    rich, rng = adult.pop("y") == 1, np.random.default_rng(0)
    known = rich & (rng.random(len(adult)) < 0.3)
    adult["known"] = np.where(known, "rich", None)
    adult.to_csv(folder / "adult.csv", index=False)
    run("fit", "adult.csv", "--label", "known", "--out", "adult", folder=folder)
    return folder / "adult" / "report.html"


def photograph(page: Path) -> None:
    """Take the top of a report as a browser shows it."""
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        opened = started.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        opened.goto(page.as_uri())
        taken = Image.open(BytesIO(opened.screenshot()))
        started.close()
    taken.quantize(64).save(STATIC / "report.png", optimize=True)  # a third of the bytes


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        draw_f1_pu_curve(Path(name))
        photograph(fit_adult(Path(sys.argv[1]), Path(name)))
