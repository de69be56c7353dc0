"""string_split, string_split_ragged: strings cut at a delimiter or at whitespace."""

from typing import Any

import torch
from torch import Tensor

from torch_stringops._errors import choice_error
from torch_stringops._fake import Size, check_strings, new_strings, register_fake, strings_shape
from torch_stringops._library import operator
from torch_stringops.interop.strings import strings_argument
from torch_stringops.string_tensor import StringTensor

_split = operator("string_split")
_split_ragged = operator("string_split_ragged")


def _keywords(compat: str, skip_empty: bool) -> dict[str, Any]:
    # Torch takes half a microsecond to read a keyword; a default needs none.
    keywords: dict[str, Any] = {}
    if not isinstance(compat, str) or compat != "reference":
        keywords["compat"] = compat
    if skip_empty is not False:
        keywords["skip_empty"] = skip_empty
    return keywords


def _check_compat(op: str, compat: str) -> None:
    if not isinstance(compat, str) or compat not in ("reference", "onnxruntime"):
        raise choice_error(op, "compat", "'reference' or 'onnxruntime'", compat)


@register_fake("string_split")
def _string_split_fake(
    data: Tensor,
    offsets: Tensor,
    delimiter: str = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    _check_compat("string_split", compat)
    check_strings("string_split", data, offsets)
    shape = strings_shape(offsets)
    return *new_strings(data, [*shape, None]), offsets.new_empty(shape, dtype=torch.int64)


@register_fake("string_split_ragged")
def _string_split_ragged_fake(
    data: Tensor,
    offsets: Tensor,
    delimiter: str = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    _check_compat("string_split_ragged", compat)
    check_strings("string_split_ragged", data, offsets)
    rows: Size = 1
    for size in strings_shape(offsets):
        rows = rows * size
    return *new_strings(data, [None]), offsets.new_empty([rows + 1], dtype=torch.int64)


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
    keywords = _keywords(compat, skip_empty)
    data, offsets, counts = _split(input.data, input.offsets, delimiter, maxsplit, **keywords)
    if input._scalar:
        return input._new(data, offsets.squeeze(0)), counts.squeeze(0)
    return input._new(data, offsets), counts


def string_split_ragged(
    input: StringTensor,
    delimiter: str | bytes = "",
    maxsplit: int = -1,
    *,
    compat: str = "reference",
    skip_empty: bool = False,
) -> tuple[StringTensor, Tensor]:
    """Cut each string at a delimiter; the pieces of all strings stand one after the other.

    The same pieces as `string_split`, without padding. This is the fast form: one long string beside many short ones
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
    keywords = _keywords(compat, skip_empty)
    data, offsets, row_splits = _split_ragged(input.data, input.offsets, delimiter, maxsplit, **keywords)
    return input._new(data, offsets), row_splits
