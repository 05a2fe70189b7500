"""Run all benchmarks."""

from benchmarks import against_logistic_regression, growth

if __name__ == "__main__":
    against_logistic_regression.main()
    growth.main()
