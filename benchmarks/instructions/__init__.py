"""Instruction counts of the kernels on small fixed inputs, to detect regressions on any machine.

`make instructions` counts with callgrind and compares with counts.txt; see CONTRIBUTING.md.
"""
