"""string_tensor_pack: strings gathered from byte ranges of one buffer."""

import math

import torch
from torch import Tensor

from torch_stringops._fake import (
    check_dtype,
    check_rank,
    check_result_offsets,
    check_same_device,
    check_tensor,
    dtype_name,
    new_strings,
    register_fake,
    shape_text,
)
from torch_stringops._library import operator
from torch_stringops.string_tensor import StringTensor

_OP = "string_tensor_pack"

_pack = operator(_OP)


@register_fake(_OP)
def _fake(begins: Tensor, ends: Tensor, symbols: Tensor) -> tuple[Tensor, Tensor]:
    check_same_device(_OP, begins=begins, ends=ends, symbols=symbols)
    if begins.dtype not in (torch.int32, torch.int64):
        raise ValueError(f"{_OP}: expected `begins` to be int32 or int64, got {dtype_name(begins.dtype)}")
    if ends.dtype != begins.dtype:
        raise ValueError(
            f"{_OP}: expected `ends` to be {dtype_name(begins.dtype)} like `begins`, got {dtype_name(ends.dtype)}"
        )
    if begins.dim() != ends.dim():
        raise ValueError(
            f"{_OP}: expected `ends` of the shape of `begins` {shape_text(begins)}, got shape {shape_text(ends)}"
        )
    if begins.dim() == 0:
        raise ValueError(f"{_OP}: expected `begins` of rank >= 1, got a scalar (use .reshape(1))")
    for dim in range(begins.dim()):
        torch._check(begins.shape[dim] == ends.shape[dim])
    check_dtype(_OP, "symbols", symbols, torch.uint8)
    check_rank(_OP, "symbols", symbols, 1)
    check_result_offsets(_OP, math.prod([*begins.shape[:-1], begins.shape[-1] + 1]))
    return new_strings(symbols, list(begins.shape))


def string_tensor_pack(begins: Tensor, ends: Tensor, symbols: Tensor) -> StringTensor:
    """Gather strings from byte ranges of one buffer.

    String `i` is `symbols[begins[i]:ends[i]]`. Ranges may overlap, repeat, leave gaps and come in any order.

    Spec: OpenVINO StringTensorPack-15. Differs: ranges outside `symbols` are an error, not undefined.

    Args:
        begins: int32 or int64 `[*S]`, first byte of each string.
        ends: like `begins`, the byte after the last one of each string.
        symbols: uint8 `[num_symbols]`, the bytes.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        TypeError: an argument is not a tensor.
        ValueError: shapes or dtypes differ, a range is not `0 <= begin <= end <= num_symbols`, or the result exceeds
            2**31 - 1 bytes.

    Example:
        >>> symbols = torch.tensor(list(b"IntelOpenVINO"), dtype=torch.uint8)
        >>> string_tensor_pack(torch.tensor([0, 5]), torch.tensor([5, 13]), symbols).tolist()
        ['Intel', 'OpenVINO']
    """
    check_tensor(_OP, "begins", begins)
    check_tensor(_OP, "ends", ends)
    if begins.dim() == 0 and ends.dim() == 0:
        data, offsets = _pack(begins.reshape(1), ends.reshape(1), symbols)
        return StringTensor(data, offsets).reshape(())
    return StringTensor(*_pack(begins, ends, symbols))
