"""Table: what is computed from one state of a `tokenizers.Tokenizer`, and calls of the operators with it."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from torch_stringops import _convert  # type: ignore[attr-defined]
from torch_stringops.interop.python import strings_to_list
from torch_stringops.ops.subword import _encode, _encode_pairs
from torch_stringops.ops.subword_decode import _subword_decode
from torch_stringops.subword import SubwordTokenizer
from torch_stringops.subword._padding import truncated_left

_CPU = torch.device("cpu")
_OP = "accelerate"


class Rows(NamedTuple):
    """Ragged rows of ids."""

    ids: Tensor  # int64 [T]
    row_splits: Tensor  # int64 [N + 1], in elements
    types: Tensor | None  # int64 [T]; None for single texts, whose types follow from the template


class Table:
    """The table of a state, or the reason why the state is not supported.

    Attributes:
        digest: of the state's text.
        text: the state, as the text of a tokenizer.json in UTF-8; None in a copy until it is known again.
        error: why the state is not supported, or None.
        before, after: the special ids around a single text.
        types: the types of these, and of the text.
        specials: the number of special ids around one text, and around a pair.
    """

    def __init__(self, digest: bytes, tokenizer: SubwordTokenizer | None, error: str | None) -> None:
        self.digest, self.error = digest, error
        self.text: bytes | None = None
        self._tokenizer = tokenizer
        self._original: Any = None
        self._numbers: Any = None
        self._lock = threading.Lock()
        if tokenizer is not None:
            self._table = tokenizer._table
            self.size = tokenizer.vocab_size
            self.before, self.after, self.types = tokenizer._before, tokenizer._after, tokenizer._types
            lines = [line.split(" ") for line in tokenizer._spec.splitlines()]
            pairs = [len(words) - 3 for words in lines if words[0] == "template_pair"]
            self.specials = (len(self.before) + len(self.after), *(pairs or [0]))

    @staticmethod
    def of(text: bytes, digest: bytes) -> Table:
        try:
            return Table(digest, SubwordTokenizer.from_file(text.decode()), None)
        except ValueError as error:
            return Table(digest, None, str(error))

    @property
    def supported(self) -> bool:
        return self.error is None

    def encode(self, texts: list[str], special: bool, limit: int, left: bool) -> Rows:
        """Encodes single texts, truncated to `limit` ids at the left or right; -1: no limit."""
        data, offsets = strings_of(texts)
        if limit < 0 or not left:
            ids, row_splits = _encode(data, offsets, self._table, add_special_tokens=special, max_length=limit)
        else:
            rows = _encode(data, offsets, self._table)
            around = (self.before, self.after) if special else ([], [])
            ids, row_splits = truncated_left(rows, limit, *around)
        return Rows(ids, row_splits, None)

    def encode_one(self, text: str) -> list[int]:
        """Encodes one text, without special tokens."""
        assert self._tokenizer is not None
        return self._tokenizer.encode_text(text)

    def encode_pairs(self, texts: list[str], others: list[str], special: bool, limit: int, left: bool) -> Rows:
        options = {"add_special_tokens": special, "max_length": limit, "truncate_left": left}
        return Rows(*_encode_pairs(*strings_of(texts), *strings_of(others), self._table, **options))

    def decode(self, ids: Tensor, row_splits: Tensor, skip_special_tokens: bool) -> list[str]:
        """Returns the texts of rows of ids within [0, size)."""
        data, offsets = _subword_decode(ids, row_splits, self._table, skip_special_tokens=skip_special_tokens)
        texts: list[str] = strings_to_list(data, offsets, errors="replace")
        return texts

    def numbers_of(self, ids: Tensor) -> list[Any]:
        """Returns ids within [0, size) as nested lists of `int`.

        The objects are taken from an array of all of them, in half to a third of the time in which they are created.
        """
        if self._numbers is None:
            self._numbers = np.arange(self.size).astype(object)
        found: list[Any] = self._numbers[ids.numpy()].tolist()
        return found

    def decode_one(self, ids: list[int] | tuple[int, ...], skip_special_tokens: bool) -> str:
        """Returns the text of ids within [0, size)."""
        assert self._tokenizer is not None
        return self._tokenizer.decode_ids(ids, skip_special_tokens=skip_special_tokens)

    def original(self, texts: list[Any], special: bool, truncation: Any, padding: Any, method: str) -> list[Any]:
        """Encodes with a `tokenizers.Tokenizer` that is made of the state's text."""
        import tokenizers

        with self._lock:
            if self._original is None:
                assert self.text is not None
                self._original = tokenizers.Tokenizer.from_str(self.text.decode())
            backend = self._original
            if truncation is not None:
                backend.enable_truncation(**truncation)
            else:
                backend.no_truncation()
            if padding is not None:
                backend.enable_padding(**padding)
            else:
                backend.no_padding()
            encodings: list[Any] = getattr(backend, method)(texts, add_special_tokens=special)
            return encodings

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self.digest, self._tokenizer, self.error)


def strings_of(texts: list[str]) -> tuple[Tensor, Tensor]:
    """Converts texts to `data` and `offsets`; StringTensor.from_list takes as long again for a single one."""
    _, size = _convert.measure(texts, 1, _OP)
    data = torch.empty(size, dtype=torch.uint8, device=_CPU)
    offsets = torch.empty(len(texts) + 1, dtype=torch.int32, device=_CPU)
    _convert.write(texts, (len(texts),), _OP, data.data_ptr(), size, offsets.data_ptr(), len(texts) + 1)
    return data, offsets
