"""N-grams, truncation, joining and counting of ragged rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument, values_argument
from torch_stringops._types import IntsLike, NumbersLike, Side, StringsLike
from torch_stringops.ops import ragged_rows as ops
from torch_stringops.ops import vocabulary
from torch_stringops.string_tensor import StringTensor


def _rows(op: str, values: Any, row_splits: Any) -> tuple[Any, Tensor]:
    return values_argument(op, "values", values), row_splits_argument(op, row_splits)


@overload
def ragged_ngrams(values: NumbersLike, row_splits: IntsLike, n: int) -> tuple[Tensor, Tensor]: ...
@overload
def ragged_ngrams(values: StringsLike, row_splits: IntsLike, n: int) -> tuple[StringTensor, Tensor]: ...
@named
def ragged_ngrams(
    values: NumbersLike | StringsLike, row_splits: IntsLike, n: int
) -> tuple[Tensor | StringTensor, Tensor]:
    """Returns the windows of `n` adjacent elements of each ragged row, as `torch.Tensor.unfold` does of an axis.

    Args:
        values: `[T, *F]`, the elements of all rows; or strings `[T]`.
        row_splits: int64 `[N + 1]`, in elements.
        n: number of elements of a window. Shorter rows have none.

    Returns:
        ngrams: `[K, n, *F]`, of the type and dtype of `values`, the windows of all rows.
        row_splits: int64 `[N + 1]`, in windows.

    Raises:
        ValueError: `n` is less than 1, or `row_splits` is malformed.

    See also: `string_ngrams_ragged`, which joins the strings of a window.

    Example:
        >>> import torch
        >>> ragged_ngrams(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 3, 4]), 2)
        (tensor([[1, 2],
                [2, 3]]), tensor([0, 2, 2]))
    """
    return ops.ngrams("ragged_ngrams", *_rows("ragged_ngrams", values, row_splits), n)


@overload
def ragged_truncate(
    values: NumbersLike, row_splits: IntsLike, max_length: int, side: Side = "right"
) -> tuple[Tensor, Tensor]: ...
@overload
def ragged_truncate(
    values: StringsLike, row_splits: IntsLike, max_length: int, side: Side = "right"
) -> tuple[StringTensor, Tensor]: ...
@named
def ragged_truncate(
    values: NumbersLike | StringsLike, row_splits: IntsLike, max_length: int, side: Side = "right"
) -> tuple[Tensor | StringTensor, Tensor]:
    """Truncates ragged rows to at most `max_length` elements.

    Args:
        values: `[T, *F]`, the elements of all rows; or strings `[T]`.
        row_splits: int64 `[N + 1]`, in elements.
        max_length: maximum number of elements of a row.
        side: "right" or "left", the side at which longer rows are truncated.

    Returns:
        The elements that are left, and their row splits, as above.

    Raises:
        ValueError: `max_length` is negative, `side` is neither "right" nor "left", or `row_splits` is malformed.

    Example:
        >>> import torch
        >>> ragged_truncate(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 3, 4]), 2)
        (tensor([1, 2, 4]), tensor([0, 2, 3]))
        >>> ragged_truncate(torch.tensor([1, 2, 3, 4]), torch.tensor([0, 3, 4]), 2, side="left")
        (tensor([2, 3, 4]), tensor([0, 2, 3]))
    """
    return ops.truncate(*_rows("ragged_truncate", values, row_splits), max_length, side)


@overload
def ragged_concat(rows: Sequence[tuple[NumbersLike, IntsLike]]) -> tuple[Tensor, Tensor]: ...
@overload
def ragged_concat(rows: Sequence[tuple[StringsLike, IntsLike]]) -> tuple[StringTensor, Tensor]: ...
@named
def ragged_concat(
    rows: Sequence[tuple[NumbersLike, IntsLike]] | Sequence[tuple[StringsLike, IntsLike]],
) -> tuple[Tensor | StringTensor, Tensor]:
    """Concatenates ragged rows: row `i` of the result has the elements of rows `i` of each pair, in order.

    Args:
        rows: pairs `(values, row_splits)` with as many rows each: values `[T, *F]` of one dtype, or strings `[T]`; and
            int64 row splits `[N + 1]`, in elements.

    Returns:
        The elements of the joined rows, and their row splits, as above.

    Raises:
        ValueError: there are no pairs, the numbers of rows, the dtypes or the shapes after the first axis differ, or
            `row_splits` is malformed.
        TypeError: tensors and strings are mixed.

    See also: `torch.cat` of the values, and of the row splits, to concatenate along the rows.

    Example:
        >>> import torch
        >>> a = torch.tensor([1, 2, 3]), torch.tensor([0, 2, 3])
        >>> b = torch.tensor([8, 9]), torch.tensor([0, 0, 2])
        >>> ragged_concat([a, b])
        (tensor([1, 2, 3, 8, 9]), tensor([0, 2, 5]))
    """
    pairs: Any = rows
    if isinstance(pairs, (list, tuple)) and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in pairs):
        pairs = [_rows("ragged_concat", *pair) for pair in pairs]
    return ops.concat(pairs)


@overload
def ragged_add_special(
    values: NumbersLike,
    row_splits: IntsLike,
    begin: complex | Tensor | None = None,
    end: complex | Tensor | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def ragged_add_special(
    values: StringsLike,
    row_splits: IntsLike,
    begin: StringsLike | None = None,
    end: StringsLike | None = None,
) -> tuple[StringTensor, Tensor]: ...
@named
def ragged_add_special(
    values: NumbersLike | StringsLike,
    row_splits: IntsLike,
    begin: complex | Tensor | StringsLike | None = None,
    end: complex | Tensor | StringsLike | None = None,
) -> tuple[Tensor | StringTensor, Tensor]:
    """Adds an element before and after each ragged row, such as the ids of [CLS] and [SEP].

    Args:
        values: `[T, *F]`, the elements of all rows; or strings `[T]`.
        row_splits: int64 `[N + 1]`, in elements.
        begin: a number, or a string for strings; None to add nothing.
        end: the same, for the end of the row.

    Returns:
        The elements of the longer rows, and their row splits, as above.

    Raises:
        ValueError: `row_splits` is malformed, or the dtype of `values` cannot represent the number.
        TypeError: `begin` or `end` is not a number, or for strings not a string.

    Example:
        >>> import torch
        >>> ragged_add_special(torch.tensor([5, 6]), torch.tensor([0, 2, 2]), begin=1, end=2)
        (tensor([1, 5, 6, 2, 1, 2]), tensor([0, 4, 6]))
    """
    op = "ragged_add_special"
    rows, splits = _rows(op, values, row_splits)
    if isinstance(rows, StringTensor):
        begin = None if begin is None else strings_argument(op, "begin", begin)
        end = None if end is None else strings_argument(op, "end", end)
    return ops.add_special(rows, splits, begin, end)


@overload
def ragged_unique(
    values: NumbersLike, row_splits: IntsLike, return_counts: Literal[False] = False
) -> tuple[Tensor, Tensor]: ...
@overload
def ragged_unique(
    values: StringsLike, row_splits: IntsLike, return_counts: Literal[False] = False
) -> tuple[StringTensor, Tensor]: ...
@overload
def ragged_unique(
    values: NumbersLike, row_splits: IntsLike, return_counts: Literal[True]
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def ragged_unique(
    values: StringsLike, row_splits: IntsLike, return_counts: Literal[True]
) -> tuple[StringTensor, Tensor, Tensor]: ...
@named
def ragged_unique(
    values: NumbersLike | StringsLike, row_splits: IntsLike, return_counts: bool = False
) -> tuple[Tensor | StringTensor, Tensor] | tuple[Tensor | StringTensor, Tensor, Tensor]:
    """Returns the distinct elements of each ragged row, in order of first appearance.

    Args:
        values: `[T]`, the elements of all rows; or strings `[T]`.
        row_splits: int64 `[N + 1]`, in elements.
        return_counts: also return how often the row has each element.

    Returns:
        values: `[U]`, of the type and dtype of `values`, the distinct elements of all rows.
        row_splits: int64 `[N + 1]`, in elements.
        counts: int64 `[U]`, if requested.

    Raises:
        ValueError: `values` is not of rank 1, or `row_splits` is malformed.

    Example:
        >>> import torch
        >>> ragged_unique(torch.tensor([7, 5, 7, 7]), torch.tensor([0, 3, 4]), return_counts=True)
        (tensor([7, 5, 7]), tensor([0, 2, 3]), tensor([2, 1, 1]))
    """
    op = "ragged_unique"
    rows, splits = _rows(op, values, row_splits)
    ops.lengths_of(op, rows, splits)
    if rows.ndim != 1:
        raise ValueError(f"{op}: expected `values` of rank 1, got shape {list(rows.shape)}")
    is_strings = isinstance(rows, StringTensor)
    ids = vocabulary._string_unique(rows)[1] if is_strings else rows.unique(return_inverse=True)[1]
    found: tuple[Tensor | StringTensor, Tensor] = ops.unique(rows, splits, ids, return_counts)
    return found


@named
def ragged_count(ids: IntsLike, row_splits: IntsLike, num_ids: int, *, binary: bool = False) -> Tensor:
    """Counts the ids of each ragged row: a bag of words.

    Args:
        ids: int64 or int32 `[T]`, the ids of all rows. Those outside `[0, num_ids)` are not counted, such as -1 for
            unknown words.
        row_splits: int64 `[N + 1]`, in elements.
        num_ids: the number of ids, for example the size of the vocabulary.
        binary: return 1 for each id that the row has, instead of how often it has it.

    Returns:
        int64 `[N, num_ids]`.

    Raises:
        ValueError: the shape or dtype of `ids` is not as above, `num_ids` is negative, `row_splits` is malformed, or
            the result has 2**31 counts or more.

    See also: `ragged_unique`, whose result grows with the text only.

    Example:
        >>> import torch
        >>> ragged_count(torch.tensor([0, 2, 2, -1]), torch.tensor([0, 3, 4]), 3)
        tensor([[1, 0, 2],
                [0, 0, 0]])
    """
    numbers = tensor_argument("ragged_count", "ids", ids, torch.int64)
    return ops.count(numbers, row_splits_argument("ragged_count", row_splits), num_ids, binary)
