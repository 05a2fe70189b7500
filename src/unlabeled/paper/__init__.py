"""The paper: its theory, its studies, and what comes of them."""
