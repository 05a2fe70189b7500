"""What can be repaired if labels were not given at random: by names, by checked rows."""
