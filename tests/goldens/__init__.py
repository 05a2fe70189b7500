"""Numbers of 0.2.0 that later versions must give again: `make goldens`."""
