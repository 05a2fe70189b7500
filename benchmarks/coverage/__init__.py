"""How often intervals hold the truth and tests reject: measured, with their error."""
