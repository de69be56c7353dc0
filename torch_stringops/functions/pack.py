"""Strings as byte ranges of one buffer."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops.ops import pack as ops
from torch_stringops.string_tensor import StringTensor


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
    for name, t in (("begins", begins), ("ends", ends), ("symbols", symbols)):
        check_tensor("string_tensor_pack", name, t)
    return StringTensor(*ops.string_tensor_pack(begins, ends, symbols), scalar=begins.dim() == 0)


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
    return ops.string_tensor_unpack(strings_argument("string_tensor_unpack", "input", input))
