"""The paper: its theory, its studies, and their results."""
