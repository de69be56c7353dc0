"""Runs of equal strings, and counts of distinct ones."""

# Written by tools/write_functions.py, from methods of StringTensor: string_unique_consecutive, string_value_counts

from __future__ import annotations

from typing import Any, Literal, overload

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error
from torch_stringops._types import StringsLike
from torch_stringops.string_tensor import StringTensor


@overload
def string_unique_consecutive(
    input: StringsLike,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    dim: int | None = None,
) -> StringTensor: ...
@overload
def string_unique_consecutive(
    input: StringsLike, return_inverse: Literal[True], return_counts: Literal[True], dim: int | None = None
) -> tuple[StringTensor, Tensor, Tensor]: ...
@overload
def string_unique_consecutive(
    input: StringsLike,
    return_inverse: Literal[True],
    return_counts: Literal[False] = False,
    dim: int | None = None,
) -> tuple[StringTensor, Tensor]: ...
@overload
def string_unique_consecutive(
    input: StringsLike,
    return_inverse: Literal[False] = False,
    *,
    return_counts: Literal[True],
    dim: int | None = None,
) -> tuple[StringTensor, Tensor]: ...
@overload
def string_unique_consecutive(
    input: StringsLike, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> StringTensor | tuple[StringTensor, Tensor] | tuple[StringTensor, Tensor, Tensor]: ...
def string_unique_consecutive(
    input: StringsLike, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Returns the first of each run of equal strings, or of slices along `dim`, like `torch.unique_consecutive`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        return_inverse: also return the number of the run of each string, int64 `[*S]`; with `dim`, that of each
            slice, int64 `[S[dim]]`.
        return_counts: also return the length of each run, int64 `[U]`.
        dim: the axis whose slices are compared; None to compare strings, in row-major order.

    Returns:
        Strings `[U]`; with `dim`, strings of the shape of this tensor, but with `U` slices along the
        axis. If requested, a tuple of these, the inverse and the counts.

    Raises:
        IndexError: `dim` is out of range.
        RuntimeError: the slices are empty.

    Example:
        >>> s = StringTensor.from_list(["b", "b", "a", "b"])
        >>> s.unique_consecutive(return_counts=True)
        (StringTensor(['b', 'a', 'b'], shape=[3]), tensor([2, 1, 1]))
    """
    try:
        return strings_argument("string_unique_consecutive", "input", input).unique_consecutive(
            return_inverse, return_counts, dim
        )
    except ERRORS as error:
        name_error(error, "string_unique_consecutive")
        raise


def string_value_counts(input: StringsLike) -> tuple[StringTensor, Tensor]:
    """Returns the distinct strings and how often each occurs, the most frequent first, like `pandas.value_counts`.

    Of equally frequent strings, the one that appears first is first, as in `collections.Counter.most_common`.

    Returns:
        values: strings `[U]`, the distinct strings.
        counts: int64 `[U]`, in descending order.

    See also: `unique`, in the order of the strings; `VocabularyBuilder`, for text in chunks.

    Example:
        >>> values, counts = StringTensor.from_list([["b", "a"], ["a", "c"]]).value_counts()
        >>> values.tolist(), counts.tolist()
        (['a', 'b', 'c'], [2, 1, 1])
    """
    try:
        return strings_argument("string_value_counts", "input", input).value_counts()
    except ERRORS as error:
        name_error(error, "string_value_counts")
        raise
