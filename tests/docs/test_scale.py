"""The snippets of the page on scale run, one after the other."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scale.rst"


def snippets() -> list[str]:
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text, re.MULTILINE)
    return [re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in blocks]


def test_the_snippets_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = snippets()
    assert len(found) >= 4
    names: dict = {}
    for snippet in found:
        if "LocalCluster" not in snippet:  # the cluster has tests of its own
            exec(snippet, names)
    assert 0 < float(names["probability"][:, 1].mean().compute()) < 1
