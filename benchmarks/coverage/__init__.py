"""How often intervals contain the truth and tests reject: measured, with their error."""
