"""What torch.compile and torch.export need: guards that do not fail, sizes that the data decides, fakes.

A fake sees shapes and dtypes, never values. It repeats the metadata checks of `csrc/ops/check.h` in the same words
(`_checks.py`), so that a wrong call fails the same way under tracing.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

F = TypeVar("F", bound=Callable[..., Any])

# A dimension: an int, or a SymInt under tracing.
Size = Any


def known(condition: Any) -> bool:
    """True if `condition` on sizes certainly holds; under tracing, False if only the data decides."""
    if isinstance(condition, bool) and not torch.compiler.is_compiling():
        return condition
    from torch.fx.experimental.symbolic_shapes import guard_or_false  # sympy: slow to import, so only here

    return bool(guard_or_false(condition))


def can_read(t: Tensor) -> bool:
    """Whether the values of `t` may decide what to do: a real tensor, and the call is not recorded."""
    return (
        not torch.compiler.is_compiling()
        and type(t) is Tensor
        and not t.is_meta
        and torch._C._len_torch_dispatch_stack() == 0
    )


def register_fake(op: str) -> Callable[[F], F]:
    """Register the decorated function as the fake of `torch.ops.stringops.<op>`."""
    register: Callable[[F], F] = torch.library.register_fake(f"stringops::{op}")
    return register


def dynamic_size(minimum: int = 0, maximum: int | None = None) -> Size:
    """A size that only the data decides. On plain meta tensors, which have no data, this raises, as aten's ops do.

    It must be a bare dimension of a result: tracing finds no symbol in `size + 1`.
    """
    return torch.library.get_ctx().new_dynamic_size(min=minimum, max=maximum)


def strings_shape(offsets: Tensor) -> list[Size]:
    """Shape of the string tensor that `offsets` describes."""
    return [*offsets.shape[:-1], offsets.shape[-1] - 1]


def new_strings(like: Tensor, shape: list[Size | None]) -> tuple[Tensor, Tensor]:
    """`data` of unknown size, `offsets` for strings of `shape`; a last size of None is one that the data decides."""
    data = like.new_empty([dynamic_size()], dtype=torch.uint8)
    *leading, last = shape
    offsets: list[Size] = [*leading, dynamic_size(minimum=1) if last is None else last + 1]
    return data, like.new_empty(offsets, dtype=torch.int32)
