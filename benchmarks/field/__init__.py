"""The comparison with the field: our classifiers, the paper's and those of other packages.

``python -m benchmarks.field --out DIR --data FOLDER`` runs it through the runner of the
reproduction (`unlabeled.paper.studies`) and writes records, tables, figures and a page.
"""
