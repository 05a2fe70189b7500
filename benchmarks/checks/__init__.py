"""How often the checks fire on real data whose labels are hidden completely at random.

``python -m benchmarks.checks --out docs/check_rates --data FOLDER`` writes the page `index.rst`
and the numbers `rates.csv`. Each diagnosis is added to `records.jsonl` as it is made; a second
run continues from there.
"""
