"""The types of exceptions for bad arguments, by torch version."""

from support.versions import TORCH

# C++ throws std::invalid_argument, which is ValueError in Python. Since torch 2.15 every exception of a stable ABI
# kernel is a RuntimeError, with the same text. Python code, including fakes, still raises ValueError.
BAD_ARGUMENT: tuple[type[Exception], ...] = (ValueError,) if TORCH < (2, 15) else (ValueError, RuntimeError)
