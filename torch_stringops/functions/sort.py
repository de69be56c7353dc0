"""Sorting, extremes and binary search, in the order of bytes."""

from __future__ import annotations

from torch_stringops._arguments import strings_argument
from torch_stringops._function_of import function_of, overloaded
from torch_stringops._names import named
from torch_stringops._types import StringsLike
from torch_stringops.ops import sort as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_sort(input: StringsLike, dim: int = -1, descending: bool = False) -> StringTensor:
    """Sorts strings along an axis, in the order of their bytes: for UTF-8, of code points, like Python's `str`.

    Args:
        input: strings `[*S]`.
        dim: the axis to sort along.
        descending: sort in descending order.

    Returns:
        Strings `[*S]`, sorted.

    Raises:
        IndexError: `dim` is out of range.

    See also: `string_argsort`; `StringTensor.sort`, which also returns the positions, as `torch.sort` does.

    Example:
        >>> string_sort(["b", "a", "é", "B"]).tolist()
        ['B', 'a', 'b', 'é']
    """
    return ops._string_sort(strings_argument("string_sort", "input", input), dim, descending)[0]


string_argsort = function_of(StringTensor.argsort)
string_min = overloaded(StringTensor.min)
string_max = overloaded(StringTensor.max)
string_argmin = function_of(StringTensor.argmin)
string_argmax = function_of(StringTensor.argmax)
string_minimum = function_of(StringTensor.minimum)
string_maximum = function_of(StringTensor.maximum)
string_topk = function_of(StringTensor.topk)
string_searchsorted = function_of(StringTensor.searchsorted)
string_bucketize = function_of(StringTensor.bucketize)
