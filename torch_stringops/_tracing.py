"""Support for torch.compile and torch.export: guards that do not fail, data-dependent sizes, and fake kernels.

A fake kernel has shapes and dtypes, but no values. It repeats the checks of `csrc/ops/check.h` with the same messages
(`_checks.py`), so that a wrong call raises the same error under tracing.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

F = TypeVar("F", bound=Callable[..., Any])

# A dimension: an int, or a SymInt under tracing.
Size = Any

LIBRARY = torch.library.Library("stringops", "FRAGMENT")


def known(condition: Any) -> bool:
    """Whether `condition` on sizes is known to be true; False under tracing if it depends on data."""
    if isinstance(condition, bool) and not torch.compiler.is_compiling():
        return condition
    from torch.fx.experimental.symbolic_shapes import guard_or_false  # sympy: slow to import, so only here

    return bool(guard_or_false(condition))


def is_eager() -> bool:
    """Whether the call is not traced, so that new tensors are real ones."""
    return not torch.compiler.is_compiling() and torch._C._len_torch_dispatch_stack() == 0


def can_read(t: Tensor) -> bool:
    """Whether the values of `t` can be read: it is a real tensor, and the call is not traced."""
    return is_eager() and type(t) is Tensor and not t.is_meta


def register_fake(op: str) -> Callable[[F], F]:
    """Registers the decorated function as the fake kernel of `torch.ops.stringops.<op>`."""

    def register(fake: F) -> F:
        # torch searches all modules for that of the calling file, unless it has found it before: so this file calls.
        torch.library.register_fake(f"stringops::{op}", fake, lib=LIBRARY)
        return fake

    return register


def dynamic_size(minimum: int = 0, maximum: int | None = None) -> Size:
    """Creates a data-dependent size. Raises for meta tensors outside of tracing, as aten's operators do.

    It must be the size of an axis of a result itself: tracing cannot find the symbol in `size + 1`.
    """
    try:
        context = torch.library.get_ctx()
    except RuntimeError:
        raise RuntimeError(
            "expected tensors with values, got meta tensors: the shape of the result depends on the values (trace the "
            "call with torch.export, or in FakeTensorMode)"
        ) from None
    return context.new_dynamic_size(min=minimum, max=maximum)


def strings_shape(offsets: Tensor) -> list[Size]:
    """The shape of the string tensor with these `offsets`."""
    return [*offsets.shape[:-1], offsets.shape[-1] - 1]


def new_strings(like: Tensor, shape: list[Size | None]) -> tuple[Tensor, Tensor]:
    """Creates `data` of data-dependent size, and `offsets` for `shape`, whose last size is data-dependent if None."""
    data = like.new_empty([dynamic_size()], dtype=torch.uint8)
    *leading, last = shape
    offsets: list[Size] = [*leading, dynamic_size(minimum=1) if last is None else last + 1]
    return data, like.new_empty(offsets, dtype=torch.int32)
