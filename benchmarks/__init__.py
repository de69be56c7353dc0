"""Benchmarks of the operators against alternatives from other libraries. Run with `python -m benchmarks`."""
