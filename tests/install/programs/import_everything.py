"""Import every part of the package; one that cannot be must name an extra that is not here."""

import pkgutil
import re
import sys
from importlib import import_module

import unlabeled

SENTENCE = re.compile(r"\S+ needs \S+, which is not installed: pip install 'unlabeled\[(\S+)\]'\.")

installed = sys.argv[1]
for part in pkgutil.iter_modules(unlabeled.__path__, "unlabeled."):
    try:
        import_module(part.name)
    except ImportError as error:
        sentence = SENTENCE.fullmatch(str(error))
        if sentence is None or sentence.group(1) == installed:
            raise
        print(error)
