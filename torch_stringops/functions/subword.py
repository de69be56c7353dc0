r"""Subword tokens of language models, with the table of a tokenizer.

`SubwordTokenizer` reads tokenizers from files, holds their tables, and calls these functions.
"""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._names import named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument
from torch_stringops._types import IntsLike, StringsLike
from torch_stringops.ops import subword as ops
from torch_stringops.ops import subword_decode as decode_ops
from torch_stringops.string_tensor import StringTensor


@named
def subword_build(pieces: StringsLike, numbers: Tensor, spec: str) -> Tensor:
    r"""Builds the table of a tokenizer, for the functions below.

    Args:
        pieces: strings `[V]`, the bytes of the token of each id; an empty one is not used by the model.
        numbers: int64 `[M, 3]`, merges in order of priority: the ids of two tokens, and of the token they become. If
            two rows are about the same tokens, the last one counts. `[0, 3]` with `merges ranks`.
        spec: the steps of the tokenizer, one directive a line; see docs/subword_internals.md.

    Returns:
        uint8 `[T]`, opaque. Its layout may change between versions, which the other functions check.

    Raises:
        ValueError: `numbers` has an id that is not one of a piece, or a line of `spec` is malformed; the message names
            the line.

    Example:
        >>> import torch
        >>> pieces = StringTensor.from_list([*(bytes([byte]) for byte in range(256)), b"to"])
        >>> spec = "subword 1\nmodel bpe\nbytes 1\nmerges listed\nwhole 0\nunk -1\nsplit gpt2\ndecode bytelevel\n"
        >>> table = subword_build(pieces, torch.tensor([[ord("t"), ord("o"), 256]]), spec)
        >>> subword_encode(["to be"], table)
        (tensor([256,  32,  98, 101]), tensor([0, 4]))
    """
    strings = strings_argument("subword_build", "pieces", pieces)
    check_tensor("subword_build", "numbers", numbers)
    table: Tensor = ops._subword_build(strings, numbers, spec)
    return table


@named
def subword_encode(
    input: StringsLike, table: Tensor, *, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[Tensor, Tensor]:
    r"""Returns the ids of the subword tokens of each string.

    Args:
        input: strings `[*S]`; N is their number, and they are taken in row-major order. A byte that is not part of
            valid UTF-8 is a sign, as if it were a character that is neither letter, number nor whitespace.
        table: uint8 `[T]`, from `subword_build`.
        add_special_tokens: add the ids of the tokenizer's template around those of each string.
        max_length: maximum number of ids of a string, with these; -1 for no limit.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: `table` is not a table of `subword_build`, or `max_length` is less than -1 or than the ids of the
            template.

    See also: SubwordTokenizer, which holds the table.

    Example:
        >>> import torch
        >>> pieces = StringTensor.from_list([bytes([byte]) for byte in range(256)])
        >>> spec = "subword 1\nmodel bpe\nbytes 1\nmerges listed\nwhole 0\nunk -1\nsplit gpt2\ndecode bytelevel\n"
        >>> table = subword_build(pieces, torch.empty(0, 3, dtype=torch.int64), spec)
        >>> subword_encode(["ab", "", "é"], table)
        (tensor([ 97,  98, 195, 169]), tensor([0, 2, 2, 4]))
    """
    strings = strings_argument("subword_encode", "input", input)
    check_tensor("subword_encode", "table", table)
    return ops._subword_encode(strings, table, add_special_tokens=add_special_tokens, max_length=max_length)


@named
def subword_encode_spans(
    input: StringsLike, table: Tensor, *, add_special_tokens: bool = False, max_length: int = -1
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    r"""Same as `subword_encode`, and returns which bytes of its string each token covers.

    Args:
        input: strings `[*S]`, as in `subword_encode`.
        table: uint8 `[T]`, from `subword_build`.
        add_special_tokens: as in `subword_encode`.
        max_length: as in `subword_encode`.

    Returns:
        ids, row_splits: as `subword_encode` does.
        begins, ends: int32 `[T]`, in bytes from the beginning of the string; both are 0 for ids of the template.

    Raises:
        ValueError: as `subword_encode`.

    Example:
        >>> import torch
        >>> pieces = StringTensor.from_list([bytes([byte]) for byte in range(256)])
        >>> spec = "subword 1\nmodel bpe\nbytes 1\nmerges listed\nwhole 0\nunk -1\nsplit gpt2\ndecode bytelevel\n"
        >>> table = subword_build(pieces, torch.empty(0, 3, dtype=torch.int64), spec)
        >>> subword_encode_spans(["ab", "c"], table)
        (tensor([97, 98, 99]), tensor([0, 2, 3]), tensor([0, 1, 0], dtype=torch.int32),
         tensor([1, 2, 1], dtype=torch.int32))
    """
    strings = strings_argument("subword_encode_spans", "input", input)
    check_tensor("subword_encode_spans", "table", table)
    return ops._subword_encode_spans(strings, table, add_special_tokens=add_special_tokens, max_length=max_length)


@named
def subword_encode_pairs(
    input: StringsLike,
    other: StringsLike,
    table: Tensor,
    *,
    add_special_tokens: bool = False,
    max_length: int = -1,
    truncate_left: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Returns the ids of pairs of strings, each pair as one row, and the type of each id.

    Args:
        input: strings `[*S]`, the first of each pair; N is their number, and they are taken in row-major order.
        other: strings `[*S]`, the second of each pair.
        table: uint8 `[T]`, from `subword_build`.
        add_special_tokens: add the ids of the table's template of pairs around each pair.
        max_length: maximum length of a row, with these. Ids are left out at the end of the longer string first. -1: no
            limit.
        truncate_left: leave ids out at the beginning of a string instead.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements.
        types: int64 `[T]`, which the template gives; without one, 0 for the first string and 1 for the second.

    Raises:
        ValueError: the shapes differ, `table` is not a table of `subword_build`, or `max_length` is less than -1 or
            than the ids of the template.

    Example:
        >>> import torch
        >>> pieces = StringTensor.from_list([bytes([byte]) for byte in range(256)])
        >>> spec = "subword 1\nmodel bpe\nbytes 1\nmerges listed\nwhole 0\nunk -1\nsplit gpt2\ndecode bytelevel\n"
        >>> table = subword_build(pieces, torch.empty(0, 3, dtype=torch.int64), spec)
        >>> subword_encode_pairs(["ab"], ["c"], table)
        (tensor([97, 98, 99]), tensor([0, 3]), tensor([0, 0, 1]))
    """
    strings = strings_argument("subword_encode_pairs", "input", input)
    others = strings_argument("subword_encode_pairs", "other", other)
    check_tensor("subword_encode_pairs", "table", table)
    return ops._subword_encode_pairs(
        strings,
        others,
        table,
        add_special_tokens=add_special_tokens,
        max_length=max_length,
        truncate_left=truncate_left,
    )


@named
def subword_decode(
    ids: IntsLike, row_splits: IntsLike, table: Tensor, *, skip_special_tokens: bool = True
) -> StringTensor:
    r"""Returns the texts of rows of ids: the bytes of their tokens, one after the other.

    Args:
        ids: int64 `[T]`, the ids of all rows.
        row_splits: int64 `[N + 1]`, in elements: row i has the ids `ids[row_splits[i]:row_splits[i + 1]]`.
        table: uint8 `[T]`, from `subword_build`.
        skip_special_tokens: leave out special tokens.

    Returns:
        Strings `[N]`, compact. They need not be valid UTF-8, as a token may be a part of a character: see
        `string_repair`.

    Raises:
        ValueError: an id is not within the table, `row_splits` is malformed, `table` is not a table of
            `subword_build`, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> import torch
        >>> pieces = StringTensor.from_list([bytes([byte]) for byte in range(256)])
        >>> spec = "subword 1\nmodel bpe\nbytes 1\nmerges listed\nwhole 0\nunk -1\nsplit gpt2\ndecode bytelevel\n"
        >>> table = subword_build(pieces, torch.empty(0, 3, dtype=torch.int64), spec)
        >>> subword_decode(torch.tensor([97, 98, 195, 169]), torch.tensor([0, 2, 4]), table).tolist()
        ['ab', 'é']
    """
    numbers = tensor_argument("subword_decode", "ids", ids, torch.int64)
    splits = row_splits_argument("subword_decode", row_splits)
    check_tensor("subword_decode", "table", table)
    return StringTensor(*decode_ops._subword_decode(numbers, splits, table, skip_special_tokens=skip_special_tokens))
