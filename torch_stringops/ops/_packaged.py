"""Operators with a kernel in Python, which packages of AOTInductor must not enter: csrc/ops/packaged.h.

A package takes one call at a time, and torch's loader waits for the previous one without releasing Python's lock (GIL).
A kernel in Python may release the lock in the middle of a call; then another thread takes it and waits for that call.
"""

import sys
from collections.abc import Callable
from typing import Any

from torch_stringops._native import overload_of
from torch_stringops._tracing import LIBRARY


def packaged(op: str) -> str:
    """The name of the operator that a package calls instead of `op`. It has no kernel in Python."""
    return f"_packaged_{op}"


def overload_below(op: str) -> Any:
    """The overload that a kernel of `register_kernel` calls: `packaged(op)` if AOTInductor traces the call."""
    virtualized = sys.modules.get("torch._inductor.virtualized")
    is_packaging = virtualized is not None and virtualized.V.aot_compilation
    return overload_of(packaged(op) if is_packaging else op)


def register_kernel(op: str, kernel: Callable[..., Any]) -> None:
    """Registers the kernel for calls with tensors that may be differentiated, even if none of them is."""
    LIBRARY.impl(op, kernel, "Autograd")
