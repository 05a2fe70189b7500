"""The paper reproduced with the library: its theory, its studies, and their results.

`python -m reproduction` runs the studies, from the top of the repository. This package is not part
of the installed library.
"""
