"""The calls of a Vocabulary: ids of strings, of the pieces of strings, and tokens of ids."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import torch
from torch import Tensor

from torch_stringops._arguments import strings_argument
from torch_stringops._checks import check_int, quoted, utf8
from torch_stringops._tracing import can_read
from torch_stringops._types import IntegersLike, StringsLike, Text
from torch_stringops.ops import split, tokenizer
from torch_stringops.ops import vocabulary as vocabulary_ops
from torch_stringops.string_tensor import StringTensor
from torch_stringops.vocabulary._arguments import check_ids
from torch_stringops.vocabulary._decode import decode_ids
from torch_stringops.vocabulary._state import VocabularyState


class VocabularyLookup(VocabularyState):
    """Converts strings to ids and back."""

    def forward(self, input: StringsLike) -> Tensor:
        """Same as `encode`."""
        return self.encode(input)

    if TYPE_CHECKING:  # nn.Module returns Any

        def __call__(self, input: StringsLike) -> Tensor: ...

    def encode(self, input: StringsLike) -> Tensor:
        """Returns the ids of strings.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts.

        Returns:
            int64 `[*S]`.

        Example:
            >>> Vocabulary(["to", "be", "<unk>"], unknown_token="<unk>").encode(["be", "or"])
            tensor([1, 2])
        """
        return self._find(input, self._settings.unknown, self.num_oov_buckets)

    def split_encode(
        self,
        input: StringsLike,
        delimiter: Text | None = "",
        *,
        skip_empty: bool = False,
        lower: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Splits each string at a delimiter, and returns the ids of the pieces as ragged rows.

        Equivalent to `string_split_ragged` followed by `encode`, but does not allocate memory for the pieces.

        Args:
            input: strings `[*S]`, in any form that `as_strings` accepts; N is their number, and they are taken in
                row-major order.
            delimiter: the delimiter; `""` or None for whitespace.
            skip_empty: drop empty pieces: `"a||b|"` at `"|"` gives two ids.
            lower: convert the strings to lower case first, as `string_lower` does.

        Returns:
            ids: int64 `[T]`; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

        Warns:
            UserWarning: the first call found no token, and tokens contain the delimiter.

        Example:
            >>> vocabulary = Vocabulary(["<unk>", "to", "be"], unknown_token="<unk>")
            >>> vocabulary.split_encode(["to be", "or not to be"])
            (tensor([1, 2, 0, 0, 1, 2]), tensor([0, 2, 6]))
        """
        delimiter = split.delimiter_or_whitespace(delimiter)
        if not torch.compiler.is_compiling():
            utf8("Vocabulary.split_encode", "delimiter", delimiter)
        strings = strings_argument("Vocabulary.split_encode", "input", input)
        self._check_broadcast()
        ids, row_splits = split._split_encode(
            strings,
            self._table,
            delimiter,
            unknown_id=self._settings.unknown,
            num_oov_buckets=self.num_oov_buckets,
            skip_empty=skip_empty,
            lower=lower,
        )
        if can_read(ids) and not self._has_checked_pieces and ids.numel():
            self._has_checked_pieces = True
            is_known = (ids >= 0) & (ids < len(self)) & (ids != self._settings.unknown)
            if not is_known.any() and self.tokens.contains(delimiter or " ").any():  # as those of whole strings
                warnings.warn(
                    "Vocabulary.split_encode: no piece is one of the tokens, which contain the delimiter (build "
                    "the vocabulary by from_text with the same `delimiter`, or use encode for whole strings)",
                    stacklevel=3,
                )
        return ids, row_splits

    def tokenize_encode(
        self,
        input: StringsLike,
        *,
        separators: Sequence[str] | None = None,
        tokenexp: str | None = None,
        mincharnum: int = 1,
        lower: bool = False,
    ) -> tuple[Tensor, Tensor]:
        r"""Splits each string into tokens with regular expressions, and returns their ids as ragged rows.

        Equivalent to `tokenizer_ragged` followed by `encode`, with `string_lower` in front if `lower` is set, but does
        not allocate memory for the tokens.

        Args:
            input: strings `[*S]`, valid UTF-8, in any form that `as_strings` accepts; N is their number, and they are
                taken in row-major order.
            separators: regular expressions of the separators, as in `tokenizer`. Exactly one of `separators` and
                `tokenexp` must be given.
            tokenexp: regular expression of the tokens.
            mincharnum: minimum number of code points per token, as in `tokenizer`.
            lower: convert the strings to lower case first, as `string_lower` does; the patterns match lower-cased text.

        Returns:
            ids: int64 `[T]`; T depends on the data.
            row_splits: int64 `[N + 1]`, in elements: the ids of string i are `ids[row_splits[i]:row_splits[i + 1]]`.

        Raises:
            ValueError: as `tokenizer`.

        Example:
            >>> vocabulary = Vocabulary(["<unk>", "to", "be", "!"], unknown_token="<unk>")
            >>> vocabulary.tokenize_encode(["To be!", "or not to be"], tokenexp=r"\w+|[^\w\s]", lower=True)
            (tensor([1, 2, 3, 0, 0, 1, 2]), tensor([0, 3, 7]))
        """
        strings = strings_argument("Vocabulary.tokenize_encode", "input", input)
        self._check_broadcast()
        ids, row_splits = tokenizer._tokenize_encode(
            strings,
            self._table,
            separators=separators,
            op="Vocabulary.tokenize_encode",
            mincharnum=mincharnum,
            tokenexp=tokenexp,
            lower=lower,
            unknown_id=self._settings.unknown,
            num_oov_buckets=self.num_oov_buckets,
        )
        return ids, row_splits

    def decode(self, ids: IntegersLike) -> StringTensor:
        """Returns the tokens of ids.

        Ids of unknown strings give `unknown_token`, and ids of padding give `pad_token`.

        Args:
            ids: integers `[*S]`: a tensor, a NumPy array, or a (nested) list.

        Returns:
            strings `[*S]`, compact.

        Raises:
            TypeError: `ids` cannot be converted to a tensor.
            IndexError: an id is not within `[0, V)`, or, with an `unknown_token`, `[0, num_ids)`. Compiled and exported
                programs raise an error of another type.
            ValueError: the dtype of `ids` is not an integer dtype.

        Example:
            >>> Vocabulary(["to", "be"]).decode([[1, 0]]).tolist()
            [['be', 'to']]
        """
        self._check_broadcast()
        return decode_ids(self.tokens, check_ids("Vocabulary.decode", ids), self._settings.unknown, self.num_ids)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str | bytes) and int(self._find(token, -1, 0)) >= 0

    @overload
    def __getitem__(self, key: Text) -> int: ...
    @overload
    def __getitem__(self, key: int) -> Text: ...

    def __getitem__(self, key: Text | int) -> int | Text:
        """Returns the id of a token, or the token of an id. Raises KeyError if `encode` returns -1."""
        if isinstance(key, str | bytes):
            found = int(self.encode(key))
            if found < 0:
                raise KeyError(f"Vocabulary: expected one of the tokens, got {quoted(key)}")
            return found
        at = check_int("Vocabulary", "key", key, -(2**63))
        if not 0 <= at < len(self):
            raise IndexError(f"Vocabulary: expected an id within [0, {len(self)}), got {at}")
        return self._token_at(at)

    def _find(self, input: StringsLike, unknown_id: int, num_oov_buckets: int) -> Tensor:
        strings = strings_argument("Vocabulary.encode", "input", input)
        self._check_broadcast()
        return vocabulary_ops._vocab_encode(
            strings, self._table, unknown_id=unknown_id, num_oov_buckets=num_oov_buckets
        )
