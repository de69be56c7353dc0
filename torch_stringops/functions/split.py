"""Strings cut at a delimiter or at whitespace."""

from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_tensor
from torch_stringops.ops import split as ops
from torch_stringops.string_tensor import StringTensor


def string_split(
    input: StringTensor,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[StringTensor, Tensor]:
    """Cut each string at a delimiter, and pad the rows of pieces to one width.

    With a delimiter, every occurrence cuts, from left to right, so that neighbouring, leading and trailing ones give
    empty pieces, as in `str.split(delimiter)`. Without one (`""`), runs of Unicode whitespace cut, and both ends are
    trimmed, as in `str.split()`. Strings are bytes: any bytes are accepted, in the strings and in the delimiter.

    Spec: ONNX StringSplit-20, as its reference implementation and Python read it; `compat="onnxruntime"` gives
    onnxruntime's outputs instead: only the byte 0x20 is whitespace, trailing spaces are cut off the rest after the last
    cut, and with a delimiter an empty string has no pieces.

    Args:
        input: strings `[*S]`.
        delimiter: what to cut at; `""` cuts at whitespace. Bytes need not be UTF-8, but cannot be traced.
        maxsplit: most cuts a string; negative for no limit. The uncut rest is the last piece.
        compat: `"reference"` or `"onnxruntime"`.
        skip_empty: leave out the empty pieces, those that `compat` gives as well. Every delimiter still counts as a
            cut: at `"|"` with `maxsplit=1`, `"a||b"` gives `"a"` and `"|b"`. Whitespace leaves no empty pieces.

    Returns:
        pieces: strings `[*S, D]`, compact; missing pieces are `""`. D, the most pieces of any string, depends on the
            data.
        counts: int64 `[*S]`, pieces before padding.

    Raises:
        ValueError: `compat` is unknown; the padded result needs more than 2**31 - 1 offsets (use
            `string_split_ragged`).

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
    pieces, counts = ops.string_split(input, delimiter, maxsplit, compat=compat, skip_empty=skip_empty)
    return pieces, counts


def string_split_ragged(
    input: StringTensor,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[StringTensor, Tensor]:
    """Cut each string at a delimiter; the pieces of all strings stand one after the other.

    The same pieces as `string_split`, without padding. This is faster: one long string among many short ones
    costs nothing. `row_splits` goes straight into `nn.EmbeddingBag(offsets=row_splits[:-1])`,
    `torch.nested.nested_tensor_from_jagged` or `ragged_to_dense`.

    Spec: ONNX StringSplit-20, as `string_split`.

    Args:
        input: strings `[*S]`; N is the number of them, taken in row-major order.
        delimiter: what to cut at; `""` cuts at whitespace.
        maxsplit: most cuts a string; negative for no limit.
        compat: `"reference"` or `"onnxruntime"`.
        skip_empty: leave out the empty pieces, as `string_split` says.

    Returns:
        pieces: strings `[T]`, compact; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: string i has the pieces `[row_splits[i], row_splits[i + 1])`.

    Raises:
        ValueError: `compat` is unknown.

    See also: `string_split`.

    Example:
        >>> pieces, row_splits = string_split_ragged(StringTensor.from_list(["to be", "", "or not"]))
        >>> pieces.tolist(), row_splits.tolist()
        (['to', 'be', 'or', 'not'], [0, 2, 2, 4])
        >>> genres = StringTensor.from_list(["jazz||blues|", "", "pop"])
        >>> pieces, row_splits = string_split_ragged(genres, "|", skip_empty=True)
        >>> pieces.tolist(), row_splits.tolist()
        (['jazz', 'blues', 'pop'], [0, 2, 2, 3])
    """
    input = strings_argument("string_split_ragged", "input", input)
    return ops.string_split_ragged(input, delimiter, maxsplit, compat=compat, skip_empty=skip_empty)


def split_encode(
    input: StringTensor,
    table: Tensor,
    delimiter: str | bytes = "",
    *,
    unknown_id: int = -1,
    num_oov_buckets: int = 0,
    skip_empty: bool = False,
) -> tuple[Tensor, Tensor]:
    """Cut each string at a delimiter, and look each piece up in a vocabulary.

    `string_split_ragged` followed by `vocab_encode`, without the pieces as a tensor in between: they take no memory.

    Args:
        input: strings `[*S]`; N is the number of them, taken in row-major order.
        table: uint8 `[L]`, from `vocab_build`, of a vocabulary of V words.
        delimiter: what to cut at; `""` cuts at whitespace, as `string_split_ragged` says.
        unknown_id: what a piece gets that is not in the vocabulary.
        num_oov_buckets: where positive, such a piece gets a number in `[V, V + num_oov_buckets)` instead, as
            `vocab_encode` says.
        skip_empty: leave out the empty pieces: `"a||b|"` at `"|"` gives two ids.

    Returns:
        ids: int64 `[T]`; T depends on the data.
        row_splits: int64 `[N + 1]`, in elements: string i has the ids `[row_splits[i], row_splits[i + 1])`.

    Raises:
        ValueError: `table` is not a table, or `num_oov_buckets` is not within [0, 2**62].

    See also: `Vocabulary.split_encode`, which keeps the table; `string_split_ragged`, `vocab_encode`.

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
    return ops.split_encode(
        input,
        table,
        delimiter,
        unknown_id=unknown_id,
        num_oov_buckets=num_oov_buckets,
        skip_empty=skip_empty,
    )
