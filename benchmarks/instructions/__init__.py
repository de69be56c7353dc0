"""How many instructions the kernels take on small fixed inputs: a guard against slow decay, on any machine.

`make instructions` counts with callgrind and compares with counts.txt; see CONTRIBUTING.md.
"""
