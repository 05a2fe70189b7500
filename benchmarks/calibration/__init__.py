"""Whether the posterior is calibrated: predict_proba against the true classes at c = 1/2."""
