"""The types of exceptions for bad arguments, by torch version."""

import torch

# C++ throws std::invalid_argument, which is ValueError in Python until torch 2.15 makes RuntimeError of all that the
# kernels of a stable ABI throw, with the same text. What Python code raises, fakes among it, stays ValueError.
_VERSION = tuple(int(part) for part in torch.__version__.split(".")[:2])
BAD_ARGUMENT: tuple[type[Exception], ...] = (
    (ValueError,) if _VERSION < (2, 15) else (ValueError, RuntimeError)
)
