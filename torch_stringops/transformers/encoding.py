"""Encoding: one encoded text, whose rarely read fields are computed by `tokenizers` when they are read."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tokenizers


class EncodedBatch:
    """The columns of one call of a Tokenizer; `rest` computes those besides the ids when one of them is read."""

    def __init__(
        self, originals: Sequence[Any], ids: list[list[int]], rest: Callable[[], dict[str, list[Any]]]
    ) -> None:
        self.originals, self.columns = originals, {"input_ids": ids}
        self._rest: Callable[[], dict[str, list[Any]]] | None = rest

    def column(self, name: str) -> list[list[int]] | None:
        """Returns the rows of a column; None if only `tokenizers` computes it."""
        rest = self._rest
        if name not in self.columns and rest is not None:
            # Another thread may do the same, with the same result.
            self.columns = rest()
            self._rest = None
        return self.columns.get(name)


class Encoding:
    """What `Tokenizer.encode` and `encode_batch` return, with the fields and methods of `tokenizers.Encoding`.

    `ids`, `type_ids`, `attention_mask`, and `special_tokens_mask` of texts without a pair, come from the operators.
    `tokenizers` encodes the texts of the call again when another field is read for the first time: `tokens`, `offsets`,
    `word_ids`, `sequence_ids`, `overflowing`, `char_to_token` and the like. A pickle, or a copy, is a
    `tokenizers.Encoding`.
    """

    __slots__ = ("_batch", "_original", "_row")

    _original: Any

    def __init__(self, batch: EncodedBatch, row: int) -> None:
        self._batch, self._row, self._original = batch, row, None

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens."""
        return self._column("input_ids", "ids")

    @property
    def type_ids(self) -> list[int]:
        """0 or 1 for each token: its text of a pair, as the tokenizer's template says."""
        return self._column("token_type_ids", "type_ids")

    @property
    def attention_mask(self) -> list[int]:
        """1 for each token, 0 for padding."""
        return self._column("attention_mask", "attention_mask")

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for tokens that the template added, and for padding."""
        return self._column("special_tokens_mask", "special_tokens_mask")

    def original(self) -> tokenizers.Encoding:
        """Returns the `tokenizers.Encoding`, to which all goes from then on, so that changes of it count."""
        if self._original is None:
            self._original = self._batch.originals[self._row]
        found: tokenizers.Encoding = self._original
        return found

    @staticmethod
    def merge(encodings: Sequence[Encoding | tokenizers.Encoding], growing_offsets: bool = True) -> tokenizers.Encoding:
        """Returns one encoding of several, one after the other."""
        import tokenizers

        originals = [original_of(one) for one in encodings]
        found: tokenizers.Encoding = tokenizers.Encoding.merge(originals, growing_offsets)
        return found

    def _column(self, name: str, field: str) -> list[int]:
        rows = self._batch.column(name) if self._original is None else None
        found: list[int] = getattr(self.original(), field) if rows is None else rows[self._row].copy()
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.original(), name)

    def __len__(self) -> int:
        if self._original is not None:
            return len(self._original)
        return len(self._batch.columns["input_ids"][self._row])

    def __repr__(self) -> str:
        return repr(self.original())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return copy.copy, (self.original(),)


def original_of(encoding: Encoding | tokenizers.Encoding) -> tokenizers.Encoding:
    """Returns the `tokenizers.Encoding` of an encoding of either kind."""
    return encoding.original() if isinstance(encoding, Encoding) else encoding
