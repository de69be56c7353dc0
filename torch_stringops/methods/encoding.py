"""Methods on the encoding of strings: UTF-8, code points, bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor

from torch_stringops._types import RepairErrors
from torch_stringops.methods._base import Methods
from torch_stringops.ops import encoding

if TYPE_CHECKING:
    from typing_extensions import Self


class EncodingMethods(Methods):
    """Strings as UTF-8, code points and bytes."""

    __slots__ = ()

    def is_utf8(self) -> Tensor:
        """Returns whether each string is valid UTF-8, by the rules of Python's `bytes.decode`.

        Overlong sequences, surrogates and code points above U+10FFFF are invalid.

        Returns:
            bool `[*S]`.

        See also: `string_repair`.

        Example:
            >>> StringTensor.from_list(["café", b"caf\\xe9"]).is_utf8()
            tensor([ True, False])
        """
        return encoding._string_is_utf8(self)

    def repair(self, errors: RepairErrors = "replace") -> Self:
        """Makes each string valid UTF-8, like Python's `bytes.decode("utf-8", errors)`.

        Args:
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
        return encoding._string_repair(self, errors)

    def codepoints(self) -> tuple[Tensor, Tensor]:
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
        return encoding._string_codepoints(self)

    def bytes(self) -> tuple[Tensor, Tensor]:
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
        return encoding._string_bytes(self)
