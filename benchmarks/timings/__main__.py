"""Run all benchmarks."""

from benchmarks.ensemble import cost

from . import (
    against_logistic_regression,
    evaluations,
    growth,
    in_memory,
    large_table,
    larger_than_memory,
    larger_than_memory_table,
    sparse_text,
)

if __name__ == "__main__":
    against_logistic_regression.main()
    in_memory.main()
    growth.main()
    cost.main()
    large_table.main()
    sparse_text.main()
    evaluations.main()
    larger_than_memory.main()
    larger_than_memory_table.main()
