"""The encoding of strings: UTF-8, code points, bytes."""

import torch
from torch import Tensor

from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument
from torch_stringops.functions import function_of
from torch_stringops.ops import encoding as ops
from torch_stringops.string_tensor import StringTensor

string_is_utf8 = function_of(StringTensor.is_utf8)
string_repair = function_of(StringTensor.repair)
string_codepoints = function_of(StringTensor.codepoints)
string_bytes = function_of(StringTensor.bytes)


@named
def string_from_codepoints(values: Tensor, row_splits: Tensor) -> StringTensor:
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
    return StringTensor(*ops.string_from_codepoints(codepoints, row_splits_argument(op, row_splits)))
