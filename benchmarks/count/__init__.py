"""The number of positives: how often its interval holds the truth, how long it is, how right words are."""
