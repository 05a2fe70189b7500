"""The number of positives: how often its interval holds the truth, and how long it is."""
