"""Splitting strings at a delimiter or at whitespace."""

from __future__ import annotations

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops._function_of import function_of
from torch_stringops._names import named
from torch_stringops._types import Compat, StringsLike
from torch_stringops.ops import split as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_split(
    input: StringsLike,
    delimiter: str | bytes | None = "",
    maxsplit: int = -1,
    *,
    compat: Compat = "reference",
    skip_empty: bool = False,
) -> tuple[StringTensor, Tensor]:
    """Splits each string at a delimiter, and pads the rows of pieces to the same width.

    With a delimiter, the strings are split at every occurrence, from left to right; adjacent, leading and trailing
    delimiters give empty pieces, as in `str.split(delimiter)`. Without one (`""`), they are split at runs of Unicode
    whitespace, and leading and trailing whitespace is removed, as in `str.split()`. Neither the strings nor the
    delimiter need to be valid UTF-8.

    Spec: ONNX StringSplit-20, as implemented by its reference implementation and by Python. `compat="onnxruntime"`
    gives the outputs of onnxruntime: only the byte 0x20 is whitespace, trailing spaces are removed from the remainder
    after `maxsplit` splits, and with a delimiter an empty string has no pieces.

    Args:
        input: strings `[*S]`.
        delimiter: the delimiter; `""` or None for whitespace. `bytes` need not be UTF-8, but such a delimiter cannot be
            traced.
        maxsplit: maximum number of splits per string; negative for no limit. The remainder is the last piece.
        compat: `"reference"` or `"onnxruntime"`.
        skip_empty: drop empty pieces, including those that `compat` adds. Every delimiter still counts towards
            `maxsplit`: at `"|"` with `maxsplit=1`, `"a||b"` gives `"a"` and `"|b"`. Splitting at whitespace gives no
            empty pieces.

    Returns:
        pieces: strings `[*S, D]`, compact, padded with `""`. D is the maximum number of pieces per string, which
            depends on the data.
        counts: int64 `[*S]`, number of pieces of each string, without padding.

    Raises:
        ValueError: `compat` is unknown, or the padded result exceeds 2**31 - 1 offsets (use `string_split_ragged`).

    See also: `string_split_ragged`, which does not pad; `str.split`.

    Example:
        >>> pieces, counts = string_split(StringTensor.from_list(["a,b,,c", "d"]), ",")
        >>> pieces.tolist()
        [['a', 'b', '', 'c'], ['d', '', '', '']]
        >>> counts.tolist()
        [4, 1]
        >>> string_split(StringTensor.from_list(["  to be   or not "]), maxsplit=2)[0].tolist()
        [['to', 'be', 'or not ']]
        >>> string_split(StringTensor.from_list(["a||b|"]), "|", skip_empty=True)[0].tolist()
        [['a', 'b']]
    """
    input = strings_argument("string_split", "input", input)
    pieces, counts = ops._string_split(
        input, ops.delimiter_or_whitespace(delimiter), maxsplit, compat=compat, skip_empty=skip_empty
    )
    return pieces, counts


@named
def split_encode(
    input: StringsLike,
    table: Tensor,
    delimiter: str | bytes | None = "",
    *,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
    lower: bool = False,
) -> tuple[Tensor, Tensor]:
    """Splits each string at a delimiter, and returns the vocabulary ids of the pieces as ragged rows.

    Equivalent to `string_split_ragged` followed by `vocab_encode`, but does not allocate memory for the pieces.

    Args:
        input: strings `[*S]`; N is their number, and they are taken in row-major order.
        table: uint8 `[L]`, from `vocab_build`, of a vocabulary of V words.
        delimiter: the delimiter; `""` or None for whitespace, as in `string_split_ragged`.
        unknown_id: the id of pieces that are not in the vocabulary.
        num_oov_buckets: if positive, such a piece gets an id in `[V, V + num_oov_buckets)` instead, as in
            `vocab_encode`.
        skip_empty: drop empty pieces: `"a||b|"` at `"|"` gives two ids.
        lower: convert the strings to lower case first, as `string_lower` does.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: `table` is not a table of `vocab_build`, or `num_oov_buckets` is not within [0, 2**62].

    See also: `Vocabulary.split_encode`, which holds the table; `tokenize_encode`, for regular expressions;
        `string_split_ragged`, `vocab_encode`.

    Example:
        >>> from torch_stringops import vocab_build
        >>> table = vocab_build(StringTensor.from_list(["to", "be"]))
        >>> ids, row_splits = split_encode(StringTensor.from_list(["to be", "or not to be"]), table)
        >>> ids.tolist(), row_splits.tolist()
        ([0, 1, -1, -1, 0, 1], [0, 2, 6])
        >>> ids, row_splits = split_encode(StringTensor.from_list(["to||be|", ""]), table, "|", skip_empty=True)
        >>> ids.tolist(), row_splits.tolist()
        ([0, 1], [0, 2, 2])
    """
    input = strings_argument("split_encode", "input", input)
    check_tensor("split_encode", "table", table)
    return ops._split_encode(
        input,
        table,
        ops.delimiter_or_whitespace(delimiter),
        unknown_id=unknown_id,
        num_oov_buckets=num_oov_buckets,
        skip_empty=skip_empty,
        lower=lower,
    )


string_split_ragged = function_of(StringTensor.split_ragged)
string_rsplit_ragged = function_of(StringTensor.rsplit_ragged)
string_splitlines_ragged = function_of(StringTensor.splitlines_ragged)
string_split_exact = function_of(StringTensor.split_exact)
string_partition = function_of(StringTensor.partition)
string_rpartition = function_of(StringTensor.rpartition)
