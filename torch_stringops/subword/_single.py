"""One text of Python at a time, in native code without tensors."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_flag, shape_text
from torch_stringops._names import names_its_errors
from torch_stringops._native import library_path
from torch_stringops._types import IntegersLike, StringsLike, Text
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import check_ids

_encode, _decode = _convert.encode_text, _convert.decode_ids


class SingleTexts:
    """The methods of SubwordTokenizer for one text, and those that need no ids."""

    _table: Tensor
    _before: list[int]
    _after: list[int]
    # The native tokenizer of `_table`, which each call compares with it; opened by the first one.
    _opened: Any = None

    @names_its_errors
    def encode_text(self, text: Text, *, add_special_tokens: bool = False) -> list[int]:
        r"""Returns the ids of one text as a list: `encode([text])[0].tolist()`, without tensors.

        A short text takes less than a microsecond, a tenth of the time of `encode`. Threads may call it at the same
        time; texts of more than 4 KB are encoded without the lock of the interpreter. Parts of texts of about 32 KB
        and more are encoded on torch's threads if the tokenizer splits words at spaces.

        Args:
            text: a str, or its UTF-8 as bytes.
            add_special_tokens: add the special tokens of the tokenizer's template around the text.

        Raises:
            TypeError: `text` is not a str or bytes.
            ValueError: `text` contains a lone surrogate.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
            >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> tokenizer.encode_text("to be")
            [256, 257, 101]
        """
        ids: list[int] | None = _encode(self._opened, self._table, text)
        if ids is None:
            ids = _encode(self._open(), self._table, text)
            assert ids is not None
        if add_special_tokens is False:
            return ids
        adds = check_flag("SubwordTokenizer.encode_text", "add_special_tokens", add_special_tokens)
        return [*self._before, *ids, *self._after] if adds else ids

    @names_its_errors
    def decode_ids(self, ids: IntegersLike, *, skip_special_tokens: bool = True) -> str:
        r"""Returns the text of one row of ids as a str: `decode(ids).item()`, without tensors if `ids` is a list.

        Args:
            ids: integers `[L]`; a list or tuple of int is fastest.
            skip_special_tokens: leave out special tokens.

        Returns:
            The text, with U+FFFD for bytes that are not UTF-8.

        Raises:
            TypeError: `ids` cannot be converted to a tensor.
            ValueError: an id is not within [0, vocab_size), or `ids` is not of rank 1.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
            >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> tokenizer.decode_ids([256, 257, 101])
            'to be'
        """
        if skip_special_tokens is not True:
            check_flag("SubwordTokenizer.decode_ids", "skip_special_tokens", skip_special_tokens)
        text = _decode(self._opened, self._table, ids, skip_special_tokens)
        if text is None:
            text = _decode(self._open(), self._table, ids, skip_special_tokens)
        return self._decode_any(ids, skip_special_tokens) if text is False else text

    def count_tokens(self, texts: StringsLike, *, add_special_tokens: bool = False) -> Tensor:
        r"""Returns the number of ids of each text, as `encode` finds them.

        Args:
            texts: strings `[*S]`, in any form that `as_strings` accepts.
            add_special_tokens: count the special tokens of the tokenizer's template too.

        Returns:
            int64 `[*S]`.

        Example:
            >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"to": 256, b" b": 257}
            >>> pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
            >>> tokenizer = SubwordTokenizer.from_tiktoken(ranks, pattern)
            >>> tokenizer.count_tokens(["to be", "", "not to be"])
            tensor([3, 0, 7])
        """
        strings = strings_argument("SubwordTokenizer.count_tokens", "texts", texts)
        _, row_splits = self._rows(strings, add_special_tokens, None)
        return row_splits.diff().reshape(strings.shape)

    def _decode_any(self, ids: IntegersLike, skip_special_tokens: bool) -> str:
        """`decode_ids` of integers that are not a list of int."""
        op = "SubwordTokenizer.decode_ids"
        row = check_ids(op, ids)
        if row.dim() != 1:
            raise ValueError(f"{op}: expected `ids` of rank 1, got shape {shape_text(row)}")
        return self.decode_ids(row.tolist(), skip_special_tokens=skip_special_tokens)

    def _rows(self, strings: StringTensor, special: bool, limit: int | None) -> tuple[Tensor, Tensor]:
        raise NotImplementedError

    def _open(self) -> Any:
        """Opens the native tokenizer of the table."""
        table = self._table
        self._opened = _convert.open_tokenizer(library_path(), table, table.data_ptr(), table.numel())
        return self._opened

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_opened"}
