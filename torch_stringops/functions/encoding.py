"""The encoding of strings: UTF-8, code points, bytes."""

from __future__ import annotations

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._names import ERRORS, name_error, named
from torch_stringops._ragged_arguments import row_splits_argument, tensor_argument
from torch_stringops._types import IntsLike, RepairErrors, StringsLike
from torch_stringops.ops import encoding as ops
from torch_stringops.string_tensor import StringTensor


@named
def string_from_codepoints(values: IntsLike, row_splits: IntsLike) -> StringTensor:
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
    return StringTensor(*ops._string_from_codepoints(codepoints, row_splits_argument(op, row_splits)))


@named
def string_from_bytes(data: Tensor, row_splits: IntsLike) -> StringTensor:
    """Makes a string of each ragged row of bytes; the inverse of `string_bytes`.

    Args:
        data: uint8 `[T]`, the bytes of all rows. A contiguous tensor is shared and not copied, so it must not change
            afterwards.
        row_splits: int64 or int32 `[N + 1]`: row i is `data[row_splits[i]:row_splits[i + 1]]`.

    Returns:
        Strings `[N]`, compact. They need not be valid UTF-8.

    Raises:
        TypeError: `data` is not a tensor.
        ValueError: a dtype or shape is not as above, or `row_splits` is not non-decreasing from 0 to T.

    See also: `string_from_codepoints`; `StringTensor(data, offsets)`, which takes the int32 offsets as they are.

    Example:
        >>> import torch
        >>> data = torch.tensor([97, 195, 169, 98], dtype=torch.uint8)
        >>> string_from_bytes(data, torch.tensor([0, 3, 3, 4])).tolist()
        ['aé', '', 'b']
    """
    return StringTensor(*ops.from_bytes(data, row_splits_argument("string_from_bytes", row_splits)))


# Written by tools/write_functions.py, from methods of StringTensor: string_is_utf8, string_repair, string_codepoints,
# string_bytes


def string_is_utf8(input: StringsLike) -> Tensor:
    """Returns whether each string is valid UTF-8, by the rules of Python's `bytes.decode`.

    Overlong sequences, surrogates and code points above U+10FFFF are invalid.

    Returns:
        bool `[*S]`.

    See also: `string_repair`.

    Example:
        >>> StringTensor.from_list(["café", b"caf\\xe9"]).is_utf8()
        tensor([ True, False])
    """
    try:
        return strings_argument("string_is_utf8", "input", input).is_utf8()
    except ERRORS as error:
        name_error(error, "string_is_utf8")
        raise


def string_repair(input: StringsLike, errors: RepairErrors = "replace") -> StringTensor:
    """Makes each string valid UTF-8, like Python's `bytes.decode("utf-8", errors)`.

    Args:
        input: strings `[*S]`, in any form that `as_strings` accepts.
        errors: "replace" replaces invalid bytes by U+FFFD: one for the longest run of bytes that begins a valid
            code point, else one for each byte. "ignore" leaves them out.

    Returns:
        Strings `[*S]`, compact.

    Raises:
        ValueError: `errors` is not one of these, or the result exceeds 2**31 - 1 bytes.

    Example:
        >>> s = StringTensor.from_list([b"caf\\xe9", b"\\xe6\\x97 \\xe6\\x97\\xa5"])
        >>> s.repair().tolist(), s.repair("ignore").tolist()
        (['caf\\ufffd', '\\ufffd 日'], ['caf', ' 日'])
    """
    try:
        return strings_argument("string_repair", "input", input).repair(errors)
    except ERRORS as error:
        name_error(error, "string_repair")
        raise


def string_codepoints(input: StringsLike) -> tuple[Tensor, Tensor]:
    """Returns the code points of each string as ragged rows.

    Returns:
        values: int32 `[T]`. A byte that is not part of a valid code point gives 65533 (U+FFFD), so that
            string i has as many values as its `string_length`. Python's decoder may give fewer; call
            `string_repair` first to get its result.
        row_splits: int64 `[N + 1]`, in elements: those of string i, in row-major order, are
            `values[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: the result exceeds 2**31 - 1 values.

    See also: `string_from_codepoints`, the inverse; `string_bytes`; `ragged_to_dense`.

    Example:
        >>> values, row_splits = StringTensor.from_list(["aé", "", "😀"]).codepoints()
        >>> values.tolist(), row_splits.tolist()
        ([97, 233, 128512], [0, 2, 2, 3])
    """
    try:
        return strings_argument("string_codepoints", "input", input).codepoints()
    except ERRORS as error:
        name_error(error, "string_codepoints")
        raise


def string_bytes(input: StringsLike) -> tuple[Tensor, Tensor]:
    """Returns the bytes of each string as ragged rows, for models of bytes.

    Returns:
        values: uint8 `[T]`, a copy.
        row_splits: int64 `[N + 1]`, in elements: those of string i, in row-major order, are
            `values[row_splits[i]:row_splits[i + 1]]`.

    Raises:
        ValueError: the result exceeds 2**31 - 1 values.

    See also: `string_codepoints`, `ragged_to_dense`.

    Example:
        >>> values, row_splits = StringTensor.from_list(["aé", "", "b"]).bytes()
        >>> values.tolist(), row_splits.tolist()
        ([97, 195, 169, 98], [0, 3, 3, 4])
    """
    try:
        return strings_argument("string_bytes", "input", input).bytes()
    except ERRORS as error:
        name_error(error, "string_bytes")
        raise
