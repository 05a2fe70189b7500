"""The snippets of the page on scale run, one after the other."""

from tests.docs.pages import blocks_of


def test_the_snippets_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks_of("scale", "python")
    assert len(found) >= 4
    names: dict = {}
    for snippet in found:
        if "LocalCluster" not in snippet:  # the cluster has tests of its own
            exec(snippet, names)
    assert 0 < float(names["probability"][:, 1].mean().compute()) < 1
