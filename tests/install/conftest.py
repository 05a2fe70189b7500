"""No tests of pytest here: these programs are run by interpreters of their own."""

collect_ignore_glob = ["*.py"]
