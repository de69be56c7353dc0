"""string_tensor_unpack: strings as byte ranges of one buffer, the inverse of string_tensor_pack."""

import torch
from torch import Tensor

from torch_stringops._fake import check_strings, dynamic_size, register_fake, strings_shape
from torch_stringops._layout import can_read
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_OP = "string_tensor_unpack"


@register_fake(_OP)
def _fake(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    return *_fake_ranges(data, offsets), data.new_empty([dynamic_size()])


@register_fake(f"_{_OP}_ranges")
def _fake_ranges(data: Tensor, offsets: Tensor) -> tuple[Tensor, Tensor]:
    check_strings(_OP, data, offsets)
    shape = strings_shape(offsets)
    return offsets.new_empty(shape), offsets.new_empty(shape)


def _rows_tile(offsets: Tensor) -> bool:
    """Whether each row of strings begins where the one before it ends."""
    if offsets.dim() == 1:
        return True
    rows = offsets.reshape(-1, offsets.shape[-1])
    return bool((rows[1:, 0] == rows[:-1, -1]).all())


def string_tensor_unpack(input: StringTensor) -> tuple[Tensor, Tensor, Tensor]:
    """Lay the strings out one after the other; say where each begins and ends.

    String `i` is `symbols[begins[i]:ends[i]]`. No bytes are copied where the strings stand one after the other already,
    as those of every compact tensor and of a slice of its first axis do: `symbols` is then a view of `input.data`.
    Compiled and exported functions copy always.

    Spec: OpenVINO StringTensorUnpack-15.

    Args:
        input: strings `[*S]`.

    Returns:
        begins: int32 `[*S]`, first byte of each string.
        ends: int32 `[*S]`, the byte after the last one of each string; `begins` of the next string.
        symbols: uint8 `[num_bytes]`, the bytes of all strings in row-major order, nothing between them.

    Raises:
        TypeError: `input` holds no strings.
        ValueError: the strings together exceed 2**31 - 1 bytes, which overlapping ones can.

    See also: `string_tensor_pack`, the inverse.

    Example:
        >>> begins, ends, symbols = string_tensor_unpack(StringTensor.from_list(["OMZ", "", "GenAI"]))
        >>> begins.tolist(), ends.tolist()
        ([0, 3, 3], [3, 3, 8])
        >>> bytes(symbols.tolist())
        b'OMZGenAI'
    """
    input = strings_argument(_OP, "input", input)
    data, offsets = input.data, input.offsets
    if can_read(offsets) and offsets.numel() > 0 and _rows_tile(offsets):
        begins, ends = torch.ops.stringops._string_tensor_unpack_ranges(data, offsets)
        corners = offsets.reshape(-1)
        first, last = int(corners[0]), int(corners[-1])
        symbols = data[first:last]
    else:
        begins, ends, symbols = torch.ops.stringops.string_tensor_unpack(data, offsets)
    if input.ndim == 0:
        return begins.reshape(()), ends.reshape(()), symbols
    return begins, ends, symbols
