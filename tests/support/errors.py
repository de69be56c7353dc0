"""The types of exceptions for bad arguments, by torch version."""

import torch

# C++ throws std::invalid_argument, which is ValueError in Python. Since torch 2.15 every exception of a stable ABI
# kernel is a RuntimeError, with the same text. Python code, including fakes, still raises ValueError.
_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
BAD_ARGUMENT: tuple[type[Exception], ...] = (
    (ValueError,) if _VERSION < (2, 15) else (ValueError, RuntimeError)
)
