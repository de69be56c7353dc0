"""The check of strings that enter an exported program, or a package of AOTInductor."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._checks import check_strings, shape_text
from torch_stringops._native import operator
from torch_stringops._tracing import Size, dynamic_size, known, register_fake
from torch_stringops.ops._packaged import overload_below, packaged, register_kernel

_OP, _FUNCTION = "_check_strings", "export"


@register_fake(packaged(_OP))
@register_fake(_OP)
def _fake(
    data: Tensor,
    offsets: Tensor,
    sizes: list[Size],
    num_bytes: Size | None,
    data_name: str,
    offsets_name: str,
) -> Tensor:
    check_strings(_FUNCTION, data, offsets, data_name, offsets_name)
    _check_shape(offsets_name, offsets, sizes)
    if num_bytes is not None:
        _check_shape(data_name, data, [num_bytes])
    return data.new_empty([dynamic_size(), 0])


def _check_shape(name: str, t: Tensor, expected: list[Size]) -> None:
    if t.dim() != len(expected):
        raise ValueError(
            f"{_FUNCTION}: expected `{name}` of rank {len(expected)}, as in the example, got shape {shape_text(t)} "
            "(export with an example of this rank)"
        )
    if any(known(size != other) for size, other in zip(t.shape, expected, strict=True)):
        want = ", ".join(map(str, expected))
        raise ValueError(f"{_FUNCTION}: expected `{name}` of shape [{want}], got shape {shape_text(t)}")


def _kernel(*args: Any) -> Any:
    with torch._C._AutoDispatchBelowAutograd():
        return overload_below(_OP)(*args)


register_kernel(_OP, _kernel)

_check_strings = operator(_OP)


def check_strings_as_now(data: Tensor, offsets: Tensor, data_name: str, offsets_name: str) -> None:
    """Adds a check to the traced graph that strings have the rank, dtypes and sizes that tracing knows of these."""
    checked = _check_strings(data, offsets, list(offsets.shape), data.shape[0], data_name, offsets_name)
    torch._check(checked.shape[0] > 0)  # the compiler would drop the call without an effect
