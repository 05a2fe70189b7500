"""How often the checks fire on real data whose labels are hidden completely at random."""
