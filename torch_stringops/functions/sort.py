"""Sorting, extremes and binary search, in the order of bytes."""

from __future__ import annotations

from typing import overload

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._types import StringsLike
from torch_stringops.ops import sort as ops
from torch_stringops.ops.sort import ValuesAndIndices
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


# Written by tools/write_functions.py, from methods of StringTensor: string_argsort, string_min, string_max,
# string_argmin, string_argmax, string_minimum, string_maximum, string_topk, string_searchsorted, string_bucketize


def string_argsort(
    input: StringsLike, dim: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    """Returns the positions of the strings in sorted order along axis `dim`, like `torch.argsort`.

    Strings are in the order of their bytes: for UTF-8, of code points, like Python's `str`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dim: the axis to sort along.
        descending: sort in descending order.
        stable: ignored: equal strings always keep their order.

    Returns:
        int64 `[*S]`.

    Raises:
        IndexError: `dim` is out of range.

    Example:
        >>> StringTensor.from_list([["b", "a", "b"]]).argsort()
        tensor([[1, 0, 2]])
        >>> StringTensor.from_list([["b", "a", "b"]]).argsort(descending=True)
        tensor([[0, 2, 1]])
    """
    try:
        return strings_argument("string_argsort", "input", input).argsort(dim, descending, stable)
    except ERRORS as error:
        name_error(error, "string_argsort")
        raise


@overload
def string_min(input: StringsLike, dim: None = None, keepdim: bool = False) -> StringTensor: ...
@overload
def string_min(input: StringsLike, dim: int, keepdim: bool = False) -> ValuesAndIndices[StringTensor]: ...
def string_min(
    input: StringsLike, dim: int | None = None, keepdim: bool = False
) -> StringTensor | ValuesAndIndices[StringTensor]:
    """Returns the least string, or that of each row along axis `dim`, like `torch.min`.

    Strings are in the order of their bytes: for UTF-8, of code points, like Python's `str`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dim: the axis to reduce; None for all strings.
        keepdim: whether the result keeps the axis, with size 1.

    Returns:
        A single string; or with `dim` a named tuple `(values, indices)`: strings `[*S]` without the axis, and
        int64 of the same shape, their positions in it (the first of equal ones).

    Raises:
        ValueError: there are no strings to compare.
        IndexError: `dim` is out of range.

    Example:
        >>> s = StringTensor.from_list([["b", "a"], ["c", "d"]])
        >>> s.min()
        StringTensor('a', shape=[])
        >>> s.min(dim=0).values.tolist(), s.min(dim=0).indices.tolist()
        (['b', 'a'], [0, 0])
    """
    try:
        return strings_argument("string_min", "input", input).min(dim, keepdim)
    except ERRORS as error:
        name_error(error, "string_min")
        raise


@overload
def string_max(input: StringsLike, dim: None = None, keepdim: bool = False) -> StringTensor: ...
@overload
def string_max(input: StringsLike, dim: int, keepdim: bool = False) -> ValuesAndIndices[StringTensor]: ...
def string_max(
    input: StringsLike, dim: int | None = None, keepdim: bool = False
) -> StringTensor | ValuesAndIndices[StringTensor]:
    """Returns the greatest string, or that of each row along axis `dim`, like `torch.max`. See `min`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dim: the axis to reduce; None for all strings.
        keepdim: whether the result keeps the axis, with size 1.

    Returns:
        A single string; or with `dim` a named tuple `(values, indices)`: strings `[*S]` without the axis, and
        int64 of the same shape, their positions in it (the first of equal ones).

    Raises:
        ValueError: there are no strings to compare.
        IndexError: `dim` is out of range.

    Example:
        >>> StringTensor.from_list(["b", "é", "c"]).max().item()
        'é'
    """
    try:
        return strings_argument("string_max", "input", input).max(dim, keepdim)
    except ERRORS as error:
        name_error(error, "string_max")
        raise


def string_argmin(input: StringsLike, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Returns the position of the least string, or of that of each row along axis `dim`, like `torch.argmin`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dim: the axis to reduce; None for all strings, in row-major order.
        keepdim: whether the result keeps the axes that are reduced, with size 1.

    Returns:
        int64 `[*S]` without the axis, or of rank 0: the first position of equal strings.

    Raises:
        ValueError: there are no strings to compare.
        IndexError: `dim` is out of range.

    See also: `min`.

    Example:
        >>> s = StringTensor.from_list([["b", "a"], ["a", "d"]])
        >>> s.argmin(), s.argmin(dim=1)
        (tensor(1), tensor([1, 0]))
    """
    try:
        return strings_argument("string_argmin", "input", input).argmin(dim, keepdim)
    except ERRORS as error:
        name_error(error, "string_argmin")
        raise


def string_argmax(input: StringsLike, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Returns the position of the greatest string, or of that of each row along axis `dim`, like `torch.argmax`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        dim: the axis to reduce; None for all strings, in row-major order.
        keepdim: whether the result keeps the axes that are reduced, with size 1.

    Returns:
        int64 `[*S]` without the axis, or of rank 0: the first position of equal strings.

    Raises:
        ValueError: there are no strings to compare.
        IndexError: `dim` is out of range.

    See also: `max`.

    Example:
        >>> StringTensor.from_list(["b", "é", "c", "é"]).argmax()
        tensor(1)
    """
    try:
        return strings_argument("string_argmax", "input", input).argmax(dim, keepdim)
    except ERRORS as error:
        name_error(error, "string_argmax")
        raise


def string_minimum(input: StringsLike, other: StringsLike) -> StringTensor:
    """Returns the lesser of two strings, element by element, with broadcasting, like `torch.minimum`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        Strings of the broadcast shape, compact.

    Raises:
        ValueError: the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    See also: `min`, of the strings of one tensor.

    Example:
        >>> StringTensor.from_list(["a", "d"]).minimum(["b", "c"]).tolist()
        ['a', 'c']
    """
    try:
        return strings_argument("string_minimum", "input", input).minimum(other)
    except ERRORS as error:
        name_error(error, "string_minimum")
        raise


def string_maximum(input: StringsLike, other: StringsLike) -> StringTensor:
    """Returns the greater of two strings, element by element, with broadcasting, like `torch.maximum`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        other: strings, in any form that `as_strings` accepts.

    Returns:
        Strings of the broadcast shape, compact.

    Raises:
        ValueError: the shapes do not broadcast, or the result exceeds 2**31 - 1 bytes.

    See also: `max`, of the strings of one tensor.

    Example:
        >>> StringTensor.from_list(["a", "d"]).maximum("c").tolist()
        ['c', 'd']
    """
    try:
        return strings_argument("string_maximum", "input", input).maximum(other)
    except ERRORS as error:
        name_error(error, "string_maximum")
        raise


def string_topk(
    input: StringsLike, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> ValuesAndIndices[StringTensor]:
    """Returns the `k` greatest strings, or the least ones, along axis `dim`, like `torch.topk`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        k: number of strings, at most the size of the axis.
        dim: the axis to search.
        largest: the greatest strings; False for the least.
        sorted: ignored: the strings are always in order, the greatest (or least) first.

    Returns:
        A named tuple `(values, indices)`: the strings `[*S]` with size `k` along the axis, and int64 of the same
        shape, their positions in it. Of equal strings, those that appear first are taken.

    Raises:
        RuntimeError: `k` is out of range.
        IndexError: `dim` is out of range.

    See also: `sort`.

    Example:
        >>> values, indices = StringTensor.from_list(["b", "d", "a", "d"]).topk(3)
        >>> values.tolist(), indices.tolist()
        (['d', 'd', 'b'], [1, 3, 0])
    """
    try:
        return strings_argument("string_topk", "input", input).topk(k, dim, largest, sorted)
    except ERRORS as error:
        name_error(error, "string_topk")
        raise


def string_searchsorted(input: StringsLike, values: StringsLike, right: bool = False) -> Tensor:
    """Finds the positions at which values would be inserted to keep these strings sorted.

    Like `torch.searchsorted`. The strings, `[N]` or `[*B, N]`, must be sorted along the last axis, as `sort`
    returns them; if they are not, the positions are arbitrary.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        values: strings, in any form that `as_strings` accepts: of any shape `[*R]` if these are `[N]`, else
            `[*B, M]`.
        right: whether the position is after the strings that equal the value, like `bisect.bisect_right`; else
            before them.

    Returns:
        int64, of the shape of `values`, within [0, N].

    Raises:
        ValueError: these strings have leading axes that differ from those of `values`.

    Example:
        >>> s = StringTensor.from_list(["a", "b", "b", "d"])
        >>> s.searchsorted(["b", "c", ""]), s.searchsorted("b", right=True)
        (tensor([1, 3, 0]), tensor(3))
    """
    try:
        return strings_argument("string_searchsorted", "input", input).searchsorted(values, right)
    except ERRORS as error:
        name_error(error, "string_searchsorted")
        raise


def string_bucketize(input: StringsLike, boundaries: StringsLike, right: bool = False) -> Tensor:
    """Returns the number of the interval between `boundaries` in which each string is, like `torch.bucketize`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        boundaries: strings `[K]` in sorted order, in any form that `as_strings` accepts.
        right: whether an interval includes its lower boundary, `boundaries[i - 1] <= s < boundaries[i]`;
            else it includes its upper one, `boundaries[i - 1] < s <= boundaries[i]`.

    Returns:
        int64 `[*S]`, within [0, K].

    Raises:
        ValueError: `boundaries` is not of rank 1.

    See also: `searchsorted`, with the arguments exchanged.

    Example:
        >>> names = StringTensor.from_list(["anna", "mary", "zoe", "h"])
        >>> names.bucketize(["h", "p"])
        tensor([0, 1, 2, 0])
    """
    try:
        return strings_argument("string_bucketize", "input", input).bucketize(boundaries, right)
    except ERRORS as error:
        name_error(error, "string_bucketize")
        raise
