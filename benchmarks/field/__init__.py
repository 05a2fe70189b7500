"""The comparison with the field: our classifiers, the paper's and those of other packages.

``python -m benchmarks.field --out DIR --data FOLDER`` runs it through the runner of the
reproduction (`reproduction.studies`) and writes records, tables, figures and a page.
"""
