"""The house measured: lengths of files and functions, and which layer imports which."""
