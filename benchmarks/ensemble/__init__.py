"""Studies of the ensemble: beside the line and a forest, its choices, its cost.

``make ensemble`` runs the studies, each a module, into `docs/ensemble`, and `page` writes the page
there.
"""
