"""What a default fit tells about eleven tables and the nine sets, beside the truth."""
