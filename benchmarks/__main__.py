"""Run all benchmarks."""

from benchmarks import (
    against_logistic_regression,
    growth,
    in_memory,
    large_table,
    sparse_text,
)

if __name__ == "__main__":
    against_logistic_regression.main()
    in_memory.main()
    growth.main()
    large_table.main()
    sparse_text.main()
