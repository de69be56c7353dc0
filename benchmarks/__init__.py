"""Speed of the operators, against what a user would otherwise write. Run with `python -m benchmarks`."""
