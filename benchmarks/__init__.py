"""Speed of the operators beside what a user would otherwise write. Run with `python -m benchmarks`."""
