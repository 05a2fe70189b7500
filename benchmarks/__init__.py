"""What the library is worth, measured: studies (`make study`), timings, the field, the house."""
