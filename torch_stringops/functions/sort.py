"""Sorting, extremes and binary search, in the order of bytes."""

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops.functions import function_of
from torch_stringops.ops import sort as ops
from torch_stringops.string_tensor import StringTensor

string_argsort = function_of(StringTensor.argsort)
string_min = function_of(StringTensor.min)
string_max = function_of(StringTensor.max)
string_searchsorted = function_of(StringTensor.searchsorted)


@named
def string_sort(input: StringTensor, dim: int = -1, descending: bool = False) -> StringTensor:
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
    return ops.string_sort(strings_argument("string_sort", "input", input), dim, descending)[0]
