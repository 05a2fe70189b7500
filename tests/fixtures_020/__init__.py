"""Files that 0.2.0 wrote, which later versions must read and continue."""
