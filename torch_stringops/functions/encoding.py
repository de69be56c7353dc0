"""The encoding of strings: UTF-8, code points, bytes."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument
from torch_stringops._types import IntsLike
from torch_stringops.ops import encoding as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_from_codepoints(values: IntsLike, row_splits: IntsLike) -> StringTensor:
    """Makes a string of each ragged row of code points, like Python's `"".join(map(chr, row))`.

    Args:
        values: int32 or int64 `[T]`, the code points of all rows.
        row_splits: int64 `[N + 1]`, in elements: row i is `values[row_splits[i]:row_splits[i + 1]]`.

    Returns:
        Strings `[N]`, compact, valid UTF-8.

    Raises:
        ValueError: a value is a surrogate (55296 to 57343) or not within 0 and 1114111, and the message gives its
            position; `row_splits` is malformed; or the result exceeds 2**31 - 1 bytes.

    See also: `string_codepoints`, the inverse.

    Example:
        >>> values, row_splits = StringTensor.from_list(["aé", "", "😀"]).codepoints()
        >>> string_from_codepoints(values, row_splits).tolist()
        ['aé', '', '😀']
    """
    op = "string_from_codepoints"
    codepoints = tensor_argument(op, "values", values, torch.int64)
    return StringTensor(*ops._string_from_codepoints(codepoints, row_splits_argument(op, row_splits)))


@named
def string_from_bytes(data: Tensor, row_splits: IntsLike) -> StringTensor:
    """Makes a string of each ragged row of bytes; the inverse of `string_bytes`.

    Args:
        data: uint8 `[T]`, the bytes of all rows. A contiguous tensor is shared and not copied, so it must not change
            afterwards.
        row_splits: int64 or int32 `[N + 1]`: row i is `data[row_splits[i]:row_splits[i + 1]]`.

    Returns:
        Strings `[N]`, compact. They need not be valid UTF-8.

    Raises:
        TypeError: `data` is not a tensor.
        ValueError: a dtype or shape is not as above, or `row_splits` is not non-decreasing from 0 to T.

    See also: `string_from_codepoints`; `StringTensor(data, offsets)`, which takes the int32 offsets as they are.

    Example:
        >>> import torch
        >>> data = torch.tensor([97, 195, 169, 98], dtype=torch.uint8)
        >>> string_from_bytes(data, torch.tensor([0, 3, 3, 4])).tolist()
        ['aé', '', 'b']
    """
    return StringTensor(*ops.from_bytes(data, row_splits_argument("string_from_bytes", row_splits)))


string_is_utf8 = function_of(StringTensor.is_utf8)
string_repair = function_of(StringTensor.repair)
string_codepoints = function_of(StringTensor.codepoints)
string_bytes = function_of(StringTensor.bytes)
