"""What a hundred checked rows are worth: coverage, length, cuts, class priors and tests.

``make audit`` runs the studies, each a module, into `docs/audit`, and `page` writes the page there.
"""
