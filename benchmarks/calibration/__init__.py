"""Whether the posterior is calibrated: predict_proba against the true classes at c = 1/2.

``python -m benchmarks.calibration --out docs/calibration --data FOLDER`` writes the page
`index.rst`, the numbers `calibration.csv` and the figure `reliability.png`.
"""
