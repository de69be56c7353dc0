"""Strings as byte ranges of one buffer."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.ops import pack as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_tensor_pack(begins: Tensor, ends: Tensor, symbols: Tensor) -> StringTensor:
    """Gathers strings from byte ranges of a buffer.

    String `i` is `symbols[begins[i]:ends[i]]`. Ranges may overlap, repeat, leave gaps and come in any order.

    Spec: OpenVINO StringTensorPack-15. Difference: ranges outside `symbols` are an error instead of undefined behavior.

    Args:
        begins: int32 or int64 `[*S]`, position of the first byte of each string.
        ends: same dtype and shape as `begins`, position after the last byte of each string.
        symbols: uint8 `[num_symbols]`, the bytes.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        TypeError: an argument is not a tensor.
        ValueError: shapes or dtypes differ, `0 <= begin <= end <= num_symbols` does not hold for a range, or the
            result exceeds 2**31 - 1 bytes.

    Example:
        >>> symbols = torch.tensor(list(b"IntelOpenVINO"), dtype=torch.uint8)
        >>> string_tensor_pack(torch.tensor([0, 5]), torch.tensor([5, 13]), symbols).tolist()
        ['Intel', 'OpenVINO']
    """
    for name, t in (("begins", begins), ("ends", ends), ("symbols", symbols)):
        check_tensor("string_tensor_pack", name, t)
    return StringTensor(*ops._string_tensor_pack(begins, ends, symbols), scalar=begins.dim() == 0)


@named
def string_tensor_unpack(input: StringsLike) -> tuple[Tensor, Tensor, Tensor]:
    """Returns the bytes of all strings in one buffer, and the byte range of each string.

    String `i` is `symbols[begins[i]:ends[i]]`. Zero-copy if the strings are adjacent in `input.data`, as those of a
    compact tensor and of a slice of its first axis are: `symbols` is then a view of `input.data`. Compiled and exported
    functions always copy.

    Spec: OpenVINO StringTensorUnpack-15.

    Args:
        input: strings `[*S]`.

    Returns:
        begins: int32 `[*S]`, position of the first byte of each string.
        ends: int32 `[*S]`, position after the last byte of each string, which is `begins` of the next string.
        symbols: uint8 `[num_bytes]`, the bytes of all strings in row-major order, without gaps.

    Raises:
        TypeError: `input` cannot be converted to strings.
        ValueError: overlapping strings exceed 2**31 - 1 bytes in total.

    See also: `string_tensor_pack`, the inverse.

    Example:
        >>> begins, ends, symbols = string_tensor_unpack(StringTensor.from_list(["OMZ", "", "GenAI"]))
        >>> begins.tolist(), ends.tolist()
        ([0, 3, 3], [3, 3, 8])
        >>> bytes(symbols.tolist())
        b'OMZGenAI'
    """
    return ops._string_tensor_unpack(strings_argument("string_tensor_unpack", "input", input))
