"""What the fake (shape) functions of the operators share.

A fake sees shapes and dtypes, never values. It repeats the metadata checks of `csrc/ops/check.h` in the same words, so
that a wrong call fails the same way under tracing; `tests/test_registry.py` compares the two.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

F = TypeVar("F", bound=Callable[..., Any])

# A dimension: an int, or a SymInt under tracing.
Size = Any

# Bytes that int32 offsets address, and offsets of one tensor.
MAX_BYTES = MAX_OFFSETS = 2**31 - 1


def register_fake(op: str) -> Callable[[F], F]:
    """Register the decorated function as the fake of `torch.ops.stringops.<op>`."""
    register: Callable[[F], F] = torch.library.register_fake(f"stringops::{op}")
    return register


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def shape_text(t: Tensor) -> str:
    return "[" + ", ".join(str(s) for s in t.shape) + "]"


def check_tensor(op: str, name: str, value: Any) -> None:
    """Before a public function asks `value` for anything; the operators' own arguments are checked by torch."""
    if not isinstance(value, Tensor):
        cure = f" (pass torch.tensor({name}))" if isinstance(value, list | tuple) else ""
        raise TypeError(f"{op}: expected `{name}` to be a Tensor, got {type(value).__name__}{cure}")


def check_dtype(op: str, name: str, t: Tensor, expected: torch.dtype) -> None:
    if t.dtype != expected:
        want = dtype_name(expected)
        raise ValueError(
            f"{op}: expected `{name}` to be {want}, got {dtype_name(t.dtype)} (convert with .to(torch.{want}))"
        )


def check_rank(op: str, name: str, t: Tensor, expected: int) -> None:
    if t.dim() != expected:
        raise ValueError(f"{op}: expected `{name}` of rank {expected}, got shape {shape_text(t)}")


def check_most(op: str, name: str, count: Size, most: int, unit: str) -> None:
    """Sizes that are numbers are checked; what tracing calls by a symbol is left to the run."""
    if type(count) is int and count > most:
        raise ValueError(f"{op}: expected `{name}` of at most {most} {unit}, got {count} (split the batch)")


def check_result_offsets(op: str, count: Size) -> None:
    if type(count) is int and count > MAX_OFFSETS:
        raise ValueError(
            f"{op}: the result needs {count} offsets; a tensor has at most {MAX_OFFSETS} (split the batch)"
        )


def check_same_device(op: str, **tensors: Tensor) -> None:
    """The real operators run on the CPU alone; a call that mixes devices must not reach one with a fake tensor."""
    devices = {t.device.type for t in tensors.values()}
    if len(devices) > 1:
        names = ", ".join(f"`{name}` on {t.device.type}" for name, t in tensors.items())
        raise ValueError(f"{op}: expected all tensors on one device, got {names}")


def check_strings(
    op: str, data: Tensor, offsets: Tensor, data_name: str = "data", offsets_name: str = "offsets"
) -> None:
    check_same_device(op, **{data_name: data, offsets_name: offsets})
    check_dtype(op, data_name, data, torch.uint8)
    check_rank(op, data_name, data, 1)
    traced = torch.compiler.is_compiling()
    if not traced:
        check_most(op, data_name, data.shape[0], MAX_BYTES, "bytes")
    check_dtype(op, offsets_name, offsets, torch.int32)
    if offsets.dim() < 1 or (isinstance(offsets.shape[-1], int) and offsets.shape[-1] < 1):
        raise ValueError(
            f"{op}: expected `{offsets_name}` of shape [..., n + 1] with n >= 0, got shape {shape_text(offsets)}"
        )
    if not traced:
        check_most(op, offsets_name, offsets.numel(), MAX_OFFSETS, "elements")


def strings_shape(offsets: Tensor) -> list[Size]:
    """Shape of the string tensor that `offsets` describes."""
    return [*offsets.shape[:-1], offsets.shape[-1] - 1]


def dynamic_size(minimum: int = 0, maximum: int | None = None) -> Size:
    """A size that only the data decides. On plain meta tensors, which have no data, this raises, as aten's ops do.

    It must be a bare dimension of a result: tracing finds no symbol in `size + 1`.
    """
    return torch.library.get_ctx().new_dynamic_size(min=minimum, max=maximum)


def new_strings(like: Tensor, shape: list[Size | None]) -> tuple[Tensor, Tensor]:
    """`data` of unknown size, `offsets` for strings of `shape`; a last size of None is one that the data decides."""
    data = like.new_empty([dynamic_size()], dtype=torch.uint8)
    *leading, last = shape
    offsets: list[Size] = [*leading, dynamic_size(minimum=1) if last is None else last + 1]
    return data, like.new_empty(offsets, dtype=torch.int32)
